//! Sites cut and put together: [`Site::crop`], [`Site::merge`], and what they hold in figures.
//!
//! A crop takes whole cells: those whose centre lies in the box, so that the crops of boxes that
//! tile space are disjoint and complete. A merge moves sites onto one origin, which must be whole
//! cells away. Volumes of different cells are simply put side by side. Two volumes of the same cell
//! of a `voxel` site are pooled: their points by Chan's rule from mean, covariance and number,
//! their beams by adding up. That is not quite what one learning from all beams gives: beams were
//! counted against each part's own ellipsoid, and the result says so in its remarks.

use std::collections::HashMap;
use understory_base::math;

use glam::{DVec3, I64Vec3, Vec3};
use half::f16;

use super::{Evidence, Model, Provenance, REACH_MAX_M, Site, SurfaceMesh, Volume};
use crate::LearnError;
use crate::volume::gaussian::Gaussian;
use crate::volume::moments::outer;

mod stats;
pub use stats::SiteStats;

/// How far, in cells, origins may be from whole cells apart.
const GRID_TOLERANCE: f64 = 1e-4;

/// What a merge did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergeReport {
    /// Volumes that were pooled with one of another site.
    pub pooled: u64,
}

impl Site {
    /// The cell of the whole grid in which a place around the origin lies.
    fn grid_cell(&self, at_m: DVec3) -> I64Vec3 {
        (at_m / self.cell_m).floor().as_i64vec3()
    }

    /// The part of the site whose cells have their centres in the box, given in the world.
    pub fn crop(&self, low: DVec3, high: DVec3) -> Site {
        let inside = |at: DVec3| {
            let centre = (self.grid_cell(at).as_dvec3() + 0.5) * self.cell_m + self.origin;
            centre.cmpge(low).all() && centre.cmplt(high).all()
        };
        let keep: Vec<bool> =
            self.volumes.iter().map(|v| inside(Vec3::from(v.mean_m).as_dvec3())).collect();
        let kept = |index: &usize| keep[*index];
        let surface = self.surface.as_ref().map(|surface| {
            let corner = |v: u32| surface.vertices.get(v as usize).copied().unwrap_or_default();
            let centroid = |triangle: &[u32; 3]| {
                triangle.iter().map(|v| Vec3::from(corner(*v)).as_dvec3()).sum::<DVec3>() / 3.0
            };
            let chosen = surface.triangles.iter().filter(|t| inside(centroid(t)));
            compacted(surface, chosen)
        });
        Site {
            volumes: (0..keep.len()).filter(kept).map(|index| self.volumes[index]).collect(),
            evidence: (0..keep.len())
                .filter(kept)
                .filter_map(|index| self.evidence.get(index).copied())
                .collect(),
            colours: (0..keep.len())
                .filter(kept)
                .filter_map(|index| self.colours.get(index).copied())
                .collect(),
            surface,
            provenance: self.provenance.clone(),
            ..*self
        }
    }

    /// All sites as one, around the origin of the first where they fit.
    pub fn merge(sites: &[Site]) -> Result<(Site, MergeReport), LearnError> {
        let Some(first) = sites.first() else {
            return Err(cannot("there is none", "name at least one"));
        };
        sites.iter().try_for_each(|site| same_kind(first, site))?;
        let origin = common_origin(sites)?;
        let mut merged = Site {
            origin,
            volumes: Vec::new(),
            evidence: Vec::new(),
            colours: Vec::new(),
            surface: first.surface.as_ref().map(|_| SurfaceMesh::default()),
            provenance: Provenance::default(),
            ..*first
        };
        let mut report = MergeReport::default();
        let coloured = sites.iter().any(|site| !site.colours.is_empty());
        // The site and the place of the first volume of each cell.
        let mut owner: HashMap<(I64Vec3, u8), (usize, usize)> = HashMap::new();
        for (number, site) in sites.iter().enumerate() {
            for (index, (volume, evidence)) in site.volumes.iter().zip(&site.evidence).enumerate() {
                // Black is a colour that is not known.
                let colour = site.colours.get(index).copied().unwrap_or_default();
                let moved = moved(site, &merged, volume);
                let pooling = first.model == Model::Voxel;
                let level = if pooling { moved.level } else { 0 };
                let edge = merged.cell_m / f64::from(1u32 << level.min(31));
                let at = Vec3::from(moved.mean_m).as_dvec3();
                let cell = (at / edge).floor().as_i64vec3();
                match owner.get(&(cell, level)) {
                    Some(&(other, place)) if other != number => {
                        if !pooling {
                            return Err(overlapping(first.model, at + origin));
                        }
                        if coloured {
                            pool_colour(&mut merged, place, colour, evidence);
                        }
                        pool(&mut merged, place, &moved, evidence);
                        report.pooled += 1;
                        continue;
                    }
                    Some(_) => {}
                    None => drop(owner.insert((cell, level), (number, merged.volumes.len()))),
                }
                merged.volumes.push(moved);
                merged.evidence.push(*evidence);
                merged.colours.extend(coloured.then_some(colour));
            }
            if let (Some(to), Some(from)) = (&mut merged.surface, &site.surface) {
                append(to, from, site.origin - origin);
            }
        }
        merged.provenance = merged_provenance(sites, report);
        Ok((merged, report))
    }
}

