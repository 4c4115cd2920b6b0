//! What stands beside the repository because it is other people's and large: real recordings, and the
//! calibration tables of sensors.

use std::path::{Path, PathBuf};

use crate::Need;

/// A file or folder of the real recordings.
#[track_caller]
pub fn recordings(name: &str) -> Option<PathBuf> {
    shared("data", name)
}

/// A file of the sensors' calibration tables.
#[track_caller]
pub fn sensor_table(name: &str) -> Option<PathBuf> {
    shared("sensors", name)
}

/// In `../shared` beside the repository, or where `UNDERSTORY_SHARED` says.
#[track_caller]
fn shared(folder: &str, name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("UNDERSTORY_SHARED").map_or_else(beside, PathBuf::from);
    let path = shared.join(folder).join(name);
    if path.exists() {
        return Some(path);
    }
    Need::Data.is_missing(&format!(
        "{} is not there (UNDERSTORY_SHARED names the folder that has {folder}/{name})",
        path.display()
    ));
    None
}
