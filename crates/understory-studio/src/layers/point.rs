//! Everything about one point: its row, with names for its numbers.

use understory_cloud::{COLUMNS, Column, Record, Records, Source, label_name};

use super::LayerHeld;
use super::rows::is_point;
use crate::protocol::layer::{Field, PointRecord};
use crate::refusal::{Answer, Refusal};

/// A point's row in its layer.
pub struct PointRow {
    /// Number of the row in the layer.
    pub row: u64,
    /// The row, alone.
    pub records: Records,
    /// The same.
    pub record: Record,
}

/// Finds the row of a point.
pub fn find(held: &LayerHeld, point: u32) -> Answer<PointRow> {
    let missing = || Refusal::not_found(format!("layer {} has no point {point}", held.seen.id));
    let chunk = held.rows.chunk(held.rows.chunk_of_point(point)).ok_or_else(missing)?;
    let records = chunk.records()?;
    let place = (point - chunk.first_point) as usize;
    let row = (0..records.len()).filter(|row| is_point(&records, *row)).nth(place);
    let row = row.ok_or_else(missing)?;
    let record = records.get(row).ok_or_else(missing)?;
    Ok(PointRow { row: chunk.first_row + row as u64, records: records.rows(row..row + 1), record })
}

/// What is measured of it beside what is true.
pub fn record(held: &LayerHeld, point: u32) -> Answer<PointRecord> {
    let PointRow { row, records, record } = find(held, point)?;
    let known = &held.known;
    let fields = records
        .into_columns()
        .into_iter()
        .filter_map(|(name, column)| COLUMNS.iter().find(|c| c.name == name).zip(Some(column)))
        .filter(|(info, _)| info.source == Source::Measured || known.truth || info.name == "label")
        .flat_map(|(info, column)| {
            let values = numbers(&column);
            let named = info.file_names.iter().zip(values);
            named
                .map(|(name, value)| Field {
                    name: (*name).to_owned(),
                    brief: info.brief.to_owned(),
                    unit: info.unit().to_owned(),
                    truth: info.source == Source::Truth,
                    value: Some(value).filter(|value| value.is_finite()),
                })
                .collect::<Vec<_>>()
        });
    let at = |names: &[String], number: usize| names.get(number.wrapping_sub(1)).cloned();
    let origin = record.origin_xyz_m;
    let error = f64::from(record.range_m) - f64::from(record.true_range_m);
    Ok(PointRecord {
        layer: held.seen.id,
        point,
        row,
        xyz_m: record.world_xyz_m,
        origin_m: Some(origin).filter(|origin| origin.iter().all(|value| value.is_finite())),
        fields: fields.collect(),
        object: at(&held.names.objects, record.object as usize),
        material: at(&held.names.materials, usize::from(record.material)),
        label: label_name(record.label).filter(|_| known.label || known.truth).map(str::to_owned),
        sensor: held.seen.sensors.get(usize::from(record.sensor)).cloned(),
        range_error_m: Some(error).filter(|error| error.is_finite()),
    })
}

/// The numbers of the first row of a column.
fn numbers(column: &Column) -> Vec<f64> {
    match column {
        Column::U8(v) => v.iter().take(1).map(|n| f64::from(*n)).collect(),
        Column::U16(v) => v.iter().take(1).map(|n| f64::from(*n)).collect(),
        Column::U32(v) => v.iter().take(1).map(|n| f64::from(*n)).collect(),
        Column::U64(v) => v.iter().take(1).map(|n| *n as f64).collect(),
        Column::F32(v) => v.iter().take(1).map(|n| f64::from(*n)).collect(),
        Column::F64(v) => v.iter().take(1).copied().collect(),
        Column::F32x3(v) => v.iter().take(1).flatten().map(|n| f64::from(*n)).collect(),
        Column::F64x3(v) => v.iter().take(1).flatten().copied().collect(),
        Column::U8x3(v) => v.iter().take(1).flatten().map(|n| f64::from(*n)).collect(),
    }
}
