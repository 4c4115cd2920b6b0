//! The library that lets calls fail, compiled where there is a C compiler: `hostile.c` says how.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::shell::captured;

const SOURCE: &str = include_str!("hostile.c");

/// What goes wrong on the machine.
#[derive(Clone, Debug, Default)]
pub struct Hostile {
    /// Bytes until the disk is full.
    pub space: Option<u64>,
    /// Whether nothing reaches the disk.
    pub sync_fails: bool,
    /// Every how many calls one is interrupted, and every how many microseconds a signal comes.
    pub interrupts: Option<(u64, u64)>,
    /// Where the clock begins to jump.
    pub clock: Option<u64>,
    /// A folder in which nothing can be written.
    pub readonly: Option<PathBuf>,
}

impl Hostile {
    /// Puts the library before the C library of a program.
    pub fn apply(&self, command: &mut Command, library: &Path) {
        command.env("LD_PRELOAD", library);
        let mut set = |name: &str, value: String| {
            command.env(name, value);
        };
        if let Some(bytes) = self.space {
            set("HOSTILE_SPACE", bytes.to_string());
        }
        if self.sync_fails {
            set("HOSTILE_SYNC", "1".to_owned());
        }
        if let Some((every, alarm_us)) = self.interrupts {
            set("HOSTILE_EVERY", every.to_string());
            set("HOSTILE_ALARM_US", alarm_us.to_string());
        }
        if let Some(start) = self.clock {
            set("HOSTILE_CLOCK", start.max(1).to_string());
        }
        if let Some(folder) = &self.readonly {
            command.env("HOSTILE_READONLY", folder);
        }
    }
}

/// Compiles the library into a folder.
pub fn build(folder: &Path) -> Result<PathBuf> {
    let (source, library) = (folder.join("hostile.c"), folder.join("hostile.so"));
    std::fs::write(&source, SOURCE)?;
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"]);
    captured(compiler.arg(&library).arg(&source).arg("-ldl"))?;
    Ok(library)
}
