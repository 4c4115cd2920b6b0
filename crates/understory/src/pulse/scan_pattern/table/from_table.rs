//! The table `[table]` of a sensor file, checked: directions listed in it or in a CSV file.
//!
//! A CSV file has the columns `time_s,azimuth_deg,elevation_deg,channel`, or those of the tables that
//! Livox publishes for its scanners, `Time/s,Azimuth/deg,Zenith/deg`, whose times are a mere count.

use std::path::PathBuf;

use understory_files::sensor::{SensorFile, TableFile};
use understory_files::{List, Spanned};

use crate::Error;
use crate::pulse::check::Check;
use crate::pulse::scan_pattern::{Table, TableRow};

/// One row of the CSV file of a table.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TableCsvRow {
    time_s: f64,
    azimuth_deg: f64,
    elevation_deg: f64,
    #[serde(default)]
    channel: u16,
}

/// One row of a table as Livox publishes them; its time is a mere count.
#[derive(Debug, serde::Deserialize)]
struct LivoxCsvRow {
    #[serde(rename = "Azimuth/deg")]
    azimuth_deg: f64,
    #[serde(rename = "Zenith/deg")]
    zenith_deg: f64,
}

impl Check<'_> {
    pub(in crate::pulse::scan_pattern) fn table(
        &self,
        table: &Spanned<TableFile>,
        _: &SensorFile,
    ) -> Result<Table, Error> {
        let file = table.get_ref();
        let cycle_s = file.cycle_s.get();
        let columns = (&file.time_s, &file.azimuth_deg, &file.elevation_deg);
        let rows = match (&file.file, columns) {
            (Some(name), (None, None, None)) => self.rows_of_file(name, file, cycle_s)?,
            (None, (Some(time), Some(azimuth), Some(elevation))) => {
                let times = time.get();
                let azimuths = self.per_channel(azimuth, "azimuth_deg", times.len())?;
                let elevations = self.per_channel(elevation, "elevation_deg", times.len())?;
                let channel = file.channel.as_ref().map(List::get_ref);
                if let (Some(list), Some(at)) = (channel, &file.channel)
                    && list.len() != times.len()
                {
                    return self.fault(
                        &at.span(),
                        format!("channel has {} values for {} rows", list.len(), times.len()),
                        "give one channel for each row",
                    );
                }
                (0..times.len())
                    .map(|row| TableRow {
                        time_s: times[row],
                        azimuth_rad: azimuths[row].to_radians(),
                        elevation_rad: elevations[row].to_radians(),
                        channel: channel.map_or(0, |list| list[row]),
                    })
                    .collect()
            }
            _ => {
                return self.fault(
                    &table.span(),
                    "the rows of the table are not given, or given twice",
                    "give time_s, azimuth_deg and elevation_deg, or the file that holds them",
                );
            }
        };
        match Table::new(cycle_s, rows) {
            Some(table) => Ok(table),
            None => self.fault(
                &file.cycle_s.span(),
                "the table is empty, or its times do not rise from 0 to below cycle_s",
                "sort the rows by time and give a cycle_s after the last of them",
            ),
        }
    }

    fn rows_of_file(
        &self,
        name: &Spanned<PathBuf>,
        table: &TableFile,
        cycle_s: f64,
    ) -> Result<Vec<TableRow>, Error> {
        // Beside the file that names it.
        let path = self.layers.file(&name.span(), name.get_ref())?;
        let file = std::fs::File::open(&path)
            .map_err(|source| Error::Read { path: path.clone(), source })?;
        let mut reader = csv::Reader::from_reader(file);
        let livox = reader.headers().is_ok_and(|header| {
            header.iter().map(str::trim).eq(["Time/s", "Azimuth/deg", "Zenith/deg"])
        });
        let beams = match &table.beams {
            None => 1,
            Some(beams) if livox && *beams.get_ref() > 0 => *beams.get_ref(),
            Some(beams) => {
                return self.fault(
                    &beams.span(),
                    format!("beams is {} for this file", beams.get_ref()),
                    "give the beams that take turns in a table of Livox, or remove the key",
                );
            }
        };
        let fault = |index: usize, error: csv::Error| {
            let line = error.position().map_or(index as u64 + 2, csv::Position::line);
            Error::Invalid {
                location: format!("{}:{line}", path.display()),
                problem: format!("this row cannot be read: {error}"),
                remedy: "write the columns time_s, azimuth_deg, elevation_deg and, if there are \
                         several, channel"
                    .into(),
            }
        };
        let mut rows = Vec::new();
        if livox {
            for (index, row) in reader.deserialize::<LivoxCsvRow>().enumerate() {
                let row = row.map_err(|error| fault(index, error))?;
                rows.push(TableRow {
                    time_s: (index / usize::from(beams)) as f64,
                    azimuth_rad: row.azimuth_deg.to_radians(),
                    elevation_rad: (90.0 - row.zenith_deg).to_radians(),
                    channel: (index % usize::from(beams)) as u16,
                });
            }
            // The beams fire together and the rows fill the cycle.
            let cycles = rows.len().div_ceil(usize::from(beams)) as f64;
            rows.iter_mut().for_each(|row| row.time_s *= cycle_s / cycles);
            return Ok(rows);
        }
        for (index, row) in reader.deserialize::<TableCsvRow>().enumerate() {
            let row = row.map_err(|error| fault(index, error))?;
            rows.push(TableRow {
                time_s: row.time_s,
                azimuth_rad: row.azimuth_deg.to_radians(),
                elevation_rad: row.elevation_deg.to_radians(),
                channel: row.channel,
            });
        }
        Ok(rows)
    }
}
