//! Cereals, maize and reeds: upright culms with long leaves in two ranks, and an ear.
//!
//! What enters: the stand (density, rows) and the sizes of culm, leaves and ear. What leaves: a
//! patch around the origin. Rows run along x and are as many as fit the patch, evenly, so that
//! patches laid side by side continue them.

use std::f64::consts::{PI, TAU};
use understory_base::math;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::blade::{self, Blade};
use crate::limits::{fits, normal_within, size_draw, within};
use crate::patch::Patch;
use crate::{Part, Plant, PlantError, Random};

/// Parameters of a patch of a crop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CropSpec {
    /// Size of the patch along the rows.
    pub size_x_m: f64,
    /// Size of the patch across the rows.
    pub size_y_m: f64,
    /// Culms per ground area.
    pub culms_per_m2: f64,
    /// Distance between rows; 0: no rows, culms at random.
    pub row_spacing_m: f64,
    /// Standard deviation of a culm's foot across its row.
    pub row_scatter_m: f64,
    /// 0: evenly spaced along the row; 1: anywhere in its share of the row.
    pub spacing_jitter: f64,
    /// Height of a culm below its ear.
    pub height_mean_m: f64,
    /// Its standard deviation.
    pub height_sd_m: f64,
    /// Thickness of a culm at its foot; it tapers to half.
    pub culm_diameter_m: f64,
    /// Standard deviation of the lean of a culm.
    pub culm_lean_sd_deg: f64,
    /// Flat sides of a culm.
    pub culm_sides: u32,
    /// Leaves on a culm, alternately left and right.
    pub leaves_per_culm: u32,
    /// Where the lowest leaf leaves the culm, as a share of its height.
    pub leaf_from: f64,
    /// Where the highest does.
    pub leaf_to: f64,
    /// Length of a leaf along its curve, in the mean over a culm; those in the middle are longer.
    pub leaf_length_mean_m: f64,
    /// Its standard deviation.
    pub leaf_length_sd_m: f64,
    /// Largest width of a leaf.
    pub leaf_width_mean_m: f64,
    /// Its standard deviation.
    pub leaf_width_sd_m: f64,
    /// Angle from the vertical where a leaf leaves the culm.
    pub leaf_lean_mean_deg: f64,
    /// Its standard deviation.
    pub leaf_lean_sd_deg: f64,
    /// How much further a leaf leans at its tip.
    pub leaf_curvature_mean_deg: f64,
    /// Its standard deviation.
    pub leaf_curvature_sd_deg: f64,
    /// Straight pieces of a leaf.
    pub leaf_segments: u32,
    /// Length of the ear, tassel or panicle on top; 0: none.
    pub ear_length_m: f64,
    /// Its thickness.
    pub ear_diameter_m: f64,
    /// How far it nods from the culm's direction.
    pub ear_nod_deg: f64,
    /// Length of the cob at the culm; 0: none.
    pub cob_length_m: f64,
    /// Its thickness.
    pub cob_diameter_m: f64,
    /// Where it sits, as a share of the culm's height.
    pub cob_at: f64,
}

impl Default for CropSpec {
    /// Wheat.
    fn default() -> CropSpec {
        CropSpec {
            size_x_m: 1.0,
            size_y_m: 1.0,
            culms_per_m2: 450.0,
            row_spacing_m: 0.125,
            row_scatter_m: 0.015,
            spacing_jitter: 1.0,
            height_mean_m: 0.8,
            height_sd_m: 0.05,
            culm_diameter_m: 0.0035,
            culm_lean_sd_deg: 4.0,
            culm_sides: 3,
            leaves_per_culm: 4,
            leaf_from: 0.2,
            leaf_to: 0.85,
            leaf_length_mean_m: 0.22,
            leaf_length_sd_m: 0.04,
            leaf_width_mean_m: 0.013,
            leaf_width_sd_m: 0.002,
            leaf_lean_mean_deg: 25.0,
            leaf_lean_sd_deg: 10.0,
            leaf_curvature_mean_deg: 70.0,
            leaf_curvature_sd_deg: 30.0,
            leaf_segments: 4,
            ear_length_m: 0.09,
            ear_diameter_m: 0.012,
            ear_nod_deg: 10.0,
            cob_length_m: 0.0,
            cob_diameter_m: 0.05,
            cob_at: 0.45,
        }
    }
}

const EAR_SIDES: u32 = 4;
/// A piece that widens, a cone, and a lid below.
const EAR_TRIANGLES: u64 = 4 * EAR_SIDES as u64 - 2;
const CULM_PIECES: u64 = 2;

