//! The count of changes, of which all who listen hear.

use tokio::sync::watch;

/// Counts changes and tells of them.
pub struct Changes(watch::Sender<u64>);

impl Default for Changes {
    fn default() -> Changes {
        Changes(watch::Sender::new(1))
    }
}

impl Changes {
    /// Tells of a change after `mark` has noted its count: nobody sees one without the other.
    pub fn change(&self, mark: impl FnOnce(u64)) -> u64 {
        let mut now = 0;
        self.0.send_modify(|count| {
            *count += 1;
            now = *count;
            mark(now);
        });
        now
    }

    /// Hears of changes.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.0.subscribe()
    }
}
