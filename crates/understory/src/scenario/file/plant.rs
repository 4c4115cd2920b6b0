//! `[world.terrain]`, `[[world.plant]]` and `[[world.ground_object]]`: the ground and what stands
//! on it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use understory_files::{Extent, NonEmpty, Spanned, UpToBillion, Vector, Whole, Within, limits};
use understory_plants::{Feature, GroundPlane, HeightmapFile, ObstacleSpec, Relief};

use super::object::{EdgesName, LabelChoice, PlacementFile};
use crate::world::scene::mesh_file::{LengthUnit, UpAxis};

limits! {
    /// On the size of copies.
    ScaleFactor: 0.001..=1000.0;
}

/// The ground, one object called `terrain` in the ground truth: a `plane` or a `heightmap`, then
/// relief and features in their order.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TerrainFile {
    /// A file of heights.
    pub heightmap: Option<Spanned<HeightmapFile>>,
    /// Level ground.
    pub plane: Option<Spanned<GroundPlane>>,
    /// Fractal reliefs, added.
    #[serde(default)]
    pub relief: Vec<Relief>,
    /// Slopes, ruts, berms, ditches, steps and mounds, added.
    #[serde(default)]
    pub features: Vec<Feature>,
    /// How far the triangles may lie above or below the samples; every sample has its own where
    /// nothing is said.
    pub tolerance_m: Option<Extent>,
    /// Its material; `"soil"` where nothing is said.
    pub material: Option<Spanned<String>>,
    /// Its semantic class; `"terrain"` where nothing is said.
    #[schemars(with = "Option<LabelChoice>")]
    pub label: Option<Spanned<toml::Value>>,
    /// Another seed gives another relief; from the scenario's where nothing is said.
    pub seed: Option<u64>,
}

/// The keys of placement of a table.
pub struct LayoutKeys<'a> {
    /// Where the table is.
    pub span: Range<usize>,
    pub area: Option<&'a Spanned<AreaFile>>,
    pub count: Option<&'a Whole<1, { u32::MAX }>>,
    pub density_per_m2: Option<&'a Extent>,
    pub spacing_m: Option<&'a Extent>,
    pub rows: Option<&'a Spanned<RowsFile>>,
    /// Side of the tiles and where they are requested.
    pub tiles: Option<(f64, Range<usize>)>,
    pub mask: Option<&'a Spanned<PathBuf>>,
    pub avoid: &'a [Spanned<AvoidFile>],
    pub instances: Option<&'a NonEmpty<PlacementFile>>,
    pub instances_file: Option<&'a Spanned<PathBuf>>,
    pub random_turn: Option<bool>,
    pub scale_range: Option<&'a Vector<2, ScaleFactor>>,
    pub lean_deg: Option<&'a Within<0, 90>>,
    pub sink_m: Option<&'a Within<-1000, 1000>>,
    /// Half the side of a patch, which is sheared along the slope.
    pub reach_m: Option<f64>,
    /// Whether copies are tilted with the ground.
    pub tilt: bool,
}

