//! What each laser adds to all its ranges: Gschwandtner 2011, equation 2.
//!
//! A bias belongs to a laser and its detector and stays for the whole run. Where a unit's own are
//! known they are listed; else they are drawn once from the seed. The paper calls the second
//! parameter of its normal law the variance; its program uses it as the standard deviation, which
//! is what its 0.078 m must be (the paper measured up to 12 cm between two lasers).

use understory_files::ValueOr;
use understory_files::sensor::RangeErrorFile;

use crate::Error;
use crate::pulse::check::Check;
use crate::rng::{PulseRng, Stage};

/// The biases of a sensor's lasers: those listed plus those drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bias {
    /// By channel; a channel beyond the end has none.
    pub listed_m: Vec<f64>,
    /// Standard deviation of those that are drawn.
    pub sigma_m: f64,
}

impl Bias {
    /// The biases of a sensor with so many channels.
    pub(super) fn from_file(
        check: &Check<'_>,
        file: &RangeErrorFile,
        channels: usize,
    ) -> Result<Bias, Error> {
        let sigma_m = file.bias_sigma_m.value_or(0.0);
        let Some(listed) = &file.bias_m else { return Ok(Bias { listed_m: vec![], sigma_m }) };
        let listed_m = listed.get();
        if listed_m.len() != channels {
            return check.fault(
                &listed.span(),
                format!("bias_m has {} values for {channels} channels", listed_m.len()),
                "give one value for each channel",
            );
        }
        Ok(Bias { listed_m, sigma_m })
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        self.sigma_m == 0.0 && self.listed_m.iter().all(|bias_m| *bias_m == 0.0)
    }

    /// The bias of a channel.
    pub fn of_channel(&self, channel: u16, seed: u64, sensor: u16) -> f64 {
        let listed_m = self.listed_m.get(usize::from(channel)).copied().unwrap_or(0.0);
        if self.sigma_m == 0.0 {
            return listed_m;
        }
        let mut rng = PulseRng::new(seed, sensor, u64::from(channel), Stage::RangeBias);
        listed_m + self.sigma_m * rng.gaussian()
    }

    pub(super) fn describe(&self) -> String {
        match (self.listed_m.is_empty(), self.sigma_m == 0.0) {
            (true, _) => format!("bias per channel of σ {} mm", super::millimetres(self.sigma_m)),
            (false, true) => "listed bias per channel".into(),
            (false, false) => format!(
                "listed bias per channel plus one of σ {} mm",
                super::millimetres(self.sigma_m)
            ),
        }
    }
}
