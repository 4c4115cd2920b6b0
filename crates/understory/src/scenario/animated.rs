//! Objects whose parts move on them: meshes with an animation, and persons.
//!
//! What enters: the keys of a `[[world.object]]`. What leaves: parts of the scene with tracks of
//! their own in the frame of the object, which may itself move.

use super::file::ObjectFile;
use super::placement::stretch;
use crate::Error;
use crate::world::motion::{Motion, Repeat};
use crate::world::scene::mesh_file::{
    AnimatedMesh, AnimatedPart, LengthUnit, Movement, POSE_ERROR_M, UpAxis,
};
use crate::world::scene::mover::{Mover, MoverShape};
use crate::world::scene::person::{self, Person};
use crate::world::scene::{MeshMaterials, SceneBuilder, SceneMesh};
use crate::world::trajectory::{Pose, Trajectory};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use std::path::Path;
use std::sync::Arc;
use understory_files::{LayeredToml, Number, Spanned, ValueOr};
use understory_geometry::{Edges, GeometryError};

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
    parts: Vec<(Movement, Vec<SceneMesh>)>,
    duration_s: f64,
}

impl Animation {
    /// Reads the mesh; `stretch` is by how much its copies are enlarged.
    pub fn read(
        &self,
        path: &Path,
        unit: Option<LengthUnit>,
        up: Option<UpAxis>,
        stretch: f64,
    ) -> Result<AnimatedMesh, Error> {
        let error_m = self.pose_error_m / stretch.max(1e-9);
        AnimatedMesh::read(path, unit, up, self.name.as_deref(), error_m)
    }

    /// Adds the meshes of all parts; `materials` has a number for each material of the file.
    pub fn add_parts(
        &self,
        builder: &mut SceneBuilder,
        mesh: AnimatedMesh,
        materials: &[u16],
        edges: Edges,
    ) -> Result<AnimatedParts, GeometryError> {
        let duration_s = mesh.duration_s;
        let mut parts = Vec::new();
        for part in mesh.parts {
            let AnimatedPart { positions, triangles, triangle_material, mut movement } = part;
            let of_triangle = triangle_material.iter();
            let of_triangle: Vec<u16> = of_triangle
                .map(|&index| materials.get(usize::from(index)).copied().unwrap_or(0))
                .collect();
            let first = of_triangle.first().copied().unwrap_or(0);
            let uniform = of_triangle.iter().all(|material| *material == first);
            let mut add = |positions: &[DVec3]| {
                let materials = match uniform {
                    true => MeshMaterials::Uniform(first),
                    false => MeshMaterials::PerTriangle(of_triangle.clone()),
                };
                builder.add_mesh(positions, triangles.clone(), materials, edges)
            };
            let meshes = match &mut movement {
                Movement::Frames { frames, .. } => {
                    let frames = std::mem::take(frames);
                    frames.iter().map(|frame| add(frame)).collect::<Result<Vec<_>, _>>()?
                }
                Movement::Still | Movement::Rigid(_) => vec![add(&positions)?],
            };
            parts.push((movement, meshes));
        }
        Ok(AnimatedParts { parts, duration_s })
    }

    /// Places all parts as (a part of) an object.
    pub fn place(
        &self,
        builder: &mut SceneBuilder,
        parts: &AnimatedParts,
        object: u32,
        body: Option<&Motion>,
        object_from_mesh: &DAffine3,
    ) -> Result<(), GeometryError> {
        for (movement, meshes) in &parts.parts {
            let Some(&mesh) = meshes.first() else { continue };
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
                    builder.add_mover(Mover {
                        object,
                        body: body.cloned(),
                        part: Some(Motion::new(Arc::new(track), self.repeat)),
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
