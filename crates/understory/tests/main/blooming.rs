//! Retroreflectors in the halo of a beam, against the law of the documentation: its closed form for a
//! reflector as large as the spot, and its integral over the area of larger ones, summed up here.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use understory::pulse::{Batch, PreparedRun, simulate_batch};
use understory::scenario::Scenario;
use understory_cloud::Records;

const GAIN: f64 = 0.002;
const WIDTH_RAD: f64 = 0.008;
const EDGE_RAD: f64 = 0.001;
/// Pulses in each direction.
const REPEATS: u64 = 100;

/// A sensor whose axis steps through `azimuths_rad`, one ray a pulse in a spot of 2 mrad.
fn prepare(world: &str, azimuths_rad: &[f64]) -> PreparedRun {
    let list = |values: Vec<f64>| format!("{values:?}");
    let n = azimuths_rad.len();
    let sensor = format!(
        "title = 'test'\nvendor = 'test'\nwavelength_nm = 905\n\
        [table]\ncycle_s = {}\ntime_s = {}\nazimuth_deg = {}\nelevation_deg = {}\n\
        [beam]\nspot_shape = 'circular'\ndivergence_horizontal_mrad = 2\n\
        divergence_vertical_mrad = 2\nsampling = 'single'\n\
        halo = {{ gain = {GAIN}, width_mrad = 8 }}\n\
        [detector]\nrange_min_m = 1\nrange_max_m = 600\nreturn_mode = 'all'\n\
        signal_cutoff_m = 0.5\nwindow = 'weighted'\n",
        n as f64 * 1e-4,
        list((0..n).map(|i| i as f64 * 1e-4).collect()),
        list(azimuths_rad.iter().map(|a| a.to_degrees()).collect()),
        list(vec![0.0; n]),
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("test.toml"), sensor).unwrap();
    let text = format!(
        "version = 1\nseed = 3\nduration_s = {}\n[world]\n{world}\n\
        [[sensor]]\nname = 'test'\nfile = 'test.toml'\n",
        n as f64 * 1e-4 * REPEATS as f64
    );
    Scenario::from_toml(&text, "test.toml", folder.path()).unwrap().prepare().unwrap()
}

fn simulate(run: &PreparedRun, pulses: u64, batch_size: u64) -> Records {
    let mut records = Records::default();
    let mut batch = Batch::default();
    for first in (0..pulses).step_by(batch_size as usize) {
        let range = first..(first + batch_size).min(pulses);
        simulate_batch(run, &run.sensors[0], run.seed, range, &mut batch, &mut records);
    }
    records
}

/// Mean and standard deviation of what comes back in each direction.
fn brightness(world: &str, azimuths_rad: &[f64]) -> Vec<(f64, f64)> {
    let run = prepare(world, azimuths_rad);
    let n = azimuths_rad.len();
    let records = simulate(&run, n as u64 * REPEATS, 512);
    let mut of_pulse = vec![0.0; n * REPEATS as usize];
    for row in (0..records.len()).filter(|&row| !records.is_miss(row)) {
        of_pulse[records.pulse[row] as usize] += f64::from(records.intensity[row]);
    }
    let of_direction = |direction: usize| {
        let values: Vec<f64> = of_pulse.iter().skip(direction).step_by(n).copied().collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
        (mean, (square / values.len() as f64).sqrt())
    };
    (0..n).map(of_direction).collect()
}

/// A plate across x with its middle at (x, y, 0).
fn plate(name: &str, [x, y]: [f64; 2], size_m: f64, material: &str) -> String {
    format!(
        "[[world.object]]\nname = '{name}'\nshape = 'box'\nsize_m = [0.02, {size_m}, {size_m}]\n\
        position_m = [{}, {y}, {}]\nmaterial = '{material}'\n",
        x + 0.01,
        -0.5 * size_m,
    )
}

/// What retro-sheeting sends back: 0.3 diffusely, 0.3 into a cone of 1° up to 45°.
fn backscatter(cos: f64) -> f64 {
    let cone = 0.3 / (2.0 * (1.0 - 1f64.to_radians().cos()));
    let retro = if cos >= 45f64.to_radians().cos() { cone } else { 0.0 };
    (0.3 + retro) * cos
}

fn law(beyond_rad: f64) -> f64 {
    if beyond_rad < 0.0 { 0.0 } else { GAIN * (-(beyond_rad / WIDTH_RAD).powi(2)).exp() }
}

/// What cells of brightness and solid angle bring in: of all together, the brightest that fill the
/// spot.
fn brightest_part(mut cells: Vec<(f64, f64)>) -> f64 {
    let spot_sr = std::f64::consts::PI * EDGE_RAD.tan().powi(2);
    cells.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut sum, mut left_sr) = (0.0, spot_sr);
    for (brightness, solid_sr) in cells {
        let part = solid_sr.min(left_sr);
        left_sr -= part;
        sum += brightness * part;
    }
    sum / spot_sr
}

