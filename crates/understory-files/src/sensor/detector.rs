//! `[detector]`: how returns are found.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Finite, NonNegative, Number, Positive, Spanned, Whole, limits};

limits! {
    /// Of false alarms, for one sample.
    FalseAlarms: 1e-300..=0.5;
    /// Of a pulse's peak.
    PeakFraction: 0.05..=0.95;
    /// Of the modulation of light.
    ModulationMhz: 0.01..=10000.0, "in megahertz";
}

/// How returns are found.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DetectorFile {
    /// Nearest range that is reported; with `ambiguity_m`, of the folded range.
    pub range_min_m: NonNegative,
    /// Farthest range that is reported; with `ambiguity_m`, of the folded range, or the greatest true
    /// distance where it is above that.
    pub range_max_m: Positive,
    /// Step in which ranges are reported; 0: none.
    pub range_quantum_m: Option<NonNegative>,
    /// Added to every range.
    pub range_offset_mm: Option<Finite>,
    /// Which returns of a pulse are reported.
    pub return_mode: ReturnMode,
    /// Sub-rays nearer to each other than this are one return; needed by `kind = "windows"`.
    pub signal_cutoff_m: Option<NonNegative>,
    /// How the range of a window follows from its sub-rays; `"mean"` where nothing is said.
    pub window: Option<WindowRange>,
    /// Most returns of a pulse; 5 where nothing is said.
    pub max_returns: Option<Whole<1, 15>>,
    /// Largest intensity that is reported; 1 is a white target that faces the beam and fills it.
    pub saturation: Option<Positive>,
    /// How returns are found; `"windows"` where nothing is said.
    pub kind: Option<Spanned<DetectorKind>>,
    /// Threshold over the noise; 5 where no threshold is given.
    pub threshold_sigma: Option<Positive>,
    /// The same by the probability of a false alarm in one sample.
    pub false_alarm_probability: Option<Number<FalseAlarms>>,
    /// An absolute threshold, for receivers that are described by their optics.
    pub threshold_w: Option<Positive>,
    /// Depth of the valley between two peaks, over the noise; 4 where nothing is said.
    pub prominence_sigma: Option<NonNegative>,
    /// Whether `"leading-edge"` corrects the range walk of strong echoes.
    pub walk_corrected: Option<Spanned<bool>>,
    /// Fraction of the peak at which `"constant-fraction"` takes the time; 0.5 where nothing is
    /// said.
    pub fraction: Option<Number<PeakFraction>>,
    /// Frequency by which `"phase-shift"` modulates its light; ranges repeat after c/(2f).
    pub modulation_mhz: Option<Number<ModulationMhz>>,
}

/// How returns are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DetectorKind {
    /// Sub-rays near each other are one return (Goodin et al. 2018).
    #[default]
    Windows,
    /// Peaks of the waveform.
    Peaks,
    /// Where a pulse of the waveform passes the threshold.
    LeadingEdge,
    /// Where a pulse of the waveform passes a fraction of its peak.
    ConstantFraction,
    /// The phase of modulated light, one return for all that the spot meets.
    PhaseShift,
}

/// Which returns of a pulse the sensor reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReturnMode {
    /// The nearest.
    First,
    /// The farthest.
    Last,
    /// The one with the largest signal.
    Strongest,
    /// The strongest and, where it is another one, the last.
    StrongestAndLast,
    /// All, nearest first.
    All,
}

/// How the range of a window follows from the sub-rays in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowRange {
    /// Plain mean, as P2 prints it.
    Mean,
    /// Mean weighted by intensity.
    Weighted,
    /// No averaging: the selected sub-ray alone.
    Off,
}
