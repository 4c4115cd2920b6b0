//! Leaves and needles on the leafy pieces of a skeleton.
//!
//! What enters: a skeleton whose leafy pieces are marked, and how many leaves of which size and
//! whole area. What leaves: a flat outline for a leaf, one triangle for a needle. Sizes vary
//! from leaf to leaf and are then scaled together, so that the area is exactly the one asked for.

use super::skeleton::Skeleton;
use crate::{Leaf, LeafAngle, LeafShape, Part, Plant, PlantError, Random};
use glam::DVec3;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use understory_base::math;

/// Turn from one leaf to the next on a shoot: the golden angle of phyllotaxis.
pub(crate) const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// How much foliage a woody plant has.
///
/// In files `"low"`, `"medium"`, `"high"` or the leaf area of the whole plant in m².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum FoliageDensity {
    /// Half of what is typical of the species.
    Low,
    /// Typical of the species: its `leaf_area_index` times the ground under the crown.
    #[default]
    Medium,
    /// 1.6 times what is typical of the species.
    High,
    /// One-sided leaf area of the plant.
    LeafAreaM2(f64),
}

impl FoliageDensity {
    /// One-sided leaf area, if `typical_m2` is typical.
    pub fn leaf_area_m2(self, typical_m2: f64) -> f64 {
        match self {
            FoliageDensity::Low => 0.5 * typical_m2,
            FoliageDensity::Medium => typical_m2,
            FoliageDensity::High => 1.6 * typical_m2,
            FoliageDensity::LeafAreaM2(area) => area,
        }
    }
}

impl Serialize for FoliageDensity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            FoliageDensity::Low => serializer.serialize_str("low"),
            FoliageDensity::Medium => serializer.serialize_str("medium"),
            FoliageDensity::High => serializer.serialize_str("high"),
            FoliageDensity::LeafAreaM2(area) => serializer.serialize_f64(*area),
        }
    }
}

impl<'de> Deserialize<'de> for FoliageDensity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = FoliageDensity;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("\"low\", \"medium\", \"high\" or a leaf area in m²")
            }

            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<FoliageDensity, E> {
                match word {
                    "low" => Ok(FoliageDensity::Low),
                    "medium" => Ok(FoliageDensity::Medium),
                    "high" => Ok(FoliageDensity::High),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(word), &self)),
                }
            }

            fn visit_f64<E: serde::de::Error>(self, area: f64) -> Result<FoliageDensity, E> {
                Ok(FoliageDensity::LeafAreaM2(area))
            }

            fn visit_i64<E: serde::de::Error>(self, area: i64) -> Result<FoliageDensity, E> {
                Ok(FoliageDensity::LeafAreaM2(area as f64))
            }

            fn visit_u64<E: serde::de::Error>(self, area: u64) -> Result<FoliageDensity, E> {
                Ok(FoliageDensity::LeafAreaM2(area as f64))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// How many leaves there are, and how large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LeafPlan {
    pub count: usize,
    pub length_m: f64,
    pub width_m: f64,
    /// Area of a leaf as a share of length × width.
    pub fill: f64,
    /// Of all leaves together.
    pub area_m2: f64,
}

impl LeafPlan {
    /// Leaves of length × width × fill that make up `area_m2`. Where they would be more than
    /// `limit`, they are fewer and larger by the same factor in length and width.
    pub fn new(area_m2: f64, length_m: f64, width_m: f64, fill: f64, limit: usize) -> LeafPlan {
        let wanted = area_m2 / (fill * length_m * width_m);
        let count = (wanted.round().max(1.0) as usize).min(limit.max(1));
        let scale = (wanted / count as f64).sqrt();
        let count = if area_m2 > 0.0 { count } else { 0 };
        LeafPlan { count, length_m: length_m * scale, width_m: width_m * scale, fill, area_m2 }
    }

