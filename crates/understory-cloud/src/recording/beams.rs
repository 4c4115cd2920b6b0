//! Rows of a file made beams: origins, directions, misses, and what must be left out.
//!
//! What enters: a batch whose columns hold what the file has. What leaves: the same batch with
//! every column that can be known, without the rows that cannot be used; each of those is counted.

use super::{KnownColumns, ReadReport};
use crate::format::table::{Block, TableFacts};
use crate::poses::{Poses, Rigid, Trajectory, read_poses};
use crate::{CloudError, ReadOptions, Records, ScanPose};
use glam::DVec3;
use std::path::{Path, PathBuf};
use understory_base::math;

/// A return nearer to the sensor than this is none.
const AT_ORIGIN_M: f64 = 1e-3;

/// How the pose of the sensor is found.
#[derive(Debug, Default)]
pub(crate) enum Placing {
    /// Not at all.
    #[default]
    Unknown,
    /// It stands still.
    Fixed(Rigid),
    /// It moves; the second is the sensor's pose on what moves.
    Moving(Box<Trajectory>, Rigid),
}

impl Placing {
    /// By what the caller says first, then by what the file says.
    pub(crate) fn choose(
        path: &Path,
        options: &ReadOptions,
        facts: &mut TableFacts,
        in_sensor_frame: bool,
        has_time: bool,
    ) -> Result<Placing, CloudError> {
        let mount = options.mount()?;
        // A folder of scans has taken the trajectory into account itself.
        let is_folder = facts.scans.is_some() && !facts.in_sensor_frame;
        if let Some(poses) = options.trajectory.as_deref().filter(|_| !is_folder) {
            let trajectory = match read_poses(poses, options.metres_per_unit)? {
                Poses::OverTime(trajectory) => trajectory,
                Poses::PerScan(_) => {
                    return Err(CloudError::TrajectoryUnfit {
                        path: path.to_path_buf(),
                        trajectory: poses.to_path_buf(),
                        why: "has poses without times",
                    });
                }
            };
            let unfit = |why| CloudError::TrajectoryUnfit {
                path: path.to_path_buf(),
                trajectory: poses.to_path_buf(),
                why,
            };
            if !has_time {
                return Err(unfit("says nothing about a recording without times"));
            }
            if in_sensor_frame && !trajectory.turns() {
                return Err(unfit("has no rotations, which points in the sensor's frame need"));
            }
            return Ok(Placing::Moving(Box::new(trajectory), mount));
        }
        if let Some(trajectory) = facts.trajectory.take() {
            let mount = facts.viewpoint.unwrap_or(Rigid::IDENTITY).after(&mount);
            return Ok(Placing::Moving(trajectory, mount));
        }
        Ok(match (&options.pose, facts.viewpoint) {
            (Some(_), _) if !is_folder => Placing::Fixed(mount),
            (None, Some(viewpoint)) => Placing::Fixed(viewpoint),
            _ if in_sensor_frame => Placing::Fixed(Rigid::IDENTITY),
            _ => Placing::Unknown,
        })
    }

    /// Whether it says how the sensor is turned.
    pub(crate) fn turns(&self) -> bool {
        match self {
            Placing::Unknown => false,
            Placing::Fixed(_) => true,
            Placing::Moving(trajectory, _) => trajectory.turns(),
        }
    }
}

/// The columns of a ray cloud: the vector from the point to where the ray began, and alpha.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rays {
    pub(crate) columns: [usize; 4],
    metres_per_unit: f64,
}

impl Rays {
    /// A ray cloud has times and alpha beside its normals, as a mesh hardly has.
    pub(crate) fn find(names: &[String], metres_per_unit: f64) -> Option<Rays> {
        let find = |name: &str| names.iter().position(|n| n == name);
        let alpha = find("alpha").filter(|_| find("time").is_some())?;
        let vector = |x, y, z| Some([find(x)?, find(y)?, find(z)?]);
        let [x, y, z] = vector("nx", "ny", "nz").or_else(|| vector("rayx", "rayy", "rayz"))?;
        Some(Rays { columns: [x, y, z, alpha], metres_per_unit })
    }

    /// Vector to the ray's beginning, and alpha, of a row.
    fn at(&self, block: &Block, first: usize, row: usize) -> (DVec3, f64) {
        let value = |i: usize| {
            block.get(first + i).and_then(|values| values.get(row)).copied().unwrap_or(f64::NAN)
        };
        (DVec3::new(value(0), value(1), value(2)) * self.metres_per_unit, value(3))
    }
}

