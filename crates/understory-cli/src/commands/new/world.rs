//! What the beams of a new scenario meet, as TOML.

use std::path::{Component, Path as FilePath, PathBuf};

use anyhow::Result;
use understory::scenario::scenarios;
use understory_files::hint::nearest;

use super::path::Path;
use super::quoted;
use crate::report::{shown, usage};

/// The worlds that are made here, and what they are.
pub const MADE: [(&str, &str); 3] = [
    ("meadow", "a meadow with bushes on uneven ground"),
    ("forest", "a closed stand of beeches on a gentle slope"),
    ("flat", "flat ground and nothing else, to put your own objects on"),
];

/// Endings of meshes.
const MESHES: [&str; 5] = ["obj", "ply", "stl", "gltf", "glb"];

/// A world to choose.
pub enum World {
    /// One of [`MADE`].
    Made(&'static str),
    /// That of a built-in scenario: its name and its text.
    BuiltIn(&'static str, &'static str),
    /// A mesh, by its path from the scenario's file.
    Mesh(PathBuf),
    /// A learned site, likewise.
    Site(PathBuf),
}

impl World {
    /// The world that a word or a path means, for a scenario in `file`.
    pub fn named(word: &str, file: &FilePath) -> Result<World> {
        if let Some((name, _)) = MADE.iter().find(|(name, _)| *name == word) {
            return Ok(World::Made(name));
        }
        if let Some((name, text)) = scenarios().iter().find(|(name, _)| *name == word) {
            return Ok(World::BuiltIn(name, text));
        }
        let path = FilePath::new(word);
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let (mesh, site) = (MESHES.contains(&extension.as_str()), extension == "site");
        if !mesh && !site {
            let names: Vec<&str> =
                MADE.iter().map(|(name, _)| *name).chain(scenarios().iter().map(|s| s.0)).collect();
            let remedy = nearest(word, &names).map_or_else(
                || "see `understory new --help`".to_owned(),
                |name| format!("did you mean {name}?"),
            );
            return Err(usage(format!(
                "{word} is no world: neither a name nor a mesh (.{}) nor a learned site (.site); {remedy}",
                MESHES.join(", .")
            )));
        }
        if !path.is_file() {
            return Err(usage(format!("{word}: there is no such file; check the path")));
        }
        let path = from_folder_of(file, path)?;
        Ok(if mesh { World::Mesh(path) } else { World::Site(path) })
    }

    /// One line about it.
    pub fn title(&self) -> String {
        match self {
            World::Made(name) => {
                MADE.iter().find(|(made, _)| made == name).map_or("", |(_, what)| what).to_owned()
            }
            World::BuiltIn(name, _) => format!("the world of {name}"),
            World::Mesh(path) | World::Site(path) => shown(path),
        }
    }

    /// Whether a path comes with it.
    pub fn has_path(&self) -> bool {
        matches!(self, World::BuiltIn(..))
    }

    /// Whether it is known to have ground to stand on.
    pub fn has_ground(&self) -> bool {
        match self {
            World::Made(_) => true,
            World::BuiltIn(_, text) => text.contains("[world.terrain]"),
            World::Mesh(_) | World::Site(_) => false,
        }
    }

    /// How long the built-in scenario lasts, if its own path is followed.
    pub fn own_seconds(&self, path: Path) -> Option<f64> {
        let World::BuiltIn(_, text) = self else { return None };
        let value: toml::Table = text.parse().ok()?;
        value.get("duration_s").and_then(toml::Value::as_float).filter(|_| path == Path::Own)
    }

    /// The tables `[platform]` of the built-in scenario.
    pub fn own_platform(&self) -> String {
        let World::BuiltIn(_, text) = self else { return String::new() };
        sections(text, |heading| heading == "platform" || heading.starts_with("platform."))
    }