/// The law over the face of a plate at x, for an axis at `azimuth`.
fn over_plate(x: f64, size_m: f64, azimuth_rad: f64) -> f64 {
    let steps = 300;
    let place = |i: usize| size_m * ((i as f64 + 0.5) / steps as f64 - 0.5);
    let mut cells = Vec::new();
    for (y, z) in (0..steps).flat_map(|i| (0..steps).map(move |j| (i, j))) {
        let (y, z) = (place(y), place(z));
        let distance = (x * x + y * y + z * z).sqrt();
        let cos_axis = (x * azimuth_rad.cos() + y * azimuth_rad.sin()) / distance;
        let cos = x / distance;
        let area = (size_m / steps as f64).powi(2);
        let solid_sr = area * cos / (distance * distance);
        cells.push((law(cos_axis.acos() - EDGE_RAD) * backscatter(cos), solid_sr));
    }
    brightest_part(cells)
}

/// As the documentation says it: a reflector that fills the spot brings in gain·exp(−(Δθ/width)²) of
/// 985 times white. That it is wide, and not a point, changes this by up to 4 % here.
#[test]
fn a_reflector_as_large_as_the_spot_follows_the_closed_form() {
    let size_m = 20.0 * EDGE_RAD * std::f64::consts::PI.sqrt();
    let beyond: Vec<f64> = (2..25).map(|i| f64::from(i) * 0.5e-3).collect();
    let azimuths: Vec<f64> = beyond.iter().map(|b| b + EDGE_RAD).collect();
    let found = brightness(&plate("plate", [20.0, 0.0], size_m, "retro-sheeting"), &azimuths);
    for ((mean, sigma), beyond) in found.iter().zip(&beyond) {
        let expected = backscatter(1.0) * law(*beyond);
        println!("{:.1} mrad: {mean:.4} ± {sigma:.4}, law {expected:.4}", 1e3 * beyond);
        assert!((mean / expected - 1.0).abs() < 0.04, "{beyond}: {mean} is not {expected}");
    }
}

/// 5 cm at 20 m are 1.99 spots: the brighter half counts, and 1.5 mrad beyond the edge that is 1.9.
#[test]
fn five_centimetres_follow_the_law() {
    let beyond: Vec<f64> = (1..25).map(|i| f64::from(i) * 0.5e-3).collect();
    let azimuths: Vec<f64> = beyond.iter().map(|b| b + EDGE_RAD).collect();
    let found = brightness(&plate("plate", [20.0, 0.0], 0.05, "retro-sheeting"), &azimuths);
    for ((mean, sigma), azimuth) in found.iter().zip(&azimuths) {
        let expected = over_plate(20.0, 0.05, *azimuth);
        let off = 1e3 * (azimuth - EDGE_RAD);
        println!("{off:.1} mrad: {mean:.4} ± {sigma:.4}, integral {expected:.4}");
        let chance = 5.0 * sigma / (REPEATS as f64).sqrt();
        assert!((mean - expected).abs() < 0.02 * expected + chance, "{mean} is not {expected}");
        assert!(*sigma < 0.2 * mean, "{off}: {sigma}");
    }
    let (at, _) = found[2];
    assert!((at - 1.9).abs() < 0.08, "{at}");
}

#[test]
fn a_sign_follows_the_law() {
    for (x, azimuths) in
        [(20.0, vec![0.0165, 0.018, 0.02, 0.025, 0.03]), (100.0, vec![0.0045, 0.006, 0.01, 0.015])]
    {
        let found = brightness(&plate("sign", [x, 0.0], 0.6, "retro-sheeting"), &azimuths);
        for ((mean, sigma), azimuth) in found.iter().zip(&azimuths) {
            let expected = over_plate(x, 0.6, *azimuth);
            println!("{x} m, {azimuth}: {mean:.4} ± {sigma:.4}, integral {expected:.4}");
            // Sixteen points hardly ever meet its very edge, which is the brightest.
            let chance = 5.0 * sigma / (REPEATS as f64).sqrt();
            assert!(*mean < 1.01 * expected + chance, "{mean}, {expected}");
            assert!(*mean > 0.85 * expected - chance, "{mean}, {expected}");
            assert!(*sigma < 0.3 * mean, "{azimuth}: {sigma}");
        }
    }
}

/// A sphere of sheeting has thousands of triangles and is curved. Seen within 45° of its normals it
/// is a disc of R·sin 45°, over which cos θ = √(1 − b²/R²).
#[test]
fn a_sphere_follows_the_law() {
    let (x, radius_m) = (20.0, 0.15);
    let world = format!(
        "[[world.object]]\nname = 'ball'\nshape = 'sphere'\nradius_m = {radius_m}\n\
        position_m = [{x}, 0.0, 0.0]\nmaterial = 'retro-sheeting'\n"
    );
    let azimuths = [0.0095, 0.012, 0.016];
    let found = brightness(&world, &azimuths);
    for ((mean, sigma), azimuth) in found.iter().zip(&azimuths) {
        let steps = 400;
        let mut cells = Vec::new();
        for (i, j) in (0..steps).flat_map(|i| (0..steps).map(move |j| (i, j))) {
            let place = |i: i32| radius_m * (2.0 * (f64::from(i) + 0.5) / f64::from(steps) - 1.0);
            let (y, z) = (place(i), place(j));
            let b2 = (y * y + z * z) / (radius_m * radius_m);
            if b2 < 1.0 {
                let angle = ((y / x - azimuth).powi(2) + (z / x).powi(2)).sqrt();
                let area = (2.0 * radius_m / f64::from(steps)).powi(2);
                let cos = (1.0 - b2).sqrt();
                cells.push((law(angle - EDGE_RAD) * backscatter(cos), area / (x * x)));
            }
        }
        let expected = brightest_part(cells);
        println!("{azimuth}: {mean:.4} ± {sigma:.4}, integral {expected:.4}");
        let chance = 5.0 * sigma / (REPEATS as f64).sqrt();
        assert!(*mean < 1.03 * expected + chance, "{mean} is not {expected}");
        assert!(*mean > 0.75 * expected - chance, "{mean} is not {expected}");
    }
}

