//! Records and poses of scans → messages of ROS 2, as drivers and a localisation would publish them.
//!
//! Points are in the sensor's frame at the time of each pulse, as a real driver gives them. Each
//! scan begins with a transform `map` → sensor on `/tf`, odometry and the clock; its points follow
//! when it is complete. A transform at the last pulse ends the run: it carries the last velocity on,
//! so that every point lies between two transforms.
//!
//! A scan is held until it is complete; one of more than [`SCAN_ROWS_MAX`] rows is sent in parts.

use super::cdr::CdrWriter;
use super::cloud_layout::Layout;
use super::message_type::RosType;
use super::messages::{self, Header, Twist};
use super::scan_row::{ScanRow, Tally, unix_ns};
use crate::poses::Rigid;
use crate::{CloudError, ImuSamples, Misses, PacketFormat, Records, ScanPose, SensorDescription};
use std::collections::VecDeque;
use std::path::Path;

/// Most rows of one message.
const SCAN_ROWS_MAX: usize = if cfg!(test) { 1000 } else { 1 << 21 };
/// The frame in which poses are.
const MAP: &str = "map";

/// A message that is ready to be stored or sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RosMessage<'a> {
    /// Its topic, as in `/velodyne_points`.
    pub topic: &'a str,
    /// Its type.
    pub kind: RosType,
    /// When it is published, as Unix time in nanoseconds.
    pub time_unix_ns: i64,
    /// Whether late subscribers get it too (`/tf_static`).
    pub latched: bool,
    /// The message in CDR, with the four bytes of its encoding.
    pub bytes: &'a [u8],
}

/// Takes messages as they become ready.
pub type EmitRos<'a> = dyn FnMut(RosMessage<'_>) -> Result<(), CloudError> + 'a;

/// Makes messages of records.
#[derive(Debug)]
pub struct RosEncoder {
    facts: Vec<SensorDescription>,
    start_unix_ns: i64,
    misses: Misses,
    sensors: Vec<Option<Box<Sensor>>>,
    cdr: CdrWriter,
    clock_ns: Option<i64>,
    tally: Tally,
    has_truth: bool,
}

/// One sensor and the scan that it is in.
#[derive(Debug)]
struct Sensor {
    names: Names,
    layout: Option<Layout>,
    scan: Option<u32>,
    rows: Vec<ScanRow>,
    /// Poses of scans that have not begun.
    poses: VecDeque<ScanPose>,
    /// Time and pose of the last scan.
    pose: Option<(f64, Rigid)>,
    /// The first pose's odometry waits for the second, without which there is no velocity.
    waiting: bool,
    twist: Twist,
    last_scan_told: Option<u32>,
    /// Time of its last row so far.
    end_s: Option<f64>,
}

/// Topics and frames of a sensor.
#[derive(Debug)]
struct Names {
    points: String,
    scan: String,
    odometry: String,
    imu: String,
    frame: String,
}

impl RosEncoder {
    /// An encoder for these sensors; time 0 of the records is `start_unix_ns`.
    pub fn new(sensors: &[SensorDescription], start_unix_ns: i64, misses: Misses) -> RosEncoder {
        RosEncoder {
            facts: sensors.to_vec(),
            start_unix_ns,
            misses,
            sensors: Vec::new(),
            cdr: CdrWriter::default(),
            clock_ns: None,
            tally: Tally::default(),
            has_truth: false,
        }
    }

