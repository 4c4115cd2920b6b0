//! What is run, in what folder, and what it leaves when nothing goes wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use walkdir::WalkDir;

/// Two sensors on a platform that moves and turns, at map coordinates.
const DRIVE: &str = r#"version = 1
seed = 11
duration_s = 0.2

[world]

[[world.object]]
name = "ground"
shape = "plane"
size_m = [80.0, 80.0]
position_m = [500000.0, 5400000.0, 100.0]
material = "grass"

[[world.object]]
name = "crown"
shape = "sphere"
radius_m = 2.0
material = "leaf"
position_m = [500006.0, 5400002.0, 102.0]

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
    { time_s = 0.0, position_m = [500000.0, 5400000.0, 100.0] },
    { time_s = 0.2, position_m = [500001.0, 5400000.0, 100.0], rotation_deg = [0.0, 0.0, 10.0] },
]
"#;

/// Words of a command; `OUT` stands for the folder of a trial.
pub struct Verb {
    pub name: &'static str,
    words: &'static [&'static str],
    /// Whether a run that was killed leaves something to go on from.
    pub keeps_parts: bool,
}

/// What is tortured.
pub const VERBS: [Verb; 7] = [
    Verb {
        name: "run --resume",
        words: &[
            "run",
            "drive.toml",
            "--out",
            "OUT",
            "--resume",
            "--quiet",
            "--no-picture",
            "--format",
            "laz",
            "--format",
            "csv",
            "--format",
            "npy",
            "--format",
            "pcd",
        ],
        keeps_parts: true,
    },
    Verb {
        name: "run",
        words: &[
            "run",
            "drive.toml",
            "--out",
            "OUT",
            "--no-resume",
            "--quiet",
            "--format",
            "kitti",
            "--format",
            "parquet",
            "--format",
            "e57",
            "--format",
            "mcap",
        ],
        keeps_parts: false,
    },
    Verb {
        name: "learn",
        words: &[
            "learn",
            "scan.npy",
            "-o",
            "OUT/a.site",
            "--model",
            "voxel",
            "--cell",
            "0.2",
            "--quiet",
        ],
        keeps_parts: false,
    },
    Verb {
        name: "learn --stage",
        words: &[
            "learn",
            "scan.npy",
            "-o",
            "OUT/a.cells",
            "--stage",
            "points",
            "--cell",
            "0.2",
            "--quiet",
        ],
        keeps_parts: false,
    },
    Verb { name: "convert", words: &["convert", "scan.npy", "OUT/a.laz"], keeps_parts: false },
    Verb {
        name: "pack",
        words: &[
            "pack",
            "drive.toml",
            "-o",
            "OUT/a.understory",
            "--record",
            "--no-picture",
            "--quiet",
        ],
        keeps_parts: false,
    },
    Verb {
        name: "join",
        words: &[
            "join",
            "drive.toml",
            "first",
            "second",
            "--out",
            "OUT",
            "--quiet",
            "--no-picture",
            "--format",
            "laz",
            "--format",
            "kitti",
        ],
        keeps_parts: false,
    },
];

/// Files by their names below a folder.
pub type Contents = BTreeMap<String, Vec<u8>>;

/// A folder with inputs, and what each verb makes of them.
pub struct Workplace {
    pub folder: PathBuf,
    program: PathBuf,
    inputs: Contents,
    /// Of each verb: its outputs and how long it took.
    pub references: Vec<(Contents, Duration)>,
}

