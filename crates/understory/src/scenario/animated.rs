//! Objects whose parts move on them: meshes with an animation, and persons.
//!
//! What enters: the keys of a `[[world.object]]`. What leaves: parts of the scene with tracks of
//! their own in the frame of the object, which may itself move.

use super::file::ObjectFile;
use super::mesh_asset::{AssetObject, AssetUser, MeshAsset, add_part};
use super::placement::stretch;
use crate::Error;
use crate::world::motion::{Motion, Repeat};
use crate::world::scene::mesh_file::{AnimatedMesh, AnimatedPart, Movement, POSE_ERROR_M};
use crate::world::scene::mover::{Mover, MoverShape};
use crate::world::scene::person::{self, Person};
use crate::world::scene::{SceneBuilder, SceneMesh};
use crate::world::trajectory::{Pose, Trajectory};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use std::sync::Arc;
use understory_files::{LayeredToml, Number, Spanned, ValueOr};
use understory_geometry::GeometryError;

/// Which animation of a mesh is played, and how.
#[derive(Clone, Debug)]
pub struct Animation {
    /// None: the first.
    name: Option<String>,
    repeat: Repeat,
    speed: f64,
    start_s: f64,
    pose_error_m: f64,
}

/// Checks the keys of an animation; none: the mesh has none.
pub fn check_animation(
    layers: &LayeredToml<'_>,
    file: &ObjectFile,
) -> Result<Option<Animation>, Error> {
    let Some(animation) = &file.animation else {
        let keys = [
            ("animation_repeat", file.animation_repeat.as_ref().map(Spanned::span)),
            ("animation_speed", file.animation_speed.as_ref().map(Number::span)),
            ("animation_start_s", file.animation_start_s.as_ref().map(Number::span)),
            ("pose_error_m", file.pose_error_m.as_ref().map(Number::span)),
        ];
        return match keys.into_iter().find_map(|(key, span)| Some((key, span?))) {
            None => Ok(None),
            Some((key, span)) => {
                let problem = format!("there is `{key}` but no `animation`");
                let remedy = "add `animation = true`, or the name of one";
                Err(layers.invalid(&span, problem, remedy))
            }
        };
    };
    let name = match animation.get_ref() {
        toml::Value::Boolean(false) => return Ok(None),
        toml::Value::Boolean(true) => None,
        toml::Value::String(name) => Some(name.clone()),
        other => {
            let problem = format!("`animation` is {other}");
            let remedy = "give the name of one, or true for the first";
            return Err(layers.invalid(&animation.span(), problem, remedy));
        }
    };
    let extension = file.file.as_ref().and_then(|path| path.get_ref().extension());
    let extension = extension.unwrap_or_default().to_string_lossy().to_lowercase();
    if !["gltf", "glb"].contains(&extension.as_str()) {
        let problem = format!("a file that ends in .{extension} has no animation");
        return Err(layers.invalid(&animation.span(), problem, "give a .gltf or .glb file"));
    }
    Ok(Some(Animation {
        name,
        repeat: file.animation_repeat.as_ref().map_or(Repeat::Loop, |repeat| *repeat.get_ref()),
        speed: file.animation_speed.value_or(1.0),
        start_s: file.animation_start_s.value_or(0.0),
        pose_error_m: file.pose_error_m.value_or(POSE_ERROR_M),
    }))
}

/// The parts of an animated mesh, added to a scene and ready to be placed.
pub struct AnimatedParts {
    /// The objects to which parts belong.
    pub(super) objects: Vec<AssetObject>,
    /// Object, movement and the meshes of its frames.
    pub(super) parts: Vec<(usize, Movement, Vec<SceneMesh>)>,
    pub(super) duration_s: f64,
}

impl Animation {
    /// One that is not in a file: frames at equal steps.
    pub(super) fn of_frames(repeat: Repeat, start_s: f64) -> Animation {
        Animation { name: None, repeat, speed: 1.0, start_s, pose_error_m: POSE_ERROR_M }
    }

    /// Reads the mesh and adds all its parts; `stretch` is by how much its copies are enlarged.
    pub(super) fn add_parts(
        &self,
        builder: &mut SceneBuilder,
        asset: &MeshAsset,
        user: &AssetUser<'_>,
        stretch: f64,
    ) -> Result<AnimatedParts, Error> {
        let here = |source| Error::Object { location: user.location.to_owned(), source };
        let error_m = self.pose_error_m / stretch.max(1e-9);
        let (path, name) = (asset.from.path(), self.name.as_deref());
        let file = AnimatedMesh::read(path, asset.unit, asset.up, name, error_m, asset.split)?;
        let used = file.parts.iter().flat_map(|part| &part.mesh.triangle_material).copied();
        let ids = asset.material_ids(builder, user, &file.materials, &used.collect())?;
        let labels = file.labels(|name| asset.label_of(name));
        let objects = asset.objects_of(&file.nodes, &file.objects, labels)?;
        let mut parts = Vec::new();
        for AnimatedPart { object, mesh, mut movement } in file.parts {
            let mut add = |positions: &[DVec3]| {
                add_part(builder, &mesh, positions, &file.materials, &ids, user.edges).map_err(here)
            };
            let meshes = match &mut movement {
                Movement::Frames { frames, .. } => {
                    let frames = std::mem::take(frames);
                    frames.iter().map(|frame| add(frame)).collect::<Result<Vec<_>, _>>()?
                }
                Movement::Still | Movement::Rigid(_) => vec![add(&mesh.positions)?],
            };
            parts.push((object, movement, meshes));
        }
        let objects = objects.into_iter().map(|(object, _)| object).collect();
        Ok(AnimatedParts { objects, parts, duration_s: file.duration_s })
    }

