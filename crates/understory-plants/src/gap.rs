//! How much light passes through what was grown, beside what Beer and Lambert's law says.
//!
//! What enters: a [`Plant`]. What leaves: the share of rays under a zenith angle that meet nothing,
//! beside exp(−G·u·s) for as much plant area spread evenly over the same space, and the clumping
//! index Ω (Nilson 1971; Chen and Black 1992) with which exp(−Ω·G·u·s) is what was measured. G is
//! that of the triangles themselves, u the plant area per volume and s the length of a ray's way.
//!
//! [`Canopy::stand`] is a patch beside copies of itself: a layer without edges, u·s = PAI/cos θ.
//! [`Canopy::crown`] is one plant, and its space are the voxels that hold leaves.

use std::f64::consts::TAU;
use understory_base::math;

use glam::{DAffine3, DVec3, IVec3};
use understory_geometry::{Edges, GeometryError, RayScene, RaySceneBuilder, TriangleMesh};

use crate::plant::triangle_area;
use crate::{Part, Plant, Random};

/// Steepest zenith angle of rays through a stand: 80°.
const STEEPEST_TAN: f64 = 5.67;

/// Something to look through.
pub struct Canopy {
    plant: Plant,
    scene: RayScene,
    space: Space,
}

enum Space {
    /// A layer over this ground, up to this height, with this plant area per ground area.
    Layer { size_m: [f64; 2], top_m: f64, area_index: f64 },
    /// Voxels with leaves.
    Voxels(Voxels),
}

/// What rays under one zenith angle met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapFraction {
    /// Share of rays that met nothing.
    pub measured: f64,
    /// The same for as much plant area of the same inclinations, spread evenly.
    pub beer_lambert: f64,
    /// Clumping index Ω: 1 for what is spread at random, less for what stands in clumps, more for
    /// what is spread evenly.
    pub clumping: f64,
}

impl Canopy {
    /// A patch of `size_m` beside copies of itself.
    pub fn stand(plant: &Plant, size_m: [f64; 2]) -> Result<Canopy, GeometryError> {
        let measures = plant.measures(0);
        let top_m = measures.height_m;
        let [nx, ny] = size_m.map(|size| (STEEPEST_TAN * top_m / size).ceil().min(200.0) as i32);
        let mut places = Vec::new();
        for i in -nx..=nx {
            for j in -ny..=ny {
                places.push(DVec3::new(f64::from(i) * size_m[0], f64::from(j) * size_m[1], 0.0));
            }
        }
        let area_index = (measures.leaf_area_m2 + measures.wood_area_m2) / (size_m[0] * size_m[1]);
        let space = Space::Layer { size_m, top_m, area_index };
        Ok(Canopy { scene: scene(plant, &places)?, plant: plant.clone(), space })
    }

    /// One plant in the voxels of side `voxel_m` that hold leaves; what is elsewhere (the trunk
    /// below) is left away.
    pub fn crown(plant: &Plant, voxel_m: f64) -> Result<Canopy, GeometryError> {
        let voxels = Voxels::from_leaves(plant, voxel_m);
        let mut inside = Plant::default();
        for (corners, part) in plant.corners() {
            if voxels.holds(middle(corners)) {
                inside.push_triangle(corners, part);
            }
        }
        Ok(Canopy {
            scene: scene(&inside, &[DVec3::ZERO])?,
            plant: inside,
            space: Space::Voxels(voxels),
        })
    }

