//! Whether every shared library that the Python environments load comes from the list of packages in
//! [`crate::system_packages`], so that what passes here passes on a fresh machine.
//!
//! What enters: the shared objects below `.venv*`, and the names that each of them needs (`DT_NEEDED`
//! of the ELF format). A name is met by a file of the same environment or by a library of the system.
//! What leaves: a sentence per library that is missing, and one per library that happens to be here
//! but belongs to no listed package, nor to one that these depend on, nor to the base of Debian.
//! What a program opens only while it runs (`dlopen`) is not seen.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use elf::ElfStream;
use elf::abi::{DT_NEEDED, ELFMAGIC};
use elf::endian::AnyEndian;
use walkdir::WalkDir;

use crate::shell::{captured, root};
use crate::system_packages::{self, loader_libraries};

/// Parts of wheels that nothing imports, because they serve packages that are not installed; what their
/// paths hold.
const UNUSED: &[(&str, &str)] = &[
    ("open3d/open3d_torch_ops.so", "operations for PyTorch"),
    ("open3d/open3d_tf_ops.so", "operations for TensorFlow"),
    ("bpy/lib/libOpenImageDenoise_device_", "Blender's denoising on graphics cards"),
    ("bpy/lib/libMaterialXRender", "MaterialX in windows of its own"),
    ("MaterialX/PyMaterialX", "MaterialX from Python"),
];

const REMEDY: &str = "add its package to the list in xtask/src/system_packages.rs";

/// Fails with all libraries that are missing or that no listed package brings.
pub fn check() -> Result<()> {
    let environments = environments()?;
    let mut wanted: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut objects = 0;
    for environment in &environments {
        let needed = needed_from_system(environment)?;
        objects += needed.objects;
        wanted.extend(needed.libraries);
    }
    let here: BTreeMap<String, String> = loader_libraries().into_iter().rev().collect();
    if here.is_empty() && !wanted.is_empty() {
        println!("there is no ldconfig here, so libraries of the system cannot be looked up");
        return Ok(());
    }
    let mut faults: Vec<String> = wanted
        .iter()
        .filter(|(library, _)| !here.contains_key(*library))
        .map(|(library, user)| {
            format!("{} needs {library}, which is not on this machine; {REMEDY}", user.display())
        })
        .collect();
    faults.extend(Debian::read().map_or(Vec::new(), |debian| unlisted(&debian, &wanted, &here)));
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    println!(
        "{objects} shared objects in {} environments need {} libraries of the system; all are listed",
        environments.len(),
        wanted.len()
    );
    Ok(())
}

fn environments() -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(root()).context("cannot read the root of the workspace")?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(".venv")))
        .collect();
    found.sort();
    Ok(found)
}

/// What one environment needs from the system.
struct Needed {
    objects: usize,
    /// Each library with one file that needs it.
    libraries: BTreeMap<String, PathBuf>,
}

fn needed_from_system(environment: &Path) -> Result<Needed> {
    let files = WalkDir::new(environment).into_iter().filter_map(Result::ok);
    let files = files.filter(|file| file.file_type().is_file());
    let objects: Vec<PathBuf> = files
        .map(|file| file.into_path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().contains(".so")))
        .collect();
    // Wheels load some of their libraries by path before others that need them by name.
    let own: BTreeSet<&OsStr> = objects.iter().filter_map(|path| path.file_name()).collect();
    let mut libraries = BTreeMap::new();
    for path in &objects {
        let shown = path.to_string_lossy();
        if UNUSED.iter().any(|(unused, _)| shown.contains(unused)) {
            continue;
        }
        for library in needed_by(path)? {
            if !own.contains(OsStr::new(&library)) {
                libraries.entry(library).or_insert_with(|| path.clone());
            }
        }
    }
    Ok(Needed { objects: objects.len(), libraries })
}

/// The libraries that a shared object names; none if it is no such object after all.
fn needed_by(path: &Path) -> Result<Vec<String>> {
    let read = || -> Result<Vec<String>> {
        let mut file = File::open(path)?;
        let mut magic = [0; ELFMAGIC.len()];
        if std::io::Read::read_exact(&mut file, &mut magic).is_err() || magic != ELFMAGIC {
            return Ok(Vec::new());
        }
        let mut object = ElfStream::<AnyEndian, _>::open_stream(file)?;
        let mut offsets = Vec::new();
        if let Some(dynamic) = object.dynamic()? {
            let needed = dynamic.iter().filter(|entry| entry.d_tag == DT_NEEDED);
            offsets.extend(needed.map(|entry| entry.d_val() as usize));
        }
        let Some(names) = object.section_header_by_name(".dynstr")?.copied() else {
            return Ok(Vec::new());
        };
        let names = object.section_data_as_strtab(&names)?;
        offsets.iter().map(|&offset| Ok(names.get(offset)?.to_owned())).collect()
    };
    read().with_context(|| format!("cannot read the shared object {}", path.display()))
}

