//! The `[[world.plant]]` tables: plants of one species, grown a few times and placed often.
//!
//! What enters: a species or a kind, its overrides and where it stands. What leaves: a
//! [`PlantGroup`], which grows its variants and adds them to a scene as instances. A scene of
//! millions of blades costs the memory of its few source meshes and of its instances.

use super::file::{EdgesName, LayoutKeys, PlantFile};
use super::given::InMemoryAssets;
use super::labels::check_label;
use super::material::named;
use super::scatter::Layout;
use super::wind::Wind;
use crate::Error;
use crate::world::scene::material::Material;
use crate::world::scene::placement::Area;
use crate::world::scene::{MeshMaterials, SceneBuilder, SceneMesh};
use crate::world::vegetation_lod;
use understory_base::bounded_file;
use understory_cloud::label_number;
use understory_files::hint::word_remedy;
use understory_files::{LayeredToml, PresetKind, Spanned, Step, Whole};
use understory_geometry::{Edges, GeometryError};
use understory_plants::{HeightField, Part, Plant, PlantError, PlantSpec, Random, Sway};

/// Names of the parts in `materials`, in the order of [`Part`].
const PARTS: [(&str, Part); 4] =
    [("leaf", Part::Leaf), ("wood", Part::Wood), ("stem", Part::Stem), ("fruit", Part::Fruit)];

/// Plants of one species, checked.
#[derive(Clone, Debug)]
pub struct PlantGroup {
    /// Where it is described.
    pub location: String,
    pub name: String,
    pub layout: Layout,
    spec: PlantSpec,
    variants: u32,
    /// By part.
    materials: [Material; 4],
    label: u16,
    wood_label: Option<u16>,
    edges: Edges,
    one_object: bool,
    seed: u64,
}

/// What the checks of a plant need to know of its surroundings.
pub struct PlantContext<'a> {
    pub layers: &'a LayeredToml<'a>,
    pub own: &'a [Material],
    pub assets: &'a InMemoryAssets,
    /// The area of plants that name none.
    pub everywhere: Option<&'a Area>,
    pub scenario_seed: u64,
}

/// How many different meshes are made where nothing is said.
pub const VARIANTS: u32 = 4;

