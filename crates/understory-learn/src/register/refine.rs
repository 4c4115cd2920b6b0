//! Sweeps over all scans: each is moved onto the planes of the others.

use glam::DVec3;
use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;
use understory_base::{Pose, Progress};

use super::planes::{Points, RADIUS_M};
use super::scans::{Scan, revolutions};
use crate::LearnError;
use crate::scan_motion::{Twist, inverse};

/// What registration takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegisterSettings {
    /// Most sweeps over all scans.
    pub sweeps: usize,
    /// Part of a step of Gauss–Newton that is gone: all scans move at once.
    pub step: f64,
    /// Points of a scan that are moved onto planes.
    pub points: usize,
    /// Points of a scan of which planes are made.
    pub map_points: usize,
    /// Whether the motion within a scan is found too.
    pub deskew: bool,
}

impl Default for RegisterSettings {
    fn default() -> RegisterSettings {
        RegisterSettings { sweeps: 20, step: 0.8, points: 2500, map_points: 20_000, deskew: true }
    }
}

/// How scans lie on each other.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Registration {
    /// Median distance of points from the planes of other scans, before and after.
    pub residual_m: [f64; 2],
    /// The same of each scan after; NaN where it meets no plane.
    pub residual_of_scan_m: Vec<f64>,
    /// Share of a scan's points that lie on planes of others.
    pub overlap_of_scan: Vec<f64>,
    /// How far each scan was moved.
    pub moved_m: Vec<f64>,
    /// Scans that do not fit the others, by their number.
    pub unfit: Vec<usize>,
    /// Sweeps that were needed.
    pub sweeps: usize,
}

/// A scan whose residual is this many times the median of all does not fit.
const UNFIT: f64 = 4.0;
/// Nor does one of whose points fewer lie on planes of others.
const OVERLAP_LEAST: f64 = 0.02;
/// Sweeps end when no scan moves farther.
const STILL_M: f64 = 3e-4;
/// How far a scan may be from an even motion between its neighbours: 3 m/s² for a tenth of a second,
/// and as much of a turn. Along a road with few walls across, planes say nothing of the way, and rings on
/// the ground would rather lie on each other.
const EVENNESS: Evenness = Evenness { linear_m: 0.02, angular_rad: 0.01 };
/// So many neighbouring points are one in what they say.
const ALIKE: f64 = 50.0;
/// Fewer points on planes move no scan.
const POINTS_LEAST: usize = 30;
/// Residuals beyond so many robust standard deviations hardly count.
const ROBUST: f64 = 2.0 * 1.48;

/// How far a scan may be from where an even motion would bring it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evenness {
    pub linear_m: f64,
    pub angular_rad: f64,
}

/// A point of a scan on a plane of others.
pub(super) struct Match {
    /// From the scan's own position.
    arm: DVec3,
    normal: DVec3,
    error_m: f64,
}

