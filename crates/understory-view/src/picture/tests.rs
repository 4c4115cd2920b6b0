//! A room with a sphere in it, scanned by a made-up sensor: the views must show them.

use super::*;
use understory_cloud::Record;
use understory_testing::picture::Pixels;

/// Distance along `direction` to a sphere in a room 24 × 16 × 6 m around the sensor at 2 m height.
fn distance_in_room(direction: DVec3) -> f64 {
    let (low, high) = (DVec3::new(-9.0, -8.0, -2.0), DVec3::new(15.0, 8.0, 12.0));
    let wall = (0..3)
        .map(|axis| {
            let end = if direction[axis] < 0.0 { low[axis] } else { high[axis] };
            if direction[axis] == 0.0 { f64::INFINITY } else { end / direction[axis] }
        })
        .fold(f64::INFINITY, f64::min);
    let (centre, radius) = (DVec3::new(7.0, 1.0, -0.4), 1.6);
    let along = direction.dot(centre);
    let under_root = along * along - centre.length_squared() + radius * radius;
    if under_root > 0.0 && along > 0.0 { (along - under_root.sqrt()).min(wall) } else { wall }
}

fn room(channels: u16, columns: u32) -> Records {
    let mut records = Records::default();
    for column in 0..columns {
        for channel in 0..channels {
            let azimuth_deg = 180.0 - 360.0 * (f64::from(column) + 0.5) / f64::from(columns);
            let elevation_deg = -25.0 + 40.0 * f64::from(channel) / f64::from(channels - 1);
            let (azimuth, elevation) = (azimuth_deg.to_radians(), elevation_deg.to_radians());
            let direction = DVec3::new(
                elevation.cos() * azimuth.cos(),
                elevation.cos() * azimuth.sin(),
                elevation.sin(),
            );
            let range_m = distance_in_room(direction);
            let miss = direction.z > 0.0 && range_m * direction.z > 4.0;
            let at = direction * range_m;
            let value = |value: f64| if miss { f32::NAN } else { value as f32 };
            records.push(Record {
                time_s: f64::from(column) * 1e-4,
                pulse: u64::from(column) * u64::from(channels) + u64::from(channel),
                sensor: 0,
                channel,
                scan: 0,
                column,
                azimuth_deg: azimuth_deg as f32,
                elevation_deg: elevation_deg as f32,
                signal_photons: f32::NAN,
                ambient_photons: f32::NAN,
                return_number: u8::from(!miss),
                return_count: u8::from(!miss),
                range_m: value(range_m),
                true_range_m: value(range_m),
                intensity: value(0.4 + 0.3 * (at.x + at.y).sin().signum()),
                origin_xyz_m: [5e5, 5.4e6, 100.0],
                direction_xyz: direction.as_vec3().to_array(),
                sensor_xyz_m: [value(at.x), value(at.y), value(at.z)],
                world_xyz_m: [at.x + 5e5, at.y + 5.4e6, at.z + 100.0],
                true_xyz_m: [at.x + 5e5, at.y + 5.4e6, at.z + 100.0],
                object: 1,
                material: 1,
                label: 0,
                volume: 0,
                incidence_deg: value(0.0),
                sub_ray_hits: 1,
                range_spread_m: value(0.0),
                velocity_xyz_m_s: [value(0.0); 3],
                colour_rgb: [0; 3],
            });
        }
    }
    records
}

fn sink(path: &Path) -> PictureSink {
    let mut sink = PictureSink::create(path, "understory: a room").unwrap();
    let world_from_sensor = [[1.0, 0.0, 0.0, 5e5], [0.0, 1.0, 0.0, 5.4e6], [0.0, 0.0, 1.0, 100.0]];
    sink.scan_pose(&ScanPose { sensor: 0, scan: 0, time_s: 0.0, world_from_sensor }).unwrap();
    sink
}

#[test]
fn the_picture_is_full_of_points() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("room.png");
    let mut sink = sink(&path);
    sink.write(&room(64, 2000)).unwrap();
    let report = Box::new(sink).finish().unwrap();
    assert_eq!(report.paths, std::slice::from_ref(&path));
    let image = Pixels::from_png(&std::fs::read(&path).unwrap());
    assert_eq!(image.size, [SIZE.0, SIZE.1]);
    let coloured = |x: u32, y: u32, width: u32, height: u32| {
        let inside = (y..y + height).flat_map(|y| (x..x + width).map(move |x| (x, y)));
        let bright = inside.filter(|&(x, y)| image.at(x, y).iter().max() > Some(&90)).count();
        bright as f64 / f64::from(width * height)
    };
    let perspective = coloured(MARGIN, 92, 1280, 712);
    let above = coloured(MARGIN + 1296, 92, 576, 712);
    let range_image = coloured(MARGIN, 844, 1872, 276);
    assert!(perspective > 0.1, "perspective {perspective}");
    assert!(above > 0.05, "from above {above}");
    assert!(range_image > 0.6, "range image {range_image}");
    if let Some(keep) = std::env::var_os("UNDERSTORY_KEEP_PICTURE") {
        std::fs::copy(&path, keep).unwrap();
    }
}

#[test]
fn the_picture_does_not_depend_on_batches() {
    let whole = room(16, 400);
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.png"), folder.path().join("b.png"));
    let (mut at_once, mut in_parts) = (sink(&a), sink(&b));
    at_once.write(&whole).unwrap();
    for first in (0..whole.len()).step_by(777) {
        let mut part = Records::default();
        (first..whole.len().min(first + 777)).for_each(|row| part.push(whole.get(row).unwrap()));
        in_parts.write(&part).unwrap();
    }
    assert!(at_once.paint() == in_parts.paint());
}

#[test]
fn the_sample_stays_bounded_and_keeps_all_channels() {
    let records = room(16, 2000);
    let mut sample = PointSample::of_at_most(3000);
    (0..records.len())
        .filter(|row| !records.is_miss(*row))
        .for_each(|row| sample.add(&records, row));
    assert!(sample.points.len() <= 3000 && sample.points.len() > 1000, "{}", sample.points.len());
    let low = sample.points.iter().filter(|point| point.position_m.z > 0.5).count();
    assert!(low > 100, "{low}");
}

#[test]
fn no_points_make_a_picture_too() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(sink(&folder.path().join("empty.png")).paint().dimensions(), SIZE);
}

#[test]
fn numbers_are_grouped_by_thousands() {
    assert_eq!(["0", "999", "1 000", "12 345 678"], [0, 999, 1000, 12_345_678].map(grouped)[..]);
}

#[test]
fn the_range_image_is_that_of_the_first_sensor_of_those_that_came() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |sensor: u16, channels: u16| {
        let mut records = room(channels, 90);
        records.sensor.iter_mut().for_each(|own| *own = sensor);
        records
    };
    let shown = |parts: &[Records]| {
        let mut sink = PictureSink::create(&folder.path().join("a.png"), "title").unwrap();
        parts.iter().for_each(|part| sink.write(part).unwrap());
        sink.range_image.rows_in_words()
    };
    let [third, second] = [rows(3, 7), rows(2, 5)];
    assert_eq!(shown(std::slice::from_ref(&third)), "7 channels");
    assert_eq!(shown(&[third.clone(), second.clone()]), "5 channels");
    assert_eq!(shown(&[second, third]), "5 channels");
}
