//! Columns of points: rows of records → numbers for the page.

use bytes::Bytes;
use understory_cloud::{COLUMNS, ColumnInfo, KnownColumns, Records, Source};

use crate::block::BlockBuilder;
use crate::protocol::layer::PointsExtra;
use crate::protocol::library::ColumnCard;
use crate::refusal::{Answer, Refusal};

/// A column that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointColumn {
    /// A column of the records with this name.
    Plain(&'static str),
    /// Measured minus true range.
    RangeError,
}

/// Columns of one number per point.
const PLAIN: [&str; 20] = [
    "range_m",
    "true_range_m",
    "intensity",
    "label",
    "object",
    "material",
    "return_number",
    "return_count",
    "incidence_deg",
    "time_s",
    "channel",
    "sensor",
    "scan",
    "column",
    "azimuth_deg",
    "elevation_deg",
    "sub_ray_hits",
    "range_spread_m",
    "volume",
    "signal_photons",
];

/// Columns whose numbers are names of things.
const CATEGORIES: [&str; 8] =
    ["label", "object", "material", "return_number", "return_count", "channel", "sensor", "volume"];

/// Name of the error of ranges.
const RANGE_ERROR: &str = "range_error_m";

fn info(name: &str) -> Option<&'static ColumnInfo> {
    COLUMNS.iter().find(|column| column.name == name)
}

/// What is known of all columns that can be asked for.
pub fn cards() -> Vec<ColumnCard> {
    let mut cards: Vec<ColumnCard> = PLAIN
        .iter()
        .filter_map(|name| info(name))
        .map(|info| ColumnCard {
            name: info.name.to_owned(),
            brief: info.brief.to_owned(),
            unit: info.unit().to_owned(),
            truth: info.source == Source::Truth,
            categories: CATEGORIES.contains(&info.name),
        })
        .collect();
    cards.push(ColumnCard {
        name: RANGE_ERROR.to_owned(),
        brief: "measured minus true range".to_owned(),
        unit: "m".to_owned(),
        truth: true,
        categories: false,
    });
    cards
}

/// Columns that mean something in rows of which this is known.
pub fn known_names(known: &KnownColumns) -> Vec<String> {
    let means = |name: &str| match name {
        "range_m" => known.range || known.origin,
        "intensity" => known.intensity,
        "label" => known.label,
        "time_s" => known.time,
        "channel" => known.channel,
        "scan" => known.scan,
        "column" => known.column,
        "azimuth_deg" | "elevation_deg" => known.angles,
        "return_number" | "return_count" => known.returns,
        "sensor" => true,
        _ => known.truth,
    };
    cards().into_iter().map(|card| card.name).filter(|name| means(name)).collect()
}

/// The columns of a list of names with commas.
pub fn parse(names: &str) -> Answer<Vec<PointColumn>> {
    let mut columns = Vec::new();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let column = match PLAIN.iter().find(|known| **known == name) {
            Some(known) => PointColumn::Plain(known),
            None if name == RANGE_ERROR => PointColumn::RangeError,
            // Always there.
            None if name == "xyz" || name == "row" => continue,
            None => return Err(Refusal::bad(format!("there is no column {name:?}"))),
        };
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    Ok(columns)
}

/// Points that were gathered from chunks.
#[derive(Default)]
pub struct Points {
    xyz: Vec<f32>,
    row: Vec<u32>,
    /// Rows within their own records.
    places: Vec<usize>,
}

impl Points {
    /// Takes rows of `records`, the first of which is `first_row` of the layer.
    pub fn add(
        &mut self,
        records: &Records,
        first_row: u64,
        rows: impl Iterator<Item = usize>,
        offset_m: [f64; 3],
    ) {
        for row in rows {
            let at = records.world_xyz_m[row];
            self.xyz.extend([0, 1, 2].map(|axis| (at[axis] - offset_m[axis]) as f32));
            self.row.push((first_row + row as u64) as u32);
            self.places.push(row);
        }
    }

    /// Points so far.
    pub fn len(&self) -> usize {
        self.row.len()
    }

    /// All of them as a block; `parts` says which of them are of which records.
    pub fn block(
        &self,
        layer: u32,
        parts: &[(&Records, std::ops::Range<usize>)],
        offset_m: [f64; 3],
        columns: &[PointColumn],
        first: u32,
    ) -> Bytes {
        let mut block = BlockBuilder::new("points", offset_m);
        block.column("xyz", 3, &self.xyz);
        block.column("row", 1, &self.row);
        for column in columns {
            self.column(&mut block, parts, *column);
        }
        block.finish(&PointsExtra { layer, first, points: self.row.len() as u32 })
    }

    fn column(
        &self,
        block: &mut BlockBuilder,
        parts: &[(&Records, std::ops::Range<usize>)],
        column: PointColumn,
    ) {
        macro_rules! gather {
            ($name:expr, $field:ident as $ty:ty) => {{
                let mut values: Vec<$ty> = Vec::with_capacity(self.places.len());
                for (records, range) in parts {
                    let places = self.places.get(range.clone()).unwrap_or_default();
                    values.extend(places.iter().map(|&row| records.$field[row] as $ty));
                }
                block.column($name, 1, &values);
            }};
        }
        let name = match column {
            PointColumn::Plain(name) => name,
            PointColumn::RangeError => {
                let mut values = Vec::with_capacity(self.places.len());
                for (records, range) in parts {
                    let places = self.places.get(range.clone()).unwrap_or_default();
                    values.extend(
                        places.iter().map(|&row| records.range_m[row] - records.true_range_m[row]),
                    );
                }
                block.column(RANGE_ERROR, 1, &values);
                return;
            }
        };
        match name {
            "range_m" => gather!(name, range_m as f32),
            "true_range_m" => gather!(name, true_range_m as f32),
            "intensity" => gather!(name, intensity as f32),
            "label" => gather!(name, label as u16),
            "object" => gather!(name, object as u32),
            "material" => gather!(name, material as u16),
            "return_number" => gather!(name, return_number as u8),
            "return_count" => gather!(name, return_count as u8),
            "incidence_deg" => gather!(name, incidence_deg as f32),
            "time_s" => gather!(name, time_s as f64),
            "channel" => gather!(name, channel as u16),
            "sensor" => gather!(name, sensor as u16),
            "scan" => gather!(name, scan as u32),
            "column" => gather!(name, column as u32),
            "azimuth_deg" => gather!(name, azimuth_deg as f32),
            "elevation_deg" => gather!(name, elevation_deg as f32),
            "sub_ray_hits" => gather!(name, sub_ray_hits as u16),
            "range_spread_m" => gather!(name, range_spread_m as f32),
            "volume" => gather!(name, volume as u32),
            _ => gather!(name, signal_photons as f32),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn every_column_of_the_list_is_one_of_the_records() {
        assert_eq!(cards().len(), PLAIN.len() + 1);
        assert!(CATEGORIES.iter().all(|name| PLAIN.contains(name)));
        let names: Vec<String> = cards().into_iter().map(|card| card.name).collect();
        assert_eq!(parse(&names.join(",")).unwrap().len(), names.len());
        assert!(parse("xyz,row,,range_m,range_m").unwrap().len() == 1);
        assert!(parse("world_xyz").is_err());
    }
}
