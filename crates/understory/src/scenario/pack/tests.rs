//! Packs that are not what they say.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, ZipArchive};

use super::digest::digest_bytes;
use super::*;
use crate::scenario::Scenario;

const SMALL: &str = r#"version = 1
seed = 3
duration_s = 0.01
[world]
[[world.object]]
name = "mesh"
shape = "mesh"
file = "a.obj"
[[sensor]]
name = "lidar"
preset = "vlp-16"
"#;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
            .unwrap();
        std::fs::write(folder.path().join("s.toml"), SMALL).unwrap();
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The entries of a valid pack.
    fn entries(&self) -> Vec<(String, Vec<u8>)> {
        let scenario = Scenario::load(&self.path("s.toml")).unwrap();
        let pack = self.path("s.understory");
        Packing::new(&scenario, "s").unwrap().write(&pack).unwrap();
        let mut zip = ZipArchive::new(std::fs::File::open(pack).unwrap()).unwrap();
        let mut entries = Vec::new();
        for index in 0..zip.len() {
            let mut entry = zip.by_index(index).unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            entries.push((entry.name().unwrap().into_owned(), bytes));
        }
        entries
    }

    /// Why a pack of these entries is refused by all that opens packs.
    fn refusal(&self, entries: &[(String, Vec<u8>)]) -> String {
        let path = self.path("bad.understory");
        write(&path, entries);
        let error = Pack::open(&path).unwrap_err().to_string();
        assert_eq!(Pack::check(&path).unwrap_err().to_string(), error);
        assert_eq!(Scenario::load(&path).unwrap_err().to_string(), error);
        assert!(error.contains("bad.understory"), "{error}");
        error
    }
}

