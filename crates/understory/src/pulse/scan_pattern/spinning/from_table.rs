//! The table `[spinning]` of a sensor file with its `[channels]`, checked.

use std::ops::Range;

use understory_files::sensor::{ChannelsFile, SensorFile, Side, SpinningFile};
use understory_files::{Any, Finite, FromZero, List, Numbers, Positive, Spanned, ValueOr, Vector};

use crate::Error;
use crate::pulse::check::Check;
use crate::pulse::scan_pattern::{
    Column, Direction, Firing, Frames, Laser, Spinning, SpinningSpec, Timing, two_block_columns,
    window_columns,
};

/// Most columns of a scan: beyond it a step is surely a slip of the pen.
pub(in crate::pulse::scan_pattern) const COLUMNS_MAX: f64 = 1e6;

impl Check<'_> {
    pub(in crate::pulse::scan_pattern) fn spinning(
        &self,
        spinning: &Spanned<SpinningFile>,
        sensor: &SensorFile,
    ) -> Result<Spinning, Error> {
        let Some(channels) = &sensor.channels else {
            return self.fault(
                &spinning.span(),
                "a spinning sensor needs its channels",
                "add a table [channels] with elevation_deg",
            );
        };
        let span = spinning.span();
        let file = spinning.get_ref();
        let rotation_hz = self.rotation(
            &file.rotation_hz,
            file.rotation_range_hz.as_ref(),
            file.rotation_choices_hz.as_ref(),
        )?;
        let lasers = self.lasers(channels)?;
        let mut firings = self.firings(channels.get_ref().firing_us.as_ref(), lasers.len())?;
        let timing = self.timing(spinning, rotation_hz, lasers.len(), &mut firings)?;
        self.firings_fit(&firings, &timing, channels)?;
        let encoder_step_rad = match (&file.encoder_step_deg, &file.encoder_counts) {
            (None, None) => 0.0,
            (Some(step), None) => step.get().to_radians(),
            (None, Some(counts)) => std::f64::consts::TAU / f64::from(counts.get()),
            (Some(_), Some(counts)) => {
                return self.fault(
                    &counts.span(),
                    "encoder_counts stands beside encoder_step_deg",
                    "give the counts of a revolution, or the step, not both",
                );
            }
        };
        let spec = SpinningSpec {
            rotation_hz,
            direction: file.direction,
            encoder_step_rad,
            lasers,
            firings,
            timing,
        };
        match Spinning::new(spec) {
            Some(spinning) => Ok(spinning),
            None => self.fault(
                &span,
                "the azimuth limits, the step and the rotation leave nothing to measure",
                "check azimuth_min_deg, azimuth_max_deg and the step",
            ),
        }
    }

    /// When the columns fire; orders the firings by block where there are two.
    fn timing(
        &self,
        spinning: &Spanned<SpinningFile>,
        rotation_hz: f64,
        lasers: usize,
        firings: &mut [Firing],
    ) -> Result<Timing, Error> {
        let file = spinning.get_ref();
        let window = self.window(&file.azimuth_min_deg, &file.azimuth_max_deg)?;
        let direction = file.direction;
        let interlace = file.interlace.as_ref().map_or(1, |interlace| interlace.get());
        if let (Some(interlace), None) = (&file.interlace, &file.azimuth_step_deg) {
            return self.fault(
                &interlace.span(),
                "interlace has a meaning only with azimuth_step_deg",
                "remove it or give azimuth_step_deg",
            );
        }
        let framed = |window: [f64; 2], step_deg: f64, at: Range<usize>| -> Result<Timing, Error> {
            if !(step_deg > 0.0 && step_deg <= 360.0 && 360.0 / step_deg <= COLUMNS_MAX) {
                return self.fault(
                    &at,
                    format!("the azimuth step of {step_deg}° gives no sensible number of columns"),
                    "use a step between 0.00036° and 360°",
                );
            }
            let count = firings.len();
            let columns =
                window_columns(window, step_deg, interlace, rotation_hz, direction, count);
            self.framed(f64::from(interlace) / rotation_hz, columns, count, &at)
        };
        // A full circle starts on x, whatever the sense of rotation.
        let full = match direction {
            Direction::Clockwise => [-360.0, 0.0],
            Direction::Counterclockwise => [0.0, 360.0],
        };
        let choices =
            (&file.cycle_us, &file.columns_per_scan, &file.azimuth_step_deg, &file.two_block);
        match choices {
            (Some(cycle), None, None, None) => {
                let cycle_s = cycle.get() / 1e6;
                match window {
                    None if cycle_s * rotation_hz <= 1.0
                        && cycle_s * rotation_hz * COLUMNS_MAX >= 1.0 =>
                    {
                        Ok(Timing::FreeRunning { cycle_s })
                    }
                    None => self.fault(
                        &cycle.span(),
                        format!("a cycle of {} µs does not fit a revolution", cycle.get()),
                        "give the time from one firing of all channels to the next in µs",
                    ),
                    Some(window) => framed(window, 360.0 * rotation_hz * cycle_s, cycle.span()),
                }
            }
            (None, Some(count), None, None) => {
                let columns = f64::from(count.get());
                if window.is_some() {
                    return self.fault(
                        &count.span(),
                        "columns_per_scan divides the full circle, but azimuth limits are given",
                        "remove them, or use azimuth_step_deg",
                    );
                }
                framed(full, 360.0 / columns, count.span())
            }
            (None, None, Some(step), None) => {
                framed(window.unwrap_or(full), step.get(), step.span())
            }
            (None, None, None, Some(two_block)) => {
                let at = two_block.points_per_s.span();
                let points_per_s = two_block.points_per_s.get();
                let block = lasers / 2;
                let cycles = points_per_s / lasers as f64 / 2.0 / rotation_hz;
                if !lasers.is_multiple_of(2) || !(2.0..=COLUMNS_MAX).contains(&cycles) {
                    return self.fault(
                        &at,
                        "the two blocks cannot be read out at this rate",
                        "use an even number of channels, upper block first, and 10⁶ points_per_s",
                    );
                }
                if window.is_some() || direction != Direction::Counterclockwise {
                    return self.fault(
                        &at,
                        "the two-block readout goes counter-clockwise from −180° to 180°",
                        "use direction = \"counterclockwise\" and no azimuth limits",
                    );
                }
                // The upper block's firings first, whatever their times.
                firings.sort_by_key(|firing| usize::from(firing.channel) >= block);
                let columns =
                    two_block_columns(points_per_s, block, rotation_hz, two_block.resolution);
                self.framed(1.0 / rotation_hz, columns, lasers, &at)
            }
            _ => self.fault(
                &spinning.span(),
                "[spinning] needs exactly one of cycle_us, columns_per_scan, azimuth_step_deg and \
                 two_block",
                "keep the one that says when the channels fire",
            ),
        }
    }

    fn framed(
        &self,
        scan_s: f64,
        columns: Vec<Column>,
        firings: usize,
        at: &Range<usize>,
    ) -> Result<Timing, Error> {
        Ok(Timing::Framed(self.frames(scan_s, columns, firings, at)?))
    }

    pub(in crate::pulse::scan_pattern) fn frames(
        &self,
        scan_s: f64,
        columns: Vec<Column>,
        firings: usize,
        at: &Range<usize>,
    ) -> Result<Frames, Error> {
        match Frames::new(scan_s, columns, firings) {
            Some(frames) => Ok(frames),
            None => self.fault(
                at,
                "the azimuth limits, the step and the rotation leave nothing to measure",
                "check azimuth_min_deg, azimuth_max_deg and the step",
            ),
        }
    }

    /// A rate of rotation that the sensor can have.
    pub(in crate::pulse::scan_pattern) fn rotation(
        &self,
        rotation: &Positive,
        range: Option<&Vector<2, Any>>,
        choices: Option<&Numbers>,
    ) -> Result<f64, Error> {
        let rotation_hz = rotation.get();
        if let Some(range) = range {
            let [low, high] = range.get();
            if !(low..=high).contains(&rotation_hz) {
                return self.fault(
                    &rotation.span(),
                    format!("this sensor does not turn at {rotation_hz} Hz"),
                    format!("use {low} to {high} Hz"),
                );
            }
        }
        if let Some(choices) = choices {
            let list = choices.get();
            if !list.iter().any(|choice| (choice - rotation_hz).abs() < 1e-9 * rotation_hz) {
                let words: Vec<String> = list.iter().map(f64::to_string).collect();
                return self.fault(
                    &rotation.span(),
                    format!("this sensor does not turn at {rotation_hz} Hz"),
                    format!("use one of {} Hz", words.join(", ")),
                );
            }
        }
        Ok(rotation_hz)
    }

    /// Both limits of a window of azimuths, or neither.
    pub(in crate::pulse::scan_pattern) fn window(
        &self,
        min: &Option<Finite>,
        max: &Option<Finite>,
    ) -> Result<Option<[f64; 2]>, Error> {
        let (min, max) = match (min, max) {
            (None, None) => return Ok(None),
            (Some(min), Some(max)) => (min, max),
            (Some(one), None) | (None, Some(one)) => {
                return self.fault(
                    &one.span(),
                    "a window has two limits, but one is given",
                    "give both azimuth_min_deg and azimuth_max_deg",
                );
            }
        };
        let (low, high) = (min.get(), max.get());
        if low >= high || high - low > 360.0 || low < -360.0 || high > 360.0 {
            return self.fault(
                &min.span(),
                format!("the azimuth limits {low}° and {high}° hold no window"),
                "make azimuth_min_deg the lesser and keep them within a full circle",
            );
        }
        Ok(Some([low, high]))
    }

    fn lasers(&self, channels: &Spanned<ChannelsFile>) -> Result<Vec<Laser>, Error> {
        let file = channels.get_ref();
        let (elevation_deg, at) = self.elevations(channels)?;
        if elevation_deg.is_empty() || elevation_deg.len() > usize::from(u16::MAX) {
            return self.fault(
                &at,
                format!("a sensor cannot have {} channels", elevation_deg.len()),
                "give one elevation for each channel",
            );
        }
        let count = elevation_deg.len();
        let zeros = vec![0.0; count];
        let per_channel = |numbers: &Option<Numbers>, key: &str| match numbers {
            None => Ok(zeros.clone()),
            Some(numbers) => self.per_channel(numbers, key, count),
        };
        let azimuth_deg = per_channel(&file.azimuth_offset_deg, "azimuth_offset_deg")?;
        let up_mm = per_channel(&file.vertical_offset_mm, "vertical_offset_mm")?;
        let left_mm = per_channel(&file.horizontal_offset_mm, "horizontal_offset_mm")?;
        let forward_mm = file.forward_offset_mm.value_or(0.0);
        let sign = if file.azimuth_offset_positive == Side::Left { 1.0 } else { -1.0 };
        Ok((0..count)
            .map(|channel| Laser {
                elevation_rad: elevation_deg[channel].to_radians(),
                azimuth_offset_rad: sign * azimuth_deg[channel].to_radians(),
                forward_m: forward_mm * 1e-3,
                left_m: left_mm[channel] * 1e-3,
                up_m: up_mm[channel] * 1e-3,
            })
            .collect())
    }

    /// The elevations, and where they stand.
    fn elevations(
        &self,
        channels: &Spanned<ChannelsFile>,
    ) -> Result<(Vec<f64>, Range<usize>), Error> {
        let file = channels.get_ref();
        let even = (&file.elevation_min_deg, &file.elevation_max_deg, &file.count);
        match (&file.elevation_deg, even) {
            (Some(list), (None, None, None)) => Ok((list.get(), list.span())),
            (None, (Some(min), Some(max), Some(count))) => {
                let (low, high, number) = (min.get(), max.get(), count.get());
                if low > high || (number == 1 && low != high) {
                    return self.fault(
                        &count.span(),
                        format!("{number} channels do not fill {low}° to {high}°"),
                        "give at least 2 channels and the lesser elevation as elevation_min_deg",
                    );
                }
                let step = (high - low) / f64::from(number.max(2) - 1);
                let list = (0..number).map(|channel| low + f64::from(channel) * step).collect();
                Ok((list, count.span()))
            }
            _ => self.fault(
                &channels.span(),
                "the elevations of the channels are not given, or given twice",
                "give elevation_deg, or elevation_min_deg, elevation_max_deg and count",
            ),
        }
    }

    pub(in crate::pulse::scan_pattern) fn per_channel<L>(
        &self,
        numbers: &Numbers<L>,
        key: &str,
        count: usize,
    ) -> Result<Vec<f64>, Error> {
        let list = numbers.get();
        if list.len() == count {
            return Ok(list);
        }
        self.fault(
            &numbers.span(),
            format!("{key} has {} values for {count} channels", list.len()),
            "give one value for each channel",
        )
    }

    /// The firings of a cycle in the order of their times; all together if none are given.
    pub(in crate::pulse::scan_pattern) fn firings(
        &self,
        firing_us: Option<&Numbers<FromZero>>,
        count: usize,
    ) -> Result<Vec<Firing>, Error> {
        let offsets_us = match firing_us {
            None => vec![0.0; count],
            Some(numbers) => self.per_channel(numbers, "firing_us", count)?,
        };
        let mut firings: Vec<Firing> = (0u16..)
            .zip(&offsets_us)
            .map(|(channel, offset_us)| Firing { channel, offset_s: offset_us / 1e6 })
            .collect();
        firings.sort_by(|a, b| a.offset_s.total_cmp(&b.offset_s));
        Ok(firings)
    }

    /// Refuses firings that last longer than their column: pulses would no longer be in order.
    fn firings_fit(
        &self,
        firings: &[Firing],
        timing: &Timing,
        channels: &Spanned<ChannelsFile>,
    ) -> Result<(), Error> {
        let room_s = match timing {
            Timing::FreeRunning { cycle_s } => *cycle_s,
            Timing::Framed(frames) => column_room_s(frames),
        };
        let numbers = channels.get_ref().firing_us.as_ref();
        self.firings_within(firings, room_s, &numbers.map_or(channels.span(), List::span))
    }

    pub(in crate::pulse::scan_pattern) fn firings_within(
        &self,
        firings: &[Firing],
        room_s: f64,
        at: &Range<usize>,
    ) -> Result<(), Error> {
        let last_s = firings.iter().map(|firing| firing.offset_s).fold(0.0, f64::max);
        if last_s < room_s {
            return Ok(());
        }
        self.fault(
            at,
            format!(
                "the last channel fires after {:.3} µs, but a cycle lasts {:.3} µs",
                last_s * 1e6,
                room_s * 1e6
            ),
            "lengthen the cycle, turn slower, or correct firing_us",
        )
    }
}

/// Time from one column to the next.
pub(in crate::pulse::scan_pattern) fn column_room_s(frames: &Frames) -> f64 {
    let gap = |pair: &[Column]| pair[1].time_s - pair[0].time_s;
    frames.columns().windows(2).map(gap).fold(frames.scan_s(), f64::min)
}
