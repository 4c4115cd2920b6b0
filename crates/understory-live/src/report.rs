//! How well packets kept their times.
//!
//! The jitter is what lies between the time at which a packet was due and the moment at which the
//! operating system had taken it. Packets that the simulation made after they were due are late;
//! they say nothing about the sender and are counted apart.

use std::fmt;
use std::time::Duration;

use crate::latency::LatencyTally;

/// Width of a bin of the jitter in nanoseconds, and number of bins.
const BIN_NS: u64 = 1000;
const BINS: usize = 20_000;

/// What was sent, and how punctually.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LiveReport {
    /// Packets that were sent.
    pub packets: u64,
    /// Bytes that they carried.
    pub bytes: u64,
    /// Packets that the operating system did not take.
    pub dropped: u64,
    /// Packets that were made after they were due: the simulation was behind.
    pub late: u64,
    /// How late the latest of them was sent.
    pub latest_s: f64,
    /// From the first packet to the last, as their times say, divided by the speed.
    pub true_duration_s: f64,
    /// The same, as it was measured.
    pub measured_duration_s: f64,
    /// How much longer than it should the run took, relative, by a straight line through the times
    /// of all packets; one packet that was held up does not change it.
    pub pace_error: f64,
    /// Root mean square of the jitter.
    pub jitter_rms_s: f64,
    /// Jitter that one packet in a hundred exceeds.
    pub jitter_p99_s: f64,
    /// Largest jitter.
    pub jitter_max_s: f64,
    /// From the time of a packet in the run to the moment at which the operating system had taken
    /// it, late ones included: what half of the packets do not exceed.
    pub latency_p50_s: f64,
    /// The same for 99 of 100.
    pub latency_p99_s: f64,
    /// The largest.
    pub latency_max_s: f64,
}

impl fmt::Display for LiveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} packets with {} bytes in {:.3} s, pace off by {:+.4} %, jitter {:.1} µs rms, {:.0} µs p99, {:.0} µs at most",
            self.packets,
            self.bytes,
            self.measured_duration_s,
            100.0 * self.pace_error,
            1e6 * self.jitter_rms_s,
            1e6 * self.jitter_p99_s,
            1e6 * self.jitter_max_s,
        )?;
        write!(
            f,
            ", latency from firing to packet {:.2} ms median, {:.2} ms p99",
            1e3 * self.latency_p50_s,
            1e3 * self.latency_p99_s
        )?;
        if self.dropped > 0 {
            write!(f, ", {} packets dropped", self.dropped)?;
        }
        if self.late > 0 {
            write!(f, ", {} deadlines missed by up to {:.3} s", self.late, self.latest_s)?;
        }
        Ok(())
    }
}

/// Counts packets as they are sent.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    report: LiveReport,
    bins: Vec<u64>,
    punctual: u64,
    squares_s2: f64,
    line: Line,
    latency: LatencyTally,
}

/// Sums for a straight line: how long after its time a packet was sent, over its time.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    count: f64,
    due: f64,
    off: f64,
    due_due: f64,
    due_off: f64,
}

impl Line {
    fn add(&mut self, due: f64, off: f64) {
        self.count += 1.0;
        self.due += due;
        self.off += off;
        self.due_due += due * due;
        self.due_off += due * off;
    }

    fn slope(&self) -> f64 {
        let spread = self.count * self.due_due - self.due * self.due;
        if spread > 0.0 { (self.count * self.due_off - self.due * self.off) / spread } else { 0.0 }
    }
}

/// One packet that was tried to be sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// When it was due, since the first packet was.
    pub(crate) due: Duration,
    /// When it was sent, by the same clock.
    pub(crate) at: Duration,
    /// Whether it was made in time.
    pub(crate) in_time: bool,
    /// Its size; none: the operating system did not take it.
    pub(crate) bytes: Option<usize>,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally {
            report: LiveReport::default(),
            bins: vec![0; BINS],
            punctual: 0,
            squares_s2: 0.0,
            line: Line::default(),
            latency: LatencyTally::default(),
        }
    }
}

