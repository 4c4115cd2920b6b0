//! How the sensors of a new scenario move: mounts and the platform, as TOML.

use understory::sensor::Sensor;
use understory_base::math;
use understory_view::pattern::{AIRCRAFT, kind};

use super::{Choice, number};

/// A path to choose.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Path {
    /// On a tripod
    Stand,
    /// Straight on over the ground
    Drive,
    /// Round a circle over the ground
    Circle,
    /// Straight on in the air
    Flight,
    /// That of the built-in scenario
    Own,
}

/// Points of a circle.
const CORNERS: usize = 24;

impl Path {
    /// How long it usually lasts.
    pub fn seconds(self) -> f64 {
        if matches!(self, Path::Stand | Path::Own) { 0.1 } else { 4.0 }
    }

    /// How fast it usually is.
    pub fn speed_m_s(self) -> f64 {
        if self == Path::Flight { 20.0 } else { 2.0 }
    }

    /// How high it usually is above the ground.
    pub fn height_m(self) -> f64 {
        if self == Path::Flight { 60.0 } else { 1.6 }
    }

    /// Where a sensor sits on the platform. In the air it looks down, unless it is made for that.
    pub fn mount(self, choice: &Choice, preset: &str) -> String {
        match self {
            Path::Flight => {
                let made_for_it =
                    Sensor::preset(preset).is_ok_and(|sensor| kind(&sensor) == AIRCRAFT);
                match made_for_it {
                    true => String::new(),
                    false => "rotation_deg = [0.0, 90.0, 0.0] # it looks down\n".into(),
                }
            }
            Path::Own => String::new(),
            _ => format!("position_m = [0.0, 0.0, {}]\n", number(choice.height_m)),
        }
    }

    /// The table `[platform]`.
    pub fn platform(self, choice: &Choice) -> String {
        let length_m = choice.speed_m_s * choice.seconds;
        let (points, curved): (Vec<[f64; 3]>, bool) = match self {
            Path::Own => return format!("\n{}\n", choice.world.own_platform().trim_end()),
            Path::Stand => {
                let ground = if choice.world.has_ground() { "on_ground = true\n" } else { "" };
                return format!("\n[platform]\nposition_m = [0.0, 0.0, 0.0]\n{ground}");
            }
            Path::Drive => (vec![[-0.5 * length_m, 0.0, 0.0], [0.5 * length_m, 0.0, 0.0]], false),
            Path::Flight => {
                let z = choice.height_m;
                (vec![[-0.5 * length_m, 0.0, z], [0.5 * length_m, 0.0, z]], false)
            }
            Path::Circle => {
                let radius_m = length_m / std::f64::consts::TAU;
                let corner = |index: usize| {
                    let angle = std::f64::consts::TAU * index as f64 / CORNERS as f64;
                    [radius_m * math::cos(angle), radius_m * math::sin(angle), 0.0]
                };
                ((0..=CORNERS).map(corner).collect(), true)
            }
        };
        let mut text = "\n[platform]\nheading = \"along-path\"\n".to_owned();
        if curved {
            text += "interpolation = \"spline\"\n";
        }
        if self != Path::Flight && choice.world.has_ground() {
            text += "on_ground = true\n";
        }
        text += "waypoints = [\n";
        let steps = points.len().saturating_sub(1).max(1) as f64;
        for (index, point) in points.iter().enumerate() {
            let time_s = choice.seconds * index as f64 / steps;
            let [x, y, z] = point.map(|value| number((value * 1e4).round() / 1e4 + 0.0));
            text += &format!(
                "    {{ time_s = {}, position_m = [{x}, {y}, {z}] }},\n",
                number((time_s * 1e6).round() / 1e6)
            );
        }
        text + "]\n"
    }

    /// How far from the middle it comes.
    pub fn reach_m(self, speed_m_s: f64, seconds: f64) -> f64 {
        match self {
            Path::Stand | Path::Own => 0.0,
            Path::Drive | Path::Flight => 0.5 * speed_m_s * seconds,
            Path::Circle => speed_m_s * seconds / std::f64::consts::TAU,
        }
    }
}
