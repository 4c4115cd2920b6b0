//! A plant as a mesh with its measures.
//!
//! What enters: triangles, ribbons and tubes in metres, each with the [`Part`] that it is. What
//! leaves: the mesh, and its [`PlantMeasures`], worked out on the triangles themselves.

use glam::{DAffine3, DVec3};
use understory_base::math;

use crate::leaf_angle::mean_projection;

/// What a triangle of a plant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Part {
    /// Leaf, needle or blade: thin, both sides alike.
    Leaf,
    /// Trunk, branch or twig.
    Wood,
    /// Green stem, culm.
    Stem,
    /// Ear, flower or fruit.
    Fruit,
}

impl Part {
    /// How much of a triangle's area counts as one-sided area: all of a leaf, which is one sheet
    /// seen from both sides, and half of everything else, which is the skin of a solid.
    pub fn one_sided_share(self) -> f64 {
        if self == Part::Leaf { 1.0 } else { 0.5 }
    }
}

/// A mesh of one plant (or one patch of many small ones), standing on z = 0 around the origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plant {
    /// Vertices in metres.
    pub positions: Vec<DVec3>,
    /// Vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// What each triangle is; as long as `triangles`.
    pub parts: Vec<Part>,
}

/// What is known of a plant, measured on its triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct PlantMeasures {
    /// One-sided area of all leaves.
    pub leaf_area_m2: f64,
    /// Surface of everything else, as seen from one side (half the surface of closed tubes).
    pub wood_area_m2: f64,
    /// Highest vertex.
    pub height_m: f64,
    /// Largest horizontal extent.
    pub spread_m: f64,
    /// Number of triangles.
    pub triangles: usize,
    /// One-sided plant area per layer of equal thickness from the ground up.
    pub area_profile_m2: Vec<f64>,
    /// Thickness of the layers of the profile.
    pub layer_m: f64,
}

impl Plant {
    /// Adds a vertex and gives its index.
    ///
    /// Every `grow` refuses plants of more triangles than a u32 can number long before this wraps.
    pub fn push_vertex(&mut self, position: DVec3) -> u32 {
        let index = self.positions.len() as u32;
        self.positions.push(position);
        index
    }

    /// Adds a triangle over vertices that are there already.
    pub fn push_indices(&mut self, corners: [u32; 3], part: Part) {
        self.triangles.push(corners);
        self.parts.push(part);
    }

    /// Adds a triangle.
    pub fn push_triangle(&mut self, corners: [DVec3; 3], part: Part) {
        let corners = corners.map(|corner| self.push_vertex(corner));
        self.push_indices(corners, part);
    }

    /// Adds a quadrilateral as two triangles, cut from the first corner to the third; its area is
    /// that of the two, also where the corners do not lie in a plane.
    pub fn push_quad(&mut self, corners: [DVec3; 4], part: Part) {
        let [a, b, c, d] = corners.map(|corner| self.push_vertex(corner));
        self.push_indices([a, b, c], part);
        self.push_indices([a, c, d], part);
    }

    /// Adds a flat fan: triangles from the first corner over all others in order.
    pub fn push_fan(&mut self, corners: &[DVec3], part: Part) {
        let first = self.positions.len() as u32;
        self.positions.extend_from_slice(corners);
        for i in 2..corners.len() as u32 {
            self.push_indices([first, first + i - 1, first + i], part);
        }
    }

    /// Adds a strip between two edges, `(left, right)` at each step; where both are the same point
    /// (a tip) the strip ends in a triangle.
    pub fn push_ribbon(&mut self, edges: &[(DVec3, DVec3)], part: Part) {
        let mut last: Option<[u32; 2]> = None;
        for &(left, right) in edges {
            let left_index = self.push_vertex(left);
            let pointed = left == right;
            let right_index = if pointed { left_index } else { self.push_vertex(right) };
            if let Some([l, r]) = last {
                if l != r {
                    self.push_indices([l, r, right_index], part);
                }
                if !pointed {
                    self.push_indices([l, right_index, left_index], part);
                }
            }
            last = Some([left_index, right_index]);
        }
    }

