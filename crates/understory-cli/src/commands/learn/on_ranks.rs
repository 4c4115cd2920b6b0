//! `mpirun -n N understory learn …`: each rank sums up its share of the beams, and the sums are whole
//! numbers, so that the site has the same bytes as that of one process.
//!
//! Every rank reads all recordings and takes every N-th batch of their beams: copies of files,
//! misses that are found again and pulses over several rows are then the same everywhere, and one
//! large file is shared as well as many small ones. What ranks send each other is what the stages
//! of [`parts`](understory_learn::estimate::parts) write to files.

use std::cell::Cell;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use understory::run::Ranks;
use understory_learn::LearnError;
use understory_learn::estimate::parts::{CountsPart, PointsPart};
use understory_learn::estimate::voxel::{self, Geometry};
use understory_learn::estimate::{Settings, Tau};
use understory_learn::input::RecordingBeams;
use understory_learn::input::{BeamSource, Beams};

use super::{Arguments, ModelName, MovingName, learned_from, skipped};
use crate::progress::StepProgress;
use crate::ranks::{agree, receive_long, send_long};
use crate::report::{check_json, usage};
use understory_base::Progress;
use understory_cloud::check_writable;

/// Every `size`-th batch of another source, from batch number `rank` on.
struct EveryNth<'a> {
    source: &'a RecordingBeams,
    rank: usize,
    size: usize,
}

impl BeamSource for EveryNth<'_> {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        let number = Cell::new(0);
        self.source.pass(&mut |beams| {
            number.set(number.get() + 1);
            if (number.get() - 1) % self.size == self.rank { take(beams) } else { Ok(()) }
        })
    }

    fn expected(&self) -> Option<u64> {
        self.source.expected().map(|beams| beams / self.size as u64)
    }
}

/// Learns a site of voxels on all ranks; rank 0 writes it.
pub fn learn(arguments: &Arguments, ranks: &dyn Ranks) -> Result<()> {
    let start = Instant::now();
    let (rank, size) = (ranks.rank(), ranks.size());
    let bar = StepProgress::new(arguments.quiet || rank > 0);
    let progress = |what: &str, share: f64| bar.step(what, share);
    let (source, settings, tau) = agree(ranks, prepare(arguments, rank), &[])?;
    let share = EveryNth { source: &source, rank, size };

    let gathered = voxel::gather(&share, &settings, &progress).map_err(anyhow::Error::from);
    let (cells, beams) = agree(ranks, gathered, &[])?;
    let recordings = if rank == 0 { arguments.names() } else { Vec::new() };
    let mut points = PointsPart { settings, recordings, beams, cells };
    if rank > 0 {
        send_long(ranks, 0, &points.to_bytes());
    }
    let merged = if rank == 0 { merge(&mut points, ranks) } else { Ok(()) };
    agree(ranks, merged, &[])?;
    if rank == 0 {
        let bytes = points.to_bytes();
        (1..size).for_each(|other| send_long(ranks, other, &bytes));
    }
    let counted = if rank == 0 { Ok(points) } else { all_points(ranks) };
    let counted = counted.and_then(|points| {
        if points.cells.is_empty() {
            let range_max_m = settings.range_max_m;
            return Err(LearnError::NothingToLearn { beams: points.beams, range_max_m }.into());
        }
        let geometry = Geometry::new(&points.cells, &settings)?;
        let counts = voxel::count(&share, &geometry, tau, &settings, &progress)?;
        Ok((points, geometry, counts))
    });
    let (points, geometry, counts) = agree(ranks, counted, &[])?;
    let mut counted = CountsPart { geometry: points.checksum(), tau, skipped: 0, counts };
    if rank > 0 {
        send_long(ranks, 0, &counted.to_bytes());
        return Ok(());
    }
    for other in 1..size {
        let bytes = receive_long(ranks, other)?;
        counted.merge(&CountsPart::from_bytes(bytes, &name_of(other))?)?;
    }
    bar.finish();
    let (mut site, mut report) = voxel::site(&geometry, &counted.counts, tau, &settings);
    report.out_of_reach = points.cells.out_of_reach;
    report.working_bytes = points.cells.memory_bytes() as u64 / geometry.cells.len().max(1) as u64;
    let read = source.report();
    site.provenance.skipped = skipped(&read);
    site.provenance.remarks.extend(learned_from(&points.recordings));
    site.write(&arguments.output)?;
    arguments.print_summary(&site, &report, &read, None, start.elapsed().as_secs_f64())
}

/// Adds the points of all other ranks.
fn merge(points: &mut PointsPart, ranks: &dyn Ranks) -> Result<()> {
    for other in 1..ranks.size() {
        let bytes = receive_long(ranks, other)?;
        points.merge(&PointsPart::from_bytes(bytes, &name_of(other))?)?;
    }
    Ok(())
}

/// The points of all ranks, from rank 0.
fn all_points(ranks: &dyn Ranks) -> Result<PointsPart> {
    Ok(PointsPart::from_bytes(receive_long(ranks, 0)?, &name_of(0))?)
}

fn prepare(arguments: &Arguments, rank: usize) -> Result<(RecordingBeams, Settings, f64)> {
    if arguments.stage.is_some() {
        return Err(usage("--stage is done by one process; start it without mpirun"));
    }
    if !matches!(arguments.model, Some(ModelName::Voxel)) {
        return Err(usage(
            "only voxels are learned by several ranks; say --model voxel, or start it without mpirun",
        ));
    }
    if arguments.colours {
        return Err(usage("--colours is done by one process; start it without mpirun"));
    }
    if arguments.moving == MovingName::LeaveOut {
        return Err(usage("--moving leave-out is done by one process; start it without mpirun"));
    }
    if rank == 0 {
        check_json(arguments.json.as_deref())?;
        let output = &arguments.output;
        check_writable(output)?;
    }
    let beam_options = arguments.beam_options()?;
    let settings = arguments.settings(beam_options.range_max_m)?;
    let Tau::Fixed(tau) = settings.tau else {
        return Err(usage(
            "--tau auto needs all beams at once; give a number, or start it without mpirun",
        ));
    };
    let source = RecordingBeams::open(arguments.inputs()?, beam_options)?;
    Ok((source, settings, tau))
}

/// What errors call the message of a rank.
fn name_of(rank: usize) -> PathBuf {
    format!("message of rank {rank}").into()
}
