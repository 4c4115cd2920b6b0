//! The table `[scanning_mirror]` of a sensor file, checked.

use understory_files::Spanned;
use understory_files::sensor::{MirrorMotionName, ScanningMirrorFile, SensorFile};

use crate::Error;
use crate::pulse::check::Check;
use crate::pulse::scan_pattern::{
    Direction, MirrorMotion, ScanningMirror, ScanningMirrorSpec, SweepPlane, optical_rad,
};

impl Check<'_> {
    pub(in crate::pulse::scan_pattern) fn scanning_mirror(
        &self,
        table: &Spanned<ScanningMirrorFile>,
        _: &SensorFile,
    ) -> Result<ScanningMirror, Error> {
        let file = table.get_ref();
        let (low, high) = (file.angle_min_deg.get(), file.angle_max_deg.get());
        // Vertical lines may go on over the zenith.
        let limit = if *file.plane.get_ref() == SweepPlane::Vertical { 360.0 } else { 180.0 };
        if !(low < high && low >= -limit && high <= limit) {
            return self.fault(
                &file.angle_min_deg.span(),
                format!("the angles {low}° and {high}° hold no line"),
                format!("make angle_min_deg the lesser and keep them within −{limit}° to {limit}°"),
            );
        }
        let motion = self.motion(table, high - low)?;
        let lines_per_s = self.lines_per_s(file)?;
        let laser_khz = self.laser_khz(file)?;
        let head_hz = self.head_hz(file)?;
        if head_hz.abs() > lines_per_s {
            return self.fault(
                &file.lines_per_s.span(),
                format!("the head turns further than once in a line at {lines_per_s} lines/s"),
                "raise lines_per_s or lower head_deg_per_s",
            );
        }
        let spec = ScanningMirrorSpec {
            motion,
            plane: *file.plane.get_ref(),
            field_rad: [low.to_radians(), high.to_radians()],
            lines_per_s,
            laser_hz: laser_khz * 1e3,
            head_hz,
        };
        match ScanningMirror::new(spec) {
            Some(mirror) => Ok(mirror),
            None => self.fault(
                &file.pulse_rate_khz.span(),
                format!("{laser_khz} kHz leave no pulse for a line at {lines_per_s} lines/s"),
                "raise pulse_rate_khz or lower lines_per_s",
            ),
        }
    }

    fn motion(
        &self,
        table: &Spanned<ScanningMirrorFile>,
        field_deg: f64,
    ) -> Result<MirrorMotion, Error> {
        let file = table.get_ref();
        match (file.motion, &file.facets, &file.sweep_deg) {
            (MirrorMotionName::Sine, None, None) => Ok(MirrorMotion::Sine),
            (MirrorMotionName::Zigzag, None, None) => Ok(MirrorMotion::Zigzag),
            (MirrorMotionName::Polygon, Some(_), Some(sweep)) => self.fault(
                &sweep.span(),
                "facets and sweep_deg both say what the mirror sweeps",
                "remove one of them",
            ),
            (MirrorMotionName::Polygon, None, Some(sweep)) => {
                let most_deg = sweep.get();
                if field_deg > most_deg * (1.0 + 1e-12) {
                    return self.fault(
                        &sweep.span(),
                        format!("a mirror that sweeps {most_deg}° does not sweep {field_deg}°"),
                        "raise sweep_deg or use a smaller field",
                    );
                }
                Ok(MirrorMotion::Polygon { facets: 1, sweep_rad: most_deg.to_radians() })
            }
            (MirrorMotionName::Polygon, Some(facets), None) => {
                let number = facets.get();
                let most_deg = optical_rad(number).to_degrees();
                if field_deg > most_deg * (1.0 + 1e-12) {
                    return self.fault(
                        &facets.span(),
                        format!("a polygon of {number} facets does not sweep {field_deg}°"),
                        "use no field beyond 720° divided by their number",
                    );
                }
                Ok(MirrorMotion::polygon(number))
            }
            (MirrorMotionName::Polygon, None, None) => self.fault(
                &table.span(),
                "a polygon needs the number of its facets",
                "give facets, each of which sweeps 720° divided by their number, or sweep_deg",
            ),
            (_, Some(facets), _) => self.fault(
                &facets.span(),
                "a mirror that swings has no facets",
                "remove facets or use motion = \"polygon\"",
            ),
            (_, None, Some(sweep)) => self.fault(
                &sweep.span(),
                "a mirror that swings has no sweep_deg",
                "remove sweep_deg or use motion = \"polygon\"",
            ),
        }
    }

    fn lines_per_s(&self, file: &ScanningMirrorFile) -> Result<f64, Error> {
        let lines_per_s = file.lines_per_s.get();
        if let Some(range) = &file.lines_range_per_s {
            let [low, high] = range.get();
            if !(low..=high).contains(&lines_per_s) {
                return self.fault(
                    &file.lines_per_s.span(),
                    format!("this sensor does not draw {lines_per_s} lines per second"),
                    format!("use {low} to {high}"),
                );
            }
        }
        Ok(lines_per_s)
    }

    fn laser_khz(&self, file: &ScanningMirrorFile) -> Result<f64, Error> {
        let rate_khz = file.pulse_rate_khz.get();
        if let Some(choices) = &file.pulse_rate_choices_khz {
            let list = choices.get();
            if !list.iter().any(|choice| (choice - rate_khz).abs() < 1e-9 * rate_khz) {
                let words: Vec<String> = list.iter().map(f64::to_string).collect();
                return self.fault(
                    &file.pulse_rate_khz.span(),
                    format!("this sensor does not fire at {rate_khz} kHz"),
                    format!("use one of {} kHz", words.join(", ")),
                );
            }
        }
        Ok(rate_khz)
    }

    /// Revolutions per second of the head, counter-clockwise if positive.
    fn head_hz(&self, file: &ScanningMirrorFile) -> Result<f64, Error> {
        let Some(number) = &file.head_deg_per_s else { return Ok(0.0) };
        let deg_per_s = number.get();
        if deg_per_s > 0.0 && *file.plane.get_ref() == SweepPlane::AcrossTrack {
            return self.fault(
                &number.span(),
                "a head turns vertical lines, not lines across the track",
                "remove head_deg_per_s or use plane = \"vertical\"",
            );
        }
        if let Some(max) = &file.head_max_deg_per_s {
            let max = max.get();
            if deg_per_s > max {
                return self.fault(
                    &number.span(),
                    format!("this head does not turn at {deg_per_s}°/s"),
                    format!("use at most {max}°/s"),
                );
            }
        }
        let clockwise = file.head_direction == Some(Direction::Clockwise);
        Ok(if clockwise { -deg_per_s / 360.0 } else { deg_per_s / 360.0 })
    }
}
