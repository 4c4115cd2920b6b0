//! Boards, sheets and spheres before the OS1-64 of Bayraktaroglu 2023.
//!
//! What enters: a target and which error the sensor has. What leaves: the points on it by channel, a
//! line of the thesis each, with the error of each range. The whole path of a pulse makes them, by the
//! preset `os1-64-bayraktaroglu`; before sheets and boards, which the thesis put before a real OS1,
//! with the beam of one. Errors of two channels and of two seeds are independent: phases of
//! the waves are drawn for each.

use std::path::Path;
use understory_base::math;

use understory_cloud::Records;

use super::sensor_scan::scan;
use understory::Error;
use understory::pulse::PreparedRun;
use understory::pulse::beam::Sampling;
use understory::pulse::range_error::{Correlation, RangeError};
use understory::scenario::Scenario;
use understory::sensor::Sensor;

/// Columns beside a board that are simulated.
const ASIDE_DEG: f64 = 2.0;
/// The head looks along x at half of its revolution.
const AHEAD_S: f64 = 0.05;
const TURN_DEG_PER_S: f64 = 3600.0;
/// Step of the ranges.
pub const QUANTUM_CM: f64 = 0.1;
/// Columns of a revolution.
pub const COLUMNS: f64 = 1024.0;

/// A sheet of A4 paper, upright.
pub const A4_M: [f64; 2] = [0.21, 0.297];
/// Reflectivities to which the thesis rounds those of its papers.
pub const WHITE: f64 = 0.8;
pub const BLACK: f64 = 0.2;

/// A board that faces the sensor.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    pub width_m: f64,
    pub height_m: f64,
    pub distance_m: f64,
    pub reflectivity: f64,
    /// Distance of a white wall behind it; none: nothing is behind it.
    pub wall_behind_m: Option<f64>,
}

/// Which error the sensor has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ErrorChoice {
    /// The thesis's, equations 4.10–4.17, as the preset has it.
    Model,
    /// The same with all of the variance in the wave, as equation 4.17 has it.
    WaveAlone,
    /// Independent normal errors of 0.5 cm.
    HalfCentimetre,
    /// None.
    None,
}

/// A point.
#[derive(Clone, Copy, Debug)]
pub struct BoardPoint {
    pub channel: u16,
    pub column: u32,
    pub across_m: f64,
    pub up_m: f64,
    /// Along the sensor's x axis, from the board.
    pub depth_cm: f64,
    /// Measured less true range.
    pub error_cm: f64,
    /// Whether all of the beam met the board.
    pub whole: bool,
}

/// A target that can be scanned with many seeds.
pub struct Target {
    prepared: PreparedRun,
    interval_s: Option<(f64, f64)>,
    distance_m: f64,
}

/// So many seeds from the first.
pub fn seeds(first: u64, count: u64) -> impl Iterator<Item = u64> + Clone {
    (0..count).map(move |after| first.wrapping_add(after))
}

/// A run of the preset in a world whose first object is the target.
fn prepare(
    world: &str,
    choice: ErrorChoice,
    change: impl Fn(&mut Sensor),
) -> Result<PreparedRun, Error> {
    let text = format!(
        "version = 1\nseed = 1\nduration_s = 0.1\n{world}\
         [[sensor]]\nname = 'os1'\npreset = 'os1-64-bayraktaroglu'\n"
    );
    let mut scenario = Scenario::from_toml(&text, "board", Path::new(""))?;
    for mounted in &mut scenario.sensors {
        let error = &mut mounted.sensor.range_model.error;
        match choice {
            ErrorChoice::Model => {}
            ErrorChoice::WaveAlone => {
                error.correlation = Some(Correlation { share: 1.0, ..Correlation::default() });
            }
            ErrorChoice::HalfCentimetre => *error = RangeError::gaussian(0.005),
            ErrorChoice::None => *error = RangeError::none(),
        }
        change(&mut mounted.sensor);
    }
    scenario.prepare()
}

impl Board {
    /// A sheet of A4 paper.
    pub fn a4(distance_m: f64, reflectivity: f64) -> Board {
        let [width_m, height_m] = A4_M;
        Board { width_m, height_m, distance_m, reflectivity, wall_behind_m: None }
    }

    /// Columns that look at it.
    pub fn columns(&self) -> f64 {
        2.0 * math::atan(0.5 * self.width_m / self.distance_m) / std::f64::consts::TAU * COLUMNS
    }

    /// The board before the sensor.
    pub fn target(&self, choice: ErrorChoice) -> Result<Target, Error> {
        let plane = |name: &str, size: [f64; 2], x_m: f64, material: &str| {
            format!(
                // Turned by −90° about y, the plane's x axis stands upright.
                "[[world.object]]\nname = '{name}'\nshape = 'plane'\nsize_m = [{}, {}]\n\
                 position_m = [{x_m}, 0.0, 0.0]\nrotation_deg = [0.0, -90.0, 0.0]\n\
                 material = '{material}'\n",
                size[1], size[0]
            )
        };
        let size = [self.width_m, self.height_m];
        let mut world = format!(
            "[[world.material]]\nname = 'paper'\nreflectance = {}\n{}",
            self.reflectivity,
            plane("board", size, self.distance_m, "paper")
        );
        if let Some(behind_m) = self.wall_behind_m {
            world += &plane("wall", [20.0, 20.0], self.distance_m + behind_m, "target-80");
        }
        let real = Sensor::preset("os1-64-uniform")?;
        let half_deg = math::atan(0.5 * self.width_m / self.distance_m).to_degrees() + ASIDE_DEG;
        let half_s = half_deg / TURN_DEG_PER_S;
        Ok(Target {
            prepared: prepare(&world, choice, |sensor| {
                sensor.beam = real.beam;
                sensor.detector.signal_cutoff_m = real.detector.signal_cutoff_m;
                sensor.detector.window = real.detector.window;
            })?,
            interval_s: Some((AHEAD_S - half_s, AHEAD_S + half_s)),
            distance_m: self.distance_m,
        })
    }
}

