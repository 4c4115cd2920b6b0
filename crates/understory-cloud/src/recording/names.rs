//! Which column of a file is which column of the records.
//!
//! Understory's own names come first; the others are what files of other programs call the same. A
//! number behind a name makes metres, seconds or degrees of its unit. A column of whole numbers
//! called `time` or `t` has no unit that could be known, and is skipped.

use crate::ColumnSummary;
use crate::records::{FILE_COLUMNS, FileColumn};
use crate::text_lines::plain;

/// Own name, then names of others with the factor that makes our unit of theirs.
type Names = (&'static str, &'static [(&'static str, f64)]);

const MILLI: f64 = 1e-3;
const NANO: f64 = 1e-9;
const MICRO: f64 = 1e-6;
const DEGREES: f64 = 180.0 / std::f64::consts::PI;

const OTHERS: [Names; 26] = [
    ("x_m", &[("x", 1.0), ("x_mm", MILLI)]),
    ("y_m", &[("y", 1.0), ("y_mm", MILLI)]),
    ("z_m", &[("z", 1.0), ("z_mm", MILLI)]),
    ("intensity", &[("reflectivity", 1.0), ("remission", 1.0), ("reflectance", 1.0)]),
    (
        "time_s",
        &[
            ("gps_time", 1.0),
            ("gpstime", 1.0),
            ("time", 1.0),
            ("timestamp", 1.0),
            ("t", 1.0),
            ("timestamp_s", 1.0),
            ("t_s", 1.0),
            ("time_ns", NANO),
            ("timestamp_ns", NANO),
            ("t_ns", NANO),
            ("time_us", MICRO),
            ("timestamp_us", MICRO),
        ],
    ),
    ("return_number", &[("returnnumber", 1.0), ("return_id", 1.0)]),
    (
        "return_count",
        &[
            ("number_of_returns", 1.0),
            ("numberofreturns", 1.0),
            ("num_returns", 1.0),
            // HELIOS++.
            ("pulsereturnnumber", 1.0),
        ],
    ),
    (
        "range_m",
        &[
            ("range", 1.0),
            ("distance_m", 1.0),
            ("distance", 1.0),
            ("depth", 1.0),
            ("range_mm", MILLI),
            ("distance_mm", MILLI),
        ],
    ),
    ("azimuth_deg", &[("azimuth_rad", DEGREES)]),
    ("elevation_deg", &[("elevation_rad", DEGREES)]),
    ("origin_x_m", &[("origin_x", 1.0), ("ox", 1.0)]),
    ("origin_y_m", &[("origin_y", 1.0), ("oy", 1.0)]),
    ("origin_z_m", &[("origin_z", 1.0), ("oz", 1.0)]),
    ("direction_x", &[("dir_x", 1.0), ("dx", 1.0)]),
    ("direction_y", &[("dir_y", 1.0), ("dy", 1.0)]),
    ("direction_z", &[("dir_z", 1.0), ("dz", 1.0)]),
    ("pulse", &[("pulse_id", 1.0), ("pulse_index", 1.0), ("fullwaveindex", 1.0)]),
    ("sensor", &[("sensor_id", 1.0), ("point_source_id", 1.0)]),
    ("channel", &[("ring", 1.0), ("laser_id", 1.0), ("laser", 1.0)]),
    ("scan", &[("frame", 1.0), ("scan_id", 1.0), ("frame_id", 1.0)]),
    ("column", &[("col", 1.0), ("measurement_id", 1.0)]),
    ("label", &[("classification", 1.0), ("class", 1.0)]),
    ("red", &[("r", 1.0), ("diffuse_red", 1.0)]),
    ("green", &[("g", 1.0), ("diffuse_green", 1.0)]),
    ("blue", &[("b", 1.0), ("diffuse_blue", 1.0)]),
    ("object", &[("instance", 1.0), ("object_id", 1.0), ("hitobjectid", 1.0)]),
];

/// A column of the file that becomes a column of the records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    /// Which column of the file.
    pub(crate) from: usize,
    /// Which column of the records.
    pub(crate) to: FileColumn,
    /// What makes our unit of the file's.
    pub(crate) factor: f64,
}

/// Pairs the columns of a file with those of the records; also returns remarks on what was left
/// aside for a reason that the user can remove.
pub(crate) fn bind(columns: &[ColumnSummary]) -> (Vec<Bound>, Vec<String>) {
    let names: Vec<String> = columns.iter().map(|column| plain(&column.name)).collect();
    let mut bound = Vec::new();
    let mut remarks = Vec::new();
    for to in FILE_COLUMNS {
        // Understory's PCD has full coordinates beside those that viewers need.
        let world = format!("world_{}", to.name);
        let others = OTHERS.iter().find(|(own, _)| *own == to.name).map_or(&[][..], |(_, o)| o);
        let own = [(world.as_str(), 1.0), (to.name, 1.0)];
        for &(name, factor) in own.iter().chain(others) {
            let Some(from) = names.iter().position(|n| n == name) else { continue };
            let kind = columns.get(from).map_or("", |column| column.kind.as_str());
            let whole = kind.starts_with(['u', 'i']);
            if matches!(name, "time" | "timestamp" | "t") && whole {
                remarks.push(format!(
                    "the times in column {name} are whole numbers without a unit and were skipped; name it {name}_ns or {name}_us"
                ));
                continue;
            }
            bound.push(Bound { from, to, factor });
            break;
        }
    }
    (bound, remarks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(names: &[(&str, &str)]) -> Vec<(usize, &'static str, f64)> {
        let column = |&(name, kind): &(&str, &str)| ColumnSummary {
            name: name.to_owned(),
            kind: kind.to_owned(),
        };
        let columns: Vec<_> = names.iter().map(column).collect();
        bind(&columns).0.into_iter().map(|b| (b.from, b.to.name, b.factor)).collect()
    }

    #[test]
    fn others_names_are_known_and_own_ones_come_first() {
        let pairs = bound(&[
            ("X", "f32"),
            ("Y", "f32"),
            ("Z", "f32"),
            ("world_x_m", "f64"),
            ("t_ns", "u64"),
        ]);
        assert_eq!(pairs, [(3, "x_m", 1.0), (1, "y_m", 1.0), (2, "z_m", 1.0), (4, "time_s", 1e-9)]);
        assert!(bound(&[("t", "u32")]).is_empty());
        assert_eq!(bound(&[("t", "f64")]), [(0, "time_s", 1.0)]);
    }

    #[test]
    fn every_own_name_of_the_table_is_a_column() {
        for (own, _) in OTHERS {
            assert!(FILE_COLUMNS.iter().any(|column| column.name == own), "{own}");
        }
    }
}