impl PlantContext<'_> {
    /// Checks the table with this index.
    pub fn check(&self, index: usize, file: &PlantFile) -> Result<PlantGroup, Error> {
        let layers = self.layers;
        let spec = self.spec(index, file)?;
        let kind = kind_of(&spec);
        let patch = spec.patch_size_m();
        let variants = file.variants.as_ref().map_or(VARIANTS, Whole::get);
        let seed = file.seed.unwrap_or_else(|| named_seed(self.scenario_seed, file.name.get_ref()));
        let tiles = match &file.tiles {
            Some(tiles) if *tiles.get_ref() => {
                Some((self.tile_side(file, tiles, patch)?, tiles.span()))
            }
            _ => None,
        };
        let reach_m = patch.map(|[x, y]| 0.5 * x.min(y));
        let keys = LayoutKeys { tiles, reach_m, ..file.layout_keys() };
        let wood_label = match &file.wood_label {
            Some(label) => Some(check_label(layers, label)?),
            None if matches!(kind.as_str(), "grown" | "stand" | "tree" | "conifer") => {
                label_number("trunk")
            }
            None => None,
        };
        Ok(PlantGroup {
            location: layers.location(&file.name.span()),
            name: file.name.get_ref().clone(),
            layout: keys.check(layers, self.everywhere, seed)?,
            materials: self.materials(file, &kind, &spec)?,
            spec,
            variants,
            label: match &file.label {
                Some(label) => check_label(layers, label)?,
                None => label_number("vegetation").unwrap_or(0),
            },
            wood_label,
            edges: match file.edges {
                Some(EdgesName::Closed) => Edges::Closed,
                Some(EdgesName::Exact) | None => Edges::Exact,
            },
            one_object: file.one_object.unwrap_or(patch.is_some()),
            seed,
        })
    }

    /// The species with what `override` changes of it.
    fn spec(&self, index: usize, file: &PlantFile) -> Result<PlantSpec, Error> {
        let layers = self.layers;
        let (span, kind, base, base_place) = match (&file.species, &file.kind, &file.file) {
            (Some(species), None, None) => {
                let name = species.get_ref();
                let preset = understory_plants::preset(name).map_err(|_| -> Error {
                    let known: Vec<&str> = understory_plants::presets().map(|p| p.name).collect();
                    let problem = format!("there is no species {name:?}");
                    layers.invalid(&species.span(), problem, word_remedy(name, &known))
                })?;
                let spec = preset.spec();
                let text = toml::to_string(&spec).map_err(|error| -> Error {
                    layers.invalid(&species.span(), error.to_string(), "choose another species")
                })?;
                layers.note_preset(&species.span(), PresetKind::Plant, name, &text);
                (species.span(), kind_of(&spec), text, format!("species {name:?}"))
            }
            (None, None, Some(key)) => {
                let path = layers.file(&key.span(), key.get_ref())?;
                let text = bounded_file::read_text(&path)
                    .map_err(|source| Error::Read { path: path.clone(), source })?;
                let location = path.display().to_string();
                let spec: PlantSpec = LayeredToml::new(&text, &location).parse()?;
                (key.span(), kind_of(&spec), text, location)
            }
            (None, Some(kind), None) => {
                let name = kind.get_ref();
                let mut known: Vec<String> =
                    understory_plants::presets().map(|preset| kind_of(&preset.spec())).collect();
                known.dedup();
                if !known.contains(name) {
                    let known: Vec<&str> = known.iter().map(String::as_str).collect();
                    let problem = format!("there is no kind of plant {name:?}");
                    return Err(layers.invalid(&kind.span(), problem, word_remedy(name, &known)));
                }
                (kind.span(), name.clone(), format!("[{name}]\n"), format!("kind {name:?}"))
            }
            _ => {
                let name = file.name.get_ref();
                let problem =
                    format!("plant {name:?} has not exactly one of `species`, `kind` and `file`");
                return Err(layers.invalid(&file.name.span(), problem, "give one of them"));
            }
        };
        let path =
            [Step::Key("world"), Step::Key("plant"), Step::Index(index), Step::Key("override")];
        let mut over = LayeredToml::new(&base, &base_place);
        let spec: PlantSpec = over.parse_over_under(layers, &path, &kind)?;
        let at = file.overrides.as_ref().map_or(span, Spanned::span);
        match spec.check() {
            Ok(()) => Ok(spec),
            Err(PlantError::Parameter { parameter, value, limits }) => Err(layers.invalid(
                &at,
                format!("{parameter} is {value}"),
                format!("choose one that is {limits}"),
            )),
            Err(other) => Err(layers.invalid(&at, other.to_string(), "change it in `override`")),
        }
    }

    /// Side of the tiles that a patch makes.
    fn tile_side(
        &self,
        file: &PlantFile,
        tiles: &Spanned<bool>,
        patch: Option<[f64; 2]>,
    ) -> Result<f64, Error> {
        if let Some(scale) = &file.scale_range {
            let problem = "tiles lie side by side and cannot be scaled";
            return Err(self.layers.invalid(&scale.span(), problem, "remove `scale_range`"));
        }
        match patch {
            Some([x, y]) if x == y => Ok(x),
            Some([x, y]) => Err(self.layers.invalid(
                &tiles.span(),
                format!("the patch is {x} × {y} m and tiles are squares"),
                "give it equal sides in `override`",
            )),
            None => Err(self.layers.invalid(
                &tiles.span(),
                "this species is no patch and makes no tiles",
                "use `density_per_m2` or `spacing_m`",
            )),
        }
    }

    fn materials(
        &self,
        file: &PlantFile,
        kind: &str,
        spec: &PlantSpec,
    ) -> Result<[Material; 4], Error> {
        let leaf = match kind {
            "conifer" => "needle",
            "grass" | "crop" | "stems" => "grass",
            _ => "leaf",
        };
        let [leaf, bark] = match spec {
            PlantSpec::Grown(spec) => spec.materials(),
            PlantSpec::Stand(spec) => spec.materials(),
            _ => [leaf, "bark"],
        };
        let mut names =
            [leaf, bark, "grass", "grass-dry"].map(|name| Spanned::new(0..0, name.to_owned()));
        for (part, name) in file.materials.as_ref().map(|m| m.get_ref()).into_iter().flatten() {
            let Some(index) = PARTS.iter().position(|(known, _)| known == part) else {
                let known = PARTS.map(|(known, _)| known);
                let problem = format!("a plant has no part {part:?}");
                return Err(self.layers.invalid(&name.span(), problem, word_remedy(part, &known)));
            };
            names[index] = name.clone();
        }
        let [a, b, c, d] = names.map(|name| named(self.layers, self.own, &name));
        Ok([a?, b?, c?, d?])
    }
}

/// The name of a spec's kind, as files have it.
fn kind_of(spec: &PlantSpec) -> String {
    let table = toml::Table::try_from(spec).unwrap_or_default();
    table.keys().next().cloned().unwrap_or_default()
}

/// A seed of its own for each name, so that one group does not stir the others.
pub fn named_seed(seed: u64, name: &str) -> u64 {
    // FNV-1a (Fowler, Noll and Vo).
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Random::new(seed).fork(hash).next_u64()
}

/// How the air moves plants: one state of it, or the wind over time.
pub struct AirMotion<'a> {
    /// One state.
    pub sway: Option<&'a Sway>,
    /// The wind over time.
    pub wind: Option<&'a Wind>,
}

