//! The scenes of the benchmarks: one tree, and a yard of grass and trees.
//!
//! Deterministic and free of any file, so that every machine measures the same triangles.

use anyhow::Result;
use glam::{DAffine3, DMat3, DVec3, Vec3};
use understory_geometry::{Edges, RayScene, RaySceneBuilder, TriangleMesh};

/// Rays of one pulse in all scenes.
pub const RAYS_PER_PULSE: usize = 9;

/// Meshes in f32 and where they stand, exactly as every engine gets them.
pub struct BenchScene {
    pub meshes: Vec<BenchMesh>,
    pub instances: Vec<(usize, DAffine3)>,
    pub sensor: DVec3,
}

#[derive(Default)]
pub struct BenchMesh {
    pub positions: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    pub closed: bool,
}

impl BenchScene {
    pub fn effective_triangles(&self) -> u64 {
        self.instances.iter().map(|(mesh, _)| self.meshes[*mesh].triangles.len() as u64).sum()
    }

    pub fn build(&self) -> Result<RayScene> {
        let mut builder = RaySceneBuilder::default();
        let mut ids = Vec::new();
        for mesh in &self.meshes {
            let edges = if mesh.closed { Edges::Closed } else { Edges::Exact };
            let checked = TriangleMesh::new(&mesh.positions, mesh.triangles.clone())?;
            ids.push(builder.add_mesh(&checked, edges)?);
        }
        for (mesh, world_from_mesh) in &self.instances {
            builder.add_instance(ids[*mesh], *world_from_mesh)?;
        }
        Ok(builder.build())
    }
}

/// S1: one tree of about 500 thousand triangles, seen from 8 m.
pub fn one_tree() -> BenchScene {
    BenchScene {
        meshes: vec![tree(1, 200_000), ground(40.0, 0.5)],
        instances: vec![(0, DAffine3::IDENTITY), (1, DAffine3::IDENTITY)],
        sensor: DVec3::new(8.0, 0.0, 2.0),
    }
}

/// S2: a yard of 300 × 300 m with `patches` of grass that overlap and `trees`.
pub fn yard(patches: usize, trees: usize) -> BenchScene {
    let mut random = Random(77);
    let mut meshes = vec![ground(150.0, 1.0)];
    meshes.extend((0..4).map(|variant| grass_patch(100 + variant, 100, 15)));
    meshes.push(tree(1, 200_000));
    let mut instances = vec![(0, DAffine3::IDENTITY)];
    for patch in 0..patches {
        let (x, y) = if patch.is_multiple_of(2) {
            let (radius, angle) = (50.0 * random.unit().sqrt(), random.angle());
            (radius * angle.cos(), radius * angle.sin())
        } else {
            (random.between(-149.0, 149.0), random.between(-149.0, 149.0))
        };
        let variant = 1 + (random.next() % 4) as usize;
        instances.push((variant, placed(&mut random, x, y, (0.8, 1.3), 0.0)));
    }
    let mut stems: Vec<(f64, f64)> = Vec::new();
    while stems.len() < trees {
        let reach = if stems.len().is_multiple_of(2) { 60.0 } else { 145.0 };
        let (x, y) = (random.between(-reach, reach), random.between(-reach, reach));
        let apart = stems.iter().all(|stem| (stem.0 - x).hypot(stem.1 - y) > 3.0);
        if x.hypot(y) > 6.0 && apart {
            stems.push((x, y));
            instances.push((5, placed(&mut random, x, y, (0.7, 1.3), -0.05)));
        }
    }
    let sensor = DVec3::new(0.0, 0.0, ground_height(0.0, 0.0) + 2.0);
    BenchScene { meshes, instances, sensor }
}

/// Directions of one revolution of a sensor like the HDL-64E: `columns` × 64 pulses of nine rays
/// in a footprint of 3.3 × 0.7 mrad, over the azimuths `from..to`.
pub fn hdl_64e(columns: usize, from: f64, to: f64, tilt_deg: f64) -> Vec<Vec3> {
    let mut rays = Vec::with_capacity(columns * 64 * RAYS_PER_PULSE);
    for column in 0..columns {
        let azimuth = from + (to - from) * column as f64 / columns as f64;
        for laser in 0..64 {
            let elevation = (2.0 - 26.8 * f64::from(laser) / 63.0 + tilt_deg).to_radians();
            let axis = DVec3::new(
                elevation.cos() * azimuth.cos(),
                elevation.cos() * azimuth.sin(),
                elevation.sin(),
            );
            let across = DVec3::new(-azimuth.sin(), azimuth.cos(), 0.0);
            let up = axis.cross(across);
            for row in [0.0, -1.0, 1.0] {
                for place in [0.0, -1.0, 1.0] {
                    let aside = across * (place * 1.65e-3 * 0.7) + up * (row * 0.35e-3 * 0.7);
                    rays.push((axis + aside).normalize().as_vec3());
                }
            }
        }
    }
    rays
}

