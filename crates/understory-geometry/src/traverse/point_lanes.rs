//! Eight hits side by side: triangles, instances and rays in, distances and cosines out.

use crate::build::tlas::TlasInstance;
use crate::build::triangle_pack::TrianglePack;
use glam::DVec3;

/// Hits that are worked out together.
pub(crate) const TOGETHER: usize = 8;

/// What working out hits needs of triangle, instance and ray; lanes are hits.
#[derive(Clone, Copy)]
pub(crate) struct PointLanes {
    vertex: [[f64; TOGETHER]; 3],
    edge1: [[f64; TOGETHER]; 3],
    edge2: [[f64; TOGETHER]; 3],
    /// Columns of the linear part of `mesh_from_world`.
    columns: [[[f64; TOGETHER]; 3]; 3],
    /// Origin of the ray from that of the mesh, in the world.
    origin: [[f64; TOGETHER]; 3],
    direction: [[f64; TOGETHER]; 3],
    pub t: [f64; TOGETHER],
    pub cos_incidence: [f64; TOGETHER],
}

impl PointLanes {
    pub const NONE: PointLanes = PointLanes {
        vertex: [[0.0; TOGETHER]; 3],
        edge1: [[0.0; TOGETHER]; 3],
        edge2: [[0.0; TOGETHER]; 3],
        columns: [[[0.0; TOGETHER]; 3]; 3],
        origin: [[0.0; TOGETHER]; 3],
        direction: [[0.0; TOGETHER]; 3],
        t: [0.0; TOGETHER],
        cos_incidence: [0.0; TOGETHER],
    };

    #[inline(always)]
    pub fn set(
        &mut self,
        lane: usize,
        (pack, slot): (&TrianglePack, usize),
        placed: &TlasInstance,
        origin: DVec3,
        direction: DVec3,
    ) {
        let [vertex, edge1, edge2] = pack.vertex_and_edges(slot);
        let origin = placed.relative_to_mesh(origin);
        let linear = &placed.mesh_from_world;
        for axis in 0..3 {
            self.vertex[axis][lane] = vertex[axis];
            self.edge1[axis][lane] = edge1[axis];
            self.edge2[axis][lane] = edge2[axis];
            self.origin[axis][lane] = origin[axis];
            self.direction[axis][lane] = direction[axis];
            for column in 0..3 {
                self.columns[column][axis][lane] = linear.col(column)[axis];
            }
        }
    }

    /// Distance and cosine of all lanes: the operations of
    /// `RaySceneAt::surface_point` in their order.
    #[inline(always)]
    pub fn work_out(&mut self) {
        for lane in 0..TOGETHER {
            let of = |rows: &[[f64; TOGETHER]; 3]| [rows[0][lane], rows[1][lane], rows[2][lane]];
            let (vertex, direction) = (of(&self.vertex), of(&self.direction));
            let columns = [of(&self.columns[0]), of(&self.columns[1]), of(&self.columns[2])];
            let normal = cross(of(&self.edge1), of(&self.edge2));
            let world_normal = columns.map(|column| dot(column, normal));
            let facing = dot(world_normal, direction);
            let from = of(&self.origin);
            let origin = [0, 1, 2].map(|row| {
                columns[0][row] * from[0] + columns[1][row] * from[1] + columns[2][row] * from[2]
            });
            let to_vertex = [0, 1, 2].map(|axis| vertex[axis] - origin[axis]);
            let turn = -facing.signum() / dot(world_normal, world_normal).sqrt();
            let unit = world_normal.map(|x| x * turn);
            self.t[lane] = dot(normal, to_vertex) / facing;
            self.cos_incidence[lane] = dot(unit, direction).abs();
        }
    }
}

#[inline(always)]
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]]
}
