//! Which way a sensor turns.

/// Sense of rotation seen from above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Like the hands of a clock: azimuth in the sensor's frame falls.
    Clockwise,
    /// Against them.
    Counterclockwise,
}

impl Direction {
    pub(super) fn sign(self) -> f64 {
        match self {
            Direction::Clockwise => -1.0,
            Direction::Counterclockwise => 1.0,
        }
    }
}