    /// Takes the pose of a scan, before its first record.
    pub fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        let sensor = self.sensor(pose.sensor);
        if let Some(previous) = sensor.last_scan_told.filter(|&before| pose.scan <= before) {
            return Err(out_of_order(pose.sensor, pose.scan, previous));
        }
        if Rigid::from_rows(&pose.world_from_sensor).is_none() {
            return Err(CloudError::BadPose);
        }
        sensor.last_scan_told = Some(pose.scan);
        sensor.poses.push_back(*pose);
        Ok(())
    }

    /// Takes records in firing order and emits the messages that they complete.
    pub fn push(&mut self, records: &Records, emit: &mut EmitRos<'_>) -> Result<(), CloudError> {
        records.check_even()?;
        self.has_truth |= records.true_range_m.iter().any(|range| range.is_finite());
        let mut row = 0;
        while row < records.len() {
            let (number, scan) = (records.sensor[row], records.scan[row]);
            let same = |r: usize| records.sensor[r] == number && records.scan[r] == scan;
            let end = (row..records.len()).find(|&r| !same(r)).unwrap_or(records.len());
            let open = self.sensor(number).scan;
            if open != Some(scan) {
                if let Some(previous) = open.filter(|&open| open > scan) {
                    return Err(out_of_order(number, scan, previous));
                }
                self.emit_scan(number, emit)?;
                self.begin_scan(number, scan, emit)?;
            }
            while row < end {
                let sensor = self.sensor(number);
                let room = SCAN_ROWS_MAX.saturating_sub(sensor.rows.len());
                let part = end.min(row.saturating_add(room));
                sensor.rows.extend((row..part).map(|r| ScanRow::of(records, r)));
                sensor.end_s = sensor.rows.last().map(|row| row.time_s);
                row = part;
                if sensor.rows.len() >= SCAN_ROWS_MAX {
                    self.emit_scan(number, emit)?;
                }
            }
        }
        Ok(())
    }

    /// Emits samples of an inertial measurement unit that belongs to a sensor. Columns that are
    /// shorter than the times end them.
    pub fn imu(
        &mut self,
        sensor: u16,
        samples: &ImuSamples,
        emit: &mut EmitRos<'_>,
    ) -> Result<(), CloudError> {
        let start_unix_ns = self.start_unix_ns;
        self.sensor(sensor);
        let Some(Some(sensor)) = self.sensors.get(usize::from(sensor)) else { return Ok(()) };
        let rates = samples.angular_velocity_rad_s.iter().zip(&samples.linear_acceleration_m_s2);
        for (i, (&time_s, (&turn, &acceleration))) in samples.time_s.iter().zip(rates).enumerate() {
            let time_unix_ns = unix_ns(start_unix_ns, time_s);
            let header = Header { stamp_ns: time_unix_ns, frame: &sensor.names.frame };
            let orientation = samples.orientation_xyzw.get(i).copied();
            messages::imu(&mut self.cdr, header, orientation, turn, acceleration);
            emit(RosMessage {
                topic: &sensor.names.imu,
                kind: RosType::Imu,
                time_unix_ns,
                latched: false,
                bytes: self.cdr.message(),
            })?;
        }
        Ok(())
    }

    /// Emits what is left: the last scans, and where the sensors were at their last pulses.
    pub fn finish(&mut self, emit: &mut EmitRos<'_>) -> Result<(), CloudError> {
        for number in 0..self.sensors.len() as u16 {
            let end_s = match self.sensors.get(usize::from(number)) {
                Some(Some(sensor)) => sensor.end_s,
                _ => continue,
            };
            self.emit_scan(number, emit)?;
            self.begin_scan(number, u32::MAX, emit)?;
            let sensor = self.sensor(number);
            let Some((time_s, pose)) = sensor.pose else { continue };
            let waiting = std::mem::take(&mut sensor.waiting);
            let twist = sensor.twist;
            if waiting {
                self.emit_odometry(number, time_s, &pose, emit)?;
            }
            if let Some(end_s) = end_s.filter(|&end_s| end_s > time_s) {
                let pose = twist.carry(&pose, end_s - time_s);
                self.emit_transform(number, end_s, &pose, emit)?;
            }
        }
        Ok(())
    }

    /// Rows that messages hold, and misses that were left out.
    pub fn rows(&self) -> [u64; 2] {
        [self.tally.rows, self.tally.dropped_misses]
    }

    /// What the messages cannot hold, in words.
    pub fn dropped_fields(&self) -> Vec<String> {
        let tally = &self.tally;
        let counted = [
            (tally.further_returns, "returns beyond the one of a pulse that its layout holds"),
            (tally.unnumbered, "return numbers of pulses with several returns"),
            (tally.outside_grid, "rows of channels or columns that the sensor does not have"),
            (tally.cut_intensities, "intensities beyond what the vendor's byte holds, cut to it"),
        ];
        let counted = counted.into_iter().filter(|(count, _)| *count > 0);
        let mut words: Vec<String> = counted.map(|(n, what)| format!("{n} {what}")).collect();
        let offset = |facts: &SensorDescription| {
            facts.lasers.iter().any(|l| l.forward_m != 0.0 || l.left_m != 0.0 || l.up_m != 0.0)
        };
        if self.facts.iter().any(offset) {
            words.push("origins of single beams".to_owned());
        }
        let unplaced = |sensor: &Sensor| sensor.end_s.is_some() && sensor.pose.is_none();
        if self.sensors.iter().flatten().any(|sensor| unplaced(sensor)) {
            words.push("where the sensor was, of which no pose was given".to_owned());
        }
        if self.has_truth {
            words.push("the truth".to_owned());
        }
        words
    }

    fn sensor(&mut self, number: u16) -> &mut Sensor {
        let index = usize::from(number);
        if self.sensors.len() <= index {
            self.sensors.resize_with(index + 1, || None);
        }
        let (facts, misses) = (&self.facts, self.misses);
        self.sensors[index].get_or_insert_with(|| {
            let own = facts.get(index);
            Box::new(Sensor {
                names: Names::of(facts, number),
                layout: own.and_then(|facts| Layout::from_vendor(facts, misses)),
                scan: None,
                rows: Vec::new(),
                poses: VecDeque::new(),
                pose: None,
                waiting: false,
                twist: Twist::default(),
                last_scan_told: None,
                end_s: None,
            })
        })
    }

    /// Emits the poses up to that of scan `scan`.
    fn begin_scan(
        &mut self,
        number: u16,
        scan: u32,
        emit: &mut EmitRos<'_>,
    ) -> Result<(), CloudError> {
        self.sensor(number).scan = Some(scan);
        loop {
            let sensor = self.sensor(number);
            let due = sensor.poses.front().is_some_and(|pose| pose.scan <= scan);
            let Some(scan_pose) = sensor.poses.pop_front_if(|_| due) else { return Ok(()) };
            let Some(pose) = Rigid::from_rows(&scan_pose.world_from_sensor) else { continue };
            let time_s = scan_pose.time_s;
            let before = sensor.pose.replace((time_s, pose));
            if let Some((before_s, before)) = before {
                sensor.twist = Twist::between(&before, &pose, time_s - before_s);
            }
            let waiting = std::mem::replace(&mut sensor.waiting, before.is_none());
            self.emit_clock(time_s, emit)?;
            match before {
                None => self.emit_static(number, time_s, emit)?,
                Some((before_s, before)) if waiting => {
                    self.emit_odometry(number, before_s, &before, emit)?;
                }
                Some(_) => {}
            }
            self.emit_transform(number, time_s, &pose, emit)?;
            if before.is_some() {
                self.emit_odometry(number, time_s, &pose, emit)?;
            }
        }
    }

    /// Emits the rows of the open scan.
    fn emit_scan(&mut self, number: u16, emit: &mut EmitRos<'_>) -> Result<(), CloudError> {
        let (misses, start_unix_ns) = (self.misses, self.start_unix_ns);
        let Some(Some(sensor)) = self.sensors.get_mut(usize::from(number)) else { return Ok(()) };
        let Some(last) = sensor.rows.last() else { return Ok(()) };
        let time_s = last.time_s;
        let layout = sensor.layout.get_or_insert_with(|| Layout::from_scan(&sensor.rows, misses));
        let facts = self.facts.get(usize::from(number));
        let frame = &sensor.names.frame;
        layout.write(&mut self.cdr, frame, start_unix_ns, facts, &sensor.rows, &mut self.tally);
        sensor.rows.clear();
        let (topic, kind) = match layout.is_line() {
            true => (&sensor.names.scan, RosType::LaserScan),
            false => (&sensor.names.points, RosType::PointCloud2),
        };
        let time_unix_ns = unix_ns(start_unix_ns, time_s);
        let bytes = self.cdr.message();
        emit(RosMessage { topic, kind, time_unix_ns, latched: false, bytes })?;
        self.emit_clock(time_s, emit)
    }

    /// Emits the time, which never goes back.
    fn emit_clock(&mut self, time_s: f64, emit: &mut EmitRos<'_>) -> Result<(), CloudError> {
        let time_unix_ns = unix_ns(self.start_unix_ns, time_s);
        if self.clock_ns.is_some_and(|clock| clock >= time_unix_ns) {
            return Ok(());
        }
        self.clock_ns = Some(time_unix_ns);
        messages::clock(&mut self.cdr, time_unix_ns);
        let bytes = self.cdr.message();
        let kind = RosType::Clock;
        emit(RosMessage { topic: "/clock", kind, time_unix_ns, latched: false, bytes })
    }

    fn emit_transform(
        &mut self,
        number: u16,
        time_s: f64,
        pose: &Rigid,
        emit: &mut EmitRos<'_>,
    ) -> Result<(), CloudError> {
        let Some(Some(sensor)) = self.sensors.get(usize::from(number)) else { return Ok(()) };
        let time_unix_ns = unix_ns(self.start_unix_ns, time_s);
        let header = Header { stamp_ns: time_unix_ns, frame: MAP };
        messages::transform(&mut self.cdr, header, &sensor.names.frame, pose);
        let bytes = self.cdr.message();
        let kind = RosType::TfMessage;
        emit(RosMessage { topic: "/tf", kind, time_unix_ns, latched: false, bytes })
    }

    /// The frame in which the vendor describes the lasers, where it is another one.
    fn emit_static(
        &mut self,
        number: u16,
        time_s: f64,
        emit: &mut EmitRos<'_>,
    ) -> Result<(), CloudError> {
        let Some(Some(sensor)) = self.sensors.get(usize::from(number)) else { return Ok(()) };
        let facts = self.facts.get(usize::from(number));
        let pose = facts.and_then(|facts| Rigid::from_rows(&facts.sensor_from_lidar));
        let Some(pose) = pose.filter(|pose| *pose != Rigid::IDENTITY) else { return Ok(()) };
        let frame = sensor.names.frame.as_str();
        let child = match frame.strip_suffix("os_sensor") {
            Some(prefix) => format!("{prefix}os_lidar"),
            None => format!("{frame}_lidar"),
        };
        let time_unix_ns = unix_ns(self.start_unix_ns, time_s);
        messages::transform(&mut self.cdr, Header { stamp_ns: time_unix_ns, frame }, &child, &pose);
        let bytes = self.cdr.message();
        let kind = RosType::TfMessage;
        emit(RosMessage { topic: "/tf_static", kind, time_unix_ns, latched: true, bytes })
    }

    fn emit_odometry(
        &mut self,
        number: u16,
        time_s: f64,
        pose: &Rigid,
        emit: &mut EmitRos<'_>,
    ) -> Result<(), CloudError> {
        let Some(Some(sensor)) = self.sensors.get(usize::from(number)) else { return Ok(()) };
        let time_unix_ns = unix_ns(self.start_unix_ns, time_s);
        let header = Header { stamp_ns: time_unix_ns, frame: MAP };
        messages::odometry(&mut self.cdr, header, &sensor.names.frame, pose, &sensor.twist);
        let bytes = self.cdr.message();
        let topic = &sensor.names.odometry;
        emit(RosMessage { topic, kind: RosType::Odometry, time_unix_ns, latched: false, bytes })
    }
}