    /// Refuses leaves that had to become out of all proportion to the plant, because
    /// `count_parameter` allows so few.
    pub fn check(&self, count_parameter: &str, height_m: f64) -> Result<(), PlantError> {
        let longest = 0.06 * height_m;
        if self.count == 0 || self.length_m <= longest {
            return Ok(());
        }
        let wanted = self.count as f64 * (self.length_m / longest).powi(2);
        Err(PlantError::Parameter {
            parameter: count_parameter.to_owned(),
            value: format!("{}, which makes them {:.3} m long", self.count, self.length_m),
            limits: format!("at least {wanted:.0}, or leaves shorter, for a plant of {height_m} m"),
        })
    }

    /// Size of each leaf relative to `length_m` and `width_m`, so that the area is exact.
    fn sizes(&self, random: &mut Random) -> Vec<f64> {
        let mut sizes: Vec<f64> = (0..self.count).map(|_| random.between(0.75, 1.25)).collect();
        let one = self.fill * self.length_m * self.width_m;
        let area: f64 = sizes.iter().map(|size| one * size * size).sum();
        let scale = (self.area_m2 / area).sqrt();
        sizes.iter_mut().for_each(|size| *size *= scale);
        sizes
    }
}

/// Where a leaf sits: a point of an axis and the axis' direction.
struct Seat {
    position: DVec3,
    along: DVec3,
}

/// `count` seats at equal distances along all leafy pieces.
fn seats(skeleton: &Skeleton, count: usize, random: &mut Random) -> Vec<Seat> {
    let pieces: Vec<(DVec3, DVec3)> = skeleton
        .nodes
        .iter()
        .filter(|node| node.leafy)
        .filter_map(|node| Some((skeleton.position(node.parent?), node.position)))
        .collect();
    let whole: f64 = pieces.iter().map(|(from, to)| from.distance(*to)).sum();
    let mut seats = Vec::with_capacity(count);
    let (mut passed, mut pieces) = (0.0, pieces.iter().peekable());
    for i in 0..count {
        let wanted = whole * (i as f64 + random.unit()) / count as f64;
        while let Some((from, to)) = pieces.peek() {
            let length = from.distance(*to);
            let last = passed + length;
            if wanted <= last {
                let share = ((wanted - passed) / length.max(1e-12)).clamp(0.0, 1.0);
                let along = (*to - *from).normalize_or(DVec3::Z);
                seats.push(Seat { position: from.lerp(*to, share), along });
                break;
            }
            passed = last;
            pieces.next();
        }
        if seats.len() <= i {
            // Rounding at the very end of the last piece.
            let last = skeleton.nodes.iter().rev().find(|node| node.leafy);
            let position = last.map_or(DVec3::ZERO, |node| node.position);
            seats.push(Seat { position, along: DVec3::Z });
        }
    }
    seats
}

/// A direction at `angle` from `along`, turned around it by `turn`.
pub(crate) fn turned_from(along: DVec3, angle: f64, turn: f64) -> DVec3 {
    let (first, second) = along.any_orthonormal_pair();
    let (turn_sin, turn_cos) = math::sin_cos(turn);
    let (sin, cos) = math::sin_cos(angle);
    along * cos + (first * turn_cos + second * turn_sin) * sin
}

/// Adds flat leaves whose normals are drawn from `angle`. The blade points away from its twig as
/// far as its normal allows.
pub(crate) fn add_leaves(
    plant: &mut Plant,
    skeleton: &Skeleton,
    plan: &LeafPlan,
    shape: LeafShape,
    angle: LeafAngle,
    random: &mut Random,
) {
    let sizes = plan.sizes(random);
    let seats = seats(skeleton, plan.count, random);
    for (i, (seat, size)) in seats.iter().zip(sizes).enumerate() {
        let (length_m, width_m) = (plan.length_m * size, plan.width_m * size);
        let away = turned_from(seat.along, 1.0, i as f64 * GOLDEN_ANGLE);
        // The petiole is left out; the blade begins where it would end.
        let base = seat.position + away * (0.15 * length_m);
        let first = plant.positions.len();
        Leaf { shape, length_m, width_m }.push(plant, base, away, angle.normal(random));
        lift(plant.positions.get_mut(first..).unwrap_or_default());
    }
}