/// A table with keys of its own and the keys that say where its copies stand.
///
/// `#[serde(flatten)]` would share them by a struct, but it loses the spans of values and takes no
/// `deny_unknown_fields`: the errors that name a line and the key that was meant would be gone.
macro_rules! placed_table {
    ($(#[$about:meta])* pub struct $name:ident {
        $($(#[$attribute:meta])* pub $key:ident: $kind:ty,)*
    }) => {
        $(#[$about])*
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// Its name, its own.
            pub name: Spanned<String>,
            $($(#[$attribute])* pub $key: $kind,)*
            /// Where it stands; the whole plane of the terrain where nothing is said.
            pub area: Option<Spanned<AreaFile>>,
            /// Exactly so many, anywhere in the area; with `spacing_m`, so many of the places that
            /// keep the distance.
            pub count: Option<Whole<1, { u32::MAX }>>,
            /// So many in the mean, independent of each other (a Poisson process); with
            /// `spacing_m`, places that keep the distance are thinned to this density.
            pub density_per_m2: Option<Extent>,
            /// None is nearer to another than this (Poisson-disc sampling, Bridson 2007); alone it
            /// gives about 0.63 / `spacing_m`² per m².
            pub spacing_m: Option<Extent>,
            /// Straight rows.
            pub rows: Option<Spanned<RowsFile>>,
            /// A PNG over the box around the area, north up: its grey is the probability that a
            /// place is kept.
            pub mask: Option<Spanned<PathBuf>>,
            /// What is kept free.
            #[serde(default)]
            pub avoid: Vec<Spanned<AvoidFile>>,
            /// Copies instead of a rule; z is the height above the ground.
            pub instances: Option<NonEmpty<PlacementFile>>,
            /// The same from a CSV file, as for objects.
            pub instances_file: Option<Spanned<PathBuf>>,
            /// Whether each is turned at random about the vertical; `true`, for lists `false`,
            /// where nothing is said.
            pub random_turn: Option<bool>,
            /// Least and greatest factor on the size, even between them; [1, 1] where nothing is
            /// said.
            pub scale_range: Option<Vector<2, ScaleFactor>>,
            /// Greatest lean from the vertical, to any side; 0 where nothing is said.
            pub lean_deg: Option<Within<0, 90>>,
            /// How deep it is sunk, so that a trunk on a slope does not hang in the air; 0 where
            /// nothing is said.
            pub sink_m: Option<Within<-1000, 1000>>,
        }

        impl $name {
            /// Where its copies stand, without tiles.
            pub fn layout_keys(&self) -> LayoutKeys<'_> {
                LayoutKeys {
                    span: self.name.span(),
                    area: self.area.as_ref(),
                    count: self.count.as_ref(),
                    density_per_m2: self.density_per_m2.as_ref(),
                    spacing_m: self.spacing_m.as_ref(),
                    rows: self.rows.as_ref(),
                    tiles: None,
                    mask: self.mask.as_ref(),
                    avoid: &self.avoid,
                    instances: self.instances.as_ref(),
                    instances_file: self.instances_file.as_ref(),
                    random_turn: self.random_turn,
                    scale_range: self.scale_range.as_ref(),
                    lean_deg: self.lean_deg.as_ref(),
                    sink_m: self.sink_m.as_ref(),
                    reach_m: None,
                    tilt: false,
                }
            }
        }
    };
}

placed_table! {
    /// A species, grown a few times and placed often. One rule says where: `count`,
    /// `density_per_m2`, `spacing_m`, `rows`, `tiles`, `instances` or `instances_file`; only
    /// `spacing_m` goes with `count` or `density_per_m2`.
    pub struct PlantFile {
        /// A plant that the program knows; one of `species`, `kind` and `file`.
        pub species: Option<Spanned<String>>,
        /// A kind of plant without a species: `"grass"`, `"crop"`, `"stems"`, `"leaf-volume"`,
        /// `"grown"`, `"stand"`, `"tree"`, `"conifer"` or `"shrub"`.
        pub kind: Option<Spanned<String>>,
        /// A TOML file with one plant: a table of its kind, such as `[tree]`.
        pub file: Option<Spanned<PathBuf>>,
        /// Parameters of the plant that shall differ.
        #[serde(rename = "override")]
        #[schemars(with = "Option<BTreeMap<String, serde_json::Value>>")]
        pub overrides: Option<Spanned<toml::Table>>,
        /// How many different ones are grown, never more than there are copies; 4 where nothing is
        /// said.
        pub variants: Option<Whole<1, 1000>>,
        /// Materials of its parts `leaf`, `wood`, `stem` and `fruit`; by kind where nothing is
        /// said.
        pub materials: Option<Spanned<BTreeMap<String, Spanned<String>>>>,
        /// Its semantic class; `"vegetation"` where nothing is said.
        #[schemars(with = "Option<LabelChoice>")]
        pub label: Option<Spanned<toml::Value>>,
        /// Semantic class of its wood; `"trunk"` for trees and conifers where nothing is said.
        #[schemars(with = "Option<LabelChoice>")]
        pub wood_label: Option<Spanned<toml::Value>>,
        /// Whether beams may slip through between triangles; `"exact"` where nothing is said.
        pub edges: Option<EdgesName>,
        /// Whether all copies are one object in the ground truth; `true` for grass, crops and
        /// other patches where nothing is said.
        pub one_object: Option<bool>,
        /// Key of its growth and its places; from the scenario's and the name where nothing is
        /// said.
        pub seed: Option<u64>,
        /// For square patches: side by side over the area, turned by quarters.
        pub tiles: Option<Spanned<bool>>,
    }
}

placed_table! {
    /// A thing on the ground: rocks, logs, posts and meshes are strewn by the same keys as plants; a
    /// fence or a wall follows the ground along its path and takes none of them.
    pub struct GroundObjectFile {
        /// The thing; one of `what` and `file`.
        pub what: Option<Spanned<ObstacleSpec>>,
        /// A mesh: an `.obj`, `.ply`, `.stl`, `.gltf` or `.glb` file.
        pub file: Option<Spanned<PathBuf>>,
        /// Unit of the mesh; metres where nothing is said.
        pub unit: Option<Spanned<LengthUnit>>,
        /// Which axis of the mesh points up; y for glTF and else z where nothing is said.
        pub up: Option<Spanned<UpAxis>>,
        /// What of the mesh stands on the ground; `"lowest"` where nothing is said.
        pub stands_on: Option<Spanned<StandsOn>>,
        /// Whether beams may slip through between the triangles of the mesh; `"closed"` where
        /// nothing is said.
        pub edges: Option<Spanned<EdgesName>>,
        /// Which material each material of the mesh file is; by name where nothing is said.
        pub materials: Option<Spanned<BTreeMap<String, Spanned<String>>>>,
        /// For glTF: semantic classes of nodes by their names, as for objects.
        #[schemars(with = "Option<BTreeMap<String, LabelChoice>>")]
        pub labels: Option<Spanned<BTreeMap<String, Spanned<toml::Value>>>>,
        /// For glTF: whether each node that has a mesh is an object of its own, as for objects;
        /// `true` where nothing is said, `false` with `one_object`.
        pub split_nodes: Option<Spanned<bool>>,
        /// How many different ones are made; 4 where nothing is said. A mesh is always the same.
        pub variants: Option<Whole<1, 1000>>,
        /// Its material; by its kind, or the mesh's own, where nothing is said.
        pub material: Option<Spanned<String>>,
        /// Its semantic class; by its kind where nothing is said, `"other-object"` for a mesh.
        #[schemars(with = "Option<LabelChoice>")]
        pub label: Option<Spanned<toml::Value>>,
        /// Whether it is tilted with the ground below it, so that its z is the ground's normal;
        /// else it stands upright.
        pub tilt_with_ground: Option<Spanned<bool>>,
        /// Whether all copies are one object in the ground truth.
        #[serde(default)]
        pub one_object: bool,
        /// Key of its shape and its places; from the scenario's and the name where nothing is said.
        pub seed: Option<u64>,
    }
}

/// What of a mesh stands on the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StandsOn {
    /// Its lowest point.
    Lowest,
    /// Its origin, so that roots and foundations reach below the ground.
    Origin,
}

/// An area: `size_m` or `radius_m`, both with `centre_m` as wanted, or `polygon_m`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AreaFile {
    /// Middle of a rectangle or disc; the origin where nothing is said.
    pub centre_m: Option<Vector<2>>,
    /// A rectangle along x and y.
    pub size_m: Option<Vector<2, UpToBillion>>,
    /// A disc.
    pub radius_m: Option<Extent>,
    /// Three or more corners of a polygon.
    pub polygon_m: Option<Vec<Vector<2>>>,
}

/// What is kept free: an area, or a way by `line_m` and `width_m`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AvoidFile {
    /// Middle of a rectangle or disc; the origin where nothing is said.
    pub centre_m: Option<Vector<2>>,
    /// A rectangle along x and y.
    pub size_m: Option<Vector<2, UpToBillion>>,
    /// A disc.
    pub radius_m: Option<Extent>,
    /// Three or more corners of a polygon.
    pub polygon_m: Option<Vec<Vector<2>>>,
    /// Two or more corners of a way, such as a trail.
    pub line_m: Option<Vec<Vector<2>>>,
    /// Whole width of that way.
    pub width_m: Option<Extent>,
}

/// Straight rows; one runs through the middle of the area.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowsFile {
    /// Distance of the rows.
    pub spacing_m: Extent,
    /// Distance of neighbours in a row.
    pub in_row_m: Extent,
    /// Direction of the rows, from x towards y; 0 where nothing is said.
    pub heading_deg: Option<Within<-360, 360>>,
    /// Each is moved by up to this along and across its row; 0 where nothing is said.
    pub jitter_m: Option<Within<0, 1000>>,
}
