//! Stems at breast height: wood triangles cut 1.3 m above the ground.
//!
//! What enters: the wood of an instance, and how high the ground is. What leaves: a [`Section`] for
//! each trunk that is cut, with its middle and its girth. The cut follows the ground: it is where the
//! height above the ground is 1.3 m, worked out at the vertices and linear between them. The diameter
//! is the girth over π, as a tape gives it: that of the cut as it is seen from above, so that an upright
//! stem has on a slope the diameter that it has across. Of upright tubes of our plants, which have the
//! girth of the round stem, it is exact.

use std::f64::consts::PI;

use glam::{DAffine3, DVec2, DVec3, Vec3};
use understory_geometry::weld;

/// Breast height.
pub const BREAST_HEIGHT_M: f64 = 1.3;
/// A section that is narrower than this part of its length is a branch that lies along the cut, or a
/// piece of bark: a round stem is cut so when it leans by more than 70°.
const WIDTH_PER_LENGTH_MIN: f64 = 0.3;

/// A trunk where it was cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Its middle.
    pub at: DVec2,
    /// Girth over π.
    pub diameter_m: f64,
}

/// Sections of at least `diameter_min_m` of the wood triangles of a mesh that stands at
/// `world_from_mesh`.
pub fn sections(
    wood: &[[Vec3; 3]],
    world_from_mesh: &DAffine3,
    diameter_min_m: f64,
    ground_at: &dyn Fn(f64, f64) -> f64,
) -> Vec<Section> {
    let place = |corner: Vec3| world_from_mesh.transform_point3(corner.as_dvec3());
    let root = world_from_mesh.translation;
    let root_ground = ground_at(root.x, root.y);
    // Steep ground apart, only what is near the cut below the root is worth a look.
    let near = |triangle: &&[Vec3; 3]| {
        let corners = triangle.map(place);
        let away = corners[0].truncate().distance(root.truncate());
        let slack = 0.5 + 0.6 * away;
        let height = corners.map(|c| c.z - root_ground - BREAST_HEIGHT_M);
        height.iter().any(|h| *h <= slack) && height.iter().any(|h| *h >= -slack)
    };
    let near: Vec<[Vec3; 3]> = wood.iter().filter(near).copied().collect();
    let (vertices, triangles) = weld(&near);
    let world: Vec<DVec3> = vertices.iter().map(|v| place(Vec3::from(*v))).collect();
    let above: Vec<f64> =
        world.iter().map(|p| p.z - ground_at(p.x, p.y) - BREAST_HEIGHT_M).collect();
    let mut pieces = Vec::new();
    for triangle in &triangles {
        if let Some(piece) = Piece::of(*triangle, &world, &above) {
            pieces.push(piece);
        }
    }
    let mut found: Vec<Section> = loops(&pieces)
        .into_iter()
        .filter_map(|members| section(&pieces, &members))
        .filter(|section| section.diameter_m >= diameter_min_m)
        .collect();
    // Tubes that begin within others are cut twice: the widest is the stem.
    found.sort_by(|a, b| b.diameter_m.total_cmp(&a.diameter_m));
    let mut stems: Vec<Section> = Vec::new();
    for section in found {
        let within = |stem: &Section| stem.at.distance(section.at) < 0.5 * stem.diameter_m;
        if !stems.iter().any(within) {
            stems.push(section);
        }
    }
    stems
}

/// Where one triangle is cut.
struct Piece {
    ends: [DVec2; 2],
    /// The edges of the mesh on which the ends lie.
    edges: [[u32; 2]; 2],
}

impl Piece {
    fn of(triangle: [u32; 3], world: &[DVec3], above: &[f64]) -> Option<Piece> {
        let mut ends = [(DVec2::ZERO, [0; 2]); 2];
        let mut count = 0;
        for (i, &a) in triangle.iter().enumerate() {
            let b = triangle[(i + 1) % 3];
            // From the lower number on, so that neighbours find the same point.
            let (a, b) = (a.min(b), a.max(b));
            let (low, high) = (above[a as usize], above[b as usize]);
            if (low < 0.0) != (high < 0.0) && count < 2 {
                let share = low / (low - high);
                let point = world[a as usize].lerp(world[b as usize], share);
                ends[count] = (point.truncate(), [a, b]);
                count += 1;
            }
        }
        (count == 2)
            .then_some(Piece { ends: [ends[0].0, ends[1].0], edges: [ends[0].1, ends[1].1] })
    }

    fn length(&self) -> f64 {
        self.ends[0].distance(self.ends[1])
    }
}