    /// Sends `rays` rays of any azimuth under a zenith angle (below 80°) through the canopy.
    pub fn gap_fraction(&self, zenith_rad: f64, rays: u32, seed: u64) -> GapFraction {
        let mut random = Random::new(seed);
        let (sin, cos) = math::sin_cos(zenith_rad);
        let g = self.plant.projection(zenith_rad);
        let mut passed = 0;
        let mut depths = Vec::with_capacity(rays as usize);
        // Rays beside a crown are not counted; 100 tries for each are more than any crown needs.
        for _ in 0..rays.saturating_mul(100) {
            if depths.len() == rays as usize {
                break;
            }
            let azimuth = TAU * random.unit();
            let direction = DVec3::new(sin * math::cos(azimuth), sin * math::sin(azimuth), -cos);
            let (from, area_per_ray) = match &self.space {
                Space::Layer { size_m, top_m, area_index } => {
                    let [x, y] = size_m.map(|size| size * (random.unit() - 0.5));
                    (DVec3::new(x, y, top_m + 0.01), area_index / cos)
                }
                Space::Voxels(voxels) => {
                    let from = voxels.random_start(direction, &mut random);
                    (from, voxels.area_per_m3 * voxels.way_m(from, direction))
                }
            };
            if area_per_ray > 0.0 {
                passed += u32::from(self.scene.trace_ray(from, direction.as_vec3(), 1e6).is_none());
                depths.push(g * area_per_ray);
            }
        }
        let share = |clumping: f64| {
            let passes = depths.iter().map(|depth| math::exp(-clumping * depth));
            passes.sum::<f64>() / depths.len().max(1) as f64
        };
        let measured = f64::from(passed) / depths.len().max(1) as f64;
        GapFraction { measured, beer_lambert: share(1.0), clumping: solve(measured, share) }
    }
}

/// Where the decreasing function `share` is `wanted`.
fn solve(wanted: f64, share: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 64.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if share(middle) > wanted { low = middle } else { high = middle }
    }
    low
}

/// Leaves in all scatterings together: one box of N leaves differs from the mean of all boxes by
/// about P·m·√(LAI/(2N·cos θ)), m = −ln P, and this many keep that below 0.0015.
const SCATTERED_LEAVES: usize = 100_000;

/// Gap fractions under `zeniths_rad` of the plant's own leaves, as they are, but each at a random
/// place and turned at random about the vertical, to a leaf area index.
///
/// Of such leaves exp(−G·LAI/cos θ) is exact, as long as no leaf hides a part of itself; what
/// differs in the plant itself is clumping. `rays` are sent under each angle, shared out among as
/// many scatterings as a plant of few leaves needs.
pub fn scattered_gap_fractions(
    plant: &Plant,
    leaf_area_index: f64,
    zeniths_rad: &[f64],
    rays: u32,
    seed: u64,
) -> Result<Vec<GapFraction>, GeometryError> {
    let leaves = leaves(plant);
    let times = SCATTERED_LEAVES.div_ceil(leaves.len().max(1)).min(200) as u32;
    let random = Random::new(seed);
    let mut sums = vec![[0.0; 2]; zeniths_rad.len()];
    for time in 0..times {
        let mut draw = random.fork(time.into());
        let (patch, side_m) = scattered(&leaves, leaf_area_index, &mut draw);
        let canopy = Canopy::stand(&patch, [side_m; 2])?;
        for (sum, zenith_rad) in sums.iter_mut().zip(zeniths_rad) {
            let gap = canopy.gap_fraction(*zenith_rad, rays.div_ceil(times), draw.next_u64());
            *sum = [sum[0] + gap.measured, sum[1] + gap.beer_lambert];
        }
    }
    let mean = |[measured, beer_lambert]: [f64; 2]| {
        let (measured, beer_lambert) =
            (measured / f64::from(times), beer_lambert / f64::from(times));
        GapFraction {
            measured,
            beer_lambert,
            clumping: math::ln(measured) / math::ln(beer_lambert),
        }
    };
    Ok(sums.into_iter().map(mean).collect())
}

/// A cube of leaves placed at random, and the side of its ground.
fn scattered(
    leaves: &[Vec<[DVec3; 3]>],
    leaf_area_index: f64,
    random: &mut Random,
) -> (Plant, f64) {
    let leaf_area_m2: f64 = leaves.iter().flatten().map(|corners| triangle_area(*corners)).sum();
    let side_m = (leaf_area_m2 / leaf_area_index).sqrt();
    let mut patch = Plant::default();
    for leaf in leaves {
        let mut one = Plant::default();
        for corners in leaf {
            one.push_triangle(*corners, Part::Leaf);
        }
        let centre = leaf.iter().map(|corners| middle(*corners)).sum::<DVec3>() / leaf.len() as f64;
        let place = DVec3::new(
            side_m * (random.unit() - 0.5),
            side_m * (random.unit() - 0.5),
            side_m * (0.5 + random.unit()),
        );
        let turn = DAffine3::from_rotation_z(TAU * random.unit());
        let move_to = DAffine3::from_translation(place) * turn;
        patch.append_placed(&one, &(move_to * DAffine3::from_translation(-centre)));
    }
    (patch, side_m)
}

