//! MPI for the tests: Open MPI with its compiler wrapper, and libclang, with which the bindings to
//! it are made. Installed once where that is possible.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::python::is_root;
use crate::shell::{captured, run};

const PACKAGES: [&str; 3] = ["libopenmpi-dev", "openmpi-bin", "libclang-dev"];

/// Whether programs can be built with MPI and run by `mpirun`. Installs what is missing if it may.
pub fn is_there() -> Result<bool> {
    if found() {
        return Ok(true);
    }
    if !is_root() || captured(Command::new("apt-get").arg("--version")).is_err() {
        return Ok(false);
    }
    let install = || -> Result<()> {
        run(Command::new("apt-get").args(["update", "--quiet"]))?;
        let mut install = Command::new("apt-get");
        install.args(["install", "--yes", "--quiet", "--no-install-recommends"]);
        run(install.args(PACKAGES))
    };
    if let Err(error) = install() {
        println!("MPI could not be installed: {error:#}");
    }
    Ok(found())
}

/// What was left out, where there is no MPI.
pub fn note() -> Result<Option<String>> {
    let packages = PACKAGES.join(" ");
    let note = format!("the tests of MPI were left out (Debian: apt-get install {packages})");
    Ok(if is_there()? { None } else { Some(note) })
}

fn found() -> bool {
    let starts = |program: &str| captured(Command::new(program).arg("--version")).is_ok();
    starts("mpicc") && starts("mpirun") && has_libclang()
}

fn has_libclang() -> bool {
    if std::env::var_os("LIBCLANG_PATH").is_some() {
        return true;
    }
    let holds = |folder: &Path| {
        let files = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        files
            .map(|file| file.file_name())
            .any(|name| name.to_string_lossy().starts_with("libclang"))
    };
    let llvm = fs::read_dir("/usr/lib").into_iter().flatten().filter_map(Result::ok);
    let llvm = llvm.map(|entry| entry.path().join("lib")).filter(|path| path.is_dir());
    llvm.chain(["/usr/lib", "/usr/local/lib", "/usr/lib64"].map(Into::into)).any(|at| holds(&at))
}
