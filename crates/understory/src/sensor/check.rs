//! From a sensor file as typed to a valid [`Sensor`], or one sentence about the first fault.
//!
//! The types of the keys have checked each value by itself; here is what must fit together.

use std::f64::consts::LN_2;

use glam::{DQuat, DVec3};
use understory_files::sensor::{BeamFile, DetectorFile, DetectorKind, DivergenceWidth, SensorFile};
use understory_files::{Any, LayeredToml, Number, Numbers, Spanned, ValueOr, Vector, Whole};

use super::{RotationLimits, Sensor};
use crate::Error;
use crate::pulse::beam::{BeamSpec, Halo, Sampling, SpotShape};
use crate::pulse::check::Check;
use crate::pulse::detector::{DetectorSpec, WindowRange};
use crate::pulse::echo::SensitivityModel;
use crate::pulse::range_error::RangeModel;
use crate::pulse::receiver::LIGHT_M_PER_S;
use crate::pulse::scan_pattern::{Kind, ScanPattern};
use crate::world::trajectory::Pose;

/// Builds the sensor; `layers` knows where each value was written.
pub(super) fn sensor(
    name: &str,
    file: SensorFile,
    layers: &LayeredToml<'_>,
) -> Result<Sensor, Error> {
    let check = Check { layers };
    let wavelength_nm = file.wavelength_nm.get();
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
            let mut pose = Pose::from_position_and_rpy_deg([0.0; 3], mount.rpy_deg.get());
            pose.translation = DVec3::from(mount.position_mm.get()) * 1e-3;
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
    let error = file.range_error.as_ref();
    let mut range_model = RangeModel::from_file(&check, error, channels, wavelength_nm, quantum_m)?;
    let phase_m = check.phase_shift(&file.detector)?;
    if let Some(ambiguity_m) = phase_m {
        if let Some(given) = error.and_then(|error| error.ambiguity_m.as_ref())
            && (given.get() / ambiguity_m - 1.0).abs() > 1e-4
        {
            return check.fault(
                &given.span(),
                format!(
                    "`ambiguity_m` is {}, but this modulation repeats after {ambiguity_m:.6} m",
                    given.get()
                ),
                "leave it out: a detector by phase knows it",
            );
        }
        range_model.ambiguity_m = ambiguity_m;
    }
    let misalignment = file.mount.as_ref().and_then(|mount| mount.misalignment_rpy_deg.as_ref());
    let misalignment = misalignment
        .map(|rpy| Pose::from_position_and_rpy_deg([0.0; 3], rpy.get()).rotation)
        .filter(|turn| *turn != DQuat::IDENTITY);
    Ok(Sensor {
        name: name.to_string(),
        title: file.title,
        vendor: file.vendor,
        description: file.description,
        wavelength_nm,
        range_model,
        phase_shift: phase_m.is_some(),
        misalignment,
        sensitivity: SensitivityModel::from_file(&check, file.range_limit.as_ref())?,
        pattern,
        beam: check.beam(&file.beam, pixel_rad)?,
        halo: file
            .beam
            .halo
            .as_ref()
            .map(|halo| Halo { gain: halo.gain.get(), width_rad: halo.width_mrad.get() * 1e-3 }),
        saturation: file.detector.saturation.value_or(f64::INFINITY) as f32,
        detector,
        receiver,
        waveform,
        rotation_limits,
        packets: check.packets(file.packets.as_ref())?,
        sources: file.sources,
        uncertain: file.uncertain.into_iter().map(Spanned::into_inner).collect(),
    })
}

fn limits(range: &Option<Vector<2, Any>>, choices: &Option<Numbers>) -> RotationLimits {
    match (range, choices) {
        (_, Some(choices)) => RotationLimits::Choices(choices.get()),
        (Some(range), None) => RotationLimits::Range(range.get()),
        (None, None) => RotationLimits::None,
    }
}

impl Check<'_> {
    /// Distance after which the modulation of a detector by phase repeats, if it is one.
    fn phase_shift(&self, file: &DetectorFile) -> Result<Option<f64>, Error> {
        let kind = file.kind.as_ref().map(|kind| *kind.get_ref()).unwrap_or_default();
        match (kind == DetectorKind::PhaseShift, &file.modulation_mhz) {
            (true, Some(mhz)) => Ok(Some(LIGHT_M_PER_S / (2e6 * mhz.get()))),
            (true, None) => self.fault(
                &file.kind.as_ref().map_or(0..0, Spanned::span),
                "a detector by phase needs `modulation_mhz`",
                "add the frequency of its modulation, for example modulation_mhz = 20",
            ),
            (false, Some(mhz)) => self.fault(
                &mhz.span(),
                "`modulation_mhz` has no meaning for this kind of detector",
                "remove it, or set kind to \"phase-shift\"",
            ),
            (false, None) => Ok(None),
        }
    }

    /// Full angles of the beam as the vendor gives them; a camera's is the pixel nearest its axis.
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
        for (angle, (number, key)) in mrad.iter_mut().zip(given) {
            let Some(number) = number else {
                return self.fault(
                    &file.spot_shape.span(),
                    format!("the key `{key}` is missing"),
                    "give the full angle of the beam in milliradians",
                );
            };
            *angle = number.get();
        }
        Ok(mrad)
    }

    fn beam(&self, file: &BeamFile, pixel_rad: Option<[f64; 2]>) -> Result<BeamSpec, Error> {
        let [horizontal, vertical] = self.divergences_mrad(file, pixel_rad)?;
        let spot_shape = *file.spot_shape.get_ref();
        let width_mm = file.aperture_horizontal_mm.value_or(0.0);
        let height_mm = file.aperture_vertical_mm.value_or(0.0);
        if spot_shape == SpotShape::Circular && pixel_rad.is_none() {
            let number = file.divergence_vertical_mrad.as_ref();
            let vertical_span = number.map_or(file.spot_shape.span(), Number::span);
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
                    &number.map_or(0..0, Number::span),
                    format!(
                        "a circular spot cannot leave the sensor as {width_mm} × {height_mm} mm"
                    ),
                    "make both apertures equal, or use spot_shape = \"elliptical\"",
                );
            }
        }
        if let Some(halo) = file.halo.as_ref().filter(|_| horizontal == 0.0 || vertical == 0.0) {
            return self.fault(
                &halo.gain.span(),
                "a halo is measured by the light of its spot, but the beam has no divergence",
                "give the divergence of the beam, or remove the halo",
            );
        }
        let rays = file.rays.as_ref().map_or(9, Whole::get);
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
        let (range_min_m, range_max_m) = (file.range_min_m.get(), file.range_max_m.get());
        if range_min_m >= range_max_m {
            return self.fault(
                &file.range_min_m.span(),
                format!("range_min_m {range_min_m} is not below range_max_m {range_max_m}"),
                "lower range_min_m or raise range_max_m",
            );
        }
        let signal_cutoff_m = match &file.signal_cutoff_m {
            Some(number) => number.get(),
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
            range_quantum_m: file.range_quantum_m.value_or(0.0),
            range_offset_m: file.range_offset_mm.value_or(0.0) * 1e-3,
            mode: file.return_mode,
            signal_cutoff_m,
            window: file.window.unwrap_or(WindowRange::Mean),
            max_returns: file.max_returns.as_ref().map_or(5, Whole::get) as u8,
        })
    }
}
