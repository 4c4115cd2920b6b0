//! A laser that fires at a fixed rate, whatever the optics do: pulse index ↔ time and frame.
//!
//! All channels fire together, once a cycle. Cycles are counted from time 0 without end; frames
//! (revolutions, swings, or packets of a fixed duration) cut them into scans, and a cycle belongs
//! to the frame in which it starts.

use std::ops::Range;

use super::{Cycle, Pattern, Pulses, first_multiple_at};

/// Share of a frame within which a cycle counts as starting the next one.
const FRAME_SLACK: f64 = 1e-9;

/// The cycles of a free-running laser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clock {
    cycle_s: f64,
    channels: u16,
    frame_s: f64,
}

/// One cycle, or some of its channels.
pub(super) struct CyclePart {
    pub time_s: f64,
    pub channels: Range<u16>,
    pub scan: u64,
    pub column: u64,
}

/// A pattern whose laser is free-running: it says where a cycle looks, its clock does the rest.
pub(super) trait FreeRunning {
    fn clock(&self) -> &Clock;

    /// Appends the pulses of a cycle.
    fn push_cycle(&self, part: CyclePart, out: &mut Pulses);
}

impl<P: FreeRunning> Pattern for P {
    fn fill(&self, pulses: Range<u64>, out: &mut Pulses) {
        self.clock().for_each(pulses, |part| self.push_cycle(part, out));
    }

    fn first_pulse_at(&self, time_s: f64) -> u64 {
        self.clock().first_pulse_at(time_s)
    }

    fn cycle_of(&self, pulse: u64) -> Cycle {
        self.clock().cycle_of(pulse)
    }

    fn pulse_rate_hz(&self) -> f64 {
        self.clock().pulse_rate_hz()
    }

    fn scan_duration_s(&self) -> f64 {
        self.clock().frame_s()
    }

    fn channels(&self) -> usize {
        self.clock().channels()
    }

    fn columns_per_scan(&self) -> u32 {
        self.clock().columns_per_scan()
    }
}

impl Clock {
    /// Cycles of `cycle_s` with `channels` pulses each in frames of `frame_s`; `None` if a time is
    /// not positive, no channel fires, or a frame holds no cycle or more than 2³².
    pub(super) fn new(cycle_s: f64, channels: usize, frame_s: f64) -> Option<Clock> {
        let channels = u16::try_from(channels).ok().filter(|channels| *channels > 0)?;
        let per_frame = frame_s / cycle_s;
        (cycle_s > 0.0 && frame_s.is_finite() && (1.0..4.0e9).contains(&per_frame))
            .then_some(Clock { cycle_s, channels, frame_s })
    }

    pub(super) fn frame_s(&self) -> f64 {
        self.frame_s
    }

    pub(super) fn channels(&self) -> usize {
        usize::from(self.channels)
    }

    pub(super) fn pulse_rate_hz(&self) -> f64 {
        f64::from(self.channels) / self.cycle_s
    }

    pub(super) fn columns_per_scan(&self) -> u32 {
        (self.frame_s / self.cycle_s - 1e-6).ceil() as u32
    }

    pub(super) fn first_pulse_at(&self, time_s: f64) -> u64 {
        first_multiple_at(time_s, self.cycle_s).saturating_mul(u64::from(self.channels))
    }

    pub(super) fn cycle_of(&self, pulse: u64) -> Cycle {
        let cycle = pulse / u64::from(self.channels);
        Cycle {
            start_s: cycle as f64 * self.cycle_s,
            end: (cycle + 1).saturating_mul(u64::from(self.channels)),
        }
    }

    /// Calls `push` for the cycles, and parts of cycles, that hold the pulses, in order.
    pub(super) fn for_each(&self, pulses: Range<u64>, mut push: impl FnMut(CyclePart)) {
        let count = u64::from(self.channels);
        let frames_per_cycle = self.cycle_s / self.frame_s;
        let mut frame = FrameCount::new(frames_per_cycle);
        let mut pulse = pulses.start;
        while pulse < pulses.end {
            let cycle = pulse / count;
            let end = pulses.end.min((cycle + 1).saturating_mul(count));
            let (scan, column) = frame.of(cycle);
            push(CyclePart {
                time_s: cycle as f64 * self.cycle_s,
                channels: (pulse - cycle * count) as u16..(end - cycle * count) as u16,
                scan,
                column,
            });
            pulse = end;
        }
    }
}

/// Frame of a cycle and its place there, remembered from one cycle to the next.
struct FrameCount {
    frames_per_cycle: f64,
    frame: u64,
    /// Its first cycle; `None` before the first question.
    first: Option<u64>,
}

impl FrameCount {
    fn new(frames_per_cycle: f64) -> FrameCount {
        FrameCount { frames_per_cycle, frame: 0, first: None }
    }

    fn of(&mut self, cycle: u64) -> (u64, u64) {
        let frame = frame_of(cycle, self.frames_per_cycle);
        let first = match self.first {
            Some(first) if frame == self.frame => first,
            _ => first_cycle_of(frame, self.frames_per_cycle).min(cycle),
        };
        (self.frame, self.first) = (frame, Some(first));
        (frame, cycle - first)
    }
}

/// Frame in which a cycle starts.
pub(super) fn frame_of(cycle: u64, frames_per_cycle: f64) -> u64 {
    (cycle as f64 * frames_per_cycle + FRAME_SLACK) as u64
}

/// First cycle that starts in a frame.
pub(super) fn first_cycle_of(frame: u64, frames_per_cycle: f64) -> u64 {
    let mut cycle = (frame as f64 / frames_per_cycle) as u64;
    while cycle > 0 && frame_of(cycle - 1, frames_per_cycle) >= frame {
        cycle -= 1;
    }
    while frame_of(cycle, frames_per_cycle) < frame {
        cycle += 1;
    }
    cycle
}
