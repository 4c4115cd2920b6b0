//! What surveyors' files say beyond records: where the ground is, where the platform heads, and on
//! which flight line it is.

use std::fmt::Debug;

/// The world and the way through it, as a surveyor asks for them.
pub trait Survey: Debug + Send + Sync {
    /// Height of the ground; `None` where there is none.
    fn ground_m(&self, x_m: f64, y_m: f64) -> Option<f64>;

    /// Where the platform heads at a time, or looks if it stands, level, counter-clockwise from the
    /// world's x axis.
    fn heading_rad(&self, time_s: f64) -> f64;

    /// The flight line on which the platform is, from 1; `None` on the way between two, and where
    /// the run is not cut into lines.
    fn flight_line(&self, time_s: f64) -> Option<u16>;

    /// Whether a point met from one flight line lies in the swath of another one too.
    fn overlaps(&self, flight_line: u16, xyz_m: [f64; 3]) -> bool;
}
