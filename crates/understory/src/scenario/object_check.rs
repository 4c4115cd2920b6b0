//! `[[world.object]]` as typed → an [`ObjectSpec`], with every mistake named by its line.

use super::animated;
use super::body::BodySpec;
use super::file::{EdgesName, FramesFile, ObjectFile, ShapeName};
use super::frames::FrameSequence;
use super::given::{self, InMemoryAssets};
use super::labels::check_label;
use super::material::named;
use super::mesh_asset::MeshKeys;
use super::motion::MotionSpec;
use super::object::{ObjectSpec, Source};
use super::placement;
use crate::Error;
use crate::world::scene::foliage::Foliage;
use crate::world::scene::material::Material;
use crate::world::scene::person::Person;
use crate::world::scene::shape::Shape;
use crate::world::trajectory::GroundContact;
use glam::DAffine3;
use understory_cloud::label_number;
use understory_files::{
    Extent, LayeredToml, List, Number, Numbers, Spanned, UpToBillion, ValueOr, Vector,
};
use understory_geometry::Edges;

/// Checks everything that can be known without reading a mesh.
pub(super) fn check_object(
    layers: &LayeredToml<'_>,
    assets: &InMemoryAssets,
    file: &ObjectFile,
    own: &[Material],
) -> Result<ObjectSpec, Error> {
    if file.name.get_ref().trim().is_empty() {
        return Err(layers.invalid(&file.name.span(), "`name` is empty", "give the object a name"));
    }
    let source = match file.shape.get_ref() {
        ShapeName::Mesh => check_mesh(layers, assets, file, own)?,
        ShapeName::Person => check_person(layers, file)?,
        ShapeName::Car => check_car(layers, file)?,
        _ => check_shape(layers, file)?,
    };
    let material = file.material.as_ref().map(|name| named(layers, own, name)).transpose()?;
    let foliage = file.foliage.as_ref().map(|foliage| -> Result<Foliage, Error> {
        let (span, foliage) = (foliage.span(), foliage.get_ref());
        if !matches!(source, Source::Shape { .. }) {
            let remedy = "give a shape without parts of its own";
            return Err(layers.invalid(&span, "this foliage has no leaves", remedy));
        }
        Ok(Foliage {
            count: foliage.count.get(),
            size_m: foliage.size_m.get(),
            volume: foliage.volume,
            seed: foliage.seed,
        })
    });
    let placements = placement::placements(layers, file)?;
    let articulated = matches!(
        source,
        Source::Person(_) | Source::Mesh { animation: Some(_), .. } | Source::Frames(_)
    );
    if articulated && !placements.iter().all(animated::keeps_shape) {
        let span = file.scale.as_ref().map_or_else(|| file.name.span(), Spanned::span);
        let problem = "an object whose parts move cannot be stretched or mirrored";
        return Err(layers.invalid(&span, problem, "scale it by one positive number"));
    }
    let is_car = matches!(source, Source::Car);
    let body = BodySpec::check(layers, file.body.as_ref(), file.vehicle.as_ref(), is_car)?;
    let motion = file.motion.as_ref().map(|m| MotionSpec::check(layers, m)).transpose()?;
    if let Some(obeys) = file.body.as_ref().filter(|_| articulated) {
        let problem = "an object whose parts move by themselves does not obey physics";
        return Err(layers.invalid(&obeys.span(), problem, "remove `body`"));
    }
    if let Some(moving) = file.motion.as_ref().filter(|_| body.is_some()) {
        let problem = "the object has keyframes and obeys physics";
        return Err(layers.invalid(&moving.span(), problem, "keep one of them"));
    }
    let moving =
        file.motion.as_ref().map(Spanned::span).or(body.as_ref().map(|_| file.name.span()));
    if let Some(moving) = moving.filter(|_| file.one_object && placements.len() > 1) {
        let problem = "its copies are one object and each moves from its own place";
        let remedy = "remove `one_object`, or the copies";
        return Err(layers.invalid(&moving, problem, remedy));
    }
    let copy_names = file.copy_names.as_ref().map_or(&[][..], |names| names.get_ref()).to_vec();
    if let Some(names) = file.copy_names.as_ref() {
        let (count, copies) = (copy_names.len(), placements.len());
        if count != copies || file.one_object {
            let problem = format!("there are {count} names for {copies} copies");
            let problem = if file.one_object {
                "copies that are one object have no names of their own".into()
            } else {
                problem
            };
            return Err(layers.invalid(
                &names.span(),
                problem,
                "give each copy one, or remove `copy_names`",
            ));
        }
    }
    let scaled = |placement: &DAffine3| (placement::stretch(placement) - 1.0).abs() > 1e-9;
    let drives = file.vehicle.as_ref().map(Spanned::span);
    let drives = drives.or(file.motion.as_ref().filter(|_| is_car).map(Spanned::span));
    if let Some(drives) = drives.filter(|_| placements.iter().any(scaled)) {
        let problem = "a car that drives has wheels of one size and cannot be scaled";
        return Err(layers.invalid(&drives, problem, "remove `scale`"));
    }
    Ok(ObjectSpec {
        location: layers.location(&file.name.span()),
        name: file.name.get_ref().clone(),
        source,
        foliage: foliage.transpose()?,
        material,
        label: match &file.label {
            Some(label) => check_label(layers, label)?,
            None if *file.shape.get_ref() == ShapeName::Person => {
                label_number("person").unwrap_or(0)
            }
            None => 0,
        },
        edges: match file.edges {
            Some(EdgesName::Exact) => Edges::Exact,
            Some(EdgesName::Closed) | None => Edges::Closed,
        },
        placements,
        copy_names,
        one_object: file.one_object,
        body,
        motion,
        on_ground: check_on_ground(layers, file)?,
    })
}

