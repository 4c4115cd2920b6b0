//! One seed, one answer: for any number of threads, and for any cut into intervals.

use super::support::Workplace;

/// Two sensors on a platform that moves and turns, at map coordinates.
pub const DRIVE: &str = r#"version = 1
seed = 11
duration_s = 0.06

[world]

[[world.object]]
name = "ground"
shape = "plane"
size_m = [80.0, 80.0]
position_m = [500000.0, 5400000.0, 100.0]
material = "grass"

[[world.object]]
name = "crown"
shape = "disc"
radius_m = 0.1
tolerance_m = 0.02
material = "leaf"
label = "vegetation"
edges = "exact"
foliage = { count = 2000, size_m = [4.0, 4.0, 3.0] }
position_m = [500006.0, 5400002.0, 102.0]
instances = [{}, { position_m = [-12.0, 3.0, 0.5] }, { position_m = [1.0, -9.0, 0.0] }]

[[sensor]]
name = "roof"
preset = "vlp-16"
position_m = [0.0, 0.0, 1.8]

[[sensor]]
name = "bumper"
preset = "lms-291"
position_m = [0.8, 0.0, 0.5]

[platform]
waypoints = [
    { time_s = 0.0, position_m = [500000.0, 5400000.0, 100.2] },
    { time_s = 0.06, position_m = [500000.9, 5400000.1, 100.2], rotation_deg = [0.0, 0.0, 5.0] },
]
"#;

const FORMATS: [&str; 7] = ["las", "laz", "ply", "pcd", "csv", "npy", "kitti"];

fn run(work: &Workplace, out: &str, more: &[&str]) {
    let mut arguments = vec!["run", "drive.toml", "--out", out, "--quiet"];
    arguments.extend(FORMATS.iter().flat_map(|format| ["--format", *format]));
    arguments.extend(more);
    work.succeed(&arguments);
}

fn contents(work: &Workplace, out: &str) -> Vec<(String, Vec<u8>)> {
    work.contents(out)
}

#[test]
fn any_number_of_threads_gives_the_same_files() {
    let work = Workplace::new();
    work.put("drive.toml", DRIVE);
    for threads in ["1", "2", "8"] {
        run(&work, &format!("out-{threads}"), &["--threads", threads]);
    }
    let one = contents(&work, "out-1");
    assert!(one.len() > FORMATS.len() + 2, "{}", one.len());
    assert!(one.iter().any(|(name, _)| name.ends_with(".png")));
    for out in ["out-2", "out-8"] {
        for ((name, expected), (other, found)) in one.iter().zip(contents(&work, out)) {
            assert!(*name == other && *expected == found, "{name} differs in {out}");
        }
    }
}

#[test]
fn another_seed_is_taken_and_the_same_seed_gives_the_same() {
    let work = Workplace::new();
    work.put("drive.toml", DRIVE);
    run(&work, "a", &["--seed", "5"]);
    run(&work, "b", &["--seed", "5"]);
    assert!(contents(&work, "a") == contents(&work, "b"));
}

/// Where the rows of a file begin.
type HeaderLength = fn(&[u8]) -> usize;

#[test]
fn intervals_together_are_the_whole() {
    let work = Workplace::new();
    work.put("drive.toml", DRIVE);
    run(&work, "whole", &[]);
    let parts = ["0..0.0137", "0.0137..0.0411", "0.0411.."];
    for (index, part) in parts.iter().enumerate() {
        run(&work, &format!("part-{index}"), &["--interval", part]);
    }
    let rows = |out: &str, ending: &str, header: HeaderLength| {
        let bytes = work.bytes(&format!("{out}/drive.{ending}"));
        let start = header(&bytes);
        // Behind the points of LAS stand the names.
        let end = match ending {
            "las" => {
                let points = u64::from_le_bytes(bytes[247..255].try_into().unwrap()) as usize;
                start + points * usize::from(u16::from_le_bytes([bytes[105], bytes[106]]))
            }
            _ => bytes.len(),
        };
        bytes[start..end].to_vec()
    };
    let headers: [(&str, HeaderLength); 4] = [
        ("csv", |bytes| end_of(bytes, b"\n")),
        ("npy", |bytes| 10 + usize::from(bytes[8]) + 256 * usize::from(bytes[9])),
        ("ply", |bytes| end_of(bytes, b"end_header\n")),
        ("las", |bytes| u32::from_le_bytes(bytes[96..100].try_into().unwrap()) as usize),
    ];
    for (ending, header) in headers {
        let whole = rows("whole", ending, header);
        let joined: Vec<u8> = (0..parts.len())
            .flat_map(|part| rows(&format!("part-{part}"), ending, header))
            .collect();
        assert!(whole.len() > 10_000, "{ending} {}", whole.len());
        assert!(whole == joined, "{ending}: {} and {} bytes", whole.len(), joined.len());
    }
}

fn end_of(bytes: &[u8], mark: &[u8]) -> usize {
    bytes.windows(mark.len()).position(|window| window == mark).unwrap() + mark.len()
}
