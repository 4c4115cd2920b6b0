//! Colours of volumes, learned from recordings that have some.
//!
//! What enters: a [`Site`] and recordings whose points have colours, such as a camera gave them. What
//! leaves: the same site with a colour for every volume, which simulated returns then have (Deschaud
//! 2012, figure 7, where simulated points take the colour of real ones). Each coloured return belongs
//! to the volume that it is nearest to by Mahalanobis distance; a volume has the mean of its returns'
//! colours, in sRGB as they are stored. Those without any take that of the nearest volume that has
//! one. Sums are whole numbers, so neither threads nor the order of recordings matter.

use std::num::NonZero;

use glam::{DVec3, Vec3};
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use rayon::prelude::*;
use understory_base::Progress;
use understory_cloud::{Recording, Records};

use crate::LearnError;
use crate::input::{BeamOptions, Input};
use crate::site::Site;

/// How many volumes whose middles are nearest to a point are asked.
const CANDIDATES: NonZero<usize> = NonZero::new(8).unwrap();
/// Beyond this Mahalanobis distance a point belongs to no volume.
const REACH: f64 = 4.0;

/// What was coloured by how much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColourReport {
    /// Returns with a colour.
    pub coloured: u64,
    /// Of them, those that belong to a volume.
    pub used: u64,
    /// Volumes with returns of their own.
    pub volumes: u64,
}

/// Gives the volumes of a site the colours of recordings, of which one at least must have some.
pub fn learn_colours(
    site: &mut Site,
    inputs: &[Input],
    options: &BeamOptions,
    progress: &dyn Progress,
) -> Result<ColourReport, LearnError> {
    let mut palette = Palette::new(site)?;
    let mut report = ColourReport::default();
    let mut batch = Records::default();
    for (number, input) in inputs.iter().enumerate() {
        progress.step("colours", number as f64 / inputs.len() as f64);
        if !Recording::has_colour(&input.path, &input.options)? {
            continue;
        }
        let mut recording = Recording::open(&input.path, &input.options)?;
        let numbered = recording.known().scan;
        while recording.next_batch(&mut batch)? {
            let chosen = |row: usize| {
                options.asks_for(if numbered { batch.scan[row] } else { number as u32 })
            };
            let points: Vec<(DVec3, [u8; 3])> = (0..batch.len())
                .filter(|&row| !batch.is_miss(row) && batch.colour_rgb[row] != [0; 3])
                .filter(|&row| chosen(row))
                .map(|row| (place(input, &batch, row), batch.colour_rgb[row]))
                .collect();
            report.coloured += points.len() as u64;
            report.used += palette.add(site, &points);
        }
    }
    if report.used == 0 {
        return Err(LearnError::NoColours { coloured: report.coloured });
    }
    report.volumes = palette.sums.iter().filter(|sum| sum[3] > 0).count() as u64;
    site.colours = palette.colours()?;
    Ok(report)
}

/// Where a return was, with the motion of its scan.
fn place(input: &Input, batch: &Records, row: usize) -> DVec3 {
    let at = DVec3::from(batch.world_xyz_m[row]);
    let Some((pose, motion)) = input.pose().zip(input.motion) else { return at };
    let origin = DVec3::from(batch.origin_xyz_m[row]);
    let range_m = at.distance(origin);
    let direction = Vec3::from(batch.direction_xyz[row]);
    let (origin, direction) = motion.deskew(&pose, origin, direction);
    origin + direction.as_dvec3() * range_m
}

/// What was summed up for each volume.
struct Palette {
    means: Vec<[f64; 3]>,
    tree: ImmutableKdTree<f64, 3>,
    /// Red, green, blue and how many.
    sums: Vec<[u64; 4]>,
}

impl Palette {
    fn new(site: &Site) -> Result<Palette, LearnError> {
        let means: Vec<[f64; 3]> =
            site.volumes.iter().map(|volume| volume.mean_m.map(f64::from)).collect();
        let tree = tree_of(&means)?;
        Ok(Palette { sums: vec![[0; 4]; means.len()], means, tree })
    }

    /// Adds points; says how many of them belong to a volume.
    fn add(&mut self, site: &Site, points: &[(DVec3, [u8; 3])]) -> u64 {
        let owners: Vec<Option<usize>> =
            points.par_iter().map(|(at, _)| self.owner(site, *at - site.origin)).collect();
        let mut used = 0;
        for (owner, (_, rgb)) in owners.into_iter().zip(points) {
            let Some(sum) = owner.and_then(|owner| self.sums.get_mut(owner)) else { continue };
            for (sum, part) in
                sum.iter_mut().zip(rgb.iter().map(|part| u64::from(*part)).chain([1]))
            {
                *sum += part;
            }
            used += 1;
        }
        used
    }

    /// The volume to which a point around the site's origin belongs.
    fn owner(&self, site: &Site, at: DVec3) -> Option<usize> {
        if !at.is_finite() {
            return None;
        }
        let place = at.to_array();
        let query = self.tree.query(&place);
        let near = query.nearest_n::<SquaredEuclidean<f64>>(CANDIDATES).execute();
        let squared = |item: u64| {
            let gaussian = site.volumes[item as usize].gaussian();
            let apart = at - gaussian.mean;
            (apart.dot(gaussian.precision * apart), item as usize)
        };
        let near = near.into_iter().map(|found| squared(u64::from(found.item)));
        let nearest = near.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        nearest.filter(|(squared, _)| *squared <= REACH * REACH).map(|(_, item)| item)
    }

    /// The colour of every volume.
    fn colours(&self) -> Result<Vec<[u8; 3]>, LearnError> {
        let own = |sum: &[u64; 4]| match sum[3] {
            0 => None,
            count => Some([0, 1, 2].map(|part| ((sum[part] + count / 2) / count) as u8)),
        };
        let known: Vec<(usize, [u8; 3])> =
            self.sums.iter().enumerate().filter_map(|(i, sum)| Some((i, own(sum)?))).collect();
        let tree = tree_of(&known.iter().map(|(i, _)| self.means[*i]).collect::<Vec<_>>())?;
        let nearest = |mean: &[f64; 3]| {
            let found = tree.query(mean).nearest_one::<SquaredEuclidean<f64>>().execute();
            known[found.item as usize].1
        };
        let each = self.sums.par_iter().zip(&self.means);
        Ok(each.map(|(sum, mean)| own(sum).unwrap_or_else(|| nearest(mean))).collect())
    }
}

/// Volumes, found by their middles.
fn tree_of(means: &[[f64; 3]]) -> Result<ImmutableKdTree<f64, 3>, LearnError> {
    ImmutableKdTree::new_from_slice(means).map_err(|_| LearnError::NoColours { coloured: 0 })
}

#[cfg(test)]
mod tests;
