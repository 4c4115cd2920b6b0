//! Where the copies of an object stand: one place, a list, a CSV file or a grid.
//!
//! What leaves: `world_from_mesh` for every copy. The object's own `position_m`, `rotation_deg`
//! and `scale` place the whole list: world_from_mesh = world_from_object · object_from_copy, each
//! of them translation · rotation · scale.

use super::file::{GridFile, ObjectFile, PlacementFile};
use super::number;
use crate::Error;
use crate::world::trajectory::Pose;
use glam::{DAffine3, DQuat, DVec3};
use rand_philox::{Philox, u32_to_unit_f64};
use std::path::{Path, PathBuf};
use understory_files::hint::word_remedy;
use understory_files::{LayeredToml, Spanned, ValueOr};

/// Most copies of one object.
const MAX_COPIES: u64 = 10_000_000;

/// `world_from_mesh` of every copy of an object; at least one.
pub fn placements(layers: &LayeredToml<'_>, object: &ObjectFile) -> Result<Vec<DAffine3>, Error> {
    let world_from_object = affine(
        number::pose(object.position_m.as_ref(), object.rotation_deg.as_ref()),
        number::scale(layers, object.scale.as_ref())?,
    );
    let copies = match (&object.instances, &object.instances_file, &object.grid) {
        (None, None, None) => vec![DAffine3::IDENTITY],
        (Some(list), None, None) => {
            list.get_ref().iter().map(|p| placement(layers, p)).collect::<Result<_, _>>()?
        }
        (None, Some(file), None) => read_csv(&layers.file(&file.span(), file.get_ref())?)?,
        (None, None, Some(grid)) => grid_places(layers, grid)?,
        _ => {
            return Err(layers.invalid(
                &object.name.span(),
                "more than one of `instances`, `instances_file` and `grid` is given",
                "keep one of them",
            ));
        }
    };
    Ok(copies.into_iter().map(|object_from_copy| world_from_object * object_from_copy).collect())
}

/// The largest factor by which a transform stretches.
pub fn stretch(transform: &DAffine3) -> f64 {
    let m = transform.matrix3;
    m.x_axis.length().max(m.y_axis.length()).max(m.z_axis.length())
}

fn affine(pose: Pose, scale: DVec3) -> DAffine3 {
    DAffine3::from_scale_rotation_translation(scale, pose.rotation, pose.translation)
}

pub fn placement(layers: &LayeredToml<'_>, place: &PlacementFile) -> Result<DAffine3, Error> {
    let pose = number::pose(place.position_m.as_ref(), place.rotation_deg.as_ref());
    Ok(affine(pose, number::scale(layers, place.scale.as_ref())?))
}

fn grid_places(layers: &LayeredToml<'_>, grid: &Spanned<GridFile>) -> Result<Vec<DAffine3>, Error> {
    let file = grid.get_ref();
    let [nx, ny] = *file.count.get_ref();
    let total = nx as u64 * ny as u64;
    if total == 0 || total > MAX_COPIES {
        return Err(layers.invalid(
            &file.count.span(),
            format!("`count` asks for {total} copies"),
            format!("give two numbers whose product is from 1 to {MAX_COPIES}"),
        ));
    }
    let spacing = file.spacing_m.get();
    let jitter = file.jitter_m.value_or(0.0);
    let spread = file.scale_jitter.value_or(0.0);
    let mut random = Philox::from_u64_seed(file.seed);
    let mut symmetric = move || 2.0 * u32_to_unit_f64(random.next_u32()) - 1.0;
    let mut places = Vec::with_capacity(total as usize);
    for iy in 0..ny {
        for ix in 0..nx {
            let from_middle = |i: u32, n: u32| i as f64 - (n - 1) as f64 * 0.5;
            // Four numbers for every copy, used or not: one setting does not stir the others.
            let [a, b, c, d] = [symmetric(), symmetric(), symmetric(), symmetric()];
            let x = from_middle(ix, nx) * spacing[0] + a * jitter;
            let y = from_middle(iy, ny) * spacing[1] + b * jitter;
            let yaw = if file.random_yaw { c * std::f64::consts::PI } else { 0.0 };
            places.push(DAffine3::from_scale_rotation_translation(
                DVec3::splat(1.0 + d * spread),
                DQuat::from_rotation_z(yaw),
                DVec3::new(x, y, 0.0),
            ));
        }
    }
    Ok(places)
}

/// Columns that an instances file may have.
const COLUMNS: [&str; 10] = [
    "x_m",
    "y_m",
    "z_m",
    "roll_deg",
    "pitch_deg",
    "yaw_deg",
    "scale",
    "scale_x",
    "scale_y",
    "scale_z",
];

pub fn read_csv(path: &Path) -> Result<Vec<DAffine3>, Error> {
    let at = |line: u64| format!("{}:{line}", path.display());
    let bytes =
        std::fs::read(path).map_err(|source| Error::Read { path: PathBuf::from(path), source })?;
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(bytes.as_slice());
    let refuse = |error: csv::Error| {
        let line = error.position().map_or(1, |p| p.line());
        Error::invalid(at(line), format!("the CSV cannot be read: {error}"), "correct the line")
    };
    let header = reader.headers().map_err(refuse)?.clone();
    let mut column_of = [None; COLUMNS.len()];
    for (column, name) in header.iter().enumerate() {
        match COLUMNS.iter().position(|known| *known == name) {
            Some(known) => column_of[known] = Some(column),
            None => {
                let problem = format!("unknown column {name:?}");
                return Err(Error::invalid(at(1), problem, word_remedy(name, &COLUMNS)));
            }
        }
    }
    if let Some(missing) = (0..3).find(|&i| column_of[i].is_none()) {
        let name = COLUMNS[missing];
        return Err(Error::invalid(at(1), format!("column {name:?} is missing"), "add it"));
    }
    let mut places = Vec::new();
    for record in reader.records() {
        let record = record.map_err(refuse)?;
        let line = record.position().map_or(0, |p| p.line());
        let mut values = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        for (known, value) in values.iter_mut().enumerate() {
            let Some(text) = column_of[known].and_then(|column| record.get(column)) else {
                continue;
            };
            let number = text.parse::<f64>().ok().filter(|x| x.is_finite() && x.abs() <= 1e9);
            *value = number.ok_or_else(|| {
                let problem = format!("column {:?} holds {text:?}", COLUMNS[known]);
                Error::invalid(at(line), problem, "give a finite number of at most 10⁹")
            })?;
        }
        let [x, y, z, roll, pitch, yaw, scale, sx, sy, sz] = values;
        let scale = DVec3::new(sx, sy, sz) * scale;
        if !number::is_scale(&scale) {
            let problem = format!("the scale is {scale}");
            return Err(Error::invalid(at(line), problem, "give every axis a scale other than 0"));
        }
        places.push(affine(Pose::from_position_and_rpy_deg([x, y, z], [roll, pitch, yaw]), scale));
        if places.len() as u64 > MAX_COPIES {
            let problem = format!("there are more than {MAX_COPIES} rows");
            return Err(Error::invalid(at(line), problem, "split the file"));
        }
    }
    if places.is_empty() {
        return Err(Error::invalid(path.display(), "there are no rows", "give one or more"));
    }
    Ok(places)
}
