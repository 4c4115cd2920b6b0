//! How much leaf and wood a scene has, and where: exact, from the triangles that the rays meet.
//!
//! What enters: a [`Scene`] and [`TruthOptions`]. What leaves: [`Truth`]: one-sided areas of leaf,
//! wood and green stems in every voxel, their profile over height, the leaf angles and what they
//! project, and the stems with their diameters. Triangles are cut where voxels meet ([`clip`]). A leaf
//! of our plants is a sheet and counts whole; the skin of wood counts half; other meshes by
//! [`parts`]. Everything is as it stands at the time 0, without wind.
//!
//! Areas are added up in whole numbers of 2⁻³⁶ m², so that neither threads nor their order change a
//! bit.

mod clip;
pub mod parts;
pub mod stems;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::{DAffine3, DVec2, DVec3, Vec3};
use rayon::prelude::*;
use serde::Serialize;
use understory_base::{Progress, math};
use understory_cloud::{VoxelColumn, VoxelGrid};
use understory_geometry::{InstanceId, MeshId};
use understory_plants::{Inclinations, Part};

use crate::Error;
use crate::world::scene::Scene;
use parts::{Counted, PartRules};
use stems::sections;

/// The unit of areas that are added up.
const UNITS_PER_M2: f64 = (1u64 << 36) as f64;
/// Triangles that one thread takes at a time.
const CHUNK: usize = 1 << 14;

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct TruthOptions {
    /// The box that is looked at; all plants where nothing is said.
    pub region: Option<[DVec3; 2]>,
    /// Edges of the voxels.
    pub cell_m: [f64; 3],
    /// Thinnest stem that counts, at breast height.
    pub stem_min_m: f64,
    /// What other meshes than our plants count as.
    pub parts: PartRules,
}

impl Default for TruthOptions {
    fn default() -> TruthOptions {
        let parts = PartRules::default();
        TruthOptions { region: None, cell_m: [0.5; 3], stem_min_m: 0.05, parts }
    }
}

/// One-sided areas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Areas {
    /// Leaves and needles.
    pub leaf_m2: f64,
    /// Trunks, branches and twigs.
    pub wood_m2: f64,
    /// Green stems, ears and fruit.
    pub other_m2: f64,
}

impl Areas {
    /// All of them.
    pub fn plant_m2(&self) -> f64 {
        self.leaf_m2 + self.wood_m2 + self.other_m2
    }
}

/// A trunk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stem {
    /// Where it is at breast height.
    pub x_m: f64,
    /// The same.
    pub y_m: f64,
    /// Diameter at breast height.
    pub diameter_m: f64,
    /// Area of the round stem of that diameter.
    pub basal_area_m2: f64,
    /// Height of the highest point of its object above the ground, if that is one plant.
    pub height_m: Option<f64>,
    /// The object that it belongs to, from 1.
    pub object: u32,
    /// That object's name.
    pub name: String,
}

/// What is known of a scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Truth {
    /// The voxels.
    pub grid: VoxelGrid,
    /// Ground that the grid covers.
    pub ground_area_m2: f64,
    /// Inside the grid.
    pub inside: Areas,
    /// In the whole scene.
    pub everywhere: Areas,
    /// Leaf area over ground area.
    pub leaf_area_index: f64,
    /// Wood area over ground area.
    pub wood_area_index: f64,
    /// All over ground area.
    pub plant_area_index: f64,
    /// Areas in layers as thick as a voxel, above the ground below each column.
    pub profile: Vec<Areas>,
    /// Leaf area inside the grid by inclination: 90 bins of one degree.
    pub inclination_m2: Vec<f64>,
    /// Mean inclination of the leaves; none without leaves.
    pub mean_inclination_deg: Option<f64>,
    /// G(θ) of the leaves at zenith angles of 0, 5 … 90°; empty without leaves.
    pub projection: Vec<f64>,
    /// Stems inside the grid, the thickest first.
    pub stems: Vec<Stem>,
    /// Basal area of all stems on a hectare.
    pub basal_area_m2_per_ha: f64,
    /// Stems on a hectare.
    pub stems_per_ha: f64,
    /// Triangles that were looked at.
    pub triangles: u64,
    /// Things worth knowing, each a sentence without its full stop.
    pub remarks: Vec<String>,
    /// One-sided areas in each voxel: leaf, wood, other.
    #[serde(skip)]
    pub voxels_m2: [Vec<f64>; 3],
}