/// Adds needles around their shoots, each one triangle that leans forward.
pub(crate) fn add_needles(
    plant: &mut Plant,
    skeleton: &Skeleton,
    plan: &LeafPlan,
    random: &mut Random,
) {
    let sizes = plan.sizes(random);
    let seats = seats(skeleton, plan.count, random);
    for (i, (seat, size)) in seats.iter().zip(sizes).enumerate() {
        let (length, width) = (plan.length_m * size, plan.width_m * size);
        let lean = random.between(0.6, 1.1);
        let needle = turned_from(seat.along, lean, i as f64 * GOLDEN_ANGLE);
        let flat = std::f64::consts::TAU * random.unit();
        let side = turned_from(needle, std::f64::consts::FRAC_PI_2, flat) * (0.5 * width);
        let base = seat.position;
        let mut corners = [base - side, base + side, base + needle * length];
        lift(&mut corners);
        plant.push_triangle(corners, Part::Leaf);
    }
}

/// Lifts what would reach below the ground.
fn lift(corners: &mut [DVec3]) {
    let lowest = corners.iter().map(|corner| corner.z).fold(f64::INFINITY, f64::min);
    if lowest < 0.0 {
        corners.iter_mut().for_each(|corner| corner.z -= lowest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twig() -> Skeleton {
        let mut skeleton = Skeleton::default();
        let foot = skeleton.push(DVec3::ZERO, None, false);
        let middle = skeleton.push(DVec3::Z, Some(foot), false);
        skeleton.push(DVec3::new(0.5, 0.2, 1.5), Some(middle), true);
        skeleton
    }

    #[test]
    fn leaf_area_is_exact_and_so_is_the_leaf_angle_distribution() {
        let shape = LeafShape::Oval;
        let plan = LeafPlan::new(60.0, 0.08, 0.05, shape.fill(), 100_000);
        let mut plant = Plant::default();
        let angle = LeafAngle::Spherical;
        add_leaves(&mut plant, &twig(), &plan, shape, angle, &mut Random::new(4));
        assert_eq!(plant.triangles.len(), 4 * plan.count);
        assert!((plant.measures(0).leaf_area_m2 - 60.0).abs() < 1e-9);
        // A spherical canopy casts half of its area in every direction.
        for direction in [DVec3::Z, DVec3::X, DVec3::new(0.6, 0.0, 0.8)] {
            let shadow: f64 = plant
                .corners()
                .map(|([a, b, c], _)| 0.5 * (b - a).cross(c - a).dot(direction).abs())
                .sum();
            assert!((shadow / 60.0 - 0.5).abs() < 0.01, "{direction} {shadow}");
        }
    }

    #[test]
    fn too_many_leaves_become_fewer_and_larger() {
        let plan = LeafPlan::new(3.0, 0.08, 0.05, 0.5, 100);
        assert_eq!(plan.count, 100);
        assert!((plan.length_m / plan.width_m - 1.6).abs() < 1e-12);
        let mut plant = Plant::default();
        add_needles(&mut plant, &twig(), &plan, &mut Random::new(4));
        assert!((plant.measures(0).leaf_area_m2 - 3.0).abs() < 1e-9);
        assert_eq!(LeafPlan::new(0.0, 0.08, 0.05, 0.5, 100).count, 0);
    }

    #[test]
    fn a_density_reads_words_and_numbers_alone() {
        use serde::de::IntoDeserializer;
        use serde::de::value::{Error, F64Deserializer, StrDeserializer};
        let word = |word: &'static str| {
            let reader: StrDeserializer<Error> = word.into_deserializer();
            FoliageDensity::deserialize(reader)
        };
        assert_eq!(word("low"), Ok(FoliageDensity::Low));
        let number: F64Deserializer<Error> = 12.5.into_deserializer();
        assert_eq!(FoliageDensity::deserialize(number), Ok(FoliageDensity::LeafAreaM2(12.5)));
        let message = word("thick").unwrap_err().to_string();
        assert!(message.contains("thick") && message.contains("\"low\""), "{message}");
    }
}
