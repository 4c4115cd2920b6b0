//! One leaf: an outline of few triangles whose area is known before it is drawn.
//!
//! What enters: shape, length and width, and where it grows. What leaves: flat triangles of exactly
//! [`Leaf::area_m2`] in all.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use understory_base::math;

use crate::{Part, Plant, Random};

/// The outline of a leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LeafShape {
    /// Widest in the middle; two triangles, half of its bounding rectangle.
    #[default]
    Rhombus,
    /// Nearly an ellipse: a hexagon of four triangles, three quarters of its rectangle.
    Oval,
    /// Widest at a third of its length, as a willow's; two triangles, half of its rectangle.
    Lanceolate,
    /// Broad below and pointed, as a birch's or poplar's; three triangles.
    Deltoid,
    /// A strip of two triangles: needles, and the plainest test object.
    Rectangle,
}

impl LeafShape {
    /// Half outline from stalk to tip: place along the length, and width there as a share of the
    /// largest.
    fn outline(self) -> &'static [(f64, f64)] {
        match self {
            LeafShape::Rhombus => &[(0.0, 0.0), (0.5, 1.0), (1.0, 0.0)],
            LeafShape::Oval => &[(0.0, 0.0), (0.25, 1.0), (0.75, 1.0), (1.0, 0.0)],
            LeafShape::Lanceolate => &[(0.0, 0.0), (1.0 / 3.0, 1.0), (1.0, 0.0)],
            LeafShape::Deltoid => &[(0.0, 0.5), (0.25, 1.0), (1.0, 0.0)],
            LeafShape::Rectangle => &[(0.0, 1.0), (1.0, 1.0)],
        }
    }

    /// Area as a share of length times width.
    pub fn fill(self) -> f64 {
        let trapezium = |pair: &[(f64, f64)]| match pair {
            [(s0, w0), (s1, w1)] => (s1 - s0) * (w0 + w1) / 2.0,
            _ => 0.0,
        };
        self.outline().windows(2).map(trapezium).sum()
    }

    /// Number of triangles.
    pub fn triangles(self) -> u64 {
        match self {
            LeafShape::Rhombus | LeafShape::Lanceolate | LeafShape::Rectangle => 2,
            LeafShape::Deltoid => 3,
            LeafShape::Oval => 4,
        }
    }
}

/// A leaf of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leaf {
    /// Its outline.
    pub shape: LeafShape,
    /// From stalk to tip.
    pub length_m: f64,
    /// Where it is widest.
    pub width_m: f64,
}

impl Leaf {
    /// The leaf of this area whose width is `width_per_length` times its length.
    pub fn from_area(shape: LeafShape, area_m2: f64, width_per_length: f64) -> Leaf {
        let length_m = (area_m2 / (shape.fill() * width_per_length)).sqrt();
        Leaf { shape, length_m, width_m: length_m * width_per_length }
    }

    /// One-sided area.
    pub fn area_m2(&self) -> f64 {
        self.shape.fill() * self.length_m * self.width_m
    }

    /// Adds the leaf from its stalk at `base` toward `along`, in the plane across `normal`.
    ///
    /// `along` is turned into that plane; both need not have unit length.
    pub fn push(&self, plant: &mut Plant, base: DVec3, along: DVec3, normal: DVec3) {
        let normal = normal.normalize_or(DVec3::Z);
        let along = (along - normal * along.dot(normal))
            .try_normalize()
            .unwrap_or_else(|| normal.any_orthonormal_vector());
        let across = normal.cross(along);
        let mut edges = [(base, base); 4];
        let outline = self.shape.outline();
        for (edge, (s, w)) in edges.iter_mut().zip(outline) {
            let middle = base + along * (s * self.length_m);
            let half = across * (0.5 * w * self.width_m);
            *edge = (middle + half, middle - half);
        }
        plant.push_ribbon(edges.get(..outline.len()).unwrap_or(&edges), Part::Leaf);
    }

    /// Adds the leaf with its middle at `centre`, across `normal`, turned about it at random.
    pub fn push_centred(
        &self,
        plant: &mut Plant,
        centre: DVec3,
        normal: DVec3,
        random: &mut Random,
    ) {
        let normal = normal.normalize_or(DVec3::Z);
        let (x, y) = normal.any_orthonormal_pair();
        let (sin, cos) = math::sin_cos(std::f64::consts::TAU * random.unit());
        let along = x * cos + y * sin;
        self.push(plant, centre - along * (0.5 * self.length_m), along, normal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [LeafShape; 5] = [
        LeafShape::Rhombus,
        LeafShape::Oval,
        LeafShape::Lanceolate,
        LeafShape::Deltoid,
        LeafShape::Rectangle,
    ];

    /// Area from the lengths of the sides, in Kahan's form of Heron's formula.
    fn heron([a, b, c]: [DVec3; 3]) -> f64 {
        let mut sides = [a.distance(b), b.distance(c), c.distance(a)];
        sides.sort_by(f64::total_cmp);
        let [c, b, a] = sides;
        let product = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c));
        product.max(0.0).sqrt() / 4.0
    }

    #[test]
    fn drawn_area_is_the_stated_area() {
        let mut random = Random::new(1);
        for shape in ALL {
            let leaf = Leaf::from_area(shape, 0.003, 0.4);
            assert!((leaf.area_m2() - 0.003).abs() < 1e-15);
            let mut plant = Plant::default();
            for _ in 0..100 {
                leaf.push(&mut plant, DVec3::X, random.direction(), random.direction());
                leaf.push_centred(&mut plant, DVec3::Y, random.direction(), &mut random);
            }
            let by_heron: f64 = plant.corners().map(|(corners, _)| heron(corners)).sum();
            assert!((by_heron - 200.0 * 0.003).abs() < 1e-9, "{shape:?}: {by_heron}");
            assert!((plant.measures(1).leaf_area_m2 - 200.0 * 0.003).abs() < 1e-12);
            assert_eq!(plant.triangles.len() as u64, 200 * shape.triangles());
        }
    }

    #[test]
    fn a_leaf_lies_across_its_normal_and_starts_at_its_stalk() {
        let mut random = Random::new(2);
        for shape in ALL {
            let (base, normal) = (random.direction(), random.direction());
            let mut plant = Plant::default();
            let leaf = Leaf { shape, length_m: 0.1, width_m: 0.04 };
            leaf.push(&mut plant, base, random.direction(), normal);
            for p in &plant.positions {
                assert!((*p - base).dot(normal).abs() < 1e-12);
                assert!(p.distance(base) < 0.1 + 0.02 + 1e-12);
            }
        }
    }
}
