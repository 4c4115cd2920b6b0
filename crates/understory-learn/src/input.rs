//! What is learned from: recordings as beams, a miss included, as often as an estimator wants them.

mod angles;
pub(crate) mod beams;
pub(crate) mod kept;
mod frame;
mod lattice;
mod options;
mod padding;
mod pass;
mod pulses;
pub(crate) mod rays;
mod recordings;
mod records;
mod recover_misses;
mod report;
mod ring_misses;

pub use beams::{BeamSource, Beams};
pub use frame::recognise_frames;
pub use lattice::PatternPulse;
pub use options::{BeamOptions, Input, Returns};
pub(crate) use padding::is_padding;
pub use pulses::{Met, PulseReturn, PulseSource, Pulses, RecordedPulses};
pub use recordings::RecordingBeams;
pub use records::RecordsBeams;
pub use recover_misses::RecoverMisses;
pub use report::ReadingReport;
