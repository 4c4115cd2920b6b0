//! Motion as KITTI tracklets: the `tracklet_labels.xml` of KITTI's raw data (Geiger et al. 2013).
//!
//! Frames are the scans of one sensor, and poses are in that sensor's frame at the start of each
//! scan. A tracklet has one size (h, w, l); its pose is the middle of the bottom of its box and
//! angles about x, y and z (turned in this order about the fixed axes), where KITTI's own labels
//! have only rz. Occlusion and truncation need a camera and are unset (−1).

use std::fmt::Write;

use glam::{DVec3, EulerRot};

use crate::Error;
use crate::pulse::scan_pattern::{Pulses, ScanPattern};
use crate::scenario::Scenario;
use crate::world::scene::Object;
use crate::world::trajectory::{Pose, Trajectory};
use understory_cloud::label_name;
use understory_files::hint::word_remedy;

/// Most scans of one file.
const FRAMES_MAX: u32 = 1_000_000;

/// KITTI's type of an object of this class.
fn object_type(label: u16) -> &'static str {
    let name = label_name(label).unwrap_or_default();
    match name.strip_prefix("moving-").unwrap_or(name) {
        "car" => "Car",
        "truck" => "Truck",
        "person" => "Pedestrian",
        "bicyclist" | "motorcyclist" => "Cyclist",
        "on-rails" => "Tram",
        _ => "Misc",
    }
}

/// Number and start of each scan that begins in the interval.
fn frames(pattern: &ScanPattern, (from_s, to_s): (f64, f64)) -> Result<Vec<(u32, f64)>, Error> {
    let mut pulses = Pulses::default();
    let mut look = |pulse: u64| {
        pattern.fill(pulse..pulse + 1, &mut pulses);
        (pulses.scan.first().copied().unwrap_or(0), pulses.time_s.first().copied().unwrap_or(0.0))
    };
    let (first, end) = (pattern.first_pulse_at(from_s), pattern.first_pulse_at(to_s));
    let mut frames = Vec::new();
    let mut pulse = first;
    // A scan that began before the interval is not one of its frames.
    if first > 0 && first < end && look(first - 1).0 == look(first).0 {
        pulse = first_of_next(&mut look, first, end);
    }
    while pulse < end {
        frames.push(look(pulse));
        if frames.len() > FRAMES_MAX as usize {
            let problem = format!("the interval has more than {FRAMES_MAX} scans");
            return Err(Error::invalid("tracklets", problem, "choose a shorter interval"));
        }
        pulse = first_of_next(&mut look, pulse, end);
    }
    Ok(frames)
}

/// The first pulse after `pulse` that belongs to another scan, or `end`: scans never fall, so the
/// interval in which it lies can be halved.
fn first_of_next(look: &mut impl FnMut(u64) -> (u32, f64), pulse: u64, end: u64) -> u64 {
    let scan = look(pulse).0;
    let (mut same, mut step) = (pulse, 1);
    while same.saturating_add(step) < end && look(same + step).0 == scan {
        same += step;
        step *= 2;
    }
    let mut other = same.saturating_add(step).min(end);
    while other - same > 1 {
        let middle = same + (other - same) / 2;
        if look(middle).0 == scan { same = middle } else { other = middle }
    }
    other
}

