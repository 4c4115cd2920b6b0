//! What is looked at before learning, and told: the cell that suits, scans with wrong poses, what moved.

use anyhow::Result;
use understory_base::Progress;
use understory_learn::estimate::Settings;
use understory_learn::input::{MovingBeams, RecordingBeams, ray_spacing_m, suited_cell_m};
use understory_learn::register::consistency;
use understory_view::picture::grouped;

use super::Arguments;
use crate::reading::files_of;
use crate::report::shown;

/// Scans that are off and named; the others are counted.
const OFF_NAMED: usize = 5;

/// The cell that suits the spacing of the rays; says which and why where it is not the usual one.
pub fn choose_cell(settings: &mut Settings, source: &RecordingBeams) -> Result<Option<String>> {
    let Some(spacing_m) = ray_spacing_m(source, settings.range_max_m)? else { return Ok(None) };
    let usual_m = settings.cell_m;
    settings.cell_m = suited_cell_m(spacing_m);
    Ok((settings.cell_m != usual_m).then(|| {
        format!(
            "cells of {} m, as rays end {spacing_m:.2} m apart in the median; --cell takes others",
            settings.cell_m
        )
    }))
}

/// What was recognised as moving, in a sentence.
pub fn told_of_moving(moving: &MovingBeams) -> String {
    let beams = grouped(moving.beams);
    match moving.scans {
        0..=3 => format!(
            "what moved is not recognised: the recording has {} scans, and three others must have seen a place empty",
            moving.scans
        ),
        scans => {
            format!("{beams} beams met something that moved and were left out, in {scans} scans")
        }
    }
}

impl Arguments {
    /// Sentences about scans that do not lie on the others, where poses came from outside.
    pub(super) fn check_poses(
        &self,
        source: &RecordingBeams,
        progress: &dyn Progress,
    ) -> Result<Vec<String>> {
        if self.poses.is_none() && !self.reading.has_trajectory() {
            return Ok(Vec::new());
        }
        let found = consistency(source, progress)?;
        let files = files_of(&self.recordings, self.poses.is_some())?;
        let name = |scan: u32| match files.get(scan as usize) {
            Some(file) if files.len() > 1 => shown(file),
            _ => format!("scan {scan}"),
        };
        let mut remarks: Vec<String> = found
            .off
            .iter()
            .take(OFF_NAMED)
            .map(|off| {
                let usual = found.residual_m * 1e3;
                let what = match off.residual_m.is_nan() {
                    true => "does not meet the others at all".to_owned(),
                    false => format!(
                        "is {:.0} mm off the others, where the median is {usual:.0} mm",
                        off.residual_m * 1e3
                    ),
                };
                format!("{} {what}: its pose may be wrong; see understory register", name(off.scan))
            })
            .collect();
        if found.off.len() > OFF_NAMED {
            remarks.push(format!("{} more scans are off the others", found.off.len() - OFF_NAMED));
        }
        Ok(remarks)
    }
}