impl CropSpec {
    /// Refuses parameters outside their limits.
    pub fn check(&self) -> Result<(), PlantError> {
        self.patch().check()?;
        within("culms_per_m2", self.culms_per_m2, 0.0, 20_000.0)?;
        within("row_spacing_m", self.row_spacing_m, 0.0, 10.0)?;
        within("row_scatter_m", self.row_scatter_m, 0.0, 1.0)?;
        within("spacing_jitter", self.spacing_jitter, 0.0, 1.0)?;
        within("height_mean_m", self.height_mean_m, 0.02, 10.0)?;
        within("height_sd_m", self.height_sd_m, 0.0, 3.0)?;
        within("culm_diameter_m", self.culm_diameter_m, 1e-4, 0.3)?;
        within("culm_lean_sd_deg", self.culm_lean_sd_deg, 0.0, 30.0)?;
        within("culm_sides", f64::from(self.culm_sides), 3.0, 32.0)?;
        within("leaves_per_culm", f64::from(self.leaves_per_culm), 0.0, 200.0)?;
        within("leaf_from", self.leaf_from, 0.0, 1.0)?;
        within("leaf_to", self.leaf_to, self.leaf_from, 1.0)?;
        within("leaf_length_mean_m", self.leaf_length_mean_m, 0.005, 5.0)?;
        within("leaf_length_sd_m", self.leaf_length_sd_m, 0.0, 2.0)?;
        within("leaf_width_mean_m", self.leaf_width_mean_m, 1e-4, 0.5)?;
        within("leaf_width_sd_m", self.leaf_width_sd_m, 0.0, 0.2)?;
        within("leaf_lean_mean_deg", self.leaf_lean_mean_deg, 0.0, 85.0)?;
        within("leaf_lean_sd_deg", self.leaf_lean_sd_deg, 0.0, 45.0)?;
        within("leaf_curvature_mean_deg", self.leaf_curvature_mean_deg, 0.0, 170.0)?;
        within("leaf_curvature_sd_deg", self.leaf_curvature_sd_deg, 0.0, 90.0)?;
        within("leaf_segments", f64::from(self.leaf_segments), 2.0, 32.0)?;
        within("ear_length_m", self.ear_length_m, 0.0, 2.0)?;
        within("ear_diameter_m", self.ear_diameter_m, 1e-4, 0.5)?;
        within("ear_nod_deg", self.ear_nod_deg, 0.0, 150.0)?;
        within("cob_length_m", self.cob_length_m, 0.0, 1.0)?;
        within("cob_diameter_m", self.cob_diameter_m, 1e-4, 0.5)?;
        within("cob_at", self.cob_at, 0.0, 1.0)?;
        fits(self.triangle_estimate())
    }

    /// Number of triangles.
    pub fn triangle_estimate(&self) -> u64 {
        let culm = 2 * CULM_PIECES * u64::from(self.culm_sides);
        let leaves =
            u64::from(self.leaves_per_culm).saturating_mul(Blade::triangles(self.leaf_segments));
        let ears = u64::from(self.ear_length_m > 0.0) + u64::from(self.cob_length_m > 0.0);
        let each = leaves.saturating_add(culm + ears * EAR_TRIANGLES);
        self.patch().count(self.culms_per_m2).saturating_mul(each)
    }

    /// Grows the patch around the origin.
    pub fn grow(&self, seed: u64) -> Result<Plant, PlantError> {
        self.check()?;
        let random = Random::new(seed);
        let mut plant = Plant::default();
        for (i, foot) in self.feet(&mut random.fork(0)).into_iter().enumerate() {
            self.push_culm(&mut plant, foot, &mut random.fork(1 + i as u64));
        }
        Ok(plant)
    }

    fn patch(&self) -> Patch {
        Patch { size_x_m: self.size_x_m, size_y_m: self.size_y_m }
    }

    /// Where the culms stand.
    fn feet(&self, random: &mut Random) -> Vec<DVec3> {
        let patch = self.patch();
        let count = patch.count(self.culms_per_m2);
        if self.row_spacing_m <= 0.0 {
            return (0..count).map(|_| patch.point(random)).collect();
        }
        let rows = ((self.size_y_m / self.row_spacing_m).round() as u64).clamp(1, count.max(1));
        let mut feet = Vec::new();
        for row in 0..rows {
            // The remainder goes to the first rows.
            let in_row = count / rows + u64::from(row < count % rows);
            let y = self.size_y_m * ((row as f64 + 0.5) / rows as f64 - 0.5);
            for i in 0..in_row {
                let jitter = self.spacing_jitter * (random.unit() - 0.5);
                let x = self.size_x_m * ((i as f64 + 0.5 + jitter) / in_row as f64 - 0.5);
                let scatter = self.row_scatter_m * random.normal();
                feet.push(patch.wrapped(DVec3::new(x, y + scatter, 0.0)));
            }
        }
        feet
    }