fn cannot(problem: impl Into<String>, remedy: &'static str) -> LearnError {
    LearnError::CannotMerge { problem: problem.into(), remedy }
}

fn overlapping(model: Model, at: DVec3) -> LearnError {
    let problem = format!(
        "two of them hold volumes of model {model:?} in the same cell near ({:.2}, {:.2}, {:.2}) m",
        at.x, at.y, at.z
    );
    cannot(problem, "crop them so that they lie side by side, or learn them together")
}

fn same_kind(first: &Site, site: &Site) -> Result<(), LearnError> {
    let learn_alike = "learn them with the same settings";
    if site.model != first.model {
        let problem = format!("their models are {:?} and {:?}", first.model, site.model);
        return Err(cannot(problem, learn_alike));
    }
    if site.gate != first.gate {
        let problem = format!("their gates are {:?} and {:?}", first.gate, site.gate);
        return Err(cannot(problem, learn_alike));
    }
    if site.cell_m != first.cell_m {
        let problem = format!("their cells are {} m and {} m wide", first.cell_m, site.cell_m);
        return Err(cannot(problem, learn_alike));
    }
    let (one, other) = (&first.provenance, &site.provenance);
    if one.footprint_removed != other.footprint_removed {
        return Err(cannot("the footprint was taken out of only one of them", learn_alike));
    }
    if one.sigma_range_m != other.sigma_range_m {
        let (a, b) = (one.sigma_range_m, other.sigma_range_m);
        let problem = format!("they contain range noise of {a} m and {b} m");
        return Err(cannot(problem, "simulate them as two sites of one scenario"));
    }
    let apart = (site.origin - first.origin) / first.cell_m;
    if (apart - apart.round()).abs().max_element() > GRID_TOLERANCE {
        let problem = format!("their origins are {apart} cells apart, which is not a whole number");
        return Err(cannot(problem, "learn them on one grid"));
    }
    Ok(())
}

/// The origin of the first site, or the cell in the middle of all where that is too far.
fn common_origin(sites: &[Site]) -> Result<DVec3, LearnError> {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for site in sites {
        let corners = site.surface.iter().flat_map(|surface| &surface.vertices);
        for at in site.volumes.iter().map(|volume| &volume.mean_m).chain(corners) {
            let at = Vec3::from(*at).as_dvec3() + site.origin;
            (low, high) = (low.min(at), high.max(at));
        }
    }
    let first = &sites[0];
    let reach = |origin: DVec3| (low - origin).abs().max((high - origin).abs()).max_element();
    if low.x > high.x || reach(first.origin) <= REACH_MAX_M {
        return Ok(first.origin);
    }
    let middle = (low + high) / 2.0;
    let origin = first.origin + ((middle - first.origin) / first.cell_m).round() * first.cell_m;
    let reach_m = reach(origin);
    if reach_m > REACH_MAX_M {
        return Err(LearnError::TooLarge { reach_m, limit_m: REACH_MAX_M });
    }
    Ok(origin)
}

/// A volume around another origin, in the cell that it was in.
fn moved(from: &Site, to: &Site, volume: &Volume) -> Volume {
    if from.origin == to.origin {
        return *volume;
    }
    let edge = from.cell_m / f64::from(1u32 << volume.level.min(31));
    let shift_m = from.origin - to.origin;
    let old = Vec3::from(volume.mean_m).as_dvec3();
    let mut mean_m = (old + shift_m).as_vec3().to_array();
    for axis in 0..3 {
        let cells = (old[axis] / edge).floor() + (shift_m[axis] / edge).round();
        // f32 is coarser farther out and may have rounded it over the border.
        for _ in 0..4 {
            let now = (f64::from(mean_m[axis]) / edge).floor();
            if now < cells {
                mean_m[axis] = mean_m[axis].next_up();
            } else if now > cells {
                mean_m[axis] = mean_m[axis].next_down();
            }
        }
    }
    Volume { mean_m, ..*volume }
}

/// Pools `volume` with the one at `place`.
fn pool(site: &mut Site, place: usize, volume: &Volume, evidence: &Evidence) {
    let (known, counted) = (site.volumes[place], site.evidence[place]);
    let (n_a, n_b) = (f64::from(counted.points.max(1)), f64::from(evidence.points.max(1)));
    let n = n_a + n_b;
    let (a, b) = (known.gaussian(), volume.gaussian());
    let apart = b.mean - a.mean;
    let mean = a.mean + apart * (n_b / n);
    let covariance = (a.precision.inverse() * n_a
        + b.precision.inverse() * n_b
        + outer(apart, apart) * (n_a * n_b / n))
        * (1.0 / n);
    // The shares of beams that went through, by how many beams there were: for ρ = m/(m + n) this
    // is the ρ of all.
    let beams = |e: &Evidence| f64::from(e.stopped) + f64::from(e.passed);
    let (mut of_a, mut of_b) = (beams(&counted), beams(evidence));
    if of_a + of_b == 0.0 {
        (of_a, of_b) = (n_a, n_b);
    }
    let rho = (known.permeability() * of_a + volume.permeability() * of_b) / (of_a + of_b);
    let gaussian = Gaussian::new(mean, covariance).unwrap_or(a);
    let (intensity_mean, intensity_sigma) = pooled_intensity(&known, n_a, volume, n_b);
    site.volumes[place] = Volume {
        intensity_mean,
        intensity_sigma,
        label: if n_b > n_a { volume.label } else { known.label },
        level: known.level,
        swallowed: ((f64::from(known.swallowed) * of_a + f64::from(volume.swallowed) * of_b)
            / (of_a + of_b))
            .round() as u8,
        ..Volume::new(&gaussian, -math::ln(rho))
    };
    site.evidence[place] = Evidence {
        points: counted.points.saturating_add(evidence.points),
        stopped: counted.stopped.saturating_add(evidence.stopped),
        passed: counted.passed.saturating_add(evidence.passed),
    };
}

