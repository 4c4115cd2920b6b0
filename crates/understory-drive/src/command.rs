//! What a controller asks of a vehicle: speed ahead and rate of turning.

/// A command, as ROS has it in a `Twist`.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Command {
    /// Speed ahead; below 0 it goes backwards.
    pub speed_m_s: f64,
    /// Rate of turning, counter-clockwise.
    pub turn_rad_s: f64,
}

impl Command {
    /// Stand still.
    pub const STOP: Command = Command { speed_m_s: 0.0, turn_rad_s: 0.0 };

    /// A command of these two numbers.
    pub fn new(speed_m_s: f64, turn_rad_s: f64) -> Command {
        Command { speed_m_s, turn_rad_s }
    }

    /// Whether both numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.speed_m_s.is_finite() && self.turn_rad_s.is_finite()
    }
}
