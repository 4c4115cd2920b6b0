//! What writers of packets and messages must know of a sensor beyond its records.
//!
//! Records say what was measured. A vendor's packet also needs the order of the lasers, the sense
//! and the rate of rotation and the number of columns; a scan message needs the limits of range.

/// A sensor as writers and decoders see it.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorDescription {
    /// Short name, as in `vlp-16`; becomes part of topics and frames.
    pub name: String,
    /// Which packets the vendor's sensor sends, if it is known.
    pub packets: Option<PacketFormat>,
    /// The lasers in the order of the packet; empty for sensors without fixed lasers.
    pub lasers: Vec<LaserDescription>,
    /// How the head turns; none: it does not.
    pub spin: Option<Spin>,
    /// Duration of a revolution or frame.
    pub scan_s: f64,
    /// Most columns of a revolution or frame.
    pub columns_per_scan: u32,
    /// Least and largest range.
    pub range_m: [f64; 2],
    /// Which returns it reports.
    pub returns: ReportedReturns,
    /// Rotation and translation from the frame in which lasers are described (a vendor's lidar
    /// frame) to the sensor's frame of the records, row by row.
    pub sensor_from_lidar: [[f64; 4]; 3],
    /// Rotation and translation from the sensor's frame to the platform's, row by row; the identity
    /// where nobody knows how it is mounted.
    pub platform_from_sensor: [[f64; 4]; 3],
}

/// No rotation and no translation, row by row.
pub const IDENTITY_ROWS: [[f64; 4]; 3] =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// One laser.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LaserDescription {
    /// Angle above the horizon.
    pub elevation_deg: f64,
    /// Angle to the left of the head's direction.
    pub azimuth_offset_deg: f64,
    /// Origin of the beam along the head's direction.
    pub forward_m: f64,
    /// Origin of the beam to the left, level and perpendicular to the beam.
    pub left_m: f64,
    /// Origin of the beam above the sensor's origin.
    pub up_m: f64,
    /// Time of its firing after the start of a column.
    pub firing_s: f64,
}

/// A head that turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spin {
    /// Revolutions per second.
    pub rotation_hz: f64,
    /// Sense seen from above.
    pub clockwise: bool,
    /// Time from column to column.
    pub cycle_s: f64,
}

/// Which of the returns of a pulse a sensor reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportedReturns {
    /// The nearest.
    First,
    /// The farthest.
    Last,
    /// The one with the largest signal.
    #[default]
    Strongest,
    /// The strongest and, where it is another one, the last.
    StrongestAndLast,
    /// All.
    All,
}

/// The packets of a vendor's sensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PacketFormat {
    /// Velodyne's packets of 1206 bytes.
    Velodyne(VelodyneModel),
    /// Ouster's packets.
    Ouster(OusterProduct),
}

/// Velodyne's sensors whose packets are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VelodyneModel {
    /// VLP-16 (Puck).
    Vlp16,
    /// HDL-32E.
    Hdl32e,
    /// HDL-64E S2.
    Hdl64eS2,
    /// HDL-64E S3.
    Hdl64eS3,
    /// VLP-32C (Ultra Puck).
    Vlp32c,
    /// VLS-128 (Alpha Prime).
    Vls128,
}

/// An Ouster sensor as its metadata names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OusterProduct {
    /// Layout of its packets.
    pub profile: OusterProfile,
    /// Product line, such as `OS-1-64`.
    pub product: String,
    /// Serial number.
    pub serial: u64,
}

/// Layouts of Ouster's packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OusterProfile {
    /// That of firmware before 2.0.
    Legacy,
    /// `RNG19_RFL8_SIG16_NIR16`: one return with range, reflectivity, signal and ambient light.
    Rng19,
}

impl SensorDescription {
    /// Number of lasers.
    pub fn channels(&self) -> usize {
        self.lasers.len()
    }

    /// The same sensor with a head that turns at another rate.
    pub(crate) fn turn_at(&mut self, rotation_hz: f64) {
        if let Some(spin) = &mut self.spin {
            spin.rotation_hz = rotation_hz;
            self.scan_s = 1.0 / rotation_hz;
            self.columns_per_scan = (1.0 / (rotation_hz * spin.cycle_s)).ceil() as u32;
        }
    }
}
