//! Legs, and the platform that takes them → times on which the scanner is set in one way.

use crate::HeliosError;
use crate::settings::{PlatformSettings, ScannerSettings};
use crate::xml::Element;

/// A leg as it stands in the survey.
#[derive(Clone, Debug)]
pub struct Leg {
    /// From 1.
    pub number: usize,
    /// `file:line`.
    pub location: String,
    /// How the scanner is set.
    pub scanner: ScannerSettings,
    /// Where the platform is.
    pub platform: PlatformSettings,
    /// Longest time that it takes.
    pub duration_max_s: Option<f64>,
    /// Where in a trajectory it begins and ends.
    pub trajectory_s: [Option<f64>; 2],
    /// How a trajectory is read, where this leg says it.
    pub columns: Columns,
}

/// Which columns of a trajectory are what; HELIOS++ takes those of the first leg that names the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// Places of t, x, y, z, roll, pitch and yaw.
    pub places: [Option<usize>; 7],
    /// What stands between numbers.
    pub separator: Option<char>,
    /// Whether angles are degrees.
    pub degrees: Option<bool>,
    /// Whether the file has only positions.
    pub positions_only: bool,
}

/// All legs of a survey.
pub fn legs(survey: Element<'_>, document: Element<'_>) -> Result<Vec<Leg>, HeliosError> {
    let mut legs = Vec::new();
    for leg in survey.children("leg") {
        let platform = leg.child("platformSettings");
        let of_platform = |name| match platform {
            Some(element) => element.number(name),
            None => Ok(None),
        };
        let scanner = ScannerSettings::of(leg.child("scannerSettings"), document)?;
        let duration = leg.number("maxDuration_s")?.filter(|seconds| *seconds > 0.0);
        let place =
            |name| Ok::<_, HeliosError>(of_platform(name)?.map(|place| place.max(0.0) as usize));
        let text = |name| platform.and_then(|element| element.text(name));
        legs.push(Leg {
            number: legs.len() + 1,
            location: leg.location(),
            scanner,
            platform: PlatformSettings::of(platform, document)?,
            duration_max_s: duration.or(scanner.duration_max_s),
            trajectory_s: [of_platform("tStart")?, of_platform("tEnd")?],
            columns: Columns {
                places: [
                    place("tIndex")?,
                    place("xIndex")?,
                    place("yIndex")?,
                    place("zIndex")?,
                    place("rollIndex")?,
                    place("pitchIndex")?,
                    place("yawIndex")?,
                ],
                separator: text("trajectory_separator").and_then(|text| text.chars().next()),
                degrees: platform.map(|element| element.truth("toRadians")).transpose()?.flatten(),
                positions_only: text("interpolationDomain") == Some("position"),
            },
        });
    }
    match legs.len() {
        0 => Err(HeliosError::invalid(
            survey.location(),
            "the survey has no legs",
            "give a survey with at least one <leg>",
        )),
        1..=100_000 => Ok(legs),
        many => Err(HeliosError::invalid(
            survey.location(),
            format!("the survey has {many} legs"),
            "split it: 100 000 are read at most",
        )),
    }
}
