//! `<scene>` → tables of `[world]`, and files of cells.
//!
//! A part is loaded by one filter and then scaled, turned and moved, in this order whatever the order
//! of its filters. Parts of one file are copies of one object.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use understory_base::math;

use glam::{DMat3, DVec3};

use crate::assets::Assets;
use crate::frames::{rotation, rpy_deg, tidy};
use crate::material::{Material, Materials};
use crate::new_file::{NewFile, relative};
use crate::voxels::{Cells, read_points, read_vox};
use crate::write::{list, number, quoted, vector};
use crate::xml::Element;
use crate::{HeliosError, material, obj};

/// Classes of density in which leaves of a voxel space are grown.
const CLASSES: usize = 10;
/// Most leaves of a grown cell.
const LEAVES_MAX: f64 = 20_000.0;

/// A scene in Understory's words.
#[derive(Default)]
pub struct World {
    /// Tables of the scenario.
    pub tables: String,
    /// Files beside it.
    pub files: Vec<NewFile>,
    /// Whether something is ground.
    pub has_ground: bool,
    /// Parts that were taken over.
    pub parts: usize,
}

/// How a part is placed.
#[derive(Clone, Copy)]
struct Placement {
    scale: f64,
    rotation: DMat3,
    offset: DVec3,
    forced_on_ground: bool,
}

/// Meshes of one file and one material, placed one or more times.
struct Meshes {
    path: PathBuf,
    up_is_y: bool,
    material: Option<(String, Material)>,
    copies: Vec<Placement>,
}

struct Builder<'a> {
    assets: &'a Assets,
    out: &'a Path,
    world: World,
    materials: Materials,
    meshes: Vec<Meshes>,
    names: BTreeMap<String, usize>,
    lost: &'a mut Vec<String>,
    terrain: bool,
}

/// Reads a scene; `out` is the folder from which its files will be named.
pub fn world(
    scene: Element<'_>,
    assets: &Assets,
    out: &Path,
    lost: &mut Vec<String>,
) -> Result<World, HeliosError> {
    let mut builder = Builder {
        assets,
        out,
        world: World::default(),
        materials: Materials::default(),
        meshes: Vec::new(),
        names: BTreeMap::new(),
        lost,
        terrain: false,
    };
    for part in scene.children("part") {
        builder.part(part)?;
    }
    builder.write_meshes()?;
    if builder.world.parts == 0 {
        return Err(HeliosError::invalid(
            scene.location(),
            "nothing of this scene can be taken over",
            "give a scene with at least one <part>",
        ));
    }
    let mut world = builder.world;
    world.tables = builder.materials.tables().to_owned() + &world.tables;
    Ok(world)
}

/// The parameters of a filter by their keys.
fn parameter<'a>(filter: Element<'a>, key: &str) -> Option<Element<'a>> {
    filter.children("param").find(|param| param.text("key") == Some(key))
}

fn value<'a>(filter: Element<'a>, key: &str) -> Option<&'a str> {
    parameter(filter, key).and_then(|param| param.text("value"))
}

fn placement(part: Element<'_>) -> Result<Placement, HeliosError> {
    let mut found = Placement {
        scale: 1.0,
        rotation: DMat3::IDENTITY,
        offset: DVec3::ZERO,
        forced_on_ground: false,
    };
    for filter in part.children("filter") {
        match filter.text("type").unwrap_or("").to_lowercase().as_str() {
            "scale" => {
                if let Some(text) = value(filter, "scale") {
                    let scale = filter.number_in("scale", text)?;
                    found.scale = if scale == 0.0 { 1.0 } else { scale };
                }
            }
            "rotate" => {
                if let Some(param) = parameter(filter, "rotation") {
                    found.rotation = rotation(param)? * found.rotation;
                }
            }
            "translate" => {
                if let Some(text) = value(filter, "offset") {
                    let parts: Vec<&str> = text.split(';').collect();
                    let [x, y, z] = parts[..] else {
                        return Err(HeliosError::invalid(
                            filter.location(),
                            format!("offset = {text:?} has no three numbers"),
                            "write x;y;z",
                        ));
                    };
                    let part = |text| filter.number_in("offset", text);
                    found.offset = DVec3::new(part(x)?, part(y)?, part(z)?);
                }
                let forced =
                    value(filter, "onGround").is_some_and(|text| !matches!(text, "0" | "false"));
                found.forced_on_ground |= forced;
            }
            _ => {}
        }
    }
    Ok(found)
}

