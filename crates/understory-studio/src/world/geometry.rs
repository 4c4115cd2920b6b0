//! Meshes and instances of a world as one block, within a budget of triangles.

use std::collections::BTreeMap;

use bytes::Bytes;
use glam::DVec3;
use understory::world::scene::Scene;
use understory::world::scene::mover::MoverShape;
use understory_cloud::is_ground;
use understory_geometry::{InstanceId, MeshId};
use understory_view::export::SharedMesh;

use super::detail::{STEPS, Wanted, choose, clustered, left, thinned};
use super::{matrix, offset_m};
use crate::block::BlockBuilder;
use crate::prepared::Prepared;
use crate::protocol::world::{GeometryExtra, MeshCard, MeshPart};
use crate::refusal::Answer;

/// Triangles drawn at most where the page does not say, and at most whatever it says.
pub const BUDGET: u64 = 2_000_000;
const BUDGET_MAX: u64 = 50_000_000;
/// Triangles of all frames of what moves.
const FRAMES_MAX: u64 = 2_000_000;
/// Instances of a block.
const INSTANCES_MAX: usize = 500_000;

/// The instances of a scene that go anywhere: they come first in its geometry.
pub fn movers(scene: &Scene) -> impl Iterator<Item = InstanceId> {
    (scene.rays.standing_count()..scene.rays.instance_count())
        .map(|number| InstanceId(number as u32))
}

/// Meshes of all that goes anywhere, with all its frames, each once, in the order of the block.
pub fn mover_meshes(scene: &Scene) -> Vec<MeshId> {
    let mut meshes: Vec<MeshId> = Vec::new();
    let mut triangles = 0;
    let mut take = |mesh: MeshId| {
        if !meshes.contains(&mesh) && triangles < FRAMES_MAX {
            triangles += scene.rays.triangle_count(mesh) as u64;
            meshes.push(mesh);
        }
    };
    for (instance, mover) in movers(scene).zip(scene.movers()) {
        let times: Vec<f64> = match &mover.shape {
            MoverShape::Rigid(_) => vec![0.0],
            MoverShape::Frames { frames, start_s, step_s, .. } => {
                (0..frames.len()).map(|frame| start_s + frame as f64 * step_s).collect()
            }
        };
        // What is seen first comes first.
        for time_s in std::iter::once(0.0).chain(times) {
            if let Some((mesh, _)) = scene.rays.instance_at(instance, time_s) {
                take(mesh);
            }
        }
    }
    meshes
}

/// An instance that may be drawn.
struct Instance {
    id: InstanceId,
    mesh: MeshId,
    matrix: [f32; 16],
    wanted: Wanted,
}