/// Refines the poses of scans, and finds their motion, in place.
pub fn register(
    scans: &mut [Scan],
    settings: &RegisterSettings,
    progress: &dyn Progress,
) -> Result<Registration, LearnError> {
    let before: Vec<Pose> = scans.iter().map(|scan| scan.pose).collect();
    let names: Vec<String> = scans.iter().map(|scan| scan.name.clone()).collect();
    let revolutions = revolutions(&names);
    let mut report = Registration::default();
    if scans.len() < 2 {
        return Err(LearnError::CannotRegister {
            why: format!("{} scan has no others to lie on", scans.len()),
        });
    }
    for sweep in 0..=settings.sweeps {
        progress.step("registering scans", sweep as f64 / (settings.sweeps + 1) as f64);
        let is_last = sweep == settings.sweeps;
        if settings.deskew && sweep > 0 {
            let twists = twists(scans, &revolutions);
            scans.iter_mut().zip(twists).for_each(|(scan, twist)| scan.motion.twist = twist);
        }
        let Some(points) = map(scans, settings.map_points) else { break };
        let matches: Vec<Vec<Match>> = scans
            .par_iter()
            .enumerate()
            .map(|(number, scan)| scan.on_planes(&points, number as u32, settings.points, RADIUS_M))
            .collect();
        let residual = median(matches.iter().flatten().map(|m| m.error_m.abs()).collect());
        if sweep == 0 {
            report.residual_m[0] = residual;
        }
        report.residual_m[1] = residual;
        report.sweeps = sweep;
        report.residual_of_scan_m = matches
            .iter()
            .map(|matches| median(matches.iter().map(|m| m.error_m.abs()).collect()))
            .collect();
        report.overlap_of_scan = matches
            .iter()
            .zip(scans.iter())
            .map(|(m, scan)| m.len() as f64 / asked(scan, settings.points).max(1) as f64)
            .collect();
        if is_last {
            break;
        }
        let expected = expected(scans, &revolutions);
        let steps: Vec<Twist> = matches
            .par_iter()
            .zip(&expected)
            .map(|(matches, expected)| step(matches, expected, settings.step, &EVENNESS))
            .collect();
        let farthest = steps.iter().map(|step| step.linear_m.length()).fold(0.0, f64::max);
        for (scan, step) in scans.iter_mut().zip(&steps) {
            // About the scan's own position, in the world's axes.
            let turned = step.exp(1.0);
            scan.pose = Pose {
                rotation: (turned.rotation * scan.pose.rotation).normalize(),
                translation: scan.pose.translation + turned.translation,
            };
        }
        hold_first(scans, &before[0]);
        if farthest < STILL_M && sweep > 2 {
            break;
        }
    }
    progress.step("registering scans", 1.0);
    report.moved_m = scans
        .iter()
        .zip(&before)
        .map(|(scan, before)| scan.pose.translation.distance(before.translation))
        .collect();
    let usual = median(report.residual_of_scan_m.iter().copied().filter(|r| !r.is_nan()).collect());
    let each = report.residual_of_scan_m.iter().zip(&report.overlap_of_scan).enumerate();
    report.unfit = each
        .filter(|(_, (r, overlap))| r.is_nan() || **r > UNFIT * usual || **overlap < OVERLAP_LEAST)
        .map(|(number, _)| number)
        .collect();
    Ok(report)
}

/// Motion over one revolution of each scan, by the poses of the scans before and after it.
fn twists(scans: &[Scan], revolutions: &[f64]) -> Vec<Twist> {
    (0..scans.len())
        .map(|k| {
            let (from, to) = (k.saturating_sub(1), (k + 1).min(scans.len() - 1));
            let passed: f64 = revolutions[from..to].iter().sum();
            let between = inverse(&scans[from].pose).after(&scans[to].pose);
            Twist::log(&between).scaled(1.0 / passed.max(1.0))
        })
        .collect()
}

/// How far each scan is from where an even motion between its neighbours would put it, along and about
/// the world's axes; nothing for the first and the last.
fn expected(scans: &[Scan], revolutions: &[f64]) -> Vec<Twist> {
    (0..scans.len())
        .map(|k| {
            if k == 0 || k + 1 == scans.len() {
                return Twist::default();
            }
            let [before, now, after] = [k - 1, k, k + 1].map(|k| scans[k].pose);
            let part = revolutions[k - 1] / (revolutions[k - 1] + revolutions[k]);
            let even = before.after(&Twist::log(&inverse(&before).after(&after)).exp(part));
            Twist {
                linear_m: even.translation - now.translation,
                angular_rad: (even.rotation * now.rotation.inverse()).to_scaled_axis(),
            }
        })
        .collect()
}

/// Points of all scans in the world, at most so many of each.
pub(super) fn map(scans: &[Scan], most: usize) -> Option<Points> {
    let of_scan = |(number, scan): (usize, &Scan)| {
        let positions: Vec<[f64; 3]> = scan.thinned(most).map(|p| p.to_array()).collect();
        let numbers = vec![number as u32; positions.len()];
        (positions, numbers)
    };
    let parts: Vec<(Vec<[f64; 3]>, Vec<u32>)> = scans.par_iter().enumerate().map(of_scan).collect();
    let (mut positions, mut numbers) = (Vec::new(), Vec::new());
    for (some, their) in parts {
        positions.extend(some);
        numbers.extend(their);
    }
    Points::new(positions, numbers)
}

