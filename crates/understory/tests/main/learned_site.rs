//! Learned sites in scenarios: from a site file to records.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use glam::{DMat3, DVec3, Vec3};
use understory::pulse::range_error::RangeError;
use understory::pulse::{Batch, PreparedRun, simulate_batch};
use understory::run::trace_pulse::explain_pulse;
use understory::run::{RunOptions, run};
use understory::scenario::Scenario;
use understory_base::Silent;
use understory_cloud::{MultiSink, OutputFormat, Record, Records, SinkOptions, open_sink};
use understory_learn::site::{Evidence, Gate, Model, Provenance, Site, SurfaceMesh, Volume};
use understory_learn::volume::Gaussian;

fn site(gate: Gate, volumes: Vec<Volume>) -> Site {
    Site {
        origin: DVec3::ZERO,
        model: Model::Likelihood,
        gate,
        cell_m: 0.05,
        evidence: vec![Evidence::default(); volumes.len()],
        volumes,
        colours: Vec::new(),
        surface: None,
        provenance: Provenance::default(),
    }
}

fn volume(mean: DVec3, sigma_m: DVec3, depth: f64) -> Volume {
    Volume::new(&Gaussian::new(mean, DMat3::from_diagonal(sigma_m * sigma_m)).unwrap(), depth)
}

/// A wall of thin volumes at x = 10 m, from y = −3 to 3 m and z = 0 to 3 m.
fn wall(depth: f64) -> Site {
    let mut volumes = Vec::new();
    for j in 0..120 {
        for k in 0..60 {
            let at = DVec3::new(10.0, f64::from(j) * 0.05 - 2.975, f64::from(k) * 0.05 + 0.025);
            volumes.push(volume(at, DVec3::new(0.002, 0.0144, 0.0144), depth));
        }
    }
    // At 3σ neighbours overlap, so that there is no gap.
    site(Gate::Ellipsoid { tau: 3.0 }, volumes)
}

/// A scenario in `folder` with the site as `a.site`; `more` is put after its tables.
fn scenario(folder: &Path, site: &Site, keys: &str, more: &str) -> Scenario {
    site.write(&folder.join("a.site")).unwrap();
    let text = format!(
        r#"
version = 1
seed = 5
duration_s = 0.1
[world]
[[world.site]]
name = "learned"
file = "a.site"
label = "vegetation"
{keys}
[[sensor]]
name = "top"
preset = "hdl-64e-s2"
{more}
[platform]
position_m = [0.0, 0.0, 1.5]
"#
    );
    Scenario::from_toml(&text, "test.toml", folder).unwrap()
}

const SINGLE: &str = "[sensor.override.beam]\nsampling = \"single\"";

fn records(prepared: &PreparedRun) -> Vec<Record> {
    let sensor = &prepared.sensors[0];
    let mut records = Records::default();
    let pulses = 0..sensor.pattern.first_pulse_at(prepared.duration_s);
    simulate_batch(prepared, sensor, prepared.seed, pulses, &mut Batch::default(), &mut records);
    (0..records.len()).filter_map(|row| records.get(row)).collect()
}

/// Where the beam of a row crosses the plane at `x_m`.
fn crossing(row: &Record, x_m: f64) -> Option<DVec3> {
    let (from, along) = (DVec3::from(row.origin_xyz_m), Vec3::from(row.direction_xyz).as_dvec3());
    let t = (x_m - from.x) / along.x;
    (t > 0.0).then(|| from + along * t)
}

fn within(at: Option<DVec3>, y: (f64, f64), z: (f64, f64)) -> bool {
    at.is_some_and(|p| p.y > y.0 && p.y < y.1 && p.z > z.0 && p.z < z.1)
}

const BOXES: &str = r#"
[[world.object]]
name = "before"
shape = "box"
size_m = [0.2, 1.0, 1.0]
position_m = [6.0, 0.0, 1.0]
[[world.object]]
name = "behind"
shape = "box"
size_m = [0.2, 1.0, 1.0]
position_m = [14.0, 2.0, 1.0]
[[world.object]]
name = "inside"
shape = "box"
size_m = [0.2, 0.6, 1.0]
position_m = [10.0, -2.0, 1.0]
"#;

