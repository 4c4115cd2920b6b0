//! Why two recordings cannot be compared, each as one sentence.

use understory_cloud::CloudError;

/// Why two recordings cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// Something is wrong with the records themselves.
    #[error(transparent)]
    Cloud(#[from] CloudError),
    /// A recording that is to give its colours has none.
    #[error(
        "{} has no points with red, green and blue; give a recording that a camera coloured", path.display()
    )]
    NoColours {
        /// Which one.
        path: std::path::PathBuf,
    },
    /// A recording to be compared moves.
    #[error(
        "the origins of sensor {sensor} in the {which} recording lie {apart_m:.3} m apart: it moves; compare it as a moving one"
    )]
    Moves {
        /// `real` or `simulated`.
        which: &'static str,
        /// The sensor.
        sensor: u16,
        /// How far apart its origins are at least.
        apart_m: f64,
    },
    /// A recording to be compared as a moving one has no origins.
    #[error(
        "the {which} recording does not say where its beams came from, which a moving comparison needs; give a trajectory or a pose, or compare it as a static one"
    )]
    OriginsNeeded {
        /// `real` or `simulated`.
        which: &'static str,
    },
    /// A recording to be compared has no pulses.
    #[error(
        "the {which} recording has no pulse to compare{}; check the file and the limits of the region", uncounted_words(*undirected, *rangeless)
    )]
    NothingToCompare {
        /// `real` or `simulated`.
        which: &'static str,
        /// Pulses without a direction.
        undirected: u64,
        /// Returns without a range.
        rangeless: u64,
    },
    /// No real return lies in the region.
    #[error(
        "the real recording has no return in the region that is to be compared; widen its limits"
    )]
    NothingInRegion,
    /// Two recordings have no orientation in common.
    #[error(
        "the recordings have no orientation in common: the real one has {real}, the simulated one {simulated}; simulate the same sensor in the same frame, or compare in cells of direction"
    )]
    NoCommonOrientation {
        /// What the real one has.
        real: String,
        /// What the simulated one has.
        simulated: String,
    },
    /// Histograms of different bins cannot be compared.
    #[error("the histograms were counted with different bins; count both with the same options")]
    DifferentBins,
    /// More orientations than 32 bits can number.
    #[error("there are more orientations than can be distinguished; choose larger cells")]
    TooManyOrientations,
    /// Limits that leave nothing.
    #[error("the {name} from {low} to {high} leaves nothing; give the lower limit first")]
    EmptyRegion {
        /// Which limits.
        name: &'static str,
        /// The first.
        low: f64,
        /// The second.
        high: f64,
    },
    /// A number of a comparison is outside its limits.
    #[error("{name} = {value} cannot be used; choose from {low} to {high}")]
    BadOption {
        /// Which one.
        name: &'static str,
        /// What was requested.
        value: f64,
        /// The least.
        low: f64,
        /// The most.
        high: f64,
    },
}

/// Why rows could not be compared.
fn uncounted_words(undirected: u64, rangeless: u64) -> String {
    match (undirected, rangeless) {
        (0, 0) => String::new(),
        (0, rangeless) => format!(": {rangeless} returns have no range"),
        (undirected, 0) => format!(": {undirected} pulses have no direction"),
        (undirected, rangeless) => {
            format!(": {undirected} pulses have no direction and {rangeless} returns have no range")
        }
    }
}
