//! Records → Velodyne's packets.
//!
//! Each row is put into the firing to which its time belongs: the time minus the laser's own delay
//! is the start of the firing. A packet is complete when a row of a later one comes. Firings and
//! lasers without a row have no return, and whole packets of them are sent too, as a sensor under
//! the open sky does.
//!
//! The azimuth of a block is the reading of the encoder at the start of its firing, out of the
//! azimuth that the sensor reports: α = δ − azimuth − ω·t, with the laser's offset δ to the left,
//! its delay t and the clockwise speed ω.
//!
//! With two returns per laser the packet has the last and the strongest; if the strongest is the
//! last, the second strongest goes in its place, as the manuals say. A single return is told twice.

use super::position::PositionPackets;
use super::status::StatusWriter;
use super::{AZIMUTH_STEPS, DATA_PORT, HOUR_NS, Layout, PACKET_LEN, model_facts};
use crate::{
    CloudError, Emit, Packet, PacketEncoder, Records, ReportedReturns, SensorDescription,
    VelodyneModel,
};

/// Longest gap that is filled with packets without a return: a revolution, and so many packets
/// however slowly the head turns.
const GAP_REVOLUTIONS: f64 = 1.0;
const GAP_PACKETS: f64 = 20_000.0;

/// One measurement as a packet has it, with what it is chosen by.
#[derive(Clone, Copy, Debug, Default)]
struct Shot {
    units: u16,
    intensity: u8,
    strength: f32,
}

/// The returns of one pulse.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    returns: u8,
    first: Shot,
    last: Shot,
    strongest: Shot,
    second: Shot,
}

impl Slot {
    fn add(&mut self, shot: Shot) {
        if self.returns == 0 {
            (self.first, self.last, self.strongest, self.second) = (shot, shot, shot, shot);
        } else {
            if shot.units < self.first.units {
                self.first = shot;
            }
            if shot.units > self.last.units {
                self.last = shot;
            }
            if shot.strength > self.strongest.strength {
                self.second = self.strongest;
                self.strongest = shot;
            } else if self.returns == 1 || shot.strength > self.second.strength {
                self.second = shot;
            }
        }
        self.returns = self.returns.saturating_add(1);
    }

    /// The returns that a packet holds: the last and the strongest, or one twice.
    fn choose(&self, mode: ReportedReturns) -> [Shot; 2] {
        match mode {
            ReportedReturns::First => [self.first; 2],
            ReportedReturns::Last => [self.last; 2],
            ReportedReturns::Strongest => [self.strongest; 2],
            ReportedReturns::StrongestAndLast | ReportedReturns::All => {
                if self.strongest.units != self.last.units {
                    [self.last, self.strongest]
                } else if self.second.units != self.last.units {
                    [self.strongest, self.second]
                } else {
                    [self.strongest; 2]
                }
            }
        }
    }
}

/// The last two bytes of packets.
enum Ending {
    /// Return mode and product.
    Fixed([u8; 2]),
    /// Status bytes of an HDL-64E.
    Status(Box<StatusWriter>),
}

/// A laser's delay, and what makes the encoder's reading of its azimuth.
struct Channel {
    firing_s: f64,
    shift_deg: f64,
}

/// What could not be kept.
#[derive(Default)]
struct Lost {
    more_returns: u64,
    too_far: u64,
    too_near: u64,
    bright: u64,
    late: u64,
}

/// Turns records of one sensor into Velodyne's packets.
pub(crate) struct Encoder {
    name: String,
    mode: ReportedReturns,
    layout: Layout,
    channels: Vec<Channel>,
    cycle_s: f64,
    columns_per_s: f64,
    /// Speed of the head, clockwise.
    turn_deg_per_s: f64,
    units_per_m: f64,
    range_max_m: f64,
    intensity_full: f32,
    ending: Ending,
    /// From the first firing to the moment that the time of a packet tells, and to the last one.
    stamp_s: f64,
    end_s: f64,
    packets_per_gap: f64,
    start_unix_ns: i64,
    positions: PositionPackets,
    /// Start of the first firing of the packet that is being filled.
    first_s: Option<f64>,
    /// Readings of the encoder by firing; NaN where no row told.
    azimuths_deg: Vec<f64>,
    slots: Vec<Slot>,
    /// A time and the reading at it.
    known: Option<(f64, f64)>,
    bytes: [u8; PACKET_LEN],
    lost: Lost,
}

