//! Records and poses of scans → messages of ROS 2, as drivers and a localisation would publish them.
//!
//! Points are in the sensor's frame at the time of each pulse, as a real driver gives them; they
//! follow when a scan is complete. Where the platform is (`platform.rs`) and how sensors are mounted
//! on it (`/tf_static`) leads from them to `map`. Where nobody tells the poses of the platform, those
//! of the first sensor and its mount say it, and each further sensor has a transform of its own from
//! `map`. At the last pulse the last velocity is carried on, so that every point lies between two
//! transforms.
//!
//! A scan is held until it is complete; one of more than [`SCAN_ROWS_MAX`] rows is sent in parts.

use super::cdr::CdrWriter;
use super::cloud_layout::{Extras, Layout};
use super::message_type::{EmitRos, RosMessage, RosType};
use super::messages::{self, Header, Twist};
use super::platform::{BASE, MAP, ODOM, PlatformTrack};
use super::scan_row::{ScanRow, Tally, unix_ns};
use crate::poses::Rigid;
use crate::{
    CloudError, GeographicOrigin, ImuSamples, Misses, PacketFormat, PlatformPose, Records,
    ScanPose, SensorDescription,
};
use std::collections::VecDeque;
use std::path::Path;

/// Most rows of one message.
const SCAN_ROWS_MAX: usize = if cfg!(test) { 1000 } else { 1 << 21 };

/// Poses of the platform for one of a sensor that is mounted at a distance.
const LEVER_STEPS: u32 = 16;

/// What messages must know beyond records.
#[derive(Clone, Debug)]
pub struct RosOptions {
    /// The sensors by their number.
    pub sensors: Vec<SensorDescription>,
    /// Unix time of time 0 of the records, in nanoseconds.
    pub start_unix_ns: i64,
    /// What becomes of pulses without a return.
    pub misses: Misses,
    /// Whether clouds have labels.
    pub labels: bool,
    /// Whether clouds have colours.
    pub colours: bool,
    /// Topic and frame of the first sensor's points; by its vendor where there are none.
    pub names: Option<RosNames>,
    /// Where on Earth `map` is; without it there are no fixes.
    pub geographic_origin: Option<GeographicOrigin>,
}

/// How ROS 2 calls the points of a sensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RosNames {
    /// Their topic.
    pub topic: String,
    /// The frame that they are in.
    pub frame: String,
}

/// Makes messages of records.
#[derive(Debug)]
pub struct RosEncoder {
    facts: Vec<SensorDescription>,
    start_unix_ns: i64,
    misses: Misses,
    extras: Extras,
    names: Option<RosNames>,
    sensors: Vec<Option<Box<Sensor>>>,
    platform: PlatformTrack,
    /// Time, pose and velocity of the sensor that leads the platform.
    leader_pose: Option<(f64, Rigid, Twist)>,
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
    /// Time and pose of the last scan, of a sensor that is not on the platform.
    pose: Option<(f64, Rigid)>,
    twist: Twist,
    /// Whether its frames that stand have been told.
    is_mounted: bool,
    last_scan_told: Option<u32>,
    /// Time of its last row so far.
    end_s: Option<f64>,
}

/// Topics and frames of a sensor.
#[derive(Debug)]
struct Names {
    points: String,
    scan: String,
    imu: String,
    frame: String,
}