impl Names {
    /// Names as the vendor's driver has them; those of several sensors begin with the sensor's.
    fn of(facts: &[SensorDescription], number: u16) -> Names {
        let own = facts.get(usize::from(number));
        let prefix = match own {
            Some(own) if facts.len() > 1 => {
                let name = ros_name(&own.name);
                let twins = facts.iter().filter(|other| ros_name(&other.name) == name).count();
                if twins > 1 { format!("{name}_{number}") } else { name }
            }
            None if number > 0 || facts.len() > 1 => format!("sensor_{number}"),
            _ => String::new(),
        };
        let vendor = own.and_then(|own| own.packets.as_ref());
        let (points, imu, frame) = match vendor {
            Some(PacketFormat::Velodyne(_)) => ("velodyne_points", "imu/data", "velodyne"),
            Some(PacketFormat::Ouster(_)) => ("ouster/points", "ouster/imu", "os_sensor"),
            None => ("points", "imu/data", "lidar"),
        };
        let slash = if prefix.is_empty() { "" } else { "/" };
        let topic = |name: &str| format!("{slash}{prefix}/{name}");
        let frame_of = |name: &str| format!("{prefix}{slash}{name}");
        Names {
            points: topic(points),
            scan: topic("scan"),
            odometry: topic("odom"),
            imu: topic(imu),
            frame: frame_of(frame),
        }
    }
}

