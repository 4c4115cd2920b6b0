//! What is learned from: recordings as beams, a miss included, as often as an estimator wants them.

pub(crate) mod beams;
mod padding;
pub(crate) mod rays;
mod recordings;
mod recover_misses;

pub use beams::{BeamSource, Beams};
pub use recordings::{BeamOptions, Input, ReadingReport, RecordingBeams, RecordsBeams, Returns};
pub use recover_misses::{PatternPulse, RecoverMisses};