impl RosEncoder {
    /// An encoder.
    pub fn new(options: impl Into<RosOptions>) -> RosEncoder {
        let options = options.into();
        let RosOptions { sensors, start_unix_ns, misses, names, geographic_origin, .. } = options;
        RosEncoder {
            facts: sensors,
            start_unix_ns,
            misses,
            extras: Extras { label: options.labels, rgb: options.colours },
            names,
            sensors: Vec::new(),
            platform: PlatformTrack::new(geographic_origin),
            leader_pose: None,
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
        if !self.is_on_platform(pose.sensor) {
            self.sensor(pose.sensor).poses.push_back(*pose);
            return Ok(());
        }
        if self.platform.is_told {
            return Ok(());
        }
        let Some(world_from_sensor) = Rigid::from_rows(&pose.world_from_sensor) else {
            return Err(CloudError::BadPose);
        };
        self.platform.leader = Some(pose.sensor);
        let mut twist = Twist::default();
        if let Some((before_s, before, _)) = self.leader_pose {
            let seconds = pose.time_s - before_s;
            twist = Twist::between(&before, &world_from_sensor, seconds);
            self.carry_platform(before_s, &before, &twist, seconds)?;
        } else {
            self.push_platform(pose.sensor, pose.time_s, &world_from_sensor)?;
        }
        self.leader_pose = Some((pose.time_s, world_from_sensor, twist));
        Ok(())
    }

    /// Tells where the platform is when a sensor on it is at `world_from_sensor`.
    fn push_platform(
        &mut self,
        sensor: u16,
        time_s: f64,
        world_from_sensor: &Rigid,
    ) -> Result<(), CloudError> {
        let world_from_platform = world_from_sensor.after(&self.mount(sensor).inverse()).to_rows();
        self.platform.push(&PlatformPose {
            time_s,
            registered: world_from_platform,
            estimated: world_from_platform,
            truth: None,
            variance: [0.0; 6],
            is_step: false,
            gps_fix: None,
        })
    }

    /// Tells where the platform goes while the sensor that leads it moves steadily. Far from the
    /// sensor that is no steady motion: it takes steps.
    fn carry_platform(
        &mut self,
        from_s: f64,
        from: &Rigid,
        twist: &Twist,
        seconds: f64,
    ) -> Result<(), CloudError> {
        let Some(leader) = self.platform.leader else { return Ok(()) };
        let steps =
            if self.mount(leader).translation == glam::DVec3::ZERO { 1 } else { LEVER_STEPS };
        for step in 1..=steps {
            let since_s = seconds * f64::from(step) / f64::from(steps);
            self.push_platform(leader, from_s + since_s, &twist.carry(from, since_s))?;
        }
        Ok(())
    }

    /// Takes a pose of the platform, before the first record; without one, those of a sensor say
    /// where it is.
    pub fn platform_pose(&mut self, pose: &PlatformPose) -> Result<(), CloudError> {
        if self.platform.leader.is_some() {
            return Ok(());
        }
        self.platform.is_told = true;
        self.platform.push(pose)
    }

    /// Whether a sensor's frame hangs on that of the platform.
    fn is_on_platform(&self, sensor: u16) -> bool {
        self.platform.is_told || self.platform.leader.is_none_or(|leader| leader == sensor)
    }

    /// How a sensor is mounted; one whose frame is the platform's is not.
    fn mount(&self, sensor: u16) -> Rigid {
        let given = self.names.as_ref().filter(|_| sensor == 0);
        if given.is_some_and(|names| names.frame == BASE) {
            return Rigid::IDENTITY;
        }
        let facts = self.facts.get(usize::from(sensor));
        let pose = facts.and_then(|facts| Rigid::from_rows(&facts.platform_from_sensor));
        pose.unwrap_or(Rigid::IDENTITY)
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
                if self.is_on_platform(number) && self.platform.is_known() {
                    self.emit_clock(records.time_s[row], emit)?;
                    self.emit_mount(number, records.time_s[row], emit)?;
                }
            }
            let last_s = records.time_s[end - 1];
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
            if self.platform.is_told {
                self.platform.emit_before(last_s, self.start_unix_ns, &mut self.cdr, emit)?;
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
        let ends = self.sensors.iter().flatten().filter_map(|sensor| sensor.end_s);
        let end_s = ends.fold(f64::NEG_INFINITY, f64::max);
        if let Some((time_s, pose, twist)) = self.leader_pose.filter(|leader| leader.0 < end_s) {
            self.carry_platform(time_s, &pose, &twist, end_s - time_s)?;
        }
        self.platform.end();
        for number in 0..self.sensors.len() as u16 {
            let end_s = match self.sensors.get(usize::from(number)) {
                Some(Some(sensor)) => sensor.end_s,
                _ => continue,
            };
            self.emit_scan(number, emit)?;
            self.begin_scan(number, u32::MAX, emit)?;
            let sensor = self.sensor(number);
            let Some((time_s, pose)) = sensor.pose else { continue };
            if let Some(end_s) = end_s.filter(|&end_s| end_s > time_s) {
                let pose = sensor.twist.carry(&pose, end_s - time_s);
                self.emit_transform(number, end_s, &pose, emit)?;
            }
        }
        self.platform.carry_to(end_s, self.start_unix_ns, &mut self.cdr, emit)
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
        let unplaced = |number: usize, sensor: &Sensor| {
            let platform = self.is_on_platform(number as u16) && self.platform.is_known();
            sensor.end_s.is_some() && sensor.pose.is_none() && !platform
        };
        let sensors = self.sensors.iter().enumerate();
        if sensors.filter_map(|(n, s)| Some((n, s.as_ref()?))).any(|(n, s)| unplaced(n, s)) {
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
        let given = self.names.as_ref().filter(|_| number == 0);
        self.sensors[index].get_or_insert_with(|| {
            let own = facts.get(index);
            let mut names = Names::of(facts, number);
            if let Some(RosNames { topic, frame }) = given {
                names.points.clone_from(topic);
                names.scan.clone_from(topic);
                // Sensors are no frames of the world.
                if ![MAP, ODOM, ""].contains(&frame.as_str()) {
                    names.frame.clone_from(frame);
                }
            }
            Box::new(Sensor {
                names,
                layout: own.and_then(|facts| Layout::from_vendor(facts, misses)),
                scan: None,
                rows: Vec::new(),
                poses: VecDeque::new(),
                pose: None,
                twist: Twist::default(),
                is_mounted: false,
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
            if let Some((before_s, before)) = sensor.pose.replace((time_s, pose)) {
                sensor.twist = Twist::between(&before, &pose, time_s - before_s);
            }
            self.emit_clock(time_s, emit)?;
            self.emit_mount(number, time_s, emit)?;
            self.emit_transform(number, time_s, &pose, emit)?;
        }
    }

    /// Emits the rows of the open scan.
    fn emit_scan(&mut self, number: u16, emit: &mut EmitRos<'_>) -> Result<(), CloudError> {
        let (misses, start_unix_ns) = (self.misses, self.start_unix_ns);
        let on_platform = self.is_on_platform(number);
        let Some(Some(sensor)) = self.sensors.get_mut(usize::from(number)) else { return Ok(()) };
        let Some(time_s) = sensor.rows.last().map(|row| row.time_s) else { return Ok(()) };
        if on_platform {
            // Whoever gets the points can place them.
            self.platform.emit_until(time_s, start_unix_ns, &mut self.cdr, emit)?;
        }
        let layout = sensor.layout.get_or_insert_with(|| Layout::from_scan(&sensor.rows, misses));
        let facts = self.facts.get(usize::from(number));
        let frame = &sensor.names.frame;
        let (rows, extras) = (&sensor.rows, self.extras);
        layout.write(&mut self.cdr, (frame, start_unix_ns), facts, rows, extras, &mut self.tally);
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

    /// Once for each sensor: how it is mounted on the platform, and the frame in which the vendor
    /// describes the lasers, where it is another one.
    fn emit_mount(
        &mut self,
        number: u16,
        time_s: f64,
        emit: &mut EmitRos<'_>,
    ) -> Result<(), CloudError> {
        if std::mem::replace(&mut self.sensor(number).is_mounted, true) {
            return Ok(());
        }
        let (on_platform, mount) = (self.is_on_platform(number), self.mount(number));
        let Some(Some(sensor)) = self.sensors.get(usize::from(number)) else { return Ok(()) };
        let frame = sensor.names.frame.as_str();
        let facts = self.facts.get(usize::from(number));
        let lidar = facts.and_then(|facts| Rigid::from_rows(&facts.sensor_from_lidar));
        let lidar = lidar.filter(|pose| *pose != Rigid::IDENTITY);
        let lidar_frame = match frame.strip_suffix("os_sensor") {
            Some(prefix) => format!("{prefix}os_lidar"),
            None => format!("{frame}_lidar"),
        };
        let time_unix_ns = unix_ns(self.start_unix_ns, time_s);
        let header = |frame| Header { stamp_ns: time_unix_ns, frame };
        let mut list = Vec::new();
        if on_platform && frame != BASE {
            list.push((header(BASE), frame, &mount));
        }
        if let Some(pose) = &lidar {
            list.push((header(frame), lidar_frame.as_str(), pose));
        }
        if list.is_empty() {
            return Ok(());
        }
        messages::transforms(&mut self.cdr, &list);
        let bytes = self.cdr.message();
        let kind = RosType::TfMessage;
        emit(RosMessage { topic: "/tf_static", kind, time_unix_ns, latched: true, bytes })
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
    use crate::SinkOptions;

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
        let mut encoder =
            RosEncoder::new(&SinkOptions { start_unix_ns: 0, ..SinkOptions::default() });
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
        let mut encoder =
            RosEncoder::new(&SinkOptions { start_unix_ns: 0, ..SinkOptions::default() });
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
