//! Figure 2c: what a mirror shows appears behind it.
//!
//! §3.5: a ray that meets a mirror is reflected and goes on; the sensor puts what it meets at the
//! whole length of the path along the direction in which the ray left. For a flat mirror that is the
//! mirror image. The scenario `mirror` is scanned by the paper's HDL-64E S2; its wall mirror has its
//! face at x = 9.82 m, so that the image of (x, y, z) is (19.64 − x, y, z). Equation 1 holds for the
//! whole path: a second pair of scans has its marks at 15 and 25 m to show it.

use glam::DVec3;
use understory_cloud::Records;

use super::Part;
use crate::sensor_scan::scan;
use crate::{Cloud, Finding, Limit};
use understory::Error;
use understory::pulse::echo::SensitivityModel;
use understory::scenario::Scenario;
use understory::sensor::Sensor;
use understory_view::figures::{Figure, Panel, Series};

/// The mirror's face and its extent along y and z.
const FACE_X_M: f64 = 9.82;
const FACE_YZ_M: [[f64; 2]; 2] = [[0.0, 4.0], [0.4, 2.8]];
/// Rays that pass so near to its border are skipped.
const BORDER_M: f64 = 0.01;
/// What the material `mirror` reflects, one way; the paper's mirrors reflect all.
const MIRROR: f64 = 0.95;
/// Marks of the second pair of scans.
const NEAR_MARK: [f64; 2] = [15.0, 0.1];
const FAR_MARK: [f64; 2] = [25.0, 0.8];

fn vector(xyz: [f32; 3]) -> DVec3 {
    DVec3::from(xyz.map(f64::from))
}

/// Where a ray meets the mirror's face, as a distance; none: it passes by.
fn to_mirror_m(records: &Records, row: usize) -> Option<f64> {
    let origin = DVec3::from(records.origin_xyz_m[row]);
    let direction = vector(records.direction_xyz[row]);
    let distance_m = (FACE_X_M - origin.x) / direction.x;
    let at = origin + direction * distance_m;
    let inside = |at: f64, [low, high]: [f64; 2]| at > low + BORDER_M && at < high - BORDER_M;
    let [y, z] = FACE_YZ_M;
    (direction.x > 0.0 && inside(at.y, y) && inside(at.z, z)).then_some(distance_m)
}

/// Rows whose light went by the mirror.
fn mirrored(records: &Records) -> Vec<usize> {
    let behind = |row: &usize| {
        let face = to_mirror_m(records, *row);
        face.is_some_and(|face_m| f64::from(records.true_range_m[*row]) > face_m + BORDER_M)
    };
    (0..records.len()).filter(|row| !records.is_miss(*row)).filter(behind).collect()
}

