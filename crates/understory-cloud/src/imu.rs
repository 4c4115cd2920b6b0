//! What the inertial measurement unit in a sensor says.

/// Samples of an inertial measurement unit as columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImuSamples {
    /// Seconds since the start of the run.
    pub time_s: Vec<f64>,
    /// Rates of turn about the axes of the unit.
    pub angular_velocity_rad_s: Vec<[f64; 3]>,
    /// Accelerations along its axes; at rest and level z is +9.81.
    pub linear_acceleration_m_s2: Vec<[f64; 3]>,
    /// Quaternions x, y, z, w from the unit to the world; empty: not known.
    pub orientation_xyzw: Vec<[f64; 4]>,
}

impl ImuSamples {
    /// Removes all samples and keeps the memory.
    pub fn clear(&mut self) {
        self.time_s.clear();
        self.angular_velocity_rad_s.clear();
        self.linear_acceleration_m_s2.clear();
        self.orientation_xyzw.clear();
    }

    /// Appends all samples of `other`.
    pub fn append(&mut self, other: &ImuSamples) {
        self.time_s.extend_from_slice(&other.time_s);
        self.angular_velocity_rad_s.extend_from_slice(&other.angular_velocity_rad_s);
        self.linear_acceleration_m_s2.extend_from_slice(&other.linear_acceleration_m_s2);
        self.orientation_xyzw.extend_from_slice(&other.orientation_xyzw);
    }

    /// Takes the samples up to a time out.
    pub fn take_until(&mut self, time_s: f64) -> ImuSamples {
        fn front<T>(values: &mut Vec<T>, count: usize) -> Vec<T> {
            values.drain(..count.min(values.len())).collect()
        }
        let count = self.time_s.partition_point(|time| *time <= time_s);
        ImuSamples {
            time_s: front(&mut self.time_s, count),
            angular_velocity_rad_s: front(&mut self.angular_velocity_rad_s, count),
            linear_acceleration_m_s2: front(&mut self.linear_acceleration_m_s2, count),
            orientation_xyzw: front(&mut self.orientation_xyzw, count),
        }
    }
}