/// What a file itself has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileHas {
    pub(crate) position: bool,
    pub(crate) direction: bool,
    pub(crate) origin: bool,
    pub(crate) angles: bool,
    pub(crate) sensor_frame: bool,
    pub(crate) intensity: bool,
    /// Whether a return number of 0 means a miss.
    pub(crate) misses: bool,
}

/// What goes through all rows of a recording.
#[derive(Debug)]
pub(crate) struct Pass {
    path: PathBuf,
    placing: Placing,
    has: FileHas,
    rays: Option<Rays>,
    /// Which vector of the block is the first of the rays'.
    rays_at: usize,
    in_sensor_frame: bool,
    undirected_misses: bool,
    need_origins: bool,
    /// Scans that have begun, where their poses are known.
    pub(crate) scan_poses: Vec<ScanPose>,
    near: usize,
    keep: Vec<bool>,
    pulses: u64,
    previous: Option<(f64, u8, u8)>,
    clocks: Vec<(u16, f64)>,
    ratios: Vec<f64>,
    units_checked: bool,
    /// What makes metres of the file's ranges, where those differ from the distances of its points.
    range_factor: f32,
}

/// Why a row is left out.
enum Left {
    NotFinite,
    AtOrigin,
    Undirected,
    OutsideTrajectory,
}

impl Pass {
    /// A pass through the rows of `path`; the columns of rays stand in the block from `rays` on.
    pub(crate) fn new(
        path: &Path,
        placing: Placing,
        has: FileHas,
        rays: Option<(Rays, usize)>,
        in_sensor_frame: bool,
        options: &ReadOptions,
    ) -> Pass {
        Pass {
            path: path.to_path_buf(),
            placing,
            has,
            rays: rays.map(|(rays, _)| rays),
            rays_at: rays.map_or(0, |(_, at)| at),
            in_sensor_frame,
            undirected_misses: options.undirected_misses,
            need_origins: options.need_origins,
            scan_poses: Vec::new(),
            near: 0,
            keep: Vec::new(),
            pulses: 0,
            previous: None,
            clocks: Vec::new(),
            ratios: Vec::new(),
            units_checked: false,
            range_factor: 1.0,
        }
    }

    /// Completes a batch.
    pub(crate) fn complete(
        &mut self,
        known: &KnownColumns,
        block: &Block,
        batch: &mut Records,
        report: &mut ReadReport,
    ) -> Result<(), CloudError> {
        self.keep.clear();
        for row in 0..batch.len() {
            self.number_pulse(known, batch, row);
            let kept = self.beam(known, block, batch, row);
            self.keep.push(kept.is_ok());
            match kept {
                Ok(true) => report.returns += 1,
                Ok(false) => report.misses += 1,
                Err(Left::NotFinite) => report.not_finite += 1,
                Err(Left::AtOrigin) => report.at_origin += 1,
                Err(Left::Undirected) => report.undirected += 1,
                Err(Left::OutsideTrajectory) => report.outside_trajectory += 1,
            }
            if known.time {
                self.watch_clock(batch, row, report);
            }
        }
        if self.keep.iter().any(|keep| !keep) {
            batch.retain(&self.keep);
        }
        self.check_units(known, batch, report)?;
        if self.range_factor != 1.0 {
            batch.range_m.iter_mut().for_each(|range| *range *= self.range_factor);
        }
        Ok(())
    }

