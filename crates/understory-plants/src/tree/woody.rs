//! From parameters to a grown plant, the same for broad-leaved trees and shrubs.
//!
//! What enters: sizes and habits, and a seed. What leaves: a skeleton, and the plant around it.
//! Stems rise, axes colonise the crown ([`colonise`]), leafy shoots sprout on their ends, radii
//! follow the pipe model, and leaves fill the leaf area.

use super::WoodySpec;
use super::colonisation::{Growth, colonise};
use super::crown::Envelope;
use super::foliage::{GOLDEN_ANGLE, LeafPlan, add_leaves, turned_from};
use super::skeleton::Skeleton;
use super::wood::add_wood;
use crate::limits::{fits, within};
use crate::{Plant, PlantError, Random};
use glam::{DVec2, DVec3};
use understory_base::math;

/// Most attraction points of one plant.
const MAX_POINTS: f64 = 200_000.0;

/// Most leaves of one plant.
pub(crate) const MAX_LEAVES: u32 = 5_000_000;

impl<H> WoodySpec<H> {
    fn envelope(&self) -> Envelope {
        Envelope {
            shape: self.crown_shape,
            width_m: self.crown_width_m,
            depth_m: self.crown_depth_m.unwrap_or(self.crown_width_m),
            base_m: self.crown_base_m,
            top_m: self.height_m,
        }
    }

    /// Whether every parameter is within its limits.
    pub fn check(&self) -> Result<(), PlantError> {
        let envelope = &self.envelope();
        within("height_m", envelope.top_m, 0.1, 120.0)?;
        within("crown_width_m", envelope.width_m, 0.05, 100.0)?;
        within("crown_depth_m", envelope.depth_m, 0.05, 100.0)?;
        within("crown_base_m", envelope.base_m, 0.0, 0.9 * envelope.top_m)?;
        within("stems", f64::from(self.stems), 1.0, 1000.0)?;
        within("leader", self.leader, 0.0, 1.0)?;
        within("twig_diameter_m", self.twig_diameter_m, 1e-4, 0.1)?;
        within("stem_diameter_m", self.stem_diameter_m, 1.2 * self.twig_diameter_m, 10.0)?;
        within("branch_spacing_m", self.branch_spacing_m, 0.01, 10.0)?;
        let spacing = self.branch_spacing_m;
        within("kill_radius_m", self.kill_radius_m, 0.3 * spacing, 10.0 * spacing)?;
        let influence = ("influence_radius_m", self.influence_radius_m);
        within(influence.0, influence.1, 1.5 * self.kill_radius_m, 50.0 * spacing)?;
        if self.wanted_points() > MAX_POINTS {
            let least = math::cbrt(envelope.volume_m3() / MAX_POINTS);
            let limits = format!("at least {least:.3} for a crown of this size");
            let (parameter, value) = ("branch_spacing_m".to_owned(), spacing.to_string());
            return Err(PlantError::Parameter { parameter, value, limits });
        }
        within("tropism", self.tropism, -2.0, 4.0)?;
        within("hollow", self.hollow, 0.0, 20.0)?;
        within("shoot_length_m", self.shoot_length_m, 0.005, 5.0)?;
        within("shoot_tropism", self.shoot_tropism, -3.0, 3.0)?;
        within("leaves_per_shoot", f64::from(self.leaves_per_shoot), 1.0, 1000.0)?;
        within("leaf_length_m", self.leaf_length_m, 0.001, 2.0)?;
        within("leaf_width_m", self.leaf_width_m, 0.0005, 2.0)?;
        within("leaf_area_index", self.leaf_area_index, 0.0, 30.0)?;
        within("leaf_count_max", self.leaf_count_max.into(), 1.0, MAX_LEAVES.into())?;
        within("foliage_density", self.leaf_area_m2(), 0.0, 1e5)?;
        self.leaf_plan().check("leaf_count_max", envelope.top_m)?;
        fits(self.triangle_estimate())
    }

