//! A glTF whose nodes move: a path and the name of an animation enter, parts that move leave.
//!
//! Meshes that hang on one animated node, directly or by still nodes, are one part, which moves
//! rigidly. Its track has as many knots as it takes for straight and slerped stretches between
//! them to leave no vertex more than [`TRACK_ERROR_M`] from where glTF has it. What cannot move
//! rigidly, skins and nodes that are scaled, becomes frames: its vertices at equal steps of time,
//! so close together that none moves farther than a given distance within half a step.

use super::gltf::GltfFile;
use super::gltf_accessor::refuse;
use super::gltf_buffers::{MeshSize, VertexStarts};
use super::gltf_nodes::{JUMP_S, MovingNodes};
use super::gltf_objects::NodeObjects;
use super::gltf_skin::{Influences, Skin};
use super::parts::{FileNode, FileObject, PartMesh, labels, metres_z_up};
use super::{FileMaterial, LengthUnit, UpAxis, check_mesh, read_bytes};
use crate::Error;
use crate::world::trajectory::Pose;
use glam::{DAffine3, DMat3, DQuat, DVec3};
use std::collections::BTreeMap;
use std::path::Path;

/// How far a vertex of a rigid part may be from where glTF has it.
pub const TRACK_ERROR_M: f64 = 5e-5;

/// How far a vertex of a skin may move within half a step, where nothing is said.
pub const POSE_ERROR_M: f64 = 0.005;

/// Most triangles of all frames of a part together: some gigabytes.
const FRAME_TRIANGLES_MAX: usize = 20_000_000;
/// Most knots of a track, and most frames.
const KNOTS_MAX: usize = 1_000_000;
const FRAMES_MAX: usize = 100_000;
/// By how much a rotation may stretch before it is taken for a scale.
const STRETCH_MAX: f64 = 1e-5;

/// A mesh whose parts move.
#[derive(Clone, Debug)]
pub struct AnimatedMesh {
    /// What the file says of its materials.
    pub materials: Vec<FileMaterial>,
    /// The parts; at least one.
    pub parts: Vec<AnimatedPart>,
    /// The objects to which they belong; at least one.
    pub objects: Vec<FileObject>,
    /// The nodes of the file, each after the one above it.
    pub nodes: Vec<FileNode>,
    /// Time from 0 to the last keyframe.
    pub duration_s: f64,
}

/// Triangles that move together, in metres with z up.
#[derive(Clone, Debug)]
pub struct AnimatedPart {
    /// In [`AnimatedMesh::objects`].
    pub object: usize,
    /// Its triangles in the part's own frame; of frames, those of the first.
    pub mesh: PartMesh,
    /// How they move.
    pub movement: Movement,
}

/// How a part moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Movement {
    /// Not at all: its frame is that of the mesh.
    Still,
    /// As a whole: `mesh_from_part` at rising times.
    Rigid(Vec<(f64, Pose)>),
    /// It changes its shape: vertices in the frame of the mesh, from 0 to the end, both included.
    Frames {
        /// The vertices at each step.
        frames: Vec<Vec<DVec3>>,
        /// Time from one to the next.
        step_s: f64,
    },
}

/// Vertices that are worked out together.
struct Group {
    object: usize,
    mesh: PartMesh,
    driver: Driver,
}

enum Driver {
    /// Nothing moves them.
    None,
    /// They are in the frame of this node.
    Node(usize),
    /// They follow joints.
    Skin(Skin, Vec<Influences>),
}