/// How the object stands on the ground, if it does.
fn check_on_ground(
    layers: &LayeredToml<'_>,
    file: &ObjectFile,
) -> Result<Option<GroundContact>, Error> {
    let size = file.footprint_m.as_ref();
    if let Some(size) = size.filter(|_| !file.on_ground) {
        let problem = "the object has `footprint_m` but does not stand on the ground";
        return Err(layers.invalid(&size.span(), problem, "add `on_ground = true`"));
    }
    if let Some(body) = file.body.as_ref().filter(|_| file.on_ground) {
        let problem = "the object has `on_ground` and obeys physics";
        let remedy = "put `on_ground` into its `body`, which lets it down onto the ground";
        return Err(layers.invalid(&body.span(), problem, remedy));
    }
    let size_m = size.map_or(GroundContact::POINT.size_m, Vector::get);
    Ok(file.on_ground.then_some(GroundContact { size_m }))
}

/// Refuses keys that mean nothing for this shape.
fn refuse_keys(
    layers: &LayeredToml<'_>,
    file: &ObjectFile,
    keys: &[(&str, Option<std::ops::Range<usize>>)],
) -> Result<(), Error> {
    for (key, span) in keys {
        if let Some(span) = span {
            let shape = format!("{:?}", file.shape.get_ref()).to_lowercase();
            let problem = format!("a {shape} has no `{key}`");
            return Err(layers.invalid(span, problem, "remove it, or choose another shape"));
        }
    }
    Ok(())
}