    /// Adds a tube of `sides` ≥ 3 flat sides around `path`, with the radius of each point of it.
    ///
    /// Its cross section is the regular polygon with the circle's circumference 2πr. By Cauchy's
    /// formula it is as wide as the round stem in the mean over all directions, and its side is as
    /// large: shadow and surface are right with few sides, where a polygon inside the circle is
    /// 10 % too thin with four. A radius of 0 makes a point. `closed` adds lids at both ends, else
    /// there is none. Paths of fewer than two points give nothing.
    pub fn push_tube(
        &mut self,
        path: &[DVec3],
        radii_m: &[f64],
        sides: u32,
        closed: bool,
        part: Part,
    ) {
        let count = path.len().min(radii_m.len());
        if count < 2 {
            return;
        }
        let sides = sides.max(3);
        let corner = corner_radius_per_radius(sides);
        let mut across = DVec3::ZERO;
        let mut last: Option<u32> = None;
        for i in 0..count {
            let before = path[i.saturating_sub(1)];
            let after = path[(i + 1).min(count - 1)];
            let along = (after - before).normalize_or(DVec3::Z);
            // The frame is carried along the path, so that the sides do not twist.
            across = (across - along * across.dot(along)).try_normalize().unwrap_or_else(|| {
                let helper = if along.z.abs() < 0.9 { DVec3::Z } else { DVec3::X };
                along.cross(helper).normalize_or(DVec3::X)
            });
            let up = along.cross(across);
            let first = self.positions.len() as u32;
            for side in 0..sides {
                let (sin, cos) =
                    math::sin_cos(std::f64::consts::TAU * f64::from(side) / f64::from(sides));
                self.positions.push(path[i] + (across * cos + up * sin) * (corner * radii_m[i]));
            }
            if let Some(last) = last {
                for side in 0..sides {
                    let next = (side + 1) % sides;
                    // Where the tube is a point, one of the two triangles has no area.
                    if radii_m[i - 1] > 0.0 {
                        self.push_indices([last + side, last + next, first + next], part);
                    }
                    if radii_m[i] > 0.0 {
                        self.push_indices([last + side, first + next, first + side], part);
                    }
                }
            }
            if closed && radii_m[i] > 0.0 && (i == 0 || i == count - 1) {
                for side in 2..sides {
                    let (a, b) = if i == 0 { (side, side - 1) } else { (side - 1, side) };
                    self.push_indices([first, first + a, first + b], part);
                }
            }
            last = Some(first);
        }
    }

    /// Adds everything of another plant.
    pub fn append(&mut self, other: &Plant) {
        let first = self.positions.len() as u32;
        self.positions.extend_from_slice(&other.positions);
        self.triangles.extend(other.triangles.iter().map(|corners| corners.map(|i| first + i)));
        self.parts.extend_from_slice(&other.parts);
    }

    /// Adds another plant where `transform` places it.
    pub fn append_placed(&mut self, other: &Plant, transform: &DAffine3) {
        let first = self.positions.len();
        self.append(other);
        for position in self.positions.iter_mut().skip(first) {
            *position = transform.transform_point3(*position);
        }
    }

    /// Moves every vertex.
    pub fn transform(&mut self, transform: &DAffine3) {
        for position in &mut self.positions {
            *position = transform.transform_point3(*position);
        }
    }

