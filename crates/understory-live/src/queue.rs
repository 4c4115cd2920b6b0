//! Packets that wait for their time, between the thread that makes them and the one that sends.
//!
//! The queue is bounded twice: by time, so that the simulation runs no further ahead than it must
//! (this is what paces it), and by bytes. Whoever is ahead waits; the sender never does, because
//! its sockets never block. Packets leave in the order of their times, and in the order in which
//! they came where these are equal.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A packet with its time.
pub(crate) struct Waiting {
    /// When it is to be sent.
    pub(crate) due: Instant,
    /// When it was made.
    pub(crate) made: Instant,
    /// Which sensor's socket.
    pub(crate) sensor: usize,
    /// Port to which the vendor's sensor sends it.
    pub(crate) port: u16,
    /// The payload.
    pub(crate) bytes: Vec<u8>,
    /// Order of arrival.
    number: u64,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        (self.due, self.number) == (other.due, other.number)
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> std::cmp::Ordering {
        (self.due, self.number).cmp(&(other.due, other.number))
    }
}

#[derive(Default)]
struct State {
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// Buffers that were sent and may be filled again.
    free: Vec<Vec<u8>>,
    bytes: usize,
    number: u64,
    /// No more packets will come.
    closed: bool,
    /// What waits is not to be sent any more.
    given_up: bool,
}

/// The queue.
pub(crate) struct Queue {
    state: Mutex<State>,
    /// There is a new first packet, or the queue was closed.
    arrived: Condvar,
    /// There is more room.
    left: Condvar,
    ahead: Duration,
    bytes_max: usize,
}

impl Queue {
    /// A queue for packets that are due within `ahead`, and for so many bytes.
    pub(crate) fn new(ahead: Duration, bytes_max: usize) -> Queue {
        Queue {
            state: Mutex::default(),
            arrived: Condvar::new(),
            left: Condvar::new(),
            ahead,
            bytes_max,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a packet, and waits for its turn if the queue is far enough ahead.
    pub(crate) fn push(&self, due: Instant, sensor: usize, port: u16, bytes: &[u8]) {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            let early = due.saturating_duration_since(now).saturating_sub(self.ahead);
            let full = state.bytes > 0 && state.bytes + bytes.len() > self.bytes_max;
            if state.closed || (early.is_zero() && !full) {
                break;
            }
            let limit = if full { Duration::from_millis(50) } else { early };
            let waited = self.left.wait_timeout(state, limit);
            state = waited.map_or_else(|e| e.into_inner().0, |(state, _)| state);
        }
        let mut buffer = state.free.pop().unwrap_or_default();
        buffer.clear();
        buffer.extend_from_slice(bytes);
        state.bytes += bytes.len();
        state.number += 1;
        let number = state.number;
        let first = state.waiting.peek().is_none_or(|Reverse(first)| due < first.due);
        let made = Instant::now();
        state.waiting.push(Reverse(Waiting { due, made, sensor, port, bytes: buffer, number }));
        drop(state);
        if first {
            self.arrived.notify_one();
        }
    }

    /// The first packet that is due within `margin`, waiting for it; `None` when the queue is
    /// closed and empty.
    pub(crate) fn pop(&self, margin: Duration) -> Option<Waiting> {
        let mut state = self.lock();
        loop {
            if state.given_up {
                return None;
            }
            state = match state.waiting.peek() {
                None if state.closed => return None,
                None => self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(Reverse(first)) => {
                    let early = first.due.saturating_duration_since(Instant::now());
                    let early = early.saturating_sub(margin);
                    if early.is_zero() {
                        break;
                    }
                    let waited = self.arrived.wait_timeout(state, early);
                    waited.map_or_else(|e| e.into_inner().0, |(state, _)| state)
                }
            };
        }
        let Reverse(packet) = state.waiting.pop()?;
        state.bytes = state.bytes.saturating_sub(packet.bytes.len());
        drop(state);
        self.left.notify_one();
        Some(packet)
    }

    /// Takes a buffer back.
    pub(crate) fn recycle(&self, buffer: Vec<u8>) {
        let mut state = self.lock();
        if state.free.len() < 64 {
            state.free.push(buffer);
        }
    }

    /// Says that no more packets will come.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
        self.left.notify_all();
    }

    /// Says that nothing is to be sent any more.
    pub(crate) fn give_up(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.given_up = true;
        state.waiting.clear();
        drop(state);
        self.arrived.notify_all();
        self.left.notify_all();
    }
}
