//! What the triangles of a mesh count as: leaf or wood, and one side of them or half of both.
//!
//! What enters: the triangles of a mesh as an instance shows them. What leaves: for each its part and
//! how much of its area is one-sided area. Our own plants know their parts. Of other meshes leaves
//! are what has the class `vegetation` and no material of wood; wood is what has the class `trunk`
//! or such a material. A sheet counts whole; the skin of a closed body counts half.

use glam::Vec3;
use understory_cloud::label_number;
use understory_geometry::{InstanceId, MeshId, weld};
use understory_plants::Part;

use crate::world::scene::Scene;

/// A part of the name of a material that says wood.
const WOODEN: [&str; 6] = ["wood", "bark", "trunk", "branch", "twig", "stem"];

/// Which part a triangle is, and the share of its area that is one-sided area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    pub part: Part,
    pub one_sided: f64,
}

/// Names of materials that say what they are, beside the rules above.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartRules {
    /// Materials of leaves.
    pub leaf_materials: Vec<String>,
    /// Materials of wood.
    pub wood_materials: Vec<String>,
}

impl PartRules {
    /// What each triangle of an instance's mesh counts as; none for what is no plant.
    pub fn count(
        &self,
        scene: &Scene,
        instance: InstanceId,
        mesh: MeshId,
        corners: &[[Vec3; 3]],
    ) -> Vec<Option<Counted>> {
        let object = scene.object_of(instance);
        let known = |triangle: u32| scene.part_of(mesh, triangle);
        if known(0).is_some() {
            let of = |i: usize| {
                let part = known(i as u32)?;
                Some(Counted { part, one_sided: part.one_sided_share() })
            };
            return (0..corners.len()).map(of).collect();
        }
        let part = |triangle: usize| {
            let material = scene.material_of(instance, triangle as u32);
            self.foreign(scene, material, scene.label_of(object, material))
        };
        let parts: Vec<Option<Part>> = (0..corners.len()).map(part).collect();
        if parts.iter().all(Option::is_none) {
            return vec![None; corners.len()];
        }
        let closed = closed_bodies(corners);
        let counted = |(part, closed): (Option<Part>, bool)| {
            part.map(|part| Counted { part, one_sided: if closed { 0.5 } else { 1.0 } })
        };
        parts.into_iter().zip(closed).map(counted).collect()
    }

    /// What a triangle of a mesh that is not ours is.
    fn foreign(&self, scene: &Scene, material: u16, label: u16) -> Option<Part> {
        let place = usize::from(material).wrapping_sub(1);
        let name = scene.materials().get(place).map_or("", |material| material.name.as_str());
        let is_in = |names: &[String]| names.iter().any(|known| known == name);
        if is_in(&self.leaf_materials) {
            return Some(Part::Leaf);
        }
        let lower = name.to_lowercase();
        let wooden = WOODEN.iter().any(|word| lower.contains(word));
        let plant = Some(label) == label_number("vegetation");
        let trunk = Some(label) == label_number("trunk");
        if is_in(&self.wood_materials) || trunk || (plant && wooden) {
            return Some(Part::Wood);
        }
        plant.then_some(Part::Leaf)
    }
}

/// Whether each triangle belongs to a closed body: one of which every edge is run through as often in
/// one direction as in the other.
fn closed_bodies(corners: &[[Vec3; 3]]) -> Vec<bool> {
    let (vertices, triangles) = weld(corners);
    let mut bodies = Bodies { parent: (0..vertices.len() as u32).collect() };
    let mut edges: Vec<([u32; 2], i32)> = Vec::with_capacity(3 * triangles.len());
    for &[a, b, c] in &triangles {
        bodies.join(a, b);
        bodies.join(b, c);
        for (from, to) in [(a, b), (b, c), (c, a)] {
            edges.push(([from.min(to), from.max(to)], if from < to { 1 } else { -1 }));
        }
    }
    edges.sort_unstable();
    let mut closed = vec![true; vertices.len()];
    for same in edges.chunk_by(|one, other| one.0 == other.0) {
        let balance: i32 = same.iter().map(|(_, sense)| sense).sum();
        let ([from, to], _) = same[0];
        // An edge of no length has no sense.
        if balance != 0 && from != to {
            closed[bodies.of(from) as usize] = false;
        }
    }
    triangles.iter().map(|triangle| closed[bodies.of(triangle[0]) as usize]).collect()
}

/// Vertices that hang together.
struct Bodies {
    parent: Vec<u32>,
}

impl Bodies {
    fn of(&mut self, vertex: u32) -> u32 {
        let mut at = vertex;
        while self.parent[at as usize] != at {
            let over = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = over;
            at = over;
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::scene::shape::Shape;

    fn corners(shape: Shape, at: f32) -> Vec<[Vec3; 3]> {
        let mesh = shape.mesh(1e-3, "").unwrap();
        let corner = |i: u32| mesh.positions[i as usize].as_vec3() + at;
        mesh.triangles.iter().map(|t| t.map(corner)).collect()
    }

    #[test]
    fn bodies_are_closed_and_sheets_are_not_also_side_by_side() {
        let sheet = corners(Shape::Plane { size_m: [0.1, 0.2] }, 0.0);
        let mut all = corners(Shape::Sphere { radius_m: 0.3 }, 1.0);
        let bodies = all.len();
        all.extend(&sheet);
        all.extend(corners(Shape::Box { size_m: [0.2; 3] }, 3.0));
        let closed = closed_bodies(&all);
        assert!(closed[..bodies].iter().all(|closed| *closed));
        assert_eq!(&closed[bodies..bodies + 2], [false, false]);
        assert!(closed[bodies + 2..].iter().all(|closed| *closed));
        // A leaf as two sheets back to back is a body without thickness.
        let turned = sheet.iter().map(|&[a, b, c]| [a, c, b]);
        let double: Vec<_> = sheet.iter().copied().chain(turned).collect();
        assert_eq!(closed_bodies(&double), [true; 4]);
    }
}