/// A learned wall hides a box and is hidden by one, and one stands in it, with any rays.
#[test]
fn surfaces_and_volumes_hide_each_other() {
    let folder = tempfile::tempdir().unwrap();
    for (rays, more) in [("nominal", SINGLE), ("nominal", ""), ("cone", "")] {
        let keys = format!("rays = \"{rays}\"\n{BOXES}");
        let mut prepared =
            scenario(folder.path(), &wall(f64::INFINITY), &keys, more).prepare().unwrap();
        prepared.sensors[0].range_model.error = RangeError::none();
        let object =
            |name: &str| prepared.scene.objects().iter().find(|o| o.name == name).unwrap().id;
        let [learned, before, behind, inside] =
            ["learned", "before", "behind", "inside"].map(object);
        let mut seen = [0; 3];
        for row in records(&prepared).iter().filter(|row| row.return_number == 1) {
            // Margins of 5 cm keep the edges of beams out.
            if within(crossing(row, 5.9), (-0.45, 0.45), (1.05, 1.95)) {
                assert_eq!((row.object, row.volume), (before, 0), "{rays}");
                assert!((row.true_xyz_m[0] - 5.9).abs() < 1e-3);
                seen[0] += 1;
            } else if within(crossing(row, 9.9), (-2.25, -1.75), (1.05, 1.95)) {
                assert_eq!((row.object, row.volume), (inside, 0), "{rays}");
                seen[1] += 1;
            } else if within(crossing(row, 10.0), (-1.6, 2.9), (0.1, 2.9))
                && !within(crossing(row, 6.1), (-0.6, 0.6), (0.9, 2.1))
                && !within(crossing(row, 5.9), (-0.6, 0.6), (0.9, 2.1))
            {
                assert_eq!(row.object, learned, "{rays}: {row:?}");
                assert!(row.volume > 0 && row.label == 70 && row.incidence_deg.is_nan());
                assert!((row.true_xyz_m[0] - 10.0).abs() < 0.02, "{row:?}");
                assert!((row.intensity - 0.5).abs() < 1e-5, "{row:?}");
                seen[2] += 1;
            }
            assert_ne!(row.object, behind, "the wall hides it");
        }
        assert!(seen[0] > 50 && seen[1] > 10 && seen[2] > 200, "{rays} {seen:?}");
    }
}

/// A car behind leaves is seen through them with the probability exp(−optical depth).
#[test]
fn a_car_in_a_medium_returns_its_share_of_the_pulses() {
    let folder = tempfile::tempdir().unwrap();
    let mut volumes = Vec::new();
    for i in 0..3 {
        for j in 0..30 {
            for k in 0..20 {
                let at = DVec3::new(f64::from(i) * 0.1, f64::from(j) * 0.1, f64::from(k) * 0.1);
                let size = 0.03 + 0.01 * f64::from((i + j + k) % 3);
                volumes.push(volume(at, DVec3::splat(size), 0.15 + 0.1 * f64::from(j % 4)));
            }
        }
    }
    let medium = Site { origin: DVec3::new(5.0, -1.45, 0.6), ..site(Gate::Soft, volumes) };
    let car = r#"
[[world.object]]
name = "car"
shape = "box"
size_m = [2.0, 2.0, 1.2]
position_m = [9.0, 0.0, 0.9]
label = "car"
"#;
    let prepared = scenario(folder.path(), &medium, car, SINGLE).prepare().unwrap();
    let car = prepared.scene.objects().iter().find(|o| o.name == "car").unwrap().id;
    let (mut expected, mut variance, mut seen, mut asked) = (0.0, 0.0, 0.0, 0);
    for row in records(&prepared) {
        if !within(crossing(&row, 8.0), (-0.95, 0.95), (0.95, 2.05)) {
            continue;
        }
        let from = DVec3::from(row.origin_xyz_m) - medium.origin;
        let along = Vec3::from(row.direction_xyz).as_dvec3();
        let depth: f64 = medium
            .volumes
            .iter()
            .map(|volume| {
                let (c, approach) =
                    (f64::from(volume.depth), volume.gaussian().approach(from, along));
                match approach.distance < Gate::Soft.reach(c) {
                    true => Gate::Soft.depth_at(c, approach.distance),
                    false => 0.0,
                }
            })
            .sum();
        let share = (-depth).exp();
        expected += share;
        variance += share * (1.0 - share);
        seen += f64::from(u8::from(row.object == car));
        asked += 1;
    }
    let off = (seen - expected) / variance.sqrt();
    // Five standard errors: wrong once in 1.7 million.
    assert!(asked > 300 && variance > 20.0 && off.abs() < 5.0, "{seen} of {asked}, {expected:.1}");
}