/// A sphere around the lidar, all of which is at one distance and faces it; beams are lines.
pub fn sphere(radius_m: f64, reflectivity: f64) -> Result<Target, Error> {
    let world = format!(
        "[[world.material]]\nname = 'paper'\nreflectance = {reflectivity}\n\
         [[world.object]]\nname = 'sphere'\nshape = 'sphere'\nradius_m = {radius_m}\ntolerance_m = {}\n\
         position_m = [0.0, 0.0, 0.0]\nmaterial = 'paper'\n",
        // Triangles only find the surface; distance and incidence are worked out on the sphere itself.
        1e-3 * radius_m
    );
    let prepared = prepare(&world, ErrorChoice::Model, |sensor| {
        sensor.beam.sampling = Sampling::Single;
        sensor.range_model.quantum_m = 0.0;
    })?;
    Ok(Target { prepared, interval_s: None, distance_m: radius_m })
}

impl Target {
    /// Rows of all pulses that may look at it.
    pub fn records(&self, seed: u64) -> Result<Records, Error> {
        scan(&self.prepared, seed, self.interval_s)
    }

    /// Points on it.
    pub fn points(&self, seed: u64) -> Result<Vec<BoardPoint>, Error> {
        let records = self.records(seed)?;
        let rays =
            self.prepared.sensors.first().map_or(1, |sensor| sensor.footprint.rays_per_pulse());
        let rows = (0..records.len()).filter(|&row| records.object[row] == 1);
        let point = |row: usize| {
            let [x, y, z] = records.sensor_xyz_m[row].map(f64::from);
            BoardPoint {
                channel: records.channel[row],
                column: records.column[row],
                across_m: y,
                up_m: z,
                depth_cm: 100.0 * (x - self.distance_m),
                error_cm: 100.0
                    * (f64::from(records.range_m[row]) - f64::from(records.true_range_m[row])),
                whole: usize::from(records.sub_ray_hits[row]) == rays,
            }
        };
        Ok(rows.map(point).collect())
    }

    /// Lines of whole points for each of some seeds, seed by seed.
    pub fn lines(&self, seeds: impl Iterator<Item = u64>) -> Result<Vec<Vec<BoardPoint>>, Error> {
        let mut lines = Vec::new();
        for seed in seeds {
            let mut points = self.points(seed)?;
            points.retain(|point| point.whole);
            lines.extend(by_channel(points));
        }
        Ok(lines)
    }
}

/// Points of each channel, by column.
pub fn by_channel(mut points: Vec<BoardPoint>) -> Vec<Vec<BoardPoint>> {
    points.sort_by_key(|point| (point.channel, point.column));
    points.chunk_by(|a, b| a.channel == b.channel).map(<[BoardPoint]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory::pulse::range_error::Sigma;

    #[test]
    fn the_preset_is_the_model() {
        let sensor = Sensor::preset("os1-64-bayraktaroglu").unwrap();
        let model = RangeError {
            sigma: Sigma::Bayraktaroglu,
            correlation: Some(Correlation::default()),
            ..RangeError::none()
        };
        assert_eq!(sensor.range_model.error, model);
        assert_eq!(100.0 * sensor.range_model.quantum_m, QUANTUM_CM);
    }

    /// Equation 4.9: √((80 + 9.25)/0.003) = 172.48 m at 80 %, 80.10 m at 10 %, no nearer limit
    /// before it.
    #[test]
    fn the_preset_sees_as_far_as_equation_4_9() {
        for (radius_m, reflectivity, seen) in
            [(172.3, 0.8, true), (172.7, 0.8, false), (80.0, 0.1, true), (80.3, 0.1, false)]
        {
            let records = sphere(radius_m, reflectivity).unwrap().records(1).unwrap();
            let returns = (0..records.len()).filter(|&row| !records.is_miss(row)).count();
            assert_eq!(returns, if seen { 65_536 } else { 0 }, "{radius_m} m");
        }
    }

    /// Table 5.1 has ten fields; each has a value in every return, signal and ambient photons by
    /// the lidar equation: a quarter of the signal at twice the distance, the sun the same.
    #[test]
    fn the_fields_of_table_5_1_have_values() {
        let of = |radius_m: f64| sphere(radius_m, 0.5).unwrap().records(1).unwrap();
        let (near, far) = (of(20.0), of(40.0));
        for row in [0, 77, 65_535] {
            let record = near.get(row).unwrap();
            assert!(record.signal_photons > 1.0 && record.ambient_photons > 0.0);
            assert!(record.intensity > 0.0 && record.range_m > 19.0);
            assert!(record.sensor_xyz_m.iter().all(|part| part.is_finite()));
            assert_eq!((record.channel as usize, record.pulse), (row % 64, row as u64));
            assert!(row == 0 || record.time_s > 0.0);
            let quarter = f64::from(far.signal_photons[row] / near.signal_photons[row]);
            assert!((quarter - 0.25).abs() < 1e-3, "{quarter}");
            assert!((far.ambient_photons[row] / near.ambient_photons[row] - 1.0).abs() < 1e-3);
        }
    }
}
