//! Runs that are cut, stored, killed, resumed and shared: always the same rows, to the last bit.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::cell::Cell;
use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use understory::Error;
use understory::pulse::PreparedRun;
use understory::run::{
    Checkpoint, Ranks, RunBackend, RunIdentity, RunOptions, RunSummary, Split, run_with,
};
use understory::scenario::Scenario;
use understory_base::{Progress, Silent};
use understory_cloud::{
    MemorySink, MultiSink, OutputFormat, RecordSink, ScanPose, SinkOptions, encode_records,
    open_part, open_sink,
};

/// A spinning sensor and one with waveforms before a wall, on a platform that moves.
fn prepared() -> PreparedRun {
    let folder = tempfile::tempdir().unwrap();
    let sensor = "title = 'test'\nmaker = 'test'\nwavelength_nm = 905\n\
        [table]\ncycle_s = 1e-4\ntime_s = [0, 3e-5]\nazimuth_deg = [0, 1]\nelevation_deg = [0, 2]\n\
        [beam]\nspot_shape = 'circular'\ndivergence_horizontal_mrad = 2\n\
        divergence_vertical_mrad = 2\nsampling = 'uniform'\nrays = 4\n\
        [detector]\nrange_min_m = 1\nrange_max_m = 600\nreturn_mode = 'all'\nkind = 'peaks'\n\
        [receiver]\npulse_fwhm_ns = 5\nnoise = 'sampled'\nsnr_reference = 30\n\
        reference_range_m = 50\nreference_reflectance = 0.5\n";
    fs::write(folder.path().join("test.toml"), sensor).unwrap();
    let text = "version = 1\nseed = 3\nduration_s = 0.09\n[world]\n\
        [[world.object]]\nname = 'wall'\nshape = 'plane'\nsize_m = [20, 20]\n\
        position_m = [10, 0, 0]\nrotation_deg = [0, -90, 0]\n\
        [[sensor]]\nname = 'a'\npreset = 'vlp-16'\n\
        [[sensor]]\nname = 'b'\nfile = 'test.toml'\n\
        [platform]\nwaypoints = [{ time_s = 0, position_m = [0, 0, 0] },\n\
        { time_s = 0.09, position_m = [1, 0, 0.1], rotation_deg = [0, 0, 9] }]\n";
    let scenario = Scenario::from_toml(text, "test.toml", folder.path()).unwrap();
    scenario.prepare().unwrap()
}

fn identity(seed: &str) -> RunIdentity {
    let mut identity = RunIdentity::default();
    identity.add("the scenario", "walls");
    identity.add("the seed", seed);
    identity
}

/// Everything that a sink heard, as bytes in which NaN is equal to itself.
fn heard(memory: &MemorySink) -> (Vec<u8>, Vec<ScanPose>) {
    let mut bytes = Vec::new();
    encode_records(&memory.records(), &mut bytes, &mut Vec::new());
    (bytes, memory.scan_poses())
}

type Heard = (Vec<u8>, Vec<ScanPose>);

fn simulate(
    run: &PreparedRun,
    options: &RunOptions,
    backend: RunBackend,
    progress: &dyn Progress,
) -> Result<Option<(RunSummary, Heard)>, Error> {
    let memory = MemorySink::default();
    let options = RunOptions { keep_waveforms: true, ..options.clone() };
    let open = || -> Result<Box<dyn RecordSink>, Error> { Ok(Box::new(memory.clone())) };
    let done = run_with(run, &options, backend, open, progress)?;
    Ok(done.map(|(summary, _)| (summary, heard(&memory))))
}

fn whole(run: &PreparedRun) -> (RunSummary, Heard) {
    let options = RunOptions { threads: Some(1), ..RunOptions::default() };
    simulate(run, &options, RunBackend::default(), &Silent).unwrap().unwrap()
}

/// Rises a flag when so many pulses are done.
struct StopAfter {
    left: AtomicU64,
    flag: Arc<AtomicBool>,
}

impl Progress for StopAfter {
    fn started(&self, _: u64, _: f64) {}
    fn advanced(&self, pulses: u64, _: f64) {
        let left = self.left.load(Ordering::Relaxed).saturating_sub(pulses);
        self.left.store(left, Ordering::Relaxed);
        self.flag.store(left == 0, Ordering::Relaxed);
    }
    fn finished(&self) {}
}