#[test]
fn threads_and_batches_do_not_change_a_byte() {
    let folder = tempfile::tempdir().unwrap();
    let mut leaky = wall(0.4);
    for (k, volume) in leaky.volumes.iter_mut().enumerate() {
        volume.intensity_mean = half::f16::from_f64(0.2 + 1e-5 * k as f64);
        volume.intensity_sigma = half::f16::from_f64(0.05);
    }
    for rays in ["nominal", "cone"] {
        let keys = format!("rays = \"{rays}\"\nrange_draw = \"literal\"\n{BOXES}");
        let prepared = scenario(folder.path(), &leaky, &keys, "").prepare().unwrap();
        let write = |threads: usize| {
            let path = folder.path().join(format!("{rays}-{threads}.csv"));
            let format = OutputFormat::from_path(&path).unwrap();
            let file = open_sink(&path, format, &SinkOptions::default()).unwrap();
            let sink = Box::new(MultiSink::new(vec![file]));
            let interval_s = Some((0.0, 0.01));
            let options = RunOptions { threads: Some(threads), interval_s, ..Default::default() };
            run(&prepared, &options, sink, &Silent).unwrap();
            std::fs::read_to_string(path).unwrap()
        };
        let one = write(1);
        assert!(one.lines().next().unwrap().split(',').any(|name| name == "volume"));
        assert!(write(3) == one, "{rays}");
        // Batches of one pulse give the rows of one batch of all.
        let sensor = &prepared.sensors[0];
        let whole = records(&prepared);
        let mut single = Records::default();
        for pulse in 0..500 {
            let batch = &mut Batch::default();
            simulate_batch(&prepared, sensor, prepared.seed, pulse..pulse + 1, batch, &mut single);
        }
        let rows: Vec<_> = (0..single.len()).filter_map(|row| single.get(row)).collect();
        assert!(format!("{rows:?}") == format!("{:?}", &whole[..rows.len()]), "{rays}");
    }
}

#[test]
fn one_ray_is_enough_where_only_the_axis_counts() {
    let folder = tempfile::tempdir().unwrap();
    let rays = |keys: &str, removed: bool| {
        let mut site = wall(1.0);
        site.provenance.footprint_removed = removed;
        let prepared = scenario(folder.path(), &site, keys, "").prepare().unwrap();
        prepared.sensors[0].footprint.rays_per_pulse()
    };
    assert_eq!(rays("", false), 1);
    assert!(rays("", true) > 1, "the footprint is not in the volumes");
    assert_eq!(rays("rays = \"nominal\"", true), 1);
    assert!(rays("rays = \"cone\"", false) > 1);
    assert!(rays(BOXES, false) > 1, "surfaces need the footprint");
    let haze = "[world.atmosphere]\nextinction_per_m = 0.01";
    assert!(rays(haze, false) > 1);
}

/// Haze takes exp(−2αr) of what a volume sends back, as of what a surface does.
#[test]
fn haze_dims_volumes() {
    let folder = tempfile::tempdir().unwrap();
    let haze = "[world.atmosphere]\nextinction_per_m = 0.05\nrange_limit = false";
    let prepared = scenario(folder.path(), &wall(f64::INFINITY), haze, "").prepare().unwrap();
    let mut seen = 0;
    for row in records(&prepared).iter().filter(|row| row.volume > 0) {
        let expected = 0.5 * (-2.0 * 0.05 * row.true_range_m).exp();
        assert!((row.intensity / expected - 1.0).abs() < 0.02, "{row:?}");
        seen += 1;
    }
    assert!(seen > 200, "{seen}");
}

/// A site knows what its sensor detected. Asked along the axis that counts; by the cones of another
/// sensor, that sensor's own limit decides.
#[test]
fn brightness_is_not_judged_a_second_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut dim = wall(60.0);
    for volume in &mut dim.volumes {
        volume.intensity_mean = half::f16::from_f64(5e-4);
    }
    let returns = |keys: &str| {
        let scenario = scenario(folder.path(), &dim, keys, "");
        let rows = records(&scenario.prepare().unwrap());
        rows.iter().filter(|row| row.volume > 0).count()
    };
    assert!(returns("rays = \"nominal\"") > 1000);
    assert_eq!(returns("rays = \"cone\""), 0);
}

