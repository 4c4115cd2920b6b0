//! What a comparison found, as JSON.

use serde_json::{Value, json};

use super::{BeamScores, CompareMode, CompareReport, MatchedBy, Spread};

impl CompareReport {
    /// As a JSON object; a number that is infinite or does not exist is null.
    pub fn to_json(&self) -> Value {
        let (found, of) = (&self.histogram, self.real.options());
        let both = |values: [u64; 2]| json!({ "real": values[0], "simulated": values[1] });
        let distances: Vec<Value> = found
            .distances
            .iter()
            .map(|d| {
                json!({
                    "range_bin_m": d.range_bin_m,
                    "distance": d.distance,
                    "floor": d.floor,
                    "excess": d.excess,
                    "excess_is_noise": d.is_noise(),
                    "interval": d.interval,
                    "halves": d.halves,
                    "plug_in": d.plug_in,
                })
            })
            .collect();
        let region = &of.region;
        let share = found.no_return_share();
        json!({
            "mode": match self.mode {
                CompareMode::Static => "static",
                CompareMode::Moving => "moving",
            },
            "orientations_by": of.by.name(),
            "azimuth_bin_deg": 360.0 / f64::from(of.azimuths()),
            "elevation_bin_deg": of.elevation_bin_deg,
            "place_cell_m": of.place_cell_m,
            "region": {
                "box_m": region.box_m,
                "range_m": region.range_m,
                "azimuth_deg": region.azimuth_deg,
                "elevation_deg": region.elevation_deg,
            },
            "misses": of.misses,
            "orientations": found.orientations,
            "orientations_unpartnered": found.unpartnered,
            "pulses": both(found.pulses),
            "no_return": both(found.no_return),
            "no_return_share": { "real": share[0], "simulated": share[1], "difference": share[1] - share[0] },
            "scan_blocks": both(found.blocks.map(u64::from)),
            "distances": distances,
            "orientation_scores": scores(&found.beams),
            "orientation_scores_of_real_halves": found.halves.as_ref().map(scores),
            "cloud": self.cloud.as_ref().map(|c| json!({
                "real_points": c.real_points[0],
                "simulated_points": c.simulated_points[0],
                "real_to_simulated_m": c.real_to_simulated_m,
                "simulated_to_real_m": c.simulated_to_real_m,
                "chamfer_m": c.chamfer_m,
                "threshold_m": c.threshold_m,
                "precision": c.precision,
                "recall": c.recall,
                "f_score": c.f_score,
            })),
            "single_beams": self.beams.as_ref().map(|b| json!({
                "by": match b.by {
                    MatchedBy::PulseNumber => "pulse number",
                    MatchedBy::Nearest => "nearest",
                },
                "real_pulses": b.real_pulses,
                "matched": b.matched,
                "origins_apart_m": b.origins_apart_m,
                "directions_apart_deg": b.directions_apart_deg,
                "both_returned": b.both_returned,
                "only_real": b.only_real,
                "only_simulated": b.only_simulated,
                "neither": b.neither,
                "range": b.range.map(|r| json!({
                    "pulses": r.pulses,
                    "bias_m": r.bias_m,
                    "median_abs_m": r.median_abs_m,
                    "p95_abs_m": r.p95_abs_m,
                    "rms_m": r.rms_m,
                })),
                "crps_m": b.crps_m.as_ref().map(spread),
            })),
            "remarks": self.remarks,
        })
    }
}

fn scores(of: &BeamScores) -> Value {
    json!({
        "wasserstein_m": of.wasserstein_m.as_ref().map(spread),
        "ks": of.ks.as_ref().map(spread),
        "crps_m": of.crps_m.as_ref().map(spread),
        "crps_of_real_m": of.crps_of_real_m.as_ref().map(spread),
        "no_return": of.no_return.as_ref().map(spread),
        "smoothed_distance": of.smoothed_distance.as_ref().map(spread),
    })
}

fn spread(of: &Spread) -> Value {
    json!({
        "orientations": of.orientations,
        "mean": of.mean,
        "rms": of.rms,
        "median": of.median,
        "p95": of.p95,
    })
}
