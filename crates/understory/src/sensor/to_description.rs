//! What writers of packets and messages must know of a sensor: [`Sensor`] → [`SensorDescription`].

use understory_cloud::{IDENTITY_ROWS, LaserDescription, ReportedReturns, SensorDescription, Spin};

use super::Sensor;
use crate::pulse::detector::ReturnMode;
use crate::pulse::scan_pattern::{Direction, Kind, Spinning, Timing};

impl Sensor {
    /// What writers must know of this sensor.
    ///
    /// ```
    /// let description = understory::sensor::Sensor::preset("vlp-16")?.to_description();
    /// assert_eq!(description.lasers[1].elevation_deg, 1.0);
    /// assert!(description.packets.is_some());
    /// # Ok::<(), understory::Error>(())
    /// ```
    pub fn to_description(&self) -> SensorDescription {
        let pattern = &self.pattern;
        let (lasers, spin) = match pattern.kind() {
            Kind::Spinning(spinning) => (lasers(spinning), Some(spin(spinning))),
            _ => (Vec::new(), None),
        };
        let (from, to) = (self.detector.range_min_m, self.detector.range_max_m);
        SensorDescription {
            name: self.name.clone(),
            packets: self.packets.clone(),
            lasers,
            spin,
            scan_s: pattern.scan_duration_s(),
            columns_per_scan: pattern.columns_per_scan(),
            range_m: [from, to],
            returns: match self.detector.mode {
                ReturnMode::First => ReportedReturns::First,
                ReturnMode::Last => ReportedReturns::Last,
                ReturnMode::Strongest => ReportedReturns::Strongest,
                ReturnMode::StrongestAndLast => ReportedReturns::StrongestAndLast,
                ReturnMode::All => ReportedReturns::All,
            },
            sensor_from_lidar: pattern.sensor_from_lidar().to_rows(),
            platform_from_sensor: IDENTITY_ROWS,
        }
    }
}

fn lasers(spinning: &Spinning) -> Vec<LaserDescription> {
    let firings = &spinning.spec().firings;
    let firing_s = |channel: usize| {
        let first = firings.iter().find(|firing| usize::from(firing.channel) == channel);
        first.map_or(0.0, |firing| firing.offset_s)
    };
    let description =
        |(channel, laser): (usize, &crate::pulse::scan_pattern::Laser)| LaserDescription {
            elevation_deg: laser.elevation_rad.to_degrees(),
            azimuth_offset_deg: laser.azimuth_offset_rad.to_degrees(),
            forward_m: laser.forward_m,
            left_m: laser.left_m,
            up_m: laser.up_m,
            firing_s: firing_s(channel),
        };
    spinning.lasers().iter().enumerate().map(description).collect()
}

fn spin(spinning: &Spinning) -> Spin {
    let spec = spinning.spec();
    let cycle_s = match &spec.timing {
        Timing::FreeRunning { cycle_s } => *cycle_s,
        Timing::Framed(_) => {
            spinning.azimuth_step_rad() / (std::f64::consts::TAU * spec.rotation_hz)
        }
    };
    let clockwise = spec.direction == Direction::Clockwise;
    Spin { rotation_hz: spec.rotation_hz, clockwise, cycle_s }
}

#[cfg(test)]
mod tests {
    use understory_cloud::PacketFormat;

    use super::*;
    use crate::sensor::presets;

    /// Rows of the makers' products.
    #[test]
    fn packets_of_presets_have_as_many_lasers_as_their_names_say() {
        let mut with_packets = 0;
        for (name, _) in presets() {
            let description = Sensor::preset(name).unwrap().to_description();
            let Some(packets) = &description.packets else { continue };
            with_packets += 1;
            let digits = match packets {
                PacketFormat::Velodyne(_) => name.split('-').nth(1).unwrap().to_owned(),
                PacketFormat::Ouster(product) => {
                    product.product.split('-').nth(2).unwrap().to_owned()
                }
            };
            let rows: usize = digits.trim_end_matches(['c', 'e']).parse().unwrap();
            assert_eq!(description.channels(), rows, "{name}");
            assert!(description.spin.is_some_and(|spin| spin.clockwise), "{name}");
        }
        assert_eq!(with_packets, 19);
    }

    #[test]
    fn columns_of_an_ouster_are_a_share_of_its_turn() {
        let spin = Sensor::preset("os1-64-gen1").unwrap().to_description().spin.unwrap();
        assert!((spin.cycle_s - 0.1 / 1024.0).abs() < 1e-15);
        let puck = Sensor::preset("vlp-16").unwrap().to_description();
        assert_eq!(puck.spin.unwrap().cycle_s, 55.296e-6);
        assert!((puck.lasers[15].firing_s - 34.56e-6).abs() < 1e-15);
        assert!((puck.lasers[0].up_m - 0.011229751).abs() < 1e-12);
    }
}
