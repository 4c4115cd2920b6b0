//! What is learned from: recordings as beams, a miss included, as often as an estimator wants them.

mod angles;
pub(crate) mod beams;
pub(crate) mod kept;
mod frame;
mod lattice;
mod moving;
mod options;
mod padding;
mod pass;
mod pulses;
pub(crate) mod rays;
mod recordings;
mod records;
mod recover_misses;
mod report;
mod revolutions;
mod ring_elevations;
mod ring_misses;
mod rings;
mod spacing;

pub use beams::{BeamSource, Beams};
pub use frame::recognise_frames;
pub use lattice::PatternPulse;
pub use moving::{Moving, MovingBeams, WithoutMoving};
pub use options::{BeamOptions, Input, Returns};
pub(crate) use padding::is_padding;
pub use pulses::{Met, PulseReturn, PulseSource, Pulses, RecordedPulses};
pub use recordings::RecordingBeams;
pub use records::RecordsBeams;
pub use recover_misses::RecoverMisses;
pub use report::ReadingReport;
pub use spacing::{ray_spacing_m, suited_cell_m};
