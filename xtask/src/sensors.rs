//! `cargo xtask sensors`: a picture of every built-in sensor's pattern, and `docs/sensors.md`.
//!
//! Pictures are drawn by the program itself, halved, and written with as few colours as make them
//! small.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::shell::{cargo, root, run, target_dir};
use crate::small_picture::shrink;

/// Width and most bytes of a picture.
const WIDTH: u32 = 450;
const MOST_BYTES: usize = 20_000;

/// Makes the pictures and writes the page.
pub fn refresh() -> Result<()> {
    run(&mut cargo(["build", "--release", "--locked", "--package", "understory-cli"]))?;
    let out = target_dir()?.join("sensors");
    let program = target_dir()?.join("release/understory");
    let mut command = std::process::Command::new(&program);
    run(command.current_dir(root()).arg("sensors").arg("--pictures").arg(&out))?;
    let list = out.join("sensors.json");
    let mut command = std::process::Command::new(&program);
    run(command.current_dir(root()).arg("sensors").arg("--json").arg(&list))?;
    let sensors: Vec<Value> = serde_json::from_str(&fs::read_to_string(&list)?)?;
    let images = root().join("docs/images/sensors");
    for name in sensors.iter().filter_map(|sensor| sensor["name"].as_str()) {
        let small = images.join(format!("{name}.png"));
        shrink(&out.join(format!("{name}.png")), &small, WIDTH, MOST_BYTES)?;
    }
    let page = root().join("docs/sensors.md");
    fs::write(&page, text(&sensors)?).with_context(|| format!("cannot write {}", page.display()))
}

/// The page: sensors by kinds, in the order of their first.
fn text(sensors: &[Value]) -> Result<String> {
    let mut page = String::from(
        "# Sensors\n\nEvery built-in sensor and where the pulses of one frame of it go; of lines across a track ten are shown, one below the other. Colours are thirds of the frame. `understory sensors NAME` prints the file, `understory sensors NAME --pictures FOLDER` draws the picture in full size, and `cargo xtask sensors` draws this page anew. Which numbers are measured and which are guessed: [add-a-sensor.md](add-a-sensor.md#which-numbers-of-the-built-in-sensors-are-real).\n",
    );
    let text = |sensor: &Value, key: &str| sensor[key].as_str().unwrap_or_default().to_owned();
    let mut kinds: Vec<String> = Vec::new();
    for sensor in sensors {
        let kind = text(sensor, "kind");
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    for kind in kinds {
        let mut letters = kind.chars();
        let title = letters.next().map(|first| first.to_uppercase().collect::<String>());
        writeln!(page, "\n## {}{}", title.unwrap_or_default(), letters.as_str())?;
        for sensor in sensors.iter().filter(|sensor| text(sensor, "kind") == kind) {
            let name = text(sensor, "name");
            let about = text(sensor, "description");
            let (vendor, title) = (text(sensor, "vendor"), text(sensor, "title"));
            writeln!(page, "\n`{name}`: {vendor} {title}. {about}\n")?;
            writeln!(page, "![{name}](images/sensors/{name}.png)")?;
        }
    }
    Ok(page)
}
