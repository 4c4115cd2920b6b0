//! Changes small files of every format at random and reads them: no panic, no hang, little memory.
//!
//! ```sh
//! cargo run --release --package understory-cloud --example fuzz_readers -- --seconds 600 e57 parquet
//! ```
//!
//! Needs no special toolchain. Each format is read in a process of its own with at most 1 GiB of
//! address space beyond what it has at its start; a case that takes longer than two seconds of its
//! thread is a hang. What fails, and the worst cases by time and memory, are kept in the folder
//! `--keep` (target/fuzz). `--corpus FOLDER` adds files, `--case FILE` reads one file again.
//!
//! To add a format, add a line to `FORMATS`.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use std::error::Error;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use understory_cloud::{
    BagCompression, IDENTITY_ROWS, LaserDescription, OusterProduct, OusterProfile, OutputFormat,
    PacketFormat, ReadOptions, Record, Recording, Records, ReportedReturns, ScanPose,
    SensorDescription, SinkOptions, Spin, VelodyneModel, describe, open_sink,
};

/// Name, ending of its files, and what makes changed bytes pass its check sums.
type Format = (&'static str, &'static str, fn(&mut [u8]));

const FORMATS: [Format; 17] = [
    ("las", "las", no_sums),
    ("laz", "laz", no_sums),
    ("ply", "ply", no_sums),
    ("ray-cloud", "raycloud.ply", no_sums),
    ("pcd", "pcd", no_sums),
    ("csv", "csv", no_sums),
    ("npy", "npy", no_sums),
    ("evd", "evd", no_sums),
    ("helios-xyz", "helios.xyz", no_sums),
    ("bin", "bin", no_sums),
    ("parquet", "parquet", no_sums),
    ("e57", "e57", e57_sums),
    ("mcap", "mcap", mcap_sums),
    ("pcap", "pcap", no_sums),
    ("ouster", "ouster.pcap", no_sums),
    ("ouster-json", "meta.json", no_sums),
    ("vtk", "vtk", no_sums),
];

const CASE_LIMIT: Duration = Duration::from_secs(2);
const MEMORY_LIMIT_KIB: u64 = 1 << 20;

fn no_sums(_: &mut [u8]) {}

fn e57_sums(bytes: &mut [u8]) {
    for page in bytes.chunks_exact_mut(1024) {
        let (payload, sum) = page.split_at_mut(1020);
        sum.copy_from_slice(&crc32c::crc32c(payload).to_be_bytes());
    }
}

/// Check sums of chunks become 0, which means that there is none.
fn mcap_sums(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(head) = bytes.get(at..at + 9) {
        let length = head[1..].try_into().map_or(0, u64::from_le_bytes);
        if let (6, Some(sum)) = (head[0], bytes.get_mut(at + 33..at + 37)) {
            sum.fill(0);
        }
        match usize::try_from(length).ok().and_then(|length| at.checked_add(9)?.checked_add(length))
        {
            Some(next) => at = next,
            None => return,
        }
    }
}