impl Encoder {
    /// An encoder for a unit of `model`.
    pub(crate) fn new(
        model: VelodyneModel,
        facts: &SensorDescription,
        start_unix_ns: i64,
    ) -> Result<Encoder, CloudError> {
        let of_model = model_facts(model);
        let refuse = |what: String| CloudError::Unpackable { sensor: facts.name.clone(), what };
        if facts.lasers.len() != of_model.lasers {
            return Err(refuse(format!(
                "it has {} lasers, but packets of a {} hold {}; correct its channels or its packets",
                facts.lasers.len(),
                of_model.title,
                of_model.lasers
            )));
        }
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let spin = facts.spin.filter(|s| positive(s.rotation_hz) && positive(s.cycle_s));
        let Some(spin) = spin else {
            return Err(refuse("its head does not turn; choose a spinning sensor".to_owned()));
        };
        let dual =
            matches!(facts.returns, ReportedReturns::StrongestAndLast | ReportedReturns::All);
        // Modes have no number for the first return; such a sensor would call it its strongest.
        let (mode_byte, mode_number) = match facts.returns {
            ReportedReturns::First | ReportedReturns::Strongest => (0x37, 0),
            ReportedReturns::Last => (0x38, 1),
            ReportedReturns::StrongestAndLast | ReportedReturns::All => (0x39, 2),
        };
        let turn_deg_per_s = spin.rotation_hz * if spin.clockwise { 360.0 } else { -360.0 };
        let layout = Layout::new(of_model.lasers, dual);
        let last_firing_s = facts.lasers.iter().map(|laser| laser.firing_s).fold(0.0, f64::max);
        let stamp_s = match model {
            VelodyneModel::Vls128 => facts.lasers.get(24).map_or(0.0, |laser| laser.firing_s),
            _ => 0.0,
        };
        let is_s3 = model == VelodyneModel::Hdl64eS3;
        Ok(Encoder {
            name: facts.name.clone(),
            mode: facts.returns,
            channels: facts
                .lasers
                .iter()
                .map(|laser| Channel {
                    firing_s: laser.firing_s,
                    shift_deg: laser.azimuth_offset_deg - turn_deg_per_s * laser.firing_s,
                })
                .collect(),
            cycle_s: spin.cycle_s,
            columns_per_s: 1.0 / spin.cycle_s,
            turn_deg_per_s,
            units_per_m: 1.0 / of_model.quantum_m,
            range_max_m: of_model.quantum_m * f64::from(u16::MAX),
            intensity_full: of_model.intensity_full as f32,
            ending: match of_model.product {
                Some(product) => Ending::Fixed([mode_byte, product]),
                None => Ending::Status(Box::new(StatusWriter::new(
                    is_s3,
                    facts,
                    spin.rotation_hz,
                    mode_number,
                ))),
            },
            stamp_s,
            end_s: (layout.columns - 1) as f64 * spin.cycle_s + last_firing_s,
            packets_per_gap: (GAP_REVOLUTIONS
                / (spin.rotation_hz * spin.cycle_s * layout.columns as f64))
                .min(GAP_PACKETS),
            start_unix_ns,
            positions: PositionPackets::new(),
            first_s: None,
            azimuths_deg: vec![f64::NAN; layout.columns],
            slots: vec![Slot::default(); layout.slots.len()],
            known: None,
            bytes: [0; PACKET_LEN],
            lost: Lost::default(),
            layout,
        })
    }

    /// The firing that starts at `time_s`, after packets before it are sent; none if it is late.
    fn column(&mut self, time_s: f64, emit: &mut Emit<'_>) -> Result<Option<usize>, CloudError> {
        let Some(first_s) = self.first_s else {
            self.first_s = Some(time_s);
            return Ok(Some(0));
        };
        let columns = self.layout.columns as f64;
        // Rounded by cutting, which is much faster.
        let steps = (time_s - first_s) * self.columns_per_s + 0.5;
        if steps < 0.0 {
            self.lost.late += 1;
            return Ok(None);
        }
        if steps < columns {
            return Ok(Some(steps as usize));
        }
        let steps = steps.floor();
        self.send(first_s, emit)?;
        let packets = (steps / columns).floor();
        let column = if packets > 1.0 + self.packets_per_gap {
            0.0
        } else {
            for packet in 1..packets as u32 {
                self.send(first_s + f64::from(packet) * columns * self.cycle_s, emit)?;
            }
            steps - packets * columns
        };
        self.first_s = Some(time_s - column * self.cycle_s);
        Ok(Some(column as usize))
    }

