//! A tree over instances.
//!
//! Instances keep their translation in f64. A ray's origin is subtracted from it in f64 on the way
//! into the instance, so that nothing is lost far from the world's origin.

use super::collapse::LeafRule;
use super::node8::{LEAF, Node8};
use super::wide_tree::wide_tree;
use crate::Edges;
use crate::InstanceId;
use crate::instance::Instance;
use crate::simd::{InstructionSet, Isa, Vector};
use glam::{DMat3, DVec3, Vec3A};
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;

/// From the world into the frame of a mesh's f32 vertices.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Frame {
    /// World position of the mesh's origin.
    translation: DVec3,
    /// Columns of the linear part of `mesh_from_world`.
    columns: [[f32; 3]; 3],
}

impl Frame {
    /// The world itself.
    pub const WORLD: Frame = Frame {
        translation: DVec3::ZERO,
        columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    };

    /// World position of the mesh's origin.
    #[inline(always)]
    pub fn translation(&self) -> DVec3 {
        self.translation
    }

    #[inline(always)]
    pub fn local_point(&self, world: DVec3) -> [f32; 3] {
        self.local_direction((world - self.translation).as_vec3().to_array())
    }

    #[inline(always)]
    pub fn local_direction(&self, world: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = &self.columns;
        [0, 1, 2].map(|row| x[row].mul_add(world[0], y[row].mul_add(world[1], z[row] * world[2])))
    }

    /// [`Frame::local_direction`] for all rays of a pulse, to the same bits.
    #[inline(always)]
    pub fn local_lanes<I: Isa>(&self, world: [I::Rays; 3]) -> [I::Rays; 3] {
        let [x, y, z] = &self.columns;
        let mut local = world;
        for row in 0..3 {
            let (x, y, z) =
                (I::Rays::splat(x[row]), I::Rays::splat(y[row]), I::Rays::splat(z[row]));
            local[row] = x.mul_add(world[0], y.mul_add(world[1], z.mul(world[2])));
        }
        local
    }

    /// How far sizes along the axes of the world reach along those of the mesh.
    #[inline(always)]
    pub fn local_sizes<I: Isa>(&self, world: [I::Rays; 3]) -> [I::Rays; 3] {
        let columns = self.columns.map(|column| column.map(f32::abs));
        Frame { columns, ..*self }.local_lanes::<I>(world)
    }
}

/// The linear parts of the frames of sixteen pulses; lanes are pulses.
pub(crate) struct FrameLanes<I: Isa> {
    columns: [[I::Rays; 3]; 3],
}

impl<I: Isa> FrameLanes<I> {
    /// # Safety
    /// Called only from a kernel of `I`.
    #[inline(always)]
    pub unsafe fn load(frames: &[Frame; 16]) -> FrameLanes<I> {
        let mut columns = [[I::Rays::splat(0.0); 3]; 3];
        for column in 0..3 {
            for row in 0..3 {
                let lanes: [f32; 16] =
                    std::array::from_fn(|lane| frames[lane].columns[column][row]);
                // SAFETY: there are 16 lanes.
                columns[column][row] = unsafe { I::Rays::load(lanes.as_ptr()) };
            }
        }
        FrameLanes { columns }
    }

    /// [`Frame::local_direction`] of a vector of each pulse, to the same bits.
    #[inline(always)]
    pub fn local(&self, world: [I::Rays; 3]) -> [I::Rays; 3] {
        let [x, y, z] = &self.columns;
        let mut local = world;
        for row in 0..3 {
            local[row] = x[row].mul_add(world[0], y[row].mul_add(world[1], z[row].mul(world[2])));
        }
        local
    }

    /// As [`Frame::local_sizes`].
    #[inline(always)]
    pub fn local_sizes(&self, world: [I::Rays; 3]) -> [I::Rays; 3] {
        let size = |x: I::Rays| x.and(I::Rays::splat(f32::from_bits(0x7fff_ffff)));
        let mut columns = self.columns;
        for column in &mut columns {
            for value in column {
                *value = size(*value);
            }
        }
        FrameLanes::<I> { columns }.local(world)
    }
}