/// An Ouster with 16 rows.
fn ouster() -> SensorDescription {
    let laser = |row: u32| LaserDescription {
        elevation_deg: 15.0 - 2.0 * f64::from(row),
        forward_m: 0.012,
        ..LaserDescription::default()
    };
    SensorDescription {
        name: "os1".to_owned(),
        packets: Some(PacketFormat::Ouster(OusterProduct {
            profile: OusterProfile::Rng19,
            product: "OS-1-16".to_owned(),
            serial: 1,
        })),
        lasers: (0..16).map(laser).collect(),
        spin: Some(Spin { rotation_hz: 10.0, clockwise: true, cycle_s: 0.1 / 512.0 }),
        scan_s: 0.1,
        columns_per_scan: 512,
        range_m: [0.5, 120.0],
        returns: ReportedReturns::Strongest,
        sensor_from_lidar: [[-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.036]],
        platform_from_sensor: IDENTITY_ROWS,
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let (mut seconds, mut seed, mut names) = (60u64, 1u64, Vec::new());
    let (mut keep, mut corpus, mut child, mut case) =
        (PathBuf::from("target/fuzz"), None, false, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--seconds" => seconds = value()?.parse()?,
            "--seed" => seed = value()?.parse()?,
            "--keep" => keep = PathBuf::from(value()?),
            "--corpus" => corpus = Some(PathBuf::from(value()?)),
            "--case" => case = Some(PathBuf::from(value()?)),
            "--child" => child = true,
            name => names.push(name.to_owned()),
        }
    }
    if let Some(case) = case {
        println!("{}", read(&case));
        return Ok(ExitCode::SUCCESS);
    }
    fs::create_dir_all(&keep)?;
    let formats: Vec<Format> = FORMATS
        .into_iter()
        .filter(|(name, ..)| names.is_empty() || names.iter().any(|n| n == name))
        .collect();
    let mut bad = 0;
    for format in formats {
        if child {
            run(&format, seconds, seed, &keep, corpus.as_deref())?;
            return Ok(ExitCode::SUCCESS);
        }
        bad += supervise(&format, seconds, seed, &keep, corpus.as_deref())?;
    }
    Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Starts processes that read cases, until the time is over; returns how many died.
fn supervise(
    format: &Format,
    seconds: u64,
    seed: u64,
    keep: &Path,
    corpus: Option<&Path>,
) -> Result<u64, Box<dyn Error>> {
    let (start, mut died) = (Instant::now(), 0);
    while start.elapsed().as_secs() < seconds && died < 20 {
        let left = seconds - start.elapsed().as_secs();
        let mut command = Command::new("sh");
        // Address space that the program has from the beginning comes on top.
        let limit = MEMORY_LIMIT_KIB + 300_000;
        command.arg("-c").arg(format!("ulimit -v {limit}; exec \"$0\" \"$@\""));
        command.arg(std::env::current_exe()?).args(["--child", format.0, "--keep"]).arg(keep);
        command.args(["--seconds", &left.to_string(), "--seed", &(seed + died).to_string()]);
        if let Some(corpus) = corpus {
            command.arg("--corpus").arg(corpus);
        }
        command.env("RAYON_NUM_THREADS", "1").env("RUST_BACKTRACE", "0").stderr(Stdio::null());
        if !command.status()?.success() {
            died += 1;
            let case = case_path(format, keep);
            let kept = keep.join(format!("died-{seed}-{died}.{}", format.1));
            fs::copy(&case, &kept)?;
            println!("{}: a process died of {}", format.0, kept.display());
        }
    }
    Ok(died)
}

/// In memory if that is there: cases are short-lived.
fn case_path(format: &Format, keep: &Path) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { memory } else { keep };
    folder.join(format!("understory-fuzz-case.{}", format.1))
}

/// Reads changed files until the time is over.
fn run(
    format: &Format,
    seconds: u64,
    seed: u64,
    keep: &Path,
    corpus: Option<&Path>,
) -> Result<(), Box<dyn Error>> {
    let seeds = seeds(format, corpus)?;
    let case = case_path(format, keep);
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let clock = Arc::new(AtomicU64::new(0));
    watch(&clock, &case, &keep.join(format!("hang-{seed}.{}", format.1)));
    let start = Instant::now();
    let (mut cases, mut read_whole, mut panics) = (0u64, 0u64, 0u64);
    let (mut slowest, mut largest) = (Duration::ZERO, 0);
    while start.elapsed().as_secs() < seconds {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        for _ in 0..=random.below(4) {
            change(&mut bytes, &seeds, &mut random);
        }
        if random.below(10) > 0 {
            format.2(&mut bytes);
        }
        fs::write(&case, &bytes)?;
        // Forgets the most memory so far.
        let _only_on_linux = fs::write("/proc/self/clear_refs", "5");
        let before = status("VmRSS:");
        let began = Instant::now();
        clock.store(1 + cases, Ordering::Relaxed);
        let result = catch_unwind(AssertUnwindSafe(|| read(&case)));
        clock.store(0, Ordering::Relaxed);
        let (took, memory) = (began.elapsed(), status("VmHWM:").saturating_sub(before));
        cases += 1;
        match result {
            Ok(text) => read_whole += u64::from(text.starts_with("whole")),
            Err(_) => {
                panics += 1;
                fs::write(keep.join(format!("panic-{seed}-{panics}.{}", format.1)), &bytes)?;
            }
        }
        if took > slowest {
            slowest = took;
            fs::write(keep.join(format!("slowest.{}", format.1)), &bytes)?;
        }
        if memory > largest {
            largest = memory;
            fs::write(keep.join(format!("largest.{}", format.1)), &bytes)?;
        }
    }
    println!(
        "{:12} {cases} cases ({:.0}/s) of {} files, {read_whole} read whole, {panics} panics, slowest {:.0} ms, most memory {:.1} MiB",
        format.0,
        cases as f64 / start.elapsed().as_secs_f64(),
        seeds.len(),
        slowest.as_secs_f64() * 1e3,
        largest as f64 / 1024.0
    );
    let _gone = fs::remove_file(&case);
    Ok(())
}

