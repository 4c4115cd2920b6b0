//! From a sensor file as typed to a sound [`Sensor`], or one sentence about the first fault.

use std::f64::consts::LN_2;
use std::ops::Range;

use glam::DVec3;
use toml::Spanned;

use super::file::SensorFile;
use super::file::{BeamFile, DetectorFile, DivergenceWidth, HaloFile, Number, Numbers};
use super::{RotationLimits, Sensor};
use crate::Error;
use crate::files::toml_file::Layers;
use crate::pulse::beam::{BeamSpec, Halo, Sampling, SpotShape};
use crate::pulse::detector::{DetectorSpec, WindowRange};
use crate::pulse::scan_pattern::{Kind, ScanPattern};
use crate::world::trajectory::Pose;

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
    let kind = check.pattern(&file)?;
    let rotation_limits = match (&file.spinning, &file.line_mirror) {
        (Some(table), _) => {
            limits(&table.get_ref().rotation_range_hz, &table.get_ref().rotation_choices_hz)
        }
        (_, Some(table)) => {
            limits(&table.get_ref().rotation_range_hz, &table.get_ref().rotation_choices_hz)
        }
        (None, None) => RotationLimits::None,
    };
    let pixel_rad = match &kind {
        Kind::CameraGrid(camera) => Some(camera.pixel_rad()),
        _ => None,
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
    let pattern = ScanPattern::new(kind, sensor_from_lidar);
    let receiver = match &file.receiver {
        Some(receiver) => Some(check.receiver(receiver, wavelength_nm)?),
        None => None,
    };
    let waveform = check.waveform(&file.detector, receiver.as_ref())?;
    let detector = check.detector(&file.detector, waveform.is_some())?;
    if let (Some(spec), Some(receiver)) = (&receiver, &file.receiver) {
        check.gate(&detector, spec, &receiver.span())?;
    }
    let (channels, quantum_m) = (pattern.channels(), detector.range_quantum_m);
    Ok(Sensor {
        name: name.to_string(),
        title: file.title,
        maker: file.maker,
        description: file.description,
        wavelength_nm,
        range_report: check.range_report(file.range_error.as_ref(), channels, quantum_m)?,
        echo_cut: check.echo_cut(file.range_limit.as_ref())?,
        pattern,
        beam: check.beam(&file.beam, pixel_rad)?,
        halo: check.halo(file.beam.halo.as_ref())?,
        saturation: match &file.detector.saturation {
            Some(value) => check.positive(value, "saturation")? as f32,
            None => f32::INFINITY,
        },
        detector,
        receiver,
        waveform,
        rotation_limits,
        packets: check.packets(file.packets.as_ref())?,
        sources: file.sources,
        uncertain: file.uncertain.into_iter().map(Spanned::into_inner).collect(),
    })
}

fn limits(range: &Option<Spanned<[f64; 2]>>, choices: &Option<Numbers>) -> RotationLimits {
    match (range, choices) {
        (_, Some(choices)) => RotationLimits::Choices(choices.get_ref().clone()),
        (Some(range), None) => RotationLimits::Range(*range.get_ref()),
        (None, None) => RotationLimits::None,
    }
}

/// The checks share the knowledge of where each value was written.
pub(super) struct Check<'a> {
    pub(super) layers: &'a Layers<'a>,
}

