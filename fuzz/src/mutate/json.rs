//! Values of JSON, alone or as the first chunk of a GLB.

use super::Random;
use serde_json::{Value, json};

/// Changes one to three values.
pub(super) fn change(bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(bytes).ok()?;
    for _ in 0..=random.below(3) {
        change_value(&mut value, random);
    }
    serde_json::to_vec(&value).ok()
}

/// Goes down at random, and changes where it stops.
fn change_value(value: &mut Value, random: &mut Random) {
    let goes_on = random.below(8) > 0;
    match value {
        Value::Array(items) if goes_on && !items.is_empty() => {
            let at = random.below(items.len());
            change_value(&mut items[at], random);
        }
        Value::Object(entries) if goes_on && !entries.is_empty() => {
            let at = random.below(entries.len());
            if let Some((_, value)) = entries.iter_mut().nth(at) {
                change_value(value, random);
            }
        }
        Value::Array(items) => match random.below(4) {
            0 if !items.is_empty() => drop(items.remove(random.below(items.len()))),
            1 if !items.is_empty() => {
                let item = random.of(items).clone();
                items.push(item);
            }
            2 => items.clear(),
            _ => *value = other(random),
        },
        Value::Object(entries) => match random.below(3) {
            0 if !entries.is_empty() => {
                let name = entries.keys().nth(random.below(entries.len())).cloned();
                name.and_then(|name| entries.remove(&name));
            }
            1 if entries.len() > 1 => {
                // A value under another name of the same object.
                let from = entries.values().nth(random.below(entries.len())).cloned();
                let to = entries.keys().nth(random.below(entries.len())).cloned();
                if let (Some(from), Some(to)) = (from, to) {
                    entries.insert(to, from);
                }
            }
            _ => *value = other(random),
        },
        Value::Number(number) => {
            let near = number.as_i64().unwrap_or_default();
            *value = match random.below(5) {
                0 => json!(near.wrapping_add(1)),
                1 => json!(near.wrapping_sub(1)),
                2 => json!(near.wrapping_mul(1 << random.below(40))),
                3 => json!(random.below(16)),
                _ => other(random),
            };
        }
        _ => *value = other(random),
    }
}

fn other(random: &mut Random) -> Value {
    match random.below(14) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(""),
        3 => json!("data:application/octet-stream;base64,AAAAAAAAAAAAAAAA"),
        4 => json!("POSITION"),
        5 => json!([]),
        6 => json!({}),
        7 => json!(-1),
        8 => json!(1e300),
        9 => json!(5126),
        10 => json!("SCALAR"),
        11 => json!([0, 1, 2, 3]),
        _ => json!(super::EDGES[random.below(super::EDGES.len())]),
    }
}

/// The same in a GLB; `change`: else only lengths are mended.
pub(super) fn change_glb(bytes: &[u8], random: &mut Random, change: bool) -> Option<Vec<u8>> {
    let length = u32::from_le_bytes(bytes.get(12..16)?.try_into().ok()?) as usize;
    let text = bytes.get(20..)?.get(..length);
    // After a change anyhow the length may be wrong: the text ends where the binary chunk begins.
    let end = bytes.windows(4).position(|four| four == b"BIN\0").map(|at| at.saturating_sub(4));
    let text = text.or_else(|| bytes.get(20..end?))?;
    let rest = bytes.get(20 + text.len()..)?;
    let mut text = if change { self::change(text, random)? } else { text.to_vec() };
    while !text.len().is_multiple_of(4) {
        text.push(b' ');
    }
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend(((20 + text.len() + rest.len()) as u32).to_le_bytes());
    glb.extend((text.len() as u32).to_le_bytes());
    glb.extend(b"JSON");
    glb.extend(text);
    glb.extend(rest);
    Some(glb)
}