impl Tally {
    pub(crate) fn add(&mut self, sent: Sent) {
        let report = &mut self.report;
        match sent.bytes {
            Some(bytes) => {
                report.packets += 1;
                report.bytes += bytes as u64;
            }
            None => report.dropped += 1,
        }
        // The first packet is due at 0, so that these are durations.
        report.true_duration_s = report.true_duration_s.max(sent.due.as_secs_f64());
        report.measured_duration_s = sent.at.as_secs_f64();
        let off = sent.at.saturating_sub(sent.due);
        self.line.add(sent.due.as_secs_f64(), off.as_secs_f64());
        self.latency.add(off);
        if !sent.in_time {
            report.late += 1;
            report.latest_s = report.latest_s.max(off.as_secs_f64());
            return;
        }
        self.punctual += 1;
        self.squares_s2 += off.as_secs_f64().powi(2);
        report.jitter_max_s = report.jitter_max_s.max(off.as_secs_f64());
        let bin = (off.as_nanos() / u128::from(BIN_NS)) as usize;
        if let Some(count) = self.bins.get_mut(bin.min(BINS - 1)) {
            *count += 1;
        }
    }

    pub(crate) fn report(&self) -> LiveReport {
        let report = LiveReport {
            pace_error: self.line.slope(),
            latency_p50_s: self.latency.quantile_s(0.5),
            latency_p99_s: self.latency.quantile_s(0.99),
            latency_max_s: self.latency.max_s(),
            ..self.report
        };
        if self.punctual == 0 {
            return report;
        }
        let above = self.punctual / 100;
        let mut seen = 0;
        let bin = self.bins.iter().rposition(|count| {
            seen += count;
            seen > above
        });
        let upper_s = (bin.unwrap_or_default() + 1) as f64 * BIN_NS as f64 * 1e-9;
        LiveReport {
            jitter_rms_s: (self.squares_s2 / self.punctual as f64).sqrt(),
            jitter_p99_s: upper_s.min(report.jitter_max_s),
            ..report
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentile_and_mean_are_those_of_the_jitter() {
        let mut tally = Tally::default();
        for i in 0..1000u64 {
            let due = Duration::from_millis(i);
            // 990 packets are 10 µs off, ten 500 µs.
            let off = Duration::from_micros(if i % 100 == 99 { 500 } else { 10 });
            tally.add(Sent { due, at: due + off, in_time: true, bytes: Some(1206) });
        }
        let due = Duration::from_millis(1000);
        tally.add(Sent { due, at: due * 2, in_time: false, bytes: None });
        let report = tally.report();
        assert_eq!((report.packets, report.bytes), (1000, 1_206_000));
        assert_eq!((report.dropped, report.late, report.latest_s), (1, 1, 1.0));
        assert_eq!(report.jitter_max_s, 500e-6);
        let rms_s = ((990.0 * 10e-6f64.powi(2) + 10.0 * 500e-6f64.powi(2)) / 1000.0).sqrt();
        assert!((report.jitter_rms_s - rms_s).abs() < 1e-12);
        // Ten of a thousand are above; the bin of the others ends at 11 µs.
        assert!((report.jitter_p99_s - 11e-6).abs() < 1e-12, "{report:?}");
    }

    #[test]
    fn pace_is_the_slope_of_all_packets() {
        let mut tally = Tally::default();
        for i in 0..1000u64 {
            let due = Duration::from_millis(i);
            // A clock that is a thousandth slow, and a hold-up at the end.
            let held = Duration::from_millis(if i == 999 { 20 } else { 0 });
            let at = due + due / 1000 + held;
            tally.add(Sent { due, at, in_time: true, bytes: Some(1) });
        }
        let report = tally.report();
        assert!((report.measured_duration_s / report.true_duration_s - 1.021).abs() < 1e-4);
        assert!((report.pace_error - 1e-3).abs() < 1.5e-4, "{report}");
    }
}