impl Truth {
    /// Columns for files of voxels: densities in m² of one side per m³. The first is the leaves'.
    pub fn columns(&self) -> Vec<VoxelColumn> {
        let volume = self.grid.cell_volume_m3();
        let names =
            ["leaf_area_density_m2_m3", "wood_area_density_m2_m3", "other_area_density_m2_m3"];
        let of = |(name, areas): (&'static str, &Vec<f64>)| VoxelColumn {
            name,
            values: areas.iter().map(|area| area / volume).collect(),
        };
        names.into_iter().zip(&self.voxels_m2).map(of).collect()
    }

    /// Leaf angles as a table; none without leaves.
    pub fn inclinations(&self) -> Option<Inclinations> {
        Inclinations::from_areas(&self.inclination_m2)
    }
}

/// Sums by part, as whole numbers.
#[derive(Default)]
struct Sums([AtomicU64; 3]);

impl Sums {
    fn add(&self, part: usize, units: u64) {
        self.0[part].fetch_add(units, Ordering::Relaxed);
    }

    fn areas(&self) -> Areas {
        let [leaf_m2, wood_m2, other_m2] = [0, 1, 2].map(|part| from_units(&self.0[part]));
        Areas { leaf_m2, wood_m2, other_m2 }
    }
}

fn units(area_m2: f64) -> u64 {
    (area_m2 * UNITS_PER_M2).round() as u64
}

fn from_units(sum: &AtomicU64) -> f64 {
    sum.load(Ordering::Relaxed) as f64 / UNITS_PER_M2
}

fn slot(part: Part) -> usize {
    match part {
        Part::Leaf => 0,
        Part::Wood => 1,
        Part::Stem | Part::Fruit => 2,
    }
}

/// A mesh with what its triangles count as, and where it stands.
struct Shown {
    corners: Vec<[Vec3; 3]>,
    counted: Vec<Option<Counted>>,
    places: Vec<(InstanceId, DAffine3)>,
}

/// Measures a scene.
pub fn measure(
    scene: &Scene,
    options: &TruthOptions,
    progress: &dyn Progress,
) -> Result<Truth, Error> {
    progress.step("looking for plants", 0.0);
    let shown = plants_of(scene, &options.parts);
    let Some(bounds) = bounds(&shown) else {
        return Err(Error::invalid(
            "truth",
            "the world has no leaf and no wood: no plant, and no object labelled vegetation",
            "add one, or label the meshes of plants with label = \"vegetation\"",
        ));
    };
    let refused =
        |error: understory_cloud::VoxelError| Error::invalid("truth", error.problem, error.remedy);
    let grid = match options.region {
        Some([low, high]) => VoxelGrid::covering(low, high, options.cell_m),
        None => VoxelGrid::around(bounds[0], bounds[1], options.cell_m),
    }
    .map_err(refused)?;
    let ground = GroundMap::of(scene, &grid);
    let sums = Summed::new(&grid, &ground, bounds[1].z);
    let all: usize = shown.iter().map(|mesh| mesh.places.len() * mesh.corners.len()).sum();
    let mut done = 0usize;
    for mesh in &shown {
        progress.step("adding up areas", done as f64 / all.max(1) as f64);
        done += mesh.places.len() * mesh.corners.len();
        let add = |(_, place): &(InstanceId, DAffine3)| {
            let chunks = mesh.corners.par_chunks(CHUNK).zip(mesh.counted.par_chunks(CHUNK));
            chunks.for_each(|(corners, counted)| sums.add(&grid, &ground, place, corners, counted));
        };
        mesh.places.par_iter().for_each(add);
    }
    progress.step("measuring stems", 1.0);
    let stems = stems_of(scene, &shown, &grid, options.stem_min_m);
    Ok(sums.truth(scene, grid, stems, all as u64))
}

/// All meshes with leaf or wood, in the order of their numbers.
fn plants_of(scene: &Scene, rules: &PartRules) -> Vec<Shown> {
    // Instances of one mesh may belong to objects of different classes.
    let mut groups: BTreeMap<(u32, u16, u16), Vec<(InstanceId, DAffine3)>> = BTreeMap::new();
    for number in 0..scene.rays.instance_count() as u32 {
        let instance = InstanceId(number);
        let Some((mesh, place)) = scene.rays.instance(instance) else { continue };
        let object = scene.object_of(instance);
        let material = scene.material_of(instance, 0);
        let key = (mesh.0, scene.label_of(object, material), material);
        groups.entry(key).or_default().push((instance, place));
    }
    let shown = groups.into_iter().filter_map(|((mesh, ..), places)| {
        let corners = scene.rays.triangle_corners(MeshId(mesh));
        let counted = rules.count(scene, places.first()?.0, MeshId(mesh), &corners);
        counted.iter().any(Option::is_some).then_some(Shown { corners, counted, places })
    });
    shown.collect()
}

