//! Ctrl-C: a flag that long work looks at.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

/// A flag that rises when the user interrupts the run, so that temporary files can be removed. A
/// second interrupt ends the program at once.
pub fn stop_on_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    };
    // Without a handler an interrupt ends the program as usual.
    if let Err(error) = ctrlc::set_handler(handler).context("no handler for interrupts") {
        tracing::debug!("{error:#}");
    }
    stop
}
