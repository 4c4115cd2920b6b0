//! Velodyne's packets → rows, with the beam of every pulse, those without a return too.
//!
//! A packet is decoded when its successor has come, because the speed of the head follows from the
//! azimuths and times of both: α(t) = α₀ + ω·(t − t₀). A beam leaves at azimuth −α(t) + δ
//! counter-clockwise, at the laser's elevation, from its offsets to the left and up; x forward,
//! y left, z up.
//!
//! Times tell microseconds past the hour; which hour, the time of the capture tells, even if its
//! clock is up to half an hour wrong.

use super::beam::{Beam, Laser, Shot};
use super::status::{Calibration, Correction};
use super::{AZIMUTH_STEPS, HOUR_NS, Layout, ModelFacts, PACKET_LEN, model_facts};
use crate::{CloudError, SensorDescription, VelodyneModel};
use understory_base::math;

/// Names and types of the columns.
pub(crate) const COLUMNS: [(&str, &str); 21] = [
    ("time_s", "f64"),
    ("pulse", "u64"),
    ("sensor", "u16"),
    ("channel", "u16"),
    ("scan", "u32"),
    ("column", "u32"),
    ("azimuth_deg", "f64"),
    ("elevation_deg", "f64"),
    ("return_number", "u8"),
    ("return_count", "u8"),
    ("range_m", "f64"),
    ("intensity", "f64"),
    ("origin_x_m", "f64"),
    ("origin_y_m", "f64"),
    ("origin_z_m", "f64"),
    ("direction_x", "f64"),
    ("direction_y", "f64"),
    ("direction_z", "f64"),
    ("x_m", "f64"),
    ("y_m", "f64"),
    ("z_m", "f64"),
];

/// A row, in the order of [`COLUMNS`].
pub(crate) type Row = [f64; COLUMNS.len()];

/// A duration of a group of lasers of a VLS-128 since firmware 5.2.3.0, in those before it.
const SLOWER_VLS_128: f64 = 57.8 / 53.3;

/// Packets farther apart tell nothing of the speed of the head.
const NEIGHBOURS_S: f64 = 0.02;

/// Slowest and fastest head that is believed.
const TURN_LIMITS_DEG_PER_S: [f64; 2] = [180.0, 18_000.0];

/// A packet whose successor has not come yet.
#[derive(Clone)]
struct Pending {
    bytes: [u8; PACKET_LEN],
    device_ns: i64,
}

/// What was noticed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Noticed {
    pub(crate) packets: u64,
    /// Packets that should be there by their times.
    pub(crate) lost_packets: u64,
    /// Firings that were left out: flag or azimuth of their block is impossible.
    pub(crate) broken_firings: u64,
    /// How often the clock went back.
    pub(crate) clock_steps_back: u64,
    /// Whether any packet has two returns per laser.
    pub(crate) dual: bool,
}

/// Decodes the packets of one sensor.
pub(crate) struct Decoder {
    sensor: u16,
    pub(crate) model: VelodyneModel,
    /// The sensor, with the calibration of its unit.
    pub(crate) facts: SensorDescription,
    of_model: ModelFacts,
    single: Layout,
    dual: Layout,
    lasers: Vec<Laser>,
    /// Empty: distances are right as they are.
    corrections: Vec<Correction>,
    cycle_s: f64,
    stamp_s: f64,
    /// Whether the times of packets may still say that the unit has the slower firmware.
    may_be_slower: bool,
    turn_deg_per_s: f64,
    start_unix_ns: i64,
    pending: Option<Box<Pending>>,
    /// Cosine and sine of the angle of each laser against the block's azimuth.
    turned: Vec<[f64; 2]>,
    pulse: u64,
    scan: u32,
    column: u32,
    azimuth_deg: Option<f64>,
    pub(crate) noticed: Noticed,
}

