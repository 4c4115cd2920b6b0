//! What is learned from: recordings as beams, a miss included, as often as an estimator wants them.

pub(crate) mod beams;
mod lattice;
mod options;
mod padding;
mod pass;
pub(crate) mod rays;
mod recordings;
mod records;
mod recover_misses;
mod report;

pub use beams::{BeamSource, Beams};
pub use lattice::PatternPulse;
pub use options::{BeamOptions, Input, Returns};
pub use recordings::RecordingBeams;
pub use records::RecordsBeams;
pub use recover_misses::RecoverMisses;
pub use report::ReadingReport;
