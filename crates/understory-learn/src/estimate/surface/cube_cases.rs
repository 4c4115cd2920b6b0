//! Which triangles a cube has for each of the 256 ways in which its corners lie inside or outside.
//!
//! The table is worked out, not written down. Going round a face as seen from outside the cube, each
//! run of inside corners is entered over one edge and left over another; a directed segment joins
//! the two. Every crossed edge is entered on one of its two faces and left on the other, so the
//! segments close to loops. On a face whose corners alternate there are two runs, and the inside
//! corners stay apart. This depends on the face alone, so both cubes at a face draw the same
//! segments, and the surface has no gaps.
//!
//! Loops are cut into triangles without a cut between two edges of the same face: the cube behind it
//! could have the same cut, and four triangles would meet there.
//!
//! Corner k is at x = bit 0, y = bit 1, z = bit 2 of k. Triangles are counter-clockwise as seen from
//! outside, where the distance is positive.

use std::sync::LazyLock;

/// The 12 edges: lower corner and axis.
pub(super) const EDGES: [(usize, usize); 12] = [
    (0, 0),
    (2, 0),
    (4, 0),
    (6, 0),
    (0, 1),
    (1, 1),
    (4, 1),
    (5, 1),
    (0, 2),
    (1, 2),
    (2, 2),
    (3, 2),
];

/// Triangles of all cases, as edges; a case has bit k set if corner k is inside.
pub(super) static CASES: LazyLock<[Vec<[u8; 3]>; 256]> =
    LazyLock::new(|| std::array::from_fn(triangles));

fn triangles(case: usize) -> Vec<[u8; 3]> {
    loops(case).iter().flat_map(|edges| cut(edges).unwrap_or_else(|| fan(edges))).collect()
}

/// Closed loops of crossed edges.
fn loops(case: usize) -> Vec<Vec<u8>> {
    let mut next = [None; 12];
    let inside = |corner: usize| case >> corner & 1 == 1;
    for face in faces() {
        for first in 0..4 {
            let corner = |k: usize| face[(first + k) % 4];
            if inside(corner(0)) || !inside(corner(1)) {
                continue;
            }
            // The run of inside corners that is entered here ends before the first outside one,
            // at the latest where it began.
            let last = (1..4).find(|&k| !inside(corner(k + 1))).unwrap_or(3);
            let entered = edge(corner(0), corner(1));
            next[entered] = Some(edge(corner(last), corner(last + 1)));
        }
    }
    let mut loops = Vec::new();
    for start in 0..12 {
        let mut edges = Vec::new();
        let mut at = start;
        while let Some(to) = next[at].take() {
            edges.push(at as u8);
            at = to;
        }
        if !edges.is_empty() {
            loops.push(edges);
        }
    }
    loops
}

/// Corners of each face, counter-clockwise as seen from outside.
fn faces() -> impl Iterator<Item = [usize; 4]> {
    (0..3).flat_map(|axis| {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let up = 1 << axis;
        [[up, up + u, up + u + v, up + v], [0, v, u + v, u]]
    })
}

/// The edge between two corners.
fn edge(a: usize, b: usize) -> usize {
    let axis = (a ^ b).trailing_zeros() as usize;
    EDGES.iter().position(|&known| known == (a & b, axis)).unwrap_or(0)
}

/// Whether two edges lie on one face.
fn share_face(a: u8, b: u8) -> bool {
    let ((corner_a, axis_a), (corner_b, axis_b)) = (EDGES[a as usize], EDGES[b as usize]);
    let same = |axis: usize| corner_a >> axis & 1 == corner_b >> axis & 1;
    (0..3).any(|axis| axis != axis_a && axis != axis_b && same(axis))
}

/// Triangles of a loop whose cuts all go through the cube; `None` if there are none such.
fn cut(edges: &[u8]) -> Option<Vec<[u8; 3]>> {
    let (Some(&first), Some(&last)) = (edges.first(), edges.last()) else { return None };
    if edges.len() < 3 {
        return Some(Vec::new());
    }
    // The triangle on the side from the last to the first has its tip somewhere between.
    for tip in 1..edges.len() - 1 {
        let allowed =
            |other: usize, at: u8| tip.abs_diff(other) == 1 || !share_face(edges[tip], at);
        if !allowed(0, first) || !allowed(edges.len() - 1, last) {
            continue;
        }
        if let (Some(before), Some(after)) = (cut(&edges[..=tip]), cut(&edges[tip..])) {
            let mut triangles = vec![[first, edges[tip], last]];
            triangles.extend(before);
            triangles.extend(after);
            return Some(triangles);
        }
    }
    None
}

fn fan(edges: &[u8]) -> Vec<[u8; 3]> {
    (2..edges.len()).map(|k| [edges[0], edges[k - 1], edges[k]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crossed_edge_is_on_one_loop() {
        for case in 0..256 {
            let crossed = |e: usize| {
                let (corner, axis) = EDGES[e];
                (case >> corner ^ case >> (corner | 1 << axis)) & 1 == 1
            };
            let mut seen = [0; 12];
            for edges in loops(case) {
                assert!(edges.len() >= 3, "case {case}: {edges:?}");
                for k in 0..edges.len() {
                    seen[edges[k] as usize] += 1;
                    assert!(share_face(edges[k], edges[(k + 1) % edges.len()]), "case {case}");
                }
            }
            for e in 0..12 {
                assert_eq!(seen[e], usize::from(crossed(e)), "case {case}, edge {e}");
            }
        }
    }

    #[test]
    fn every_loop_is_cut_through_the_cube() {
        let mut longest = 0;
        for case in 0..256 {
            for edges in loops(case) {
                longest = longest.max(edges.len());
                let triangles = cut(&edges);
                assert!(triangles.is_some(), "case {case}: {edges:?}");
                assert_eq!(triangles.unwrap().len(), edges.len() - 2);
            }
        }
        assert!(longest > 6, "{longest}");
    }

    #[test]
    fn a_single_inside_corner_is_cut_off_and_seen_from_outside() {
        let mid = |e: u8| {
            let (corner, axis) = EDGES[e as usize];
            let mut at = [0, 1, 2].map(|k| (corner >> k & 1) as f64);
            at[axis] = 0.5;
            glam::DVec3::from_array(at)
        };
        for corner in 0..8usize {
            let triangles = &CASES[1 << corner];
            assert_eq!(triangles.len(), 1);
            let [a, b, c] = triangles[0].map(mid);
            let at = glam::DVec3::from_array([0, 1, 2].map(|k| (corner >> k & 1) as f64));
            assert!((b - a).cross(c - a).dot(a - at) > 0.0, "corner {corner}");
        }
        assert!(CASES[0].is_empty() && CASES[255].is_empty());
    }
}