impl Workplace {
    /// Makes the inputs and runs each verb twice: it must do the same twice.
    pub fn new(program: &Path, folder: &Path) -> Result<Workplace> {
        let folder = folder.to_path_buf();
        fs::write(folder.join("drive.toml"), DRIVE)?;
        let mut workplace = Workplace {
            folder,
            program: program.to_path_buf(),
            inputs: Contents::new(),
            references: Vec::new(),
        };
        for words in [
            &["run", "drive.toml", "--out", "made", "--no-picture", "--format", "npy"][..],
            &["run", "drive.toml", "--interval", "0..0.1", "--parts", "first"],
            &["run", "drive.toml", "--interval", "0.1..0.2", "--parts", "second"],
        ] {
            let mut command = Command::new(program);
            command.current_dir(&workplace.folder).args(words).arg("--quiet");
            crate::shell::captured(&mut command)?;
        }
        fs::rename(workplace.folder.join("made/drive.npy"), workplace.folder.join("scan.npy"))?;
        fs::remove_dir_all(workplace.folder.join("made"))?;
        workplace.inputs = contents(&workplace.folder)?;
        for verb in &VERBS {
            let mut made = Vec::new();
            for name in ["reference-a", "reference-b"] {
                let out = workplace.out(name)?;
                let start = Instant::now();
                let ended = wait(workplace.command(verb, &out), Duration::MAX)?;
                let took = start.elapsed();
                ensure!(ended.is_success(), "{}: {}", verb.name, ended.said);
                made.push((contents(&out)?, took));
                fs::remove_dir_all(out)?;
            }
            let (Some((again, _)), Some((first, took))) = (made.pop(), made.pop()) else {
                continue;
            };
            ensure!(first == again, "{} does not do the same twice", verb.name);
            ensure!(!first.is_empty(), "{} leaves nothing", verb.name);
            workplace.references.push((first, took));
        }
        Ok(workplace)
    }

    /// An empty folder for outputs.
    pub fn out(&self, name: &str) -> Result<PathBuf> {
        let out = self.folder.join("out").join(name);
        fs::create_dir_all(&out)?;
        Ok(out)
    }

    /// A verb with its outputs in a folder.
    pub fn command(&self, verb: &Verb, out: &Path) -> Command {
        let mut command = Command::new(&self.program);
        let out = out.to_string_lossy();
        command.args(verb.words.iter().map(|word| word.replace("OUT", &out)));
        command.current_dir(&self.folder);
        command
    }

    /// Whether the inputs are what they were.
    pub fn check_inputs(&self) -> Result<()> {
        let mut now = contents(&self.folder)?;
        now.retain(|name, _| !name.starts_with("out/"));
        ensure!(now == self.inputs, "an input was changed");
        Ok(())
    }
}

/// All files below a folder.
pub fn contents(folder: &Path) -> Result<Contents> {
    let mut found = Contents::new();
    for entry in WalkDir::new(folder) {
        let entry = entry?;
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(folder)?.to_string_lossy().into_owned();
            found.insert(name, fs::read(entry.path())?);
        }
    }
    Ok(found)
}

/// How a program ended.
pub struct Ended {
    /// `None`: by a signal.
    pub code: Option<i32>,
    /// What it wrote to stderr.
    pub said: String,
}

impl Ended {
    pub fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    /// Its one sentence, if it failed with exit code 1 or 2 as it should.
    pub fn error(&self) -> Result<&str> {
        let errors: Vec<&str> =
            self.said.lines().filter(|line| line.starts_with("error: ")).collect();
        match (self.code, &errors[..]) {
            (Some(1 | 2), [error]) if error.len() < 1000 => Ok(error),
            (code, _) => bail!("it ended with {code:?} and said: {}", self.said.trim()),
        }
    }
}

/// Longest time that anything may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Starts a program, kills it after a time if that is shorter, and says how it ended.
pub fn wait(mut command: Command, kill_after: Duration) -> Result<Ended> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = child.context("the program cannot be started")?;
    let start = Instant::now();
    let mut pipe = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut said = Vec::new();
        if let Some(pipe) = &mut pipe {
            let _until_it_ends = std::io::Read::read_to_end(pipe, &mut said);
        }
        String::from_utf8_lossy(&said).into_owned()
    });
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let elapsed = start.elapsed();
        if elapsed >= kill_after || elapsed > PATIENCE {
            child.kill()?;
            child.wait()?;
            ensure!(elapsed <= PATIENCE, "it hung");
            break child.wait()?;
        }
        let nap = Duration::from_millis(5).min(kill_after.saturating_sub(elapsed));
        std::thread::sleep(nap.max(Duration::from_micros(200)));
    };
    let said = reader.join().unwrap_or_default();
    Ok(Ended { code: status.code(), said })
}