/// What hides a part of a reflector takes that part, and what hides all takes all; chalk does not
/// bloom.
#[test]
fn what_is_hidden_does_not_bloom() {
    let azimuths = [0.004];
    let alone = plate("plate", [20.0, 0.0], 0.03, "retro-sheeting");
    let (open, _) = brightness(&alone, &azimuths)[0];
    // At half the way a plate hides what is below the middle.
    let half = "[[world.object]]\nname = 'half'\nshape = 'box'\nsize_m = [0.02, 0.06, 0.1]\n\
        position_m = [10.0, 0.0, -0.1]\nmaterial = 'target-80'\n";
    let (rest, sigma) = brightness(&(alone.clone() + half), &azimuths)[0];
    let chance = 5.0 * sigma / (REPEATS as f64).sqrt();
    assert!((rest - 0.5 * open).abs() < 0.02 * open + chance, "{rest} of {open}");
    let whole = plate("whole", [10.0, 0.0], 0.06, "target-80");
    let (none, _) = brightness(&(alone + &whole), &azimuths)[0];
    assert_eq!(none, 0.0);
}

/// A reflector that moves is met where it is at the time of the pulse.
#[test]
fn a_moving_reflector_blooms_where_it_is() {
    let x = 20.0;
    let moving = plate("plate", [x, 0.0], 0.05, "retro-sheeting").replace("position_m", "#")
        + &format!(
            "[world.object.motion]\nkeyframes = [\n\
            {{ time_s = 0.0, position_m = [{}, 0.0, -0.025] }},\n\
            {{ time_s = 0.01, position_m = [{}, -0.2, -0.025] }},\n]\n",
            x + 0.01,
            x + 0.01
        );
    let run = prepare(&moving, &[0.004]);
    let records = simulate(&run, 60, 60);
    let mut ratios = Vec::new();
    for row in (0..records.len()).filter(|&row| !records.is_miss(row)) {
        let y = -20.0 * records.time_s[row];
        let expected = over_plate(x, 0.05, 0.004 - (y / x).atan());
        let found = f64::from(records.intensity[row]);
        assert!((found / expected - 1.0).abs() < 0.4, "{y}: {found} is not {expected}");
        ratios.push(found / expected);
        assert!((records.true_xyz_m[row][1] - y).abs() < 0.026, "{y}");
        assert!((f64::from(records.velocity_xyz_m_s[row][1]) + 20.0).abs() < 1e-3);
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    assert!(ratios.len() > 50 && (mean - 1.0).abs() < 0.05, "{mean} of {}", ratios.len());
}

/// Rows do not depend on how pulses are put together, and the true point is on the reflector.
#[test]
fn rays_into_the_halo_belong_to_their_pulse() {
    let world = plate("a", [20.0, 0.1], 0.3, "retro-sheeting")
        + &plate("b", [30.0, -0.2], 0.2, "licence-plate");
    let run = prepare(&world, &[-0.012, -0.004, 0.0, 0.008, 0.02]);
    let (one, other) = (simulate(&run, 300, 300), simulate(&run, 300, 7));
    assert!(format!("{one:?}") == format!("{other:?}"));
    let (mut of_a, mut of_b) = (0, 0);
    for row in (0..one.len()).filter(|&row| !one.is_miss(row)) {
        let [x, y, z] = one.true_xyz_m[row];
        let (at_x, middle, half) = if one.object[row] == 1 {
            of_a += 1;
            (20.0, 0.1, 0.15)
        } else {
            of_b += 1;
            (30.0, -0.2, 0.1)
        };
        assert!((-1e-6..0.021).contains(&(x - at_x)) && (y - middle).abs() < half + 1e-6);
        assert!(z.abs() < half + 1e-6 && (f64::from(one.range_m[row]) - at_x).abs() < 0.03);
    }
    assert!(of_a > 100 && of_b > 100, "{of_a}, {of_b}");
}

/// A scene without retroreflectors spends nothing on a halo.
#[test]
fn without_reflectors_there_is_no_halo() {
    let run = prepare(&plate("chalk", [20.0, 0.0], 0.6, "target-80"), &[0.0]);
    assert!(run.sensors[0].blooming.is_none());
    assert_eq!(run.sensors[0].footprint.rays_per_pulse(), 1);
}