/// Triangles of each leaf: what hangs together by its vertices.
fn leaves(plant: &Plant) -> Vec<Vec<[DVec3; 3]>> {
    let mut root: Vec<u32> = (0..plant.positions.len() as u32).collect();
    let find = |root: &mut Vec<u32>, mut i: u32| {
        while root[i as usize] != i {
            root[i as usize] = root[root[i as usize] as usize];
            i = root[i as usize];
        }
        i
    };
    let known =
        |triangle: &[u32; 3]| triangle.iter().all(|i| (*i as usize) < plant.positions.len());
    let parts = plant.triangles.iter().zip(&plant.parts);
    let leaf = |(t, part): &(&[u32; 3], &Part)| **part == Part::Leaf && known(t);
    let triangles: Vec<[u32; 3]> = parts.filter(leaf).map(|(triangle, _)| *triangle).collect();
    for [a, b, c] in &triangles {
        let [a, b, c] = [*a, *b, *c].map(|i| find(&mut root, i));
        root[b as usize] = a;
        let c = find(&mut root, c);
        root[c as usize] = a;
    }
    // In the order of first appearance.
    let mut number = vec![usize::MAX; root.len()];
    let mut leaves: Vec<Vec<[DVec3; 3]>> = Vec::new();
    for triangle in &triangles {
        let first = find(&mut root, triangle[0]) as usize;
        if number[first] == usize::MAX {
            number[first] = leaves.len();
            leaves.push(Vec::new());
        }
        leaves[number[first]].push(triangle.map(|i| plant.positions[i as usize]));
    }
    leaves
}

fn middle([a, b, c]: [DVec3; 3]) -> DVec3 {
    (a + b + c) / 3.0
}

fn scene(plant: &Plant, places: &[DVec3]) -> Result<RayScene, GeometryError> {
    let mut builder = RaySceneBuilder::default();
    let mesh = TriangleMesh::new(&plant.positions, plant.triangles.clone())?;
    let mesh = builder.add_mesh(&mesh, Edges::Exact)?;
    for place in places {
        builder.add_instance(mesh, DAffine3::from_translation(*place))?;
    }
    Ok(builder.build())
}

/// A grid over a plant, and which of its voxels hold leaves.
struct Voxels {
    low: DVec3,
    side_m: f64,
    count: IVec3,
    holds: Vec<bool>,
    /// Plant area in the voxels that hold leaves, over their volume.
    area_per_m3: f64,
}

impl Voxels {
    fn from_leaves(plant: &Plant, side_m: f64) -> Voxels {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in &plant.positions {
            (low, high) = (low.min(*p), high.max(*p));
        }
        let count =
            ((high - low) / side_m).floor().as_ivec3().clamp(IVec3::ZERO, IVec3::splat(500)) + 1;
        let total = (count.x * count.y * count.z) as usize;
        let mut voxels = Voxels { low, side_m, count, holds: vec![false; total], area_per_m3: 0.0 };
        for (corners, part) in plant.corners() {
            if part == Part::Leaf
                && let Some(index) = voxels.index(middle(corners))
            {
                voxels.holds[index] = true;
            }
        }
        let mut area_m2 = 0.0;
        for (corners, part) in plant.corners() {
            if voxels.holds(middle(corners)) {
                area_m2 += triangle_area(corners) * part.one_sided_share();
            }
        }
        let held = voxels.holds.iter().filter(|holds| **holds).count();
        voxels.area_per_m3 = area_m2 / (held.max(1) as f64 * side_m.powi(3));
        voxels
    }

    fn cell(&self, point: DVec3) -> IVec3 {
        ((point - self.low) / self.side_m).floor().as_ivec3()
    }

    fn index(&self, point: DVec3) -> Option<usize> {
        let cell = self.cell(point);
        let inside = cell.cmpge(IVec3::ZERO).all() && cell.cmplt(self.count).all();
        inside.then(|| ((cell.z * self.count.y + cell.y) * self.count.x + cell.x) as usize)
    }

