//! Files that a mesh file names: material libraries, buffers, images.
//!
//! A mesh may come from a stranger, and what it names is opened without asking: so only regular
//! files in its own folder or below it are, wherever links lead.

use super::Error;
use std::path::{Path, PathBuf};
use understory_base::bounded_file;

/// The bytes of the file that the mesh at `mesh` calls `name`; at most `most_bytes`.
pub fn read_beside(mesh: &Path, name: &Path, most_bytes: u64) -> Result<Vec<u8>, Error> {
    let path = folder_of(mesh).join(name);
    let failed = |source| Error::Read { path: path.clone(), source };
    let folder = match folder_of(mesh) {
        here if here == Path::new("") => PathBuf::from("."),
        folder => folder.to_path_buf(),
    };
    let folder = folder.canonicalize().map_err(failed)?;
    let whole = path.canonicalize().map_err(failed)?;
    if !whole.starts_with(&folder) {
        return Err(Error::invalid(
            mesh.display(),
            format!("it names {}, which lies outside its folder", name.display()),
            "copy that file beside the mesh and name it without a path",
        ));
    }
    bounded_file::read(&whole, most_bytes).map_err(failed)
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
        let read = |name: &str| read_beside(&mesh, Path::new(name), 100);
        assert_eq!(read("below/a.bin").unwrap(), b"below");
        assert_eq!(read("../mesh/below/a.bin").unwrap(), b"below");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&outside, folder.join("link")).unwrap();
        for name in ["../secret", outside.to_str().unwrap(), "link", "below/../../secret"] {
            let error = read(name).unwrap_err().to_string();
            assert!(error.contains("lies outside its folder"), "{name}: {error}");
        }
        assert!(read("missing").unwrap_err().to_string().contains("missing"));
        assert!(read("below").unwrap_err().to_string().contains("no regular file"));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.mtl");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let error = read_beside(&folder.path().join("a.obj"), Path::new("pipe.mtl"), 100);
        assert!(error.unwrap_err().to_string().contains("no regular file"));
    }
}
