//! Misses of real spinning sensors, dropped and found again by their rings alone.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use glam::Vec3;
use understory_cloud::{Frame, ReadOptions, Recording, Records};
use understory_learn::input::{
    BeamOptions, BeamSource, Input, ReadingReport, RecordingBeams, RecoverMisses,
};
use understory_testing::Python;

/// Directions of the misses that are found in a recording.
fn misses(path: &Path, options: ReadOptions) -> (Vec<Vec3>, ReadingReport) {
    let recover_misses = RecoverMisses::Grid;
    let beam_options = BeamOptions { recover_misses, ..BeamOptions::default() };
    let inputs = vec![Input::new(path.to_path_buf(), options)];
    let source = RecordingBeams::open(inputs, beam_options).unwrap();
    let mut found = Vec::new();
    source
        .pass(&mut |batch| {
            let beams = batch.direction.iter().zip(&batch.range_m);
            found.extend(beams.filter(|(_, range)| range.is_infinite()).map(|(d, _)| *d));
            Ok(())
        })
        .unwrap();
    (found, source.report())
}

fn in_sensor_frame() -> ReadOptions {
    ReadOptions { points_in: Some(Frame::Sensor), ..ReadOptions::default() }
}

/// Sums over recordings: true misses, found ones, and pairs of both.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    known: f64,
    found: f64,
    right: f64,
}

impl Found {
    fn add(&mut self, truth: &[Vec3], found: &[Vec3]) {
        self.known += truth.len() as f64;
        self.found += found.len() as f64;
        self.right += matched(truth, found) as f64;
    }

    /// Recall and precision.
    fn rates(&self) -> [f64; 2] {
        [self.right / self.known, self.right / self.found]
    }
}

/// Pairs of true and found directions within 0.2°, each of them once.
fn matched(truth: &[Vec3], found: &[Vec3]) -> usize {
    let near = 0.2f32.to_radians();
    let mut truth = truth.to_vec();
    truth.sort_by(|a, b| a.z.total_cmp(&b.z));
    let mut taken = vec![false; truth.len()];
    let mut pairs = 0;
    for direction in found {
        let from = truth.partition_point(|other| other.z < direction.z - near);
        let nearest = truth[from..]
            .iter()
            .take_while(|other| other.z <= direction.z + near)
            .enumerate()
            .map(|(k, other)| (other.distance(*direction), from + k))
            .filter(|(apart, k)| *apart < near && !taken[*k])
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, k)) = nearest {
            taken[k] = true;
            pairs += 1;
        }
    }
    pairs
}

fn elevation_deg(direction: &Vec3) -> f32 {
    direction.z.asin().to_degrees()
}

/// The drive's frames hold a place for every pulse, so that their misses are known. Of the returns
/// alone gaps tell nearly all of them, and nine tenths of what they tell is right; the rest lies at the
/// edges of the view. With the number of the row the frames are asked as they are. Without it the 31
/// lasers are found that the frames have in 23 rows; so what is found is held against the rows that
/// have one laser alone.
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
    let organised = ReadOptions { column_names: Some(columns), ..in_sensor_frame() };
    let (mut numbered, mut unnumbered) = (Found::default(), Found::default());
    for frame in frames.iter().step_by(4) {
        let (truth, _) = misses(frame, organised.clone());
        let (mut recording, mut batch) =
            (Recording::open(frame, &organised).unwrap(), Records::default());
        let (mut with_ring, mut without) = ("x,y,z,ring\n".to_owned(), "x,y,z\n".to_owned());
        // Lowest and highest elevation of the returns of each row.
        let mut rows = [[f32::INFINITY, f32::NEG_INFINITY]; 32];
        while recording.next_batch(&mut batch).unwrap() {
            for row in 0..batch.len() {
                let [x, y, z] = batch.world_xyz_m[row];
                let padding = x == y && y == z;
                if !batch.is_miss(row) && !padding {
                    let ring = batch.channel[row];
                    writeln!(with_ring, "{x:.4},{y:.4},{z:.4},{ring}").unwrap();
                    writeln!(without, "{x:.4},{y:.4},{z:.4}").unwrap();
                    let elevation = (z.atan2(x.hypot(y)) as f32).to_degrees();
                    let [low, high] = &mut rows[usize::from(ring)];
                    (*low, *high) = (low.min(elevation), high.max(elevation));
                }
            }
        }
        let path = scratch.path().join("returns.csv");
        std::fs::write(&path, with_ring).unwrap();
        numbered.add(&truth, &misses(&path, in_sensor_frame()).0);
        std::fs::write(&path, without).unwrap();
        let (found, _) = misses(&path, in_sensor_frame());
        let is_of_one_laser = |direction: &&Vec3| {
            let elevation = elevation_deg(direction);
            let of_one = rows.iter().filter(|[low, high]| high - low < 0.12);
            of_one.into_iter().any(|[low, high]| (low - 0.08..high + 0.08).contains(&elevation))
        };
        let of_one = |all: &[Vec3]| all.iter().filter(is_of_one_laser).copied().collect::<Vec<_>>();
        unnumbered.add(&of_one(&truth), &of_one(&found));
    }
    println!("VLP-32C, with ring numbers: recall, precision {:?}", numbered.rates());
    println!("without, rows of one laser: {:?}, {unnumbered:?}", unnumbered.rates());
    let [recall, precision] = numbered.rates();
    assert!(recall > 0.97 && precision > 0.88, "{recall} {precision}");
    let [recall, precision] = unnumbered.rates();
    assert!(recall > 0.95 && precision > 0.88, "{recall} {precision}");
}