    /// One-sided leaf area that the plant will have.
    pub fn leaf_area_m2(&self) -> f64 {
        let typical = self.leaf_area_index * self.envelope().projected_area_m2();
        self.foliage_density.leaf_area_m2(typical)
    }

    fn leaf_plan(&self) -> LeafPlan {
        let limit = self.leaf_count_max as usize;
        let fill = self.leaf_shape.fill();
        LeafPlan::new(self.leaf_area_m2(), self.leaf_length_m, self.leaf_width_m, fill, limit)
    }

    fn wanted_points(&self) -> f64 {
        self.envelope().volume_m3() / self.branch_spacing_m.powi(3)
    }

    fn point_count(&self) -> usize {
        self.wanted_points().clamp(12.0, MAX_POINTS) as usize
    }

    fn shoot_count(&self) -> usize {
        self.leaf_plan().count.div_ceil(self.leaves_per_shoot.max(1) as usize)
    }

    fn step_m(&self) -> f64 {
        0.45 * self.kill_radius_m
    }

    /// About how many triangles the plant will have: leaves and shoots as counted, branches by experience with points
    /// and with the length of the stems.
    pub fn triangle_estimate(&self) -> u64 {
        let stem_nodes = self.envelope().top_m / self.step_m() * f64::from(self.stems);
        let branches = 5.5 * self.point_count() as f64 + 5.0 * stem_nodes;
        let leaves = self.leaf_shape.triangles() * self.leaf_plan().count as u64;
        leaves + 9 * self.shoot_count() as u64 + branches as u64
    }

    /// Grows the plant; the same seed gives the same plant.
    ///
    /// ```
    /// use understory_plants::{FoliageDensity, TreeSpec};
    ///
    /// let spec = TreeSpec {
    ///     height_m: 4.0,
    ///     crown_width_m: 2.5,
    ///     crown_base_m: 1.0,
    ///     foliage_density: FoliageDensity::LeafAreaM2(8.0),
    ///     ..TreeSpec::default()
    /// };
    /// let tree = spec.grow(1)?;
    /// assert!((tree.measures(0).leaf_area_m2 - 8.0).abs() < 1e-6);
    /// # Ok::<(), understory_plants::PlantError>(())
    /// ```
    pub fn grow(&self, seed: u64) -> Result<Plant, PlantError> {
        self.check()?;
        let random = Random::new(seed);
        let skeleton = self.skeleton(&random);
        let mut plant = Plant::default();
        add_wood(&mut plant, &skeleton, self.stems == 1);
        let mut draw = random.fork(4);
        let plan = self.leaf_plan();
        let (shape, angle) = (self.leaf_shape, self.leaf_angle);
        add_leaves(&mut plant, &skeleton, &plan, shape, angle, &mut draw);
        Ok(plant)
    }

    pub(crate) fn skeleton(&self, random: &Random) -> Skeleton {
        let mut skeleton = Skeleton::default();
        self.add_stems(&mut skeleton, &mut random.fork(0));
        let mut draw = random.fork(1);
        // Shoots reach beyond the branches that bear them.
        let inner = DVec2::new(self.envelope().width_m, self.envelope().depth_m)
            .map(|width| (1.0 - self.shoot_length_m / width).max(0.5))
            .extend(1.0);
        let mut points: Vec<DVec3> = (0..self.point_count())
            .map(|_| self.envelope().point(self.hollow, &mut draw) * inner)
            .collect();
        points.push(DVec3::Z * self.envelope().top_m);
        let growth = Growth {
            step_m: self.step_m(),
            influence_radius_m: self.influence_radius_m,
            kill_radius_m: self.kill_radius_m,
            tropism: self.tropism,
            node_limit: skeleton.nodes.len() + 20 * points.len() + 1000,
        };
        colonise(&mut skeleton, &points, &growth, &mut random.fork(2));
        skeleton.smooth(2);
        self.add_shoots(&mut skeleton, &mut random.fork(3));
        // The highest leaves stand out above the highest twig.
        skeleton.stretch_to(self.envelope().top_m - 0.6 * self.leaf_plan().length_m.min(0.1));
        let radius = |diameter: f64| 0.5 * diameter;
        skeleton.set_radii(radius(self.twig_diameter_m), radius(self.stem_diameter_m), self.stems);
        skeleton
    }

