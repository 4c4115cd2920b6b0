//! Where the colours of a converted recording come from: the points of another, or a picture.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use glam::DVec3;
use understory::world::trajectory::Pose;
use understory_cloud::{ReadOptions, Recording, Records};
use understory_compare::ColourMap;
use understory_view::render::{Camera, CameraColours, Photo};

use crate::numbers::Numbers;
use crate::report::usage;

/// How points get colours.
#[derive(clap::Args)]
pub struct ColourArguments {
    /// Give points the colours of the nearest points of a recording that has some, or of a picture
    /// (.png) whose camera is given
    #[arg(long, value_name = "RECORDING|PICTURE")]
    colours_from: Option<PathBuf>,
    /// How far away the nearest point may be [default: 0.5]; others stay black
    #[arg(long, value_name = "METRES", requires = "colours_from", conflicts_with = "camera")]
    colours_within: Option<f64>,
    /// Where the camera of the picture was, in metres
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, requires = "colours_from")]
    camera: Option<Numbers<3>>,
    /// What it looked at
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, requires = "camera")]
    look_at: Option<Numbers<3>>,
    /// Its roll, pitch and yaw in degrees, as of understory render
    #[arg(long, value_name = "R,P,Y", allow_hyphen_values = true, requires = "camera")]
    #[arg(conflicts_with = "look_at")]
    rpy: Option<Numbers<3>>,
    /// Angle between the picture's upper and lower edge [default: 50]
    #[arg(long, value_name = "DEG", allow_hyphen_values = true, requires = "camera")]
    fov: Option<f64>,
}

/// What gives colours.
pub enum Colours {
    /// Nothing: points keep theirs.
    Kept,
    /// The nearest of these points, at most so far away.
    Points(ColourMap, f64),
    /// A picture.
    Camera(Box<CameraColours>),
}

impl ColourArguments {
    /// Reads what gives colours to the points of `recording`.
    pub fn read(&self, recording: &Path, reading: &ReadOptions) -> Result<Colours> {
        let within_m = self.colours_within.unwrap_or(0.5);
        if !(within_m.is_finite() && within_m > 0.0) {
            return Err(usage(format!(
                "--colours-within is {within_m}; give a distance in metres above 0"
            )));
        }
        let Some(from) = &self.colours_from else { return Ok(Colours::Kept) };
        let is_picture = from.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
        if !is_picture {
            if self.camera.is_some() {
                let from = from.display();
                return Err(usage(format!("--camera is for pictures; {from} is none (.png)")));
            }
            return Ok(Colours::Points(ColourMap::read(from, &ReadOptions::default())?, within_m));
        }
        let photo =
            Photo::read_png(from).with_context(|| format!("cannot read {}", from.display()))?;
        let mut colours = CameraColours::new(self.camera(photo.size)?, photo);
        let mut recording = Recording::open(recording, reading)?;
        let mut batch = Records::default();
        while recording.next_batch(&mut batch)? {
            colours.hide_behind(&batch);
        }
        Ok(Colours::Camera(Box::new(colours)))
    }

    fn camera(&self, size: [u32; 2]) -> Result<Camera> {
        let fov_deg = self.fov.unwrap_or(50.0);
        Ok(match (self.camera, self.look_at, self.rpy) {
            (Some(at), Some(target), _) => {
                Camera::looking_at(DVec3::from(at.0), DVec3::from(target.0), fov_deg, size)?
            }
            (Some(at), None, Some(rpy)) => {
                Camera::new(Pose::from_position_and_rpy_deg(at.0, rpy.0), fov_deg, size)?
            }
            _ => {
                return Err(usage(
                    "colours of a picture need the pose of its camera: give --camera X,Y,Z with \
                     --look-at X,Y,Z or --rpy R,P,Y, and --fov",
                ));
            }
        })
    }
}

impl Colours {
    /// Whether points get colours that they did not have.
    pub fn are_new(&self) -> bool {
        !matches!(self, Colours::Kept)
    }

    /// Colours a batch; says how many of its points got a colour.
    pub fn colour(&self, records: &mut Records) -> u64 {
        match self {
            Colours::Kept => 0,
            Colours::Points(map, within_m) => map.colour(records, *within_m),
            Colours::Camera(camera) => camera.colour(records),
        }
    }
}
