//! Many drives: sensors × mappers × seeds, in parallel, into a table that can be resumed.
//!
//! What enters: a scenario, what is to be varied, and perhaps a file. What leaves: a [`Row`] for each
//! drive, in one fixed order, and their [`Summary`]. Each seed grows its own world, in which all
//! sensors and mappers drive, so that they can be compared pair by pair ([`paired`]). Every row goes
//! to the file when its drive ends; a table that was killed takes them from there and goes on.

pub mod arrivals;

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use understory::Error;
use understory::pulse::PreparedRun;
use understory::scenario::{MapperName, MountedSensor, Scenario};
use understory::sensor::Sensor;
use understory_base::Progress;
use understory_cloud::CloudError;
use understory_files::hint::word_remedy;

use crate::drive::{Drive, DriveOptions};
use crate::mapper::{MAPPERS, name_of};
use crate::metrics::{Metrics, sign_test};

/// What is varied.
#[derive(Clone, Debug, Default)]
pub struct Variations {
    /// Names of the scenario's sensors or of presets; empty: the scenario's.
    pub sensors: Vec<String>,
    /// Mappers; empty: the scenario's.
    pub mappers: Vec<MapperName>,
    /// Seeds; empty: the scenario's.
    pub seeds: Vec<u64>,
}

/// One drive of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its sensor; `all` for those of the scenario.
    pub sensor: String,
    /// Its mapper.
    pub mapper: String,
    /// Its seed.
    pub seed: u64,
    /// How it went.
    #[serde(flatten)]
    pub metrics: Metrics,
}

/// All drives with one sensor and one mapper.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The sensor.
    pub sensor: String,
    /// The mapper.
    pub mapper: String,
    /// How many drives.
    pub drives: u64,
    /// How many came to their goal, ran into something, and got stuck or lost their time.
    pub reached: u64,
    /// See `reached`.
    pub collided: u64,
    /// See `reached`.
    pub stuck: u64,
    /// Mean SPL.
    pub spl: f64,
    /// Mean time of those that came to their goal.
    pub time_s: Option<f64>,
    /// Mean regret of those.
    pub regret: Option<f64>,
    /// Mean real-time factor of all, and their share of processor time that is not the lidar's.
    pub real_time_factor: f64,
    /// See `real_time_factor`.
    pub overhead: f64,
}

/// Two mappers over the same worlds and sensors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Paired {
    /// The sensor; `any` for all together.
    pub sensor: String,
    /// The one that may be better, and the other.
    pub mappers: [String; 2],
    /// How often the first came to the goal and the second did not, or came sooner by a period.
    pub better: u64,
    /// How often it was the other way round.
    pub worse: u64,
    /// How often neither.
    pub even: u64,
    /// Two-sided sign test.
    pub p: f64,
}

/// The mapper of this name.
pub fn mapper_named(name: &str) -> Result<MapperName, Error> {
    let found = MAPPERS.iter().find(|(known, _)| *known == name).map(|(_, mapper)| *mapper);
    found.ok_or_else(|| {
        let names: Vec<&str> = MAPPERS.iter().map(|(name, _)| *name).collect();
        Error::invalid(
            format!("mapper {name:?}"),
            "there is none of this name",
            word_remedy(name, &names),
        )
    })
}

/// The sensor of this name: one of the scenario's, or a preset on the mount of the scenario's first.
pub fn sensor_named(scenario: &Scenario, name: &str) -> Result<MountedSensor, Error> {
    if let Some(mounted) = scenario.sensors.iter().find(|mounted| mounted.name == name) {
        return Ok(mounted.clone());
    }
    let sensor = Sensor::preset(name)?;
    let first = scenario.sensors.first().ok_or_else(|| {
        Error::invalid(
            "scenario",
            "there is no sensor whose mount could be taken",
            "add a [[sensor]]",
        )
    })?;
    Ok(MountedSensor { name: name.to_owned(), sensor, ..first.clone() })
}

/// The run with this sensor alone.
pub fn with_sensor(scenario: &Scenario, run: &PreparedRun, sensor: &MountedSensor) -> PreparedRun {
    let mut run = run.clone();
    run.sensors = vec![scenario.sensor_run(0, sensor, &run.scene)];
    run.reseed(run.seed);
    run
}