impl AnimatedMesh {
    /// Reads the file at `path` with the animation of this name, or with its first. Without `unit`
    /// it is in metres; without `up` y points upwards. With `split`, each node that has a mesh is
    /// an object, else all of them are one.
    pub fn read(
        path: &Path,
        unit: Option<LengthUnit>,
        up: Option<UpAxis>,
        animation: Option<&str>,
        pose_error_m: f64,
        split: bool,
    ) -> Result<AnimatedMesh, Error> {
        let bytes = read_bytes(path)?;
        let file = GltfFile::open(path, &bytes)?;
        let nodes = MovingNodes::new(path, &file.gltf, &file.buffers, animation)?;
        let mut objects = NodeObjects::of(path, &file.gltf, &nodes.order);
        if !split {
            objects.objects.truncate(1);
            objects.of_node.iter_mut().for_each(|object| *object = object.map(|_| 0));
        }
        let groups = groups(&file, &nodes, &objects)?;
        let mesh_from_scene = metres_z_up(unit.unwrap_or(LengthUnit::M), up.unwrap_or(UpAxis::Y));
        let mut parts = Vec::new();
        for group in groups {
            check_mesh(path, &group.mesh.positions, &group.mesh.triangles)?;
            parts.push(part(path, &nodes, group, &mesh_from_scene, pose_error_m)?);
        }
        if parts.is_empty() {
            return Err(super::no_triangles(path));
        }
        let (duration_s, materials) = (nodes.duration_s, file.materials);
        let NodeObjects { nodes, objects, .. } = objects;
        Ok(AnimatedMesh { materials, parts, objects, nodes, duration_s })
    }
}

impl AnimatedMesh {
    /// Semantic class of each object: the nearest node at or above its own that `by_name` or the
    /// file gives one; `by_name` comes first.
    pub fn labels(&self, by_name: impl Fn(&str) -> Option<u16>) -> Vec<Option<u16>> {
        labels(&self.nodes, &self.objects, by_name)
    }
}

/// Sorts the meshes of the scene by what moves them.
fn groups(
    file: &GltfFile<'_>,
    nodes: &MovingNodes,
    objects: &NodeObjects,
) -> Result<Vec<Group>, Error> {
    let (path, buffers) = (file.path, file.buffers.as_slice());
    let all: Vec<gltf::Node> = file.gltf.document.nodes().collect();
    let mut size = MeshSize::of_copies();
    // For each node: what drives it, and where it is in the frame of its driver.
    let mut driven: Vec<(Option<usize>, DAffine3)> = vec![(None, DAffine3::IDENTITY); all.len()];
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of: BTreeMap<(usize, Option<usize>), usize> = BTreeMap::new();
    for &(index, parent) in &nodes.order {
        let node = &all[index];
        let (driver, driver_from_parent) =
            parent.map_or((None, DAffine3::IDENTITY), |parent| driven[parent]);
        driven[index] = match nodes.is_driven(index) {
            true => (Some(index), DAffine3::IDENTITY),
            false => (driver, driver_from_parent * super::affine(node.transform().matrix())),
        };
        let (Some(mesh), Some(object)) = (node.mesh(), objects.of_node[index]) else { continue };
        if let Some(skin) = node.skin() {
            let skin = Skin::read(path, &skin, buffers)?;
            let (mut own, mut influences) = (PartMesh::default(), Vec::new());
            for primitive in mesh.primitives() {
                let before = own.positions.len();
                // Each has its own influences, so none shares vertices.
                let (mut starts, place) = (VertexStarts::new(), DAffine3::IDENTITY);
                file.append(&mut own, &mut starts, &mut size, &primitive, &place)?;
                let added = own.positions.len() - before;
                influences.push(skin.influences(path, &primitive, buffers, added)?);
            }
            if !own.triangles.is_empty() {
                let driver = Driver::Skin(skin, influences);
                groups.push(Group { object, mesh: own, driver });
            }
            continue;
        }
        let (driver, driver_from_node) = driven[index];
        let at = *group_of.entry((object, driver)).or_insert_with(|| {
            let driver = driver.map_or(Driver::None, Driver::Node);
            groups.push(Group { object, mesh: PartMesh::default(), driver });
            groups.len() - 1
        });
        let copies = file.copies(node)?.unwrap_or_else(|| vec![DAffine3::IDENTITY]);
        for node_from_copy in copies {
            let (mut starts, place) = (VertexStarts::new(), driver_from_node * node_from_copy);
            let own = &mut groups[at].mesh;
            for primitive in mesh.primitives() {
                file.append(own, &mut starts, &mut size, &primitive, &place)?;
            }
        }
    }
    groups.retain(|group| !group.mesh.triangles.is_empty());
    Ok(groups)
}