pub fn work_out(seed: u64) -> Result<Part, Error> {
    let mut scenario = Scenario::embedded("mirror")?;
    for mounted in &mut scenario.sensors {
        mounted.sensor = Sensor::preset("hdl-64e-blensor")?;
    }
    let prepared = scenario.prepare()?;
    let records = scan(&prepared, seed, None)?;
    let rows = mirrored(&records);
    let mut off_m = 0.0f64;
    let mut nearer = 0;
    for &row in &rows {
        let clean = DVec3::from(records.origin_xyz_m[row])
            + vector(records.direction_xyz[row]) * f64::from(records.true_range_m[row]);
        let [x, y, z] = records.true_xyz_m[row];
        off_m = off_m.max(clean.distance(DVec3::new(2.0 * FACE_X_M - x, y, z)));
        let face_m = to_mirror_m(&records, row).unwrap_or(f64::INFINITY);
        nearer += usize::from(f64::from(records.true_range_m[row]) < face_m);
    }
    let mirror = prepared.scene.objects().iter().find(|object| object.name == "mirror");
    let of_mirror = mirror.map_or(usize::MAX, |mirror| {
        records.object.iter().filter(|object| **object == mirror.id).count()
    });
    let contradict = whole_path(scenario, seed)?;
    let exactly = |words: &str| Limit::Within(0.0, 0.0, words.into());
    let findings = vec![
        Finding {
            quantity:
                "2c: farthest a mirrored point lies from the mirror image of what was met [m]"
                    .into(),
            paper: Some(0.0),
            ours: off_m,
            limit: Limit::Within(
                0.0,
                1e-4,
                "path and direction are f32: 2 µm at 30 m, each axis".into(),
            ),
        },
        Finding {
            quantity: "2c: mirrored points that do not appear behind the mirror".into(),
            paper: Some(0.0),
            ours: nearer as f64,
            limit: exactly("the way to the mirror is a part of the path"),
        },
        Finding {
            quantity: "2c: returns from the mirror itself".into(),
            paper: Some(0.0),
            ours: of_mirror as f64,
            limit: exactly("a reflecting surface does not produce a measurement"),
        },
        Finding {
            quantity: "2c: mirrored rays that equation 1 of the whole path does not explain".into(),
            paper: Some(0.0),
            ours: contradict as f64,
            limit: exactly("seen and unseen follow from the whole path and the reflectivity"),
        },
        Finding {
            quantity: "2c: returns by way of the mirror".into(),
            paper: None,
            ours: rows.len() as f64,
            limit: Limit::Informational,
        },
    ];
    let place = |xyz: [f64; 3]| [xyz[0], xyz[1]];
    let near = |[x, y]: &[f64; 2]| x.abs() < 22.0 && y.abs() < 12.0;
    let other =
        (0..records.len()).filter(|row| !records.is_miss(*row) && rows.binary_search(row).is_err());
    let other = other.step_by(20).map(|row| place(records.world_xyz_m[row])).filter(near);
    let series = vec![
        Series::dots("other points", other.collect()),
        Series::dots(
            "by the mirror, as measured",
            rows.iter().map(|&row| place(records.world_xyz_m[row])).filter(near).collect(),
        ),
        Series::dots(
            "by the mirror, truth",
            rows.iter().map(|&row| place(records.true_xyz_m[row])).filter(near).collect(),
        ),
        Series::line("mirror", FACE_YZ_M[0].map(|y| [FACE_X_M, y]).to_vec()),
    ];
    let figure = Figure {
        name: "blensor-fig2c".into(),
        title: "A mirror seen from above".into(),
        x_label: "x [m]".into(),
        y_label: "y [m]".into(),
        panels: vec![Panel { title: String::new(), series }],
        equal_axes: true,
        ..Figure::default()
    };
    let cloud = Cloud {
        name: "blensor-fig2c-scan".into(),
        title: "Behind the wall stand the images of what stands before it".into(),
        records,
    };
    Ok(Part { findings, figures: vec![figure], cloud })
}

/// How many rays by the mirror are seen though too faint, or not seen though bright enough, with
/// equation 1 between marks within the scene.
fn whole_path(mut scenario: Scenario, seed: u64) -> Result<usize, Error> {
    let mut with_cut = |sensitivity: SensitivityModel| {
        for mounted in &mut scenario.sensors {
            mounted.sensor.sensitivity = sensitivity;
        }
        let prepared = scenario.prepare()?;
        Ok::<_, Error>((scan(&prepared, seed, None)?, prepared))
    };
    let (all, prepared) = with_cut(SensitivityModel::Dark)?;
    let (limited, _) = with_cut(SensitivityModel::Blensor {
        near_m: NEAR_MARK[0] as f32,
        near_reflectance: NEAR_MARK[1] as f32,
        far_m: FAR_MARK[0] as f32,
        far_reflectance: FAR_MARK[1] as f32,
    })?;
    let mut contradict = 0;
    for row in mirrored(&all) {
        let material = usize::from(all.material[row]);
        let optics = prepared.sensors.first().and_then(|sensor| sensor.optics.get(material));
        let own = MIRROR * MIRROR * optics.map_or(0.0, |optics| f64::from(optics.reflectance));
        let path_m = f64::from(all.true_range_m[row]);
        let rise = (FAR_MARK[1] - NEAR_MARK[1]) / (FAR_MARK[0] - NEAR_MARK[0]);
        let least = NEAR_MARK[1] + rise * (path_m - NEAR_MARK[0]);
        let seen = limited.get(row).is_some_and(|row| row.return_number > 0);
        let expected = path_m < NEAR_MARK[0] || own >= least;
        let close = (own - least).abs() < 1e-5 || (path_m - NEAR_MARK[0]).abs() < 1e-5;
        contradict += usize::from(seen != expected && !close);
    }
    Ok(contradict)
}
