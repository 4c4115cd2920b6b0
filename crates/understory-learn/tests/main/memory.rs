//! Records in memory teach what the same records from a file do.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use understory_cloud::{OutputFormat, ReadOptions, Record, Records, SinkOptions, open_sink};
use understory_learn::LearnError;
use understory_learn::input::{BeamOptions, Input, RecordingBeams, RecordsBeams, Returns};
use understory_learn::input::{BeamSource, Beams};

/// Pulses over a fan, some with two returns and some with none.
fn records() -> Records {
    let mut records = Records::default();
    for pulse in 0..3000u64 {
        let angle = pulse as f64 * 0.002;
        let direction = DVec3::new(angle.cos(), angle.sin(), 0.1).normalize().as_vec3();
        let origin = DVec3::new(1.0, 2.0, 3.0);
        let count = (pulse % 3) as u8;
        let row = Record {
            pulse,
            time_s: pulse as f64 * 1e-4,
            scan: (pulse / 500) as u32,
            column: pulse as u32 % 500,
            origin_xyz_m: origin.to_array(),
            direction_xyz: direction.to_array(),
            ..Record::miss()
        };
        if count == 0 {
            records.push(row);
        }
        for number in 1..=count {
            let range_m = 5.0 + f32::from(number) + pulse as f32 * 1e-3;
            let world = origin + direction.as_dvec3() * f64::from(range_m);
            records.push(Record {
                return_number: number,
                return_count: count,
                range_m,
                intensity: f32::from(number) * 0.2,
                world_xyz_m: world.to_array(),
                ..row
            });
        }
    }
    records
}

fn all(source: &dyn BeamSource) -> Result<Beams, LearnError> {
    let mut all = Beams::default();
    source.pass(&mut |beams| {
        all.append(beams);
        Ok(())
    })?;
    Ok(all)
}

#[test]
fn memory_and_file_give_the_same_beams() {
    let records = records();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pulses.npy");
    let mut sink = open_sink(&path, OutputFormat::Npy, &SinkOptions::default()).unwrap();
    sink.write(&records).unwrap();
    sink.finish().unwrap();
    let records = Arc::new(records);
    for (returns, every) in
        [(Returns::First, None), (Returns::Last, Some([1, 2])), (Returns::Strongest, Some([0, 3]))]
    {
        let range_max_m = 8.0;
        let options = BeamOptions { returns, every, range_max_m, ..BeamOptions::default() };
        let input = Input::new(path.clone(), ReadOptions::default());
        let file = RecordingBeams::open(vec![input], options.clone()).unwrap();
        let memory = RecordsBeams::new(vec![Arc::clone(&records)], options);
        let (read, kept) = (all(&file).unwrap(), all(&memory).unwrap());
        assert!(read.len() >= 1000 && kept.range_m == read.range_m);
        assert_eq!(kept.origin, read.origin);
        let alike = |(a, b): (&Vec3, &Vec3)| a.abs_diff_eq(*b, 1e-6);
        assert!(kept.direction.iter().zip(&read.direction).all(alike));
        assert_eq!(memory.report().misses, file.report().misses);
        assert_eq!(memory.report().beyond_range, file.report().beyond_range);
        assert_eq!(memory.report().other_scans, file.report().other_scans);
    }
}

#[test]
fn rows_without_a_beam_are_left_aside_and_counted() {
    let mut records = records();
    records.direction_xyz[0] = [f32::NAN; 3];
    records.origin_xyz_m[5] = [f64::INFINITY, 0.0, 0.0];
    let memory = RecordsBeams::new(vec![Arc::new(records)], BeamOptions::default());
    all(&memory).unwrap();
    assert_eq!(memory.report().undirected, 2);
}