    /// Completes one row; says whether it is a return.
    fn beam(
        &mut self,
        known: &KnownColumns,
        block: &Block,
        batch: &mut Records,
        row: usize,
    ) -> Result<bool, Left> {
        let pose = match &self.placing {
            Placing::Unknown => None,
            Placing::Fixed(pose) => Some(*pose),
            Placing::Moving(trajectory, mount) => {
                let pose = trajectory.at(batch.time_s[row], &mut self.near);
                Some(pose.ok_or(Left::OutsideTrajectory)?.after(mount))
            }
        };
        let turned = pose.filter(|_| self.placing.turns());
        if let Some(pose) = turned {
            self.begin_scan(batch, row, &pose);
        }
        let mut at = DVec3::from(batch.world_xyz_m[row]);
        let mut direction = DVec3::from(batch.direction_xyz[row].map(f64::from));
        let mut origin = DVec3::from(batch.origin_xyz_m[row]);
        if let Some(pose) = turned.filter(|_| self.in_sensor_frame) {
            at = pose.point(at);
            direction = pose.rotation * direction;
            origin = pose.point(origin);
        }
        if let Some(pose) = pose.filter(|_| !self.has.origin) {
            origin = pose.translation;
        }
        let mut is_miss = self.has.misses && known.returns && batch.return_number[row] == 0;
        if let Some(rays) = &self.rays {
            let (to_origin, alpha) = rays.at(block, self.rays_at, row);
            origin = at + to_origin;
            direction = -to_origin.normalize_or_zero();
            is_miss = alpha == 0.0;
            if !self.has.intensity {
                batch.intensity[row] = (alpha / 255.0) as f32;
            }
        }
        if !self.has.position {
            at = origin + direction * f64::from(batch.range_m[row]);
        }
        if !known.returns && self.has.direction && direction.is_finite() {
            is_miss |= !at.is_finite();
        }
        if !is_miss && !at.is_finite() {
            // Without a direction, nobody knows where this pulse went.
            if self.undirected_misses {
                return self.miss(batch, row, origin, DVec3::NAN);
            }
            return Err(Left::NotFinite);
        }
        if is_miss {
            if !self.has.direction
                && self.rays.is_none()
                && self.has.angles
                && let Some(pose) = turned
            {
                let azimuth = f64::from(batch.azimuth_deg[row]).to_radians();
                let elevation = f64::from(batch.elevation_deg[row]).to_radians();
                let (sin, cos) = math::sin_cos(azimuth);
                let flat = math::cos(elevation);
                direction =
                    pose.rotation * DVec3::new(flat * cos, flat * sin, math::sin(elevation));
            }
            let direction = match unit(direction) {
                Some(direction) => direction,
                None if self.undirected_misses => DVec3::NAN,
                None => return Err(Left::Undirected),
            };
            if let Some(pose) = turned.filter(|_| !self.has.angles) {
                put_angles(batch, row, pose.rotation.transpose() * direction);
            }
            return self.miss(batch, row, origin, direction);
        }
        // A converted file may have columns for origins that its own source did not know.
        let unknown = origin.is_nan_mask().all() && !self.need_origins;
        if known.origin && !unknown {
            let along = at - origin;
            let distance = along.length();
            if !distance.is_finite() {
                return Err(Left::NotFinite);
            }
            if distance < AT_ORIGIN_M {
                if self.undirected_misses {
                    return self.miss(batch, row, origin, DVec3::NAN);
                }
                return Err(Left::AtOrigin);
            }
            direction = unit(direction).filter(|_| self.has.direction).unwrap_or(along / distance);
            if !known.range {
                batch.range_m[row] = distance as f32;
            }
        }
        if let Some(pose) = turned.filter(|_| !self.has.sensor_frame) {
            let in_sensor = pose.rotation.transpose() * (at - pose.translation);
            batch.sensor_xyz_m[row] = in_sensor.as_vec3().to_array();
        }
        if !self.has.angles && known.sensor_frame {
            put_angles(batch, row, DVec3::from(batch.sensor_xyz_m[row].map(f64::from)));
        }
        batch.return_number[row] = batch.return_number[row].max(1);
        batch.return_count[row] = batch.return_count[row].max(batch.return_number[row]);
        batch.world_xyz_m[row] = at.to_array();
        batch.origin_xyz_m[row] = origin.to_array();
        batch.direction_xyz[row] = direction.as_vec3().to_array();
        Ok(true)
    }

    /// Makes a row one of a pulse without a return.
    fn miss(
        &self,
        batch: &mut Records,
        row: usize,
        origin: DVec3,
        direction: DVec3,
    ) -> Result<bool, Left> {
        batch.return_number[row] = 0;
        batch.return_count[row] = 0;
        batch.range_m[row] = f32::NAN;
        batch.intensity[row] = f32::NAN;
        batch.world_xyz_m[row] = [f64::NAN; 3];
        batch.sensor_xyz_m[row] = [f32::NAN; 3];
        batch.origin_xyz_m[row] = origin.to_array();
        batch.direction_xyz[row] = direction.as_vec3().to_array();
        Ok(false)
    }

    /// Numbers pulses where the file does not: a return belongs to the pulse before it if it has a
    /// higher number, the same count and the same time.
    fn number_pulse(&mut self, known: &KnownColumns, batch: &mut Records, row: usize) {
        if known.pulse {
            return;
        }
        let (number, count) = (batch.return_number[row], batch.return_count[row]);
        let time_s = batch.time_s[row];
        let same = known.returns
            && self.previous.is_some_and(|(time, before, of)| {
                number > before && before > 0 && count == of && (!known.time || time == time_s)
            });
        if !same {
            self.pulses += 1;
        }
        batch.pulse[row] = self.pulses - 1;
        self.previous = Some((time_s, number, count));
    }

