//! The tree of one mesh: 8-wide nodes over packs of four triangles.

use super::collapse::LeafRule;
use super::node8::{LEAF, Node8};
use super::triangle_pack::{PACK, TrianglePack};
use super::wide_tree::wide_tree;
use crate::simd::Isa;
use crate::{CurvedSurface, Cutout, Edges, SeenFrom, TriangleMesh};
use glam::{DVec3, Vec3A};
use obvhs::aabb::Aabb;
use obvhs::splits::split_aabbs_preset;
use obvhs::triangle::Triangle;
use obvhs::{Boundable, BvhBuildParams};

/// How much boxes are stretched for rays that come from the side: horizontal faces count an eighth.
const SIDE_STRETCH: f32 = 8.0;

/// A mesh, ready to be traced. Leaf codes are the index of a [`TrianglePack`].
pub(crate) struct Blas {
    pub origin: DVec3,
    pub edges: Edges,
    pub seen_from: SeenFrom,
    pub nodes: Vec<Node8>,
    pub packs: Vec<TrianglePack>,
    pub triangle_count: usize,
    /// What the triangles stand for, around `origin`.
    pub curve: Option<CurvedSurface>,
    /// Holes in the triangles.
    pub cutout: Option<Box<Cutout>>,
    /// Boxes that together hold all triangles: at most 64, two levels below the root.
    pub outline: Vec<Aabb>,
}

impl Blas {
    pub fn new(
        mesh: &TriangleMesh,
        edges: Edges,
        seen_from: SeenFrom,
        curve: Option<CurvedSurface>,
    ) -> Blas {
        let triangles: Vec<Triangle> = (0..mesh.triangles().len() as u32)
            .map(|index| {
                let [v0, v1, v2] = mesh.corners(index).map(Vec3A::from);
                Triangle { v0, v1, v2 }
            })
            .collect();
        let rule =
            LeafRule { max_primitives: PACK as u32, pack_size: PACK as u32, pack_cost: 0.55 };
        let (mut boxes, indices) = split_boxes(&triangles);
        // Boxes stretched upwards by a factor have horizontal faces that count that much less. A
        // power of two is taken back without a rounding.
        let stretch = match seen_from {
            SeenFrom::Anywhere => 1.0,
            SeenFrom::Side => SIDE_STRETCH,
        };
        for around in &mut boxes {
            (around.min.z, around.max.z) = (around.min.z * stretch, around.max.z * stretch);
        }
        let mut tree = wide_tree(&boxes, &indices, rule, &BvhBuildParams::slow_build());
        for plane in tree.nodes.iter_mut().flat_map(|node| &mut node.bounds).skip(2).step_by(3) {
            *plane = plane.map(|z| z / stretch);
        }
        let mut packs: Vec<TrianglePack> =
            tree.leaves().map(|leaf| TrianglePack::new(mesh, leaf)).collect();
        for node in &tree.nodes {
            for place in node.places().filter(|place| node.child[*place] & LEAF != 0) {
                let pack = &mut packs[(node.child[place] & !LEAF) as usize];
                pack.bounds = node.bounds.map(|row| row[place]);
            }
        }
        Blas {
            origin: mesh.origin(),
            edges,
            seen_from,
            packs,
            triangle_count: triangles.len(),
            curve: curve.map(|curve| curve.relative_to(mesh.origin())),
            cutout: None,
            outline: outline(&tree.nodes),
            nodes: tree.nodes,
        }
    }

    /// The same tree with the triangles bearing other numbers, all different.
    pub fn renumbered(mut self, numbers: &[u32]) -> Blas {
        for pack in &mut self.packs {
            pack.triangle = pack.triangle.map(|index| numbers[index as usize]);
        }
        self
    }

    /// Asks for the memory behind a child code.
    #[inline(always)]
    pub fn prefetch<I: Isa>(&self, code: u32) {
        // Without a branch and as many lines for either, for nothing foretells which it is.
        let leaf = ((code as i32) >> 31) as usize;
        let (nodes, packs) = (self.nodes.as_ptr() as usize, self.packs.as_ptr() as usize);
        let index = (code & !LEAF) as usize;
        let less = size_of::<Node8>() - size_of::<TrianglePack>();
        let first = nodes ^ ((nodes ^ packs) & leaf);
        let begin = first.wrapping_add(index * size_of::<Node8>() - ((index * less) & leaf));
        let address = std::ptr::without_provenance::<u8>(begin);
        for line in 0..4 {
            I::prefetch(address.wrapping_add(64 * line));
        }
    }

    pub fn memory_bytes(&self) -> usize {
        let holes = self.cutout.as_ref().map_or(0, |cutout| cutout.memory_bytes());
        size_of_val(self.nodes.as_slice()) + size_of_val(self.packs.as_slice()) + holes
    }
}

/// Boxes of the triangles, those of large ones cut into several, with the triangle of each box.
fn split_boxes(triangles: &[Triangle]) -> (Vec<Aabb>, Vec<u32>) {
    let mut boxes: Vec<Aabb> = triangles.iter().map(Boundable::aabb).collect();
    let mut indices = (0..boxes.len() as u32).collect();
    let areas = || boxes.iter().map(Aabb::half_area);
    let mean = areas().sum::<f32>() / boxes.len() as f32;
    let largest = areas().fold(0.0, f32::max);
    split_aabbs_preset(&mut boxes, &mut indices, triangles, mean, largest);
    (boxes, indices)
}

/// Boxes of the grandchildren of the root, or of the children that are leaves.
fn outline(nodes: &[Node8]) -> Vec<Aabb> {
    let mut boxes = Vec::new();
    for place in nodes[0].places() {
        match nodes[0].child[place] {
            leaf if leaf & LEAF != 0 => boxes.push(nodes[0].child_bounds(place)),
            inner => {
                let node = &nodes[inner as usize];
                boxes.extend(node.places().map(|grandchild| node.child_bounds(grandchild)));
            }
        }
    }
    boxes
}
