//! Where plants stand: many places from one rule.
//!
//! What enters: an [`Area`], what to avoid in it, a mask, a [`Pattern`] and a seed. What leaves:
//! [`Spot`]s in the plane, and by [`Stance`] the transform of each plant on the ground. The same
//! seed gives the same places.
//!
//! - [`Pattern::Uniform`]: a homogeneous Poisson process; the number in any part of the area is
//!   Poisson distributed with mean density · area.
//! - [`Pattern::Spaced`]: Poisson-disc sampling after Bridson (2007), "Fast Poisson Disk Sampling
//!   in Arbitrary Dimensions"; no two places are nearer than the spacing.
//! - [`Pattern::Rows`]: straight rows, as in orchards and fields.
//! - [`Pattern::Tiles`]: square patches side by side, turned by quarters: no two overlap.

mod area;
mod poisson_disc;

pub use area::{Area, Avoid, Mask};
use understory_base::math;

use glam::{DAffine3, DMat3, DQuat, DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, TAU};
use understory_plants::Random;

/// Most places of one scatter.
pub const MAX_SPOTS: f64 = 10_000_000.0;

/// The densest packing of discs of diameter 1: 2/√3 per unit of area (Thue 1910).
pub const DENSEST_PACKING: f64 = 1.154_700_538;

/// Density that [`Pattern::Spaced`] reaches with a spacing of 1; measured. Discs dropped at random
/// for ever jam at 0.6965 (Feder 1980).
pub const SPACED_DENSITY: f64 = 0.63;

/// How places are chosen in an area.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// Independent places.
    Uniform {
        /// Mean number per square metre.
        density_per_m2: f64,
    },
    /// Places that keep a distance from each other, as many as fit or fewer.
    Spaced {
        /// Least distance of any two.
        spacing_m: f64,
        /// Thinned at random to this mean density, if it is below what fits.
        density_per_m2: Option<f64>,
    },
    /// Straight rows.
    Rows {
        /// Distance of the rows.
        spacing_m: f64,
        /// Distance of neighbours in a row.
        in_row_m: f64,
        /// Direction of the rows, from x towards y.
        heading_deg: f64,
        /// Each place is moved by up to this along and across its row.
        jitter_m: f64,
    },
    /// Squares side by side.
    Tiles {
        /// Their side.
        side_m: f64,
    },
}

/// One place in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// Where.
    pub position_m: DVec2,
    /// Turn about the vertical, in radians; `None` leaves it to the [`Stance`].
    pub turn: Option<f64>,
}

impl Spot {
    /// A place without a turn of its own.
    pub fn at(position_m: DVec2) -> Spot {
        Spot { position_m, turn: None }
    }
}

/// A rule that gives places.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// Where places may be.
    pub area: Area,
    /// Where they may not be.
    pub avoid: Vec<Avoid>,
    /// Probability of a place over the bounds of the area.
    pub mask: Option<Mask>,
    /// How they are chosen.
    pub pattern: Pattern,
    /// Exactly so many, if they fit: uniform places are drawn until there are, of spaced ones so
    /// many are taken at random. Rows and tiles know no count.
    pub count: Option<usize>,
    /// Key of the random numbers.
    pub seed: u64,
}

impl Scatter {
    /// About how many places there will be, at most: masks and what is avoided are not counted.
    pub fn expected_count(&self) -> f64 {
        if let Some(count) = self.count {
            return count as f64;
        }
        let area = self.area.area_m2();
        let packed = |spacing: f64| SPACED_DENSITY * area / (spacing * spacing) + 1.0;
        match &self.pattern {
            Pattern::Uniform { density_per_m2 } => density_per_m2 * area,
            Pattern::Spaced { spacing_m, density_per_m2: None } => packed(*spacing_m),
            Pattern::Spaced { spacing_m, density_per_m2: Some(density) } => {
                packed(*spacing_m).min(density * area)
            }
            Pattern::Rows { spacing_m, in_row_m, .. } => area / (spacing_m * in_row_m) + 1.0,
            Pattern::Tiles { side_m } => area / (side_m * side_m) + 1.0,
        }
    }

