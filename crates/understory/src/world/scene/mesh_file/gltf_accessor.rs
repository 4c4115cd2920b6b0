//! Accessors of glTF: whether what they promise is there.

use std::path::Path;
use std::sync::Arc;

use gltf::Accessor;

use crate::Error;

/// The bytes of a buffer, which several may share.
pub type Buffer = Arc<Vec<u8>>;

/// Whether all that an accessor promises lies within its buffer.
pub(super) fn check_accessor(
    path: &Path,
    accessor: &Accessor,
    buffers: &[Buffer],
    right_type: bool,
    type_name: &str,
) -> Result<(), Error> {
    let index = accessor.index();
    if !right_type {
        let problem = format!("accessor {index} does not hold {type_name}");
        return Err(refuse(path, problem, "export without mesh compression or quantisation"));
    }
    if accessor.sparse().is_some() {
        let problem = format!("accessor {index} is sparse, which is not read");
        return Err(refuse(path, problem, "export without sparse accessors"));
    }
    let fits = accessor.view().is_some_and(|view| {
        let size = accessor.size();
        let stride = view.stride().unwrap_or(size);
        let last = accessor.count().checked_sub(1).and_then(|last| last.checked_mul(stride));
        let needed = last.and_then(|last| last.checked_add(size)?.checked_add(accessor.offset()));
        let end = view.offset().checked_add(view.length());
        let buffer = buffers.get(view.buffer().index()).map_or(0, |buffer| buffer.len());
        stride >= size
            && needed.is_some_and(|needed| needed <= view.length())
            && end.is_some_and(|end| end <= buffer)
    });
    if !fits {
        let problem =
            format!("accessor {index} promises {} values beyond its buffer", accessor.count());
        return Err(refuse(
            path,
            problem,
            "the file is cut off or damaged: export or copy it again",
        ));
    }
    Ok(())
}

/// A glTF file that is refused.
pub(super) fn refuse(path: &Path, problem: String, remedy: &str) -> Error {
    Error::invalid(path.display(), problem, remedy)
}