/// Describes and reads a file; what it says must be valid.
fn read(path: &Path) -> String {
    // Metadata is read with the capture beside it.
    let is_metadata = path.extension().is_some_and(|ending| ending == "json");
    let capture = path.with_extension("pcap");
    let path = if is_metadata { capture.as_path() } else { path };
    if let Err(error) = describe(path) {
        assert!(!error.to_string().contains('\n'), "{error}");
    }
    let options = ReadOptions { undirected_misses: true, ..ReadOptions::default() };
    let mut recording = match Recording::open(path, &options) {
        Ok(recording) => recording,
        Err(error) => return error.to_string(),
    };
    let mut batch = Records::default();
    loop {
        match recording.next_batch(&mut batch) {
            Ok(true) => assert_eq!(batch.uneven_column(), None),
            Ok(false) => break,
            Err(error) => {
                let text = error.to_string();
                assert!(!text.contains('\n') && text.len() < 2000, "{text}");
                return text;
            }
        }
    }
    let report = recording.report();
    assert_eq!(report.rows, report.returns + report.misses + report.skipped(), "{report}");
    format!("whole: {report}")
}

/// Ends the process if a case takes too long.
fn watch(clock: &Arc<AtomicU64>, case: &Path, kept: &Path) {
    let (clock, case, kept) = (Arc::clone(clock), case.to_path_buf(), kept.to_path_buf());
    std::thread::spawn(move || {
        let (mut seen, mut since) = (0, thread_time());
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let now = clock.load(Ordering::Relaxed);
            if now == 0 || now != seen {
                (seen, since) = (now, thread_time());
            } else if thread_time().saturating_sub(since) > CASE_LIMIT {
                let _kept = fs::copy(&case, &kept);
                println!("a case takes too long: {}", kept.display());
                std::process::exit(3);
            }
        }
    });
}

/// Time that this process has worked: others on the same machine must not make a hang.
fn thread_time() -> Duration {
    let Ok(text) = fs::read_to_string("/proc/self/stat") else { return Duration::ZERO };
    let ticks: u64 = text.rsplit(')').next().map_or(0, |rest| {
        rest.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum()
    });
    Duration::from_millis(ticks * 10)
}

/// A figure in KiB of this process.
fn status(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Small files of a format.
fn seeds(format: &Format, corpus: Option<&Path>) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mut seeds = Vec::new();
    if let Ok(output) = format.0.parse::<OutputFormat>() {
        for (pulses, extra_bytes) in [(5, true), (150, true), (400, false)] {
            let path = folder.path().join(format!("seed.{}", format.1));
            let sensors = match output {
                OutputFormat::Pcap => vec![SensorDescription::velodyne(VelodyneModel::Vlp16)?],
                _ => Vec::new(),
            };
            let bag_compression =
                if extra_bytes { BagCompression::None } else { BagCompression::Zstd };
            let options =
                SinkOptions { extra_bytes, sensors, bag_compression, ..SinkOptions::default() };
            let mut sink = open_sink(&path, output, &options)?;
            let records = records(pulses);
            for scan in 0..=records.scan.iter().copied().max().unwrap_or(0) {
                let world_from_sensor =
                    [[1.0, 0.0, 0.0, 5.0], [0.0, 1.0, 0.0, 6.0], [0.0, 0.0, 1.0, 7.0]];
                sink.scan_pose(&ScanPose { sensor: 0, scan, time_s: 0.0, world_from_sensor })?;
            }
            sink.write(&records)?;
            sink.finish()?;
            seeds.push(fs::read(&path)?);
        }
    }
    if format.0.starts_with("ouster") {
        let path = folder.path().join("seed.pcap");
        let options = SinkOptions { sensors: vec![ouster()], ..SinkOptions::default() };
        let mut sink = open_sink(&path, OutputFormat::Pcap, &options)?;
        sink.write(&records(400))?;
        sink.finish()?;
        let metadata = path.with_extension("json");
        // The other one of the two stands beside the case as it is.
        let beside = case_path(format, Path::new(""));
        if format.0 == "ouster" {
            seeds.push(fs::read(&path)?);
            fs::copy(metadata, beside.with_extension("json"))?;
        } else {
            seeds.push(fs::read(metadata)?);
            fs::copy(path, beside.with_extension("pcap"))?;
        }
    }
    match format.0 {
        "vtk" => seeds.push(b"# vtk DataFile Version 3.0\ndata\nASCII\nDATASET POLYDATA\nPOINTS 2 float\n1 2 3\n4 5 6\n".to_vec()),
        "bin" => seeds.push([1.5f32, 2.0, 3.0, 0.5].map(f32::to_le_bytes).as_flattened().repeat(9)),
        "pcd" => {
            let head = "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 1\nVIEWPOINT 1 0 0 1 0 0 0\nPOINTS 3\nDATA ";
            seeds.push(format!("{head}ascii\n1.5 2 3\n4 5 6\n7 8 9\n").into_bytes());
            let mut packed = format!("{head}binary_compressed\n").into_bytes();
            packed.extend_from_slice(&[38, 0, 0, 0, 36, 0, 0, 0]);
            for part in [1.5f32; 9].map(f32::to_le_bytes).as_flattened().chunks(18) {
                packed.push(17);
                packed.extend_from_slice(part);
            }
            seeds.push(packed);
        }
        "ply" => seeds.push(b"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n4 5 6\n".to_vec()),
        "csv" => seeds.push(b"# x y z time\n1 2 3 4\n5 6 7 8\n".to_vec()),
        _ => {}
    }
    for entry in corpus.map(fs::read_dir).transpose()?.into_iter().flatten() {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(&format!(".{}", format.1)) && path.metadata()?.len() < 1 << 20 {
            seeds.push(fs::read(&path)?);
        }
    }
    Ok(seeds)
}

