//! Which recordings are learned from, and which of their beams.

use std::path::PathBuf;

use glam::{DMat3, DQuat, DVec3};
use understory_base::Pose;
use understory_cloud::ReadOptions;

use super::recover_misses::RecoverMisses;
use crate::scan_motion::ScanMotion;

/// Which return of a pulse counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Returns {
    /// The nearest: what stopped the first of the light.
    #[default]
    First,
    /// The most intense.
    Strongest,
    /// The farthest.
    Last,
}

/// One recording and what it does not say itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The file or folder.
    pub path: PathBuf,
    /// What it does not say itself.
    pub options: ReadOptions,
    /// How the sensor moved during the scan, where the recording is one scan with a pose.
    pub motion: Option<ScanMotion>,
}

impl Input {
    /// A recording that stands still during a scan, or says itself how it moved.
    pub fn new(path: PathBuf, options: ReadOptions) -> Input {
        Input { path, options, motion: None }
    }

    /// The pose that was given.
    pub fn pose(&self) -> Option<Pose> {
        let rows = self.options.pose?;
        let column = |k: usize| DVec3::new(rows[0][k], rows[1][k], rows[2][k]);
        let rotation = DQuat::from_mat3(&DMat3::from_cols(column(0), column(1), column(2)));
        Some(Pose { rotation: rotation.normalize(), translation: column(3) })
    }
}

/// Which beams of the recordings are used.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamOptions {
    /// Which return of a pulse counts.
    pub returns: Returns,
    /// Returns nearer than this are of the platform or of dust: their pulses are skipped.
    pub range_min_m: f64,
    /// Returns from beyond count as none.
    pub range_max_m: f64,
    /// Only what happens in this box, given by its corners, is used.
    pub region: Option<[DVec3; 2]>,
    /// `[k, n]`: only scans whose number leaves k when divided by n; the files are the scans where
    /// they do not number them.
    pub every: Option<[u32; 2]>,
    /// `[k, n]`: no such scans, which are held out.
    pub except: Option<[u32; 2]>,
    /// Whether and how pulses without a return are found again.
    pub recover_misses: RecoverMisses,
}

impl Default for BeamOptions {
    fn default() -> BeamOptions {
        BeamOptions {
            returns: Returns::First,
            range_min_m: 0.0,
            range_max_m: f64::INFINITY,
            region: None,
            every: None,
            except: None,
            recover_misses: RecoverMisses::No,
        }
    }
}

impl BeamOptions {
    /// Whether a scan is asked for.
    pub(crate) fn asks_for(&self, scan: u32) -> bool {
        let is_of = |[k, n]: [u32; 2]| n > 0 && scan % n == k;
        self.every.is_none_or(|every| every[1] == 0 || is_of(every))
            && !self.except.is_some_and(is_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_are_asked_for_or_held_out() {
        let asked = |every, except| {
            let options = BeamOptions { every, except, ..BeamOptions::default() };
            (0..6).filter(|scan| options.asks_for(*scan)).collect::<Vec<u32>>()
        };
        assert_eq!(asked(None, None), [0, 1, 2, 3, 4, 5]);
        assert_eq!(asked(Some([1, 2]), None), [1, 3, 5]);
        assert_eq!(asked(None, Some([1, 2])), [0, 2, 4]);
        assert_eq!(asked(Some([0, 2]), Some([1, 3])), [0, 2]);
    }
}
