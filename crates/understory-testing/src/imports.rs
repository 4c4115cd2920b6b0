//! Which functions a program asks shared libraries for.

use elf::ElfBytes;
use elf::endian::AnyEndian;
use std::fs;
use std::path::Path;

/// The names of all functions that a program or a shared library takes from others; the reason
/// where the file is no such thing.
pub fn imported_functions(path: &Path) -> Result<Vec<String>, String> {
    let bytes = fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let unreadable = |e| format!("{} cannot be read: {e}", path.display());
    let file = ElfBytes::<AnyEndian>::minimal_parse(&bytes).map_err(unreadable)?;
    let Some((symbols, names)) = file.dynamic_symbol_table().map_err(unreadable)? else {
        return Err(format!("{} has no table of symbols", path.display()));
    };
    let mut imported = Vec::new();
    for symbol in symbols.iter().filter(|symbol| symbol.is_undefined()) {
        imported.push(names.get(symbol.st_name as usize).map_err(unreadable)?.to_owned());
    }
    Ok(imported)
}