/// A wall that swallows 102 of 255 pulses: so many return nothing, and nothing behind it is seen. Of
/// n pulses the share of returns is within 5 standard errors of 0.6 but for a chance of 6e-7.
#[test]
fn what_a_volume_swallows_does_not_return_and_hides_what_is_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut dark = wall(f64::INFINITY);
    dark.volumes.iter_mut().for_each(|volume| volume.swallowed = 102);
    let keys = format!("rays = \"nominal\"\n{BOXES}");
    let prepared = scenario(folder.path(), &dark, &keys, SINGLE).prepare().unwrap();
    let behind = prepared.scene.objects().iter().find(|o| o.name == "behind").unwrap().id;
    let (mut fired, mut returned) = (0.0, 0.0);
    for row in records(&prepared) {
        assert_ne!(row.object, behind);
        if within(crossing(&row, 10.0), (0.8, 2.9), (0.1, 2.9))
            && !within(crossing(&row, 6.0), (-0.7, 0.7), (0.8, 2.2))
        {
            fired += 1.0;
            returned += f64::from(u8::from(row.return_number == 1));
        }
    }
    assert!(fired > 1000.0, "{fired}");
    let error = (0.6f64 * 0.4 / fired).sqrt();
    assert!((returned / fired - 0.6).abs() < 5.0 * error, "{returned} of {fired}");
}

#[test]
fn a_learned_surface_is_a_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let surface = SurfaceMesh {
        vertices: vec![[0.0, -3.0, -2.0], [0.0, 3.0, -2.0], [0.0, 3.0, 2.0], [0.0, -3.0, 2.0]],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    };
    let site = Site {
        origin: DVec3::new(8.0, 0.0, 1.5),
        model: Model::Surface,
        surface: Some(surface),
        ..site(Gate::Soft, vec![])
    };
    let mut prepared = scenario(folder.path(), &site, "", SINGLE).prepare().unwrap();
    prepared.sensors[0].range_model.error = RangeError::none();
    let rows = records(&prepared);
    let met: Vec<_> = rows.iter().filter(|row| row.return_number > 0).collect();
    assert!(met.len() > 100 && met.iter().all(|row| row.object == 1 && row.volume == 0));
    assert!(met.iter().all(|row| (row.true_xyz_m[0] - 8.0).abs() < 1e-4 && row.label == 70));
    assert!(prepared.scene.sites.is_empty());
}

/// Placed elsewhere, the site is met elsewhere: its origin comes to lie at the position.
#[test]
fn a_site_stands_where_the_scenario_puts_it() {
    let folder = tempfile::tempdir().unwrap();
    let keys = "position_m = [0.0, 2.0, 0.0]\nrotation_deg = [0.0, 0.0, 90.0]";
    let prepared = scenario(folder.path(), &wall(f64::INFINITY), keys, "").prepare().unwrap();
    let rows = records(&prepared);
    let met: Vec<_> = rows.iter().filter(|row| row.volume > 0).collect();
    assert!(met.len() > 100 && met.iter().all(|row| (row.true_xyz_m[1] - 12.0).abs() < 0.05));
}

#[test]
fn the_account_of_a_pulse_names_the_volumes() {
    let folder = tempfile::tempdir().unwrap();
    let prepared = scenario(folder.path(), &wall(0.7), "", "").prepare().unwrap();
    let rows = records(&prepared);
    let row = rows.iter().find(|row| row.volume > 0).unwrap();
    let trace = explain_pulse(&prepared, 0, row.pulse).unwrap();
    let winner = trace.volumes.iter().find(|volume| volume.meeting.stops).unwrap();
    assert_eq!(winner.meeting.number + 1, row.volume);
    let words = trace.to_string();
    let expected = format!("passes volume {} of learned at", row.volume);
    assert!(words.contains(&expected) && words.contains("and it is"), "{words}");
    // Every share is 1 − e^(−0.7) behind a hard gate.
    assert!(trace.volumes.iter().all(|v| (v.meeting.share - 0.503_414_7).abs() < 1e-6));
}

