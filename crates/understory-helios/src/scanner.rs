//! `<scanner>`: what a scanner of HELIOS++ is made of.

use glam::{DMat3, DVec3};

use crate::HeliosError;
use crate::frames::{rotation, vector};
use crate::xml::Element;

/// How beams are swept.
#[derive(Clone, Debug, PartialEq)]
pub enum Optics {
    /// A polygon that sweeps `sweep_deg` to either side, of which `effective_deg` are used.
    Rotating {
        /// To either side.
        sweep_deg: f64,
        /// To either side.
        effective_deg: f64,
    },
    /// A mirror that swings.
    Oscillating {
        /// Most of angle times frequency, °/s.
        product_max: f64,
    },
    /// A cone about the axis.
    Conic {
        /// Turns per second: HELIOS++ takes the scanner's greatest.
        turns_hz: f64,
    },
    /// Fibres that fire one after the other.
    Line {
        /// How many.
        fibres: u32,
    },
    /// Turning wedges.
    Risley {
        /// The wedges, the first next to the laser.
        wedges: Vec<Wedge>,
    },
}

/// A turning wedge; HELIOS++ writes the inclined exit as a negative angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wedge {
    /// Between its faces.
    pub angle_deg: f64,
    /// Of its glass, over that of the air.
    pub index: f64,
    /// Turns per second.
    pub turns_hz: f64,
}

/// One laser of a scanner.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Where it leaves the head.
    pub position: DVec3,
    /// How it is turned on the head.
    pub rotation: DMat3,
    /// Direction before the wedges, forward along y.
    pub incident: DVec3,
    /// Wavelength.
    pub wavelength_nm: f64,
}

/// A scanner.
#[derive(Clone, Debug, PartialEq)]
pub struct Scanner {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// How beams are swept.
    pub optics: Optics,
    /// Greatest angle to either side.
    pub angle_max_deg: f64,
    /// Its lasers; one where nothing is said.
    pub channels: Vec<Channel>,
    /// Axis of the head.
    pub head_axis: DVec3,
    /// How fast the head can turn.
    pub head_max_deg_per_s: f64,
    /// Full angle of the beam at 1/e², in radians.
    pub divergence_rad: f64,
    /// Length of a pulse.
    pub pulse_ns: f64,
    /// Standard deviation of ranges.
    pub accuracy_m: f64,
    /// Nearest range.
    pub range_min_m: f64,
    /// Farthest range, if there is one.
    pub range_max_m: Option<f64>,
    /// Most returns of a pulse; 0: any number.
    pub returns_max: u32,
    /// Rings of sub-rays in a beam.
    pub sample_quality: u32,
}