/// Runs until about `pulses` are written; the parts stay.
fn stop_after(run: &PreparedRun, folder: &Path, pulses: u64) {
    let flag = Arc::new(AtomicBool::new(false));
    let progress = StopAfter { left: AtomicU64::new(pulses), flag: flag.clone() };
    let mut parts = Checkpoint::for_run(folder, &identity("3"), (0.0, 0.09), false).unwrap();
    let backend = RunBackend { parts: Some(&mut parts), ..RunBackend::default() };
    let options = RunOptions { cancel: Some(flag), ..RunOptions::default() };
    let stopped = simulate(run, &options, backend, &progress);
    let Err(Error::Interrupted { folder: kept, .. }) = stopped else { panic!("not stopped") };
    assert_eq!(kept, folder);
}

fn go_on(run: &PreparedRun, folder: &Path) -> (RunSummary, Heard, u64) {
    let mut parts = Checkpoint::for_run(folder, &identity("3"), (0.0, 0.09), false).unwrap();
    let torn = parts.torn();
    let backend = RunBackend { parts: Some(&mut parts), ..RunBackend::default() };
    let (summary, heard) =
        simulate(run, &RunOptions::default(), backend, &Silent).unwrap().unwrap();
    parts.remove().unwrap();
    assert!(!folder.exists());
    (summary, heard, torn)
}

#[test]
fn a_run_that_was_stopped_three_times_goes_on_to_the_same_rows() {
    let (run, folder) = (prepared(), tempfile::tempdir().unwrap());
    let folder = folder.path().join("parts");
    let (expected, rows) = whole(&run);
    for pulses in [5000, 11_000, 19_000] {
        stop_after(&run, &folder, pulses);
    }
    let (summary, resumed, torn) = go_on(&run, &folder);
    assert!(resumed == rows);
    assert_eq!(torn, 0);
    assert!(summary.resumed_pulses >= 19_000 && summary.resumed_pulses < summary.pulses);
    // What was counted before the stops counts too.
    assert_eq!(summary.waveforms, expected.waveforms);
    assert_eq!((summary.returns, summary.misses), (expected.returns, expected.misses));
}

#[test]
fn torn_and_altered_parts_are_noticed_and_simulated_again() {
    let (run, root) = (prepared(), tempfile::tempdir().unwrap());
    let (_, rows) = whole(&run);
    let folder = root.path().join("parts");
    type Harm = fn(&mut Vec<u8>);
    let harms: [Harm; 5] = [
        |bytes| bytes.truncate(bytes.len() - 1),
        |bytes| bytes.truncate(17),
        |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        },
        |bytes| bytes.extend_from_slice(&[0xFF; 300]),
        // A length that would not fit into memory.
        |bytes| bytes[44..48].copy_from_slice(&[0xFF; 4]),
    ];
    for (number, harm) in harms.into_iter().enumerate() {
        stop_after(&run, &folder, 9000);
        let file = folder.join("blocks-0000");
        let mut bytes = fs::read(&file).unwrap();
        harm(&mut bytes);
        fs::write(&file, bytes).unwrap();
        let (summary, resumed, torn) = go_on(&run, &folder);
        assert!(resumed == rows, "harm {number}");
        assert_eq!(torn, 1, "harm {number}");
        assert_eq!(summary.resumed_pulses == 0, number == 1 || number == 4, "harm {number}");
    }
}

#[test]
fn parts_of_another_run_or_interval_are_never_mixed_in() {
    let (run, root) = (prepared(), tempfile::tempdir().unwrap());
    let folder = root.path().join("parts");
    stop_after(&run, &folder, 5000);
    let said = |seed: &str, interval_s| match Checkpoint::for_run(
        &folder,
        &identity(seed),
        interval_s,
        false,
    ) {
        Err(error) => error.to_string(),
        Ok(_) => String::new(),
    };
    let other = said("4", (0.0, 0.09));
    assert!(other.contains("the seed is 3 there and 4 here"), "{other}");
    assert!(other.contains("--restart"), "{other}");
    assert!(said("3", (0.0, 0.05)).contains("interval 0..0.09 s"));
    // A file of another run among those of this one.
    let digest = identity("9").digest();
    fs::write(folder.join("blocks-0007"), [&b"\x89PARTS1\n"[..], &digest].concat()).unwrap();
    assert!(said("3", (0.0, 0.09)).contains("blocks-0007"));
    let fresh = Checkpoint::for_run(&folder, &identity("4"), (0.0, 0.09), true).unwrap();
    assert!(fresh.is_empty());
    assert!(said("4", (0.0, 0.09)).contains("another process"));
    drop(fresh);
    assert_eq!(said("4", (0.0, 0.09)), "");
}

