//! Colours of one cloud for the points of another: each point has the colour of the nearest.
//!
//! What enters: a recording with colours, such as one that a camera coloured, and records without.
//! What leaves: the same records with `colour_rgb`. So Deschaud 2012 coloured simulated points by
//! real ones (figure 7). Points with no coloured one near them stay black.

use kiddo::{ImmutableKdTree, SquaredEuclidean};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::path::Path;
use understory_cloud::{ReadOptions, Recording, Records};

use crate::CompareError;

/// Points with colours, found by their place.
pub struct ColourMap {
    tree: ImmutableKdTree<f64, 3>,
    colours: Vec<[u8; 3]>,
}

impl ColourMap {
    /// Reads all points of a recording that has colours.
    pub fn read(path: &Path, options: &ReadOptions) -> Result<ColourMap, CompareError> {
        if !Recording::has_colour(path, options)? {
            return Err(CompareError::NoColours { path: path.to_path_buf() });
        }
        let mut recording = Recording::open(path, options)?;
        let none = || CompareError::NoColours { path: path.to_path_buf() };
        let mut points = Vec::new();
        let mut batch = Records::default();
        while recording.next_batch(&mut batch)? {
            for row in (0..batch.len()).filter(|&row| !batch.is_miss(row)) {
                if batch.world_xyz_m[row].iter().all(|axis| axis.is_finite()) {
                    points.push((batch.world_xyz_m[row], batch.colour_rgb[row]));
                }
            }
        }
        // Many points at one place would make the tree deep.
        points.par_sort_unstable_by(|(a, of_a), (b, of_b)| {
            let axes = (0..3).map(|axis| a[axis].total_cmp(&b[axis]));
            axes.fold(Ordering::Equal, Ordering::then).then(of_a.cmp(of_b))
        });
        points.dedup_by_key(|(place, _)| *place);
        let (places, colours): (Vec<[f64; 3]>, Vec<[u8; 3]>) = points.into_iter().unzip();
        if places.is_empty() {
            return Err(none());
        }
        let tree = ImmutableKdTree::<f64, 3>::new_from_slice(&places).map_err(|_| none())?;
        Ok(ColourMap { tree, colours })
    }

    /// Gives each return the colour of the nearest point, if that is at most `within_m` away; tells
    /// how many found one.
    pub fn colour(&self, records: &mut Records, within_m: f64) -> u64 {
        let limit = within_m * within_m;
        let nearest = |(place, number): (&[f64; 3], &u8)| {
            if *number == 0 || !place.iter().all(|axis| axis.is_finite()) {
                return None;
            }
            let found = self.tree.query(place).nearest_one::<SquaredEuclidean<f64>>().execute();
            (found.distance <= limit).then(|| self.colours[found.item as usize])
        };
        let found: Vec<_> =
            records.world_xyz_m.par_iter().zip(&records.return_number).map(nearest).collect();
        for (to, colour) in records.colour_rgb.iter_mut().zip(&found) {
            *to = colour.unwrap_or([0; 3]);
        }
        found.iter().flatten().count() as u64
    }
}
