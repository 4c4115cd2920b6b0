//! Misses of a real spinning sensor, dropped and found again by its rings alone.

use std::fmt::Write as _;
use std::path::Path;

use glam::Vec3;
use understory_cloud::{Frame, ReadOptions, Recording, Records};
use understory_learn::input::{BeamOptions, BeamSource, Input, RecordingBeams, RecoverMisses};

/// Directions of the misses that are found in a recording.
fn misses(path: &Path, options: ReadOptions) -> Vec<Vec3> {
    let recover_misses = RecoverMisses::Grid;
    let options = BeamOptions { recover_misses, ..BeamOptions::default() }.with(path, options);
    let mut found = Vec::new();
    options
        .pass(&mut |batch| {
            let beams = batch.direction.iter().zip(&batch.range_m);
            found.extend(beams.filter(|(_, range)| range.is_infinite()).map(|(d, _)| *d));
            Ok(())
        })
        .unwrap();
    found
}

trait Open {
    fn with(self, path: &Path, options: ReadOptions) -> RecordingBeams;
}

impl Open for BeamOptions {
    fn with(self, path: &Path, options: ReadOptions) -> RecordingBeams {
        RecordingBeams::open(vec![Input::new(path.to_path_buf(), options)], self).unwrap()
    }
}

/// The drive's frames hold a place for every pulse, so that their misses are known. Of the returns
/// alone with the number of the row gaps tell nearly all of them, and nine tenths of what they tell is
/// right; the rest lies at the edges of the view, in columns that the frames do not tell.
#[test]
fn misses_of_a_real_drive_are_found_by_its_rings() {
    let Some(folder) = understory_testing::recordings("vlp32-drive/sample_dataset/train") else {
        return;
    };
    let mut frames: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    frames.sort();
    let scratch = tempfile::tempdir().unwrap();
    let columns = "x,y,z,intensity,-,label".split(',').map(str::to_owned).collect();
    let organised = ReadOptions {
        points_in: Some(Frame::Sensor),
        column_names: Some(columns),
        ..ReadOptions::default()
    };
    let plain = ReadOptions { points_in: Some(Frame::Sensor), ..ReadOptions::default() };
    let (mut known, mut numbered, mut unnumbered) = (0.0, [0.0; 2], [0.0; 2]);
    for frame in frames.iter().step_by(8) {
        let truth = misses(frame, organised.clone());
        known += truth.len() as f64;
        let (mut recording, mut batch) =
            (Recording::open(frame, &organised).unwrap(), Records::default());
        let (mut with_ring, mut without) = ("x,y,z,ring\n".to_owned(), "x,y,z\n".to_owned());
        while recording.next_batch(&mut batch).unwrap() {
            for row in 0..batch.len() {
                let [x, y, z] = batch.world_xyz_m[row];
                let padding = x == y && y == z;
                if !batch.is_miss(row) && !padding {
                    let ring = batch.channel[row];
                    writeln!(with_ring, "{x:.4},{y:.4},{z:.4},{ring}").unwrap();
                    writeln!(without, "{x:.4},{y:.4},{z:.4}").unwrap();
                }
            }
        }
        for (text, sums) in [(with_ring, &mut numbered), (without, &mut unnumbered)] {
            let path = scratch.path().join("returns.csv");
            std::fs::write(&path, text).unwrap();
            let found = misses(&path, plain.clone());
            sums[0] += found.len() as f64;
            sums[1] += matched(&truth, &found) as f64;
        }
    }
    let rates = |[found, right]: [f64; 2]| [right / known, right / found, found / known];
    println!("recall, precision, share: {:?} {:?}", rates(numbered), rates(unnumbered));
    let [recall, precision, _] = rates(numbered);
    assert!(recall > 0.95 && precision > 0.85, "{recall} {precision}");
    // Elevations show 32 lasers where the frames have 23 rows, some of them of two lasers or more, so
    // that more pulses were fired than the frames hold.
    let [recall, _, share] = rates(unnumbered);
    assert!(recall > 0.9 && share < 2.2, "{recall} {share}");
}

/// Pairs of true and found directions within 0.2°, each of them once.
fn matched(truth: &[Vec3], found: &[Vec3]) -> usize {
    let near = 0.2f32.to_radians();
    let mut taken = vec![false; truth.len()];
    let mut pairs = 0;
    for direction in found {
        let nearest = truth
            .iter()
            .enumerate()
            .filter(|(k, _)| !taken[*k])
            .map(|(k, other)| (other.distance(*direction), k))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, k)) = nearest.filter(|(apart, _)| *apart < near) {
            taken[k] = true;
            pairs += 1;
        }
    }
    pairs
}
