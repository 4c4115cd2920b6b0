//! Features of the ground: slopes, ruts, berms, ditches, steps and mounds.
//!
//! What enters: their measures, as a scenario writes them. What leaves: heights added to a field.
//! Profiles are smooth (half a cosine), so that a field with a few samples across a feature shows
//! it without steps. Features along a path fade out at its two ends.

mod path;

use super::{HeightField, check, refused};
use crate::PlantError;
use glam::DVec2;
use path::Path;
use schemars::JsonSchema;
use serde::Deserialize;
use understory_base::math;

/// One feature; heights add up.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Feature {
    /// The whole ground tilts.
    Slope(Slope),
    /// Two parallel wheel tracks.
    Ruts(Ruts),
    /// A bank of earth.
    Berm(Berm),
    /// A channel with sloping sides.
    Ditch(Ditch),
    /// Ground that is higher on one side of a line, such as a root or a kerb.
    Step(Step),
    /// A round hill or hollow.
    Mound(Mound),
}

/// The whole ground tilts around a point.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slope {
    /// Angle against the level.
    pub slope_deg: f64,
    /// Where uphill is, counter-clockwise from east.
    #[serde(default)]
    pub uphill_deg: f64,
    /// A point whose height stays.
    #[serde(default, deserialize_with = "understory_files::exact")]
    pub pivot_m: [f64; 2],
}

/// Two parallel wheel tracks along a path.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ruts {
    /// Where the middle between the tracks runs.
    #[serde(deserialize_with = "understory_files::exact_each")]
    pub path_m: Vec<[f64; 2]>,
    /// Distance between the middles of the two tracks.
    pub track_m: f64,
    /// Width of one track.
    pub width_m: f64,
    /// Depth in the middle of a track.
    pub depth_m: f64,
    /// Height of the earth pushed up on both sides of a track, half as wide as the track.
    #[serde(default)]
    pub rim_m: f64,
}

/// A bank of earth along a path.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Berm {
    /// Where the crest runs.
    #[serde(deserialize_with = "understory_files::exact_each")]
    pub path_m: Vec<[f64; 2]>,
    /// Width at the foot.
    pub width_m: f64,
    /// Height of the crest.
    pub height_m: f64,
}

/// A channel along a path.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ditch {
    /// Where the middle runs.
    #[serde(deserialize_with = "understory_files::exact_each")]
    pub path_m: Vec<[f64; 2]>,
    /// Width between the upper edges.
    pub width_m: f64,
    /// Width of the level bed.
    #[serde(default)]
    pub bed_m: f64,
    /// Depth of the bed.
    pub depth_m: f64,
}

/// Ground that is higher to the left of a line from one point to another and beyond.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// A point of the line.
    #[serde(deserialize_with = "understory_files::exact")]
    pub from_m: [f64; 2],
    /// Another one.
    #[serde(deserialize_with = "understory_files::exact")]
    pub to_m: [f64; 2],
    /// How much higher.
    pub rise_m: f64,
    /// Length of the way up; a field cannot rise within less than one sample.
    pub run_m: f64,
    /// Length of the raised ground across the line, after which it falls again as it rose; without
    /// it the ground stays high.
    pub tread_m: Option<f64>,
}

/// A round hill, or a hollow if the height is negative.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mound {
    /// The middle.
    #[serde(deserialize_with = "understory_files::exact")]
    pub centre_m: [f64; 2],
    /// Radius of the foot.
    pub radius_m: f64,
    /// Height of the top.
    pub height_m: f64,
}

