//! How a run tells its caller how far it is. Libraries report, front ends show.

/// Receives the progress of a run; may be called from any thread.
pub trait Progress: Sync {
    /// The run starts and will fire so many pulses over so many simulated seconds.
    fn started(&self, total_pulses: u64, simulated_s: f64);

    /// So many more pulses are simulated and written, over so many more simulated seconds.
    fn advanced(&self, pulses: u64, simulated_s: f64);

    /// The run is over, whether it succeeded or not.
    fn finished(&self);
}

/// Shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn started(&self, _total_pulses: u64, _simulated_s: f64) {}
    fn advanced(&self, _pulses: u64, _simulated_s: f64) {}
    fn finished(&self) {}
}
