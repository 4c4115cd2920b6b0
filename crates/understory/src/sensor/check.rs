//! From a sensor file as typed to a sound [`Sensor`], or one sentence about the first fault.

use std::f64::consts::LN_2;
use std::ops::Range;
use std::path::Path;

use glam::DVec3;
use toml::Spanned;

use super::file::{
    BeamFile, ChannelsFile, DetectorFile, DivergenceWidth, Number, Numbers, SensorFile, Side,
    SpinningFile, TableCsvRow, TableFile,
};
use super::{RotationLimits, Sensor};
use crate::Error;
use crate::beam::{BeamSpec, Sampling, SpotShape};
use crate::detector::{DetectorSpec, WindowRange};
use crate::scan_pattern::{
    Column, Direction, Firing, Kind, Laser, ScanPattern, Spinning, SpinningSpec, Table, TableRow,
    Timing, two_block_columns, window_columns,
};
use crate::toml_file::Layers;
use crate::trajectory::Pose;

/// Most columns of a scan: beyond it a step is surely a slip of the pen.
const COLUMNS_MAX: f64 = 1e6;
/// Most sub-rays of a pulse.
const RAYS_MAX: u32 = 4096;

/// Builds the sensor; `layers` knows where each value was written.
pub(super) fn sensor(name: &str, file: SensorFile, layers: &Layers<'_>) -> Result<Sensor, Error> {
    let check = Check { layers };
    let wavelength_nm = check.positive(&file.wavelength_nm, "wavelength_nm")?;
    if !(200.0..=20_000.0).contains(&wavelength_nm) {
        return Err(layers.invalid(
            &file.wavelength_nm.span(),
            format!("the wavelength {wavelength_nm} nm is no laser's"),
            "give it in nanometres, for example 905",
        ));
    }
    let (kind, rotation_limits) = match (&file.spinning, &file.table) {
        (Some(spinning), None) => {
            let Some(channels) = &file.channels else {
                return Err(layers.invalid(
                    &spinning.span(),
                    "a spinning sensor needs its channels",
                    "add a table [channels] with elevation_deg",
                ));
            };
            let kind = Kind::Spinning(check.spinning(spinning, channels)?);
            (kind, limits(spinning.get_ref()))
        }
        (None, Some(table)) => {
            if let Some(channels) = &file.channels {
                return Err(layers.invalid(
                    &channels.span(),
                    "[channels] has no meaning beside [table]",
                    "remove it and put the directions into the rows of the table",
                ));
            }
            (Kind::Table(check.table(table)?), RotationLimits::None)
        }
        (Some(_), Some(table)) => {
            return Err(layers.invalid(
                &table.span(),
                "a sensor has one pattern, but both [spinning] and [table] are given",
                "keep one of them",
            ));
        }
        (None, None) => {
            return Err(layers.invalid(
                &(0..0),
                "the sensor has no scan pattern",
                "add a table [spinning] or [table]",
            ));
        }
    };
    let sensor_from_lidar = match &file.mount {
        None => Pose::IDENTITY,
        Some(mount) => {
            let position = check.all_finite(&mount.position_mm, "position_mm")?;
            let rpy = check.all_finite(&mount.rpy_deg, "rpy_deg")?;
            let mut pose = Pose::from_position_and_rpy_deg([0.0; 3], *rpy);
            pose.translation = DVec3::from(*position) * 1e-3;
            pose
        }
    };
    Ok(Sensor {
        name: name.to_string(),
        title: file.title,
        maker: file.maker,
        description: file.description,
        wavelength_nm,
        pattern: ScanPattern::new(kind, sensor_from_lidar),
        beam: check.beam(&file.beam)?,
        detector: check.detector(&file.detector)?,
        rotation_limits,
        sources: file.sources,
        uncertain: file.uncertain.into_iter().map(Spanned::into_inner).collect(),
    })
}

fn limits(spinning: &SpinningFile) -> RotationLimits {
    match (&spinning.rotation_range_hz, &spinning.rotation_choices_hz) {
        (_, Some(choices)) => RotationLimits::Choices(choices.get_ref().clone()),
        (Some(range), None) => RotationLimits::Range(*range.get_ref()),
        (None, None) => RotationLimits::None,
    }
}

struct Check<'a> {
    layers: &'a Layers<'a>,
}

