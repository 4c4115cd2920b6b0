//! `understory convert FROM TO`: a recording in another format.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;
use understory_cloud::{Misses, OutputFormat, ReadOptions, SinkOptions};

use crate::colours::ColourArguments;
use crate::outputs::MissesChoice;
use crate::reading::{ReadingArguments, left_out, recording_help};
use crate::report::shown;
use crate::report::{check_json, print_or_json, usage};
use crate::table::facts;
use understory_view::picture::grouped;

/// Convert a recording to another format
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory convert out/demo/demo.npy demo.laz
  understory convert flight.laz flight.npy --trajectory poses.txt
  understory convert scan.pcd scan.csv --pose 2,0,1.8,0,0,90 --points-in sensor
  understory convert sequences/00/ drive.npy
  understory convert rays.ply rays.pcd
  understory convert drive.pcap drive.mcap
  understory convert drive.npy drive.pcap --sensor vlp-16
  understory convert simulated.laz simulated.ply --colours-from real.las
  understory convert scan.laz scan.ply --colours-from view.png --camera=-9,0,4 --look-at 5,0,1

Misses, returns, times and intensities are kept where the target can hold them; what it cannot is
said. A trajectory has lines of `time x y z qx qy qz qw`, or a line of names first.")]
pub struct Arguments {
    #[arg(help = recording_help("A recording"))]
    from: PathBuf,
    #[arg(help = format!("What to write: a name that ends in one of {}", OutputFormat::known_suffixes()))]
    to: PathBuf,
    #[command(flatten)]
    reading: ReadingArguments,
    /// Pulses without a return: keep or drop them [default: las, laz, ply and pcd drop them]
    #[arg(long, value_name = "keep|drop", hide_possible_values = true)]
    misses: Option<MissesChoice>,
    /// The same as --misses drop
    #[arg(long, hide = true, conflicts_with = "misses")]
    no_misses: bool,
    /// Do not compress the points of a .pcd
    #[arg(long)]
    no_compress: bool,
    /// Compress the points of a .pcd, which happens by itself
    #[arg(long, hide = true, conflicts_with = "no_compress")]
    compress: bool,
    /// Give the points of a ROS 2 bag a field with their labels
    #[arg(long)]
    ros_labels: bool,
    /// Give them a field with their colours, also those of simulated materials
    #[arg(long)]
    ros_colours: bool,
    #[command(flatten)]
    colours: ColourArguments,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Converts one recording.
pub fn convert(arguments: &Arguments) -> Result<()> {
    check_json(arguments.json.as_deref())?;
    let format =
        OutputFormat::from_path(&arguments.to).map_err(|error| usage(error.to_string()))?;
    let misses = match (arguments.misses, arguments.no_misses) {
        (Some(choice), _) => choice.to_option(),
        (None, true) => Misses::Drop,
        (None, false) => Misses::Usual,
    };
    let reading = ReadOptions {
        // A pulse without a return is worth keeping even if its direction is not known.
        undirected_misses: misses != Misses::Drop,
        ..arguments.reading.options()?
    };
    let sensors = reading.sensor.iter().cloned().collect();
    if (arguments.compress || arguments.no_compress) && format != OutputFormat::Pcd {
        return Err(usage(
            "--compress and --no-compress are for .pcd; other formats are as small as they can be",
        ));
    }
    if arguments.ros_labels && format != OutputFormat::Mcap {
        return Err(usage("--ros-labels is for .mcap; other formats have labels without it"));
    }
    if arguments.ros_colours && format != OutputFormat::Mcap {
        return Err(usage("--ros-colours is for .mcap; other formats have colours without it"));
    }
    let (compress_pcd, ros_labels) = (!arguments.no_compress, arguments.ros_labels);
    let start = Instant::now();
    let colours = arguments.colours.read(&arguments.from, &reading)?;
    let writing = SinkOptions {
        misses,
        sensors,
        compress_pcd,
        ros_labels,
        ros_colours: arguments.ros_colours || colours.are_new(),
        colours: colours.are_new(),
        ..SinkOptions::default()
    };
    let mut coloured = 0;
    let done = understory_cloud::convert_through(
        &arguments.from,
        &reading,
        &arguments.to,
        format,
        &writing,
        &mut |batch| coloured += colours.colour(batch),
    )?;
    let seconds = start.elapsed().as_secs_f64();
    let (read, written) = (&done.read, &done.written);
    let mut dropped_fields = done.dropped_fields.clone();
    if misses == Misses::Drop {
        dropped_fields.retain(|what| !what.ends_with("pulses without a return"));
    }
    let mut rows = vec![
        ("rows", grouped(read.rows)),
        ("returns", grouped(read.returns)),
        ("misses", grouped(read.misses)),
        ("written", grouped(written.rows)),
    ];
    if colours.are_new() {
        rows.push(("coloured", grouped(coloured)));
    }
    for (name, count) in left_out(read).into_iter().filter(|(_, count)| *count > 0) {
        rows.push(("left out", format!("{} {name}", grouped(count))));
    }
    if read.clock_steps_back > 0 {
        let by = read.largest_step_back_s;
        let steps = grouped(read.clock_steps_back);
        rows.push(("clock", format!("goes back {steps} times, by up to {by:.6} s")));
    }
    rows.extend(read.remarks.iter().map(|remark| ("remark", remark.clone())));
    if !done.known.origin {
        rows.push(("remark", "where the beams came from is not known".to_owned()));
    }
    rows.extend(dropped_fields.iter().map(|what| ("not kept", what.clone())));
    rows.push(("took", format!("{seconds:.2} s")));
    rows.extend(written.paths.iter().map(|path| ("wrote", shown(path))));
    let left: serde_json::Map<_, _> = left_out(read)
        .into_iter()
        .map(|(name, count)| (name.replace(' ', "_"), json!(count)))
        .collect();
    let value = json!({
        "from": arguments.from,
        "to": arguments.to,
        "format": format.name(),
        "rows": read.rows,
        "returns": read.returns,
        "misses": read.misses,
        "rows_written": written.rows,
        "coloured": colours.are_new().then_some(coloured),
        "left_out": left,
        "clock_steps_back": read.clock_steps_back,
        "time_span_s": read.time_span_s,
        "origins_known": done.known.origin,
        "dropped_fields": dropped_fields,
        "remarks": read.remarks,
        "seconds": seconds,
    });
    print_or_json(&facts(&rows), arguments.json.as_deref(), &value)
}