fn bounds(shown: &[Shown]) -> Option<[DVec3; 2]> {
    let nothing = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    let wider = |[low, high]: [DVec3; 2], p: DVec3| [low.min(p), high.max(p)];
    let of_place = |mesh: &Shown, place: &DAffine3| {
        let plants = mesh.corners.iter().zip(&mesh.counted).filter(|(_, c)| c.is_some());
        let corners = plants.flat_map(|(corners, _)| corners);
        corners.map(|c| place.transform_point3(c.as_dvec3())).fold(nothing, wider)
    };
    let of_mesh = |mesh: &Shown| {
        let all: Vec<[DVec3; 2]> =
            mesh.places.par_iter().map(|(_, place)| of_place(mesh, place)).collect();
        all.into_iter().flatten().fold(nothing, wider)
    };
    let [low, high] =
        shown.iter().map(of_mesh).fold(nothing, |all, [low, high]| wider(wider(all, low), high));
    (low.is_finite() && high.is_finite()).then_some([low, high])
}

/// Height of the ground under every column of voxels.
struct GroundMap {
    heights_m: Vec<f64>,
    columns: [usize; 2],
    /// Whether there is ground anywhere.
    known: bool,
}

impl GroundMap {
    fn of(scene: &Scene, grid: &VoxelGrid) -> GroundMap {
        let [nx, ny, _] = grid.counts;
        let places = (0..nx).flat_map(|x| (0..ny).map(move |y| grid.centre([x, y, 0])));
        let found: Vec<Option<f64>> =
            places.map(|p| Some(scene.ground_at(p.x, p.y)?.height_m)).collect();
        let known = found.iter().any(Option::is_some);
        let heights_m = found.into_iter().map(|height| height.unwrap_or(0.0)).collect();
        GroundMap { heights_m, columns: [nx as usize, ny as usize], known }
    }

    fn under(&self, [x, y, _]: [u32; 3]) -> f64 {
        self.heights_m[x as usize * self.columns[1] + y as usize]
    }
}

/// What is added up.
struct Summed {
    voxels: [Vec<AtomicU64>; 3],
    profile: Vec<Sums>,
    inclinations: Vec<AtomicU64>,
    inside: Sums,
    everywhere: Sums,
    ground_is_known: bool,
}

impl Summed {
    fn new(grid: &VoxelGrid, ground: &GroundMap, top_m: f64) -> Summed {
        let zeros = |count: usize| (0..count).map(|_| AtomicU64::new(0)).collect();
        let lowest = ground.heights_m.iter().copied().fold(f64::INFINITY, f64::min);
        let top = top_m.min(grid.high().z) - lowest;
        let layers =
            (top / grid.cell_m[2]).ceil().clamp(1.0, 4.0 * f64::from(grid.counts[2]) + 4.0);
        Summed {
            voxels: [0; 3].map(|_| zeros(grid.len())),
            profile: (0..layers as usize).map(|_| Sums::default()).collect(),
            inclinations: zeros(Inclinations::BINS),
            inside: Sums::default(),
            everywhere: Sums::default(),
            ground_is_known: ground.known,
        }
    }

    fn add(
        &self,
        grid: &VoxelGrid,
        ground: &GroundMap,
        place: &DAffine3,
        corners: &[[Vec3; 3]],
        counted: &[Option<Counted>],
    ) {
        for (corners, counted) in corners.iter().zip(counted) {
            let Some(Counted { part, one_sided }) = *counted else { continue };
            let world = corners.map(|corner| place.transform_point3(corner.as_dvec3()));
            let [a, b, c] = world;
            let normal = (b - a).cross(c - a);
            let part = slot(part);
            self.everywhere.add(part, units(0.5 * normal.length() * one_sided));
            let mut inside = 0;
            clip::cut_into_voxels(grid, world, &mut |voxel, area, middle| {
                let units = units(area * one_sided);
                inside += units;
                self.voxels[part][grid.index(voxel)].fetch_add(units, Ordering::Relaxed);
                let layer = ((middle.z - ground.under(voxel)) / grid.cell_m[2]).max(0.0) as usize;
                if let Some(sums) = self.profile.get(layer.min(self.profile.len() - 1)) {
                    sums.add(part, units);
                }
            });
            self.inside.add(part, inside);
            if part == 0 && inside > 0 {
                let upright = (normal.z.abs() / normal.length()).min(1.0);
                let bins = Inclinations::BINS;
                let bin = math::acos(upright) / std::f64::consts::FRAC_PI_2 * bins as f64;
                self.inclinations[(bin as usize).min(bins - 1)]
                    .fetch_add(inside, Ordering::Relaxed);
            }
        }
    }