fn write(path: &Path, entries: &[(String, Vec<u8>)]) {
    let mut zip = ZipWriter::new(std::fs::File::create(path).unwrap());
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in entries {
        zip.start_file(name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

/// The entry of this name.
fn entry<'e>(entries: &'e mut [(String, Vec<u8>)], name: &str) -> &'e mut Vec<u8> {
    &mut entries.iter_mut().find(|(known, _)| known == name).unwrap().1
}

/// Changes the manifest.
fn in_manifest(entries: &mut [(String, Vec<u8>)], old: &str, new: &str) {
    let manifest = entry(entries, MANIFEST);
    let text = String::from_utf8(manifest.clone()).unwrap();
    assert!(text.contains(old), "{old:?} is not in {text}");
    *manifest = text.replacen(old, new, 1).into_bytes();
}

#[test]
fn a_pack_reads_nothing_that_it_does_not_bring_along() {
    let folder = Folder::new();
    std::fs::write(folder.path("secret.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let secret = folder.path("secret.obj").display().to_string();
    let valid = folder.entries();
    let scenario = |path: &str| {
        let mut entries = valid.clone();
        let old = entry(&mut entries, "scenario.toml").clone();
        let text = String::from_utf8(old.clone()).unwrap();
        assert!(text.contains("files/0/a.obj"), "{text}");
        let new = text.replace("files/0/a.obj", path).into_bytes();
        // A stranger gives it the right length and checksum.
        in_manifest(&mut entries, &digest_bytes(&old), &digest_bytes(&new));
        let (before, after) = (old.len(), new.len());
        in_manifest(&mut entries, &format!("bytes = {before}"), &format!("bytes = {after}"));
        *entry(&mut entries, "scenario.toml") = new;
        let pack = folder.path("stranger.understory");
        write(&pack, &entries);
        Scenario::load(&pack).map(|_| ()).map_err(|error| error.to_string())
    };
    scenario("files/0/../0/a.obj").unwrap();
    for path in [secret.as_str(), "../../../../../../../../etc/passwd", "/dev/zero"] {
        let error = scenario(path).unwrap_err();
        assert!(error.contains("lies outside the pack"), "{path}: {error}");
    }
}

#[test]
fn a_sound_pack_opens_and_its_folder_disappears_with_it() {
    let folder = Folder::new();
    folder.entries();
    let scenario = Scenario::load(&folder.path("s.understory")).unwrap();
    let there = scenario.pack().unwrap().folder().to_path_buf();
    assert!(there.join("files/0/a.obj").is_file());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(there.metadata().unwrap().permissions().mode() & 0o077, 0, "it is private");
    }
    let copy = scenario.clone();
    drop(scenario);
    assert_eq!(copy.build_scene().unwrap().objects().len(), 1);
    drop(copy);
    assert!(!there.exists());
    assert!(is_pack(&folder.path("s.understory")) && !is_pack(&folder.path("s.toml")));
}

#[test]
fn altered_missing_and_foreign_entries_are_named() {
    let folder = Folder::new();
    let valid = folder.entries();

    let mut entries = valid.clone();
    entry(&mut entries, "files/0/a.obj")[2] = b'5';
    let refusal = folder.refusal(&entries);
    assert!(refusal.contains("\"files/0/a.obj\" was altered: its SHA-256 is"), "{refusal}");
    entry(&mut entries, "files/0/a.obj").push(b'\n');
    assert!(folder.refusal(&entries).contains("more than the"));
    entry(&mut entries, "files/0/a.obj").clear();
    assert!(folder.refusal(&entries).contains("less than the"));

    let mut entries = valid.clone();
    entries.retain(|(name, _)| name != "presets/sensors/vlp-16.toml");
    let refusal = folder.refusal(&entries);
    assert!(refusal.contains("\"presets/sensors/vlp-16.toml\" is missing"), "{refusal}");

    let mut entries = valid.clone();
    entries.push(("extra".into(), vec![1]));
    assert!(folder.refusal(&entries).contains("\"extra\", which its manifest does not list"));

    let mut entries = valid.clone();
    entries.remove(0);
    assert!(folder.refusal(&entries).contains("\"manifest.toml\" is missing"));

    // Bytes of an entry that changed in the file itself.
    folder.entries();
    let mut bytes = std::fs::read(folder.path("s.understory")).unwrap();
    let at = bytes.windows(13).position(|w| w == b"files/0/a.obj").unwrap() + 20;
    bytes[at] ^= 0xff;
    std::fs::write(folder.path("s.understory"), bytes).unwrap();
    let error = Pack::open(&folder.path("s.understory")).unwrap_err().to_string();
    assert!(error.contains("files/0/a.obj"), "{error}");
}

#[test]
fn newer_and_broken_manifests_are_refused() {
    let folder = Folder::new();
    let valid = folder.entries();
    let mut entries = valid.clone();
    in_manifest(&mut entries, "format = 1", "format = 2\nnovel = true");
    in_manifest(&mut entries, "program = \"", "program = \"9.");
    let refusal = folder.refusal(&entries);
    assert!(refusal.contains("format 2, made by Understory 9."), "{refusal}");
    assert!(refusal.contains("update Understory"), "{refusal}");
    for (old, new, words) in [
        ("format = 1", "format = 'x'", "does not say which format"),
        ("format = 1", "format = -1", "does not say which format"),
        ("format = 1", "format = ", "manifest cannot be read"),
        ("seed = 3", "", "missing field `seed`"),
        ("scenario = \"scenario.toml\"", "scenario = \"other\"", "no entry \"other\""),
        (
            "name = \"files/0/a.obj\"",
            "name = \"scenario.toml\"",
            "\"scenario.toml\" is there twice",
        ),
        (
            "name = \"files/0/a.obj\"",
            "name = \"SCENARIO.toml\"",
            "\"SCENARIO.toml\" is there twice",
        ),
    ] {
        let mut entries = valid.clone();
        in_manifest(&mut entries, old, new);
        let refusal = folder.refusal(&entries);
        assert!(refusal.contains(words), "{words:?} is not in {refusal}");
    }
    let mut entries = valid.clone();
    *entry(&mut entries, MANIFEST) = vec![0xff, 0xfe];
    assert!(folder.refusal(&entries).contains("is no text"));
}

#[test]
fn names_that_lead_out_of_the_folder_are_refused() {
    let folder = Folder::new();
    let valid = folder.entries();
    for name in ["../evil.obj", "/tmp/evil.obj", "files/../../evil.obj", "c:\\\\evil.obj"] {
        let mut entries = valid.clone();
        in_manifest(&mut entries, "\"files/0/a.obj\"", &format!("\"{name}\""));
        entries.iter_mut().for_each(|(known, _)| {
            if known == "files/0/a.obj" {
                *known = name.replace("\\\\", "\\");
            }
        });
        let refusal = folder.refusal(&entries);
        assert!(refusal.contains("lead out of the folder"), "{refusal}");
    }
}

#[test]
fn a_pack_takes_no_more_room_than_it_may() {
    let folder = Folder::new();
    let valid = folder.entries();
    // A manifest that promises more than the pack can hold.
    let mut entries = valid.clone();
    in_manifest(&mut entries, "bytes = ", "bytes = 1000000000");
    let refusal = folder.refusal(&entries);
    assert!(refusal.contains("are allowed"), "{refusal}");
    // An entry that unpacks to far more than the manifest says is cut off there.
    let mut entries = valid.clone();
    *entry(&mut entries, "files/0/a.obj") = vec![b' '; 50_000_000];
    let refusal = folder.refusal(&entries);
    assert!(refusal.contains("\"files/0/a.obj\" was altered: it has more than"), "{refusal}");
    assert!(folder.path("bad.understory").metadata().unwrap().len() < 100_000);
}

#[test]
fn a_file_that_shrinks_beyond_the_limit_is_stored_as_it_is() {
    assert_eq!(room_bytes(0), 1 << 30);
    assert_eq!(room_bytes(u64::MAX), u64::MAX);
    let manifest = "format = 1\nprogram = \"0\"\nname = \"n\"\nseed = 0\nscenario = \"s\"\n\
                    [[entry]]\nname = \"s\"\nkind = \"scenario\"\nbytes = 3\nsha256 = \"\"\n";
    let manifest = Manifest::parse(manifest, "x").unwrap();
    assert_eq!(manifest.bytes(), 3);
    assert_eq!(digest_bytes(b"").len(), 64);
}

#[test]
fn damage_anywhere_is_refused_or_harmless() {
    let folder = Folder::new();
    folder.entries();
    let whole = std::fs::read(folder.path("s.understory")).unwrap();
    let path = folder.path("bad.understory");
    let valid = Pack::check(&folder.path("s.understory")).unwrap();
    for step in 0..whole.len() / 7 {
        let mut bytes = whole.clone();
        bytes[step * 7] ^= 1 << (step % 8);
        std::fs::write(&path, &bytes).unwrap();
        // Bytes that mean nothing (times, permissions) may differ; contents may not.
        if let Ok(manifest) = Pack::check(&path) {
            assert_eq!(manifest, valid);
        }
        std::fs::write(&path, &whole[..step * 7]).unwrap();
        assert!(Pack::check(&path).is_err());
    }
}
