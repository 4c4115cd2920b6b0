//! Channels of loom's mutexes and conditions, which know when the other side is gone.

pub(super) use loom::sync::Mutex;
use loom::sync::{Arc, Condvar};
use std::collections::VecDeque;
pub(super) use std::sync::PoisonError;

struct State<T> {
    waiting: VecDeque<T>,
    senders: usize,
    has_receiver: bool,
}

struct Shared<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

impl<T> Shared<T> {
    fn with<R>(&self, change: impl FnOnce(&mut State<T>) -> R) -> R {
        let result = change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
        result
    }
}

pub(super) struct Sender<T>(Arc<Shared<T>>);
pub(super) struct Receiver<T>(Arc<Shared<T>>);

pub(super) fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let state = State { waiting: VecDeque::new(), senders: 1, has_receiver: true };
    let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
    (Sender(Arc::clone(&shared)), Receiver(shared))
}

impl<T> Sender<T> {
    pub(super) fn send(&self, what: T) -> Result<(), T> {
        self.0.with(|state| match state.has_receiver {
            true => {
                state.waiting.push_back(what);
                Ok(())
            }
            false => Err(what),
        })
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        self.0.with(|state| state.senders += 1);
        Sender(Arc::clone(&self.0))
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.with(|state| state.senders -= 1);
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        // What waits may hold other ends, and goes without the lock.
        let _waiting = self.0.with(|state| {
            state.has_receiver = false;
            std::mem::take(&mut state.waiting)
        });
    }
}

impl<T> Receiver<T> {
    pub(super) fn recv(&self) -> Result<T, ()> {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(came) = state.waiting.pop_front() {
                return Ok(came);
            }
            if state.senders == 0 {
                return Err(());
            }
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// What came of waiting; here nobody looks up meanwhile.
#[allow(dead_code)]
pub(super) enum Waited<T> {
    Came(T),
    Nothing,
    Gone,
}

pub(super) fn wait<T>(receiver: &Receiver<T>) -> Waited<T> {
    receiver.recv().map_or(Waited::Gone, Waited::Came)
}