    /// Sends the packet whose first firing starts at `first_s`, and empties it.
    fn send(&mut self, first_s: f64, emit: &mut Emit<'_>) -> Result<(), CloudError> {
        for (column, azimuth) in (0..).zip(&mut self.azimuths_deg) {
            let time_s = first_s + f64::from(column) * self.cycle_s;
            if azimuth.is_nan() {
                // The encoder's zero looks along x at time 0.
                let (known_s, known_deg) = self.known.unwrap_or((0.0, 0.0));
                *azimuth = known_deg + self.turn_deg_per_s * (time_s - known_s);
            } else {
                self.known = Some((time_s, *azimuth));
            }
        }
        for block in &self.layout.blocks {
            let degrees = self.azimuths_deg.get(block.column).copied().unwrap_or(0.0);
            let steps = (degrees * 100.0).round().rem_euclid(f64::from(AZIMUTH_STEPS)) as u16;
            let [a, b] = block.flag.to_le_bytes();
            let [c, d] = steps.to_le_bytes();
            put(&mut self.bytes, block.offset, [a, b, c, d]);
        }
        let two = matches!(self.mode, ReportedReturns::StrongestAndLast | ReportedReturns::All);
        let held = if two { 2 } else { 1 };
        for (slot, &[last, strongest]) in self.slots.iter_mut().zip(&self.layout.slots) {
            let chosen = slot.choose(self.mode);
            self.lost.more_returns += u64::from(slot.returns.saturating_sub(held));
            for (at, shot) in [(last, chosen[0]), (strongest, chosen[1])] {
                let [low, high] = shot.units.to_le_bytes();
                put(&mut self.bytes, at, [low, high, shot.intensity]);
            }
            *slot = Slot::default();
        }
        self.azimuths_deg.fill(f64::NAN);
        let unix_ns =
            |time_s: f64| self.start_unix_ns.saturating_add((time_s * 1e9).round() as i64);
        let stamp_ns = unix_ns(first_s + self.stamp_s);
        let stamp_us = (stamp_ns.saturating_add(500).rem_euclid(HOUR_NS) / 1000) as u32;
        let ending = match &mut self.ending {
            Ending::Fixed(bytes) => *bytes,
            Ending::Status(status) => status.next(stamp_ns),
        };
        put(&mut self.bytes, PACKET_LEN - 6, stamp_us.to_le_bytes());
        put(&mut self.bytes, PACKET_LEN - 2, ending);
        let time_s = first_s + self.end_s;
        let now_ns = unix_ns(time_s);
        if let Some(position) = self.positions.next(time_s, now_ns) {
            emit(position)?;
        }
        emit(Packet { time_s, port: DATA_PORT, bytes: &self.bytes })
    }

    /// A return as the packet has it, if it can.
    fn shot(&mut self, range_m: f32, intensity: f32) -> Option<Shot> {
        // Rounded by cutting; no number becomes 0, and so does what is below it.
        let units = (f64::from(range_m) * self.units_per_m + 0.5) as u32;
        if units == 0 {
            self.lost.too_near += 1;
            return None;
        }
        let Ok(units) = u16::try_from(units) else {
            self.lost.too_far += 1;
            return None;
        };
        let byte = intensity * self.intensity_full + 0.5;
        self.lost.bright += u64::from(byte >= 256.0);
        Some(Shot { units, intensity: byte as u8, strength: intensity.max(0.0) })
    }
}

fn put<const N: usize>(bytes: &mut [u8; PACKET_LEN], at: usize, value: [u8; N]) {
    if let Some(place) = bytes.get_mut(at..at + N) {
        place.copy_from_slice(&value);
    }
}

impl PacketEncoder for Encoder {
    fn push(
        &mut self,
        records: &Records,
        rows: &[usize],
        emit: &mut Emit<'_>,
    ) -> Result<(), CloudError> {
        records.check_even()?;
        for &row in rows.iter().filter(|&&row| row < records.len()) {
            let channel = usize::from(records.channel[row]);
            let refuse = |name: &str, what: String| {
                let pulse = records.pulse[row];
                let what = format!("pulse {pulse} {what}");
                CloudError::Unpackable { sensor: name.to_owned(), what }
            };
            let Some(laser) = self.channels.get(channel) else {
                let lasers = self.channels.len();
                let what = format!(
                    "is of channel {channel}, but there are {lasers} lasers; name the sensor that it is of"
                );
                return Err(refuse(&self.name, what));
            };
            let shift_deg = laser.shift_deg;
            let start_s = records.time_s[row] - laser.firing_s;
            if !start_s.is_finite() {
                let what = "has no time, without which no packet can be made; give times";
                return Err(refuse(&self.name, what.to_owned()));
            }
            let Some(column) = self.column(start_s, emit)? else { continue };
            if let Some(azimuth) = self.azimuths_deg.get_mut(column)
                && azimuth.is_nan()
            {
                *azimuth = shift_deg - f64::from(records.azimuth_deg[row]);
            }
            if records.return_number[row] == 0 {
                continue;
            }
            if let Some(shot) = self.shot(records.range_m[row], records.intensity[row])
                && let Some(slot) = self.slots.get_mut(column * self.channels.len() + channel)
            {
                slot.add(shot);
            }
        }
        Ok(())
    }

    fn finish(&mut self, emit: &mut Emit<'_>) -> Result<(), CloudError> {
        match self.first_s.take() {
            Some(first_s) => self.send(first_s, emit),
            None => Ok(()),
        }
    }

    fn dropped_fields(&self) -> Vec<String> {
        let Lost { more_returns, too_far, too_near, bright, late } = self.lost;
        let held = if self.mode == ReportedReturns::StrongestAndLast { "second" } else { "first" };
        let far = format!("returns beyond {:.2} m", self.range_max_m);
        [
            (more_returns, format!("returns beyond the {held} of a pulse")),
            (too_far, far),
            (too_near, "returns at the sensor itself".to_owned()),
            (bright, "intensities above the largest byte, cut to it".to_owned()),
            (late, "rows that came after later ones".to_owned()),
        ]
        .into_iter()
        .filter(|&(count, _)| count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect()
    }
}
