//! The table `[scanning_mirror]` of a sensor file, checked.

use toml::Spanned;

use super::check::Check;
use super::file::{MotionFile, ScanningMirrorFile};
use crate::Error;
use crate::pulse::scan_pattern::{
    Direction, MirrorMotion, ScanningMirror, ScanningMirrorSpec, SweepPlane, optical_rad,
};

impl Check<'_> {
    pub(super) fn scanning_mirror(
        &self,
        table: &Spanned<ScanningMirrorFile>,
    ) -> Result<ScanningMirror, Error> {
        let file = table.get_ref();
        let low = self.finite(&file.angle_min_deg, "angle_min_deg")?;
        let high = self.finite(&file.angle_max_deg, "angle_max_deg")?;
        let limit = if *file.plane.get_ref() == SweepPlane::Vertical { 90.0 } else { 180.0 };
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
        match (file.motion, &file.facets) {
            (MotionFile::Sine, None) => Ok(MirrorMotion::Sine),
            (MotionFile::Zigzag, None) => Ok(MirrorMotion::Zigzag),
            (MotionFile::Polygon, Some(facets)) => {
                let number = *facets.get_ref();
                let most_deg = optical_rad(number).to_degrees();
                if !(2..=1000).contains(&number) || field_deg > most_deg * (1.0 + 1e-12) {
                    return self.fault(
                        &facets.span(),
                        format!("a polygon of {number} facets does not sweep {field_deg}°"),
                        "use 2 facets or more, and no field beyond 720° divided by their number",
                    );
                }
                Ok(MirrorMotion::Polygon { facets: number })
            }
            (MotionFile::Polygon, None) => self.fault(
                &table.span(),
                "a polygon needs the number of its facets",
                "give facets; a facet can sweep 720° divided by their number",
            ),
            (_, Some(facets)) => self.fault(
                &facets.span(),
                "a mirror that swings has no facets",
                "remove facets or use motion = \"polygon\"",
            ),
        }
    }

    fn lines_per_s(&self, file: &ScanningMirrorFile) -> Result<f64, Error> {
        let lines_per_s = self.positive(&file.lines_per_s, "lines_per_s")?;
        if let Some(range) = &file.lines_range_per_s {
            let [low, high] = *self.all_finite(range, "lines_range_per_s")?;
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
        let rate_khz = self.positive(&file.pulse_rate_khz, "pulse_rate_khz")?;
        if let Some(choices) = &file.pulse_rate_choices_khz {
            let list = self.all_finite(choices, "pulse_rate_choices_khz")?;
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
        let deg_per_s = self.not_negative(number, "head_deg_per_s")?;
        if deg_per_s > 0.0 && *file.plane.get_ref() == SweepPlane::AcrossTrack {
            return self.fault(
                &number.span(),
                "a head turns vertical lines, not lines across the track",
                "remove head_deg_per_s or use plane = \"vertical\"",
            );
        }
        if let Some(max) = &file.head_max_deg_per_s {
            let max = self.positive(max, "head_max_deg_per_s")?;
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