    fn truth(self, scene: &Scene, grid: VoxelGrid, stems: Vec<Stem>, triangles: u64) -> Truth {
        let inside = self.inside.areas();
        let ground_area_m2 = grid.ground_area_m2();
        let inclination_m2: Vec<f64> = self.inclinations.iter().map(from_units).collect();
        let table = Inclinations::from_areas(&inclination_m2);
        let per_ha = 1e4 / ground_area_m2;
        let mut remarks = Vec::new();
        if !scene.sites.is_empty() {
            remarks.push(
                "learned sites are left out: their volumes know how much light they stop, not how much area they have"
                    .to_owned(),
            );
        }
        if !self.ground_is_known {
            remarks.push("there is no ground: heights are those of the world".to_owned());
        }
        let inclined = |table: &Inclinations| {
            (0..=18).map(|step| table.projection((5.0 * f64::from(step)).to_radians())).collect()
        };
        Truth {
            grid,
            ground_area_m2,
            inside,
            everywhere: self.everywhere.areas(),
            leaf_area_index: inside.leaf_m2 / ground_area_m2,
            wood_area_index: inside.wood_m2 / ground_area_m2,
            plant_area_index: inside.plant_m2() / ground_area_m2,
            profile: self.profile.iter().map(Sums::areas).collect(),
            mean_inclination_deg: table.as_ref().map(|table| table.mean_rad().to_degrees()),
            projection: table.as_ref().map_or_else(Vec::new, inclined),
            inclination_m2,
            basal_area_m2_per_ha: stems.iter().map(|s| s.basal_area_m2).sum::<f64>() * per_ha,
            stems_per_ha: stems.len() as f64 * per_ha,
            stems,
            triangles,
            remarks,
            voxels_m2: self.voxels.map(|sums| sums.iter().map(from_units).collect()),
        }
    }
}

/// Stems that stand inside the grid.
fn stems_of(scene: &Scene, shown: &[Shown], grid: &VoxelGrid, stem_min_m: f64) -> Vec<Stem> {
    let (low, high) = (grid.low().truncate(), grid.high().truncate());
    let inside = |at: DVec2| at.cmpge(low).all() && at.cmplt(high).all();
    let ground_at = |x: f64, y: f64| scene.ground_at(x, y).map_or(0.0, |point| point.height_m);
    let mut stems = Vec::new();
    for mesh in shown {
        let is_wood = |counted: &Option<Counted>| counted.is_some_and(|c| c.part == Part::Wood);
        let of_wood = mesh.corners.iter().zip(&mesh.counted).filter(|(_, c)| is_wood(c));
        let wood: Vec<[Vec3; 3]> = of_wood.map(|(corners, _)| *corners).collect();
        if wood.is_empty() {
            continue;
        }
        let of_place = |(instance, place): &(InstanceId, DAffine3)| {
            let found = sections(&wood, place, stem_min_m, &ground_at);
            (*instance, found)
        };
        let found: Vec<_> = mesh.places.par_iter().map(of_place).collect();
        for (instance, sections) in found {
            let id = scene.object_of(instance);
            let Some(object) = scene.objects().get((id as usize).wrapping_sub(1)) else { continue };
            let alone = sections.len() == 1;
            for section in sections.into_iter().filter(|section| inside(section.at)) {
                let top = object.world_bounds(0.0).map(|(_, high)| high.z);
                let ground = ground_at(section.at.x, section.at.y);
                stems.push(Stem {
                    x_m: section.at.x,
                    y_m: section.at.y,
                    diameter_m: section.diameter_m,
                    basal_area_m2: std::f64::consts::FRAC_PI_4 * section.diameter_m.powi(2),
                    height_m: top.filter(|_| alone).map(|top| top - ground),
                    object: id,
                    name: object.name.clone(),
                });
            }
        }
    }
    stems.sort_by(|a, b| b.diameter_m.total_cmp(&a.diameter_m).then(a.x_m.total_cmp(&b.x_m)));
    stems
}

#[cfg(test)]
mod tests;