#[test]
fn hosts_simulate_intervals_and_their_parts_join_to_the_whole() {
    let (run, root) = (prepared(), tempfile::tempdir().unwrap());
    let (_, rows) = whole(&run);
    let intervals = [(0.0411, 0.09), (0.0, 0.0137), (0.0137, 0.0411)];
    let folders: Vec<PathBuf> =
        (0..2).map(|host| root.path().join(format!("host-{host}"))).collect();
    let join = |number: usize| -> Result<Heard, Error> {
        // The second host does two of the three.
        let folder = &folders[number.min(1)];
        let mut parts = Checkpoint::shared(folder, &identity("3"))?;
        let options = RunOptions { interval_s: Some(intervals[number]), ..RunOptions::default() };
        let backend = RunBackend { parts: Some(&mut parts), ..RunBackend::default() };
        simulate(&run, &options, backend, &Silent)?;
        let known = if number == 0 { &folders[..1] } else { &folders[..] };
        let mut parts = Checkpoint::from_folders(known, &identity("3"))?;
        let backend =
            RunBackend { parts: Some(&mut parts), stored_only: true, ..RunBackend::default() };
        Ok(simulate(&run, &RunOptions::default(), backend, &Silent)?.unwrap().1)
    };
    let missing = join(0).unwrap_err().to_string();
    assert!(missing.contains("0..0.0411 s is missing"), "{missing}");
    assert!(join(1).unwrap_err().to_string().contains("0.0137..0.0411 s is missing"));
    assert!(join(2).unwrap() == rows);
    let nothing = Checkpoint::from_folders(&[root.path().to_path_buf()], &identity("3"));
    assert!(nothing.is_err_and(|error| error.to_string().contains("holds no parts")));
}

/// Threads as ranks: the same calls as over MPI.
struct Threads {
    rank: usize,
    size: usize,
    /// Messages by sender and receiver.
    mail: Arc<Vec<Mutex<VecDeque<Vec<u8>>>>>,
    /// Most messages that waited for rank 0 at once.
    most_waiting: Arc<AtomicU64>,
    /// Looks for a message, from the lowest bit on, to which it has not come yet.
    late: Cell<u64>,
}

impl Ranks for Threads {
    fn rank(&self) -> usize {
        self.rank
    }
    fn size(&self) -> usize {
        self.size
    }
    fn send(&self, to: usize, message: &[u8], _: &dyn Fn() -> bool) -> bool {
        let mut mail = self.mail[self.rank * self.size + to].lock().unwrap();
        mail.push_back(message.to_vec());
        self.most_waiting.fetch_max(mail.len() as u64, Ordering::Relaxed);
        true
    }
    fn receive(&self, from: usize, message: &mut Vec<u8>) -> bool {
        let late = self.late.get();
        self.late.set(late >> 1);
        if late & 1 == 1 {
            return false;
        }
        let found = self.mail[from * self.size + self.rank].lock().unwrap().pop_front();
        let some = found.is_some();
        message.clear();
        message.extend(found.unwrap_or_default());
        some
    }
}

/// The same run on several ranks; gives what rank 0 says and whether the others were content.
fn on_ranks(
    run: &PreparedRun,
    size: usize,
    split: Split,
    folder: Option<&Path>,
    sink_fails: bool,
    late: [u64; 2],
) -> (Result<(RunSummary, Heard), Error>, Vec<bool>, u64) {
    let mail = Arc::new((0..size * size).map(|_| Mutex::default()).collect::<Vec<_>>());
    let most_waiting = Arc::new(AtomicU64::new(0));
    let act = |rank: usize| {
        let (mail, most_waiting) = (mail.clone(), most_waiting.clone());
        let late = Cell::new(late[rank.min(1)]);
        let ranks = Threads { rank, size, mail, most_waiting, late };
        let mut parts = folder.map(|folder| Checkpoint::shared(folder, &identity("3")).unwrap());
        let backend = RunBackend {
            parts: parts.as_mut(),
            ranks: Some((&ranks, split)),
            ..RunBackend::default()
        };
        let options = RunOptions { threads: Some(2), ..RunOptions::default() };
        if sink_fails {
            let open = || Err(Error::invalid("disk", "it is full", "empty it"));
            return run_with(run, &options, backend, open, &Silent).map(|_| None);
        }
        simulate(run, &options, backend, &Silent)
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..size).map(|rank| scope.spawn(move || act(rank))).collect();
        let zero = act(0).map(Option::unwrap);
        let content = others.into_iter().map(|other| other.join().unwrap().is_ok()).collect();
        (zero, content, most_waiting.load(Ordering::Relaxed))
    })
}

