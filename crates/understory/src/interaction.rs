//! What the sub-rays meet: [`Beams`] → [`Interactions`].
//!
//! Each sub-ray is followed to the nearest surface, and only those that meet one leave a row. A
//! pulse whose centre ray meets nothing still has the rows of its other rays. Distances are worked
//! out in f64 along the f64 direction, from the triangle that the f32 tracer found.

use understory_geometry::{MAX_RAYS_PER_PULSE, PulseRays, RayHit};

use crate::beam::Beams;
use crate::scene::Scene;

/// What lies at a hit, as the records name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    /// Object, from 1.
    pub object: u32,
    /// Material, from 1.
    pub material: u16,
    /// Semantic class.
    pub label: u16,
}

/// Where sub-rays met surfaces, as columns; the rows of one pulse stand together.
#[derive(Clone, Debug, Default)]
pub struct Interactions {
    /// First row of each pulse, and the number of all rows at the end.
    start: Vec<u32>,
    /// Which sub-ray of its pulse.
    pub sub_ray: Vec<u16>,
    /// Distance from where the sub-ray left.
    pub distance_m: Vec<f32>,
    /// Cosine of the angle between the sub-ray and the surface normal, 0…1; in f64, because f32
    /// knows angles near 0 to 0.02° only.
    pub cos_incidence: Vec<f64>,
    /// Reflectance of the material at the sensor's wavelength.
    pub reflectance: Vec<f32>,
    /// What was met.
    pub surface: Vec<Surface>,
}

impl Interactions {
    /// Rows of pulse `pulse` of the batch.
    pub fn rows(&self, pulse: usize) -> std::ops::Range<usize> {
        self.start[pulse] as usize..self.start[pulse + 1] as usize
    }

    /// Number of pulses.
    pub fn pulses(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.start.clear();
        self.sub_ray.clear();
        self.distance_m.clear();
        self.cos_incidence.clear();
        self.reflectance.clear();
        self.surface.clear();
    }

    /// Follows every sub-ray as far as `distance_max_m`.
    ///
    /// `reflectance_by_material` is indexed by material; a material beyond its end is black.
    pub fn trace(
        &mut self,
        beams: &Beams,
        scene: &Scene,
        reflectance_by_material: &[f32],
        distance_max_m: f32,
    ) {
        self.clear();
        self.start.push(0);
        let mut hits = [None; MAX_RAYS_PER_PULSE];
        let chunk = balanced_chunk(beams.rays_per_pulse());
        for pulse in 0..beams.len() {
            let directions_f32 = beams.directions_f32(pulse);
            let offsets = beams.origin_offsets(pulse);
            for first in (0..directions_f32.len()).step_by(chunk) {
                let lanes = first..(first + chunk).min(directions_f32.len());
                let rays = PulseRays {
                    origin: beams.origin(pulse),
                    directions: &directions_f32[lanes.clone()],
                    origin_offsets: offsets.get(lanes.clone()).unwrap_or(&[]),
                    t_max: distance_max_m,
                };
                scene.rays.trace_pulse(&rays, &mut hits);
                for (sub_ray, hit) in lanes.zip(&hits) {
                    if let Some(hit) = hit {
                        self.push(beams, pulse, sub_ray, hit, scene, reflectance_by_material);
                    }
                }
            }
            self.start.push(self.sub_ray.len() as u32);
        }
    }

    #[inline]
    fn push(
        &mut self,
        beams: &Beams,
        pulse: usize,
        sub_ray: usize,
        hit: &RayHit,
        scene: &Scene,
        reflectance_by_material: &[f32],
    ) {
        let direction = beams.directions(pulse)[sub_ray];
        let origin = beams.sub_ray_origin(pulse, sub_ray);
        let point = scene.rays.surface_point(hit, origin, direction);
        let object = scene.object_of(hit.instance);
        let material = scene.material_of(hit.instance, hit.triangle);
        let surface = Surface { object, material, label: scene.label_of(object, material) };
        let reflectance = reflectance_by_material.get(surface.material as usize);
        self.sub_ray.push(sub_ray as u16);
        self.distance_m.push(point.t as f32);
        self.cos_incidence.push(point.normal.dot(direction).abs().min(1.0));
        self.reflectance.push(reflectance.copied().unwrap_or(0.0));
        self.surface.push(surface);
    }
}

/// Rays per call of the tracer: as few calls as possible, of nearly equal size.
fn balanced_chunk(rays: usize) -> usize {
    let calls = rays.div_ceil(MAX_RAYS_PER_PULSE).max(1);
    rays.div_ceil(calls).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_balanced_and_fit_the_tracer() {
        for (rays, chunk) in [(1, 1), (9, 9), (16, 16), (17, 9), (33, 11), (100, 15)] {
            assert_eq!(balanced_chunk(rays), chunk);
        }
    }
}