fn check_mesh(
    layers: &LayeredToml<'_>,
    assets: &InMemoryAssets,
    file: &ObjectFile,
    own: &[Material],
) -> Result<Source, Error> {
    refuse_keys(
        layers,
        file,
        &[
            ("size_m", file.size_m.as_ref().map(List::span)),
            ("radius_m", file.radius_m.as_ref().map(Number::span)),
            ("height_m", file.height_m.as_ref().map(Number::span)),
            ("tolerance_m", file.tolerance_m.as_ref().map(Number::span)),
        ],
    )?;
    if let Some(frames) = &file.frames {
        return check_frames(layers, assets, file, frames, own);
    }
    let Some(mesh) = &file.file else {
        let remedy = "add `file` with the path of an OBJ, PLY, STL or glTF file";
        return Err(layers.invalid(&file.shape.span(), "the mesh has no `file`", remedy));
    };
    if given::name(mesh.get_ref()).is_some()
        && let Some(animation) = &file.animation
    {
        let problem = "a mesh in memory has no animation";
        let remedy = "name a glTF file, or remove `animation`";
        return Err(layers.invalid(&animation.span(), problem, remedy));
    }
    if let Some(split) = file.split_nodes.as_ref().filter(|split| *split.get_ref())
        && file.body.is_some()
    {
        let problem = "a body moves as a whole and is one object";
        return Err(layers.invalid(&split.span(), problem, "remove `split_nodes`, or `body`"));
    }
    let asset = MeshKeys::of(file, mesh).check(layers, assets, own)?;
    let animation = animated::check_animation(layers, file)?;
    Ok(Source::Mesh { asset, animation })
}

fn check_frames(
    layers: &LayeredToml<'_>,
    assets: &InMemoryAssets,
    file: &ObjectFile,
    frames: &Spanned<FramesFile>,
    own: &[Material],
) -> Result<Source, Error> {
    let whole = [
        ("file", file.file.as_ref().map(Spanned::span)),
        ("animation", file.animation.as_ref().map(Spanned::span)),
        ("labels", file.labels.as_ref().map(Spanned::span)),
        ("split_nodes", file.split_nodes.as_ref().map(Spanned::span)),
    ];
    if let Some((key, span)) = whole.into_iter().find_map(|(key, span)| Some((key, span?))) {
        let problem = format!("a mesh with `frames` has no `{key}`");
        return Err(layers.invalid(&span, problem, "remove one of them"));
    }
    animated::check_animation(layers, file)?;
    let mut assets_of_frames = Vec::new();
    for path in frames.get_ref().files.get_ref() {
        let keys = MeshKeys { splits: false, ..MeshKeys::of(file, path) };
        assets_of_frames.push(keys.check(layers, assets, own)?);
    }
    let FramesFile { step_s, start_s, repeat, .. } = frames.get_ref();
    Ok(Source::Frames(FrameSequence {
        assets: assets_of_frames,
        step_s: step_s.get(),
        start_s: start_s.value_or(0.0),
        repeat: *repeat,
    }))
}

fn check_person(layers: &LayeredToml<'_>, file: &ObjectFile) -> Result<Source, Error> {
    let mut keys = mesh_keys(file);
    keys.extend([
        ("size_m", file.size_m.as_ref().map(List::span)),
        ("radius_m", file.radius_m.as_ref().map(Number::span)),
        ("tolerance_m", file.tolerance_m.as_ref().map(Number::span)),
    ]);
    refuse_keys(layers, file, &keys)?;
    Ok(Source::Person(Person::new(animated::check_height(layers, file)?)))
}

/// Keys that only a mesh from a file has.
fn mesh_keys(file: &ObjectFile) -> Vec<(&'static str, Option<std::ops::Range<usize>>)> {
    vec![
        ("file", file.file.as_ref().map(Spanned::span)),
        ("frames", file.frames.as_ref().map(Spanned::span)),
        ("unit", file.unit.as_ref().map(Spanned::span)),
        ("up", file.up.as_ref().map(Spanned::span)),
        ("materials", file.materials.as_ref().map(Spanned::span)),
        ("labels", file.labels.as_ref().map(Spanned::span)),
        ("split_nodes", file.split_nodes.as_ref().map(Spanned::span)),
        ("animation", file.animation.as_ref().map(Spanned::span)),
        ("animation_repeat", file.animation_repeat.as_ref().map(Spanned::span)),
        ("animation_speed", file.animation_speed.as_ref().map(Number::span)),
        ("animation_start_s", file.animation_start_s.as_ref().map(Number::span)),
        ("pose_error_m", file.pose_error_m.as_ref().map(Number::span)),
    ]
}