    /// Corners of each triangle with what it is; a triangle with an index out of range is left out.
    pub fn corners(&self) -> impl Iterator<Item = ([DVec3; 3], Part)> + '_ {
        self.triangles.iter().zip(&self.parts).filter_map(|(triangle, &part)| {
            let [a, b, c] = triangle.map(|i| self.positions.get(i as usize).copied());
            Some(([a?, b?, c?], part))
        })
    }

    /// Projection function of the plant as it is: mean over all azimuths of the area seen under a
    /// zenith angle without regard to what hides what, per one-sided area. Nothing there: 0.
    pub fn projection(&self, zenith_rad: f64) -> f64 {
        let (mut seen, mut total) = (0.0, 0.0);
        for (corners, part) in self.corners() {
            let area = triangle_area(corners) * part.one_sided_share();
            let [a, b, c] = corners;
            let normal = (b - a).cross(c - a).normalize_or(DVec3::Z);
            let inclination = math::acos(normal.z.abs().min(1.0));
            seen += area * mean_projection(inclination, zenith_rad);
            total += area;
        }
        if total > 0.0 { seen / total } else { 0.0 }
    }

    /// Bytes that the mesh takes here (a ray tracer's tree over it comes on top).
    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.positions.as_slice())
            + size_of_val(self.triangles.as_slice())
            + size_of_val(self.parts.as_slice())
    }

    /// Measures the triangles, with a profile of `layers` layers between the ground and the top.
    ///
    /// Triangles are cut exactly where a layer ends. What lies below z = 0 counts to the lowest.
    pub fn measures(&self, layers: usize) -> PlantMeasures {
        let mut measures = PlantMeasures {
            leaf_area_m2: 0.0,
            wood_area_m2: 0.0,
            height_m: 0.0,
            spread_m: 0.0,
            triangles: self.triangles.len(),
            area_profile_m2: vec![0.0; layers],
            layer_m: 0.0,
        };
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in &self.positions {
            (low, high) = (low.min(*p), high.max(*p));
        }
        if self.positions.is_empty() {
            return measures;
        }
        measures.height_m = high.z.max(0.0);
        measures.spread_m = (high - low).truncate().max_element();
        measures.layer_m = if layers == 0 { 0.0 } else { measures.height_m / layers as f64 };
        for (corners, part) in self.corners() {
            let area = triangle_area(corners) * part.one_sided_share();
            match part {
                Part::Leaf => measures.leaf_area_m2 += area,
                _ => measures.wood_area_m2 += area,
            }
            add_to_profile(&mut measures.area_profile_m2, measures.layer_m, corners, area);
        }
        measures
    }
}

/// Circumradius of the regular polygon of `sides` sides with the circumference of the unit circle.
fn corner_radius_per_radius(sides: u32) -> f64 {
    let half_angle = std::f64::consts::PI / f64::from(sides);
    half_angle / math::sin(half_angle)
}

/// Area of a triangle.
pub(crate) fn triangle_area([a, b, c]: [DVec3; 3]) -> f64 {
    0.5 * (b - a).cross(c - a).length()
}

/// Shares `area` out among the layers that the triangle passes through.
fn add_to_profile(profile: &mut [f64], layer_m: f64, corners: [DVec3; 3], area: f64) {
    let Some(top) = profile.len().checked_sub(1) else {
        return;
    };
    let mut z = corners.map(|corner| corner.z);
    z.sort_by(f64::total_cmp);
    let layer_of = |z: f64| ((z / layer_m).max(0.0) as usize).min(top);
    let (first, last) = (layer_of(z[0]), layer_of(z[2]));
    let mut below = 0.0;
    for layer in first..=last {
        let up_to = if layer == last { 1.0 } else { share_below(z, (layer + 1) as f64 * layer_m) };
        profile[layer] += area * (up_to - below);
        below = up_to;
    }
}