/// A name of letters, digits and underscores that begins with a letter, as ROS wants it.
fn ros_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String = name.chars().map(plain).collect();
    match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => name,
        _ => format!("sensor_{name}"),
    }
}

fn out_of_order(sensor: u16, scan: u32, previous: u32) -> CloudError {
    CloudError::ScanOutOfOrder { path: Path::new("ROS 2 messages").into(), sensor, scan, previous }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_ros() {
        assert_eq!(ros_name("VLP-16"), "vlp_16");
        assert_eq!(ros_name("16 lasers"), "sensor_16_lasers");
        assert_eq!(ros_name(""), "sensor_");
        let names = Names::of(&[], 0);
        assert_eq!((names.points.as_str(), names.frame.as_str()), ("/points", "lidar"));
        let names = Names::of(&[], 3);
        let found = (names.points.as_str(), names.frame.as_str());
        assert_eq!(found, ("/sensor_3/points", "sensor_3/lidar"));
    }

    /// Rows of one scan that does not end.
    fn endless(rows: u32) -> Records {
        let mut records = Records::default();
        for row in 0..rows {
            let (time_s, channel) = (f64::from(row) * 1e-5, (row % 2) as u16);
            records.push(crate::Record { time_s, channel, ..crate::Record::miss() });
        }
        records
    }

    #[test]
    fn a_scan_without_end_is_sent_in_parts() {
        let mut encoder = RosEncoder::new(&[], 0, Misses::Keep);
        let mut clouds = Vec::new();
        let mut keep = |message: RosMessage<'_>| {
            if message.kind == RosType::PointCloud2 {
                clouds.push((message.time_unix_ns, message.bytes.len()));
            }
            Ok(())
        };
        encoder.push(&endless(2500), &mut keep).unwrap();
        encoder.finish(&mut keep).unwrap();
        let times: Vec<i64> = clouds.iter().map(|(time_ns, _)| *time_ns).collect();
        assert_eq!(times, [9_990_000, 19_990_000, 24_990_000]);
        assert_eq!(clouds[0].1 - clouds[2].1, 500 * 40);
        assert_eq!(encoder.rows(), [2500, 0]);
        assert_eq!(encoder.dropped_fields(), ["where the sensor was, of which no pose was given"]);
    }

    #[test]
    fn scans_and_poses_out_of_order_are_refused() {
        let mut encoder = RosEncoder::new(&[], 0, Misses::Keep);
        let pose = |scan| ScanPose {
            sensor: 0,
            scan,
            time_s: 0.0,
            world_from_sensor: Rigid::IDENTITY.to_rows(),
        };
        encoder.scan_pose(&pose(4)).unwrap();
        let error = encoder.scan_pose(&pose(4)).unwrap_err().to_string();
        assert!(error.contains("scan 4 of sensor 0 came after scan 4"), "{error}");
        let mut records = endless(3);
        records.scan = vec![5, 5, 4];
        let error = encoder.push(&records, &mut |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("scan 4 of sensor 0 came after scan 5"), "{error}");
    }
}