impl Decoder {
    /// A decoder for a sensor: one that is given, or the model's own preset. A unit's calibration
    /// corrects distances and intensities; angles and offsets are its own if no sensor is given.
    pub(crate) fn new(
        sensor: u16,
        model: VelodyneModel,
        given: Option<&SensorDescription>,
        calibration: Option<&Calibration>,
        start_unix_ns: i64,
    ) -> Result<Decoder, CloudError> {
        let of_model = model_facts(model);
        let mut facts = match given {
            Some(facts) => facts.clone(),
            None => SensorDescription::velodyne(model)?,
        };
        let refuse = |what: String| CloudError::Unpackable { sensor: facts.name.clone(), what };
        if facts.lasers.len() != of_model.lasers {
            return Err(refuse(format!(
                "it has {} lasers, but packets of a {} hold {}; name the sensor of this recording",
                facts.lasers.len(),
                of_model.title,
                of_model.lasers
            )));
        }
        let Some(spin) = facts.spin else {
            return Err(refuse("its head does not turn; name the sensor of this recording".into()));
        };
        let mut lasers = facts.lasers.clone();
        let mut corrections = Vec::new();
        if let Some(calibration) = calibration {
            for (laser, unit) in lasers.iter_mut().zip(&calibration.lasers) {
                if given.is_none() {
                    *laser = crate::LaserDescription { firing_s: laser.firing_s, ..*unit };
                }
            }
            if calibration.corrections.iter().any(Correction::corrects) {
                corrections.clone_from(&calibration.corrections);
            }
        }
        facts.lasers.clone_from(&lasers);
        let lasers: Vec<Laser> = lasers.iter().map(Laser::new).collect();
        let is_vls = model == VelodyneModel::Vls128;
        let stamp_s = if is_vls { lasers.get(24).map_or(0.0, |laser| laser.firing_s) } else { 0.0 };
        Ok(Decoder {
            sensor,
            model,
            facts,
            of_model,
            single: Layout::new(of_model.lasers, false),
            dual: Layout::new(of_model.lasers, true),
            turned: vec![[1.0, 0.0]; lasers.len()],
            lasers,
            corrections,
            cycle_s: spin.cycle_s,
            stamp_s,
            may_be_slower: is_vls && given.is_none(),
            turn_deg_per_s: 360.0 * spin.rotation_hz,
            start_unix_ns,
            pending: None,
            pulse: 0,
            scan: 0,
            column: 0,
            azimuth_deg: None,
            noticed: Noticed::default(),
        })
    }

    /// Takes the next packet, captured at a Unix time, and decodes the one before it.
    pub(crate) fn push(&mut self, capture_ns: i64, bytes: &[u8; PACKET_LEN], rows: &mut Vec<Row>) {
        self.noticed.packets += 1;
        let next = Pending { bytes: *bytes, device_ns: device_ns(capture_ns, u32_at(bytes, 1200)) };
        if let Some(pending) = self.pending.take() {
            self.decode(&pending, Some(&next), rows);
        }
        self.pending = Some(Box::new(next));
    }

    /// Decodes the last packet.
    pub(crate) fn finish(&mut self, rows: &mut Vec<Row>) {
        if let Some(pending) = self.pending.take() {
            self.decode(&pending, None, rows);
        }
    }

    /// Whether the sensor is an HDL-64E.
    pub(crate) fn is_hdl64e(&self) -> bool {
        self.of_model.product.is_none()
    }

    /// Whether a packet has two returns per laser. An HDL-64E does not say it, but then gives both
    /// the same azimuth.
    fn is_dual(&self, bytes: &[u8; PACKET_LEN]) -> bool {
        match self.of_model.product {
            Some(_) => u16_at(bytes, PACKET_LEN - 2) & 0xff == 0x39,
            None => u16_at(bytes, 2) == u16_at(bytes, 202),
        }
    }

    /// Learns from two packets that follow each other.
    fn compare(&mut self, packet: &Pending, next: &Pending, columns: f64) {
        let apart_s = 1e-9 * next.device_ns.saturating_sub(packet.device_ns) as f64;
        if apart_s <= 0.0 {
            self.noticed.clock_steps_back += 1;
            return;
        }
        if self.may_be_slower {
            let ratio = apart_s / (columns * self.cycle_s);
            if (1.05..1.12).contains(&ratio) {
                self.cycle_s *= SLOWER_VLS_128;
                self.stamp_s *= SLOWER_VLS_128;
                self.lasers.iter_mut().for_each(|laser| laser.firing_s *= SLOWER_VLS_128);
            }
            self.may_be_slower = !(0.95..1.12).contains(&ratio);
        }
        if apart_s < NEIGHBOURS_S {
            let steps = u32::from(AZIMUTH_STEPS);
            let [from, to] = [packet, next].map(|p| u32::from(u16_at(&p.bytes, 2)) % steps);
            let turned_deg = 0.01 * f64::from((to + steps - from) % steps);
            let turn = turned_deg / apart_s;
            let [slowest, fastest] = TURN_LIMITS_DEG_PER_S;
            if (slowest..fastest).contains(&turn) {
                self.turn_deg_per_s = turn;
            }
        }
    }

