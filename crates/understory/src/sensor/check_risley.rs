//! The tables `[risley]` and `[harmonic]` of a sensor file, checked.

use toml::Spanned;

use super::check::Check;
use super::file::{HarmonicFile, Number, Numbers, RisleyFile};
use crate::Error;
use crate::pulse::scan_pattern::{
    Harmonic, HarmonicSpec, Risley, RisleyFault, RisleySpec, WEDGES_MAX, Wedge,
};

impl Check<'_> {
    pub(super) fn risley(&self, table: &Spanned<RisleyFile>) -> Result<Risley, Error> {
        let file = table.get_ref();
        let elevations = self.all_finite(&file.laser_elevation_deg, "laser_elevation_deg")?;
        let azimuths = match &file.laser_azimuth_deg {
            Some(list) => self.per_channel(list, "laser_azimuth_deg", elevations.len())?,
            None => vec![0.0; elevations.len()],
        };
        if elevations.iter().chain(&azimuths).any(|angle| angle.abs() > 45.0) {
            return self.fault(
                &file.laser_elevation_deg.span(),
                "a laser looks past the wedges",
                "give the angles between the lasers and the axis, at most 45°",
            );
        }
        let (cycle_s, frame_s) =
            self.cycle_and_frame(&file.pulse_rate_khz, &file.frame_hz, elevations.len())?;
        let wedges = self.wedges(file)?;
        let lasers_rad =
            elevations.iter().zip(&azimuths).map(|(e, a)| [e.to_radians(), a.to_radians()]);
        let spec = RisleySpec {
            wedges,
            lasers_rad: lasers_rad.collect(),
            refraction: file.refraction,
            cycle_s,
            frame_s,
        };
        match Risley::new(spec) {
            Ok(risley) => Ok(risley),
            Err(RisleyFault::TotalReflection { wedge }) => self.fault(
                &file.wedge.get_ref().get(wedge).map_or(file.wedge.span(), |w| w.angle_deg.span()),
                format!("light is reflected totally in wedge {} as the wedges turn", wedge + 1),
                "use a smaller wedge angle, a lower index, or the other inclined_face",
            ),
            Err(RisleyFault::Unsound) => self.fault(
                &table.span(),
                "the numbers of the scanner do not fit each other",
                "check pulse_rate_khz, frame_hz and laser_elevation_deg",
            ),
        }
    }

    fn wedges(&self, file: &RisleyFile) -> Result<Vec<Wedge>, Error> {
        let list = file.wedge.get_ref();
        if list.is_empty() || list.len() > WEDGES_MAX {
            return self.fault(
                &file.wedge.span(),
                format!("a Risley scanner cannot have {} wedges", list.len()),
                format!("give 1 to {WEDGES_MAX} tables [[risley.wedge]]"),
            );
        }
        list.iter()
            .map(|wedge| {
                let angle_deg = self.finite(&wedge.angle_deg, "angle_deg")?;
                if !(0.0..=80.0).contains(&angle_deg) {
                    return self.fault(
                        &wedge.angle_deg.span(),
                        format!("a wedge of {angle_deg}° is no wedge"),
                        "give the angle between its faces, 0° to 80°",
                    );
                }
                let index = self.finite(&wedge.index, "index")?;
                if !(1.0..=5.0).contains(&index) {
                    return self.fault(
                        &wedge.index.span(),
                        format!("no glass has the refractive index {index}"),
                        "use 1 to 5, for example 1.51",
                    );
                }
                let phase_deg = match &wedge.phase_deg {
                    Some(number) => self.finite(number, "phase_deg")?,
                    None => 0.0,
                };
                Ok(Wedge {
                    angle_rad: angle_deg.to_radians(),
                    index,
                    rotation_hz: self.rate_hz(&wedge.rotation_hz, "rotation_hz")?,
                    phase_rad: phase_deg.to_radians(),
                    inclined_face: wedge.inclined_face,
                })
            })
            .collect()
    }

    pub(super) fn harmonic(&self, table: &Spanned<HarmonicFile>) -> Result<Harmonic, Error> {
        let file = table.get_ref();
        let beams = self.all_finite(&file.beams, "beams")?;
        let (cycle_s, frame_s) =
            self.cycle_and_frame(&file.pulse_rate_khz, &file.frame_hz, beams.len())?;
        let radians = |numbers: &Numbers, key: &str| -> Result<Vec<f64>, Error> {
            Ok(self.all_finite(numbers, key)?.iter().map(|angle| angle.to_radians()).collect())
        };
        for (numbers, key) in [
            (&file.beam_azimuth_sin_deg, "beam_azimuth_sin_deg"),
            (&file.beam_elevation_cos_deg, "beam_elevation_cos_deg"),
        ] {
            if numbers.get_ref().len() % 2 == 0 {
                return self.fault(
                    &numbers.span(),
                    format!("{key} has {} values and no middle", numbers.get_ref().len()),
                    "give an odd number, the middle one for the turn alone",
                );
            }
        }
        let spec = HarmonicSpec {
            rotation_hz: self.rate_hz(&file.rotation_hz, "rotation_hz")?,
            swing_hz: self.rate_hz(&file.swing_hz, "swing_hz")?,
            swing_phase_rad: match &file.swing_phase_deg {
                Some(number) => self.finite(number, "swing_phase_deg")?.to_radians(),
                None => 0.0,
            },
            azimuth_rad: self.finite(&file.azimuth_deg, "azimuth_deg")?.to_radians(),
            elevation_rad: self.finite(&file.elevation_deg, "elevation_deg")?.to_radians(),
            azimuth_sin_rad: radians(&file.azimuth_sin_deg, "azimuth_sin_deg")?,
            elevation_cos_rad: radians(&file.elevation_cos_deg, "elevation_cos_deg")?,
            beams: beams.clone(),
            beam_azimuth_sin_rad: radians(&file.beam_azimuth_sin_deg, "beam_azimuth_sin_deg")?,
            beam_elevation_cos_rad: radians(
                &file.beam_elevation_cos_deg,
                "beam_elevation_cos_deg",
            )?,
            cycle_s,
            frame_s,
        };
        match Harmonic::new(spec) {
            Some(harmonic) => Ok(harmonic),
            None => self.fault(
                &table.span(),
                "the numbers of the pattern do not fit each other",
                "check pulse_rate_khz and frame_hz",
            ),
        }
    }

    /// A rate of turning in either sense.
    fn rate_hz(&self, number: &Number, key: &str) -> Result<f64, Error> {
        let rate_hz = self.finite(number, key)?;
        if rate_hz.abs() <= 1e6 {
            return Ok(rate_hz);
        }
        self.fault(&number.span(), format!("{key} is {rate_hz}"), "give turns per second")
    }

    /// Duration of a cycle in which all lasers fire once, and of a frame.
    fn cycle_and_frame(
        &self,
        pulse_rate_khz: &Number,
        frame_hz: &Number,
        lasers: usize,
    ) -> Result<(f64, f64), Error> {
        let rate_hz = self.positive(pulse_rate_khz, "pulse_rate_khz")? * 1e3;
        let frame_s = 1.0 / self.positive(frame_hz, "frame_hz")?;
        if lasers == 0 || lasers > usize::from(u16::MAX) {
            return self.fault(
                &pulse_rate_khz.span(),
                format!("{lasers} lasers cannot fire"),
                "give one value for each laser",
            );
        }
        let cycle_s = lasers as f64 / rate_hz;
        if !(1.0..4.0e9).contains(&(frame_s / cycle_s)) {
            return self.fault(
                &frame_hz.span(),
                format!("{} frames per second hold no firing of all lasers", frame_hz.get_ref()),
                "lower frame_hz or raise pulse_rate_khz, the pulses of all lasers together",
            );
        }
        Ok((cycle_s, frame_s))
    }
}