/// Which laser fires each pulse of [`hdl_64e`].
pub fn lasers(rays: &[Vec3]) -> Vec<u16> {
    (0..rays.len() / RAYS_PER_PULSE).map(|pulse| (pulse % 64) as u16).collect()
}

fn placed(random: &mut Random, x: f64, y: f64, scale: (f64, f64), sink: f64) -> DAffine3 {
    let turn = DMat3::from_rotation_z(random.angle()) * random.between(scale.0, scale.1);
    // Engines that keep transforms in f32 must get the same instance.
    let matrix = DMat3::from_cols_array(&turn.to_cols_array().map(|v| f64::from(v as f32)));
    let position = DVec3::new(x, y, ground_height(x, y) + sink).as_vec3().as_dvec3();
    DAffine3::from_mat3_translation(matrix, position)
}

fn ground_height(x: f64, y: f64) -> f64 {
    0.25 * (x * 0.11).sin() * (y * 0.07).cos()
        + 0.06 * (x * 0.53 + 0.7).sin()
        + 0.06 * (y * 0.47).cos()
}

fn ground(half: f64, cell: f64) -> BenchMesh {
    let cells = (2.0 * half / cell) as u32;
    let mut mesh = BenchMesh { closed: true, ..BenchMesh::default() };
    for j in 0..=cells {
        for i in 0..=cells {
            let (x, y) = (f64::from(i) * cell - half, f64::from(j) * cell - half);
            mesh.vertex(DVec3::new(x, y, ground_height(x, y)));
        }
    }
    for j in 0..cells {
        for i in 0..cells {
            let a = j * (cells + 1) + i;
            let b = a + cells + 1;
            mesh.triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
    mesh
}

/// A square metre of bent blades, each of `segments` quads.
fn grass_patch(seed: u64, blades: usize, segments: u32) -> BenchMesh {
    let mut random = Random(seed);
    let mut mesh = BenchMesh::default();
    for _ in 0..blades {
        let foot = DVec3::new(random.between(-0.5, 0.5), random.between(-0.5, 0.5), -0.02);
        let (height, width) = (random.between(0.10, 0.32), random.between(0.004, 0.008));
        let (azimuth, bend) = (random.angle(), random.between(0.1, 1.2));
        let side = DVec3::new(azimuth.cos(), azimuth.sin(), 0.0);
        let forward = DVec3::new(-azimuth.sin(), azimuth.cos(), 0.0);
        for k in 0..=segments {
            let s = f64::from(k) / f64::from(segments);
            let lean = forward * (0.7 * height * s * (bend * s).sin());
            let rise = DVec3::Z * (height * s * (1.0 - 0.25 * bend * s));
            let half = side * (0.5 * width * (1.0 - 0.9 * s * s));
            let left = mesh.vertex(foot + lean + rise - half);
            let right = mesh.vertex(foot + lean + rise + half);
            if k > 0 {
                mesh.triangles.extend([[left - 2, right - 2, right], [left - 2, right, left]]);
            }
        }
    }
    mesh
}

/// A tree of 8 m: trunk, branches, twigs, and `leaves` diamonds of two triangles.
fn tree(seed: u64, leaves: usize) -> BenchMesh {
    let mut random = Random(seed);
    let mut mesh = BenchMesh::default();
    let trunk: Vec<DVec3> = (0..40)
        .map(|i| {
            let z = 8.0 * f64::from(i) / 39.0;
            DVec3::new(0.15 * (0.7 * z).sin(), 0.12 * (0.9 * z).cos() - 0.12, z)
        })
        .collect();
    mesh.tube(&trunk, 0.22, 0.04, 24);
    let mut twigs: Vec<(DVec3, DVec3)> = Vec::new();
    for branch in 0..36 {
        let z = 1.6 + 6.2 * (f64::from(branch) + random.unit()) / 36.0;
        let start = trunk[((z / 8.0 * 39.0) as usize).min(39)];
        let azimuth = f64::from(branch) * 2.39996 + random.between(-0.3, 0.3);
        let rise = random.between(0.1, 0.7);
        let length = (3.2 - 0.27 * (z - 3.0f64).abs()).max(0.8) * random.between(0.8, 1.1);
        let along = DVec3::new(azimuth.cos() * rise.cos(), azimuth.sin() * rise.cos(), rise.sin());
        let limb = curve(start, along, length, 9, 0.08);
        mesh.tube(&limb, 0.05, 0.012, 10);
        for _ in 0..12 {
            let from = limb[(random.between(0.2, 1.0) * 8.0) as usize];
            let along = (along * 0.6 + random.direction() * 0.9).normalize();
            let twig = curve(from, along, random.between(0.4, 1.0), 6, -0.06);
            mesh.tube(&twig, 0.012, 0.004, 8);
            twigs.push((from, twig[5]));
            for _ in 0..5 {
                let from = twig[random.between(0.5, 5.0) as usize];
                let along = (along * 0.5 + random.direction() * 0.9).normalize();
                let shoot = curve(from, along, random.between(0.15, 0.4), 3, 0.0);
                mesh.tube(&shoot, 0.004, 0.0015, 6);
                twigs.push((from, shoot[2]));
            }
        }
    }
    for _ in 0..leaves {
        let (a, b) = twigs[(random.next() % twigs.len() as u64) as usize];
        let scatter = DVec3::new(random.normal(), random.normal(), 0.8 * random.normal()) * 0.09;
        let centre = a.lerp(b, random.unit()) + scatter;
        let normal = (random.direction() + DVec3::Z * 0.3).normalize();
        let (u, v) = normal.any_orthonormal_pair();
        let turn = random.angle();
        let along = (u * turn.cos() + v * turn.sin()) * (0.5 * random.between(0.03, 0.055));
        let across = normal.cross(along) * random.between(0.5, 0.7);
        let corners = [centre - along, centre + across, centre + along, centre - across];
        let [a, b, c, d] = corners.map(|corner| mesh.vertex(corner));
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
    mesh
}

fn curve(start: DVec3, along: DVec3, length: f64, points: u32, lift: f64) -> Vec<DVec3> {
    let place = |k: u32| length * f64::from(k) / f64::from(points - 1);
    (0..points).map(|k| start + along * place(k) + DVec3::Z * (lift * place(k).powi(2))).collect()
}

impl BenchMesh {
    /// Rounds to f32, so that all engines get the same vertices.
    fn vertex(&mut self, position: DVec3) -> u32 {
        self.positions.push(position.as_vec3().as_dvec3());
        self.positions.len() as u32 - 1
    }

    /// A tapering tube around a polyline.
    fn tube(&mut self, line: &[DVec3], first_radius: f64, last_radius: f64, sides: u32) {
        let mut before = 0;
        for (k, &point) in line.iter().enumerate() {
            let along = if k + 1 < line.len() { line[k + 1] - point } else { point - line[k - 1] };
            let (u, v) = along.normalize().any_orthonormal_pair();
            let share = k as f64 / (line.len() - 1) as f64;
            let radius = first_radius + (last_radius - first_radius) * share;
            let ring = self.positions.len() as u32;
            for side in 0..sides {
                let angle = std::f64::consts::TAU * f64::from(side) / f64::from(sides);
                self.vertex(point + (u * angle.cos() + v * angle.sin()) * radius);
            }
            for side in (0..sides).filter(|_| k > 0) {
                let next = (side + 1) % sides;
                let (a, b, c, d) = (before + side, before + next, ring + next, ring + side);
                self.triangles.extend([[a, b, c], [a, c, d]]);
            }
            before = ring;
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014): small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn angle(&mut self) -> f64 {
        self.between(0.0, std::f64::consts::TAU)
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().max(1e-300).ln()).sqrt() * self.angle().cos()
    }

    fn direction(&mut self) -> DVec3 {
        let (z, azimuth) = (self.between(-1.0, 1.0), self.angle());
        let flat = (1.0 - z * z).sqrt();
        DVec3::new(flat * azimuth.cos(), flat * azimuth.sin(), z)
    }
}
