//! A scan pattern in words and numbers: [`Sensor`] → rows of label and value.

use super::{RotationLimits, Sensor};
use crate::pulse::scan_pattern::{Direction, Kind, MirrorMotion, Projection, SweepPlane};
use understory_base::math;

type Row = (&'static str, String);

impl Sensor {
    /// What is peculiar to the kind of pattern.
    pub(super) fn describe_pattern(&self, rows: &mut Vec<Row>) {
        match self.pattern.kind() {
            Kind::Spinning(spinning) => {
                let elevations = spinning.lasers().iter().map(|l| l.elevation_rad.to_degrees());
                rows.push(("elevation", span_deg(elevations)));
                let spec = spinning.spec();
                rows.push(("rotation", self.rotation(spec.rotation_hz, spec.direction)));
                let step = spinning.azimuth_step_rad().to_degrees();
                rows.push(("azimuth step", format!("{step:.4}°")));
            }
            Kind::Table(table) => rows.push(("rows of the table", table.rows().len().to_string())),
            Kind::LineMirror(mirror) => {
                let spec = mirror.spec();
                let layers: Vec<String> =
                    spec.layers_rad.iter().map(|l| format!("{:.2}°", l.to_degrees())).collect();
                rows.push(("layers", layers.join(", ")));
                let limits = spec.frames.azimuth_limits_rad().map(f64::to_degrees);
                rows.push(("azimuth", span_deg(limits.into_iter())));
                rows.push(("rotation", self.rotation(spec.rotation_hz, spec.direction)));
                let step = spec.frames.azimuth_step_rad().to_degrees();
                rows.push(("azimuth step", format!("{step:.4}°")));
            }
            Kind::CameraGrid(camera) => {
                let spec = camera.spec();
                rows.push(("pixels", format!("{} × {}", spec.width, spec.height)));
                let lens = match spec.projection {
                    Projection::Pinhole if spec.distortion == [0.0; 5] => "pinhole",
                    Projection::Pinhole => "pinhole with distortion",
                    Projection::Equidistant => "equidistant",
                };
                if let Some([h, v]) = camera.field_rad().map(|field| field.map(f64::to_degrees)) {
                    rows.push(("field of view", format!("{h:.1}° × {v:.1}°, {lens}")));
                }
                let shutter = if spec.row_s == 0.0 {
                    "all pixels at once".to_string()
                } else {
                    format!("rows every {:.1} µs", spec.row_s * 1e6)
                };
                rows.push(("frames", format!("{:.3} Hz, {shutter}", 1.0 / spec.frame_s)));
            }
            Kind::Risley(risley) => {
                let spec = risley.spec();
                let wedges: Vec<String> = spec
                    .wedges
                    .iter()
                    .map(|w| format!("{:.2}° at {} Hz", w.angle_rad.to_degrees(), w.rotation_hz))
                    .collect();
                rows.push(("wedges", wedges.join(", ")));
                self.describe_field(rows);
            }
            Kind::ScanningMirror(mirror) => {
                let spec = mirror.spec();
                let hz = mirror.mirror_hz();
                let motion = match spec.motion {
                    MirrorMotion::Polygon { facets: 1, sweep_rad } => {
                        format!("turns at {hz:.3} Hz, sweeps {:.3}°", sweep_rad.to_degrees())
                    }
                    MirrorMotion::Polygon { facets, .. } => {
                        format!("polygon of {facets} facets at {hz:.3} Hz")
                    }
                    MirrorMotion::Sine => format!("swings as a sine at {hz:.3} Hz"),
                    MirrorMotion::Zigzag => format!("swings evenly at {hz:.3} Hz"),
                };
                rows.push(("mirror", motion));
                let angles = spec.field_rad.map(f64::to_degrees).into_iter();
                let plane = match spec.plane {
                    SweepPlane::Vertical => "vertical",
                    SweepPlane::AcrossTrack => "across the track",
                };
                rows.push(("line", format!("{} {plane}", span_deg(angles))));
                rows.push(("lines per second", spec.lines_per_s.to_string()));
                rows.push(("laser", format!("{} kHz while it fires", spec.laser_hz / 1e3)));
                if spec.head_hz != 0.0 {
                    rows.push(("head", format!("{:.4}°/s", spec.head_hz * 360.0)));
                }
            }
            // Any other pattern is known by the field that it fills.
            other => {
                if let Kind::Harmonic(harmonic) = other {
                    let spec = harmonic.spec();
                    let motion =
                        format!("turn {} Hz, swing {} Hz", spec.rotation_hz, spec.swing_hz);
                    rows.push(("motion", motion));
                }
                self.describe_field(rows);
            }
        }
    }

    /// Azimuths and elevations that are met within half a second.
    fn describe_field(&self, rows: &mut Vec<Row>) {
        let mut pulses = crate::pulse::scan_pattern::Pulses::default();
        self.pattern.fill(0..self.pattern.first_pulse_at(0.5).min(200_000), &mut pulses);
        let directions = || pulses.direction.iter();
        rows.push(("azimuth", span_deg(directions().map(|d| math::atan2(d.y, d.x).to_degrees()))));
        rows.push(("elevation", span_deg(directions().map(|d| math::asin(d.z).to_degrees()))));
    }

    fn rotation(&self, rotation_hz: f64, direction: Direction) -> String {
        let turns = match direction {
            Direction::Clockwise => "clockwise",
            Direction::Counterclockwise => "counter-clockwise",
        };
        let allowed = match &self.rotation_limits {
            RotationLimits::None => String::new(),
            RotationLimits::Range([low, high]) => format!(" ({low} to {high} Hz)"),
            RotationLimits::Choices(choices) => {
                let words: Vec<String> = choices.iter().map(f64::to_string).collect();
                format!(" ({} Hz)", words.join(", "))
            }
        };
        format!("{rotation_hz} Hz {turns}{allowed}")
    }
}

/// The least and the greatest of some angles.
fn span_deg(angles: impl Iterator<Item = f64>) -> String {
    let (low, high) =
        angles.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), a| (low.min(a), high.max(a)));
    format!("{low:.2}° to {high:.2}°")
}