#[test]
fn any_number_of_ranks_gives_the_same_rows() {
    let run = prepared();
    let (expected, rows) = whole(&run);
    for (size, split) in
        [(2, Split::Scans), (3, Split::Scans), (2, Split::Intervals), (5, Split::Intervals)]
    {
        let root = tempfile::tempdir().unwrap();
        let folder = (split == Split::Intervals).then(|| root.path().join("parts"));
        let (zero, content, waiting) =
            on_ranks(&run, size, split, folder.as_deref(), false, [0; 2]);
        let (summary, shared) = zero.unwrap();
        assert!(shared == rows, "{size} ranks, {split:?}");
        assert_eq!(summary.waveforms, expected.waveforms);
        assert!(content.into_iter().all(|content| content));
        // Two threads may be ahead by six blocks; the rest are words about the end.
        assert!(waiting <= 8, "{waiting} messages waited");
    }
}

#[test]
fn a_failing_output_ends_all_ranks() {
    let (zero, content, _) = on_ranks(&prepared(), 3, Split::Scans, None, true, [0; 2]);
    assert!(zero.is_err_and(|error| error.to_string().contains("it is full")));
    assert_eq!(content, [false, false]);
}

/// All ways in which the first four looks of rank 0, and of the others, come before a message does:
/// blocks, words that some were taken, and the end. The rows are the same, and nobody waits for ever.
#[test]
fn messages_that_come_late_change_nothing() {
    let run = prepared();
    let (_, rows) = whole(&run);
    for (size, split, bits) in
        [(2, Split::Scans, 4), (3, Split::Scans, 2), (2, Split::Intervals, 2)]
    {
        for pattern in 0..1u64 << (2 * bits) {
            let late = [pattern & ((1 << bits) - 1), pattern >> bits];
            let root = tempfile::tempdir().unwrap();
            let folder = (split == Split::Intervals).then(|| root.path().join("parts"));
            let (zero, content, _) = on_ranks(&run, size, split, folder.as_deref(), false, late);
            assert!(zero.unwrap().1 == rows, "{size} ranks, {split:?}, late {late:?}");
            assert!(content.into_iter().all(|content| content));
        }
    }
}

/// Ranks that write files together: the bytes of one process, whatever comes late.
#[test]
fn files_that_ranks_write_together_are_those_of_one() {
    const FORMATS: [OutputFormat; 3] = [OutputFormat::Laz, OutputFormat::Npy, OutputFormat::Csv];
    let run = prepared();
    let root = tempfile::tempdir().unwrap();
    let file = |name: &str, format: OutputFormat| {
        root.path().join(format!("{name}.{}", format.extension()))
    };
    let options = SinkOptions::default();
    let open = || -> Result<Box<dyn RecordSink>, Error> {
        let mut sinks = Vec::new();
        for format in FORMATS {
            sinks.push(open_sink(&file("alone", format), format, &options)?);
        }
        Ok(Box::new(MultiSink::new(sinks)))
    };
    let run_options = RunOptions { threads: Some(1), ..RunOptions::default() };
    let done = run_with(&run, &run_options, RunBackend::default(), open, &Silent).unwrap();
    let (alone, written) = done.unwrap();
    for (size, late) in [(2, [0, 0]), (2, [5, 2]), (2, [10, 3]), (3, [3, 12]), (4, [0, 7])] {
        let name = format!("on-{size}-{}-{}", late[0], late[1]);
        let mail = Arc::new((0..size * size).map(|_| Mutex::default()).collect::<Vec<_>>());
        let act = &|rank: usize| {
            let (mail, most_waiting) = (mail.clone(), Arc::default());
            let late = Cell::new(late[rank.min(1)]);
            let ranks = Threads { rank, size, mail, most_waiting, late };
            let folder = root.path().join(format!("{name}.parts"));
            let mut parts = Checkpoint::shared(&folder, &identity("3")).unwrap();
            let open_parts = |first, number| {
                let open =
                    |format| open_part(&file(&name, format), format, &options, first, number);
                FORMATS.into_iter().map(open).collect()
            };
            let backend = RunBackend {
                parts: Some(&mut parts),
                ranks: Some((&ranks, Split::Intervals)),
                together: Some(&open_parts),
                ..RunBackend::default()
            };
            let never = || Err(Error::invalid("sink", "it is opened", "leave it closed"));
            run_with(&run, &run_options, backend, never, &Silent)
        };
        let done = std::thread::scope(|scope| {
            let others: Vec<_> = (1..size).map(|rank| scope.spawn(move || act(rank))).collect();
            let done = act(0);
            others.into_iter().for_each(|other| assert!(other.join().unwrap().unwrap().is_none()));
            done
        });
        let (summary, report) = done.unwrap().unwrap();
        assert_eq!((summary.pulses, summary.returns), (alone.pulses, alone.returns));
        assert_eq!((report.rows, report.dropped_misses), (written.rows, written.dropped_misses));
        for format in FORMATS {
            let same =
                fs::read(file("alone", format)).unwrap() == fs::read(file(&name, format)).unwrap();
            assert!(same, "{format:?} of {name}");
        }
    }
}
