use super::*;
use crate::scenario::Scenario;
use std::f64::consts::PI;
use std::path::Path;
use understory_base::Silent;

fn scene(world: &str) -> Scene {
    let text = format!(
        "version = 1\nseed = 7\nduration_s = 0.1\n{world}\n[[sensor]]\nname = \"s\"\npreset = \"vlp-16\"\n"
    );
    Scenario::from_toml(&text, "test", Path::new(".")).unwrap().build_scene().unwrap()
}

fn truth(world: &str, options: &TruthOptions) -> Truth {
    measure(&scene(world), options, &Silent).unwrap()
}

const BOX: &str = r#"
[[world.plant]]
name = "leaves"
species = "leaf-volume"
variants = 1
override = { size_x_m = 2.0, size_y_m = 2.0, size_z_m = 2.0, leaf_area_index = 3.0, leaf_area_m2 = 4e-4, base_m = 0.5 }
instances = [{ position_m = [1.0, 1.0, 0.0] }]
"#;

/// Leaves of a known index, uniform in a box and spherical: each voxel inside has the density within
/// what chance gives a number of leaves, heights are even, G is a half everywhere.
#[test]
fn a_box_of_leaves_has_the_leaf_area_that_it_claims() {
    let region = Some([DVec3::new(-0.5, -0.5, 0.0), DVec3::new(2.5, 2.5, 3.0)]);
    let truth = truth(BOX, &TruthOptions { region, ..TruthOptions::default() });
    assert!((truth.inside.leaf_m2 - 12.0).abs() < 1e-5, "{:?}", truth.inside);
    assert_eq!((truth.inside.wood_m2, truth.inside.other_m2), (0.0, 0.0));
    assert!((truth.leaf_area_index - 12.0 / 9.0).abs() < 1e-6);
    let voxels: f64 = truth.voxels_m2[0].iter().sum();
    assert!((voxels - truth.inside.leaf_m2).abs() < 1e-6);
    let profile: f64 = truth.profile.iter().map(|areas| areas.leaf_m2).sum();
    assert!((profile - truth.inside.leaf_m2).abs() < 1e-6);
    // 30,000 leaves: a voxel of the 64 within has 469 ± 22; seven deviations.
    let inner = truth.grid.index([2, 2, 2]);
    assert!((truth.voxels_m2[0][inner] / 0.1875 - 1.0).abs() < 0.33);
    for g in &truth.projection {
        assert!((g - 0.5).abs() < 0.01, "{:?}", truth.projection);
    }
    // The mean inclination of spherical leaves is one radian.
    assert!((truth.mean_inclination_deg.unwrap() - 57.3).abs() < 0.5);
    assert!(truth.stems.is_empty());
}

#[test]
fn what_threads_do_changes_no_bit() {
    let options = TruthOptions { cell_m: [0.2, 0.3, 0.4], ..TruthOptions::default() };
    let scene = scene(BOX);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| measure(&scene, &options, &Silent).unwrap())
    };
    assert_eq!(on(1), on(3));
}

