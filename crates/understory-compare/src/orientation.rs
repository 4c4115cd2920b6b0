//! Which way a beam points, as a cell that two recordings have in common.

use glam::DVec3;
use understory_base::math;

/// What makes an orientation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrientationBy {
    /// Laser channel and reported azimuth: one and the same laser at one encoder count (P1).
    #[default]
    Channel,
    /// Cells of the reported azimuth and elevation, in the sensor's frame.
    Angles,
    /// Cells of azimuth and elevation of the beam's direction in the world.
    Direction,
}

impl OrientationBy {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            OrientationBy::Channel => "channel",
            OrientationBy::Angles => "angles",
            OrientationBy::Direction => "direction",
        }
    }
}

/// A row of orientations that differ by azimuth alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrientationRow {
    /// The sensor.
    pub sensor: u16,
    /// Cell of the place where the beams left from; zeros for a sensor that stands still.
    pub place: [i32; 3],
    /// The channel, or the number of the elevation's cell; cell 0 is centred on elevation 0.
    pub row: i32,
}

/// One orientation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Orientation {
    /// Everything but its azimuth.
    pub row: OrientationRow,
    /// Number of the azimuth's cell from 0; cell 0 is centred on azimuth 0, and they go
    /// counter-clockwise.
    pub azimuth: u32,
}

/// Azimuth and elevation of a direction, in degrees.
pub(super) fn angles_of(direction: [f32; 3]) -> [f32; 2] {
    let direction = DVec3::from(direction.map(f64::from));
    let flat = math::hypot(direction.x, direction.y);
    [
        math::atan2(direction.y, direction.x).to_degrees() as f32,
        math::atan2(direction.z, flat).to_degrees() as f32,
    ]
}