/// Share of a triangle's area below a height; `z` are the heights of its corners in order.
fn share_below([z0, z1, z2]: [f64; 3], height: f64) -> f64 {
    if height <= z0 {
        0.0
    } else if height >= z2 {
        1.0
    } else if height < z1 {
        (height - z0).powi(2) / ((z1 - z0) * (z2 - z0))
    } else {
        1.0 - (z2 - height).powi(2) / ((z2 - z1).max(f64::MIN_POSITIVE) * (z2 - z0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn a_tube_has_the_surface_of_the_cylinder_whatever_its_sides() {
        for sides in [3, 4, 6, 9] {
            let mut plant = Plant::default();
            let path = [DVec3::ZERO, DVec3::new(0.0, 0.0, 0.7), DVec3::new(0.0, 0.0, 2.0)];
            plant.push_tube(&path, &[0.05; 3], sides, false, Part::Wood);
            let measures = plant.measures(4);
            assert!((measures.wood_area_m2 - std::f64::consts::PI * 0.05 * 2.0).abs() < 1e-12);
            assert_eq!(plant.triangles.len() as u32, 4 * sides);
            for share in &measures.area_profile_m2 {
                assert!((share - measures.wood_area_m2 / 4.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_closed_tube_encloses_its_volume_with_normals_outward() {
        let mut plant = Plant::default();
        let path = [DVec3::ZERO, DVec3::new(0.0, 0.0, 3.0)];
        plant.push_tube(&path, &[0.1, 0.1], 6, true, Part::Wood);
        // Divergence theorem.
        let volume: f64 = plant.corners().map(|([a, b, c], _)| a.dot(b.cross(c)) / 6.0).sum();
        let corner = std::f64::consts::FRAC_PI_6 / 0.5 * 0.1;
        let hexagon = 1.5 * 3f64.sqrt() * corner * corner;
        assert!((volume - hexagon * 3.0).abs() < 1e-12, "{volume}");
    }

    #[test]
    fn a_cone_has_no_triangle_without_area() {
        let mut plant = Plant::default();
        let path = [DVec3::ZERO, DVec3::new(0.2, 0.0, 1.0), DVec3::new(0.5, 0.0, 2.0)];
        plant.push_tube(&path, &[0.1, 0.05, 0.0], 5, true, Part::Wood);
        assert!(plant.corners().all(|(corners, _)| triangle_area(corners) > 1e-6));
        assert_eq!(plant.triangles.len(), 5 * 3 + 3);
    }

    #[test]
    fn the_profile_adds_up_and_is_that_of_the_clipped_triangles() {
        let mut random = Random::new(5);
        let mut plant = Plant::default();
        for _ in 0..50 {
            let corners =
                [0; 3].map(|_| DVec3::new(random.unit(), random.unit(), random.between(-0.1, 3.0)));
            plant.push_triangle(corners, Part::Leaf);
        }
        let measures = plant.measures(7);
        let total: f64 = measures.area_profile_m2.iter().sum();
        assert!((total - measures.leaf_area_m2).abs() < 1e-12 * total);
        // By points spread evenly over each triangle.
        let mut counted = [0.0; 7];
        let steps = 150;
        for (corners, _) in plant.corners() {
            let weight = triangle_area(corners) / f64::from(steps * steps);
            for i in 0..steps {
                for j in 0..steps {
                    // Centres of the steps² small triangles.
                    let (u, v) = (f64::from(i) + 1.0 / 3.0, f64::from(j) + 1.0 / 3.0);
                    let (u, v) = if i + j < steps {
                        (u, v)
                    } else {
                        (f64::from(steps) - u - 1.0 / 3.0, f64::from(steps) - v - 1.0 / 3.0)
                    };
                    let (u, v) = (u / f64::from(steps), v / f64::from(steps));
                    let z = corners[0].z * (1.0 - u - v) + corners[1].z * u + corners[2].z * v;
                    counted[((z / measures.layer_m).max(0.0) as usize).min(6)] += weight;
                }
            }
        }
        for (counted, exact) in counted.iter().zip(&measures.area_profile_m2) {
            assert!((counted - exact).abs() < 0.01 * total, "{counted} {exact}");
        }
    }

    #[test]
    fn ribbons_end_in_a_tip_and_area_survives_moving() {
        let mut plant = Plant::default();
        let edge = |w: f64, z: f64| (DVec3::new(-w / 2.0, 0.0, z), DVec3::new(w / 2.0, 0.0, z));
        plant.push_ribbon(&[edge(0.02, 0.0), edge(0.01, 0.1), edge(0.0, 0.2)], Part::Leaf);
        assert_eq!(plant.triangles.len(), 3);
        let area = 0.015 * 0.1 + 0.005 * 0.1;
        assert!((plant.measures(2).leaf_area_m2 - area).abs() < 1e-15);
        let turn = DAffine3::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
        let mut twice = plant.clone();
        twice.append_placed(&plant, &turn);
        twice.transform(&turn);
        assert!((twice.measures(0).leaf_area_m2 - 2.0 * area).abs() < 1e-15);
        assert_eq!(twice.parts.len(), 6);
    }

    #[test]
    fn nothing_measures_nothing() {
        let measures = Plant::default().measures(3);
        assert_eq!(measures.area_profile_m2, [0.0; 3]);
        assert_eq!(measures.height_m, 0.0);
    }
}
