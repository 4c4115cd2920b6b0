//! A surface as a site: beams → [`Site`] without volumes, with a mesh.

use glam::{DVec3, Vec3};

use super::settings::{Report, Settings};
use super::surface::SurfaceBuilder;
use crate::LearnError;
use crate::input::beams::BeamSource;
use crate::site::{Gate, Model, REACH_MAX_M, Site, SurfaceMesh};
use understory_base::Progress;

/// Learns the surface through the points of all beams.
pub fn learn(
    source: &dyn BeamSource,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<(Site, Report), LearnError> {
    let options = settings.surface;
    let mut builder = SurfaceBuilder::new(options)?;
    let expected = source.expected().unwrap_or(0).max(1) as f64;
    let mut report = Report::default();
    source.pass(&mut |batch| {
        for beam in 0..batch.len() {
            let near = f64::from(batch.range_m[beam]) < settings.range_max_m;
            match batch.end(beam).filter(|_| near) {
                Some(point) => builder.add(point, batch.origin[beam]),
                None => report.misses += 1,
            }
        }
        report.beams += batch.len() as u64;
        progress.step("gathering points", (report.beams as f64 / expected).min(1.0));
        Ok(())
    })?;
    if builder.cells() == 0 {
        let (beams, range_max_m) = (report.beams, settings.range_max_m);
        return Err(LearnError::NothingToLearn { beams, range_max_m });
    }
    report.points = report.beams - report.misses;
    let mesh = builder.build(|_, done, total| {
        progress.step("building the surface", done as f64 / total.max(1) as f64);
    })?;
    let mut site = Site {
        origin: mesh.origin,
        model: Model::Surface,
        gate: Gate::Soft,
        cell_m: options.grid_m,
        volumes: Vec::new(),
        evidence: Vec::new(),
        colours: Vec::new(),
        surface: None,
        provenance: settings.provenance(report.beams, report.misses),
    };
    // Around the middle, so that f32 is enough.
    let (low, high) =
        mesh.vertices.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), vertex| {
            (low.min(*vertex), high.max(*vertex))
        });
    if !mesh.vertices.is_empty() {
        let middle = ((low + high) * 0.5).round();
        let reach_m = (high - middle).max(middle - low).max_element();
        if reach_m > REACH_MAX_M {
            return Err(LearnError::TooLarge { reach_m, limit_m: REACH_MAX_M });
        }
        site.origin += middle;
        let local = |vertex: &DVec3| Vec3::to_array(&(*vertex - middle).as_vec3());
        let vertices = mesh.vertices.iter().map(local).collect();
        site.surface = Some(SurfaceMesh { vertices, triangles: mesh.triangles });
    }
    site.provenance.remarks.push(mesh.report.to_string());
    Ok((site, report))
}