/// Every how many points one is taken.
fn stride(scan: &Scan, most: usize) -> usize {
    scan.points.len().div_ceil(most.max(1)).max(1)
}

fn asked(scan: &Scan, most: usize) -> usize {
    scan.points.len().div_ceil(stride(scan, most))
}

impl Scan {
    /// Where some of its points are in the world.
    fn thinned(&self, most: usize) -> impl Iterator<Item = DVec3> {
        self.points.iter().step_by(stride(self, most)).map(|point| {
            let point = DVec3::from(point.map(f64::from));
            let at = self.motion.twist.exp(self.motion.phase(point));
            self.pose.translation + self.pose.rotation * (at.translation + at.rotation * point)
        })
    }

    pub(super) fn on_planes(
        &self,
        points: &Points,
        number: u32,
        most: usize,
        radius_m: f64,
    ) -> Vec<Match> {
        self.thinned(most)
            .filter_map(|point| {
                let plane = points.plane(point, number, radius_m)?;
                let error_m = plane.normal.dot(point - plane.point);
                let arm = point - self.pose.translation;
                Some(Match { arm, normal: plane.normal, error_m })
            })
            .collect()
    }
}

/// A robust step of Gauss–Newton: Σ w (e + n·(t + r × arm))² is least, with the weight
/// 1/(1 + (e/c)²)² of Geman and McClure, and what planes leave open follows an even motion.
pub(super) fn step(matches: &[Match], expected: &Twist, part: f64, evenness: &Evenness) -> Twist {
    if matches.len() < POINTS_LEAST {
        return Twist::default();
    }
    let spread = median(matches.iter().map(|m| m.error_m.abs()).collect());
    let c = (ROBUST * spread).max(1e-4);
    let (mut h, mut b) = (Matrix6::<f64>::zeros(), Vector6::<f64>::zeros());
    for Match { arm, normal, error_m } in matches {
        let w = (1.0 + (error_m / c).powi(2)).powi(-2);
        let turn = arm.cross(*normal);
        let j = Vector6::new(normal.x, normal.y, normal.z, turn.x, turn.y, turn.z);
        h += j * j.transpose() * w;
        b -= j * (w * error_m);
    }
    // Neighbouring points err alike.
    let information = 1.0 / (ALIKE * (1.48 * spread).max(1e-3).powi(2));
    h *= information;
    b *= information;
    for k in 0..3 {
        let (even, turned) = (evenness.linear_m.powi(-2), evenness.angular_rad.powi(-2));
        h[(k, k)] += even;
        h[(k + 3, k + 3)] += turned;
        b[k] += even * expected.linear_m[k];
        b[k + 3] += turned * expected.angular_rad[k];
    }
    let Some(solved) = h.cholesky().map(|h| h.solve(&b)) else { return Twist::default() };
    let s = solved * part;
    Twist { linear_m: DVec3::new(s[0], s[1], s[2]), angular_rad: DVec3::new(s[3], s[4], s[5]) }
}

/// Moves all scans together so that the first is where it was.
fn hold_first(scans: &mut [Scan], first: &Pose) {
    let Some(now) = scans.first().map(|scan| scan.pose) else { return };
    let back = first.after(&inverse(&now));
    for scan in scans {
        let pose = back.after(&scan.pose);
        scan.pose = Pose { rotation: pose.rotation.normalize(), ..pose };
    }
}

pub(super) fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    if values.is_empty() {
        return f64::NAN;
    }
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
pub(super) mod tests {
    use glam::DQuat;
    use understory_base::Silent;

    use super::*;
    use crate::scan_motion::ScanMotion;