/// Libraries that are here by luck: no listed package brings them.
fn unlisted(
    debian: &Debian,
    wanted: &BTreeMap<String, PathBuf>,
    here: &BTreeMap<String, String>,
) -> Vec<String> {
    let listed = debian.closure(system_packages::ALL.iter().map(|package| package.name));
    let wanted =
        wanted.iter().filter_map(|(library, user)| Some((here.get(library)?, library, user)));
    let wanted: Vec<_> =
        wanted.map(|(file, library, user)| (spellings(file), library, user)).collect();
    let owners = owners(wanted.iter().flat_map(|(spellings, ..)| spellings));
    let mut faults = Vec::new();
    for (spellings, library, user) in &wanted {
        let owners: Vec<&String> = spellings.iter().filter_map(|path| owners.get(path)).collect();
        // A file without an owner was installed by hand, which is the user's own affair.
        if let Some(owner) = owners.first()
            && !owners.iter().any(|owner| listed.contains(*owner))
        {
            faults.push(format!(
                "{} needs {library}, which is here by luck, from the package {owner}; {REMEDY}",
                user.display()
            ));
        }
    }
    faults
}

/// How packages may name a file: as the loader does or behind its links, with /usr or without, which
/// are one folder by now.
fn spellings(file: &str) -> Vec<String> {
    let real = fs::canonicalize(file).unwrap_or_else(|_| file.into()).display().to_string();
    let short = [file, &real].map(|path| path.strip_prefix("/usr").unwrap_or(path).to_owned());
    short.iter().flat_map(|path| [path.clone(), format!("/usr{path}")]).collect()
}

/// The package that each file belongs to, where dpkg knows one.
fn owners<'a>(files: impl Iterator<Item = &'a String>) -> BTreeMap<String, String> {
    // It complains of the files that it does not know; what it says of the others still holds.
    let Ok(said) = Command::new("dpkg").arg("-S").args(files).output() else {
        return BTreeMap::new();
    };
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let lines = said.lines().filter_map(|line| line.split_once(": "));
    lines.map(|(package, path)| (path.to_owned(), bare(package))).collect()
}

/// A package's name without architecture and version.
fn bare(name: &str) -> String {
    let end = name.find([':', ' ', '(']).unwrap_or(name.len());
    name.get(..end).unwrap_or(name).to_owned()
}

/// The packages that are installed, and what they depend on.
struct Debian {
    depends: BTreeMap<String, Vec<String>>,
    /// Packages that stand for others.
    provided_by: BTreeMap<String, Vec<String>>,
    /// What every machine has.
    base: Vec<String>,
}

impl Debian {
    /// Asks dpkg; none where there is no dpkg.
    fn read() -> Option<Debian> {
        let fields =
            "${Package}\t${Essential}\t${Priority}\t${Pre-Depends}, ${Depends}\t${Provides}\n";
        let said = captured(Command::new("dpkg-query").args(["-W", "-f", fields])).ok()?;
        Some(Debian::parse(&String::from_utf8_lossy(&said.stdout)))
    }

    fn parse(lines: &str) -> Debian {
        let mut debian =
            Debian { depends: BTreeMap::new(), provided_by: BTreeMap::new(), base: Vec::new() };
        for line in lines.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [name, essential, priority, depends, provides] = fields[..] else { continue };
            if essential == "yes" || priority == "required" {
                debian.base.push(name.to_owned());
            }
            let names = |list: &str| -> Vec<String> {
                let names = list.split([',', '|']).map(|name| bare(name.trim()));
                names.filter(|name| !name.is_empty()).collect()
            };
            for provided in names(provides) {
                debian.provided_by.entry(provided).or_default().push(name.to_owned());
            }
            debian.depends.entry(name.to_owned()).or_default().extend(names(depends));
        }
        debian
    }

    /// The base, `roots`, and all that they depend on.
    fn closure<'a>(&self, roots: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
        let mut open: Vec<String> = roots.map(str::to_owned).chain(self.base.clone()).collect();
        let mut closed = BTreeSet::new();
        while let Some(name) = open.pop() {
            open.extend(self.provided_by.get(&name).into_iter().flatten().cloned());
            if let Some(depends) = self.depends.get(&name)
                && closed.insert(name)
            {
                open.extend(depends.iter().filter(|name| !closed.contains(*name)).cloned());
            }
        }
        closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGES: &str = "dash\tyes\trequired\tlibc6 (>= 2.36), dpkg (>= 1.19)\t
libc6\tno\toptional\t, libgcc-s1\t
libgcc-s1\tno\toptional\t, gcc-12-base (= 12.2.0-14)\tlibgcc1 (= 1:12.2.0)
curl\tno\toptional\t, libidn2-0 (>= 2), libc6\t
libidn2-0\tno\toptional\t, libc6, libunistring2\t
libgl1\tno\toptional\t, libglx0:amd64, libgcc1 | nothing\t";

    #[test]
    fn listed_packages_bring_what_they_depend_on_and_nothing_else() {
        let debian = Debian::parse(PACKAGES);
        let base = debian.closure(std::iter::empty());
        assert_eq!(
            base.iter().map(String::as_str).collect::<Vec<_>>(),
            ["dash", "libc6", "libgcc-s1"]
        );
        let listed = debian.closure(["libgl1"].into_iter());
        assert!(listed.contains("libgl1") && !listed.contains("libidn2-0"));
        assert!(debian.closure(["curl"].into_iter()).contains("libidn2-0"));
    }

    #[test]
    fn names_of_packages_lose_architecture_and_version() {
        assert_eq!(bare("libgl1:amd64"), "libgl1");
        assert_eq!(bare("libc6 (>= 2.36)"), "libc6");
    }

    #[test]
    fn a_program_names_the_library_of_c() {
        let this = std::env::current_exe().unwrap();
        if cfg!(target_os = "linux") {
            assert!(needed_by(&this).unwrap().iter().any(|name| name.starts_with("libc.so")));
        }
        let text = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert!(needed_by(&text).unwrap().is_empty());
    }
}
