//! Every package of the operating system that the tests and their environments need, with the reason:
//! this list is the one place that says so.
//!
//! What enters: the list and what the machine has. What leaves: a machine that has all of it, or one
//! sentence that names the packages to install. Each entry says how its presence is seen, so that a
//! machine that got the same from elsewhere (another distribution, a Python of its own) passes too.
//! [`crate::shared_libraries`] checks that the list is complete.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::shell::{captured, run};

/// One package of Debian and its kin.
pub struct SystemPackage {
    pub name: &'static str,
    /// Who needs it, and what for.
    reason: &'static str,
    seen_by: SeenBy,
}

/// How one sees that what a package brings is there.
enum SeenBy {
    /// The loader knows this shared library.
    Library(&'static str),
    /// This program starts.
    Program(&'static str),
    /// A Python that makes virtual environments.
    PythonVenv,
    /// A libclang where `clang-sys` looks for it.
    Libclang,
}

use SeenBy::{Libclang, Library, Program, PythonVenv};

/// All of them.
pub const ALL: &[SystemPackage] = &[
    needed(
        "gcc",
        "programs are linked with it, and the parts of dependencies in C are built",
        Program("cc"),
    ),
    needed("python3-venv", "the virtual environments of the tests are made with it", PythonVenv),
    needed("libopenmpi-dev", "runs over MPI are built with its compiler wrapper", Program("mpicc")),
    needed("openmpi-bin", "starts the ranks in the tests of MPI", Program("mpirun")),
    needed("libclang-dev", "the bindings to MPI are made from headers with it", Libclang),
    needed("libstdc++6", "nearly every wheel is written in C++", Library("libstdc++.so.6")),
    needed("zlib1g", "NumPy loads it", Library("libz.so.1")),
    needed(
        "libusb-1.0-0",
        "Open3D loads it for depth cameras, also where there is none",
        Library("libusb-1.0.so.0"),
    ),
    needed(
        "libudev1",
        "Open3D loads it for depth cameras, also where there is none",
        Library("libudev.so.1"),
    ),
    needed(
        "libx11-6",
        "Open3D loads it for its windows, also where none opens",
        Library("libX11.so.6"),
    ),
    needed(
        "libgl1",
        "Open3D loads it for its windows, also where none opens",
        Library("libGL.so.1"),
    ),
    needed("libegl1", "Open3D loads it to draw without a window", Library("libEGL.so.1")),
    needed("libidn2-0", "Open3D loads it to fetch its examples", Library("libidn2.so.0")),
    needed(
        "libxrender1",
        "Blender as a module loads it for its windows, also where none opens",
        Library("libXrender.so.1"),
    ),
    needed("libxfixes3", "Blender loads it for its windows", Library("libXfixes.so.3")),
    needed("libxi6", "Blender loads it for its windows", Library("libXi.so.6")),
    needed("libxkbcommon0", "Blender loads it for its windows", Library("libxkbcommon.so.0")),
    needed("libsm6", "Blender loads it for its windows", Library("libSM.so.6")),
    needed("libice6", "Blender loads it for its windows", Library("libICE.so.6")),
    needed("libxext6", "Blender loads it for its windows", Library("libXext.so.6")),
    needed("libxxf86vm1", "Blender 4.2 loads it for its windows", Library("libXxf86vm.so.1")),
    needed("libgomp1", "Blender 4.2 is built with OpenMP", Library("libgomp.so.1")),
    needed("nodejs", "the page of the studio is built and tested with it", Program("node")),
    needed("npm", "fetches what the page of the studio is built with", Program("npm")),
    needed(
        "qemu-user",
        "scenarios run on emulated processors, which must make the same bytes",
        Program("qemu-x86_64"),
    ),
    needed("chromium", "the tests of the studio use its page in it", Program("chromium")),
];

const fn needed(name: &'static str, reason: &'static str, seen_by: SeenBy) -> SystemPackage {
    SystemPackage { name, reason, seen_by }
}

/// Sees to it that these packages are there: installs the missing ones where that is allowed, else
/// fails with one sentence that names them.
pub fn ensure(packages: &'static [SystemPackage]) -> Result<()> {
    let missing = missing(packages);
    if missing.is_empty() {
        println!("all {} packages of the system are there", packages.len());
        return Ok(());
    }
    for package in &missing {
        println!("missing: {} ({})", package.name, package.reason);
    }
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    let command = format!("apt-get install {}", names.join(" "));
    if !may_install() {
        bail!("packages of the system are missing; install them (Debian: {command})");
    }
    // The lists of packages may be old or not there at all.
    run(Command::new("apt-get").args(["update", "--quiet"]))?;
    let mut install = Command::new("apt-get");
    install.env("DEBIAN_FRONTEND", "noninteractive");
    install.args(["install", "--yes", "--quiet", "--no-install-recommends"]);
    run(install.args(&names))?;
    let still: Vec<&str> = self::missing(packages).iter().map(|package| package.name).collect();
    if !still.is_empty() {
        bail!("{} cannot be found although it was installed by {command}", still.join(", "));
    }
    Ok(())
}

fn missing(packages: &'static [SystemPackage]) -> Vec<&'static SystemPackage> {
    let libraries = loader_libraries();
    packages.iter().filter(|package| !is_there(&package.seen_by, &libraries)).collect()
}

fn is_there(seen_by: &SeenBy, libraries: &[(String, String)]) -> bool {
    match seen_by {
        Library(name) => libraries.iter().any(|(known, _)| known == name),
        Program(program) => captured(Command::new(program).arg("--version")).is_ok(),
        PythonVenv => {
            captured(Command::new("python3").args(["-c", "import ensurepip, venv"])).is_ok()
        }
        Libclang => has_libclang(),
    }
}

/// Whether packages can be installed: by the superuser, with apt-get.
fn may_install() -> bool {
    let is_root = captured(Command::new("id").arg("-u"))
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    is_root && captured(Command::new("apt-get").arg("--version")).is_ok()
}

/// The shared libraries that the loader finds by name, each with its file.
pub fn loader_libraries() -> Vec<(String, String)> {
    // Users other than root seldom have it in their path.
    let said = captured(Command::new("/sbin/ldconfig").arg("-p"))
        .or_else(|_| captured(Command::new("ldconfig").arg("-p")));
    let Ok(said) = said else {
        return Vec::new();
    };
    String::from_utf8_lossy(&said.stdout).lines().filter_map(loader_line).collect()
}

/// One line of `ldconfig -p`: `libm.so.6 (libc6,x86-64) => /lib/x86_64-linux-gnu/libm.so.6`.
fn loader_line(line: &str) -> Option<(String, String)> {
    let (name, path) = line.trim().split_once(" => ")?;
    let name = name.split(' ').next()?;
    Some((name.to_owned(), path.to_owned()))
}

fn has_libclang() -> bool {
    if std::env::var_os("LIBCLANG_PATH").is_some() {
        return true;
    }
    // libclang-cpp is another library.
    let is_libclang = |name: &str| name.starts_with("libclang") && !name.contains("-cpp.");
    let holds = |folder: &Path| {
        let files = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        files.map(|file| file.file_name()).any(|name| is_libclang(&name.to_string_lossy()))
    };
    let llvm = fs::read_dir("/usr/lib").into_iter().flatten().filter_map(Result::ok);
    let llvm = llvm.map(|entry| entry.path().join("lib")).filter(|path| path.is_dir());
    llvm.chain(["/usr/lib", "/usr/local/lib", "/usr/lib64"].map(Into::into)).any(|at| holds(&at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_loader_are_understood() {
        let line = "\tlibusb-1.0.so.0 (libc6,x86-64) => /lib/x86_64-linux-gnu/libusb-1.0.so.0";
        let (name, path) = loader_line(line).unwrap();
        assert_eq!(
            (name.as_str(), path.as_str()),
            ("libusb-1.0.so.0", "/lib/x86_64-linux-gnu/libusb-1.0.so.0")
        );
        assert!(loader_line("2303 libs found in cache `/etc/ld.so.cache'").is_none());
    }

    #[test]
    fn a_library_that_the_loader_lacks_is_missing() {
        let libraries = [("libm.so.6".to_owned(), "/lib/libm.so.6".to_owned())];
        assert!(is_there(&Library("libm.so.6"), &libraries));
        assert!(!is_there(&Library("libusb-1.0.so.0"), &libraries));
        assert!(!is_there(&Program("no-such-program"), &libraries));
    }

    #[test]
    fn each_package_is_listed_once() {
        let mut names: Vec<&str> = ALL.iter().map(|package| package.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