    /// A room with a pillar, seen by a 16-channel sensor that moves 0.6 m and turns 3° a revolution.
    pub fn room(scans: usize, motion: Twist, start: Pose) -> Vec<Scan> {
        let boxes = [
            (DVec3::new(-9.0, -6.0, -1.5), DVec3::new(11.0, 7.0, 3.0)),
            (DVec3::new(2.0, 2.0, -1.5), DVec3::new(3.0, 3.5, 3.0)),
        ];
        let cast = |origin: DVec3, d: DVec3| {
            let mut nearest = f64::INFINITY;
            for (k, (low, high)) in boxes.iter().enumerate() {
                let (a, b) = ((*low - origin) / d, (*high - origin) / d);
                let (enter, leave) = (a.min(b).max_element(), a.max(b).min_element());
                if enter <= leave {
                    let t = if k == 0 { leave } else { enter };
                    nearest = if t > 0.0 { nearest.min(t) } else { nearest };
                }
            }
            nearest
        };
        let mut seed = 1u64;
        let mut noise = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888);
            (((seed >> 33) as f64 / (1u64 << 31) as f64) - 0.5) * 0.02
        };
        (0..scans)
            .map(|k| {
                let pose = start.after(&motion.exp(k as f64));
                let mut points = Vec::new();
                for column in 0..450 {
                    let phase = f64::from(column) / 450.0 - 0.5;
                    let at = pose.after(&motion.exp(phase));
                    for channel in 0..16 {
                        let elevation = (f64::from(channel) * 2.0 - 15.0f64).to_radians();
                        let azimuth = (-360.0 * phase).to_radians();
                        let own = DVec3::new(
                            elevation.cos() * azimuth.cos(),
                            elevation.cos() * azimuth.sin(),
                            elevation.sin(),
                        );
                        let range = cast(at.translation, at.rotation * own);
                        points.push((own * (range + noise())).as_vec3().to_array());
                    }
                }
                let motion = ScanMotion { twist: Twist::default(), middle_deg: 0.0, rises: false };
                Scan { name: format!("{k}.pcd"), pose, points, motion }
            })
            .collect()
    }

    /// Poses that are 5 cm and 0.6° wrong come back to 5 mm and 0.06°, and the twist with them; without
    /// the motion within a scan they do not.
    #[test]
    fn wrong_poses_are_found_again() {
        let motion = Twist {
            linear_m: DVec3::new(0.6, 0.05, 0.0),
            angular_rad: DVec3::new(0.0, 0.0, 3f64.to_radians()),
        };
        let mut scans = room(6, motion, Pose::IDENTITY);
        let truth: Vec<Pose> = scans.iter().map(|scan| scan.pose).collect();
        for (k, scan) in scans.iter_mut().enumerate().skip(1) {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            scan.pose.translation += DVec3::new(0.03, -0.03, 0.02) * sign;
            let turn = DQuat::from_scaled_axis(DVec3::new(0.003, -0.004, 0.01) * sign);
            scan.pose.rotation = turn * scan.pose.rotation;
        }
        let settings = RegisterSettings { sweeps: 30, points: 1200, ..Default::default() };
        let mut still = scans.clone();
        let report = register(&mut scans, &settings, &Silent).unwrap();
        for (scan, truth) in scans.iter().zip(&truth) {
            let off = scan.pose.translation.distance(truth.translation);
            let turned = scan.pose.rotation.angle_between(truth.rotation);
            assert!(off < 0.008 && turned < 0.0015, "{}: {off} {turned}", scan.name);
            let twist = &scan.motion.twist;
            assert!(twist.linear_m.distance(motion.linear_m) < 0.02, "{twist:?}");
        }
        let [first, last] = report.residual_m;
        assert!(last < 0.01 && last < 0.4 * first, "{report:?}");
        assert!(report.unfit.is_empty(), "{report:?}");
        let without = RegisterSettings { deskew: false, ..settings };
        let skewed = register(&mut still, &without, &Silent).unwrap();
        assert!(skewed.residual_m[1] > 1.05 * last, "{report:?} {skewed:?}");
    }

    #[test]
    fn one_scan_cannot_be_registered() {
        let mut one = room(1, Twist::default(), Pose::IDENTITY);
        assert!(register(&mut one, &RegisterSettings::default(), &Silent).is_err());
        let mut empty = room(3, Twist::default(), Pose::IDENTITY);
        empty[1].points.clear();
        let report = register(&mut empty, &RegisterSettings::default(), &Silent).unwrap();
        assert_eq!(report.unfit, [1]);
    }
}
