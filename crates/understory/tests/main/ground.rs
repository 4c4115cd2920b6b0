//! Where the ground is, and what stands and drives on it.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use glam::DVec3;
use std::path::Path;
use understory::scenario::Scenario;
use understory::world::scene::Scene;

fn scene(text: &str) -> Scene {
    let text = format!(
        "version = 1\nseed = 1\nduration_s = 0.1\n[[sensor]]\nname = \"s\"\npreset = \"vlp-16\"\n{text}"
    );
    Scenario::from_toml(&text, "test", Path::new("")).unwrap().build_scene().unwrap()
}

const TERRAIN: &str = "[world.terrain]\nplane = { size_m = [40, 40], spacing_m = 0.5 }\n\
                       relief = [{ rms_height_m = 0.6, wavelength_max_m = 20.0, wavelength_min_m = 5.0 }]\n";

/// The field of heights and a ray from above must agree, also beneath a roof.
#[test]
fn terrain_is_found_by_its_field_and_by_rays_alike() {
    let plain = scene(TERRAIN);
    let roof = "[[world.object]]\nname = \"roof\"\nshape = \"box\"\nsize_m = [30, 30, 1]\n\
                position_m = [0, 0, 12]\nlabel = \"building\"\nmaterial = \"concrete\"\n";
    let covered = scene(&format!("{TERRAIN}{roof}"));
    for step in 0..200 {
        // Never on an edge of the grid, where two triangles meet.
        let (x, y) =
            (f64::from(step) * 0.1703 - 17.013, f64::from(step * 37 % 200) * 0.1697 - 17.007);
        let field = plain.ground_at(x, y).unwrap();
        let ray = covered.ground_below(DVec3::new(x, y, 50.0)).unwrap();
        assert!((field.height_m - ray.height_m).abs() < 1e-4, "{field:?} {ray:?}");
        assert!(field.normal.dot(ray.normal) > 0.9999, "{field:?} {ray:?}");
        assert_eq!(covered.ground_at(x, y).unwrap().height_m, field.height_m);
    }
    assert_eq!(plain.ground_at(25.0, 0.0), None);
    assert_eq!(plain.ground_at(f64::NAN, 0.0), None);
    assert_eq!(plain.ground_below(DVec3::new(0.0, 0.0, f64::INFINITY)), None);
}

#[test]
fn a_road_on_the_terrain_is_ground_too() {
    let road = "[[world.object]]\nname = \"road\"\nshape = \"box\"\nsize_m = [4, 4, 1]\n\
                position_m = [0, 0, 7]\nlabel = \"road\"\nmaterial = \"asphalt\"\n";
    let scene = scene(&format!("{TERRAIN}{road}"));
    let on = scene.ground_at(1.0, 1.0).unwrap();
    let beside = scene.ground_at(5.0, 1.0).unwrap();
    assert!((on.height_m - 8.0).abs() < 1e-6, "{on:?}");
    assert!(beside.height_m < 4.0 && beside.object != on.object, "{beside:?}");
}

/// A robot on wheels over waves: at every moment its four contacts are on the ground on average.
#[test]
fn a_platform_on_the_ground_follows_it() {
    let text = format!(
        "version = 1\nseed = 1\nduration_s = 20.0\n[[sensor]]\nname = \"s\"\npreset = \"vlp-16\"\n\
         position_m = [0, 0, 1.2]\n[platform]\non_ground = true\nfootprint_m = [0.8, 0.5]\n\
         heading = \"along-path\"\nwaypoints = [{{ position_m = [-15, -3, 0] }}, \
         {{ position_m = [0, 4, 0], speed_m_s = 1.5 }}, {{ position_m = [14, 0, 0], speed_m_s = 1.5 }}]\n\
         {TERRAIN}"
    );
    let scenario = Scenario::from_toml(&text, "test", Path::new("")).unwrap();
    let run = scenario.prepare().unwrap();
    let mut steepest = 0.0f64;
    for step in 0..200 {
        let pose = run.trajectory.pose_at(f64::from(step) * 0.1);
        let height = |x: f64, y: f64| {
            let contact = pose.translation + pose.rotation * DVec3::new(x, y, 0.0);
            contact.z - run.scene.ground_at(contact.x, contact.y).unwrap().height_m
        };
        let contacts = [height(0.4, 0.0), height(-0.4, 0.0), height(0.0, 0.25), height(0.0, -0.25)];
        let mean = contacts.iter().sum::<f64>() / 4.0;
        assert!(mean.abs() < 0.01, "{step}: {contacts:?}");
        assert!(contacts.iter().all(|contact| contact.abs() < 0.08), "{step}: {contacts:?}");
        let up = pose.rotation * DVec3::Z;
        steepest = steepest.max(up.z.acos().to_degrees());
    }
    assert!(steepest > 5.0, "the ground has no slope: {steepest}");
    let off = text.replace("[14, 0, 0]", "[24, 0, 0]");
    let off = Scenario::from_toml(&off, "test", Path::new("")).unwrap().prepare().map(|_| ());
    let message = off.unwrap_err().to_string();
    assert!(
        message.contains("not on the ground at x = ") && message.contains("test:9"),
        "{message}"
    );
}

