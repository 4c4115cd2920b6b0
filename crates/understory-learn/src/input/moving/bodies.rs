//! Points that moved → bodies that did.
//!
//! What enters: a scan of a window. What leaves: its beams that met a body that moved. Points that moved and
//! lie in neighbouring cells are one body. It is believed if it has some points and some height, and if
//! not many of the points in and about it, above its foot, stand still. Points about it of which too little
//! is known belong to it.

use std::collections::{BTreeMap, BTreeSet};

use glam::IVec3;

use super::evidence::{VOXEL_M, Verdict, Window};

/// Cells by which points are neighbours.
const CELL_M: f64 = 0.4;
/// Beams that a body returns at least.
const BEAMS_LEAST: usize = 8;
/// Height of a body at least.
const HEIGHT_M: f64 = 0.3;
/// Share of the voxels in and about a body that moved.
const MOVING_SHARE: f64 = 0.6;

/// The beams of one voxel, which have one verdict.
struct Voxel {
    beams: Vec<u32>,
    cell: IVec3,
    height_m: f64,
    verdict: Verdict,
}

/// Beams of a scan that met a body that moved.
pub(super) fn moving_of(window: &Window, scan: usize) -> Vec<u32> {
    let beams = window.scans[scan];
    let mut voxels: BTreeMap<[i32; 3], Voxel> = BTreeMap::new();
    for beam in 0..beams.len() {
        let Some(end) = beams.end(beam) else { continue };
        let at = window.voxel(end, VOXEL_M).to_array();
        let voxel = voxels.entry(at).or_insert_with(|| Voxel {
            beams: Vec::new(),
            cell: window.voxel(end, CELL_M),
            height_m: end.z,
            verdict: window.verdict(end, scan),
        });
        voxel.beams.push(beam as u32);
    }
    let voxels: Vec<Voxel> = voxels.into_values().collect();
    let mut of_cell: BTreeMap<[i32; 3], Vec<usize>> = BTreeMap::new();
    for (k, voxel) in voxels.iter().enumerate() {
        of_cell.entry(voxel.cell.to_array()).or_default().push(k);
    }
    let about = |cell: IVec3| {
        neighbours(cell).filter_map(|cell| of_cell.get(&cell.to_array())).flatten().copied()
    };
    let (mut seen, mut moving) = (vec![false; voxels.len()], Vec::new());
    for start in 0..voxels.len() {
        if seen[start] || voxels[start].verdict != Verdict::Moving {
            continue;
        }
        let (mut body, mut next) = (vec![start], 0);
        seen[start] = true;
        while let Some(voxel) = body.get(next).copied() {
            next += 1;
            for other in about(voxels[voxel].cell) {
                if !seen[other] && voxels[other].verdict == Verdict::Moving {
                    seen[other] = true;
                    body.push(other);
                }
            }
        }
        let surroundings: BTreeSet<usize> =
            body.iter().flat_map(|voxel| about(voxels[*voxel].cell)).collect();
        if is_body(&voxels, &body, &surroundings) {
            for voxel in body.iter().chain(&surroundings) {
                if voxels[*voxel].verdict != Verdict::Still {
                    moving.extend(&voxels[*voxel].beams);
                }
            }
        }
    }
    moving
}

fn is_body(voxels: &[Voxel], body: &[usize], surroundings: &BTreeSet<usize>) -> bool {
    let beams: usize = body.iter().map(|voxel| voxels[*voxel].beams.len()).sum();
    let height = |least: f64, pick: fn(f64, f64) -> f64| {
        body.iter().map(|voxel| voxels[*voxel].height_m).fold(least, pick)
    };
    let (low, high) = (height(f64::INFINITY, f64::min), height(f64::NEG_INFINITY, f64::max));
    let still = surroundings
        .iter()
        .filter(|k| voxels[**k].verdict == Verdict::Still && voxels[**k].height_m > low + HEIGHT_M)
        .count();
    let share = body.len() as f64 / (body.len() + still) as f64;
    beams >= BEAMS_LEAST && high - low >= HEIGHT_M && share >= MOVING_SHARE
}

fn neighbours(cell: IVec3) -> impl Iterator<Item = IVec3> {
    let steps = -1..=1;
    steps.clone().flat_map(move |x| {
        let zs = -1..=1;
        (-1..=1).flat_map(move |y| zs.clone().map(move |z| cell + IVec3::new(x, y, z)))
    })
}