impl PlantGroup {
    /// How many source meshes it has.
    pub fn variants(&self) -> u32 {
        let copies = self.layout.expected_count().ceil().max(1.0);
        if f64::from(self.variants) > copies { copies as u32 } else { self.variants }
    }

    /// About how many triangles each source mesh has.
    pub fn triangles(&self) -> u64 {
        self.spec.triangle_estimate()
    }

    /// Grows the variants, on as many threads as there are processors.
    fn grow(&self) -> Result<Vec<Plant>, PlantError> {
        let seeds: Vec<u64> = (0..self.variants())
            .map(|i| Random::new(self.seed).fork(u64::from(i)).next_u64())
            .collect();
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let share = seeds.len().div_ceil(threads).max(1);
        let grown: Vec<Result<Vec<Plant>, PlantError>> = std::thread::scope(|scope| {
            let grow = |seeds: &[u64]| seeds.iter().map(|seed| self.spec.grow(*seed)).collect();
            let workers: Vec<_> = seeds
                .chunks(share)
                .map(|seeds| (seeds, scope.spawn(move || grow(seeds))))
                .collect();
            // A worker that broke off is asked again here, where its panic is the caller's.
            workers.into_iter().map(|(seeds, w)| w.join().unwrap_or_else(|_| grow(seeds))).collect()
        });
        Ok(grown.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// Grows the plants and places them on the ground, with coarser LOD levels that lack detail below
    /// each of `details_m`, moved by the air.
    pub fn add_to(
        &self,
        builder: &mut SceneBuilder,
        ground: Option<&HeightField>,
        details_m: &[f64],
        &AirMotion { sway, wind }: &AirMotion<'_>,
    ) -> Result<(), Error> {
        let here =
            |source: GeometryError| Error::Object { location: self.location.clone(), source };
        let mut ids = [0; 4];
        for (id, material) in ids.iter_mut().zip(&self.materials) {
            *id = builder.add_material(material.clone()).map_err(here)?;
        }
        let plants = self.grow().map_err(|error| {
            Error::invalid(&self.location, error.to_string(), "change it in `override`")
        })?;
        let mut meshes: Vec<Option<SceneMesh>> = Vec::with_capacity(plants.len());
        for mut plant in plants {
            if let Some(sway) = sway {
                sway.apply(&mut plant);
            }
            let versions = vegetation_lod::coarser_versions(&plant, details_m, self.seed);
            let mesh = add_plant(builder, plant, &ids, self.edges).map_err(here)?;
            if let Some(mesh) = mesh {
                for version in versions {
                    builder.add_coarser_version(mesh, version).map_err(here)?;
                }
            }
            meshes.push(mesh);
        }
        let copies = self.layout.place(ground, &self.location)?;
        let wood = self
            .wood_label
            .filter(|_| !ids.iter().skip(2).chain(&ids[..1]).any(|id| *id == ids[1]));
        let mut object = None;
        let alone = copies.len() == 1;
        for (number, (world_from_plant, random)) in copies.into_iter().enumerate() {
            let id = match object {
                Some(id) if self.one_object => id,
                _ => {
                    let name = match self.one_object || alone {
                        true => self.name.clone(),
                        false => format!("{}#{}", self.name, number + 1),
                    };
                    let id = builder.add_object(name, self.label).map_err(here)?;
                    if let Some(label) = wood {
                        builder.label_wood(id, ids[1], label);
                    }
                    *object.insert(id)
                }
            };
            let variant = (random % meshes.len().max(1) as u64) as usize;
            // A patch that grew no blade is a bare one.
            if let Some(mesh) = meshes.get(variant).copied().flatten() {
                match wind {
                    Some(wind) => {
                        let height_m = mesh.height_m() * world_from_plant.matrix3.z_axis.length();
                        let sway = wind.sway(height_m, &world_from_plant, random);
                        builder.add_swaying_instance(mesh, id, world_from_plant, sway)
                    }
                    None => builder.add_instance(mesh, id, world_from_plant),
                }
                .map_err(here)?;
            }
        }
        Ok(())
    }
}

/// Adds the mesh of a plant; none if it has no triangles.
pub fn add_plant(
    builder: &mut SceneBuilder,
    plant: Plant,
    ids: &[u16; 4],
    edges: Edges,
) -> Result<Option<SceneMesh>, GeometryError> {
    let Some(first) = plant.parts.first() else { return Ok(None) };
    let materials = if plant.parts.iter().all(|part| ids[*part as usize] == ids[*first as usize]) {
        MeshMaterials::Uniform(ids[*first as usize])
    } else {
        let of = |part: &Part| ids[*part as usize];
        MeshMaterials::PerTriangle(plant.parts.iter().map(of).collect())
    };
    let mesh = builder.add_mesh(&plant.positions, plant.triangles, materials, edges)?;
    builder.note_parts(mesh, plant.parts);
    Ok(Some(mesh))
}
