//! Long work without the interpreter: it runs in a thread of its own while the caller's thread looks
//! after Ctrl-C and tells how far the work is, ten times a second.
//!
//! What enters: a closure that does the work and hears whether it is to stop. What leaves: its
//! result, or the exception of the signal or of the progress function, after the work has stopped.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use pyo3::prelude::*;
use understory_base::Progress;

use crate::errors::UnderstoryError;

/// How often the caller's thread looks up.
const EVERY: Duration = Duration::from_millis(100);

/// How far some work is, written by the work and read by the caller's thread.
#[derive(Default)]
pub struct Watch {
    /// Rises when the work is to stop.
    pub stop: Arc<AtomicBool>,
    what: Mutex<String>,
    /// Share that is done, in millionths; pulses of a run count by themselves.
    share: AtomicU64,
    total: AtomicU64,
    done: AtomicU64,
}

impl Watch {
    /// Says what is done now and how much of the work (0…1) lies behind.
    pub fn step(&self, what: &str, share: f64) {
        what.clone_into(&mut self.what.lock().unwrap_or_else(PoisonError::into_inner));
        self.share.store((share.clamp(0.0, 1.0) * 1e6) as u64, Ordering::Relaxed);
    }

    /// Whether the work is to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn now(&self) -> (String, f64) {
        let what = self.what.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let total = self.total.load(Ordering::Relaxed);
        if total > 0 {
            return (what, self.done.load(Ordering::Relaxed) as f64 / total as f64);
        }
        (what, self.share.load(Ordering::Relaxed) as f64 / 1e6)
    }
}

impl Progress for Watch {
    fn started(&self, total_pulses: u64, _simulated_s: f64) {
        self.step("simulating", 0.0);
        self.total.store(total_pulses, Ordering::Relaxed);
    }

    fn advanced(&self, pulses: u64, _simulated_s: f64) {
        self.done.fetch_add(pulses, Ordering::Relaxed);
    }

    fn finished(&self) {}
}

/// The process whose threads do the work.
static PROCESS: OnceLock<u32> = OnceLock::new();

/// Refuses work in a process that was forked off: threads do not come along, and it would wait for
/// them for ever.
pub fn same_process() -> PyResult<()> {
    let own = std::process::id();
    if *PROCESS.get_or_init(|| own) == own {
        return Ok(());
    }
    Err(UnderstoryError::new_err(
        "this process was forked off one that has used understory, and its threads did not come along; start processes with \"spawn\" or \"forkserver\", as in multiprocessing.get_context(\"spawn\")",
    ))
}

/// Does `work` without the interpreter. `progress`, where it is given, is called with what is done
/// now and with the share that lies behind. What fails here stops the work, and is raised when it
/// has ended.
pub fn without_interpreter<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<T> {
    same_process()?;
    let watch = Watch::default();
    std::thread::scope(|scope| {
        let (send, receive) = channel();
        let lent = &watch;
        // The receiver waits until this has ended.
        let work = move || drop(send.send(work(lent)));
        let worker = named().spawn_scoped(scope, work).map_err(no_thread)?;
        let waited = wait(py, progress, &watch, &Mutex::new(receive), false);
        // A worker that panicked has sent nothing; the sentence is on stderr.
        match py.detach(|| worker.join()) {
            Ok(()) => waited,
            Err(_) => waited.and(Err(broken())),
        }
    })
}

/// The same for work that does not hear that it is to stop: it is left alone then, and ends by
/// itself while the caller goes on.
pub fn without_interpreter_or_alone<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> T + Send + 'static,
) -> PyResult<T> {
    same_process()?;
    let watch = Arc::new(Watch::default());
    let (send, receive) = channel();
    let shared = Arc::clone(&watch);
    named().spawn(move || drop(send.send(work(&shared)))).map_err(no_thread)?;
    wait(py, progress, &watch, &Mutex::new(receive), true)
}

fn named() -> Builder {
    Builder::new().name("understory".to_owned())
}

fn no_thread(error: std::io::Error) -> PyErr {
    UnderstoryError::new_err(format!("cannot start a thread: {error}; end some others"))
}

fn broken() -> PyErr {
    UnderstoryError::new_err("something broke inside; please report it with the lines above")
}

/// Waits for a result; with `leave` no longer than until something fails here. A receiver may not be
/// shared between threads, but may be lent to this one.
fn wait<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    watch: &Watch,
    receive: &Mutex<Receiver<T>>,
    leave: bool,
) -> PyResult<T> {
    let take = || receive.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(EVERY);
    let mut failed = None;
    loop {
        match (py.detach(take), failed) {
            (Err(RecvTimeoutError::Timeout), None) => {
                let shown = progress.map_or(Ok(()), |progress| {
                    let (what, share) = watch.now();
                    progress.call1((what, share)).map(drop)
                });
                failed = py.check_signals().and(shown).err();
                if failed.is_some() {
                    watch.stop.store(true, Ordering::Relaxed);
                }
            }
            (Err(RecvTimeoutError::Timeout), Some(error)) if !leave => failed = Some(error),
            (_, Some(error)) => return Err(error),
            (Ok(done), None) => return Ok(done),
            (Err(RecvTimeoutError::Disconnected), None) => return Err(broken()),
        }
    }
}
