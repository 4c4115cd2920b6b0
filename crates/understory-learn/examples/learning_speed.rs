//! How fast sites are learned from a static scanner: an HDL-64E's 64 × 4000 rays again and again
//! before bushes at 8 m, in memory, on the threads that `RAYON_NUM_THREADS` allows.
//!
//! With a third argument, metres by which the scanner moves on between two columns: then no two rays
//! are the same.
//!
//! `cargo run --release -p understory-learn --example learning_speed -- [revolutions] [model] [step] [cell]`

#![allow(clippy::disallowed_methods)]

use std::io::Write;
use std::time::Instant;

use glam::{DVec3, Vec3};
use understory_learn::estimate::{Settings, learn};
use understory_learn::input::Beams;
use understory_learn::site::Model;

/// What the sensor measures.
const PULSES_PER_SECOND: f64 = 1.333e6;

fn mixed(mut z: u64) -> f64 {
    z = z.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z >> 40) as f64 / (1u64 << 24) as f64
}

/// Seconds that all threads have computed so far, which others' work does not change much; only
/// where the system tells.
fn computed_s() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    Some((fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?) / 100.0)
}

/// One revolution: bushes 0.6 m deep at 8 m, ground below, some sky above.
fn revolution(number: u64, step_m: f64) -> Beams {
    let mut beams = Beams::default();
    for column in 0..4000u64 {
        let origin = DVec3::X * (step_m * (number * 4000 + column) as f64);
        for channel in 0..64u64 {
            let azimuth = column as f64 / 4000.0 * std::f64::consts::TAU;
            let elevation = (2.0 - 26.8 * channel as f64 / 63.0).to_radians();
            let (sin, cos) = azimuth.sin_cos();
            let (up, flat) = elevation.sin_cos();
            let direction = DVec3::new(flat * cos, flat * sin, up);
            let chance = mixed(number << 20 | column << 6 | channel);
            let depth = mixed((number << 20 | column << 6 | channel) ^ 1 << 50);
            let ground = if up < 0.0 { 1.73 / -up } else { f64::INFINITY };
            let bush = 8.0 + 0.6 * depth;
            let range = if chance < 0.6 || ground < 8.0 { ground.min(bush) } else { ground };
            let range = range + 0.005 * (mixed(range.to_bits()) - 0.5);
            let range = if range < 60.0 { range } else { f64::INFINITY };
            beams.push(origin, direction.as_vec3(), range as f32, 0.3, 0);
        }
    }
    debug_assert!(beams.direction.iter().all(|d: &Vec3| d.is_normalized()));
    beams
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let revolutions = arguments.next().map_or(Ok(40), |text| text.parse::<u64>())?;
    let model = match arguments.next().as_deref() {
        Some("top-down") => Model::TopDown,
        Some("bottom-up") => Model::BottomUp,
        Some("likelihood") => Model::Likelihood,
        _ => Model::Voxel,
    };
    let step_m = arguments.next().map_or(Ok(0.0), |text| text.parse::<f64>())?;
    let cell_m = arguments.next().map_or(Ok(0.05), |text| text.parse::<f64>())?;
    let beams: Vec<Beams> = (0..revolutions).map(|k| revolution(k, step_m)).collect();
    let settings = Settings { cell_m, range_max_m: 120.0, ..Settings::default() };
    let mut out = std::io::stdout().lock();
    for _ in 0..2 {
        let (start, computed) = (Instant::now(), computed_s());
        let steps = std::sync::Mutex::new(Vec::<(String, f64)>::new());
        let told = |what: &str, _: f64| {
            if let Ok(mut steps) = steps.lock()
                && steps.last().is_none_or(|(before, _)| before != what)
            {
                steps.push((what.to_owned(), computed_s().unwrap_or_default()));
            }
        };
        let (site, report) = learn(&beams, model, &settings, &told)?;
        let seconds = start.elapsed().as_secs_f64();
        let rate = report.beams as f64 / seconds;
        writeln!(
            out,
            "{} beams, {} volumes: {seconds:.2} s, {:.2} million pulses/s, {:.2} times the sensor; {} threads, {} bytes a volume while learning",
            report.beams,
            site.volumes.len(),
            rate / 1e6,
            rate / PULSES_PER_SECOND,
            rayon::current_num_threads(),
            report.working_bytes,
        )?;
        if let (Some(before), Some(after)) = (computed, computed_s()) {
            let each = (after - before) / report.beams as f64;
            let idle = rayon::current_num_threads() as f64 / each / 1e6;
            writeln!(
                out,
                "computed {:.2} s: {:.0} ns a beam, {idle:.2} million pulses/s if all threads have a core",
                after - before,
                each * 1e9
            )?;
            let mut steps = steps.lock().map_or(Vec::new(), |steps| steps.clone());
            steps.push(("the end".to_owned(), after));
            for pair in steps.windows(2) {
                let ns = (pair[1].1 - pair[0].1) / report.beams as f64 * 1e9;
                writeln!(out, "  from {} to {}: {ns:.0} ns a beam", pair[0].0, pair[1].0)?;
            }
        }
    }
    Ok(())
}