/// The whole file.
pub fn text(
    scenario: &Scenario,
    path: &Trajectory,
    objects: &[&Object],
    interval_s: (f64, f64),
    sensor: Option<&str>,
) -> Result<String, Error> {
    let names: Vec<&str> = scenario.sensors.iter().map(|s| s.name.as_str()).collect();
    let index = match sensor {
        None => 0,
        Some(wanted) => names.iter().position(|name| *name == wanted).ok_or_else(|| {
            let problem = format!("there is no sensor {wanted:?}");
            Error::invalid("tracklets", problem, word_remedy(wanted, &names))
        })?,
    };
    let Some(mounted) = scenario.sensors.get(index) else { return Ok(String::new()) };
    let frames = frames(&mounted.sensor.pattern, interval_s)?;
    let boxed = objects.iter().filter(|object| {
        let size = object.bounds.1 - object.bounds.0;
        size.is_finite() && size.min_element() >= 0.0
    });
    let boxed: Vec<&&Object> = boxed.collect();
    let mut xml = Xml::default();
    xml.line("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\" ?>");
    xml.line("<!DOCTYPE boost_serialization>");
    xml.open("boost_serialization", " signature=\"serialization::archive\" version=\"9\"");
    xml.open("tracklets", " class_id=\"0\" tracking_level=\"0\" version=\"0\"");
    xml.value("count", boxed.len());
    xml.value("item_version", 1);
    for (number, object) in boxed.into_iter().enumerate() {
        let (low, high) = object.bounds;
        let size = high - low;
        // Boost names the class of a list's items once.
        let class = |id: u32, version: u32, first: bool| match first {
            true => format!(" class_id=\"{id}\" tracking_level=\"0\" version=\"{version}\""),
            false => String::new(),
        };
        xml.open("item", &class(1, 1, number == 0));
        xml.value("objectType", object_type(object.label));
        xml.value("h", size.z);
        xml.value("w", size.y);
        xml.value("l", size.x);
        xml.value("first_frame", frames.first().map_or(0, |(scan, _)| *scan));
        xml.open("poses", &class(2, 0, number == 0));
        xml.value("count", frames.len());
        xml.value("item_version", 2);
        for (frame, (_, time_s)) in frames.iter().enumerate() {
            let world_from_sensor = path.pose_at(*time_s).after(&mounted.platform_from_sensor);
            let pose = seen(object, *time_s, &world_from_sensor);
            let t = pose.translation + pose.rotation * (low + size * DVec3::new(0.5, 0.5, 0.0));
            let (rz, ry, rx) = pose.rotation.to_euler(EulerRot::ZYX);
            xml.open("item", &class(3, 2, number == 0 && frame == 0));
            let values =
                [("tx", t.x), ("ty", t.y), ("tz", t.z), ("rx", rx), ("ry", ry), ("rz", rz)];
            values.into_iter().for_each(|(tag, value)| xml.value(tag, value));
            // Labelled by hand, as far as KITTI's programs go.
            xml.value("state", 2);
            for (tag, value) in [
                ("occlusion", -1),
                ("occlusion_kf", 0),
                ("truncation", -1),
                ("amt_occlusion", -1),
                ("amt_occlusion_kf", 0),
                ("amt_border_l", -1),
                ("amt_border_r", -1),
                ("amt_border_kf", 0),
            ] {
                xml.value(tag, value);
            }
            xml.close("item");
        }
        xml.close("poses");
        xml.value("finished", 1);
        xml.close("item");
    }
    xml.close("tracklets");
    xml.close("boost_serialization");
    Ok(xml.text)
}

/// `sensor_from_object`.
fn seen(object: &Object, time_s: f64, world_from_sensor: &Pose) -> Pose {
    let world_from_object = object.pose_at(time_s);
    let turn = world_from_sensor.rotation.inverse();
    Pose {
        rotation: turn * world_from_object.rotation,
        translation: turn * (world_from_object.translation - world_from_sensor.translation),
    }
}

/// Indented elements.
#[derive(Default)]
struct Xml {
    text: String,
    depth: usize,
}

impl Xml {
    fn line(&mut self, line: &str) {
        self.text.extend(std::iter::repeat_n('\t', self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn open(&mut self, tag: &str, attributes: &str) {
        self.line(&format!("<{tag}{attributes}>"));
        self.depth += 1;
    }

    fn close(&mut self, tag: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.line(&format!("</{tag}>"));
    }

    fn value(&mut self, tag: &str, value: impl std::fmt::Display) {
        self.text.extend(std::iter::repeat_n('\t', self.depth));
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "<{tag}>{value}</{tag}>");
    }
}