/// Whatever rays query a site, the account names the volume that returned.
#[test]
fn the_account_follows_the_rays_of_the_simulation() {
    let folder = tempfile::tempdir().unwrap();
    for rays in ["nominal", "sampled", "cone"] {
        let keys = format!("rays = \"{rays}\"");
        let prepared = scenario(folder.path(), &wall(0.7), &keys, "").prepare().unwrap();
        let rows = records(&prepared);
        let returned: Vec<_> = rows.iter().filter(|row| row.volume > 0).take(120).collect();
        assert_eq!(returned.len(), 120);
        for row in returned {
            let trace = explain_pulse(&prepared, 0, row.pulse).unwrap();
            let mut stopping = trace.volumes.iter().filter(|volume| volume.meeting.stops);
            assert!(stopping.any(|v| v.meeting.number + 1 == row.volume), "{rays}: {trace}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_site_is_said_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    wall(1.0).write(&folder.path().join("a.site")).unwrap();
    std::fs::write(folder.path().join("b.site"), "no site").unwrap();
    let error = |table: &str| {
        let text = format!(
            "version = 1\nseed = 1\nduration_s = 0.1\n[[world.site]]\n{table}\n[[sensor]]\nname = \"s\"\npreset = \"vlp-16\"\n"
        );
        let scenario = Scenario::from_toml(&text, "t.toml", folder.path());
        scenario.map(|_| ()).unwrap_err().to_string()
    };
    let missing = error("name = \"a\"\nfile = \"c.site\"");
    assert!(missing.starts_with("t.toml:6: ") && missing.contains("cannot be read"), "{missing}");
    assert!(error("name = \"a\"\nfile = \"b.site\"").contains("does not begin as site files do"));
    let rays = error("name = \"a\"\nfile = \"a.site\"\nrays = \"cones\"");
    assert!(rays.contains("t.toml:7") && rays.contains("cone"), "{rays}");
    assert!(error("name = \"a\"\nfile = \"a.site\"\nscale = 2.0").contains("t.toml:7"));
    assert!(error("name = \"\"\nfile = \"a.site\"").contains("`name` is empty"));
    let small = Scenario::from_toml(
        "version = 1\nseed = 1\nduration_s = 0.1\n[[world.site]]\nname = \"a\"\nfile = \"a.site\"\n[[sensor]]\nname = \"s\"\npreset = \"vlp-16\"\n",
        "t.toml",
        folder.path(),
    )
    .unwrap();
    let bytes = small.estimate().parts.iter().map(|part| part.bytes()).sum::<f64>();
    assert!(bytes > 7200.0 * 100.0, "{bytes}");
    assert!(small.estimate().check(1000).is_err());
}

/// Each return has the colour of its own volume, also where two sites stand in one scene; a volume of
/// which no colour is known, and an object, have that of their material.
#[test]
fn returns_have_the_colours_of_their_volumes() {
    let folder = tempfile::tempdir().unwrap();
    let mut site = wall(f64::INFINITY);
    let colour = |number: usize| [(number % 251) as u8 + 1, (number / 251) as u8, 77];
    site.colours = (0..site.volumes.len()).map(colour).collect();
    site.colours[1800..2400].fill([0; 3]);
    let mut other = Site { colours: vec![[9; 3]; site.volumes.len()], ..wall(f64::INFINITY) };
    other.origin = DVec3::new(0.0, 7.0, 0.0);
    other.write(&folder.path().join("b.site")).unwrap();
    let second = "[[world.site]]\nname = \"other\"\nfile = \"b.site\"";
    let more = format!("{SINGLE}\n{BOXES}\n{second}");
    let scenario = scenario(folder.path(), &site, "", &more);
    let rows = records(&scenario.prepare().unwrap());
    let mut met = [0; 4];
    for row in rows.iter().filter(|row| row.return_number > 0) {
        let number = row.volume as usize;
        let (kind, wanted) = match (row.object, number) {
            (_, 0) => (0, row.colour_rgb),
            (_, _) if row.true_xyz_m[1] > 3.5 => (1, [9; 3]),
            (_, 1801..=2400) => (2, [110, 140, 90]),
            _ => (3, colour(number - 1)),
        };
        assert_eq!(row.colour_rgb, wanted, "{row:?}");
        met[kind] += 1;
    }
    assert!(met.iter().all(|count| *count > 100), "{met:?}");
}
