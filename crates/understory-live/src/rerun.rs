//! Records in Rerun: written to a file `.rrd`, or sent to a viewer that runs.
//!
//! What enters: records and the poses of scans. What leaves: for each scan of each sensor its
//! points in the world, coloured by intensity, and the pose of the sensor, on the timeline `time`
//! in seconds since the start of the run. Positions are floats there: they are relative to a round
//! point near the first one.

use std::path::{Path, PathBuf};

use re_sdk::{RecordingStream, RecordingStreamBuilder, RecordingStreamError};
use re_sdk_types::archetypes::{Points3D, Transform3D};
use re_sdk_types::components::Color;
use understory_cloud::{
    CloudError, RecordSink, Records, ScanPose, SensorDescription, SinkReport, StagedFile,
};

/// Most points of one message: a scan that never ends is sent in parts.
const POINTS_MAX: usize = 1 << 20;

/// Sends records to Rerun.
pub struct RerunSink {
    target: PathBuf,
    stream: RecordingStream,
    /// The file before it has its name; none for a viewer.
    file: Option<StagedFile>,
    sensors: Vec<Shown>,
    origin_m: Option<[f64; 3]>,
    rows: u64,
    misses: u64,
}

/// One sensor and the scan that is being collected.
struct Shown {
    name: String,
    scan: Option<u32>,
    time_s: f64,
    points: Vec<[f32; 3]>,
    colours: Vec<Color>,
}

impl RerunSink {
    /// Writes a file; it appears when the sink is finished.
    pub fn to_file(path: &Path, sensors: &[SensorDescription]) -> Result<RerunSink, CloudError> {
        let file = StagedFile::create(path)?;
        let stream = builder().save(file.path());
        RerunSink::over(path.to_path_buf(), stream, Some(file), sensors)
    }

    /// Sends to a viewer, such as `rerun+http://127.0.0.1:9876/proxy`.
    pub fn to_viewer(url: &str, sensors: &[SensorDescription]) -> Result<RerunSink, CloudError> {
        RerunSink::over(PathBuf::from(url), builder().connect_grpc_opts(url), None, sensors)
    }

    fn over(
        target: PathBuf,
        stream: Result<RecordingStream, RecordingStreamError>,
        file: Option<StagedFile>,
        sensors: &[SensorDescription],
    ) -> Result<RerunSink, CloudError> {
        let stream = stream.map_err(|error| failed(&target, error))?;
        let sensors = sensors.iter().map(|facts| Shown::named(&facts.name)).collect();
        Ok(RerunSink { target, stream, file, sensors, origin_m: None, rows: 0, misses: 0 })
    }

    /// The sensor's collection; sensors without facts are numbered.
    fn shown(&mut self, sensor: u16) -> &mut Shown {
        let index = usize::from(sensor);
        while self.sensors.len() <= index {
            let name = format!("sensor_{}", self.sensors.len());
            self.sensors.push(Shown::named(&name));
        }
        &mut self.sensors[index]
    }

    /// Sends the scan that a sensor has collected.
    fn send(&mut self, index: usize) -> Result<(), CloudError> {
        let Some(shown) = self.sensors.get_mut(index) else { return Ok(()) };
        if shown.points.is_empty() {
            return Ok(());
        }
        self.stream.set_duration_secs("time", shown.time_s);
        let cloud = Points3D::new(shown.points.drain(..)).with_colors(shown.colours.drain(..));
        let path = format!("world/{}/points", shown.name);
        self.stream.log(path, &cloud).map_err(|error| failed(&self.target, error))
    }

    fn relative(&self, at: [f64; 3]) -> [f32; 3] {
        let origin = self.origin_m.unwrap_or_default();
        std::array::from_fn(|axis| (at[axis] - origin[axis]) as f32)
    }
}

impl Shown {
    fn named(name: &str) -> Shown {
        let (points, colours) = (Vec::new(), Vec::new());
        Shown { name: name.to_owned(), scan: None, time_s: 0.0, points, colours }
    }
}