/// The whole world within a budget of triangles, as seen from `focus` (or from the first sensor).
pub fn geometry(
    prepared: &Prepared,
    revision: u32,
    budget: Option<u64>,
    focus: Option<DVec3>,
) -> Answer<Bytes> {
    let scene = prepared.shown()?;
    let offset_m = offset_m(prepared);
    let budget = budget.unwrap_or(BUDGET).clamp(1000, BUDGET_MAX);
    let start_m = prepared.run.trajectory.pose_at(0.0).translation;
    let focus = focus.map_or(start_m, |focus| focus + DVec3::from(offset_m));
    let mut instances: Vec<Instance> = Vec::new();
    for id in movers(&scene) {
        instances.extend(instance(&scene, id, focus, offset_m, false));
    }
    for number in 0..scene.rays.standing_count() as u32 {
        instances.extend(instance(&scene, InstanceId(number), focus, offset_m, true));
    }
    let all_triangles = instances.iter().map(|instance| instance.wanted.triangles).sum::<u64>();
    let wanted: Vec<Wanted> = instances.iter().map(|instance| instance.wanted).collect();
    // What may not be left out alone may be too much: grounds are then coarser, without holes.
    let fixed: u64 = wanted.iter().filter(|w| !w.may_shrink).map(|w| w.triangles).sum();
    let ground_share = (budget as f64 / 2.0 / fixed.max(1) as f64).min(1.0);
    let for_others = budget.saturating_sub((fixed as f64 * ground_share) as u64);
    let shrinkable: Vec<Wanted> = wanted
        .iter()
        .map(|w| Wanted { triangles: if w.may_shrink { w.triangles } else { 0 }, ..*w })
        .collect();
    let steps = choose(&shrinkable, for_others);
    let mut meshes = Meshes::new(&scene, ground_share);
    mover_meshes(&scene).into_iter().for_each(|mesh| meshes.add_mover(mesh));
    let (mut mesh_column, mut objects, mut matrices) = (Vec::new(), Vec::new(), Vec::new());
    let (mut drawn, mut left_out, mut coarser) = (0, 0u32, 0u32);
    for (instance, step) in instances.iter().zip(steps) {
        let Some(step) = step.filter(|_| mesh_column.len() < INSTANCES_MAX) else {
            left_out += 1;
            continue;
        };
        let (number, triangles) = meshes.number(instance, step);
        coarser += u32::from(triangles < instance.wanted.triangles);
        drawn += triangles;
        mesh_column.push(number);
        objects.push(scene.object_of(instance.id));
        matrices.extend(instance.matrix);
    }
    let sentence = sentence(instances.len(), coarser, left_out, all_triangles, drawn);
    let mut block = BlockBuilder::new("geometry", offset_m);
    block.column("position", 3, meshes.positions.as_flattened());
    block.column("index", 1, &meshes.indices);
    block.column("instance_mesh", 1, &mesh_column);
    block.column("instance_object", 1, &objects);
    block.column("instance_matrix", 16, &matrices);
    Ok(block.finish(&GeometryExtra {
        revision,
        meshes: meshes.cards,
        drawn_triangles: drawn,
        all_triangles,
        left_out,
        sentence,
    }))
}

fn sentence(all: usize, coarser: u32, left_out: u32, triangles: u64, drawn: u64) -> Option<String> {
    if coarser == 0 && left_out == 0 {
        return None;
    }
    let mut sentence = format!(
        "the world has {} million triangles and {} million of them are drawn: {coarser} of {all} things are shown coarser",
        (triangles as f64 / 1e5).round() / 10.0,
        (drawn as f64 / 1e5).round() / 10.0,
    );
    if left_out > 0 {
        sentence += &format!(", and the {left_out} farthest are not shown");
    }
    sentence += "; scans meet all of it";
    Some(sentence)
}

fn instance(
    scene: &Scene,
    id: InstanceId,
    focus: DVec3,
    offset_m: [f64; 3],
    may_shrink: bool,
) -> Option<Instance> {
    let (mesh, transform) = scene.rays.instance(id)?;
    let object = scene.object_of(id);
    let label = scene.objects().get((object as usize).wrapping_sub(1))?.label;
    let triangles = scene.rays.triangle_count(mesh) as u64;
    let distance_m = transform.translation.distance(focus).max(0.1);
    let wanted = Wanted { triangles, distance_m, may_shrink: may_shrink && !is_ground(label) };
    Some(Instance { id, mesh, matrix: matrix(&transform, offset_m), wanted })
}

/// A mesh each of whose triangles has corners of its own.
fn unshared(scene: &Scene, mesh: MeshId, instance: InstanceId) -> SharedMesh {
    let corners = scene.rays.triangle_corners(mesh);
    let mut parts: BTreeMap<u16, Vec<[u32; 3]>> = BTreeMap::new();
    for triangle in 0..corners.len() as u32 {
        let material = scene.material_of(instance, triangle);
        let first = 3 * triangle;
        parts.entry(material).or_default().push([first, first + 1, first + 2]);
    }
    let positions = corners.as_flattened().iter().map(|corner| corner.to_array()).collect();
    SharedMesh { positions, parts: parts.into_iter().collect() }
}

/// Meshes of the block, each with its details.
struct Meshes<'a> {
    scene: &'a Scene,
    ground_share: f64,
    first: Vec<Option<InstanceId>>,
    shared: BTreeMap<u32, SharedMesh>,
    /// The same without shared corners.
    loose: BTreeMap<u32, SharedMesh>,
    numbers: BTreeMap<(u32, u8), u32>,
    positions: Vec<[f32; 3]>,
    indices: Vec<u32>,
    cards: Vec<MeshCard>,
}