    fn holds(&self, point: DVec3) -> bool {
        self.index(point).is_some_and(|index| self.holds[index])
    }

    /// A start before the grid of a ray that passes anywhere through the ball around it.
    fn random_start(&self, direction: DVec3, random: &mut Random) -> DVec3 {
        let size = self.count.as_dvec3() * self.side_m;
        let radius = 0.5 * size.length();
        let (u, v) = direction.any_orthonormal_pair();
        let (sin, cos) = math::sin_cos(TAU * random.unit());
        let aside = (u * cos + v * sin) * (radius * random.unit().sqrt());
        self.low + 0.5 * size + aside - direction * (radius + self.side_m)
    }

    /// Length of a ray's way through voxels with leaves: crossings of all planes of the grid, in
    /// order (Amanatides and Woo 1987).
    fn way_m(&self, from: DVec3, direction: DVec3) -> f64 {
        let high = self.low + self.count.as_dvec3() * self.side_m;
        let inverse = direction.recip();
        let (a, b) = ((self.low - from) * inverse, (high - from) * inverse);
        let (mut t, end) = (a.min(b).max_element().max(0.0), a.max(b).min_element());
        let mut way = 0.0;
        // Each step goes to the next plane; half a nanometre keeps it from standing still.
        while t < end {
            let here = from + direction * (t + 5e-10);
            let cell = self.cell(here).as_dvec3();
            let ahead = cell + DVec3::select(direction.cmpgt(DVec3::ZERO), DVec3::ONE, DVec3::ZERO);
            let planes = (self.low + ahead * self.side_m - from) * inverse;
            let planes = DVec3::select(planes.cmpgt(DVec3::splat(t)), planes, DVec3::INFINITY);
            let next = planes.min_element().min(end).max(t + 1e-9);
            if self.holds(here) {
                way += next - t;
            }
            t = next;
        }
        way
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LeafVolumeSpec, PlantSpec, preset};

    #[test]
    fn ways_through_voxels_are_those_of_fine_steps() {
        let PlantSpec::Shrub(spec) = preset("hazel").unwrap().spec() else { panic!() };
        let voxels = Voxels::from_leaves(&spec.grow(1).unwrap(), 0.31);
        let mut random = Random::new(4);
        let mut crossed = 0;
        for _ in 0..200 {
            let direction = random.direction();
            let from = voxels.random_start(direction, &mut random);
            let steps = 40_000;
            let length = 2.0 * (voxels.count.as_dvec3() * voxels.side_m).length();
            let step = length / f64::from(steps);
            let inside = |i: &i32| voxels.holds(from + direction * (step * (f64::from(*i) + 0.5)));
            let slow = (0..steps).filter(inside).count() as f64 * step;
            let way = voxels.way_m(from, direction);
            crossed += usize::from(way > 0.0);
            assert!((way - slow).abs() < 20.0 * step, "{way} {slow}");
        }
        assert!(crossed > 50);
    }

    #[test]
    fn leaves_are_told_apart_and_keep_their_area_when_scattered() {
        let plant = LeafVolumeSpec { leaf_area_m2: 1e-3, ..Default::default() }.grow(1).unwrap();
        assert_eq!(leaves(&plant).len(), 2000);
        let (patch, side_m) = scattered(&leaves(&plant), 3.0, &mut Random::new(1));
        assert!((patch.measures(0).leaf_area_m2 / side_m.powi(2) - 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_box_of_random_leaves_as_a_crown_is_not_clumped() {
        // Its voxels are the box itself.
        let spec = LeafVolumeSpec { leaf_area_m2: 2e-5, ..Default::default() };
        let canopy = Canopy::crown(&spec.grow(3).unwrap(), 0.126).unwrap();
        for degrees in [0.0f64, 40.0] {
            let gap = canopy.gap_fraction(degrees.to_radians(), 40_000, 5);
            println!("{gap:?}");
            // Deviation of the rays alone: √(0.25/40000) = 0.0025.
            assert!((gap.measured - gap.beer_lambert).abs() < 0.015, "{gap:?}");
        }
    }
}