/// Frames of an Ouster OS1-128, whose every pulse is known: their returns alone, with ring numbers and
/// without, in the order of firing and ring after ring; and with packets of 16 firings lost, in which no
/// pulse is invented.
#[test]
fn misses_of_an_ouster_are_found_by_its_rings() {
    let Some(python) = Python::with_ouster_sdk() else { return };
    let Some(folder) = understory_testing::recordings("ouster-os1") else { return };
    let scratch = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/ouster_returns.py");
    let files = ["OS-1-128_v2.3.0_1024x10_lb_n3.osf", "pose_delta_2_128.osf"];
    let mut arguments: Vec<PathBuf> = vec![script, scratch.path().to_path_buf()];
    arguments.extend(files.iter().map(|file| folder.join(file)));
    python.run(&arguments);
    let mut frames: Vec<PathBuf> = std::fs::read_dir(scratch.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".returns.csv"))
        .collect();
    frames.sort();
    assert!(frames.len() >= 4, "{frames:?}");
    let is_lost = |firing: usize| (firing / 16).is_multiple_of(9);
    let mut sums = [Found::default(); 4];
    let mut lost_gaps = 0;
    for frame in frames {
        let text = std::fs::read_to_string(&frame).unwrap();
        let rows: Vec<Vec<&str>> =
            text.lines().skip(1).map(|line| line.split(',').collect()).collect();
        let truth_of = |keep: &dyn Fn(usize) -> bool| -> Vec<Vec3> {
            let path = frame.to_string_lossy().replace(".returns.", ".misses.");
            let text = std::fs::read_to_string(path).unwrap();
            let numbers = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
            numbers
                .filter(|n| keep(n[2].parse().unwrap()))
                .map(|n| [n[0].parse::<f32>().unwrap(), n[1].parse::<f32>().unwrap()])
                .map(|[a, e]| (a.to_radians(), e.to_radians()))
                .map(|(a, e)| Vec3::new(e.cos() * a.cos(), e.cos() * a.sin(), e.sin()))
                .collect()
        };
        let path = scratch.path().join("case.csv");
        let find = |header: &str, rows: &[&Vec<&str>], columns: &[usize]| {
            let mut text = header.to_owned() + "\n";
            for row in rows {
                let words: Vec<&str> = columns.iter().map(|column| row[*column]).collect();
                writeln!(text, "{}", words.join(",")).unwrap();
            }
            std::fs::write(&path, text).unwrap();
            misses(&path, in_sensor_frame())
        };
        let all: Vec<&Vec<&str>> = rows.iter().collect();
        let truth = truth_of(&|_| true);
        sums[0].add(&truth, &find("x,y,z,ring", &all, &[0, 1, 2, 3]).0);
        sums[1].add(&truth, &find("x,y,z", &all, &[0, 1, 2]).0);
        let mut by_ring = all.clone();
        by_ring.sort_by_key(|row| row[3].parse::<usize>().unwrap());
        sums[2].add(&truth, &find("x,y,z", &by_ring, &[0, 1, 2]).0);
        let kept: Vec<&Vec<&str>> =
            all.into_iter().filter(|row| !is_lost(row[5].parse().unwrap())).collect();
        let (found, report) = find("x,y,z,time", &kept, &[0, 1, 2, 4]);
        sums[3].add(&truth_of(&|firing| !is_lost(firing)), &found);
        lost_gaps += report.lost_gaps;
    }
    for (name, found) in
        ["numbers", "none", "none, by ring", "none, lost packets"].iter().zip(&sums)
    {
        println!("OS1-128, {name}: recall, precision {:?} of {found:?}", found.rates());
    }
    println!("{lost_gaps} gaps of lost data");
    for found in &sums {
        let [recall, precision] = found.rates();
        assert!(recall > 0.97 && precision > 0.85, "{recall} {precision}: {sums:?}");
    }
    // Where packets were lost, some of their beams are taken for misses: 0.885 of what is found is
    // right there, and all of it in whole frames.
    for found in &sums[..3] {
        assert!(found.rates()[1] > 0.97, "{sums:?}");
    }
    // Eight packets in each frame of 1024 firings, 15 in those of 2048; that at the seam is cut.
    assert!(lost_gaps >= 8 * 3, "{lost_gaps}");
}