    /// Notes the pose of a scan at its first row.
    fn begin_scan(&mut self, batch: &Records, row: usize, pose: &Rigid) {
        let (sensor, scan) = (batch.sensor[row], batch.scan[row]);
        let known = |p: &ScanPose| p.sensor == sensor && p.scan >= scan;
        // Scans rise, so that the last few poses tell.
        if !self.scan_poses.iter().rev().take(64).any(known) {
            self.scan_poses.push(ScanPose {
                sensor,
                scan,
                time_s: batch.time_s[row],
                world_from_sensor: pose.to_rows(),
            });
        }
    }

    fn watch_clock(&mut self, batch: &Records, row: usize, report: &mut ReadReport) {
        let (sensor, time_s) = (batch.sensor[row], batch.time_s[row]);
        if !time_s.is_finite() {
            return;
        }
        let [first, last] = report.time_span_s.unwrap_or([time_s; 2]);
        report.time_span_s = Some([first.min(time_s), last.max(time_s)]);
        // A file with more sensors than this uses the number for something else.
        let has_room = self.clocks.len() < 64;
        match self.clocks.iter_mut().find(|(s, _)| *s == sensor) {
            Some((_, clock)) => {
                report.largest_gap_s = report.largest_gap_s.max(time_s - *clock);
                if time_s < *clock {
                    report.clock_steps_back += 1;
                    report.largest_step_back_s = report.largest_step_back_s.max(*clock - time_s);
                }
                *clock = time_s;
            }
            None if has_room => self.clocks.push((sensor, time_s)),
            None => {}
        }
    }

    /// Ranges that are far from the distances between origins and points have another unit.
    fn check_units(
        &mut self,
        known: &KnownColumns,
        batch: &Records,
        report: &mut ReadReport,
    ) -> Result<(), CloudError> {
        if self.units_checked || !known.range || !known.origin || !self.has.position {
            return Ok(());
        }
        for row in (0..batch.len()).filter(|&row| !batch.is_miss(row)).take(1000) {
            let ratio = f64::from(batch.range_m[row]) / batch.distance_m(row);
            if ratio.is_finite() {
                self.ratios.push(ratio);
            }
        }
        if self.ratios.len() < 20 {
            return Ok(());
        }
        self.units_checked = true;
        self.ratios.sort_by(f64::total_cmp);
        let ratio = self.ratios.get(self.ratios.len() / 2).copied().unwrap_or(1.0);
        // Ouster's tools write points in metres and ranges in millimetres.
        if (990.0..=1010.0).contains(&ratio) {
            self.range_factor = 1e-3;
            report
                .remarks
                .push("ranges are taken to be in millimetres, as the points show".to_owned());
            return Ok(());
        }
        if !(0.5..=2.0).contains(&ratio) {
            return Err(CloudError::MixedUnits { path: self.path.clone(), ratio });
        }
        Ok(())
    }

    /// Refuses a recording of which the trajectory covers nothing.
    pub(crate) fn check_end(&self, report: &ReadReport) -> Result<(), CloudError> {
        let Placing::Moving(trajectory, _) = &self.placing else { return Ok(()) };
        if report.rows > 0 && report.outside_trajectory == report.rows {
            return Err(CloudError::OutsideTrajectory {
                path: self.path.clone(),
                trajectory: trajectory.path.clone(),
                times_s: report.time_span_s.unwrap_or([f64::NAN; 2]),
                span_s: trajectory.span_s(),
            });
        }
        Ok(())
    }
}

/// A direction of length 1, untouched if it is that already; `None` for what has no direction.
fn unit(direction: DVec3) -> Option<DVec3> {
    let squared = direction.length_squared();
    if (squared - 1.0).abs() < 1e-5 { Some(direction) } else { direction.try_normalize() }
}

/// Azimuth and elevation of a direction in the sensor's frame.
fn put_angles(batch: &mut Records, row: usize, direction: DVec3) {
    let flat = math::hypot(direction.x, direction.y);
    batch.azimuth_deg[row] = math::atan2(direction.y, direction.x).to_degrees() as f32;
    batch.elevation_deg[row] = math::atan2(direction.z, flat).to_degrees() as f32;
}
