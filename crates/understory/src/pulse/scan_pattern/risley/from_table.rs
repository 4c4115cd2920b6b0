//! The tables `[risley]` and `[harmonic]` of a sensor file, checked.

use understory_files::sensor::{HarmonicFile, RisleyFile, SensorFile};
use understory_files::{Numbers, Positive, Spanned, ValueOr};

use crate::Error;
use crate::pulse::check::Check;
use crate::pulse::scan_pattern::{
    Harmonic, HarmonicSpec, Risley, RisleyFault, RisleySpec, WEDGES_MAX, Wedge,
};

impl Check<'_> {
    pub(in crate::pulse::scan_pattern) fn risley(
        &self,
        table: &Spanned<RisleyFile>,
        _: &SensorFile,
    ) -> Result<Risley, Error> {
        let file = table.get_ref();
        let elevations = file.laser_elevation_deg.get();
        let azimuths = match &file.laser_azimuth_deg {
            Some(list) => self.per_channel(list, "laser_azimuth_deg", elevations.len())?,
            None => vec![0.0; elevations.len()],
        };
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
        if list.len() > WEDGES_MAX {
            return self.fault(
                &file.wedge.span(),
                format!("a Risley scanner cannot have {} wedges", list.len()),
                format!("give 1 to {WEDGES_MAX} tables [[risley.wedge]]"),
            );
        }
        let wedges = list.iter().map(|wedge| Wedge {
            angle_rad: wedge.angle_deg.get().to_radians(),
            index: wedge.index.get(),
            rotation_hz: wedge.rotation_hz.get(),
            phase_rad: wedge.phase_deg.value_or(0.0).to_radians(),
            inclined_face: wedge.inclined_face,
        });
        Ok(wedges.collect())
    }

    pub(in crate::pulse::scan_pattern) fn harmonic(
        &self,
        table: &Spanned<HarmonicFile>,
        _: &SensorFile,
    ) -> Result<Harmonic, Error> {
        let file = table.get_ref();
        let beams = file.beams.get();
        let (cycle_s, frame_s) =
            self.cycle_and_frame(&file.pulse_rate_khz, &file.frame_hz, beams.len())?;
        let radians = |numbers: &Numbers| -> Vec<f64> {
            numbers.get().into_iter().map(f64::to_radians).collect()
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
            rotation_hz: file.rotation_hz.get(),
            swing_hz: file.swing_hz.get(),
            swing_phase_rad: file.swing_phase_deg.value_or(0.0).to_radians(),
            azimuth_rad: file.azimuth_deg.get().to_radians(),
            elevation_rad: file.elevation_deg.get().to_radians(),
            azimuth_sin_rad: radians(&file.azimuth_sin_deg),
            elevation_cos_rad: radians(&file.elevation_cos_deg),
            beams,
            beam_azimuth_sin_rad: radians(&file.beam_azimuth_sin_deg),
            beam_elevation_cos_rad: radians(&file.beam_elevation_cos_deg),
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

    /// Duration of a cycle in which all lasers fire once, and of a frame.
    fn cycle_and_frame(
        &self,
        pulse_rate_khz: &Positive,
        frame_hz: &Positive,
        lasers: usize,
    ) -> Result<(f64, f64), Error> {
        let rate_hz = pulse_rate_khz.get() * 1e3;
        let frame_s = 1.0 / frame_hz.get();
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
                format!("{} frames per second hold no firing of all lasers", frame_hz.get()),
                "lower frame_hz or raise pulse_rate_khz, the pulses of all lasers together",
            );
        }
        Ok((cycle_s, frame_s))
    }
}
