//! `<scannerSettings>` and `<platformSettings>`: what a leg says, over its template, over what is
//! usual.

use crate::HeliosError;
use crate::assets::by_id;
use crate::xml::Element;

/// How the scanner is set on a leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScannerSettings {
    /// Whether it fires.
    pub active: bool,
    /// Pulses per second.
    pub pulse_hz: f64,
    /// Lines, or swings to and fro, per second.
    pub scan_hz: f64,
    /// Greatest angle to either side; 0: that of the scanner.
    pub scan_angle_deg: f64,
    /// Instead of the scan angle: the least angle.
    pub vertical_min_deg: Option<f64>,
    /// Instead of the scan angle: the greatest angle.
    pub vertical_max_deg: Option<f64>,
    /// How fast the head turns, counter-clockwise if positive.
    pub head_deg_per_s: f64,
    /// Where the head begins.
    pub head_start_deg: f64,
    /// Where it ends.
    pub head_stop_deg: f64,
    /// Instead of the frequencies: angles between points along and across lines.
    pub resolution_deg: Option<[f64; 2]>,
    /// Divergence of the beam that stands over the scanner's, in radians.
    pub divergence_rad: Option<f64>,
    /// Longest time of the leg.
    pub duration_max_s: Option<f64>,
}

impl ScannerSettings {
    const USUAL: ScannerSettings = ScannerSettings {
        active: true,
        pulse_hz: 0.0,
        scan_hz: 0.0,
        scan_angle_deg: 0.0,
        vertical_min_deg: None,
        vertical_max_deg: None,
        head_deg_per_s: 0.0,
        head_start_deg: 0.0,
        head_stop_deg: 0.0,
        resolution_deg: None,
        divergence_rad: None,
        duration_max_s: None,
    };

    /// Those of a leg; `document` holds the templates.
    pub fn of(
        element: Option<Element<'_>>,
        document: Element<'_>,
    ) -> Result<ScannerSettings, HeliosError> {
        let Some(element) = element else { return Ok(ScannerSettings::USUAL) };
        let base = match element.text("template") {
            None => ScannerSettings::USUAL,
            Some(id) => {
                let id = id.rsplit('#').next().unwrap_or(id);
                let template = by_id(document, "scannerSettings", id)?;
                ScannerSettings::over(ScannerSettings::USUAL, template)?
            }
        };
        ScannerSettings::over(base, element)
    }

    fn over(base: ScannerSettings, of: Element<'_>) -> Result<ScannerSettings, HeliosError> {
        let number = |name, usual: f64| Ok::<f64, HeliosError>(of.number(name)?.unwrap_or(usual));
        let positive = |name, usual| match number(name, usual)? {
            below if below < 0.0 => Err(HeliosError::invalid(
                of.location(),
                format!("{name} is below 0"),
                "write a positive number",
            )),
            number => Ok(number),
        };
        let resolution =
            match (of.number("verticalResolution_deg")?, of.number("horizontalResolution_deg")?) {
                (Some(along), Some(across)) if along > 0.0 && across > 0.0 => Some([along, across]),
                (None, None) => base.resolution_deg,
                _ => {
                    return Err(HeliosError::invalid(
                        of.location(),
                        "verticalResolution_deg and horizontalResolution_deg go together",
                        "write both, above 0",
                    ));
                }
            };
        let duration = of.number("maxDuration_s")?.filter(|seconds| *seconds > 0.0);
        Ok(ScannerSettings {
            active: of.truth("active")?.unwrap_or(base.active),
            pulse_hz: positive("pulseFreq_hz", base.pulse_hz)?,
            scan_hz: positive("scanFreq_hz", base.scan_hz)?,
            scan_angle_deg: positive("scanAngle_deg", base.scan_angle_deg)?,
            vertical_min_deg: of.number("verticalAngleMin_deg")?.or(base.vertical_min_deg),
            vertical_max_deg: of.number("verticalAngleMax_deg")?.or(base.vertical_max_deg),
            head_deg_per_s: number("headRotatePerSec_deg", base.head_deg_per_s)?,
            head_start_deg: number("headRotateStart_deg", base.head_start_deg)?,
            head_stop_deg: number("headRotateStop_deg", base.head_stop_deg)?,
            resolution_deg: resolution,
            divergence_rad: of.number("beamDivergence_rad")?.or(base.divergence_rad),
            duration_max_s: duration.or(base.duration_max_s),
        })
    }

    /// The same with frequencies where resolutions were given, as a mirror that sweeps
    /// `sweep_deg` has them.
    pub fn with_frequencies(self, sweep_deg: f64) -> ScannerSettings {
        match self.resolution_deg {
            Some([along, across]) if sweep_deg > 0.0 => {
                let scan_hz = self.pulse_hz * along / sweep_deg;
                let sign = if self.head_stop_deg < self.head_start_deg { -1.0 } else { 1.0 };
                let head_deg_per_s = sign * across * scan_hz;
                ScannerSettings { scan_hz, head_deg_per_s, resolution_deg: None, ..self }
            }
            _ => self,
        }
    }
}

/// Where the platform is at the start of a leg, and how it goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct PlatformSettings {
    /// Where.
    pub position_m: [f64; 3],
    /// Whether it stands on the ground, whatever its height says.
    pub on_ground: bool,
    /// How fast it goes on.
    pub speed_m_s: f64,
    /// A file of poses that it follows instead.
    pub trajectory: Option<String>,
}

impl PlatformSettings {
    /// Those of a leg; `document` holds the templates.
    pub fn of(
        element: Option<Element<'_>>,
        document: Element<'_>,
    ) -> Result<PlatformSettings, HeliosError> {
        let usual = PlatformSettings {
            position_m: [0.0; 3],
            on_ground: false,
            speed_m_s: 70.0,
            trajectory: None,
        };
        let Some(element) = element else { return Ok(usual) };
        let base = match element.text("template") {
            None => usual,
            Some(id) => {
                let id = id.rsplit('#').next().unwrap_or(id);
                let template = by_id(document, "platformSettings", id)?;
                PlatformSettings::over(usual, template)?
            }
        };
        PlatformSettings::over(base, element)
    }

    fn over(base: PlatformSettings, of: Element<'_>) -> Result<PlatformSettings, HeliosError> {
        let [x, y, z] = base.position_m;
        let number = |name, usual: f64| Ok::<f64, HeliosError>(of.number(name)?.unwrap_or(usual));
        Ok(PlatformSettings {
            position_m: [number("x", x)?, number("y", y)?, number("z", z)?],
            on_ground: of.truth("onGround")?.unwrap_or(base.on_ground),
            speed_m_s: number("movePerSec_m", base.speed_m_s)?,
            trajectory: of.text("trajectory").map(str::to_owned).or(base.trajectory),
        })
    }
}