    /// How many places are tried, which is what the scatter costs: those in the box around the
    /// area.
    pub fn trial_count(&self) -> f64 {
        let (low, high) = self.area.bounds();
        let (size, area) = (high - low, self.area.area_m2());
        match &self.pattern {
            Pattern::Rows { spacing_m, in_row_m, .. } => {
                let across = size.length();
                (across / spacing_m + 2.0) * (across / in_row_m + 2.0)
            }
            Pattern::Spaced { spacing_m, .. } => {
                SPACED_DENSITY * size.x * size.y / (spacing_m * spacing_m)
            }
            _ => self.expected_count() * size.x * size.y / area,
        }
    }

    /// All places, in an order that the seed fixes.
    pub fn spots(&self) -> Vec<Spot> {
        let (low, high) = self.area.bounds();
        let root = Random::new(self.seed);
        let mut random = root.fork(0);
        let mut fate = root.fork(1);
        let mut spots = match &self.pattern {
            Pattern::Uniform { .. } if self.count.is_some() => {
                return self.counted(low, high, &mut random);
            }
            Pattern::Uniform { density_per_m2 } => uniform(low, high, *density_per_m2, &mut random),
            Pattern::Spaced { spacing_m, density_per_m2 } => {
                let size = high - low;
                let places = poisson_disc::sample(size, *spacing_m, &mut random);
                let reached = places.len() as f64 / (size.x * size.y);
                let keep = density_per_m2.map_or(1.0, |wanted| wanted / reached);
                let places = places.into_iter().filter(|_| fate.unit() < keep);
                places.map(|place| Spot::at(low + place)).collect()
            }
            Pattern::Rows { spacing_m, in_row_m, heading_deg, jitter_m } => {
                let along = DVec2::from_angle(heading_deg.to_radians());
                rows(low, high, along, [*in_row_m, *spacing_m], *jitter_m, &mut random)
            }
            Pattern::Tiles { side_m } => tiles(low, high, *side_m, &mut random),
        };
        let mut thinning = root.fork(2);
        spots.retain(|spot| {
            let place = spot.position_m;
            let chance = self.mask.as_ref().map_or(1.0, |mask| mask.at(place, low, high));
            // One number for every place, used or not: one setting does not stir the others.
            let kept = thinning.unit() < chance;
            kept && self.is_allowed(place)
        });
        if let (Some(count), Pattern::Spaced { .. }) = (self.count, &self.pattern) {
            // Neighbours follow each other in the list: take a random part of it, not its start.
            for i in 0..count.min(spots.len()) {
                let other = i + (fate.unit() * (spots.len() - i) as f64) as usize;
                spots.swap(i, other);
            }
            spots.truncate(count);
        }
        spots
    }

    fn is_allowed(&self, place: DVec2) -> bool {
        self.area.contains(place) && !self.avoid.iter().any(|avoid| avoid.covers(place))
    }

    /// Uniform places until there are as many as wanted, or no hope of that.
    fn counted(&self, low: DVec2, high: DVec2, random: &mut Random) -> Vec<Spot> {
        let wanted = self.count.unwrap_or_default();
        let mut spots = Vec::with_capacity(wanted.min(MAX_SPOTS as usize));
        for _ in 0..wanted.saturating_mul(100).saturating_add(100_000) {
            if spots.len() >= wanted {
                break;
            }
            let place = DVec2::new(random.between(low.x, high.x), random.between(low.y, high.y));
            let chance = self.mask.as_ref().map_or(1.0, |mask| mask.at(place, low, high));
            if random.unit() < chance && self.is_allowed(place) {
                spots.push(Spot::at(place));
            }
        }
        spots
    }
}

fn uniform(low: DVec2, high: DVec2, density: f64, random: &mut Random) -> Vec<Spot> {
    let mean = density * (high.x - low.x) * (high.y - low.y);
    let mut spots = Vec::new();
    // The count of a Poisson process: how many exponential gaps fit.
    let mut filled = 0.0;
    loop {
        filled -= math::ln(1.0 - random.unit());
        if filled > mean {
            return spots;
        }
        let place = DVec2::new(random.between(low.x, high.x), random.between(low.y, high.y));
        spots.push(Spot::at(place));
    }
}