    /// Places all parts as (parts of) the objects `ids`.
    ///
    /// What is an object of its own and moves as a whole in a world that stands still has its track
    /// as the motion of the object; else the track is that of a part on its object.
    pub fn place(
        &self,
        builder: &mut SceneBuilder,
        parts: &AnimatedParts,
        ids: &[u32],
        body: Option<&Motion>,
        object_from_mesh: &DAffine3,
    ) -> Result<(), GeometryError> {
        let mut part_count = vec![0; ids.len()];
        for (object, ..) in &parts.parts {
            part_count[*object] += 1;
        }
        for (number, movement, meshes) in &parts.parts {
            let Some(&mesh) = meshes.first() else { continue };
            let object = ids[*number];
            let is_object = body.is_none() && ids.len() > 1 && part_count[*number] == 1;
            match movement {
                Movement::Still => builder.add_instance(mesh, object, *object_from_mesh)?,
                Movement::Rigid(knots) => {
                    let (scale, turn) = scale_and_turn(object_from_mesh);
                    let placed = knots.iter().map(|(time_s, pose)| {
                        let translation = object_from_mesh.transform_point3(pose.translation);
                        let rotation = (turn * pose.rotation).normalize();
                        (self.start_s + time_s / self.speed, Pose { rotation, translation })
                    });
                    let Some(track) = Trajectory::through(placed.collect()) else { continue };
                    let track = Motion::new(Arc::new(track), self.repeat);
                    let (body, part) = match is_object {
                        true => {
                            builder.move_object(object, track.clone());
                            (Some(track), None)
                        }
                        false => (body.cloned(), Some(track)),
                    };
                    builder.add_mover(Mover {
                        object,
                        body,
                        part,
                        part_from_mesh: DAffine3::from_scale(DVec3::splat(scale)),
                        shape: MoverShape::Rigid(mesh),
                    })?;
                }
                Movement::Frames { step_s, .. } => {
                    let mut frames = meshes.clone();
                    // Each round shows the two ends once: the last is the first again, or where it
                    // turns.
                    match self.repeat {
                        Repeat::Hold => {}
                        Repeat::Loop => drop((frames.len() > 1).then(|| frames.pop())),
                        Repeat::BackAndForth => {
                            let back = 1..meshes.len().saturating_sub(1).max(1);
                            frames.extend(meshes[back].iter().rev());
                        }
                    }
                    builder.add_mover(Mover {
                        object,
                        body: body.cloned(),
                        part: None,
                        part_from_mesh: *object_from_mesh,
                        shape: MoverShape::Frames {
                            frames,
                            start_s: self.start_s,
                            step_s: step_s / self.speed,
                            repeat: self.repeat != Repeat::Hold,
                        },
                    })?;
                }
            }
        }
        tracing::debug!(duration_s = parts.duration_s / self.speed, "animated");
        Ok(())
    }
}

/// Whether parts of a mesh can move under this placement: it turns and enlarges, but neither
/// stretches nor mirrors.
pub fn keeps_shape(object_from_mesh: &DAffine3) -> bool {
    let scale = stretch(object_from_mesh);
    let square = object_from_mesh.matrix3.transpose() * object_from_mesh.matrix3;
    let off = square - DMat3::IDENTITY * (scale * scale);
    let largest = off.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
    largest <= 1e-9 * scale * scale && object_from_mesh.matrix3.determinant() > 0.0
}

fn scale_and_turn(object_from_mesh: &DAffine3) -> (f64, DQuat) {
    let scale = stretch(object_from_mesh);
    (scale, DQuat::from_mat3(&(object_from_mesh.matrix3 * scale.recip())).normalize())
}

/// Places the parts of a person as (a part of) an object.
pub fn place_person(
    builder: &mut SceneBuilder,
    person: &Person,
    meshes: &[SceneMesh],
    object: u32,
    body: Option<&Motion>,
    object_from_person: &DAffine3,
) -> Result<(), GeometryError> {
    let (scale, rotation) = scale_and_turn(object_from_person);
    let stand = Pose { rotation, translation: object_from_person.translation };
    let part_from_mesh = DAffine3::from_scale(DVec3::splat(scale));
    let Some(body) = body else {
        for (mesh, pose) in meshes.iter().zip(person.posture(0.0, 0.0)) {
            builder.add_instance(*mesh, object, *object_from_person * pose.to_affine())?;
        }
        return Ok(());
    };
    for (mesh, track) in meshes.iter().zip(person.tracks(body, &stand, scale)) {
        builder.add_mover(Mover {
            object,
            body: Some(body.clone()),
            part: Some(track),
            part_from_mesh,
            shape: MoverShape::Rigid(*mesh),
        })?;
    }
    Ok(())
}

/// The height of a person.
pub fn check_height(layers: &LayeredToml<'_>, file: &ObjectFile) -> Result<f64, Error> {
    let Some(height) = &file.height_m else { return Ok(person::HEIGHT_M) };
    if (0.3..=3.0).contains(&height.get()) {
        return Ok(height.get());
    }
    let problem = format!("`height_m` is {}", height.get());
    Err(layers.invalid(&height.span(), problem, "give a person a number from 0.3 to 3"))
}

#[cfg(test)]
mod tests;
