//! Fractal relief: fractional Brownian motion as a sum of octaves of gradient noise.
//!
//! What enters: a Hurst exponent H, the standard deviation of the heights and the band of
//! wavelengths. What leaves: heights added to a field. Octave i has wavelength λ/2ⁱ and a standard
//! deviation in proportion to 2^(−iH), so that the mean square difference of heights at distance r
//! grows as r^(2H) within the band (Mandelbrot and Van Ness 1968). Natural ground has H of 0.5 to
//! 0.9; small H is rougher.
//!
//! The noise is Perlin's (2002) with the quintic blend, on gradients hashed from the lattice. Each
//! octave is turned against the one before, so that no lattice shows.

use super::{HeightField, check, refused};
use crate::{PlantError, Random};
use glam::DVec2;
use schemars::JsonSchema;
use serde::Deserialize;
use understory_base::math;

/// Fractal relief.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Relief {
    /// Hurst exponent H.
    #[serde(default = "default_hurst")]
    pub hurst: f64,
    /// Standard deviation of the heights, over an area much wider than the longest wavelength.
    pub rms_height_m: f64,
    /// Longest wavelength.
    pub wavelength_max_m: f64,
    /// Shortest wavelength; four samples of the field if not given, and never less than two.
    pub wavelength_min_m: Option<f64>,
}

fn default_hurst() -> f64 {
    0.8
}

/// Finer octaves than these have no height left that a lidar could see.
const MAX_OCTAVES: u32 = 24;

impl Relief {
    /// Is everything within its limits?
    pub fn check(&self) -> Result<(), PlantError> {
        check("hurst of the relief", self.hurst, 0.0, 1.0)?;
        check("rms_height_m of the relief", self.rms_height_m, 0.0, 1e4)?;
        check("wavelength_max_m of the relief", self.wavelength_max_m, 1e-3, 1e6)?;
        match self.wavelength_min_m {
            Some(min) if !(min >= 1e-4 && min <= self.wavelength_max_m) => {
                let limits = "at least 1e-4 and not above wavelength_max_m";
                Err(refused("wavelength_min_m of the relief", min, limits))
            }
            _ => Ok(()),
        }
    }

    /// Adds the relief, which was checked, to a field.
    pub(crate) fn add_to(&self, field: &mut HeightField, seed: u64) {
        let spacing = field.spacing_m().max_element();
        let shortest = self.wavelength_min_m.unwrap_or(4.0 * spacing).max(2.0 * spacing);
        let octaves = self.octaves(shortest, seed);
        field.raise(|x, y| octaves.iter().map(|octave| octave.height(DVec2::new(x, y))).sum());
    }

    fn octaves(&self, shortest_m: f64, seed: u64) -> Vec<Octave> {
        let mut octaves = Vec::new();
        let (mut wavelength, mut turn) = (self.wavelength_max_m, DVec2::X);
        let (mut amplitude, mut variance) = (1.0, 0.0);
        let seeds = Random::new(seed);
        // The longest octave is always there, however coarse the field.
        for index in 0..MAX_OCTAVES {
            if index > 0 && wavelength < shortest_m * (1.0 - 1e-9) {
                break;
            }
            let mut random = seeds.fork(u64::from(index));
            let shift = DVec2::new(random.unit(), random.unit());
            let frequency = turn / wavelength;
            octaves.push(Octave { frequency, shift, amplitude, seed: random.next_u64() });
            variance += amplitude * amplitude;
            amplitude *= math::exp2(-self.hurst);
            wavelength *= 0.5;
            turn = TURN.rotate(turn);
        }
        let scale = self.rms_height_m / (variance.sqrt() * NOISE_RMS);
        octaves.iter_mut().for_each(|octave| octave.amplitude *= scale);
        octaves
    }
}

/// A turn by no rational part of the circle, with exact coordinates.
const TURN: DVec2 = DVec2::new(0.6, 0.8);

/// Standard deviation of [`gradient_noise`] over the plane: 2·√(A·B) with the integrals
/// A = ∫ x²F², B = ∫ F² over 0…1 of the blend F = 1 − (6x⁵ − 15x⁴ + 10x³).
const NOISE_RMS: f64 = 0.215_71;

struct Octave {
    /// Cycles per metre along the lattice's first axis, as a vector.
    frequency: DVec2,
    shift: DVec2,
    amplitude: f64,
    seed: u64,
}

impl Octave {
    fn height(&self, place: DVec2) -> f64 {
        let lattice = DVec2::new(self.frequency.dot(place), self.frequency.perp_dot(place));
        self.amplitude * gradient_noise(lattice + self.shift, self.seed)
    }
}

/// Gradient noise with cells of size one, mean zero.
fn gradient_noise(at: DVec2, seed: u64) -> f64 {
    let corner = at.floor();
    let within = at - corner;
    let blend = within * within * within * (within * (within * 6.0 - 15.0) + 10.0);
    // Coordinates are far below 2⁵³: the field's extent and the shortest wavelength see to that.
    let (column, row) = (corner.x as i64, corner.y as i64);
    let slope = |east: i64, north: i64| {
        let offset = within - DVec2::new(east as f64, north as f64);
        gradient(column.wrapping_add(east), row.wrapping_add(north), seed).dot(offset)
    };
    let mix = |from: f64, to: f64, part: f64| from + part * (to - from);
    let south = mix(slope(0, 0), slope(1, 0), blend.x);
    let north = mix(slope(0, 1), slope(1, 1), blend.x);
    mix(south, north, blend.y)
}

/// Unit vector of a lattice point. Made without sine and cosine, whose last bit differs between
/// machines: points in the square until one lies in the disc.
fn gradient(column: i64, row: i64, seed: u64) -> DVec2 {
    let key = (column as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (row as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(32);
    let mut random = Random::new(seed ^ key);
    for _ in 0..64 {
        let point = DVec2::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        let square = point.length_squared();
        if square <= 1.0 && square > 1e-6 {
            return point / square.sqrt();
        }
    }
    DVec2::X
}
