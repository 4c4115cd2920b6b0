//! The path of one pulse. The modules stand in the order in which it passes through them;
//! [`simulate`] has the whole path on one page.

pub mod simulate;

pub mod batch;
pub mod prepared_run;

pub mod scan_pattern;
pub mod beam;
pub mod blooming;
pub mod light_path;
pub mod interaction;
pub mod atmosphere;
pub mod echo;
pub mod receiver;
pub(crate) mod check;
pub mod detector;
pub mod range_error;
pub mod record;

pub use batch::Batch;
pub use prepared_run::{Delay, PreparedRun, SensorRun};
pub use simulate::simulate_batch;
