//! A table that is read some blocks ahead by a thread of its own.
//!
//! What enters: a table. What leaves: its blocks in order, each with what the table knew when it
//! had read it. Unpacking a file and making beams of its rows go on side by side; at most
//! [`AHEAD`] blocks wait, and a reader that goes away ends the thread.

use crate::format::table::{Block, Table};
use crate::{CloudError, ScanPose};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// Blocks that may wait.
const AHEAD: usize = 3;

/// A block, and what was new with it.
pub(crate) struct Step {
    /// Rows of the block; 0: the table ended.
    pub(crate) rows: usize,
    pub(crate) block: Block,
    /// Poses of scans that have become known since the last one.
    pub(crate) poses: Vec<ScanPose>,
    pub(crate) duplicated_rows: u64,
    /// What the table noticed, at its end.
    pub(crate) remarks: Vec<String>,
}

/// The near end of a table that is read elsewhere.
pub(crate) struct Ahead {
    path: PathBuf,
    steps: Receiver<Result<Step, CloudError>>,
    used: SyncSender<Block>,
    thread: Option<JoinHandle<()>>,
}

impl Ahead {
    /// Starts to read the `wanted` columns of the table of `path`.
    pub(crate) fn start(
        path: &Path,
        mut table: Box<dyn Table>,
        wanted: Vec<usize>,
    ) -> Result<Ahead, CloudError> {
        let (sender, steps) = sync_channel(AHEAD);
        let (used, blocks) = sync_channel::<Block>(AHEAD + 1);
        let read_all = move || {
            let mut sent = table.scan_poses().len();
            loop {
                let mut block = blocks.try_recv().unwrap_or_default();
                let step = table.read(&wanted, &mut block).map(|rows| {
                    let poses = table.scan_poses().get(sent..).unwrap_or_default().to_vec();
                    sent += poses.len();
                    let remarks = if rows == 0 { table.remarks() } else { Vec::new() };
                    Step { rows, block, poses, duplicated_rows: table.duplicated_rows(), remarks }
                });
                let last = step.as_ref().map_or(true, |step| step.rows == 0);
                if sender.send(step).is_err() || last {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("recording".to_owned()).spawn(read_all);
        let thread = thread.map_err(|error| CloudError::read(path, error))?;
        Ok(Ahead { path: path.to_path_buf(), steps, used, thread: Some(thread) })
    }

    /// The next block; `used` is one that is not needed any more.
    pub(crate) fn next(&mut self, used: Block) -> Result<Step, CloudError> {
        let _full_is_fine = self.used.try_send(used);
        let Ok(step) = self.steps.recv() else {
            // The thread tells the end, or what is wrong, before it goes. A mistake in a reader
            // shows itself where it would without a thread.
            if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
                std::panic::resume_unwind(panic);
            }
            let error = io::Error::other("there is nothing more after what was wrong with it");
            return Err(CloudError::read(&self.path, error));
        };
        step
    }
}