/// Pieces that hang together, by their numbers.
fn loops(pieces: &[Piece]) -> Vec<Vec<usize>> {
    let mut ends: Vec<([u32; 2], usize)> = pieces
        .iter()
        .enumerate()
        .flat_map(|(number, piece)| piece.edges.map(|edge| (edge, number)))
        .collect();
    ends.sort_unstable();
    let mut neighbours = vec![Vec::new(); pieces.len()];
    for same in ends.chunk_by(|a, b| a.0 == b.0) {
        for pair in same.windows(2) {
            neighbours[pair[0].1].push(pair[1].1);
            neighbours[pair[1].1].push(pair[0].1);
        }
    }
    let mut seen = vec![false; pieces.len()];
    let mut loops = Vec::new();
    for start in 0..pieces.len() {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let (mut members, mut next) = (vec![start], 0);
        while let Some(&piece) = members.get(next) {
            next += 1;
            for &other in &neighbours[piece] {
                if !seen[other] {
                    seen[other] = true;
                    members.push(other);
                }
            }
        }
        loops.push(members);
    }
    loops
}

fn section(pieces: &[Piece], members: &[usize]) -> Option<Section> {
    let pieces = || members.iter().map(|number| &pieces[*number]);
    let girth: f64 = pieces().map(Piece::length).sum();
    if girth <= 0.0 {
        return None;
    }
    let middle = |piece: &Piece| 0.5 * (piece.ends[0] + piece.ends[1]);
    let at = pieces().map(|piece| piece.length() * middle(piece)).sum::<DVec2>() / girth;
    // Second moments of the line about its middle: the roots of the principal ones are as width to length.
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for piece in pieces() {
        let (length, m) = (piece.length(), middle(piece) - at);
        let d = piece.ends[1] - piece.ends[0];
        xx += length * (m.x * m.x + d.x * d.x / 12.0);
        yy += length * (m.y * m.y + d.y * d.y / 12.0);
        xy += length * (m.x * m.y + d.x * d.y / 12.0);
    }
    let (mean, off) = (0.5 * (xx + yy), (0.25 * (xx - yy).powi(2) + xy * xy).sqrt());
    let is_long = mean - off < WIDTH_PER_LENGTH_MIN.powi(2) * (mean + off);
    (!is_long).then_some(Section { at, diameter_m: girth / PI })
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_plants::{Part, Plant};

    fn wood(plant: &Plant) -> Vec<[Vec3; 3]> {
        plant.corners().map(|(corners, _)| corners.map(|c| c.as_vec3())).collect()
    }

    #[test]
    fn tubes_have_their_diameters_where_they_stand() {
        let mut plant = Plant::default();
        // A cone: 30 cm at the ground, 10 cm at 4 m; at breast height 30 − 1.3 · 5 = 23.5 cm.
        let path = [DVec3::ZERO, DVec3::new(0.0, 0.0, 4.0)];
        plant.push_tube(&path, &[0.15, 0.05], 8, false, Part::Wood);
        // A second stem, a thin one, and a branch that lies across the cut.
        let beside = |x: f64| [DVec3::new(x, 1.0, 0.0), DVec3::new(x, 1.0, 3.0)];
        plant.push_tube(&beside(2.0), &[0.06; 2], 6, false, Part::Wood);
        plant.push_tube(&beside(3.0), &[0.01; 2], 6, false, Part::Wood);
        let across = [DVec3::new(-3.0, 0.0, 1.3), DVec3::new(-1.0, 0.0, 1.31)];
        plant.push_tube(&across, &[0.05; 2], 6, false, Part::Wood);
        let stand = DAffine3::from_translation(DVec3::new(100.0, 50.0, 7.0));
        let found = sections(&wood(&plant), &stand, 0.05, &|_, _| 7.0);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!((found[0].diameter_m - 0.235).abs() < 1e-5, "{found:?}");
        assert!(found[0].at.distance(DVec2::new(100.0, 50.0)) < 1e-5);
        assert!((found[1].diameter_m - 0.12).abs() < 1e-5);
        assert!(found[1].at.distance(DVec2::new(102.0, 51.0)) < 1e-5);
    }

    #[test]
    fn the_cut_follows_the_ground() {
        let mut plant = Plant::default();
        for x in [-8.0, 8.0] {
            let path = [DVec3::new(x, 0.0, -8.0), DVec3::new(x, 0.0, 12.0)];
            plant.push_tube(&path, &[0.5, 0.1], 12, false, Part::Wood);
        }
        // A slope of one to two: the cut is at 1.3 − 4 m and at 1.3 + 4 m.
        let found = sections(&wood(&plant), &DAffine3::IDENTITY, 0.05, &|x, _| 0.5 * x);
        let expected = |z: f64| 2.0 * (0.5 - 0.4 * (z + 8.0) / 20.0);
        assert_eq!(found.len(), 2);
        // The cut is an ellipse along the slope and, seen from above, the circle across the stem, but for
        // the taper: a radius that falls by 1 % of itself across the stem makes an ellipse whose girth
        // differs by the square of that.
        assert!((found[0].diameter_m / expected(-2.7) - 1.0).abs() < 1e-3, "{found:?}");
        assert!((found[1].diameter_m / expected(5.3) - 1.0).abs() < 1e-3, "{found:?}");
        assert!((found[0].at.x + 8.0).abs() < 0.01 && (found[1].at.x - 8.0).abs() < 0.01);
    }
}
