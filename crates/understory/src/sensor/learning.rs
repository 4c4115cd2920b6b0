//! What learning must know of a sensor: how well it knows its points, and which pulses it fires.

use understory_learn::input::{PatternPulse, RecoverMisses};
use understory_learn::volume::PointUncertainty;

use super::Sensor;
use crate::Error;
use crate::pulse::scan_pattern::{Kind, Pulses};

impl Sensor {
    /// How well it knows its points, at 10 m and a reflectivity of one half.
    pub fn point_uncertainty(&self) -> PointUncertainty {
        let beam = &self.beam;
        let encoder_step_rad = match self.pattern.kind() {
            Kind::Spinning(spinning) => spinning.spec().encoder_step_rad,
            _ => 0.0,
        };
        PointUncertainty {
            sigma_range_m: self.range_model.error.sigma.at(10.0, 0.5),
            encoder_step_rad,
            divergence_rad: beam.divergence_horizontal_rad.max(beam.divergence_vertical_rad),
        }
    }

    /// The pulses of one of its scans, on which those without a return are found again.
    pub fn recovery_pattern(&self) -> Result<RecoverMisses, Error> {
        if !matches!(self.pattern.kind(), Kind::Spinning(_)) {
            return Err(Error::invalid(
                format!("sensor {:?}", self.name),
                "it does not spin, so the pulses without a return cannot be found again by it",
                "name a spinning sensor, or grid",
            ));
        }
        let scan_duration_s = self.pattern.scan_duration_s();
        let end = self.pattern.first_pulse_at(scan_duration_s);
        let mut pulses = Pulses::default();
        self.pattern.fill(0..end, &mut pulses);
        let pulses = pulses.channel.iter().zip(&pulses.direction);
        let pulses = pulses
            .map(|(channel, direction)| PatternPulse { channel: *channel, direction: *direction })
            .collect();
        Ok(RecoverMisses::Pattern { pulses, scan_duration_s })
    }
}