impl Builder<'_> {
    fn part(&mut self, part: Element<'_>) -> Result<(), HeliosError> {
        let is_loader = |kind: &str| {
            matches!(kind, "objloader" | "geotiffloader" | "xyzloader" | "detailedvoxels")
        };
        let loader = part
            .children("filter")
            .find(|filter| filter.text("type").is_some_and(|kind| is_loader(&kind.to_lowercase())));
        for (tag, what) in [
            ("dmotion", "motion of a part: it stands still"),
            ("dsmotion", "motion of a part's normals"),
            ("swap", "a part that is swapped for another: the first stays"),
        ] {
            if part.child(tag).is_some() {
                self.lost.push(format!("<{tag}>, {what}"));
            }
        }
        let Some(loader) = loader else {
            self.lost.push(format!("a part at {} that no known filter loads", part.location()));
            return Ok(());
        };
        let placement = placement(part)?;
        let kind = loader.text("type").unwrap_or("").to_lowercase();
        for path in self.files(loader)? {
            match kind.as_str() {
                "objloader" => self.mesh(loader, path, placement)?,
                "geotiffloader" => self.terrain(loader, &path, placement),
                "xyzloader" => self.points(loader, &path, placement)?,
                _ => self.voxels(loader, &path, placement)?,
            }
        }
        Ok(())
    }

    fn files(&self, loader: Element<'_>) -> Result<Vec<PathBuf>, HeliosError> {
        if let Some(pattern) = value(loader, "efilepath") {
            return self.assets.matching(pattern, &loader.location());
        }
        match value(loader, "filepath") {
            Some(name) => Ok(vec![self.assets.find(name, &loader.location())?]),
            None => Err(HeliosError::invalid(
                loader.location(),
                "the filter has no filepath",
                "add <param key=\"filepath\" value=\"…\" />",
            )),
        }
    }

    /// A name that no other part has, from the name of a file.
    fn named(&mut self, path: &Path) -> String {
        let stem =
            path.file_stem().map_or("part".into(), |stem| stem.to_string_lossy().into_owned());
        let count = self.names.entry(stem.clone()).or_insert(0);
        *count += 1;
        if *count == 1 { stem } else { format!("{stem}-{count}") }
    }

    /// The material that a filter names by `matfile` and `matname`.
    fn filter_material(
        &self,
        loader: Element<'_>,
    ) -> Result<Option<(String, Material)>, HeliosError> {
        let Some(file) = value(loader, "matfile") else { return Ok(None) };
        let path = self.assets.find(file, &loader.location())?;
        let materials = material::read(&path)?;
        let name = match value(loader, "matname") {
            Some(name) => name.to_owned(),
            None => materials.keys().next().cloned().unwrap_or_default(),
        };
        match materials.get(&name) {
            Some(material) => Ok(Some((name, material.clone()))),
            None => {
                let known: Vec<&str> = materials.keys().map(String::as_str).collect();
                Err(HeliosError::invalid(
                    loader.location(),
                    format!("{file} has no material {name:?}"),
                    understory_files::hint::word_remedy(&name, &known),
                ))
            }
        }
    }

    fn mesh(
        &mut self,
        loader: Element<'_>,
        path: PathBuf,
        placement: Placement,
    ) -> Result<(), HeliosError> {
        let up_is_y = value(loader, "up") == Some("y");
        let material = self.filter_material(loader)?;
        self.world.parts += 1;
        let same = self.meshes.iter_mut().find(|known| {
            known.path == path && known.up_is_y == up_is_y && known.material == material
        });
        match same {
            Some(known) => known.copies.push(placement),
            None => self.meshes.push(Meshes { path, up_is_y, material, copies: vec![placement] }),
        }
        Ok(())
    }

    fn write_meshes(&mut self) -> Result<(), HeliosError> {
        for meshes in std::mem::take(&mut self.meshes) {
            self.write_mesh(&meshes)?;
        }
        Ok(())
    }

    fn write_mesh(&mut self, meshes: &Meshes) -> Result<(), HeliosError> {
        let name = self.named(&meshes.path);
        let upright = if meshes.up_is_y {
            DMat3::from_rotation_x(std::f64::consts::FRAC_PI_2)
        } else {
            DMat3::IDENTITY
        };
        let about = obj::read(&meshes.path, upright)?;
        let mut known = BTreeMap::new();
        for library in &about.libraries {
            let beside = meshes.path.with_file_name(library);
            // Materials that are missing are no obstacle: HELIOS++ goes on without them as well.
            match beside.is_file() {
                true => known.extend(material::read(&beside)?),
                false => self.lost.push(format!("the materials of {name}: {library} is missing")),
            }
        }
        let mut labels: Vec<&str> = Vec::new();
        let mut map = Vec::new();
        let used = match &meshes.material {
            Some((name, material)) => {
                labels.extend(material.label());
                vec![(String::new(), self.materials.name(name, material, self.lost))]
            }
            None => about
                .materials
                .iter()
                .map(|used| {
                    let material = known.get(used).cloned().unwrap_or_default();
                    labels.extend(material.label());
                    (used.clone(), self.materials.name(used, &material, self.lost))
                })
                .collect(),
        };
        labels.dedup();
        if labels.len() > 1 {
            self.lost.push(format!(
                "classes of the single materials of {name}: all of it is {}",
                labels[0]
            ));
        }
        let mut whole = None;
        match used.as_slice() {
            [] => whole = Some("grey".to_owned()),
            [(_, only)] => whole = Some(only.clone()),
            several => {
                map = several
                    .iter()
                    .map(|(of, ours)| format!("{} = {}", quoted(of), quoted(ours)))
                    .collect()
            }
        }
        let out = &mut self.world.tables;
        // Writing to a string does not fail.
        let _ = writeln!(out, "\n[[world.object]]\nname = {}\nshape = \"mesh\"", quoted(&name));
        let _ = writeln!(out, "file = {}", quoted(&relative(self.out, &meshes.path)));
        if meshes.up_is_y {
            out.push_str("up = \"y\"\n");
        }
        if let Some(material) = whole {
            let _ = writeln!(out, "material = {}", quoted(&material));
        }
        if !map.is_empty() {
            let _ = writeln!(out, "materials = {{ {} }}", map.join(", "));
        }
        if let Some(label) = labels.first() {
            let _ = writeln!(out, "label = {}", quoted(label));
            self.world.has_ground |= *label == "terrain" || *label == "road";
        }
        let mut copies = Vec::new();
        for copy in &meshes.copies {
            let mut copy = *copy;
            if copy.forced_on_ground {
                match about.heights {
                    Some([low, _]) if copy.rotation.z_axis.z > 1.0 - 1e-9 => {
                        copy.offset.z = -low * copy.scale
                    }
                    _ => {}
                }
                self.lost.push(format!("onGround of {name}: its lowest point is put onto z = 0"));
            }
            let mut keys = vec![format!("position_m = {}", vector(copy.offset))];
            let turned = rpy_deg(copy.rotation);
            if turned != [0.0; 3] {
                keys.push(format!("rotation_deg = {}", list(&turned)));
            }
            if copy.scale != 1.0 {
                keys.push(format!("scale = {}", number(copy.scale)));
            }
            copies.push(keys);
        }
        match copies.as_slice() {
            [one] => {
                for key in one {
                    let _ = writeln!(out, "{key}");
                }
            }
            several => {
                out.push_str("instances = [\n");
                for copy in several {
                    let _ = writeln!(out, "    {{ {} }},", copy.join(", "));
                }
                out.push_str("]\n");
            }
        }
        Ok(())
    }

    fn terrain(&mut self, loader: Element<'_>, path: &Path, placement: Placement) {
        let file = path.display();
        if self.terrain {
            self.lost.push(format!("{file}: a world has one terrain, and there is one already"));
            return;
        }
        if placement.scale != 1.0
            || placement.offset != DVec3::ZERO
            || placement.rotation != DMat3::IDENTITY
        {
            self.lost.push(format!(
                "scale, rotation and offset of the terrain {file}: it lies where its file says"
            ));
        }
        self.terrain = true;
        self.world.parts += 1;
        self.world.has_ground = true;
        let material = match self.filter_material(loader) {
            Ok(Some((name, material))) => self.materials.name(&name, &material, self.lost),
            _ => "grey".to_owned(),
        };
        let path = quoted(&relative(self.out, path));
        let _ = writeln!(
            self.world.tables,
            "\n[world.terrain]\nheightmap = {{ path = {path}, holes = \"fill\" }}\nmaterial = {}",
            quoted(&material)
        );
    }

    fn points(
        &mut self,
        loader: Element<'_>,
        path: &Path,
        placement: Placement,
    ) -> Result<(), HeliosError> {
        let edge_m = match value(loader, "voxelSize") {
            Some(text) => loader.number_in("voxelSize", text)?,
            None => 1.0,
        };
        if !(1e-4..=1e4).contains(&edge_m) {
            return Err(HeliosError::invalid(
                loader.location(),
                format!("voxelSize = {edge_m} m"),
                "write 0.0001 to 10000",
            ));
        }
        let cells = read_points(path, value(loader, "separator").unwrap_or(" "), edge_m)?;
        self.lost
            .push("normals and colours of points: their cells are cubes of one material".into());
        let name = self.named(path);
        self.boxes(loader, &name, &cells, placement, |_| 1.0)
    }

    fn voxels(
        &mut self,
        loader: Element<'_>,
        path: &Path,
        placement: Placement,
    ) -> Result<(), HeliosError> {
        let cells = read_vox(path)?;
        let name = self.named(path);
        if value(loader, "randomShift") == Some("true") {
            self.lost.push(format!("randomShift of {name}: cells stand where the file says"));
        }
        match value(loader, "intersectionMode").unwrap_or("transmittive").to_lowercase().as_str() {
            "fixed" => self.boxes(loader, &name, &cells, placement, |_| 1.0),
            "scaled" => {
                let exponent = match value(loader, "intersectionArgument") {
                    Some(text) => loader.number_in("intersectionArgument", text)?,
                    None => 0.5,
                };
                let most = cells.cells.iter().map(|(_, density)| *density).fold(0.0, f64::max);
                let most = cells.density_max.unwrap_or(most);
                self.boxes(loader, &name, &cells, placement, |density| {
                    math::powf(density / most, exponent).clamp(1e-3, 1.0)
                })
            }
            _ => self.leaves(loader, &name, &cells, placement),
        }
    }

    /// Cells as cubes, which stand on the middles of their undersides.
    fn boxes(
        &mut self,
        loader: Element<'_>,
        name: &str,
        cells: &Cells,
        placement: Placement,
        scale: impl Fn(f64) -> f64,
    ) -> Result<(), HeliosError> {
        let material = self.filter_material(loader)?;
        let label = material.as_ref().and_then(|(_, material)| material.label());
        let material = match &material {
            Some((name, material)) => self.materials.name(name, material, self.lost),
            None => "grey".to_owned(),
        };
        let mut csv = String::from("x_m,y_m,z_m,scale\n");
        for (middle, density) in &cells.cells {
            let scale = scale(*density);
            let _ = writeln!(
                csv,
                "{:.4},{:.4},{:.4},{:.4}",
                middle.x,
                middle.y,
                middle.z - 0.5 * cells.edge_m * scale,
                scale
            );
        }
        let file = format!("{name}.csv");
        let edge = number(cells.edge_m);
        let out = &mut self.world.tables;
        let _ = writeln!(
            out,
            "\n[[world.object]]\nname = {}\nshape = \"box\"\nsize_m = [{edge}, {edge}, {edge}]\n\
             material = {}\none_object = true\ninstances_file = {}",
            quoted(name),
            quoted(&material),
            quoted(&file)
        );
        if let Some(label) = label {
            let _ = writeln!(out, "label = {}", quoted(label));
        }
        let _ = writeln!(out, "position_m = {}", vector(placement.offset));
        let turned = rpy_deg(placement.rotation);
        if turned != [0.0; 3] {
            let _ = writeln!(out, "rotation_deg = {}", list(&turned));
        }
        if placement.scale != 1.0 {
            let _ = writeln!(out, "scale = {}", number(placement.scale));
        }
        self.world.files.push(NewFile { name: file, text: csv });
        self.world.parts += 1;
        Ok(())
    }

    /// Cells as volumes of leaves that have their plant area.
    fn leaves(
        &mut self,
        loader: Element<'_>,
        name: &str,
        cells: &Cells,
        placement: Placement,
    ) -> Result<(), HeliosError> {
        let material = self.filter_material(loader)?;
        let material = match &material {
            Some((name, material)) => self.materials.name(name, material, self.lost),
            None => "leaf".to_owned(),
        };
        let angle = value(loader, "ladlut").and_then(leaf_angle);
        if angle.is_none() {
            self.lost.push(format!(
                "how the leaves of {name} are inclined: they are spherical (G = 0.5), where HELIOS++ takes \
                 the density for the extinction"
            ));
        }
        if rpy_deg(placement.rotation) != [0.0; 3] {
            self.lost.push(format!("rotation of the cells of {name}"));
        }
        let edge_m = cells.edge_m * placement.scale.abs();
        for (class, (density, middles)) in cells.by_density(CLASSES).into_iter().enumerate() {
            let mut csv = String::from("x_m,y_m,z_m\n");
            for middle in &middles {
                let at = *middle * placement.scale + placement.offset;
                let _ = writeln!(csv, "{:.4},{:.4},{:.4}", at.x, at.y, at.z - 0.5 * edge_m);
            }
            let number_of = class + 1;
            let file = format!("{name}-{number_of}.csv");
            let edge = number(edge_m);
            let area_m2 = density * edge_m.powi(3);
            let leaf_m2 =
                tidy((area_m2 / LEAVES_MAX).max(5e-5_f64.min(0.02 * edge_m * edge_m)), 1e-9);
            let _ = writeln!(
                self.world.tables,
                "\n# {} cells of {} m² of leaves per m³.\n[[world.plant]]\nname = {}\nkind = \"leaf-volume\"\n\
                 override = {{ size_x_m = {edge}, size_y_m = {edge}, size_z_m = {edge}, \
                 leaf_area_index = {}, leaf_area_m2 = {}, leaf_angle = {} }}\n\
                 materials = {{ leaf = {} }}\nlabel = \"vegetation\"\none_object = true\ninstances_file = {}",
                middles.len(),
                number(tidy(density, 1e-6)),
                quoted(&format!("{name}-{number_of}")),
                number(density * edge_m),
                number(leaf_m2.clamp(1e-7, 1.0)),
                quoted(angle.unwrap_or("spherical")),
                quoted(&material),
                quoted(&file)
            );
            self.world.files.push(NewFile { name: file, text: csv });
        }
        if self.terrain {
            self.lost.push(format!("absolute heights of {name}: they count from the terrain"));
        }
        self.world.parts += 1;
        Ok(())
    }
}

/// The distribution of leaf angles that a lookup table of HELIOS++ is named after.
fn leaf_angle(path: &str) -> Option<&'static str> {
    let known =
        ["spherical", "uniform", "planophile", "erectophile", "plagiophile", "extremophile"];
    let stem = Path::new(path).file_stem()?.to_str()?;
    known.into_iter().find(|name| *name == stem)
}