/// Drives all variations and gives their rows by sensor, mapper and seed.
///
/// With a `store` the rows that it has are not driven again; `identity` says for which scenario and
/// program they hold.
pub fn drive_all(
    scenario: &Scenario,
    variations: &Variations,
    store: Option<&mut Store>,
    progress: &dyn Progress,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Row>, Error> {
    let sensors: Vec<Option<MountedSensor>> = match variations.sensors.is_empty() {
        true => vec![None],
        false => {
            let named =
                variations.sensors.iter().map(|name| sensor_named(scenario, name).map(Some));
            named.collect::<Result<_, Error>>()?
        }
    };
    let usual = scenario.drive.as_ref().map(|drive| drive.map.mapper);
    let mappers = match (&variations.mappers[..], usual) {
        ([], Some(usual)) => vec![usual],
        (given, _) => given.to_vec(),
    };
    let seeds = match &variations.seeds[..] {
        [] => vec![scenario.seed],
        given => given.to_vec(),
    };
    let mut cases = Vec::new();
    for sensor in 0..sensors.len() {
        cases.extend(mappers.iter().map(|mapper| (sensor, *mapper)));
    }
    let total = (cases.len() * seeds.len()).max(1) as f64;
    let name = |sensor: usize| {
        sensors[sensor].as_ref().map_or_else(|| "all".to_owned(), |sensor| sensor.name.clone())
    };
    let store = store.map(Mutex::new);
    let known = |sensor: &str, mapper: &str, seed: u64| {
        let store = store.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |row: &&Row| row.sensor == sensor && row.mapper == mapper && row.seed == seed;
        store.rows.iter().find(same).cloned()
    };
    let done = Mutex::new(0.0);
    let tell = |row: &Row| {
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += 1.0;
        let what = format!(
            "{} {} seed {}: {}",
            row.sensor,
            row.mapper,
            row.seed,
            row.metrics.outcome.words()
        );
        progress.step(&what, *done / total);
    };
    let of_seed = |seed: &u64| -> Result<Vec<(usize, usize, Row)>, Error> {
        let missing = cases
            .iter()
            .any(|(sensor, mapper)| known(&name(*sensor), name_of(*mapper), *seed).is_none());
        let world = match missing {
            true => {
                let scenario = scenario.with_seed(*seed)?;
                let run = scenario.prepare()?;
                Some((scenario, run))
            }
            false => None,
        };
        let one = |(case, (sensor, mapper)): (usize, &(usize, MapperName))| {
            let (sensor_name, mapper_name) = (name(*sensor), name_of(*mapper).to_owned());
            if let Some(row) = known(&sensor_name, &mapper_name, *seed) {
                tell(&row);
                return Ok(Some((case, row)));
            }
            let Some((scenario, run)) = world.as_ref().filter(|_| !stopped()) else {
                return Ok(None);
            };
            let run = match &sensors[*sensor] {
                Some(mounted) => with_sensor(scenario, run, mounted),
                None => run.clone(),
            };
            let options =
                DriveOptions { threads: Some(1), mapper: Some(*mapper), keep_frames: false };
            let mut drive = Drive::new(scenario, run, options)?;
            let metrics = drive.go(&|| stopped())?;
            if stopped() {
                return Ok(None);
            }
            let row = Row { sensor: sensor_name, mapper: mapper_name, seed: *seed, metrics };
            if let Some(store) = &store {
                store.lock().unwrap_or_else(PoisonError::into_inner).append(&row)?;
            }
            tell(&row);
            Ok(Some((case, row)))
        };
        let rows: Vec<Option<(usize, Row)>> =
            cases.par_iter().enumerate().map(one).collect::<Result<_, Error>>()?;
        let place = seeds.iter().position(|known| known == seed).unwrap_or(0);
        Ok(rows.into_iter().flatten().map(|(case, row)| (case, place, row)).collect())
    };
    let rows: Vec<Vec<(usize, usize, Row)>> =
        seeds.par_iter().map(of_seed).collect::<Result<_, Error>>()?;
    let mut rows: Vec<(usize, usize, Row)> = rows.into_iter().flatten().collect();
    rows.sort_by_key(|(case, place, _)| (*case, *place));
    if stopped() {
        return Err(Error::invalid(
            "drive",
            format!("it was stopped after {} of {total} drives", rows.len()),
            "start it again in the same way; with --json it goes on from there",
        ));
    }
    Ok(rows.into_iter().map(|(.., row)| row).collect())
}

/// A summary for each sensor and mapper, in the order of the rows.
pub fn summaries(rows: &[Row]) -> Vec<Summary> {
    let mut keys: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        if !keys.contains(&(&row.sensor, &row.mapper)) {
            keys.push((&row.sensor, &row.mapper));
        }
    }
    let summary = |(sensor, mapper): (&str, &str)| {
        let of: Vec<&Metrics> = rows
            .iter()
            .filter(|row| row.sensor == sensor && row.mapper == mapper)
            .map(|row| &row.metrics)
            .collect();
        let reached: Vec<&&Metrics> = of.iter().filter(|metrics| metrics.success).collect();
        let mean = |values: &[f64]| {
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let all = |value: fn(&Metrics) -> f64| -> f64 {
            mean(&of.iter().map(|metrics| value(metrics)).collect::<Vec<_>>()).unwrap_or(0.0)
        };
        let collided = of.iter().filter(|metrics| metrics.collisions > 0).count() as u64;
        let lost = |metrics: &&&Metrics| !metrics.success && metrics.collisions == 0;
        Summary {
            sensor: sensor.to_owned(),
            mapper: mapper.to_owned(),
            drives: of.len() as u64,
            reached: reached.len() as u64,
            collided,
            stuck: of.iter().filter(lost).count() as u64,
            spl: all(|metrics| metrics.spl),
            time_s: mean(&reached.iter().map(|m| m.time_s).collect::<Vec<_>>()),
            regret: mean(&reached.iter().filter_map(|m| m.regret).collect::<Vec<_>>()),
            real_time_factor: all(|metrics| metrics.computing.real_time_factor),
            overhead: all(|metrics| metrics.computing.overhead),
        }
    };
    keys.into_iter().map(summary).collect()
}

/// One mapper against another over the same seeds, for one sensor or all together.
pub fn paired(rows: &[Row], sensor: Option<&str>, mappers: [&str; 2], sooner_s: f64) -> Paired {
    let (mut better, mut worse, mut even) = (0, 0, 0);
    let of = |row: &&Row, mapper: &str| {
        row.mapper == mapper && sensor.is_none_or(|sensor| row.sensor == sensor)
    };
    for a in rows.iter().filter(|row| of(row, mappers[0])) {
        let same = |b: &&Row| b.sensor == a.sensor && b.seed == a.seed && b.mapper == mappers[1];
        let Some(b) = rows.iter().find(same) else { continue };
        let (a, b) = (&a.metrics, &b.metrics);
        match (a.success, b.success) {
            (true, false) => better += 1,
            (false, true) => worse += 1,
            (true, true) if a.time_s + sooner_s < b.time_s => better += 1,
            (true, true) if b.time_s + sooner_s < a.time_s => worse += 1,
            _ => even += 1,
        }
    }
    Paired {
        sensor: sensor.unwrap_or("any").to_owned(),
        mappers: mappers.map(str::to_owned),
        better,
        worse,
        even,
        p: sign_test(better, worse),
    }
}

/// Rows of a table in a file, one a line, behind a line that says what they are of.
pub struct Store {
    file: File,
    path: std::path::PathBuf,
    /// Rows that are stored.
    pub rows: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    understory_drives: u32,
    identity: String,
}

impl Store {
    /// Opens or begins a file. A last line that was not finished is dropped.
    pub fn open(path: &Path, identity: &str) -> Result<Store, Error> {
        let write = |error| Error::Cloud(CloudError::Write { path: path.to_path_buf(), error });
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(write)?;
        let mut text = String::new();
        let read = file.read_to_string(&mut text);
        let foreign = || {
            Error::invalid(
                path.display(),
                "it holds no drives of this scenario and program",
                "remove it, or choose another name for the table",
            )
        };
        read.map_err(|_| foreign())?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines();
        let mut rows = Vec::new();
        match lines.next() {
            None if text.is_empty() || text.starts_with("{\"understory_drives\"") => {
                file.set_len(0).map_err(write)?;
                file.seek(SeekFrom::Start(0)).map_err(write)?;
                let header = Header { understory_drives: 1, identity: identity.to_owned() };
                let line = serde_json::to_string(&header).unwrap_or_default() + "\n";
                file.write_all(line.as_bytes()).map_err(write)?;
            }
            None => return Err(foreign()),
            Some(first) => {
                let header: Header = serde_json::from_str(first).map_err(|_| foreign())?;
                if header.identity != identity {
                    return Err(foreign());
                }
                for line in lines {
                    rows.push(serde_json::from_str(line).map_err(|_| foreign())?);
                }
                file.set_len(whole as u64).map_err(write)?;
                file.seek(SeekFrom::End(0)).map_err(write)?;
            }
        }
        Ok(Store { file, path: path.to_path_buf(), rows })
    }

    fn append(&mut self, row: &Row) -> Result<(), Error> {
        let line = serde_json::to_string(row).unwrap_or_default() + "\n";
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written
            .map_err(|error| Error::Cloud(CloudError::Write { path: self.path.clone(), error }))?;
        self.rows.push(row.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests;