fn part(
    path: &Path,
    nodes: &MovingNodes,
    group: Group,
    mesh_from_scene: &DAffine3,
    pose_error_m: f64,
) -> Result<AnimatedPart, Error> {
    let Group { object, mut mesh, driver } = group;
    let rest = std::mem::take(&mut mesh.positions);
    let mut places = Vec::new();
    let (positions, movement) = match driver {
        Driver::None => {
            let placed = rest.iter().map(|p| mesh_from_scene.transform_point3(*p)).collect();
            (placed, Movement::Still)
        }
        Driver::Node(node) => {
            let mut at = |time_s: f64| {
                nodes.place(time_s, &mut places);
                *mesh_from_scene * places[node]
            };
            match rigid_track(path, nodes, &rest, &mut at)? {
                Some(rigid) => rigid,
                None => {
                    frames(path, nodes.duration_s, mesh.triangles.len(), pose_error_m, |t, to| {
                        let mesh_from_node = at(t);
                        to.clear();
                        to.extend(rest.iter().map(|p| mesh_from_node.transform_point3(*p)));
                    })?
                }
            }
        }
        Driver::Skin(skin, influences) => {
            let mut place = |time_s: f64, to: &mut Vec<DVec3>| {
                nodes.place(time_s, &mut places);
                to.clear();
                let mut start = 0;
                for influences in &influences {
                    let end = start + influences.vertices();
                    skin.place(&places, influences, &rest[start..end], to);
                    start = end;
                }
                to.iter_mut().for_each(|p| *p = mesh_from_scene.transform_point3(*p));
            };
            frames(path, nodes.duration_s, mesh.triangles.len(), pose_error_m, &mut place)?
        }
    };
    mesh.positions = positions;
    Ok(AnimatedPart { object, mesh, movement })
}

/// The track of vertices that move as a whole, and where they are in its frame; none if they are
/// stretched on the way.
fn rigid_track(
    path: &Path,
    nodes: &MovingNodes,
    in_node: &[DVec3],
    mesh_from_node: &mut impl FnMut(f64) -> DAffine3,
) -> Result<Option<(Vec<DVec3>, Movement)>, Error> {
    let start = mesh_from_node(0.0).matrix3;
    let back = start.inverse();
    if !back.is_finite() {
        return Ok(None);
    }
    let in_part: Vec<DVec3> = in_node.iter().map(|p| start * *p).collect();
    let radius_m = in_part.iter().map(|p| p.length()).fold(0.0, f64::max);
    let mut pose_at = |time_s: f64| -> Option<Pose> {
        let place = mesh_from_node(time_s);
        let turn = place.matrix3 * back;
        let stretch = turn.transpose() * turn - DMat3::IDENTITY;
        let largest = stretch.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
        (largest < STRETCH_MAX && turn.determinant() > 0.0).then(|| Pose {
            rotation: DQuat::from_mat3(&turn).normalize(),
            translation: place.translation,
        })
    };
    let mut knots: Vec<(f64, Pose)> = Vec::new();
    for time_s in nodes.smooth_from_s() {
        let Some(pose) = pose_at(time_s) else { return Ok(None) };
        if let Some(&before) = knots.last()
            && !refine(&mut knots, before, (time_s, pose), radius_m, &mut pose_at)
        {
            return Ok(None);
        }
        knots.push((time_s, pose));
        if knots.len() > KNOTS_MAX {
            let problem = format!("the animation takes more than {KNOTS_MAX} poses");
            return Err(refuse(path, problem, "shorten it"));
        }
    }
    Ok(Some((in_part, Movement::Rigid(knots))))
}