/// An instance as the traversal meets it, in the order of the leaves.
///
/// What the walk needs comes first; the f64 matrix behind it serves the point that was hit, which
/// is worked out while the rest is still in the cache.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct TlasInstance {
    /// Where it is; where it moves, where it was when the tree was fitted.
    pub frame: Frame,
    /// Largest component that a unit direction can have in the mesh's frame; 0 for exact edges.
    pub edge_slack: f32,
    /// The mesh, and [`MOVES`] where the frame depends on time.
    mesh_and_motion: u32,
    instance: u32,
    /// Linear part of `mesh_from_world`.
    pub mesh_from_world: DMat3,
}

/// Set in `mesh_and_motion` of an instance that moves.
const MOVES: u32 = 1 << 31;

impl TlasInstance {
    pub fn new(number: u32, instance: &Instance, edges: Edges) -> TlasInstance {
        let inverse = instance.mesh_from_world;
        let rows = inverse.transpose();
        let largest = [rows.x_axis, rows.y_axis, rows.z_axis].map(DVec3::length);
        let largest = largest.into_iter().fold(0.0, f64::max) * 1.01;
        TlasInstance {
            frame: Frame {
                translation: instance.translation,
                columns: inverse.to_cols_array_2d().map(|column| column.map(|x| x as f32)),
            },
            edge_slack: if edges == Edges::Closed { largest as f32 } else { 0.0 },
            mesh_and_motion: instance.mesh,
            instance: number,
            mesh_from_world: inverse,
        }
    }

    /// One that moves and has no valid pose.
    pub fn nowhere(number: u32) -> TlasInstance {
        let (mesh_from_world, world_from_mesh) = (DMat3::IDENTITY, DMat3::IDENTITY);
        let translation = DVec3::ZERO;
        let instance = Instance { mesh: 0, world_from_mesh, mesh_from_world, translation };
        TlasInstance::new(number, &instance, Edges::Exact).moving(0.0)
    }

    /// The same, moving; tangents up to `steepest` shear it on the way.
    pub fn moving(mut self, steepest: f64) -> TlasInstance {
        self.edge_slack *= 1.0 + steepest as f32;
        self.mesh_and_motion |= MOVES;
        self
    }

    #[inline(always)]
    pub fn moves(&self) -> bool {
        self.mesh_and_motion & MOVES != 0
    }

    #[inline(always)]
    pub fn mesh(&self) -> u32 {
        self.mesh_and_motion & !MOVES
    }

    /// Its frame when it leans by these tangents, with the mesh's origin `height` above the root.
    #[inline(always)]
    pub fn leaning(&self, [along_x, along_y]: [f32; 2], height: f32) -> Frame {
        let mut frame = self.frame;
        let [x, y, z] = &mut frame.columns;
        for row in 0..3 {
            z[row] -= x[row].mul_add(along_x, y[row] * along_y);
        }
        frame.translation.x += f64::from(along_x) * f64::from(height);
        frame.translation.y += f64::from(along_y) * f64::from(height);
        frame
    }

    /// The same in f64, for points that were hit.
    pub fn leaning_exactly(&self, tangents: [f32; 2], height: f32) -> TlasInstance {
        let mut placed = *self;
        placed.frame = self.leaning(tangents, height);
        let [along_x, along_y] = tangents.map(f64::from);
        let linear = &mut placed.mesh_from_world;
        linear.z_axis -= linear.x_axis * along_x + linear.y_axis * along_y;
        placed
    }

    /// A world position in the frame of the mesh's f32 vertices.
    #[inline]
    pub fn exact_local_point(&self, world: DVec3) -> DVec3 {
        self.mesh_from_world * self.relative_to_mesh(world)
    }

    /// A world position from that of the mesh's origin.
    #[inline(always)]
    pub fn relative_to_mesh(&self, world: DVec3) -> DVec3 {
        world - self.frame.translation
    }

    /// How far its mesh's origin is from a world position.
    pub fn distance(&self, world: DVec3) -> f64 {
        (world - self.frame.translation).length()
    }

    #[inline(always)]
    pub fn instance(&self) -> InstanceId {
        InstanceId(self.instance)
    }
}