    fn decode(&mut self, packet: &Pending, next: Option<&Pending>, rows: &mut Vec<Row>) {
        let dual = self.is_dual(&packet.bytes);
        self.noticed.dual |= dual;
        let layout = std::mem::take(if dual { &mut self.dual } else { &mut self.single });
        let columns = layout.columns as f64;
        if let Some(next) = next {
            self.compare(packet, next, columns);
        }
        for (turned, laser) in self.turned.iter_mut().zip(&self.lasers) {
            let degrees = laser.offset_deg - self.turn_deg_per_s * laser.firing_s;
            let (sin, cos) = math::sin_cos(degrees.to_radians());
            *turned = [cos, sin];
        }
        let packet_s = 1e-9 * packet.device_ns.saturating_sub(self.start_unix_ns) as f64;
        for column in 0..layout.columns {
            let start_s = packet_s - self.stamp_s + column as f64 * self.cycle_s;
            match self.azimuth(&layout, packet, column) {
                Some(azimuth_deg) => {
                    self.begin_column(azimuth_deg);
                    self.firing(&layout, packet, column, azimuth_deg, start_s, rows);
                }
                None => self.noticed.broken_firings += 1,
            }
        }
        if let Some(next) = next {
            let apart_s = 1e-9 * next.device_ns.saturating_sub(packet.device_ns) as f64;
            let lost = (apart_s / (columns * self.cycle_s)).round() - 1.0;
            if lost >= 1.0 {
                self.noticed.lost_packets = self.noticed.lost_packets.saturating_add(lost as u64);
                self.column = self.column.saturating_add((lost * columns) as u32);
            }
        }
        *(if dual { &mut self.dual } else { &mut self.single }) = layout;
    }

    /// Reading of the encoder at the start of a firing; none if its blocks are none.
    fn azimuth(&self, layout: &Layout, packet: &Pending, column: usize) -> Option<f64> {
        let mut found = None;
        for block in &layout.blocks {
            // Two firings of 16 lasers share a block.
            if block.column != column && block.column + 1 != column {
                continue;
            }
            let shared = block.column != column;
            if shared && self.lasers.len() != 16 {
                continue;
            }
            let steps = u16_at(&packet.bytes, block.offset + 2);
            if u16_at(&packet.bytes, block.offset) != block.flag || steps >= AZIMUTH_STEPS {
                return None;
            }
            let later_s = if shared { self.cycle_s } else { 0.0 };
            found = found.or(Some(0.01 * f64::from(steps) + self.turn_deg_per_s * later_s));
        }
        found.map(|degrees| degrees.rem_euclid(360.0))
    }

    /// Counts firings, and revolutions where the azimuth passes 0.
    fn begin_column(&mut self, azimuth_deg: f64) {
        if let Some(before_deg) = self.azimuth_deg {
            if azimuth_deg < before_deg - 180.0 {
                self.scan = self.scan.saturating_add(1);
                self.column = 0;
            } else {
                self.column = self.column.saturating_add(1);
            }
        }
        self.azimuth_deg = Some(azimuth_deg);
    }

    /// Decodes one firing of all lasers.
    fn firing(
        &mut self,
        layout: &Layout,
        packet: &Pending,
        column: usize,
        azimuth_deg: f64,
        start_s: f64,
        rows: &mut Vec<Row>,
    ) {
        let (sin, cos) = math::sin_cos(-azimuth_deg.to_radians());
        let first = column * self.lasers.len();
        let slots = layout.slots.get(first..first + self.lasers.len()).unwrap_or_default();
        for (channel, ((laser, &[c, s]), &[last, strongest])) in
            self.lasers.iter().zip(&self.turned).zip(slots).enumerate()
        {
            let beam = Beam::new(laser, [cos * c - sin * s, sin * c + cos * s]);
            let turned_deg = self.turn_deg_per_s * laser.firing_s;
            let beam_deg = laser.offset_deg - azimuth_deg - turned_deg;
            let origin = beam.origin(laser, azimuth_deg + turned_deg);
            let direction = beam.direction;
            let mut row = |number: u8, count: u8, range_m: f64, intensity: f64, at: [f64; 3]| {
                rows.push([
                    start_s + laser.firing_s,
                    self.pulse as f64,
                    f64::from(self.sensor),
                    channel as f64,
                    f64::from(self.scan),
                    f64::from(self.column),
                    wrap_180(beam_deg),
                    laser.elevation_deg,
                    f64::from(number),
                    f64::from(count),
                    range_m,
                    intensity,
                    origin[0],
                    origin[1],
                    origin[2],
                    direction[0],
                    direction[1],
                    direction[2],
                    at[0],
                    at[1],
                    at[2],
                ]);
            };
            let returns = order(shot(&packet.bytes, last), shot(&packet.bytes, strongest));
            let count = returns.iter().filter(|shot| shot.units > 0).count() as u8;
            if count == 0 {
                row(0, 0, f64::NAN, f64::NAN, [f64::NAN; 3]);
            }
            for (number, shot) in (1..=count).zip(returns) {
                let measured_m = f64::from(shot.units) * self.of_model.quantum_m;
                let (range_m, at, intensity) = match self.corrections.get(channel) {
                    Some(correction) => correction.apply(&beam, laser, origin, measured_m, shot),
                    None => {
                        let at = std::array::from_fn(|i| origin[i] + measured_m * direction[i]);
                        (measured_m, at, f64::from(shot.intensity))
                    }
                };
                row(number, count, range_m, intensity / self.of_model.intensity_full, at);
            }
            self.pulse += 1;
        }
    }
}

