//! Sixteen pulses that walk together, and the memory for their walk.

use super::Row;
use super::queues::Queues;
use super::slab_pulse::LanePulse;
use super::stream_mesh::{LocalRays, ReachRows};
use crate::build::tlas::Frame;
use crate::motion::SwayClock;

/// Pulses of a stream.
pub(crate) const STREAM: usize = 16;
/// A stream and the memory for its walk.
pub(crate) struct Stream {
    pub pulses: [LanePulse; STREAM],
    pub times_s: [f64; STREAM],
    pub clocks: [SwayClock; STREAM],
    /// How many pulses there are.
    pub count: usize,
    /// Whether lanes of any hold rays from several points.
    pub has_bases: bool,
    /// How far each still goes.
    pub far: Row,
    pub world: [LocalRays; STREAM],
    pub local: [LocalRays; STREAM],
    pub reach: ReachRows,
    pub queues: Queues,
    /// Where each pulse sees an instance that moves.
    pub frames: [Frame; STREAM],
}

impl Stream {
    pub fn new() -> Box<Stream> {
        Box::new(Stream {
            pulses: [LanePulse::NONE; STREAM],
            times_s: [0.0; STREAM],
            clocks: [SwayClock::at(0.0, &[]); STREAM],
            count: 0,
            has_bases: false,
            far: Row([-1.0; 16]),
            world: [LocalRays::NONE; STREAM],
            local: [LocalRays::NONE; STREAM],
            reach: ReachRows::NONE,
            queues: Queues::new(),
            frames: [Frame::WORLD; STREAM],
        })
    }
}
