//! How well a learned site predicts beams that it was not learned from.

/// Ranges between which losses are told apart.
pub const RANGE_EDGES_M: [f64; 3] = [10.0, 20.0, 40.0];
/// How many ranges there are.
pub const RANGES: usize = RANGE_EDGES_M.len() + 1;

/// How well held-out beams are predicted.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct HeldOut {
    /// Variance of the volumes across the rays, in those of the gaps.
    pub widening: f64,
    /// Beams that were predicted.
    pub beams: u64,
    /// Mean score: 0 is perfect, 1 m the worst.
    pub capped_m: f64,
    /// Share of the real returns where the model returns nothing.
    pub lost: f64,
    /// Share of the beams without a return where the model returns something.
    pub false_returns: f64,
    /// The share that is lost nearer than each of [`RANGE_EDGES_M`], and beyond; NaN: no returns.
    pub lost_by_range: [f64; RANGES],
}
