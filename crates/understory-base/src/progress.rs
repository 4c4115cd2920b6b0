//! How long work tells its caller how far it is. Libraries report, front ends show.

/// Receives the progress of long work; may be called from any thread. A closure
/// `|what, share| …` is one that only hears of steps.
pub trait Progress: Sync {
    /// `share` (0…1) of the work is done, and `what` comes next.
    fn step(&self, _what: &str, _share: f64) {}

    /// A run starts and will fire so many pulses over so many simulated seconds.
    fn started(&self, _total_pulses: u64, _simulated_s: f64) {}

    /// So many more pulses are simulated and written, over so many more simulated seconds.
    fn advanced(&self, _pulses: u64, _simulated_s: f64) {}

    /// The run is over, whether it succeeded or not.
    fn finished(&self) {}
}

/// Shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}

impl<F: Fn(&str, f64) + Sync> Progress for F {
    fn step(&self, what: &str, share: f64) {
        self(what, share);
    }
}
