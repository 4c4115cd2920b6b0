//! What the stream of jobs needs of the standard library. Its model has the same by another name.

use std::sync::mpsc::RecvTimeoutError;
pub(super) use std::sync::mpsc::{Receiver, Sender, channel};
pub(super) use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often one that waits looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(50);

/// What came of waiting.
pub(super) enum Waited<T> {
    Came(T),
    /// Nothing yet.
    Nothing,
    /// Nothing will.
    Gone,
}

/// Waits for a while.
pub(super) fn wait<T>(receiver: &Receiver<T>) -> Waited<T> {
    match receiver.recv_timeout(LOOK) {
        Ok(came) => Waited::Came(came),
        Err(RecvTimeoutError::Timeout) => Waited::Nothing,
        Err(RecvTimeoutError::Disconnected) => Waited::Gone,
    }
}