impl Check<'_> {
    fn fault<T>(
        &self,
        span: &Range<usize>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Result<T, Error> {
        Err(self.layers.invalid(span, problem, remedy))
    }

    fn finite(&self, number: &Number, key: &str) -> Result<f64, Error> {
        let value = *number.get_ref();
        if value.is_finite() {
            return Ok(value);
        }
        self.fault(&number.span(), format!("{key} is {value}"), "give it a finite number")
    }

    fn positive(&self, number: &Number, key: &str) -> Result<f64, Error> {
        let value = self.finite(number, key)?;
        if value > 0.0 {
            return Ok(value);
        }
        self.fault(&number.span(), format!("{key} is {value}"), "give it a number above 0")
    }

    fn not_negative(&self, number: &Number, key: &str) -> Result<f64, Error> {
        let value = self.finite(number, key)?;
        if value >= 0.0 {
            return Ok(value);
        }
        self.fault(&number.span(), format!("{key} is {value}"), "give it 0 or a positive number")
    }

    fn all_finite<'n, L: AsRef<[f64]>>(
        &self,
        numbers: &'n Spanned<L>,
        key: &str,
    ) -> Result<&'n L, Error> {
        match numbers.get_ref().as_ref().iter().find(|value| !value.is_finite()) {
            None => Ok(numbers.get_ref()),
            Some(value) => {
                self.fault(&numbers.span(), format!("{key} holds {value}"), "use finite numbers")
            }
        }
    }

    fn beam(&self, file: &BeamFile) -> Result<BeamSpec, Error> {
        let horizontal =
            self.not_negative(&file.divergence_horizontal_mrad, "divergence_horizontal_mrad")?;
        let vertical =
            self.not_negative(&file.divergence_vertical_mrad, "divergence_vertical_mrad")?;
        for (value, number) in [
            (horizontal, &file.divergence_horizontal_mrad),
            (vertical, &file.divergence_vertical_mrad),
        ] {
            if value > 1000.0 {
                return self.fault(
                    &number.span(),
                    format!("a divergence of {value} mrad is no beam"),
                    "give the full angle in milliradians, for example 3.0",
                );
            }
        }
        let aperture = |number: &Option<Number>, key| match number {
            Some(number) => self.not_negative(number, key),
            None => Ok(0.0),
        };
        let width_mm = aperture(&file.aperture_horizontal_mm, "aperture_horizontal_mm")?;
        let height_mm = aperture(&file.aperture_vertical_mm, "aperture_vertical_mm")?;
        if file.spot_shape == SpotShape::Circular {
            if horizontal != vertical {
                return self.fault(
                    &file.divergence_vertical_mrad.span(),
                    format!("a circular spot cannot diverge by {horizontal} × {vertical} mrad"),
                    "make both divergences equal, or use spot_shape = \"elliptical\"",
                );
            }
            if width_mm != height_mm {
                let number =
                    file.aperture_vertical_mm.as_ref().or(file.aperture_horizontal_mm.as_ref());
                return self.fault(
                    &number.map_or(0..0, Spanned::span),
                    format!(
                        "a circular spot cannot leave the sensor as {width_mm} × {height_mm} mm"
                    ),
                    "make both apertures equal, or use spot_shape = \"elliptical\"",
                );
            }
        }
        let rays = match &file.rays {
            None => 9,
            Some(rays) if (1..=RAYS_MAX).contains(rays.get_ref()) => *rays.get_ref(),
            Some(rays) => {
                return self.fault(
                    &rays.span(),
                    format!("rays is {}", rays.get_ref()),
                    format!("use 1 to {RAYS_MAX} sub-rays"),
                );
            }
        };
        // A Gaussian's 1/e² full width is √(2/ln 2) = 1.6986 times its full width at half maximum.
        let widen = match file.divergence_width {
            DivergenceWidth::Full | DivergenceWidth::InverseESquared => 1.0,
            DivergenceWidth::Fwhm => (2.0 / LN_2).sqrt(),
        };
        Ok(BeamSpec {
            shape: file.spot_shape,
            divergence_horizontal_rad: horizontal * widen * 1e-3,
            divergence_vertical_rad: vertical * widen * 1e-3,
            aperture_horizontal_m: width_mm * 1e-3,
            aperture_vertical_m: height_mm * 1e-3,
            sampling: file.sampling.unwrap_or(Sampling::Matched),
            rays: rays as usize,
        })
    }

    fn detector(&self, file: &DetectorFile) -> Result<DetectorSpec, Error> {
        let range_min_m = self.not_negative(&file.range_min_m, "range_min_m")?;
        let range_max_m = self.positive(&file.range_max_m, "range_max_m")?;
        if range_min_m >= range_max_m {
            return self.fault(
                &file.range_min_m.span(),
                format!("range_min_m {range_min_m} is not below range_max_m {range_max_m}"),
                "lower range_min_m or raise range_max_m",
            );
        }
        let range_quantum_m = match &file.range_quantum_m {
            Some(number) => self.not_negative(number, "range_quantum_m")?,
            None => 0.0,
        };
        let range_offset_m = match &file.range_offset_mm {
            Some(number) => self.finite(number, "range_offset_mm")? * 1e-3,
            None => 0.0,
        };
        let max_returns = match &file.max_returns {
            None => 5,
            Some(count) if (1..=15).contains(count.get_ref()) => *count.get_ref(),
            Some(count) => {
                return self.fault(
                    &count.span(),
                    format!("max_returns is {}", count.get_ref()),
                    "use 1 to 15",
                );
            }
        };
        Ok(DetectorSpec {
            range_min_m,
            range_max_m,
            range_quantum_m,
            range_offset_m,
            mode: file.return_mode,
            signal_cutoff_m: self.not_negative(&file.signal_cutoff_m, "signal_cutoff_m")?,
            window: file.window.unwrap_or(WindowRange::Mean),
            max_returns,
        })
    }

    fn spinning(
        &self,
        spinning: &Spanned<SpinningFile>,
        channels: &Spanned<ChannelsFile>,
    ) -> Result<Spinning, Error> {
        let span = spinning.span();
        let file = spinning.get_ref();
        let rotation_hz = self.rotation(file)?;
        let lasers = self.lasers(channels)?;
        let mut firings = self.firings(channels.get_ref(), lasers.len())?;
        let window = self.window(file)?;
        let direction = file.direction;
        let interlace = match &file.interlace {
            Some(interlace) if !(1..=64).contains(interlace.get_ref()) => {
                return self.fault(
                    &interlace.span(),
                    format!("interlace is {}", interlace.get_ref()),
                    "use 1 for none, or the number of revolutions of a scan, at most 64",
                );
            }
            Some(interlace) => *interlace.get_ref(),
            None => 1,
        };
        if let (Some(interlace), None) = (&file.interlace, &file.azimuth_step_deg) {
            return self.fault(
                &interlace.span(),
                "interlace has a meaning only with azimuth_step_deg",
                "remove it or give azimuth_step_deg",
            );
        }
        let framed = |window: [f64; 2], step_deg: f64, at: Range<usize>| -> Result<Timing, Error> {
            if !(step_deg > 0.0 && 360.0 / step_deg <= COLUMNS_MAX) {
                return self.fault(
                    &at,
                    format!("the azimuth step of {step_deg}° gives no sensible number of columns"),
                    "use a step between 0.00036° and 360°",
                );
            }
            Ok(Timing::Framed {
                scan_s: f64::from(interlace) / rotation_hz,
                columns: window_columns(window, step_deg, interlace, rotation_hz, direction),
                firings_per_column: firings.len(),
            })
        };
        // A full circle starts on x, whatever the sense of rotation.
        let full = match direction {
            Direction::Clockwise => [-360.0, 0.0],
            Direction::Counterclockwise => [0.0, 360.0],
        };
        let choices =
            (&file.cycle_us, &file.columns_per_scan, &file.azimuth_step_deg, &file.two_block);
        let timing = match choices {
            (Some(cycle), None, None, None) => {
                let cycle_s = self.positive(cycle, "cycle_us")? / 1e6;
                match window {
                    None if cycle_s * rotation_hz <= 1.0
                        && cycle_s * rotation_hz * COLUMNS_MAX >= 1.0 =>
                    {
                        Timing::FreeRunning { cycle_s }
                    }
                    None => {
                        return self.fault(
                            &cycle.span(),
                            format!("a cycle of {} µs does not fit a revolution", cycle.get_ref()),
                            "give the time from one firing of all channels to the next in µs",
                        );
                    }
                    Some(window) => framed(window, 360.0 * rotation_hz * cycle_s, cycle.span())?,
                }
            }
            (None, Some(count), None, None) => {
                let columns = f64::from(*count.get_ref());
                if window.is_some() {
                    return self.fault(
                        &count.span(),
                        "columns_per_scan divides the full circle, but azimuth limits are given",
                        "remove them, or use azimuth_step_deg",
                    );
                }
                framed(full, 360.0 / columns, count.span())?
            }
            (None, None, Some(step), None) => {
                let step_deg = self.positive(step, "azimuth_step_deg")?;
                framed(window.unwrap_or(full), step_deg, step.span())?
            }
            (None, None, None, Some(two_block)) => {
                let at = two_block.points_per_s.span();
                let points_per_s = self.positive(&two_block.points_per_s, "points_per_s")?;
                let block = lasers.len() / 2;
                let cycles = points_per_s / lasers.len() as f64 / 2.0 / rotation_hz;
                if lasers.len() % 2 != 0 || !(2.0..=COLUMNS_MAX).contains(&cycles) {
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
                Timing::Framed { scan_s: 1.0 / rotation_hz, columns, firings_per_column: block }
            }
            _ => {
                return self.fault(
                    &span,
                    "[spinning] needs exactly one of cycle_us, columns_per_scan, azimuth_step_deg \
                     and two_block",
                    "keep the one that says when the channels fire",
                );
            }
        };
        self.firings_fit(&firings, &timing, channels)?;
        let encoder_step_rad = match (&file.encoder_step_deg, &file.encoder_counts) {
            (None, None) => 0.0,
            (Some(step), None) => self.not_negative(step, "encoder_step_deg")?.to_radians(),
            (None, Some(counts)) if *counts.get_ref() > 0 => {
                std::f64::consts::TAU / f64::from(*counts.get_ref())
            }
            (_, Some(counts)) => {
                return self.fault(
                    &counts.span(),
                    "encoder_counts is 0 or stands beside encoder_step_deg",
                    "give the counts of a revolution, or the step, not both",
                );
            }
        };
        let spec =
            SpinningSpec { rotation_hz, direction, encoder_step_rad, lasers, firings, timing };
        match Spinning::new(spec) {
            Some(spinning) => Ok(spinning),
            None => self.fault(
                &span,
                "the azimuth limits, the step and the rotation leave nothing to measure",
                "check azimuth_min_deg, azimuth_max_deg and the step",
            ),
        }
    }

    fn rotation(&self, file: &SpinningFile) -> Result<f64, Error> {
        let rotation_hz = self.positive(&file.rotation_hz, "rotation_hz")?;
        let at = file.rotation_hz.span();
        if let Some(range) = &file.rotation_range_hz {
            let [low, high] = *self.all_finite(range, "rotation_range_hz")?;
            if !(low..=high).contains(&rotation_hz) {
                return self.fault(
                    &at,
                    format!("this sensor does not turn at {rotation_hz} Hz"),
                    format!("use {low} to {high} Hz"),
                );
            }
        }
        if let Some(choices) = &file.rotation_choices_hz {
            let list = self.all_finite(choices, "rotation_choices_hz")?;
            if !list.iter().any(|choice| (choice - rotation_hz).abs() < 1e-9 * rotation_hz) {
                let words: Vec<String> = list.iter().map(f64::to_string).collect();
                return self.fault(
                    &at,
                    format!("this sensor does not turn at {rotation_hz} Hz"),
                    format!("use one of {} Hz", words.join(", ")),
                );
            }
        }
        Ok(rotation_hz)
    }

    fn window(&self, file: &SpinningFile) -> Result<Option<[f64; 2]>, Error> {
        let (min, max) = match (&file.azimuth_min_deg, &file.azimuth_max_deg) {
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
        let low = self.finite(min, "azimuth_min_deg")?;
        let high = self.finite(max, "azimuth_max_deg")?;
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
        if let Some(steep) = elevation_deg.iter().find(|angle| angle.abs() > 90.0) {
            return self.fault(
                &at,
                format!("an elevation of {steep}° does not exist"),
                "use −90° to 90°",
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
        let forward_mm = match &file.forward_offset_mm {
            Some(number) => self.finite(number, "forward_offset_mm")?,
            None => 0.0,
        };
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
            (Some(list), (None, None, None)) => {
                Ok((self.all_finite(list, "elevation_deg")?.clone(), list.span()))
            }
            (None, (Some(min), Some(max), Some(count))) => {
                let low = self.finite(min, "elevation_min_deg")?;
                let high = self.finite(max, "elevation_max_deg")?;
                let number = *count.get_ref();
                if low > high || number == 0 || (number == 1 && low != high) {
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

    fn per_channel(&self, numbers: &Numbers, key: &str, count: usize) -> Result<Vec<f64>, Error> {
        let list = self.all_finite(numbers, key)?;
        if list.len() == count {
            return Ok(list.clone());
        }
        self.fault(
            &numbers.span(),
            format!("{key} has {} values for {count} channels", list.len()),
            "give one value for each channel",
        )
    }

    /// The firings of a cycle in the order of their times; all together if none are given.
    fn firings(&self, file: &ChannelsFile, count: usize) -> Result<Vec<Firing>, Error> {
        let offsets_us = match &file.firing_us {
            None => vec![0.0; count],
            Some(numbers) => {
                let list = self.per_channel(numbers, "firing_us", count)?;
                if let Some(early) = list.iter().find(|offset| **offset < 0.0) {
                    return self.fault(
                        &numbers.span(),
                        format!("firing_us holds {early}"),
                        "count the times from the start of the cycle",
                    );
                }
                list
            }
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
            Timing::Framed { scan_s, columns, .. } => {
                let gap = |pair: &[Column]| pair[1].time_s - pair[0].time_s;
                columns.windows(2).map(gap).fold(*scan_s, f64::min)
            }
        };
        let last_s = firings.iter().map(|firing| firing.offset_s).fold(0.0, f64::max);
        if last_s < room_s {
            return Ok(());
        }
        let numbers = channels.get_ref().firing_us.as_ref();
        self.fault(
            &numbers.map_or(channels.span(), Spanned::span),
            format!(
                "the last channel fires after {:.3} µs, but a cycle lasts {:.3} µs",
                last_s * 1e6,
                room_s * 1e6
            ),
            "lengthen the cycle, turn slower, or correct firing_us",
        )
    }

    fn table(&self, table: &Spanned<TableFile>) -> Result<Table, Error> {
        let file = table.get_ref();
        let cycle_s = self.positive(&file.cycle_s, "cycle_s")?;
        let columns = (&file.time_s, &file.azimuth_deg, &file.elevation_deg);
        let rows = match (&file.file, columns) {
            (Some(name), (None, None, None)) => self.rows_of_file(name)?,
            (None, (Some(time), Some(azimuth), Some(elevation))) => {
                let times = self.all_finite(time, "time_s")?;
                let azimuths = self.per_channel(azimuth, "azimuth_deg", times.len())?;
                let elevations = self.per_channel(elevation, "elevation_deg", times.len())?;
                let channel = file.channel.as_ref().map(Spanned::get_ref);
                if let (Some(list), Some(at)) = (channel, &file.channel)
                    && list.len() != times.len()
                {
                    return self.fault(
                        &at.span(),
                        format!("channel has {} values for {} rows", list.len(), times.len()),
                        "give one channel for each row",
                    );
                }
                (0..times.len())
                    .map(|row| TableRow {
                        time_s: times[row],
                        azimuth_rad: azimuths[row].to_radians(),
                        elevation_rad: elevations[row].to_radians(),
                        channel: channel.map_or(0, |list| list[row]),
                    })
                    .collect()
            }
            _ => {
                return self.fault(
                    &table.span(),
                    "the rows of the table are not given, or given twice",
                    "give time_s, azimuth_deg and elevation_deg, or the file that holds them",
                );
            }
        };
        match Table::new(cycle_s, rows) {
            Some(table) => Ok(table),
            None => self.fault(
                &file.cycle_s.span(),
                "the table is empty, or its times do not rise from 0 to below cycle_s",
                "sort the rows by time and give a cycle_s after the last of them",
            ),
        }
    }

    fn rows_of_file(&self, name: &Spanned<String>) -> Result<Vec<TableRow>, Error> {
        // Beside the file that names it.
        let place = self.layers.place(&name.span());
        let named_in = place.rsplit_once(':').map_or(place.as_str(), |(path, _)| path);
        let path = Path::new(named_in).parent().unwrap_or(Path::new("")).join(name.get_ref());
        let file = std::fs::File::open(&path)
            .map_err(|source| Error::Read { path: path.clone(), source })?;
        let mut rows = Vec::new();
        for (index, row) in csv::Reader::from_reader(file).deserialize::<TableCsvRow>().enumerate()
        {
            let row = row.map_err(|error| {
                let line = error.position().map_or(index as u64 + 2, csv::Position::line);
                Error::Invalid {
                    place: format!("{}:{line}", path.display()),
                    problem: format!("this row cannot be read: {error}"),
                    remedy: "write the columns time_s, azimuth_deg, elevation_deg and, if there \
                             are several, channel"
                        .into(),
                }
            })?;
            rows.push(TableRow {
                time_s: row.time_s,
                azimuth_rad: row.azimuth_deg.to_radians(),
                elevation_rad: row.elevation_deg.to_radians(),
                channel: row.channel,
            });
        }
        Ok(rows)
    }
}
