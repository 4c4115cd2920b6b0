//! Files that a mesh file names: material libraries, buffers, images.
//!
//! A mesh may come from a stranger, and what it names is opened without asking: so only regular
//! files in its own folder or below it are, wherever links lead. Whatever cannot be had is refused by
//! one sentence for every format, which names the mesh, the file and the remedy. What rays meet
//! (vertices, holes) cannot be done without; a material library brings colours alone, so its reader
//! says what is lost and goes on.

use super::Error;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use understory_base::bounded_file;

/// The bytes of the file that the mesh at `mesh` calls `name`, at most `most_bytes`; `what` says in
/// sentences what it is to the mesh.
pub fn read_beside(
    mesh: &Path,
    what: &str,
    name: &Path,
    most_bytes: u64,
) -> Result<Vec<u8>, Error> {
    let path = folder_of(mesh).join(name);
    let refuse = |problem: &str| {
        let problem = format!("{what}, {}, {problem}", name.display());
        let remedy = "copy that file into the mesh's folder and name it without a path";
        Err(Error::invalid(mesh.display(), problem, remedy))
    };
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => refuse("is not there"),
        _ => refuse(&format!("cannot be read ({error})")),
    };
    let folder = match folder_of(mesh) {
        here if here == Path::new("") => PathBuf::from("."),
        folder => folder.to_path_buf(),
    };
    let (folder, whole) = match folder.canonicalize().and_then(|f| Ok((f, path.canonicalize()?))) {
        Ok(found) => found,
        Err(error) => return unreadable(error),
    };
    if !whole.starts_with(&folder) {
        return refuse("lies outside its folder");
    }
    bounded_file::read(&whole, most_bytes).or_else(unreadable)
}

/// The folder in which a mesh lies.
pub fn folder_of(mesh: &Path) -> &Path {
    mesh.parent().unwrap_or(Path::new(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_in_the_folder_is_read() {
        let place = tempfile::tempdir().unwrap();
        let (folder, outside) = (place.path().join("mesh"), place.path().join("secret"));
        std::fs::create_dir_all(folder.join("below")).unwrap();
        std::fs::write(&outside, "secret").unwrap();
        std::fs::write(folder.join("below/a.bin"), "below").unwrap();
        let mesh = folder.join("a.obj");
        let read = |name: &str| read_beside(&mesh, "its buffer 0", Path::new(name), 100);
        assert_eq!(read("below/a.bin").unwrap(), b"below");
        assert_eq!(read("../mesh/below/a.bin").unwrap(), b"below");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&outside, folder.join("link")).unwrap();
        for name in ["../secret", outside.to_str().unwrap(), "link", "below/../../secret"] {
            let error = read(name).unwrap_err().to_string();
            assert!(error.contains("lies outside its folder"), "{name}: {error}");
        }
        let missing = read("missing").unwrap_err().to_string();
        let said =
            "a.obj: its buffer 0, missing, is not there; copy that file into the mesh's folder";
        assert!(missing.contains(said), "{missing}");
        assert!(read("below").unwrap_err().to_string().contains("no regular file"));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.mtl");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let mesh = folder.path().join("a.obj");
        let error = read_beside(&mesh, "its library", Path::new("pipe.mtl"), 100);
        assert!(error.unwrap_err().to_string().contains("no regular file"));
    }
}