/// The step of grounds that are coarser.
const GROUND: u8 = STEPS;

impl<'a> Meshes<'a> {
    fn new(scene: &'a Scene, ground_share: f64) -> Meshes<'a> {
        Meshes {
            scene,
            ground_share,
            first: understory_view::export::first_instances(scene),
            shared: BTreeMap::new(),
            loose: BTreeMap::new(),
            numbers: BTreeMap::new(),
            positions: Vec::new(),
            indices: Vec::new(),
            cards: Vec::new(),
        }
    }

    fn add_mover(&mut self, mesh: MeshId) {
        // Frames have the materials of the instance that shows them; it is one of a mover.
        let instance = self.first.get(mesh.0 as usize).copied().flatten().or_else(|| {
            movers(self.scene).zip(self.scene.movers()).find_map(|(instance, mover)| {
                let MoverShape::Frames { frames, start_s, step_s, .. } = &mover.shape else {
                    return None;
                };
                let shows = (0..frames.len()).any(|frame| {
                    let time_s = start_s + frame as f64 * step_s;
                    self.scene.rays.instance_at(instance, time_s).is_some_and(|(m, _)| m == mesh)
                });
                shows.then_some(instance)
            })
        });
        if let Some(instance) = instance {
            self.add(mesh, instance, 0);
        }
    }

    /// Number of an instance's mesh at a step, and its triangles.
    fn number(&mut self, instance: &Instance, step: u8) -> (u32, u64) {
        let ground = !instance.wanted.may_shrink && self.ground_share < 1.0;
        let mover = instance.id.0 as usize >= self.scene.rays.standing_count();
        let step = if ground && !mover { GROUND } else { step };
        let number = self.add(instance.mesh, instance.id, step);
        let parts = self.cards.get(number as usize).map(|card| card.parts.as_slice());
        let indices: u64 =
            parts.unwrap_or_default().iter().map(|part| u64::from(part.indices)).sum();
        (number, indices / 3)
    }

    fn add(&mut self, mesh: MeshId, instance: InstanceId, step: u8) -> u32 {
        let triangles = self.scene.rays.triangle_count(mesh) as u64;
        // Small meshes have one step.
        let step = if step != GROUND && left(triangles, step) == triangles { 0 } else { step };
        if let Some(number) = self.numbers.get(&(mesh.0, step)) {
            return *number;
        }
        let scene = self.scene;
        let coarse;
        let made = match step {
            0 | GROUND => {
                let shared = self.shared.entry(mesh.0);
                let shared = shared.or_insert_with(|| SharedMesh::of(scene, mesh, instance));
                if step == 0 {
                    &*shared
                } else {
                    coarse = clustered(shared, (triangles as f64 * self.ground_share) as u64);
                    &coarse
                }
            }
            step => {
                // What is thinned shares no corners, so they need not be found.
                let loose = self.loose.entry(mesh.0);
                let loose = loose.or_insert_with(|| unshared(scene, mesh, instance));
                coarse = thinned(loose, left(triangles, step));
                &coarse
            }
        };
        let first_vertex = self.positions.len() as u32;
        self.positions.extend_from_slice(&made.positions);
        let mut parts = Vec::new();
        for (material, part) in &made.parts {
            let first_index = self.indices.len() as u32;
            self.indices.extend_from_slice(part.as_flattened());
            let indices = 3 * part.len() as u32;
            parts.push(MeshPart { material: *material, first_index, indices });
        }
        let kept: usize = made.parts.iter().map(|(_, part)| part.len()).sum();
        let number = self.cards.len() as u32;
        self.cards.push(MeshCard {
            first_vertex,
            vertices: made.positions.len() as u32,
            detail: kept as f32 / triangles.max(1) as f32,
            parts,
        });
        self.numbers.insert((mesh.0, step), number);
        number
    }
}
