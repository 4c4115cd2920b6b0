//! `understory studio [SCENARIO]`: the page in which worlds are looked at, scanned and compared.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;
use understory_studio::{Error, Options, PORT, Server};

use crate::interrupt::stop_on_signal;
use crate::report::{print, usage};

/// Open the studio: choose, scan, look and compare in the browser
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory studio
  understory studio forest-plot
  understory studio my.toml --port 8000
  understory studio --folder recordings --no-browser

The page is served to this machine alone (127.0.0.1) and only to who has the address with its token.
Scenarios and recordings in FOLDER are offered in it. Ctrl-C ends the studio. See docs/studio.md.")]
pub struct Arguments {
    /// A scenario file, or the name of a built-in one [default: demo]
    scenario: Option<String>,
    /// Port to listen on; the next free one is taken if it is in use, and any for 0 [default: 7400]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Print the address and open no browser
    #[arg(long)]
    no_browser: bool,
    /// Folder whose scenarios and recordings are offered [default: that of SCENARIO, or this one]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Serves the page until it is interrupted.
pub fn studio(arguments: &Arguments) -> Result<()> {
    let of_scenario = arguments.scenario.as_deref().map(Path::new).filter(|path| path.is_file());
    let of_scenario = of_scenario.and_then(Path::parent).map(Path::to_path_buf);
    let options = Options {
        folder: arguments.folder.clone().or(of_scenario).unwrap_or_default(),
        scenario: arguments.scenario.clone(),
        port: arguments.port,
    };
    let port = arguments.port.unwrap_or(PORT);
    let stop = stop_on_signal();
    let started = |server: &Server| {
        let other = server.other_port().map_or_else(String::new, |_| {
            format!("port {port} is in use; this is the next free one\n")
        });
        let url = server.url();
        // A closed stdout ends nothing: the page may be open already.
        let _ = print(&format!("{other}Understory Studio: {url}\nCtrl-C ends it.\n"));
        if !arguments.no_browser {
            open_browser(&url);
        }
    };
    understory_studio::run(options, &stop, started).map_err(|error| match error {
        Error::Scenario(_) | Error::Folder { .. } => usage(error.to_string()),
        other => other.into(),
    })
}

/// Asks the system to show the page; where it cannot, the address is printed anyway.
fn open_browser(url: &str) {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(error) = command.spawn() {
        tracing::debug!("no browser: {program}: {error}");
    }
}
