//! How fast a surface is built: points gathered per second, and averaged points per second for
//! normals and for distances and triangles. On Linux with one thread the time is the thread's own,
//! so that other programs do not count.
//!
//! `cargo run --release -p understory-learn --example surface_speed [THREADS]`

#![allow(clippy::disallowed_methods)]
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Instant;

use glam::DVec3;
use understory_learn::SurfaceError;
use understory_learn::estimate::surface::{
    SurfaceBuilder, SurfaceMesh, SurfaceOptions, SurfaceStep,
};

fn main() -> Result<(), Box<dyn Error>> {
    let threads = std::env::args().nth(1).map_or(Ok(1), |n| n.parse())?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    pool.install(|| {
        report("standing, 2 m squared", SurfaceOptions::standing(), 2.0)?;
        report("moving, 40 m squared", SurfaceOptions::moving(), 40.0)
    })?;
    Ok(())
}

/// Seconds that this thread was running, or that passed since the start where that is not known.
fn seconds(start: Instant) -> f64 {
    let own = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let own = own.filter(|_| rayon::current_num_threads() == 1);
    let running_ns = own.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    running_ns.map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// A wavy, noisy floor of a side, with four points for each cell of averages.
fn report(name: &str, options: SurfaceOptions, side_m: f64) -> Result<(), SurfaceError> {
    let start = Instant::now();
    let begun_s = seconds(start);
    let mut builder = SurfaceBuilder::new(options)?;
    let steps = (side_m / options.thinning_m * 2.0) as u32;
    let mut state = 1u64;
    let mut jitter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as f64 / f64::from(1u32 << 31) - 0.5
    };
    let sensor = DVec3::new(side_m / 2.0, side_m / 2.0, 5.0 * side_m);
    for i in 0..steps {
        for j in 0..steps {
            let x = (f64::from(i) + jitter()) * options.thinning_m / 2.0;
            let y = (f64::from(j) + jitter()) * options.thinning_m / 2.0;
            let wave = (x / options.kernel_m * 0.4).sin() * options.kernel_m;
            builder.add(DVec3::new(x, y, wave + jitter() * options.thinning_m), sensor);
        }
    }
    let gathered_s = seconds(start);
    let mut normals_s = 0.0;
    let mesh: SurfaceMesh = builder.build(|step, done, total| {
        if step == SurfaceStep::Normals && done == total {
            normals_s = seconds(start);
        }
    })?;
    let all_s = seconds(start);
    let million = |count: u64, seconds: f64| count as f64 / seconds / 1e6;
    let averaged = mesh.report.averaged;
    println!(
        "{name}: gathered {:.2} million points/s; {averaged} averages: normals {:.3}, distances and triangles {:.3}, all {:.3} million averages/s; {} triangles, {} borders",
        million(mesh.report.points, gathered_s - begun_s),
        million(averaged, normals_s - gathered_s),
        million(averaged, all_s - normals_s),
        million(averaged, all_s - gathered_s),
        mesh.triangles.len(),
        mesh.report.borders,
    );
    Ok(())
}
