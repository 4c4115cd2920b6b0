//! How far apart rays end, from the first beams of a recording.
//!
//! What enters: a source. What leaves: the median, over returns, of the range times the angle between
//! rays, as the density of directions about a ray says: of k rays within the angle θ each has the solid
//! angle πθ²/k to itself. Rays along one line count once, and only so many beams are looked at that they are
//! about one revolution, so this is the sampling from one place.

use std::num::NonZero;

use kiddo::{ImmutableKdTree, SquaredEuclidean};
use rayon::prelude::*;
use understory_base::math;

use super::beams::{BeamSource, Beams};
use super::recordings::RecordingBeams;
use crate::LearnError;

/// Beams that are looked at.
const BEAMS: usize = 100_000;
/// Returns for which the density is asked.
const ASKED: usize = 2000;
/// Fewer returns tell nothing.
const LEAST: usize = 50;
/// Neighbours that tell the density.
const NEIGHBOURS: usize = 8;
/// Rays nearer than this are one.
const SAME_RAD: f64 = 1e-4;

/// How far apart rays end; `None` where there are too few.
pub fn ray_spacing_m(source: &RecordingBeams, range_max_m: f64) -> Result<Option<f64>, LearnError> {
    let mut beams = Beams::default();
    let mut enough = false;
    let passed = source.pass(&mut |batch| {
        beams.append(batch);
        enough = beams.len() >= BEAMS;
        // Nothing but an error ends a pass.
        if enough { Err(LearnError::CannotJudge) } else { Ok(()) }
    });
    if !enough {
        passed?;
    }
    Ok(spacing_m(&beams, range_max_m))
}

fn spacing_m(beams: &Beams, range_max_m: f64) -> Option<f64> {
    let mut directions: Vec<[i64; 3]> = beams
        .direction
        .iter()
        .take(BEAMS)
        .map(|d| d.as_dvec3().to_array().map(|x| (x / SAME_RAD).round() as i64))
        .collect();
    directions.sort_unstable();
    directions.dedup();
    let directions: Vec<[f64; 3]> =
        directions.iter().map(|d| d.map(|x| x as f64 * SAME_RAD)).collect();
    let returns: Vec<usize> = (0..beams.len().min(BEAMS))
        .filter(|beam| f64::from(beams.range_m[*beam]) < range_max_m.min(f64::MAX))
        .collect();
    if returns.len() < LEAST || directions.len() <= 2 * NEIGHBOURS {
        return None;
    }
    let tree = ImmutableKdTree::<f64, 3>::new_from_slice(&directions).ok()?;
    let most = NonZero::new(NEIGHBOURS + 1)?;
    let stride = returns.len().div_ceil(ASKED).max(1);
    let asked: Vec<usize> = returns.into_iter().step_by(stride).collect();
    let mut spacings: Vec<f64> = asked
        .into_par_iter()
        .filter_map(|beam| {
            let at = beams.direction[beam].as_dvec3().to_array();
            let near = tree.query(&at).nearest_n::<SquaredEuclidean<f64>>(most).execute();
            let angle = near.iter().map(|found| found.distance.sqrt()).fold(0.0, f64::max);
            let each = angle * (std::f64::consts::PI / NEIGHBOURS as f64).sqrt();
            Some(each * f64::from(beams.range_m[beam])).filter(|spacing| spacing.is_finite())
        })
        .collect();
    let middle = spacings.len() / 2;
    (!spacings.is_empty()).then(|| *spacings.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// The coarsest cell that suits rays which end so far apart: about four of them, in steps that people
/// would take, from 5 to 40 cm.
pub fn suited_cell_m(spacing_m: f64) -> f64 {
    const STEPS_M: [f64; 7] = [0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4];
    let wanted = 2.0 * spacing_m;
    let apart = |cell: &f64| math::ln(cell / wanted.max(1e-6)).abs();
    STEPS_M.into_iter().min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(0.05)
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};

    use super::*;

    /// A grid of 0.2° by 0.8° before a sphere of 10 m, fired twenty times: rays have 0.4° each to
    /// themselves. Eight neighbours on a lattice are known to about a fifth.
    #[test]
    fn the_spacing_is_that_of_the_lattice() {
        let mut beams = Beams::default();
        for _ in 0..20 {
            for across in -60..60 {
                for up in -15..15 {
                    let (a, e) = (f64::from(across) * 0.2, f64::from(up) * 0.8);
                    let (a, e) = (a.to_radians(), e.to_radians());
                    let d = DVec3::new(e.cos() * a.cos(), e.cos() * a.sin(), e.sin());
                    beams.push(DVec3::ZERO, d.as_vec3(), 10.0, 0.5, 0);
                }
            }
        }
        let wanted = 10.0 * 0.4f64.to_radians();
        let found = spacing_m(&beams, f64::INFINITY).unwrap();
        assert!((found / wanted - 1.0).abs() < 0.25, "{found} {wanted}");
        assert!((0.15..=0.2).contains(&suited_cell_m(found)));
        assert_eq!([0.001, 0.2, 5.0].map(suited_cell_m), [0.05, 0.4, 0.4]);
        let mut few = Beams::default();
        few.push(DVec3::ZERO, Vec3::X, 1.0, 0.5, 0);
        assert!(spacing_m(&few, f64::INFINITY).is_none());
    }
}