impl RecordSink for RerunSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        for row in 0..records.len() {
            let (sensor, scan) = (records.sensor[row], records.scan[row]);
            let shown = self.shown(sensor);
            if shown.scan != Some(scan) || shown.points.len() >= POINTS_MAX {
                self.send(usize::from(sensor))?;
                let shown = self.shown(sensor);
                shown.scan = Some(scan);
                shown.time_s = records.time_s[row];
            }
            if records.is_miss(row) {
                self.misses += 1;
                continue;
            }
            let at = records.world_xyz_m[row];
            if self.origin_m.is_none() {
                self.origin_m = Some(at.map(|c| (c / 1000.0).round() * 1000.0));
            }
            let (at, colour) = (self.relative(at), colour(records.intensity[row]));
            let shown = self.shown(sensor);
            shown.points.push(at);
            shown.colours.push(colour);
            self.rows += 1;
        }
        Ok(())
    }

    fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        let rows = pose.world_from_sensor;
        let at = rows.map(|row| row[3]);
        if self.origin_m.is_none() {
            self.origin_m = Some(at.map(|c| (c / 1000.0).round() * 1000.0));
        }
        let translation = self.relative(at);
        // Column by column.
        let columns: [[f32; 3]; 3] =
            std::array::from_fn(|column| std::array::from_fn(|row| rows[row][column] as f32));
        let path = format!("world/{}/pose", self.shown(pose.sensor).name);
        self.stream.set_duration_secs("time", pose.time_s);
        let pose = Transform3D::new().with_translation(translation).with_mat3x3(columns);
        self.stream.log(path, &pose).map_err(|error| failed(&self.target, error))
    }

    fn finish(mut self: Box<Self>) -> Result<SinkReport, CloudError> {
        for index in 0..self.sensors.len() {
            self.send(index)?;
        }
        let RerunSink { target, stream, file, rows, misses, .. } = *self;
        stream.flush_blocking().map_err(|error| failed(&target, error))?;
        stream.disconnect();
        drop(stream);
        let mut paths = Vec::new();
        if let Some(file) = file {
            paths.push(file.publish()?);
        }
        Ok(SinkReport { paths, rows, dropped_misses: misses, ..SinkReport::default() })
    }
}

fn builder() -> RecordingStreamBuilder {
    RecordingStreamBuilder::new("understory")
}

fn failed(target: &Path, error: impl std::error::Error + Send + Sync + 'static) -> CloudError {
    CloudError::Write { path: target.to_path_buf(), error: std::io::Error::other(error) }
}

/// From dark blue over green to yellow as the intensity rises.
fn colour(intensity: f32) -> Color {
    let share = if intensity.is_finite() { intensity.clamp(0.0, 1.0).sqrt() } else { 1.0 };
    let byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0) as u8;
    Color::from_rgb(
        byte(1.6 * share - 0.6),
        byte(0.15 + 0.8 * share),
        byte(0.45 + 0.5 * share * (1.0 - share) - 0.35 * share),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_cloud::Record;

    #[test]
    fn a_file_appears_whole_and_begins_as_rerun_files_do() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.rrd");
        let mut sink = Box::new(RerunSink::to_file(&path, &[]).unwrap());
        let mut records = Records::default();
        for scan in 0..3 {
            for i in 0..10 {
                let world_xyz_m = [500_000.0 + f64::from(i), 1.0, 2.0];
                let row = Record { world_xyz_m, scan, return_number: 1, ..Record::miss() };
                records.push(Record { time_s: f64::from(scan), intensity: 0.5, ..row });
            }
        }
        sink.write(&records).unwrap();
        assert!(!path.exists());
        let report = sink.finish().unwrap();
        assert_eq!((report.rows, report.paths), (30, vec![path.clone()]));
        assert!(std::fs::read(&path).unwrap().starts_with(b"RRF2"));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
