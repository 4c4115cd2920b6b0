//! `understory register RECORDING… --poses FILE -o FILE`: better poses, and the motion within scans.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;
use understory_base::Progress;
use understory_cloud::{Frame, ReadOptions, check_writable};
use understory_learn::input::Input;
use understory_learn::register::{
    RegisterSettings, Registration, Scan, ScanPoses, odometry, read_scan, register as refine,
    revolutions,
};
use understory_view::picture::grouped;

use crate::progress::StepProgress;
use crate::reading::{ReadingArguments, files_of, recording_help};
use crate::report::{check_json, print_or_json, shown, usage};
use crate::table::facts;

/// Scans that do not fit and are named; the others are counted.
const NAMED: usize = 5;

/// Refine the poses of scans against each other, and find how the sensor moved within each
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory register frames/*.npy --poses odometry.txt -o refined.txt --points-in sensor
  understory register drive/ --poses poses.txt -o refined.txt
  understory register drive/ -o found.txt
  understory learn drive/ --poses refined.txt -o street.site

Each recording is one scan of a spinning sensor, with a pose that odometry found; without --poses each
scan is first laid onto those before it, in the order of their names. Scans are moved onto the planes of
the points of all others; the pose of the first stays. `understory learn --poses` takes
the result and puts every beam where the sensor was when it fired.")]
pub struct Arguments {
    #[arg(required = true, value_name = "RECORDING", help = recording_help("Scans, a file each, or a folder of them"))]
    recordings: Vec<PathBuf>,
    /// Poses of the scans, a line each: a file's name and twelve numbers, or KITTI's twelve numbers
    /// in the order of the files; without them points are in the sensor's frame, and poses are found
    /// in that of the first scan
    #[arg(long, value_name = "FILE")]
    poses: Option<PathBuf>,
    /// The poses to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Most sweeps over all scans
    #[arg(long, default_value_t = RegisterSettings::default().sweeps, value_name = "COUNT")]
    sweeps: usize,
    /// Take scans as if the sensor had stood still during each
    #[arg(long)]
    no_deskew: bool,
    #[command(flatten)]
    reading: ReadingArguments,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Registers and writes.
pub fn register(arguments: &Arguments) -> Result<()> {
    check_json(arguments.json.as_deref())?;
    check_writable(&arguments.output)?;
    if arguments.sweeps == 0 || arguments.sweeps > 1000 {
        return Err(usage("--sweeps is not from 1 to 1000; 20 is usual"));
    }
    let start = Instant::now();
    let bar = StepProgress::new(arguments.quiet);
    let progress = |what: &str, share: f64| bar.step(what, share);
    let options = arguments.reading.options()?;
    let files = files_of(&arguments.recordings, true)?;
    let (mut inputs, mut remarks) = (arguments.inputs(files, &options)?, Vec::new());
    inputs.sort_by(|a, b| a.path.cmp(&b.path));
    if arguments.poses.is_some() {
        remarks.extend(understory_learn::input::recognise_frames(&mut inputs)?);
    } else {
        remarks.push("poses are found from the scans alone, in the frame of the first".to_owned());
    }
    let scans = read(&inputs, &progress).and_then(|mut scans| {
        if arguments.poses.is_none() {
            odometry(&mut scans, &progress)?;
        }
        Ok(scans)
    });
    let settings = RegisterSettings {
        sweeps: arguments.sweeps,
        deskew: !arguments.no_deskew,
        ..RegisterSettings::default()
    };
    let registered = scans.and_then(|mut scans| {
        let report = refine(&mut scans, &settings, &progress)?;
        Ok((scans, report))
    });
    bar.finish();
    let (scans, report) = registered?;
    ScanPoses::write(&arguments.output, &scans)?;
    arguments.tell(&scans, &report, &remarks, start.elapsed().as_secs_f64())
}

fn read(inputs: &[Input], progress: &dyn Progress) -> Result<Vec<Scan>> {
    let mut scans = Vec::with_capacity(inputs.len());
    for (number, input) in inputs.iter().enumerate() {
        progress.step("reading scans", number as f64 / inputs.len() as f64);
        scans.push(read_scan(input)?);
    }
    Ok(scans)
}

impl Arguments {
    fn inputs(&self, files: Vec<PathBuf>, options: &ReadOptions) -> Result<Vec<Input>> {
        if let Some(poses) = &self.poses {
            return Ok(ScanPoses::read(poses)?.place(files, options)?);
        }
        let rows = understory_base::Pose::IDENTITY.to_rows();
        let points_in = Some(Frame::Sensor);
        let own = ReadOptions { pose: Some(rows), points_in, ..options.clone() };
        Ok(files.into_iter().map(|path| Input::new(path, own.clone())).collect())
    }

    fn tell(
        &self,
        scans: &[Scan],
        report: &Registration,
        remarks: &[String],
        seconds: f64,
    ) -> Result<()> {
        let points: usize = scans.iter().map(|scan| scan.points.len()).sum();
        let names: Vec<String> = scans.iter().map(|scan| scan.name.clone()).collect();
        let dropped: f64 = revolutions(&names).iter().map(|steps| steps - 1.0).sum();
        let farthest = report.moved_m.iter().copied().fold(0.0, f64::max);
        let motion =
            scans.iter().map(|scan| scan.motion.twist.linear_m.length()).fold(0.0, f64::max);
        let [before, after] = report.residual_m.map(|metres| metres * 1e3);
        let mut rows = vec![
            ("scans", grouped(scans.len() as u64)),
            ("points", grouped(points as u64)),
            ("dropped", format!("{dropped} scans between them, by their names")),
            (
                "residual",
                format!("{before:.1} mm before, {after:.1} mm after (median, to planes of others)"),
            ),
            ("moved", format!("by up to {:.1} cm", farthest * 100.0)),
            ("motion", format!("up to {motion:.3} m in a revolution")),
            ("sweeps", report.sweeps.to_string()),
        ];
        for number in report.unfit.iter().take(NAMED) {
            let residual = report.residual_of_scan_m[*number] * 1e3;
            let overlap = report.overlap_of_scan[*number] * 100.0;
            rows.push((
                "does not fit",
                format!(
                    "{}: {residual:.1} mm from the others, {overlap:.0} % of it on their planes",
                    scans[*number].name
                ),
            ));
        }
        if report.unfit.len() > NAMED {
            rows.push(("do not fit", format!("{} more", report.unfit.len() - NAMED)));
        }
        rows.extend(remarks.iter().map(|remark| ("remark", remark.clone())));
        rows.push(("took", format!("{seconds:.2} s")));
        rows.push(("wrote", shown(&self.output)));
        let value = json!({
            "poses": self.output,
            "scans": names,
            "points": points,
            "dropped": dropped,
            "registration": report,
            "motion_m": scans.iter().map(|s| s.motion.twist.linear_m.to_array()).collect::<Vec<_>>(),
            "remarks": remarks,
            "seconds": seconds,
        });
        print_or_json(&facts(&rows), self.json.as_deref(), &value)
    }
}