/// Returns, double returns and misses.
fn records(pulses: u64) -> Records {
    let mut records = Records::default();
    for pulse in 0..pulses {
        let direction_xyz = [0.6, if pulse % 2 == 0 { 0.8 } else { -0.8 }, 0.0];
        let miss = Record {
            time_s: pulse as f64 * 1e-5,
            pulse,
            channel: (pulse % 16) as u16,
            scan: (pulse / 100) as u32,
            column: (pulse % 100) as u32,
            azimuth_deg: pulse as f32,
            elevation_deg: 0.0,
            origin_xyz_m: [5.0, 6.0, 7.0],
            direction_xyz,
            ..Record::miss()
        };
        let returns = [1, 0, 2, 1][(pulse % 4) as usize];
        if returns == 0 {
            records.push(miss);
        }
        for return_number in 1..=returns {
            let range_m = 10.0 + pulse as f32 * 0.01 + f32::from(return_number);
            let at = |i: usize| f64::from(range_m) * f64::from(direction_xyz[i]) + 5.0 + i as f64;
            records.push(Record {
                return_number,
                return_count: returns,
                range_m,
                intensity: 0.5,
                world_xyz_m: [at(0), at(1), at(2)],
                sensor_xyz_m: direction_xyz.map(|d| d * range_m),
                ..miss
            });
        }
    }
    records
}

/// Counts that break things.
const EDGES: [u64; 12] = [
    0,
    1,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    0x1_0000_0000,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
];

/// Changes a file in one way.
fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    // Headers stand at the beginning, footers at the end.
    let len = bytes.len();
    let at = match random.below(4) {
        0 => random.below(len.min(600)),
        1 => len - 1 - random.below(len.min(600)),
        _ => random.below(len),
    };
    match random.below(11) {
        0 | 1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
        3 => bytes[at] = random.below(256) as u8,
        4 | 5 => {
            let edge = EDGES[random.below(EDGES.len())];
            let size = [2, 4, 8][random.below(3)];
            let big = random.below(4) == 0;
            let all = if big { edge.to_be_bytes() } else { edge.to_le_bytes() };
            let part = if big { &all[8 - size..] } else { &all[..size] };
            let end = (at + size).min(len);
            bytes[at..end].copy_from_slice(&part[..end - at]);
        }
        6 => bytes.truncate(at),
        7 => {
            let other = &seeds[random.below(seeds.len())];
            let from = random.below(other.len().max(1));
            let part = &other[from..(from + random.below(200)).min(other.len())];
            let end = (at + part.len()).min(len);
            bytes.splice(at..end, part.iter().copied());
        }
        8 => {
            let end = (at + 1 + random.below(40)).min(len);
            bytes.drain(at..end);
        }
        9 => {
            let part = bytes[at..(at + 1 + random.below(100)).min(len)].to_vec();
            bytes.splice(at..at, part);
        }
        _ => {
            // A number in text becomes another one.
            let digits = bytes[at..].iter().position(u8::is_ascii_digit).map(|i| at + i);
            if let Some(from) = digits {
                let more = bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
                let edge = EDGES[random.below(EDGES.len())].to_string();
                bytes.splice(from..from + more, edge.into_bytes());
            }
        }
    }
}

/// xorshift: only for choosing changes.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }
}