impl Check<'_> {
    pub(super) fn fault<T>(
        &self,
        span: &Range<usize>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Result<T, Error> {
        Err(self.layers.invalid(span, problem, remedy))
    }

    pub(super) fn finite(&self, number: &Number, key: &str) -> Result<f64, Error> {
        let value = *number.get_ref();
        if value.is_finite() {
            return Ok(value);
        }
        self.fault(&number.span(), format!("{key} is {value}"), "give it a finite number")
    }

    pub(super) fn positive(&self, number: &Number, key: &str) -> Result<f64, Error> {
        let value = self.finite(number, key)?;
        if value > 0.0 {
            return Ok(value);
        }
        self.fault(&number.span(), format!("{key} is {value}"), "give it a number above 0")
    }

    pub(super) fn not_negative(&self, number: &Number, key: &str) -> Result<f64, Error> {
        let value = self.finite(number, key)?;
        if value >= 0.0 {
            return Ok(value);
        }
        self.fault(&number.span(), format!("{key} is {value}"), "give it 0 or a positive number")
    }

    pub(super) fn all_finite<'n, L: AsRef<[f64]>>(
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

    fn halo(&self, file: Option<&HaloFile>) -> Result<Option<Halo>, Error> {
        let Some(file) = file else { return Ok(None) };
        let (gain, width_mrad) = (
            self.not_negative(&file.gain, "gain")?,
            self.positive(&file.width_mrad, "width_mrad")?,
        );
        if gain > 1.0 {
            let remedy = "give at most 1: at the edge of the spot no more comes in than in it";
            return self.fault(&file.gain.span(), format!("`gain` is {gain}"), remedy);
        }
        if width_mrad > 500.0 {
            let remedy = "give at most 500";
            return self.fault(
                &file.width_mrad.span(),
                format!("`width_mrad` is {width_mrad}"),
                remedy,
            );
        }
        Ok(Some(Halo { gain, width_rad: width_mrad * 1e-3 }))
    }

    /// The one scan pattern of the file.
    fn pattern(&self, file: &SensorFile) -> Result<Kind, Error> {
        let tables = [
            ("[spinning]", file.spinning.as_ref().map(Spanned::span)),
            ("[table]", file.table.as_ref().map(Spanned::span)),
            ("[line_mirror]", file.line_mirror.as_ref().map(Spanned::span)),
            ("[camera_grid]", file.camera_grid.as_ref().map(Spanned::span)),
            ("[risley]", file.risley.as_ref().map(Spanned::span)),
            ("[scanning_mirror]", file.scanning_mirror.as_ref().map(Spanned::span)),
            ("[harmonic]", file.harmonic.as_ref().map(Spanned::span)),
        ];
        let given: Vec<(&str, Range<usize>)> =
            tables.into_iter().filter_map(|(name, span)| Some((name, span?))).collect();
        if let [(first, _), (second, span), ..] = &given[..] {
            return self.fault(
                span,
                format!("a sensor has one pattern, but both {first} and {second} are given"),
                "keep one of them",
            );
        }
        if let (Some(channels), None) = (&file.channels, &file.spinning) {
            let name = given.first().map_or("no [spinning]", |(name, _)| *name);
            return self.fault(
                &channels.span(),
                format!("[channels] has no meaning beside {name}"),
                "remove it and put the directions into the table of the pattern",
            );
        }
        if let Some(table) = &file.spinning {
            let Some(channels) = &file.channels else {
                return self.fault(
                    &table.span(),
                    "a spinning sensor needs its channels",
                    "add a table [channels] with elevation_deg",
                );
            };
            return Ok(Kind::Spinning(self.spinning(table, channels)?));
        }
        if let Some(table) = &file.table {
            return Ok(Kind::Table(self.table(table)?));
        }
        if let Some(table) = &file.line_mirror {
            return Ok(Kind::LineMirror(self.line_mirror(table)?));
        }
        if let Some(table) = &file.camera_grid {
            return Ok(Kind::CameraGrid(self.camera_grid(table)?));
        }
        if let Some(table) = &file.risley {
            return Ok(Kind::Risley(self.risley(table)?));
        }
        if let Some(table) = &file.scanning_mirror {
            return Ok(Kind::ScanningMirror(self.scanning_mirror(table)?));
        }
        if let Some(table) = &file.harmonic {
            return Ok(Kind::Harmonic(self.harmonic(table)?));
        }
        self.fault(
            &(0..0),
            "the sensor has no scan pattern",
            "add a table [spinning], [line_mirror], [scanning_mirror], [risley], [camera_grid] or \
             [table]",
        )
    }

    /// Full angles of the beam as the maker gives them; a camera's is the pixel nearest its axis.
    fn divergences_mrad(
        &self,
        file: &BeamFile,
        pixel_rad: Option<[f64; 2]>,
    ) -> Result<[f64; 2], Error> {
        let given = [
            (&file.divergence_horizontal_mrad, "divergence_horizontal_mrad"),
            (&file.divergence_vertical_mrad, "divergence_vertical_mrad"),
        ];
        if let Some(pixel_rad) = pixel_rad {
            return match given.iter().find_map(|(number, key)| Some((number.as_ref()?, key))) {
                None => Ok(pixel_rad.map(|angle| angle * 1e3)),
                Some((number, key)) => self.fault(
                    &number.span(),
                    format!("{key} has no meaning for a camera, whose pixels are its beams"),
                    "remove it",
                ),
            };
        }
        let mut mrad = [0.0; 2];
        for (place, (number, key)) in mrad.iter_mut().zip(given) {
            let Some(number) = number else {
                return self.fault(
                    &file.spot_shape.span(),
                    format!("the key `{key}` is missing"),
                    "give the full angle of the beam in milliradians",
                );
            };
            *place = self.not_negative(number, key)?;
            if *place > 1000.0 {
                return self.fault(
                    &number.span(),
                    format!("a divergence of {place} mrad is no beam"),
                    "give the full angle in milliradians, for example 3.0",
                );
            }
        }
        Ok(mrad)
    }

    fn beam(&self, file: &BeamFile, pixel_rad: Option<[f64; 2]>) -> Result<BeamSpec, Error> {
        let [horizontal, vertical] = self.divergences_mrad(file, pixel_rad)?;
        let spot_shape = *file.spot_shape.get_ref();
        let aperture = |number: &Option<Number>, key| match number {
            Some(number) => self.not_negative(number, key),
            None => Ok(0.0),
        };
        let width_mm = aperture(&file.aperture_horizontal_mm, "aperture_horizontal_mm")?;
        let height_mm = aperture(&file.aperture_vertical_mm, "aperture_vertical_mm")?;
        if spot_shape == SpotShape::Circular && pixel_rad.is_none() {
            let number = file.divergence_vertical_mrad.as_ref();
            let vertical_span = number.map_or(file.spot_shape.span(), Spanned::span);
            if horizontal != vertical {
                return self.fault(
                    &vertical_span,
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
            shape: spot_shape,
            divergence_horizontal_rad: horizontal * widen * 1e-3,
            divergence_vertical_rad: vertical * widen * 1e-3,
            aperture_horizontal_m: width_mm * 1e-3,
            aperture_vertical_m: height_mm * 1e-3,
            sampling: file.sampling.unwrap_or(Sampling::Matched),
            rays: rays as usize,
        })
    }

    fn detector(&self, file: &DetectorFile, waveform: bool) -> Result<DetectorSpec, Error> {
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
        let signal_cutoff_m = match &file.signal_cutoff_m {
            Some(number) => self.not_negative(number, "signal_cutoff_m")?,
            None if waveform => 0.0,
            None => {
                return self.fault(
                    &file.range_min_m.span(),
                    "a detector by windows needs `signal_cutoff_m`",
                    "add it to [detector], for example signal_cutoff_m = 1.0",
                );
            }
        };
        Ok(DetectorSpec {
            range_min_m,
            range_max_m,
            range_quantum_m,
            range_offset_m,
            mode: file.return_mode,
            signal_cutoff_m,
            window: file.window.unwrap_or(WindowRange::Mean),
            max_returns,
        })
    }
}
