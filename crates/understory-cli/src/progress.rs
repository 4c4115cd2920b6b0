//! How far a run is: a bar on stderr with pulses per second and the real-time factor.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use understory_base::Progress;

const TEMPLATE: &str = "{spinner:.green} {bar:36.green/black.bright} {percent:>3} %  {msg}";

/// A bar on a terminal, nothing elsewhere.
pub struct BarProgress {
    bar: ProgressBar,
    done: Mutex<Done>,
}

struct Done {
    start: Instant,
    pulses: u64,
    simulated_s: f64,
}

impl BarProgress {
    /// A bar that stays hidden if `quiet` is set or stderr is no terminal.
    pub fn new(quiet: bool) -> BarProgress {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        let done = Done { start: Instant::now(), pulses: 0, simulated_s: 0.0 };
        BarProgress { bar, done: Mutex::new(done) }
    }
}

impl Progress for BarProgress {
    fn started(&self, total_pulses: u64, _simulated_s: f64) {
        self.bar.set_length(total_pulses);
        self.done.lock().unwrap_or_else(PoisonError::into_inner).start = Instant::now();
    }

    fn advanced(&self, pulses: u64, simulated_s: f64) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.pulses += pulses;
        done.simulated_s += simulated_s;
        let wall_s = done.start.elapsed().as_secs_f64();
        self.bar.set_position(done.pulses);
        if wall_s > 0.0 && !self.bar.is_hidden() {
            let rate = done.pulses as f64 / wall_s;
            let factor = done.simulated_s / wall_s;
            self.bar.set_message(format!("{} pulses/s, {factor:.2} × real time", scaled(rate)));
        }
    }

    fn finished(&self) {
        self.bar.finish_and_clear();
    }
}

/// What is being built or read, shown once that has taken two seconds.
pub struct BuildProgress {
    bar: ProgressBar,
    start: Instant,
    verb: &'static str,
    quiet: bool,
    /// Whether lines are written where no bar can be shown.
    lines: bool,
    last_line: Mutex<Instant>,
}

impl BuildProgress {
    /// Shows nothing yet; if stderr is no terminal never anything, until [`BuildProgress::quiet`] says that
    /// a line now and then is wanted.
    pub fn new() -> BuildProgress {
        BuildProgress::saying("building")
    }

    /// The same with another word before what comes next.
    pub fn saying(verb: &'static str) -> BuildProgress {
        let bar = ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        let start = Instant::now();
        let last_line = Mutex::new(start);
        BuildProgress { bar, start, verb, quiet: false, lines: false, last_line }
    }

    /// The same, never shown if `quiet` is set, and else also by lines.
    pub fn quiet(mut self, quiet: bool) -> BuildProgress {
        self.quiet = quiet;
        self.lines = !quiet;
        self
    }
}

impl Progress for BuildProgress {
    fn step(&self, what: &str, share: f64) {
        let slow = self.start.elapsed().as_secs_f64() > 2.0;
        if slow && !self.quiet && self.bar.is_hidden() {
            if std::io::stderr().is_terminal() {
                self.bar.set_draw_target(ProgressDrawTarget::stderr());
            } else if self.lines {
                line_now_and_then(&self.last_line, &format!("{} {what}", self.verb), share);
            }
        }
        self.bar.set_position((share * 100.0) as u64);
        self.bar.set_message(format!("{} {what}", self.verb));
    }
}

impl Drop for BuildProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// How often a line is written where no bar can be shown.
const LINE_EVERY_S: f64 = 10.0;

/// One step after another of something that takes a while: a bar on a terminal, elsewhere a line now
/// and then.
pub struct StepProgress {
    bar: ProgressBar,
    quiet: bool,
    last_line: Mutex<Instant>,
}

impl StepProgress {
    /// A bar, or lines if stderr is no terminal; nothing if `quiet` is set.
    pub fn new(quiet: bool) -> StepProgress {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(1000), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        StepProgress { bar, quiet, last_line: Mutex::new(Instant::now()) }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for StepProgress {
    fn step(&self, what: &str, share: f64) {
        if !self.bar.is_hidden() {
            self.bar.set_position((share * 1000.0) as u64);
            self.bar.set_message(what.to_owned());
            return;
        }
        if !self.quiet {
            line_now_and_then(&self.last_line, what, share);
        }
    }
}

/// Writes a line to stderr if the last one is long ago.
fn line_now_and_then(last: &Mutex<Instant>, what: &str, share: f64) {
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    if last.elapsed().as_secs_f64() >= LINE_EVERY_S {
        *last = Instant::now();
        // Who closed stderr does not want to know.
        let _ = writeln!(std::io::stderr(), "{what}: {:.0} %", share * 100.0);
    }
}

/// A number with three digits and a word for its size.
pub fn scaled(value: f64) -> String {
    let (value, word) = match value {
        v if v >= 1e9 => (v / 1e9, " billion"),
        v if v >= 1e6 => (v / 1e6, " million"),
        v if v >= 1e4 => (v / 1e3, " thousand"),
        v => (v, ""),
    };
    let digits = if value >= 100.0 { 0 } else { usize::from(value < 10.0) + 1 };
    format!("{value:.digits$}{word}")
}

#[cfg(test)]
mod tests {
    use super::scaled;

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(
            [3.0, 4321.0, 43_210.0, 4_321_000.0, 4.3e9].map(scaled),
            ["3.00", "4321", "43.2 thousand", "4.32 million", "4.30 billion"]
        );
    }
}
