//! From the echo signal to detections.

/// Which returns of a pulse the sensor reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WindowRange {
    /// Plain mean, as P2 prints it.
    Mean,
    /// Mean weighted by intensity.
    Weighted,
    /// No averaging: the selected sub-ray alone.
    Off,
}

/// What a receiver makes of the light that comes back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectorSpec {
    /// Nearest range that is reported.
    pub range_min_m: f64,
    /// Farthest range that is reported.
    pub range_max_m: f64,
    /// Step of the reported range; 0: none.
    pub range_quantum_m: f64,
    /// Added to the distance from the beam's origin to give the reported range.
    pub range_offset_m: f64,
    /// Which returns are reported.
    pub mode: ReturnMode,
    /// P2's signal cutoff W: sub-rays nearer to each other than this are one echo.
    pub signal_cutoff_m: f64,
    /// How the range of a window is formed.
    pub window: WindowRange,
    /// Most returns per pulse in mode `All`, 1…15.
    pub max_returns: u8,
}