    /// Stems from the ground to the crown and through it as far as they lead; several stems lean
    /// away from each other.
    fn add_stems(&self, skeleton: &mut Skeleton, random: &mut Random) {
        let envelope = &self.envelope();
        let half = DVec2::new(envelope.width_m, envelope.depth_m) * 0.5;
        for stem in 0..self.stems {
            let alone = self.stems == 1;
            let share = (f64::from(stem) + 0.5) / f64::from(self.stems);
            let turn = f64::from(stem) * GOLDEN_ANGLE;
            let spot = DVec2::new(math::cos(turn), math::sin(turn)) * share.sqrt();
            // A hedge has its stems in a row, everything else in a clump.
            let (foot, lean) = match (alone, envelope.shape) {
                (true, _) => (DVec2::ZERO, DVec2::ZERO),
                (_, super::CrownShape::Box) => {
                    let row = DVec2::new(2.0 * share - 1.0, random.between(-0.2, 0.2));
                    (row * half * 0.95, spot * 0.25)
                }
                _ => (spot * half * 0.12, spot * half / envelope.top_m),
            };
            let top = envelope.base_m + self.leader * (envelope.top_m - envelope.base_m);
            let top = (top * if alone { 1.0 } else { random.between(0.7, 1.1) })
                .clamp(0.05 * envelope.top_m, 0.97 * envelope.top_m);
            let steps = (top / self.step_m()).ceil().clamp(2.0, 2000.0);
            let mut position = foot.extend(0.0);
            let mut heading = lean.extend(1.0).normalize_or(DVec3::Z);
            let mut node = skeleton.push(position, None, false);
            for _ in 0..steps as usize {
                let home = (foot + lean * position.z - position.truncate()) / envelope.top_m;
                heading += random.direction() * 0.09 + home.extend(0.0) * 0.8;
                heading = (heading + lean.extend(1.0) * 0.15).normalize_or(DVec3::Z);
                position += heading * (top / steps / heading.z.max(0.3));
                node = skeleton.push(position, Some(node), false);
            }
        }
    }

