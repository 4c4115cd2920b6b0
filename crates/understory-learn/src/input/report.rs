//! What was read of recordings and what was skipped, counted by reason.

use std::path::PathBuf;

use understory_cloud::ReadReport;

/// What was read and what was skipped, over all recordings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadingReport {
    /// Rows of the files.
    pub rows: u64,
    /// Beams that were handed on.
    pub beams: u64,
    /// Of them, without a return.
    pub misses: u64,
    /// Of those, found again.
    pub recovered: u64,
    /// Gaps in which data were lost and no pulses were found again.
    pub lost_gaps: u64,
    /// Further returns of pulses of which one was used.
    pub other_returns: u64,
    /// Returns from beyond the largest range, which became misses.
    pub beyond_range: u64,
    /// Pulses skipped: they returned from nearer than the least range.
    pub too_near: u64,
    /// Pulses skipped: they never came into the region.
    pub outside_region: u64,
    /// Returns skipped: neighbours in an organised scan at one and the same place, which only
    /// padding is.
    pub padding: u64,
    /// Pulses skipped: of scans that were not asked for.
    pub other_scans: u64,
    /// Whole recordings skipped: copies of others to the last byte.
    pub duplicated_files: Vec<PathBuf>,
    /// What the files' own reports say.
    pub not_finite: u64,
    /// At the sensor's own position.
    pub at_origin: u64,
    /// Without a return and without a direction.
    pub undirected: u64,
    /// Outside the trajectory's time.
    pub outside_trajectory: u64,
    /// In copies of earlier scans.
    pub duplicated: u64,
    /// How often a clock went back.
    pub clock_steps_back: u64,
    /// By how much at most.
    pub largest_step_back_s: f64,
    /// Other things worth knowing, each a sentence without its full stop.
    pub remarks: Vec<String>,
}

impl ReadingReport {
    /// Everything that was skipped: why, and how many.
    pub fn skipped(&self) -> [(&'static str, u64); 9] {
        [
            ("not finite", self.not_finite),
            ("at the origin", self.at_origin),
            ("without direction", self.undirected),
            ("outside the trajectory", self.outside_trajectory),
            ("in duplicated scans", self.duplicated),
            ("too near", self.too_near),
            ("outside the region", self.outside_region),
            ("of other scans", self.other_scans),
            ("of padding", self.padding),
        ]
    }

    pub(super) fn add_file(&mut self, read: &ReadReport, recovering: bool) {
        self.rows += read.rows;
        self.not_finite += read.not_finite;
        self.at_origin += read.at_origin;
        self.outside_trajectory += read.outside_trajectory;
        self.duplicated += read.duplicated;
        if !recovering {
            self.undirected += read.undirected;
        }
        self.clock_steps_back += read.clock_steps_back;
        self.largest_step_back_s = self.largest_step_back_s.max(read.largest_step_back_s);
        for remark in &read.remarks {
            if !self.remarks.contains(remark) {
                self.remarks.push(remark.clone());
            }
        }
    }
}