    /// The tables `[world]`, for a path that reaches so far from the middle.
    pub fn text(&self, reach_m: f64) -> String {
        let size = super::number((2.0 * reach_m + 60.0).min(600.0).round());
        match self {
            World::Made("meadow") => MEADOW.replace("SIZE", &size),
            World::Made("forest") => FOREST.replace("SIZE", &size),
            World::Made(_) => FLAT.replace("SIZE", &size),
            World::BuiltIn(_, text) => {
                sections(text, |heading| heading == "world" || heading.starts_with("world."))
            }
            World::Mesh(path) => format!(
                "[[world.object]]\nname = \"site\"\nshape = \"mesh\"\nfile = {}\n\
                 # unit = \"cm\" # what the numbers of the file are; metres where nothing is said\n\
                 # labels = {{ \"Ground*\" = \"ground\" }} # classes of its nodes, for the ground truth\n",
                quoted(&shown(path))
            ),
            World::Site(path) => {
                format!("[[world.site]]\nname = \"site\"\nfile = {}\n", quoted(&shown(path)))
            }
        }
    }
}

const MEADOW: &str = "[world.terrain]
plane = { size_m = [SIZE, SIZE], spacing_m = 0.25 }
relief = [{ rms_height_m = 0.08, wavelength_max_m = 15.0 }]
tolerance_m = 0.01
material = \"soil\"

[[world.plant]]
name = \"meadow\"
species = \"meadow\"
variants = 4
tiles = true

[[world.plant]]
name = \"hazel\"
species = \"hazel\"
variants = 3
density_per_m2 = 0.02
scale_range = [0.4, 0.9]
avoid = [{ radius_m = 3.0 }] # nothing stands at the middle
";

const FOREST: &str = "[world.terrain]
plane = { size_m = [SIZE, SIZE], spacing_m = 0.25 }
relief = [{ rms_height_m = 0.3, wavelength_max_m = 25.0, wavelength_min_m = 1.0 }]
features = [{ kind = \"slope\", slope_deg = 4.0, uphill_deg = 30.0 }]
tolerance_m = 0.01
material = \"leaf-dry\"

# Trees that grew up together; other stands: spruce-stand, pine-stand, mixed-stand, young-stand.
[[world.plant]]
name = \"beeches\"
species = \"beech-stand\"
tiles = true
";

const FLAT: &str = "[world.terrain]
plane = { size_m = [SIZE, SIZE], spacing_m = 1.0 }
tolerance_m = 0.01
material = \"soil\"

# An object of your own: a shape, or shape = \"mesh\" with its file.
[[world.object]]
name = \"box\"
shape = \"box\"
size_m = [1.0, 1.0, 1.0]
position_m = [8.0, 0.0, 0.0]
material = \"plywood\"
label = \"other-object\"
";

/// The tables of a text whose headings are wanted, with the comments right above them.
fn sections(text: &str, wanted: impl Fn(&str) -> bool) -> String {
    let mut kept = String::new();
    let mut keeps = false;
    let mut comments = String::new();
    for line in text.lines() {
        let trimmed = line.trim();
        let heading = trimmed.split('#').next().unwrap_or_default().trim();
        if heading.starts_with('[') && heading.ends_with(']') && !line.starts_with([' ', '\t']) {
            keeps = wanted(heading.trim_matches(['[', ']']));
            if keeps {
                kept += &comments;
            }
            comments.clear();
        } else if line.starts_with('#') {
            comments += line;
            comments.push('\n');
            continue;
        } else {
            if keeps {
                kept += &comments;
            }
            comments.clear();
        }
        if keeps {
            kept += line;
            kept.push('\n');
        }
    }
    kept
}

/// A path as seen from the folder of a file.
fn from_folder_of(file: &FilePath, path: &FilePath) -> Result<PathBuf> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Some(folder) = folder else { return Ok(path.to_path_buf()) };
    if path.is_absolute() {
        return Ok(path.to_path_buf());
    }
    let whole = |path: &FilePath| {
        path.canonicalize().map_err(|error| usage(format!("{}: {error}", shown(path))))
    };
    let (folder, path) = (whole(folder)?, whole(path)?);
    let mut from = folder.components().peekable();
    let mut to = path.components().peekable();
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    Ok(from.map(|_| Component::ParentDir).chain(to).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_keep_their_comments_and_no_others() {
        let text = "# top\na = 1\n\n# of b\n[b]\nx = 1\n# in b\ny = [\n  [1, 2],\n]\n\n# of c\n[[c.d]]\nz = 1\n";
        assert_eq!(
            sections(text, |heading| heading == "b"),
            "# of b\n[b]\nx = 1\n# in b\ny = [\n  [1, 2],\n]\n\n"
        );
        assert_eq!(sections(text, |heading| heading == "c.d"), "# of c\n[[c.d]]\nz = 1\n");
    }
}
