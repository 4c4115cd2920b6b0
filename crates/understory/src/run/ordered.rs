//! Jobs that several threads take and finish in any order, and one takes over in theirs.
//!
//! What enters: empty tables, as many as may be under way. What leaves: full ones in the order of
//! their jobs. Memory is bounded by the tables. Nothing here knows what a job is; the crate `model`
//! takes this very file and goes through all orders in which threads can be held up.

use std::collections::BTreeMap;

use super::sync::{Mutex, PoisonError, Receiver, Sender, Waited, channel, wait};

/// Where workers get their jobs and tables.
pub(super) struct Stock<T> {
    next: u64,
    empty: Receiver<T>,
}

/// The two ends of a stream for its workers, and the one for the caller.
pub(super) type Stream<'a, T> = (Mutex<Stock<T>>, Sender<(u64, T)>, InOrder<'a, T>);

/// A stock of this many tables, what full ones are sent through, and what puts them in order.
pub(super) fn stream<'a, T: Default>(
    tables: usize,
    stopped: Box<dyn Fn() -> bool + 'a>,
) -> Stream<'a, T> {
    let (give_back, empty) = channel();
    let (to_caller, full) = channel();
    for _ in 0..tables {
        // Cannot fail: the receiver stands in this function.
        let _ = give_back.send(T::default());
    }
    let in_order = InOrder { full, give_back, waiting: BTreeMap::new(), next: 0, stopped };
    (Mutex::new(Stock { next: 0, empty }), to_caller, in_order)
}

/// The next number, its job and a table; `None`: no job is left, or the caller is gone.
pub(super) fn take<T>(
    stock: &Mutex<Stock<T>>,
    job: impl Fn(u64) -> Option<u64>,
) -> Option<(u64, u64, T)> {
    // Job and table are taken together: the lowest job under way always has a table, so the caller
    // never waits for one that cannot start.
    let mut stock = stock.lock().unwrap_or_else(PoisonError::into_inner);
    let job = job(stock.next)?;
    let table = stock.empty.recv().ok()?;
    stock.next += 1;
    Some((stock.next - 1, job, table))
}

/// Tells the caller that a worker died, which would otherwise wait for its job for ever.
pub(super) struct Alarm<'a, T: Default> {
    pub full: &'a Sender<(u64, T)>,
    /// Whether the worker came to its end.
    pub ended_well: bool,
}

/// The job number of an [`Alarm`].
const WORKER_DIED: u64 = u64::MAX;

impl<T: Default> Drop for Alarm<'_, T> {
    fn drop(&mut self) {
        if !self.ended_well {
            let _ = self.full.send((WORKER_DIED, T::default()));
        }
    }
}

/// What the workers of this process finish, in the order of their jobs.
pub(super) struct InOrder<'a, T> {
    full: Receiver<(u64, T)>,
    give_back: Sender<T>,
    waiting: BTreeMap<u64, T>,
    next: u64,
    stopped: Box<dyn Fn() -> bool + 'a>,
}

impl<T> InOrder<'_, T> {
    /// Whether the run is to stop.
    pub fn stopped(&self) -> bool {
        (self.stopped)()
    }

    /// The next own job; `None` when there is none any more, or the run is to stop.
    pub fn next(&mut self) -> Option<T> {
        loop {
            if self.stopped() {
                return None;
            }
            if let Some(finished) = self.waiting.remove(&self.next) {
                self.next += 1;
                return Some(finished);
            }
            match wait(&self.full) {
                Waited::Came((WORKER_DIED, _)) | Waited::Gone => return None,
                Waited::Came((number, finished)) => drop(self.waiting.insert(number, finished)),
                Waited::Nothing => {}
            }
        }
    }

    /// Gives a table back to the workers.
    pub fn give_back(&self, finished: T) {
        // The workers may have finished already.
        let _ = self.give_back.send(finished);
    }
}