impl Feature {
    /// Is everything within its limits?
    pub fn check(&self) -> Result<(), PlantError> {
        match self {
            Feature::Slope(slope) => {
                check("slope_deg of a slope", slope.slope_deg, -80.0, 80.0)?;
                check("uphill_deg of a slope", slope.uphill_deg, -360.0, 360.0)?;
                check_point("pivot_m of a slope", slope.pivot_m)
            }
            Feature::Ruts(ruts) => {
                check("track_m of ruts", ruts.track_m, 0.01, 100.0)?;
                check("depth_m of ruts", ruts.depth_m, 0.0, 100.0)?;
                check("rim_m of ruts", ruts.rim_m, 0.0, 100.0)?;
                check("width_m of ruts", ruts.width_m, 0.001, ruts.track_m)?;
                Path::check("path_m of ruts", &ruts.path_m)
            }
            Feature::Berm(berm) => {
                check("width_m of a berm", berm.width_m, 0.001, 1e4)?;
                check("height_m of a berm", berm.height_m, 0.0, 1e3)?;
                Path::check("path_m of a berm", &berm.path_m)
            }
            Feature::Ditch(ditch) => {
                check("width_m of a ditch", ditch.width_m, 0.001, 1e4)?;
                check("bed_m of a ditch", ditch.bed_m, 0.0, ditch.width_m)?;
                check("depth_m of a ditch", ditch.depth_m, 0.0, 1e3)?;
                Path::check("path_m of a ditch", &ditch.path_m)
            }
            Feature::Step(step) => {
                check("rise_m of a step", step.rise_m, -1e3, 1e3)?;
                check("run_m of a step", step.run_m, 0.0, 1e4)?;
                check("tread_m of a step", step.tread_m.unwrap_or(0.0), 0.0, 1e6)?;
                check_point("from_m of a step", step.from_m)?;
                check_point("to_m of a step", step.to_m)?;
                let length = DVec2::from(step.from_m).distance(step.to_m.into());
                if length < 1e-3 {
                    return Err(refused("length of a step's line", length, "at least 1 mm"));
                }
                Ok(())
            }
            Feature::Mound(mound) => {
                check("radius_m of a mound", mound.radius_m, 0.001, 1e5)?;
                check("height_m of a mound", mound.height_m, -1e4, 1e4)?;
                check_point("centre_m of a mound", mound.centre_m)
            }
        }
    }

    /// Adds the feature, which was checked, to a field.
    pub(crate) fn add_to(&self, field: &mut HeightField) {
        match self {
            Feature::Slope(slope) => {
                let (sin, cos) = math::sin_cos(slope.uphill_deg.to_radians());
                let rise = DVec2::new(cos, sin) * math::tan(slope.slope_deg.to_radians());
                let pivot = DVec2::from(slope.pivot_m);
                field.raise(|x, y| rise.dot(DVec2::new(x, y) - pivot));
            }
            Feature::Ruts(ruts) => {
                let reach = ruts.track_m / 2.0 + ruts.width_m;
                Path::new(&ruts.path_m, reach).add_to(field, |distance| ruts.profile(distance));
            }
            Feature::Berm(berm) => {
                let half = berm.width_m / 2.0;
                let profile = |distance: f64| berm.height_m * (1.0 - rise(distance / half));
                Path::new(&berm.path_m, half).add_to(field, profile);
            }
            Feature::Ditch(ditch) => {
                let (bed, half) = (ditch.bed_m / 2.0, ditch.width_m / 2.0);
                let side = (half - bed).max(1e-9);
                let profile = |distance: f64| ditch.depth_m * (rise((distance - bed) / side) - 1.0);
                Path::new(&ditch.path_m, half).add_to(field, profile);
            }
            Feature::Step(step) => {
                let from = DVec2::from(step.from_m);
                let left = (DVec2::from(step.to_m) - from).normalize_or_zero().perp();
                let run = step.run_m.max(1e-9);
                field.raise(|x, y| {
                    let across = left.dot(DVec2::new(x, y) - from);
                    let down = step.tread_m.map_or(0.0, |tread| rise((across - run - tread) / run));
                    step.rise_m * (rise(across / run) - down)
                });
            }
            Feature::Mound(mound) => {
                let centre = DVec2::from(mound.centre_m);
                field.raise(|x, y| {
                    let distance = centre.distance(DVec2::new(x, y));
                    mound.height_m * (1.0 - rise(distance / mound.radius_m))
                });
            }
        }
    }
}

impl Ruts {
    /// Height at a distance from the middle between the tracks.
    fn profile(&self, distance: f64) -> f64 {
        // Distance from the middle of the track, in half widths: the track ends at 1, its rim at 2.
        let part = (distance - self.track_m / 2.0).abs() / (self.width_m / 2.0);
        if part < 1.0 {
            self.depth_m * (rise(part) - 1.0)
        } else {
            self.rim_m * (1.0 - rise((2.0 * part - 3.0).abs()))
        }
    }
}

/// Half a cosine from 0 to 1 between 0 and 1, and constant beyond.
fn rise(part: f64) -> f64 {
    0.5 - 0.5 * math::cos(std::f64::consts::PI * part.clamp(0.0, 1.0))
}

fn check_point(parameter: &str, point: [f64; 2]) -> Result<(), PlantError> {
    point.into_iter().try_for_each(|coordinate| check(parameter, coordinate, -1e8, 1e8))
}

/// Is it a path on the ground?
pub(crate) fn check_path(parameter: &str, path: &[[f64; 2]]) -> Result<(), PlantError> {
    Path::check(parameter, path)
}