fn rows(
    low: DVec2,
    high: DVec2,
    along: DVec2,
    [in_row, spacing]: [f64; 2],
    jitter: f64,
    random: &mut Random,
) -> Vec<Spot> {
    let middle = (low + high) * 0.5;
    let half = (high - low) * 0.5;
    let reach = |axis: DVec2| axis.abs().dot(half);
    let across = along.perp();
    let count = |reach: f64, step: f64| (reach / step).floor() as i64;
    let (columns, lines) = (count(reach(along), in_row), count(reach(across), spacing));
    let mut spots = Vec::new();
    for line in -lines..=lines {
        for column in -columns..=columns {
            let moved = [random.between(-jitter, jitter), random.between(-jitter, jitter)];
            let u = column as f64 * in_row + moved[0];
            let v = line as f64 * spacing + moved[1];
            spots.push(Spot::at(middle + along * u + across * v));
        }
    }
    spots
}

fn tiles(low: DVec2, high: DVec2, side: f64, random: &mut Random) -> Vec<Spot> {
    // A remainder narrower than a tile is left empty on both sides alike.
    let count = |length: f64| (length / side + 1e-9).floor().max(1.0);
    let (nx, ny) = (count(high.x - low.x), count(high.y - low.y));
    let corner = (low + high) * 0.5 - DVec2::new(nx, ny) * (side * 0.5);
    let mut spots = Vec::new();
    for iy in 0..ny as u64 {
        for ix in 0..nx as u64 {
            let cell = DVec2::new(ix as f64 + 0.5, iy as f64 + 0.5);
            let quarter = (random.unit() * 4.0).floor();
            spots.push(Spot { turn: Some(quarter * FRAC_PI_2), ..Spot::at(corner + cell * side) });
        }
    }
    spots
}

/// How a plant stands on its spot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stance {
    /// Whether each is turned at random about the vertical, tiles by quarters.
    pub random_turn: bool,
    /// Least and greatest factor on its size; uniform between them.
    pub scale: [f64; 2],
    /// Greatest lean from the vertical, in degrees, to a random side; uniform up to it.
    pub lean_deg: f64,
    /// How deep it is sunk into the ground.
    pub sink_m: f64,
    /// What it does on a slope.
    pub on_slope: OnSlope,
}

/// What stands on a slope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnSlope {
    /// Upright.
    #[default]
    Upright,
    /// Sheared: a patch of grass lies on the ground and its blades stay upright.
    Shear,
    /// Turned as a whole, about a level axis, so that its z is the ground's normal.
    Tilt,
}

/// The ground at a place: its height, and how it rises along x and y.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ground {
    /// Height.
    pub height_m: f64,
    /// Rise per metre along x and along y.
    pub slope: DVec2,
}

impl Stance {
    /// `world_from_plant` on a spot; draws the same amount of randomness whatever is set.
    pub fn place(&self, spot: &Spot, ground: Ground, random: &mut Random) -> DAffine3 {
        let [turn, size, side, lean] = [random.unit(), random.unit(), random.unit(), random.unit()];
        let turn = if self.random_turn { spot.turn.unwrap_or(turn * TAU) } else { 0.0 };
        let scale = self.scale[0] + size * (self.scale[1] - self.scale[0]);
        let axis = DVec2::from_angle(side * TAU).extend(0.0);
        let lean = DQuat::from_axis_angle(axis, lean * self.lean_deg.to_radians());
        let rotation = lean * DQuat::from_rotation_z(turn);
        let slope = if self.on_slope == OnSlope::Shear { ground.slope } else { DVec2::ZERO };
        let rotation = match self.on_slope {
            OnSlope::Tilt => {
                let normal = DVec3::new(-ground.slope.x, -ground.slope.y, 1.0).normalize();
                DQuat::from_rotation_arc(DVec3::Z, normal) * rotation
            }
            OnSlope::Upright | OnSlope::Shear => rotation,
        };
        let shear = DMat3::from_cols(
            DVec3::new(1.0, 0.0, slope.x),
            DVec3::new(0.0, 1.0, slope.y),
            DVec3::Z,
        );
        DAffine3 {
            matrix3: shear * DMat3::from_quat(rotation) * scale,
            translation: spot.position_m.extend(ground.height_m - self.sink_m),
        }
    }
}

#[cfg(test)]
mod tests;