    fn push_culm(&self, plant: &mut Plant, foot: DVec3, random: &mut Random) {
        let height = size_draw(random, self.height_mean_m, self.height_sd_m);
        let side = TAU * random.unit();
        let lean = self.culm_lean_sd_deg.to_radians() * random.normal().abs().min(2.5);
        let sway = DVec3::new(math::cos(side), math::sin(side), 0.0) * (height * math::tan(lean));
        // Leans more toward the top.
        let at = |s: f64| foot + DVec3::Z * (height * s) + sway * (s * s);
        let radius = 0.5 * self.culm_diameter_m;
        plant.push_tube(
            &[at(0.0), at(0.5), at(1.0)],
            &[radius, 0.75 * radius, 0.5 * radius],
            self.culm_sides,
            false,
            Part::Stem,
        );
        let rank = TAU * random.unit();
        for leaf in 0..self.leaves_per_culm {
            // Place in the series of leaves, and a length that is largest in its middle.
            let t = (f64::from(leaf) + 0.5) / f64::from(self.leaves_per_culm);
            let longer = (1.0 - 0.35 * (2.0 * t - 1.0).powi(2)) / (1.0 - 0.35 / 3.0);
            let (lean, sd) = (self.leaf_lean_mean_deg, self.leaf_lean_sd_deg);
            let lean_rad = normal_within(random, lean, sd, 0.0, 88.0).to_radians();
            let (bend, sd) = (self.leaf_curvature_mean_deg, self.leaf_curvature_sd_deg);
            let bend_rad = normal_within(random, bend, sd, 0.0, 175.0).to_radians();
            Blade {
                foot: at(self.leaf_from + (self.leaf_to - self.leaf_from) * t),
                azimuth_rad: rank + PI * f64::from(leaf % 2) + 0.25 * random.normal(),
                lean_rad,
                bend_rad: bend_rad.min(PI - lean_rad),
                length_m: longer
                    * size_draw(random, self.leaf_length_mean_m, self.leaf_length_sd_m),
                width_m: size_draw(random, self.leaf_width_mean_m, self.leaf_width_sd_m),
                outline: blade::CROP,
                segments: self.leaf_segments,
            }
            .above_ground()
            .push(plant);
        }
        let culm_direction = (at(1.0) - at(0.9)).normalize_or(DVec3::Z);
        if self.ear_length_m > 0.0 {
            let nod = self.ear_nod_deg.to_radians();
            let outward = DVec3::new(math::cos(rank), math::sin(rank), 0.0);
            // The ear bends over its length: half of the nod in its first part.
            let first = turned(culm_direction, outward, 0.5 * nod);
            let second = turned(culm_direction, outward, nod);
            let middle = at(1.0) + first * (0.4 * self.ear_length_m);
            let tip = middle + second * (0.6 * self.ear_length_m);
            push_ear(plant, [at(1.0), middle, tip], 0.5 * self.ear_diameter_m);
        }
        if self.cob_length_m > 0.0 {
            let side = rank + 0.5 * PI + 0.3 * random.normal();
            let outward = DVec3::new(math::cos(side), math::sin(side), 0.0);
            let along = turned(DVec3::Z, outward, 0.45) * self.cob_length_m;
            let base = at(self.cob_at);
            push_ear(plant, [base, base + along * 0.4, base + along], 0.5 * self.cob_diameter_m);
        }
    }
}

/// `up` turned by an angle toward `outward`.
fn turned(up: DVec3, outward: DVec3, angle_rad: f64) -> DVec3 {
    let outward = (outward - up * up.dot(outward)).normalize_or(DVec3::X);
    up * math::cos(angle_rad) + outward * math::sin(angle_rad)
}

/// A spindle: an ear, tassel, panicle or cob.
fn push_ear(plant: &mut Plant, path: [DVec3; 3], radius_m: f64) {
    plant.push_tube(&path, &[0.6 * radius_m, radius_m, 0.0], EAR_SIDES, true, Part::Fruit);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlantSpec, preset, presets};

    fn maize() -> CropSpec {
        let PlantSpec::Crop(spec) = preset("maize").unwrap().spec() else { panic!() };
        spec
    }

    #[test]
    fn rows_have_their_spacing_and_culms_their_number() {
        let mut spec = maize();
        (spec.row_scatter_m, spec.size_y_m, spec.size_x_m) = (0.0, 3.0, 4.0);
        let feet = spec.feet(&mut Random::new(1));
        assert_eq!(feet.len(), (8.5f64 * 12.0).round() as usize);
        let mut rows: Vec<i64> = feet.iter().map(|p| (p.y * 1000.0).round() as i64).collect();
        rows.dedup();
        assert_eq!(rows, [-1125, -375, 375, 1125]);
    }

    #[test]
    fn every_crop_stands_above_ground_with_its_feet_in_the_patch() {
        for preset in presets() {
            let PlantSpec::Crop(spec) = preset.spec() else { continue };
            let [x, y] = preset.spec().patch_size_m().unwrap();
            let feet = spec.feet(&mut Random::new(5));
            assert!(feet.iter().all(|p| p.x.abs() <= x / 2.0 && p.y.abs() <= y / 2.0));
            let plant = spec.grow(5).unwrap();
            let low = plant.positions.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
            assert!(low > -0.002, "{}: {low}", preset.name);
            let measures = plant.measures(10);
            let expected = spec.height_mean_m + spec.ear_length_m;
            assert!(measures.height_m > 0.85 * expected && measures.height_m < 1.7 * expected);
        }
    }

    #[test]
    fn leaf_area_is_that_of_the_numbers() {
        let measures = maize().grow(1).unwrap().measures(1);
        // Width by place on the culm-narrowed outline at eight steps, by hand: 0.6045.
        let expected = 19.0 * 13.0 * 0.75 * 0.085 * 0.6045;
        assert!((measures.leaf_area_m2 / expected - 1.0).abs() < 0.05, "{measures:?}");
    }
}