/// Spheres labelled as vegetation are closed: half of 4πr². A plate is a sheet. What has no such
/// label is no plant.
#[test]
fn shapes_count_by_what_they_are() {
    let world = r#"
[[world.object]]
name = "ball"
shape = "sphere"
radius_m = 0.5
position_m = [0.0, 0.0, 2.0]
label = "vegetation"
[[world.object]]
name = "plate"
shape = "plane"
size_m = [2.0, 1.0]
position_m = [5.0, 0.0, 1.0]
rotation_deg = [0.0, 60.0, 0.0]
label = "vegetation"
[[world.object]]
name = "post"
shape = "cylinder"
radius_m = 0.1
height_m = 3.0
position_m = [0.0, 5.0, 0.0]
label = "trunk"
[[world.object]]
name = "house"
shape = "box"
size_m = [2.0, 2.0, 2.0]
position_m = [9.0, 9.0, 0.0]
"#;
    let truth = truth(world, &TruthOptions::default());
    let areas = truth.everywhere;
    assert!((areas.leaf_m2 - (2.0 * PI * 0.25 + 2.0)).abs() < 2e-3, "{areas:?}");
    assert!((areas.wood_m2 - PI * (0.1 * 3.0 + 0.01)).abs() < 2e-3, "{areas:?}");
    let stem = &truth.stems[0];
    assert_eq!((truth.stems.len(), stem.name.as_str()), (1, "post"));
    assert!((stem.diameter_m - 0.2).abs() < 2e-4 && (stem.y_m - 5.0).abs() < 1e-6, "{stem:?}");
    assert_eq!(stem.height_m, Some(3.0));
    // The plate hangs at 60°: all its area is in those bins, and of the ball's none is missing.
    let tilted: f64 = truth.inclination_m2[59..=60].iter().sum();
    assert!(tilted > 2.0, "{tilted}");
    // A named material overrules the label.
    let wood_materials = vec![scene(world).materials()[0].name.clone()];
    let parts = PartRules { wood_materials, ..PartRules::default() };
    let all_wood =
        super::measure(&scene(world), &TruthOptions { parts, ..TruthOptions::default() }, &Silent);
    assert!(all_wood.unwrap().everywhere.leaf_m2 < areas.leaf_m2);
}

/// Instances of a tree on a slope: areas are those of the mesh times the square of the scale, and the
/// stem is found at breast height above its own ground.
#[test]
fn trees_on_a_slope_have_the_area_of_their_meshes() {
    let world = r#"
[world.terrain]
material = "soil"
plane = { size_m = [40.0, 40.0], spacing_m = 1.0 }
features = [{ kind = "slope", slope_deg = 20.0, uphill_deg = 0.0 }]
[[world.plant]]
name = "tree"
species = "hazel"
variants = 1
instances = [{ position_m = [-10.0, 0.0, 0.0] }, { position_m = [10.0, 3.0, 0.0] }]
scale_range = [0.7, 0.7]
"#;
    let scene = scene(world);
    let truth = measure(&scene, &TruthOptions::default(), &Silent).unwrap();
    let mut shown = plants_of(&scene, &PartRules::default());
    assert_eq!((shown.len(), shown[0].places.len()), (1, 2));
    let mesh = shown.remove(0);
    let leaf: f64 = mesh
        .corners
        .iter()
        .zip(&mesh.counted)
        .filter(|(_, counted)| counted.is_some_and(|c| c.part == Part::Leaf))
        .map(|([a, b, c], _)| 0.5 * f64::from((*b - *a).cross(*c - *a).length()))
        .sum();
    assert!(leaf > 1.0);
    let expected = 2.0 * 0.49 * leaf;
    assert!((truth.everywhere.leaf_m2 / expected - 1.0).abs() < 1e-5);
    assert!((truth.inside.leaf_m2 / truth.everywhere.leaf_m2 - 1.0).abs() < 1e-9);
    // Above their own ground both stand equally high, and nothing is far above a hazel's top.
    let height = scene.objects().iter().find(|o| o.name.starts_with("tree")).unwrap();
    let (low, high) = height.world_bounds(0.0).unwrap();
    let layers = ((high.z - low.z) / 0.5).ceil() as usize + 3;
    let above: f64 = truth.profile.iter().skip(layers).map(|areas| areas.leaf_m2).sum();
    assert!(above < 1e-9, "{above}");
}

#[test]
fn a_world_without_plants_and_voxels_without_size_are_refused() {
    let bare = "[[world.object]]\nname = \"plate\"\nshape = \"plane\"\nsize_m = [2.0, 1.0]\n";
    let error = measure(&scene(bare), &TruthOptions::default(), &Silent).unwrap_err().to_string();
    assert!(error.contains("no leaf and no wood") && error.contains("vegetation"), "{error}");
    let refused = |cell_m| {
        let options = TruthOptions { cell_m, ..TruthOptions::default() };
        measure(&scene(BOX), &options, &Silent).unwrap_err().to_string()
    };
    assert!(refused([0.5, 0.0, 0.5]).contains("no size"));
    assert!(refused([1e-4; 3]).contains("choose voxels of"));
}