impl Scanner {
    /// Reads a scanner; what it says that Understory has no word for is added to `lost`.
    pub fn of(element: Element<'_>, lost: &mut Vec<String>) -> Result<Scanner, HeliosError> {
        let number =
            |name, usual: f64| Ok::<f64, HeliosError>(element.number(name)?.unwrap_or(usual));
        let id = element.required("id")?.to_owned();
        let angle_max_deg = number("scanAngleMax_deg", 0.0)?;
        let optics = Scanner::optics(element, angle_max_deg)?;
        let wavelength_nm = number("wavelength_nm", 1064.0)?;
        let only = Channel {
            position: DVec3::ZERO,
            rotation: DMat3::IDENTITY,
            incident: DVec3::Y,
            wavelength_nm,
        };
        let only = Scanner::channel(element, &only)?;
        let channels = match element.child("channels") {
            None => vec![only],
            Some(list) => list
                .children("channel")
                .map(|channel| Scanner::channel(channel, &only))
                .collect::<Result<Vec<_>, _>>()?,
        };
        if channels.is_empty() || channels.len() > 4096 {
            return Err(HeliosError::invalid(
                element.location(),
                format!("the scanner has {} channels", channels.len()),
                "give it 1 to 4096",
            ));
        }
        for name in ["rangeError", "headError", "deflectionError"] {
            if element.child(name).is_some() {
                lost.push(format!(
                    "<{name}> of the scanner {id:?}: an expression; set [range_error] by hand"
                ));
            }
        }
        lost.push(format!(
            "power, optics and energy threshold of the scanner {id:?}: how far it sees is range_max_m alone; \
             set [range_limit] or [receiver] by hand"
        ));
        let axis = element.child("headRotateAxis").map(vector).transpose()?;
        let quality = element.child("FWFSettings").and_then(|fwf| fwf.text("beamSampleQuality"));
        Ok(Scanner {
            name: element.text("name").unwrap_or(&id).to_owned(),
            id,
            optics,
            angle_max_deg,
            channels,
            head_axis: axis.filter(|axis| axis.length() > 0.1).unwrap_or(DVec3::Z),
            head_max_deg_per_s: number("headRotatePerSecMax_deg", 0.0)?,
            divergence_rad: number("beamDivergence_rad", 0.0003)?,
            pulse_ns: number("pulseLength_ns", 4.0)?,
            accuracy_m: number("accuracy_m", 0.0)?,
            range_min_m: number("rangeMin_m", 0.0)?,
            range_max_m: element.number("rangeMax_m")?,
            returns_max: number("maxNOR", 0.0)? as u32,
            sample_quality: quality.and_then(|text| text.parse().ok()).unwrap_or(3),
        })
    }

    fn channel(element: Element<'_>, base: &Channel) -> Result<Channel, HeliosError> {
        let mut channel = base.clone();
        if let Some(origin) = element.child("beamOrigin") {
            channel.position = vector(origin)?;
            channel.rotation = rotation(origin)?;
        }
        if let Some(beam) = element.child("incidentBeam") {
            let beam = vector(beam)?;
            if beam.y <= 0.0 {
                return Err(HeliosError::invalid(
                    element.location(),
                    "incidentBeam does not go forward",
                    "write a direction with y above 0",
                ));
            }
            channel.incident = beam.normalize();
        }
        channel.wavelength_nm = element.number("wavelength_nm")?.unwrap_or(base.wavelength_nm);
        Ok(channel)
    }

    fn optics(element: Element<'_>, angle_max_deg: f64) -> Result<Optics, HeliosError> {
        let number =
            |name, usual: f64| Ok::<f64, HeliosError>(element.number(name)?.unwrap_or(usual));
        Ok(match element.required("optics")? {
            "rotating" => Optics::Rotating {
                sweep_deg: angle_max_deg,
                effective_deg: number("scanAngleEffectiveMax_deg", angle_max_deg)?,
            },
            "oscillating" => Optics::Oscillating { product_max: number("scanProduct", 1e6)? },
            "conic" => Optics::Conic { turns_hz: number("scanFreqMax_Hz", 0.0)? },
            "line" => Optics::Line { fibres: number("numFibers", 1.0)?.clamp(1.0, 4096.0) as u32 },
            "risley" => {
                let air = number("refrIndex_air", 1.0)?;
                let mut wedges = Vec::new();
                for place in 1..=3 {
                    let part = |name: &str, unit: &str, usual| {
                        let name = format!("{name}{place}{unit}");
                        Ok::<f64, HeliosError>(element.number(&name)?.unwrap_or(usual))
                    };
                    let angle_deg = part("angle", "_deg", 0.0)?;
                    let index = part("refrIndex", "", 1.0)? / air;
                    let turns_hz = part("rotorFreq", "_Hz", 0.0)?;
                    if angle_deg.abs() > 1e-6 {
                        wedges.push(Wedge { angle_deg, index, turns_hz });
                    }
                }
                Optics::Risley { wedges }
            }
            other => {
                return Err(HeliosError::invalid(
                    element.location(),
                    format!("optics = {other:?} is not known"),
                    "write rotating, oscillating, conic, line or risley",
                ));
            }
        })
    }
}