#[test]
fn mistakes_about_the_ground_are_warned_of() {
    let text = format!(
        "version = 1\nseed = 1\nduration_s = 4.0\n[[sensor]]\nname = \"low\"\npreset = \"vlp-16\"\n\
         [platform]\nwaypoints = [{{ position_m = [0, 0, 9] }}, {{ time_s = 4, position_m = [30, 0, -9] }}]\n\
         {TERRAIN}[[world.object]]\nname = \"balloon\"\nshape = \"sphere\"\nradius_m = 1\nposition_m = [3, 3, 20]\n\
         [[world.object]]\nname = \"cellar\"\nshape = \"sphere\"\nradius_m = 1\nposition_m = [3, 3, -20]\n"
    );
    let run = Scenario::from_toml(&text, "test", Path::new("")).unwrap().prepare().unwrap();
    let warnings = understory::run::ground_warnings(&run);
    let found = |words: &[&str]| warnings.iter().any(|w| words.iter().all(|word| w.contains(word)));
    assert!(found(&["\"low\"", "under the ground"]), "{warnings:?}");
    assert!(found(&["platform leaves the ground"]), "{warnings:?}");
    assert!(found(&["\"balloon\"", "above"]) && found(&["\"cellar\"", "under"]), "{warnings:?}");
    assert_eq!(warnings.len(), 4);
}

/// A sheet in the very plane of the ground is met by chance; one a centimetre above it is not.
#[test]
fn a_sheet_in_the_ground_is_warned_of() {
    let warnings = |height_m: f64| {
        let text = format!(
            "version = 1\nseed = 1\nduration_s = 0.1\n[[sensor]]\nname = \"a\"\npreset = \"vlp-16\"\n\
             [platform]\nposition_m = [0, 0, 9]\n{TERRAIN}[[world.object]]\nname = \"sheet\"\n\
             shape = \"plane\"\nsize_m = [1, 1]\nposition_m = [3, 3, {height_m}]\non_ground = true\n"
        );
        let run = Scenario::from_toml(&text, "test", Path::new("")).unwrap().prepare().unwrap();
        understory::run::ground_warnings(&run)
    };
    let flat = warnings(0.0);
    assert!(flat.len() == 1 && flat[0].contains("\"sheet\": without height"), "{flat:?}");
    assert!(flat[0].contains("raise it"), "{flat:?}");
    assert_eq!(warnings(0.01), Vec::<String>::new());
}

/// Waypoints in coordinates of a map above a terrain about the origin.
#[test]
fn a_platform_far_from_everything_is_warned_of() {
    let warnings = |x_m: f64| {
        let text = format!(
            "version = 1\nseed = 1\nduration_s = 4.0\n[[sensor]]\nname = \"a\"\npreset = \"vlp-16\"\n\
             [platform]\nwaypoints = [{{ position_m = [{x_m}, 0, 9] }}, {{ time_s = 4, position_m = [{}, 0, 9] }}]\n\
             {TERRAIN}",
            x_m + 5.0
        );
        let run = Scenario::from_toml(&text, "test", Path::new("")).unwrap().prepare().unwrap();
        understory::run::ground_warnings(&run)
    };
    let far = warnings(500_000.0);
    assert!(far.len() == 1 && far[0].contains("nothing is within the range"), "{far:?}");
    assert!(far[0].contains("x = 500000.00"), "{far:?}");
    assert_eq!(warnings(0.0), Vec::<String>::new());
    // Outside of the terrain, but it is seen.
    assert_eq!(warnings(60.0), Vec::<String>::new());
}

/// A box of known size in an empty world: cells, rays and places are known.
#[test]
fn rays_and_cells_find_a_box_where_it_is() {
    let scene = scene(
        "[[world.object]]\nname = \"crate\"\nshape = \"box\"\nsize_m = [2, 2, 2]\n\
         position_m = [5, 0, 0]\nrotation_deg = [0, 0, 90]\nlabel = \"other-object\"\n",
    );
    let query = scene.query(0.0);
    let hit = query.cast_ray(DVec3::new(0.0, 0.0, 1.0), DVec3::new(3.0, 0.0, 0.0), 100.0).unwrap();
    assert!((hit.distance_m - 4.0).abs() < 1e-6 && hit.normal.x < -0.999, "{hit:?}");
    assert_eq!((hit.surface.object, hit.surface.label), (1, 99));
    assert_eq!(query.cast_ray(DVec3::ZERO, DVec3::ZERO, 100.0), None);
    let place = scene.objects()[0].place.unwrap();
    assert!((place.translation - DVec3::new(5.0, 0.0, 0.0)).length() < 1e-9);
    assert!((place.rotation * DVec3::X - DVec3::Y).length() < 1e-9);
    // Cells of 0.5 m whose faces are a quarter off those of the box: its shell is 5³ − 3³ cells.
    let low = DVec3::new(3.25, -1.75, -0.75);
    let cells = query.occupancy(low, 0.5, glam::UVec3::splat(7), 2);
    assert_eq!(cells.iter().filter(|cell| **cell).count(), 5 * 5 * 5 - 3 * 3 * 3);
}