/// Pools a colour with that of the volume at `place`, by their points, before the volumes are.
fn pool_colour(site: &mut Site, place: usize, colour: [u8; 3], evidence: &Evidence) {
    let counted = site.evidence[place];
    let (n_a, n_b) = (u64::from(counted.points.max(1)), u64::from(evidence.points.max(1)));
    let Some(known) = site.colours.get_mut(place) else { return };
    if *known == [0; 3] || colour == [0; 3] {
        *known = if *known == [0; 3] { colour } else { *known };
        return;
    }
    for (known, part) in known.iter_mut().zip(colour) {
        let sum = u64::from(*known) * n_a + u64::from(part) * n_b;
        *known = ((sum + (n_a + n_b) / 2) / (n_a + n_b)) as u8;
    }
}

/// Mean and spread of the intensities of `n_a` and `n_b` points together.
fn pooled_intensity(a: &Volume, n_a: f64, b: &Volume, n_b: f64) -> (f16, f16) {
    match (a.intensity_mean.is_nan(), b.intensity_mean.is_nan()) {
        (true, _) => (b.intensity_mean, b.intensity_sigma),
        (_, true) => (a.intensity_mean, a.intensity_sigma),
        _ => {
            let n = n_a + n_b;
            let (mean_a, mean_b) = (a.intensity_mean.to_f64(), b.intensity_mean.to_f64());
            let mean = (mean_a * n_a + mean_b * n_b) / n;
            let within =
                a.intensity_sigma.to_f64().powi(2) * n_a + b.intensity_sigma.to_f64().powi(2) * n_b;
            let between = (mean_a - mean_b).powi(2) * n_a * n_b / n;
            (f16::from_f64(mean), f16::from_f64(((within + between) / n).sqrt()))
        }
    }
}

fn append(to: &mut SurfaceMesh, from: &SurfaceMesh, shift_m: DVec3) {
    let first = to.vertices.len() as u32;
    let corners = from.vertices.iter().map(|v| (Vec3::from(*v).as_dvec3() + shift_m).as_vec3());
    to.vertices.extend(corners.map(|v| v.to_array()));
    to.triangles.extend(from.triangles.iter().map(|t| t.map(|v| v.saturating_add(first))));
}

/// The chosen triangles of a surface with the vertices that they need.
fn compacted<'a>(surface: &SurfaceMesh, chosen: impl Iterator<Item = &'a [u32; 3]>) -> SurfaceMesh {
    let mut new = SurfaceMesh::default();
    let mut number = vec![u32::MAX; surface.vertices.len()];
    for triangle in chosen {
        new.triangles.push(triangle.map(|v| {
            let Some(known) = number.get_mut(v as usize) else { return 0 };
            if *known == u32::MAX {
                *known = new.vertices.len() as u32;
                new.vertices.push(surface.vertices[v as usize]);
            }
            *known
        }));
    }
    new
}

fn merged_provenance(sites: &[Site], report: MergeReport) -> Provenance {
    let first = &sites[0].provenance;
    let sum = |of: fn(&Provenance) -> u64| {
        sites.iter().map(|site| of(&site.provenance)).fold(0, u64::saturating_add)
    };
    let largest = |of: fn(&Provenance) -> f64| {
        sites.iter().map(|site| of(&site.provenance)).fold(0.0, f64::max)
    };
    let mut remarks: Vec<String> = Vec::new();
    for remark in sites.iter().flat_map(|site| &site.provenance.remarks) {
        if !remarks.contains(remark) {
            remarks.push(remark.clone());
        }
    }
    remarks.push(format!("merged from {} sites", sites.len()));
    if report.pooled > 0 {
        remarks.push(format!(
            "{} volumes were pooled with one of the same cell; their beams were counted in each \
             part against that part's own ellipsoid",
            report.pooled
        ));
    }
    Provenance {
        beams: sum(|p| p.beams),
        misses: sum(|p| p.misses),
        skipped: sum(|p| p.skipped),
        divergence_rad: largest(|p| p.divergence_rad),
        encoder_step_rad: largest(|p| p.encoder_step_rad),
        remarks,
        ..first.clone()
    }
}

#[cfg(test)]
mod tests;
