//! A folder of its own for each test, and the program in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A wall before a VLP-16; `{…}` marks where tests put their mistakes.
pub const WALL: &str = r#"version = 1
seed = 3
duration_s = 0.01

[world]

[[world.object]]
name = "wall"
shape = "plane"
size_m = [20.0, 20.0]
position_m = [10.0, 0.0, 0.0]
rotation_deg = [0.0, -90.0, 0.0]

[[sensor]]
name = "lidar"
preset = "vlp-16"
"#;

/// A folder with files in which the program is run.
pub struct Workplace {
    folder: tempfile::TempDir,
}

impl Workplace {
    /// An empty one.
    pub fn new() -> Workplace {
        Workplace { folder: tempfile::tempdir().unwrap() }
    }

    /// Path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a file into it.
    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) -> &Workplace {
        fs::write(self.path(name), content).unwrap();
        self
    }

    /// Content of a file in it.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The program with this folder as its own.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_understory"));
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    /// Runs the program.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs the program, which must succeed, and gives its stdout.
    pub fn succeed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{arguments:?} failed: {stderr}");
        stdout
    }

    /// All files below a folder of the workplace, with their contents.
    pub fn contents(&self, folder: &str) -> Vec<(String, Vec<u8>)> {
        let inside = format!("{folder}/");
        let names = self.listing().into_iter().filter(|name| name.starts_with(&inside));
        let files = names.filter(|name| self.path(name).is_file());
        files.map(|name| (name[folder.len()..].to_owned(), self.bytes(&name))).collect()
    }

    /// Names of everything below the folder, sorted.
    pub fn listing(&self) -> Vec<String> {
        let mut names = Vec::new();
        list(self.folder.path(), self.folder.path(), &mut names);
        names.sort();
        names
    }
}

fn list(root: &Path, folder: &Path, names: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        names.push(path.strip_prefix(root).unwrap().to_string_lossy().into_owned());
        if path.is_dir() {
            list(root, &path, names);
        }
    }
}

/// Asserts that two folders have the same files with the same bytes.
pub fn assert_same(expected: &[(String, Vec<u8>)], found: &[(String, Vec<u8>)], what: &str) {
    let names = |files: &[(String, Vec<u8>)]| -> Vec<String> {
        files.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(expected), names(found), "{what}");
    for ((name, expected), (_, found)) in expected.iter().zip(found) {
        assert!(expected == found, "{name} differs: {what}");
    }
}

/// Bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Asserts that the program refused: this exit code, nothing on stdout, and on stderr one sentence
/// that has all of these words.
pub fn assert_refused(output: &Output, code: i32, words: &[&str]) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert_eq!(text(&output.stdout), "");
    assert!(stderr.starts_with("error: "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "not one line: {stderr}");
    for word in words {
        assert!(stderr.contains(word), "{word:?} is not in: {stderr}");
    }
}