/// Adds knots between two until the stretches between them are near enough; false if a pose there
/// is not rigid.
fn refine(
    knots: &mut Vec<(f64, Pose)>,
    from: (f64, Pose),
    to: (f64, Pose),
    radius_m: f64,
    pose_at: &mut impl FnMut(f64) -> Option<Pose>,
) -> bool {
    if to.0 - from.0 <= 4.0 * JUMP_S || knots.len() > KNOTS_MAX {
        return true;
    }
    let mut middle = None;
    let mut near = true;
    for quarter in 1..4 {
        let share = f64::from(quarter) / 4.0;
        let time_s = from.0 + (to.0 - from.0) * share;
        let Some(pose) = pose_at(time_s) else { return false };
        let turn = from.1.rotation.slerp(to.1.rotation, share).angle_between(pose.rotation);
        let shift = from.1.translation.lerp(to.1.translation, share) - pose.translation;
        near &= shift.length() + turn * radius_m <= TRACK_ERROR_M;
        if quarter == 2 {
            middle = Some((time_s, pose));
        }
    }
    let Some(middle) = middle.filter(|_| !near) else { return true };
    if !refine(knots, from, middle, radius_m, pose_at) {
        return false;
    }
    knots.push(middle);
    refine(knots, middle, to, radius_m, pose_at)
}

/// How many steps it takes that no vertex moves farther than `error_m` within half of one.
fn frame_steps(
    path: &Path,
    duration_s: f64,
    triangles: usize,
    error_m: f64,
    place: &mut impl FnMut(f64, &mut Vec<DVec3>),
) -> Result<usize, Error> {
    if duration_s <= 0.0 {
        return Ok(0);
    }
    let most = (FRAME_TRIANGLES_MAX / triangles.max(1)).min(FRAMES_MAX);
    let mut steps = ((duration_s / 0.25).ceil() as usize).clamp(1, most.max(1));
    let (mut at, mut between) = (Vec::new(), Vec::new());
    loop {
        let step_s = duration_s / steps as f64;
        let mut farthest = 0.0f64;
        for quarter in (1..4 * steps).filter(|quarter| quarter % 4 != 0) {
            place(quarter as f64 * step_s / 4.0, &mut between);
            // The frames nearest to that time: one, or both in the middle between two.
            for frame in (quarter + 1) / 4..=(quarter + 2) / 4 {
                place(frame as f64 * step_s, &mut at);
                let moved = at.iter().zip(&between).map(|(a, b)| a.distance(*b));
                farthest = moved.fold(farthest, f64::max);
            }
        }
        if farthest <= error_m {
            return Ok(steps);
        }
        let wanted = (steps as f64 * farthest / error_m * 1.02).ceil();
        if wanted >= most as f64 {
            return Err(Error::invalid(
                path.display(),
                format!(
                    "a part of {triangles} triangles changes its shape so fast that it takes {wanted} frames, and {most} are allowed"
                ),
                "give a larger `pose_error_m`, or fewer triangles",
            ));
        }
        steps = (wanted as usize).clamp(steps + 1, 8 * steps);
    }
}

/// Vertices at equal steps, so many that none moves farther than `error_m` within half a step.
fn frames(
    path: &Path,
    duration_s: f64,
    triangles: usize,
    error_m: f64,
    mut place: impl FnMut(f64, &mut Vec<DVec3>),
) -> Result<(Vec<DVec3>, Movement), Error> {
    let count = frame_steps(path, duration_s, triangles, error_m, &mut place)?;
    let step_s = if count > 0 { duration_s / count as f64 } else { 1.0 };
    let mut frames = Vec::with_capacity(count + 1);
    for frame in 0..=count {
        let mut positions = Vec::new();
        place(frame as f64 * step_s, &mut positions);
        if let Some(bad) = positions.iter().position(|p| !p.is_finite()) {
            let problem = format!("vertex {bad} is nowhere at {} s", frame as f64 * step_s);
            return Err(refuse(path, problem, "repair the animation"));
        }
        frames.push(positions);
    }
    let first = frames.first().cloned().unwrap_or_default();
    Ok((first, Movement::Frames { frames, step_s }))
}

#[cfg(test)]
mod tests;