/// A tree over instances. Leaf codes are the index of a [`TlasInstance`].
#[derive(Default)]
pub(crate) struct Tlas {
    pub nodes: Vec<Node8>,
    pub instances: Vec<TlasInstance>,
    /// World position of the tree's own f32 frame.
    scene_origin: DVec3,
}

impl Tlas {
    /// A tree over instances in these boxes of the world; `placed` makes the one of a number.
    pub fn build(boxes: &[(DVec3, DVec3)], placed: impl Fn(u32) -> TlasInstance) -> Tlas {
        let whole = boxes.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |all, b| {
            (all.0.min(b.0), all.1.max(b.1))
        });
        let mut tlas = Tlas { nodes: vec![Node8::VACANT], ..Tlas::default() };
        if boxes.is_empty() {
            return tlas;
        }
        tlas.scene_origin = ((whole.0 + whole.1) * 0.5).round();
        let boxes: Vec<Aabb> = boxes.iter().map(|bounds| tlas.padded(*bounds)).collect();
        let rule = LeafRule { max_primitives: 1, pack_size: 1, pack_cost: 8.0 };
        let indices: Vec<u32> = (0..boxes.len() as u32).collect();
        let tree = wide_tree(&boxes, &indices, rule, &BvhBuildParams::medium_build());
        tlas.instances = tree.leaves().map(|leaf| placed(leaf[0])).collect();
        tlas.nodes = tree.nodes;
        tlas
    }

    /// Keeps the tree's shape and fits its boxes to instances that have moved: faster than
    /// [`Self::build`] and as good while they move little.
    pub fn refit(&mut self, boxes: &[(DVec3, DVec3)], replaced: impl Fn(u32) -> TlasInstance) {
        for placed in &mut self.instances {
            *placed = replaced(placed.instance);
        }
        // Children stand behind their parents, so the last node is fitted first.
        for n in (0..self.nodes.len()).rev() {
            let mut node = self.nodes[n];
            for place in self.nodes[n].places() {
                let code = node.child[place];
                let bounds = if code & LEAF == 0 {
                    self.nodes[code as usize].union()
                } else {
                    let placed = &self.instances[(code & !LEAF) as usize];
                    self.padded(boxes[placed.instance as usize])
                };
                node.set_child(place, &bounds, code);
            }
            self.nodes[n] = node;
        }
    }

    /// Asks for the memory behind a child code.
    #[inline(always)]
    pub fn prefetch<I: Isa>(&self, code: u32) {
        let (address, lines) = if code & LEAF == 0 {
            (self.nodes.as_ptr().wrapping_add(code as usize).cast::<u8>(), 4)
        } else {
            (self.instances.as_ptr().wrapping_add((code & !LEAF) as usize).cast::<u8>(), 2)
        };
        for line in 0..lines {
            I::prefetch(address.wrapping_add(64 * line));
        }
    }

    /// Asks for the memory of an instance with its f64 matrix; any place will do.
    #[inline(always)]
    pub fn prefetch_exactly(&self, place: u32, set: InstructionSet) {
        let address = self.instances.as_ptr().wrapping_add(place as usize).cast::<u8>();
        for line in 0..3 {
            set.prefetch(address.wrapping_add(64 * line));
        }
    }

    /// World position of the tree's own frame.
    #[inline(always)]
    pub fn scene_origin(&self) -> DVec3 {
        self.scene_origin
    }

    /// A world position in the tree's frame.
    #[inline(always)]
    pub fn scene_point(&self, world: DVec3) -> [f32; 3] {
        (world - self.scene_origin).as_vec3().to_array()
    }

    /// A world box in the tree's frame, widened by what rounding can move a ray against it.
    fn padded(&self, (low, high): (DVec3, DVec3)) -> Aabb {
        let (low, high) = (low - self.scene_origin, high - self.scene_origin);
        let reach = low.abs().max(high.abs()).max_element() + (high - low).max_element();
        let pad = DVec3::splat(reach * 1e-6 + f64::from(f32::MIN_POSITIVE));
        Aabb::new(Vec3A::from((low - pad).as_vec3()), Vec3A::from((high + pad).as_vec3()))
    }

    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice()) + size_of_val(self.instances.as_slice())
    }
}