    /// Leafy shoots on the ends of the branches.
    fn add_shoots(&self, skeleton: &mut Skeleton, random: &mut Random) {
        let above = skeleton.length_above();
        // As much of the branches' ends as needed for seats, at least the last steps.
        let leafy_length = 3.0 * self.kill_radius_m;
        let seats: Vec<u32> = (1..skeleton.nodes.len() as u32)
            .filter(|&node| above[node as usize] <= leafy_length)
            .filter(|&node| skeleton.nodes[node as usize].parent.is_some())
            .collect();
        let count = self.shoot_count();
        for shoot in 0..count {
            // Shoots spread evenly over the seats.
            let place = (shoot as u64 * seats.len() as u64 / count as u64) as usize;
            let Some(&seat) = seats.get(place) else { return };
            let along = skeleton.direction(seat);
            let at_tip = above[seat as usize] == 0.0;
            let angle = if at_tip { random.between(0.0, 0.7) } else { random.between(0.6, 1.2) };
            let start = turned_from(along, angle, shoot as f64 * GOLDEN_ANGLE + random.unit());
            let length = self.shoot_length_m * random.between(0.6, 1.3);
            let first = (start + DVec3::Z * (0.35 * self.shoot_tropism)).normalize_or(start);
            let second = (first + DVec3::Z * (0.65 * self.shoot_tropism)).normalize_or(first);
            let second = (second + random.direction() * 0.2).normalize_or(first);
            let mut position = skeleton.position(seat);
            let mut node = seat;
            for direction in [first, second] {
                position += direction * (0.5 * length);
                position.z = position.z.max(0.02);
                node = skeleton.push(position, Some(node), true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{FoliageDensity, Part, ShrubSpec, TreeSpec};

    #[test]
    fn what_is_not_given_is_that_of_a_tree_or_that_of_a_shrub() {
        let tree: TreeSpec = toml::from_str("stems = 2").unwrap();
        assert_eq!(tree, TreeSpec { stems: 2, ..TreeSpec::default() });
        let shrub: ShrubSpec = toml::from_str("leader = 0.3").unwrap();
        assert_eq!(shrub, ShrubSpec { leader: 0.3, ..ShrubSpec::default() });
        assert!(tree.height_m == 12.0 && shrub.height_m == 1.8);
        assert!(!toml::to_string(&shrub).unwrap().contains("habit"));
        assert!(toml::from_str::<ShrubSpec>("habit = 1").is_err());
    }

    #[test]
    fn a_winter_tree_is_wood_alone() {
        let foliage_density = FoliageDensity::LeafAreaM2(0.0);
        let tree = TreeSpec { foliage_density, ..TreeSpec::default() }.grow(1).unwrap();
        assert!(tree.parts.iter().all(|part| *part == Part::Wood));
        assert!((tree.measures(0).height_m / 12.0 - 1.0).abs() < 0.05);
    }

    #[test]
    fn every_stem_has_its_foot_on_the_ground() {
        let spec = ShrubSpec { stems: 9, ..ShrubSpec::default() };
        let skeleton = spec.skeleton(&crate::Random::new(2));
        let feet: Vec<_> = skeleton.nodes.iter().filter(|node| node.parent.is_none()).collect();
        assert_eq!(feet.len(), 9);
        assert!(feet.iter().all(|foot| foot.position.z == 0.0));
        // Together they have as many pipes as nine stems of the thickness asked for.
        let n = skeleton.pipe_exponent;
        let pipes: f64 = feet.iter().map(|foot| foot.radius_m.powf(n)).sum();
        let wanted = 9.0 * (0.5 * spec.stem_diameter_m).powf(n);
        assert!((pipes / wanted - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_outside_its_limits_is_named() {
        let good = TreeSpec::default;
        let bad = [
            ("height_m", TreeSpec { height_m: f64::NAN, ..good() }),
            ("crown_width_m", TreeSpec { crown_width_m: -1.0, ..good() }),
            ("crown_base_m", TreeSpec { crown_base_m: 12.0, ..good() }),
            ("stems", TreeSpec { stems: 0, ..good() }),
            ("stem_diameter_m", TreeSpec { stem_diameter_m: 0.001, ..good() }),
            (
                "branch_spacing_m",
                TreeSpec {
                    branch_spacing_m: 0.02,
                    kill_radius_m: 0.02,
                    influence_radius_m: 0.1,
                    ..good()
                },
            ),
            ("influence_radius_m", TreeSpec { influence_radius_m: 0.3, ..good() }),
            ("kill_radius_m", TreeSpec { kill_radius_m: 0.0, ..good() }),
            ("leaf_count_max", TreeSpec { leaf_count_max: u32::MAX, ..good() }),
            ("leaf_count_max", TreeSpec { leaf_count_max: 10, ..good() }),
            (
                "foliage_density",
                TreeSpec { foliage_density: FoliageDensity::LeafAreaM2(f64::INFINITY), ..good() },
            ),
        ];
        for (name, spec) in bad {
            let message = spec.grow(1).unwrap_err().to_string();
            assert!(message.starts_with(name), "{name}: {message}");
            assert!(message.contains("must be"), "{message}");
        }
    }
}
