//! What is the same for many pulses of a channel, worked out once per batch.

use super::RangeError;
use super::smooth::Curve;
use super::weierstrass::Phase;

/// Channels that are remembered at once. Sensors with more of them forget the oldest.
const SLOTS: usize = 256;

/// The part of a channel's error that does not change within a scan.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChannelError {
    pub(super) bias_m: f64,
    pub(super) phase: Phase,
    pub(super) curve: Curve,
}

/// The errors of the channels that were met lately.
pub(super) struct ChannelErrors<'a> {
    error: &'a RangeError,
    seed: u64,
    sensor: u16,
    slots: Vec<Option<(u16, u32, ChannelError)>>,
}

impl ChannelErrors<'_> {
    pub(super) fn new(error: &RangeError, seed: u64, sensor: u16) -> ChannelErrors<'_> {
        ChannelErrors { error, seed, sensor, slots: vec![None; SLOTS] }
    }

    /// The error of a channel in a scan.
    pub(super) fn of(&mut self, channel: u16, scan: u32) -> ChannelError {
        let slot = &mut self.slots[usize::from(channel) % SLOTS];
        match slot {
            Some((a_channel, a_scan, known)) if (*a_channel, *a_scan) == (channel, scan) => *known,
            _ => {
                let (seed, sensor) = (self.seed, self.sensor);
                let correlation = self.error.correlation.as_ref();
                let error = ChannelError {
                    bias_m: self.error.bias.of_channel(channel, seed, sensor),
                    phase: correlation
                        .map(|correlation| correlation.phase(channel, scan, seed, sensor))
                        .unwrap_or_default(),
                    curve: self
                        .error
                        .smooth
                        .map(|smooth| smooth.curve(channel, seed, sensor))
                        .unwrap_or_default(),
                };
                *slot = Some((channel, scan, error));
                error
            }
        }
    }
}
