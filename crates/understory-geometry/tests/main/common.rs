//! Random meshes and rays for the tests, and the oracle over whole scenes.

use glam::{DAffine3, DMat3, DVec3, Vec3};
use understory_geometry::{
    Edges, InstanceId, PulseRays, RayHit, RayScene, RaySceneBuilder, TriangleMesh,
    nearest_hit_by_brute_force,
};

/// SplitMix64 (Steele, Lea and Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 / (1u64 << 53) as f64)
    }

    pub fn point(&mut self, half: f64) -> DVec3 {
        DVec3::new(self.between(-half, half), self.between(-half, half), self.between(-half, half))
    }

    pub fn direction(&mut self) -> DVec3 {
        loop {
            let p = self.point(1.0);
            if (0.01..=1.0).contains(&p.length()) {
                return p.normalize();
            }
        }
    }

    /// Turn, shear, stretch and, at times, mirror.
    pub fn affine(&mut self, half: f64) -> DAffine3 {
        loop {
            let columns = [self.point(1.5), self.point(1.5), self.point(1.5)];
            let matrix = DMat3::from_cols(columns[0], columns[1], columns[2]);
            if matrix.determinant().abs() > 0.2 {
                return DAffine3::from_mat3_translation(matrix, self.point(half));
            }
        }
    }
}

/// Meshes and instances, both for the tracer and for the oracle.
pub struct TestScene {
    pub meshes: Vec<TriangleMesh>,
    pub instances: Vec<(usize, DAffine3)>,
    pub rays: RayScene,
}

impl TestScene {
    pub fn new(
        meshes: Vec<TriangleMesh>,
        instances: Vec<(usize, DAffine3)>,
        edges: Edges,
    ) -> TestScene {
        let mut builder = RaySceneBuilder::default();
        let ids: Vec<_> = meshes.iter().map(|m| builder.add_mesh(m, edges).unwrap()).collect();
        for (mesh, transform) in &instances {
            builder.add_instance(ids[*mesh], *transform).unwrap();
        }
        TestScene { meshes, instances, rays: builder.build() }
    }

    /// Random triangles of `size` in a cube of 20 m times `scale`, several instances.
    pub fn random(seed: u64, triangles: usize, size: f64, scale: f64) -> TestScene {
        let mut random = Random(seed);
        let mut meshes = Vec::new();
        for _ in 0..3 {
            let mut corners = Vec::new();
            for _ in 0..triangles {
                let centre = random.point(5.0 * scale);
                corners.extend((0..3).map(|_| centre + random.point(size * scale)));
            }
            let indices = (0..triangles as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
            meshes.push(TriangleMesh::new(&corners, indices).unwrap());
        }
        let instances = (0..8).map(|i| (i % 3, random.affine(10.0 * scale))).collect();
        TestScene::new(meshes, instances, Edges::Exact)
    }

    /// Distance of the nearest triangle in f64.
    pub fn oracle(&self, origin: DVec3, direction: DVec3, t_max: f64) -> Option<(f64, InstanceId)> {
        let mut best = None;
        for (i, (mesh, transform)) in self.instances.iter().enumerate() {
            let limit = best.map_or(t_max, |(t, _)| t);
            let mesh = &self.meshes[*mesh];
            if let Some((t, _)) =
                nearest_hit_by_brute_force(mesh, *transform, origin, direction, limit)
            {
                best = Some((t, InstanceId(i as u32)));
            }
        }
        best
    }
}

/// Rays around `axis`, `spread` radians apart at most, as a pulse has them.
pub fn cone(random: &mut Random, axis: DVec3, spread: f64, count: usize) -> Vec<Vec3> {
    let (u, v) = axis.any_orthonormal_pair();
    (0..count)
        .map(|ray| {
            let far = if ray == 0 { 0.0 } else { spread };
            let (a, b) = (random.between(-far, far), random.between(-far, far));
            (axis + u * a + v * b).normalize().as_vec3()
        })
        .collect()
}

/// Traces `directions` from one point as one pulse.
pub fn pulse(
    scene: &RayScene,
    origin: DVec3,
    directions: &[Vec3],
    t_max: f32,
) -> Vec<Option<RayHit>> {
    let mut hits = vec![None; directions.len()];
    scene.trace_pulse(&PulseRays { origin, directions, origin_offsets: &[], t_max }, &mut hits);
    hits
}

/// A height field of `cells`² quads over a square of side `size`, with relief.
pub fn terrain(cells: u32, size: f64, seed: u64) -> TriangleMesh {
    let mut random = Random(seed);
    let mut positions = Vec::new();
    for j in 0..=cells {
        for i in 0..=cells {
            let place = |k: u32| (f64::from(k) / f64::from(cells) - 0.5) * size;
            positions.push(DVec3::new(place(i), place(j), random.between(-0.4, 0.4)));
        }
    }
    let mut triangles = Vec::new();
    for j in 0..cells {
        for i in 0..cells {
            let a = j * (cells + 1) + i;
            let b = a + cells + 1;
            triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
    TriangleMesh::new(&positions, triangles).unwrap()
}