/// A car has no keys of its own.
fn check_car(layers: &LayeredToml<'_>, file: &ObjectFile) -> Result<Source, Error> {
    refuse_keys(
        layers,
        file,
        &[
            ("file", file.file.as_ref().map(Spanned::span)),
            ("unit", file.unit.as_ref().map(Spanned::span)),
            ("up", file.up.as_ref().map(Spanned::span)),
            ("materials", file.materials.as_ref().map(Spanned::span)),
            ("labels", file.labels.as_ref().map(Spanned::span)),
            ("split_nodes", file.split_nodes.as_ref().map(Spanned::span)),
            ("size_m", file.size_m.as_ref().map(List::span)),
            ("radius_m", file.radius_m.as_ref().map(Number::span)),
            ("height_m", file.height_m.as_ref().map(Number::span)),
            ("tolerance_m", file.tolerance_m.as_ref().map(Number::span)),
        ],
    )?;
    Ok(Source::Car)
}

fn check_shape(layers: &LayeredToml<'_>, file: &ObjectFile) -> Result<Source, Error> {
    let name = *file.shape.get_ref();
    let (flat, round) = (
        matches!(name, ShapeName::Plane | ShapeName::Box),
        matches!(name, ShapeName::Sphere | ShapeName::Cylinder | ShapeName::Disc),
    );
    let unless = |wanted: bool, span| if wanted { None } else { span };
    let mut keys = mesh_keys(file);
    keys.extend([
        ("size_m", unless(flat, file.size_m.as_ref().map(List::span))),
        ("radius_m", unless(round, file.radius_m.as_ref().map(Number::span))),
        ("tolerance_m", unless(round, file.tolerance_m.as_ref().map(Number::span))),
        ("height_m", unless(name == ShapeName::Cylinder, file.height_m.as_ref().map(Number::span))),
    ]);
    refuse_keys(layers, file, &keys)?;
    let missing = |key: &str| -> Error {
        let shape = format!("{name:?}").to_lowercase();
        let problem = format!("the {shape} has no `{key}`");
        layers.invalid(&file.shape.span(), problem, format!("add `{key}`"))
    };
    let length = |key: &str, value: &Option<Extent>| match value {
        Some(value) => Ok(value.get()),
        None => Err(missing(key)),
    };
    let size = || file.size_m.as_ref().ok_or_else(|| missing("size_m"));
    let radius = || length("radius_m", &file.radius_m);
    let shape = match name {
        ShapeName::Plane => Shape::Plane { size_m: lengths(layers, size()?)? },
        ShapeName::Box => Shape::Box { size_m: lengths(layers, size()?)? },
        ShapeName::Sphere => Shape::Sphere { radius_m: radius()? },
        ShapeName::Cylinder => {
            Shape::Cylinder { radius_m: radius()?, height_m: length("height_m", &file.height_m)? }
        }
        ShapeName::Disc | ShapeName::Mesh | ShapeName::Person | ShapeName::Car => {
            Shape::Disc { radius_m: radius()? }
        }
    };
    let tolerance_m = match &file.tolerance_m {
        Some(tolerance) => tolerance.get(),
        None => shape.default_tolerance_m(),
    };
    Ok(Source::Shape { shape, tolerance_m })
}

/// `size_m` of a shape that has `N` lengths.
fn lengths<const N: usize>(
    layers: &LayeredToml<'_>,
    size: &Numbers<UpToBillion>,
) -> Result<[f64; N], Error> {
    let values = size.get();
    <[f64; N]>::try_from(values).map_err(|values| {
        let problem = format!("`size_m` is {values:?}");
        layers.invalid(&size.span(), problem, format!("give {N} numbers above 0 and at most 10⁹"))
    })
}
