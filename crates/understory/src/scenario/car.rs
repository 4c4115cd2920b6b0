//! Cars of a scenario: their parts in the scene, with materials, standing or moving.

use super::material::material;
use crate::world::car::{self, CarPart, CarSurface};
use crate::world::motion::Motion;
use crate::world::scene::material::Material;
use crate::world::scene::{MeshMaterials, SceneBuilder, SceneMesh};
use glam::DAffine3;
use understory_geometry::{Edges, GeometryError};

/// Adds a part of a car, its paint as the object says.
pub fn add_car_part(
    builder: &mut SceneBuilder,
    part: CarPart,
    own: &[Material],
    paint: Option<&Material>,
) -> Result<SceneMesh, GeometryError> {
    let mut ids = [0; CarSurface::ALL.len()];
    for (id, surface) in ids.iter_mut().zip(CarSurface::ALL) {
        let paint = paint.filter(|_| surface == CarSurface::Paint).cloned();
        let material = paint.or_else(|| material(own, surface.material_name()));
        if let Some(material) = material.filter(|_| part.surfaces.contains(&surface)) {
            *id = builder.add_material(material)?;
        }
    }
    let materials = part.surfaces.iter().map(|surface| ids[*surface as usize]).collect();
    let materials = MeshMaterials::PerTriangle(materials);
    builder.add_mesh(&part.mesh.positions, part.mesh.triangles, materials, Edges::Closed)
}

/// Adds the wheels of a car, which turn where physics says how.
pub fn add_wheels(
    builder: &mut SceneBuilder,
    wheel: SceneMesh,
    object: u32,
    object_from_car: DAffine3,
    parts: &[Motion],
) -> Result<(), GeometryError> {
    for (index, centre) in car::wheel_centres_m().into_iter().enumerate() {
        match parts.get(index) {
            Some(part) => builder.add_part(wheel, object, part.clone(), DAffine3::IDENTITY)?,
            None => {
                let car_from_wheel = DAffine3::from_translation(centre);
                builder.add_instance(wheel, object, object_from_car * car_from_wheel)?;
            }
        }
    }
    Ok(())
}