fn shot(bytes: &[u8; PACKET_LEN], at: usize) -> Shot {
    match bytes.get(at..at + 3) {
        Some(&[low, high, intensity]) => Shot { units: u16::from_le_bytes([low, high]), intensity },
        _ => Shot::default(),
    }
}

/// The returns of a pulse, the nearest first and none last; one that is told twice is one.
fn order(last: Shot, strongest: Shot) -> [Shot; 2] {
    match (last.units, strongest.units) {
        (0, _) => [strongest, Shot::default()],
        (_, 0) => [last, Shot::default()],
        (a, b) if a == b => [strongest, Shot::default()],
        (a, b) if a < b => [last, strongest],
        _ => [strongest, last],
    }
}

/// Time of a packet: of those times past an hour the one nearest to its capture.
fn device_ns(capture_ns: i64, past_hour_us: u32) -> i64 {
    let hour_ns = capture_ns.saturating_sub(capture_ns.rem_euclid(HOUR_NS));
    let time_ns = hour_ns.saturating_add(i64::from(past_hour_us) * 1000);
    let late_ns = time_ns.saturating_sub(capture_ns);
    if late_ns > HOUR_NS / 2 {
        time_ns.saturating_sub(HOUR_NS)
    } else if late_ns < -HOUR_NS / 2 {
        time_ns.saturating_add(HOUR_NS)
    } else {
        time_ns
    }
}

/// An angle between −180° and 180°. All but hostile ones are at most one turn away, and a remainder
/// takes longer than the rest of a row.
fn wrap_180(degrees: f64) -> f64 {
    let turned = if degrees < -180.0 { degrees + 360.0 } else { degrees };
    if (-180.0..=180.0).contains(&turned) {
        turned
    } else {
        (turned + 180.0).rem_euclid(360.0) - 180.0
    }
}

fn u16_at(bytes: &[u8; PACKET_LEN], at: usize) -> u16 {
    let found = bytes.get(at..).and_then(|b| b.first_chunk()).copied();
    u16::from_le_bytes(found.unwrap_or_default())
}

fn u32_at(bytes: &[u8; PACKET_LEN], at: usize) -> u32 {
    let found = bytes.get(at..).and_then(|b| b.first_chunk()).copied();
    u32::from_le_bytes(found.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hour_is_that_of_the_capture_across_its_top() {
        let hour = 500_000 * HOUR_NS;
        let second = 1_000_000_000;
        // Half a second before the top, captured a little after it, and the other way round.
        assert_eq!(device_ns(hour + second, 3_599_500_000), hour - second / 2);
        assert_eq!(device_ns(hour - second, 500_000), hour + second / 2);
        assert_eq!(device_ns(hour + 5 * second, 4_000_000), hour + 4 * second);
        // Times that no clock has are no reason to stop.
        for capture_ns in [i64::MIN, i64::MAX] {
            assert!(device_ns(capture_ns, u32::MAX).abs_diff(capture_ns) <= HOUR_NS as u64);
        }
    }

    #[test]
    fn returns_are_ordered_by_distance_and_twins_are_one() {
        let shot = |units, intensity| Shot { units, intensity };
        let none = Shot::default();
        assert_eq!(order(none, none), [none, none]);
        assert_eq!(order(shot(5, 1), shot(5, 1)), [shot(5, 1), none]);
        assert_eq!(order(shot(9, 1), shot(5, 2)), [shot(5, 2), shot(9, 1)]);
        assert_eq!(order(shot(5, 1), shot(9, 2)), [shot(5, 1), shot(9, 2)]);
        assert_eq!(order(none, shot(9, 2)), [shot(9, 2), none]);
    }
}
