//! Depth maps: for each pixel, how far away is what its middle shows.
//!
//! What enters: a scene and a camera. What leaves: a [`DepthMap`], by rows from the top; exact to
//! f32, for each distance is worked out in f64 from the triangle that was hit. The sky is +∞.

use super::{Camera, FARTHEST_M, check_memory, fitted, in_threads};
use exr::prelude::{AnyChannel, AnyChannels, FlatSamples, Image, Layer, SmallVec, WritableImage};
use glam::Vec3;
use rayon::prelude::*;
use std::io::{self, Seek, Write};
use understory::Error;
use understory::world::scene::Scene;
use understory_geometry::{MAX_RAYS_PER_PULSE, PulseRays, RaySceneAt};

/// Which distance a depth map holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthKind {
    /// From the camera to the surface.
    #[default]
    Ray,
    /// Along the direction in which the camera looks: the same for all points of a plane before it.
    Z,
}

/// Distances in metres, by rows from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct DepthMap {
    /// Width and height.
    pub size: [u32; 2],
    /// Width times height values; +∞ where there is nothing.
    pub depths_m: Vec<f32>,
}

impl DepthMap {
    /// The depth map of a scene at a time; `threads` without a number is one per processor, and the values
    /// are the same for any number.
    pub fn new(
        scene: &Scene,
        camera: &Camera,
        kind: DepthKind,
        time_s: f64,
        threads: Option<usize>,
    ) -> Result<DepthMap, Error> {
        let [width, height] = camera.size().map(|side| side as usize);
        check_memory(camera.size(), size_of::<f32>())?;
        let mut depths_m = vec![f32::INFINITY; width * height];
        let movers = fitted(scene, time_s);
        let rays = scene.at(&movers, time_s).rays;
        in_threads(threads, || {
            depths_m.par_chunks_mut(width).enumerate().for_each(|(row, depths_m)| {
                depth_row(&rays, camera, kind, row, depths_m);
            });
        })?;
        Ok(DepthMap { size: camera.size(), depths_m })
    }

    /// Writes an array of NumPy: float32, height × width.
    pub fn write_npy(&self, file: impl Write) -> io::Result<()> {
        use npyz::WriterBuilder;
        let [width, height] = self.size.map(u64::from);
        let mut writer = npyz::WriteOptions::new()
            .default_dtype()
            .shape(&[height, width])
            .writer(file)
            .begin_nd()?;
        writer.extend(self.depths_m.iter().copied())?;
        writer.finish()
    }

    /// Writes an OpenEXR image of one 32-bit channel `Z`.
    pub fn write_exr(&self, file: impl Write + Seek) -> io::Result<()> {
        let size = self.size.map(|side| side as usize);
        let samples = FlatSamples::F32(self.depths_m.clone());
        let channels = AnyChannels::sort(SmallVec::from_iter([AnyChannel::new("Z", samples)]));
        let image = Image::from_layer(Layer::new(
            (size[0], size[1]),
            Default::default(),
            // Lossless, and read by every program.
            exr::prelude::Encoding {
                compression: exr::prelude::Compression::ZIP16,
                ..exr::prelude::Encoding::UNCOMPRESSED
            },
            channels,
        ));
        image.write().non_parallel().to_buffered(file).map_err(|error| match error {
            exr::error::Error::Io(error) => error,
            other => io::Error::other(other.to_string()),
        })
    }
}

fn depth_row(
    rays: &RaySceneAt<'_>,
    camera: &Camera,
    kind: DepthKind,
    row: usize,
    depths_m: &mut [f32],
) {
    let origin = camera.position_m();
    let y = row as f64 + 0.5;
    for (part, depths_m) in depths_m.chunks_mut(MAX_RAYS_PER_PULSE).enumerate() {
        let x = |lane: usize| (part * MAX_RAYS_PER_PULSE + lane) as f64 + 0.5;
        let mut directions = [Vec3::ZERO; MAX_RAYS_PER_PULSE];
        let mut hits = [None; MAX_RAYS_PER_PULSE];
        for (lane, direction) in directions[..depths_m.len()].iter_mut().enumerate() {
            *direction = camera.direction(x(lane), y).as_vec3();
        }
        let directions = &directions[..depths_m.len()];
        let pulse = PulseRays { origin, directions, origin_offsets: &[], t_max: FARTHEST_M };
        rays.trace_pulse(&pulse, &mut hits);
        for (lane, (depth_m, hit)) in depths_m.iter_mut().zip(&hits).enumerate() {
            let Some(hit) = hit else { continue };
            let direction = camera.direction(x(lane), y);
            let distance_m = rays.surface_point(hit, origin, direction).t;
            *depth_m = match kind {
                DepthKind::Ray => distance_m as f32,
                DepthKind::Z => (distance_m * direction.dot(camera.forward())) as f32,
            };
        }
    }
}
