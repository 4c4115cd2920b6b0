//! Layers: every scan and every opened recording, with its rows.
//!
//! What enters: rows as they are made or read. What leaves: the list of layers, and their rows in
//! chunks. Memory is bounded: of all rows only so many stay in it, the oldest go to a file in the
//! studio's own folder, and there are only so many layers and rows at all.

pub mod columns;
pub mod image;
pub mod point;
pub mod rows;
pub mod stream;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use understory_cloud::{ImuSamples, KnownColumns, PlatformPose, ReadOptions, ScanPose, SceneNames};

use crate::document::ScenarioText;
use crate::protocol::document::Problem;
use crate::protocol::layer::{Layer, LayerState};
use crate::refusal::{Answer, Refusal};
use rows::{ChunkRef, Rows};

/// Layers at a time.
pub const LAYERS_MAX: usize = 1000;
/// Rows of all layers in memory; at some 200 bytes each.
pub const ROWS_IN_MEMORY: u64 = 4_000_000;
/// Rows of all layers.
pub const ROWS_MAX: u64 = 400_000_000;

/// Where the rows of a layer come from.
#[derive(Clone)]
pub enum Origin {
    /// A scan of this scenario.
    Scan {
        /// The scenario, as it was scanned.
        scenario: ScenarioText,
        /// The seed, if it is not the scenario's.
        seed: Option<u64>,
    },
    /// A recording.
    Recording {
        /// The file or folder.
        path: PathBuf,
        /// How it was read.
        options: Box<ReadOptions>,
    },
}

/// What a sink hears besides rows, and before which row.
#[derive(Clone)]
pub enum Event {
    /// Where a sensor stood.
    Scan(ScanPose),
    /// Where the platform was.
    Platform(Box<PlatformPose>),
    /// Samples of an inertial measurement unit.
    Imu(u16, ImuSamples),
}

/// A layer with all that belongs to it.
pub struct LayerHeld {
    /// As the page sees it.
    pub seen: Layer,
    /// Its rows.
    pub rows: Rows,
    /// Where they come from.
    pub origin: Origin,
    /// Which columns mean something.
    pub known: KnownColumns,
    /// Names of objects and materials.
    pub names: Arc<SceneNames>,
    /// What else files need, each with the row before which it was told.
    pub events: Vec<(u64, Event)>,
    /// Pulses that it will have.
    pub pulses_expected: u64,
    /// When it changed last, by the studio's count of changes.
    pub changed: u64,
}

/// A layer in the list.
pub struct LayerEntry {
    /// Its number.
    pub id: u32,
    /// Becomes true when it is to stop.
    pub cancel: Arc<AtomicBool>,
    held: Mutex<LayerHeld>,
}

impl LayerEntry {
    /// The layer itself.
    pub fn lock(&self) -> MutexGuard<'_, LayerHeld> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All its rows so far, and what their points are relative to.
    pub fn chunks(&self) -> (Vec<ChunkRef>, [f64; 3]) {
        let held = self.lock();
        (held.rows.all(), held.seen.offset_m)
    }

    /// Whether somebody wants it to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

/// All layers.
pub struct Layers {
    list: Mutex<List>,
    folder: PathBuf,
    rows_in_memory: u64,
}

struct List {
    entries: Vec<Arc<LayerEntry>>,
    next: u32,
    /// Layers that were removed, with the count of changes at which they were.
    gone: Vec<(u64, u32)>,
}

impl Layers {
    /// No layer yet; rows that do not fit into memory go to files of `folder`.
    pub fn new(folder: PathBuf, rows_in_memory: u64) -> Layers {
        let list = List { entries: Vec::new(), next: 1, gone: Vec::new() };
        Layers { list: Mutex::new(list), folder, rows_in_memory }
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All layers in the order in which they were asked for.
    pub fn all(&self) -> Vec<Arc<LayerEntry>> {
        self.list().entries.clone()
    }

    /// The layer of this number.
    pub fn get(&self, id: u32) -> Answer<Arc<LayerEntry>> {
        let found = self.list().entries.iter().find(|entry| entry.id == id).cloned();
        found.ok_or_else(|| Refusal::not_found(format!("there is no layer {id}; it was removed")))
    }

    /// Adds a layer, whose number is given to `make`.
    pub fn add(&self, make: impl FnOnce(u32) -> LayerHeld) -> Answer<Arc<LayerEntry>> {
        let mut list = self.list();
        if list.entries.len() >= LAYERS_MAX {
            return Err(Refusal::conflict(format!(
                "there are {LAYERS_MAX} layers already; remove some of them"
            )));
        }
        let id = list.next;
        list.next += 1;
        let held = Mutex::new(make(id));
        let entry = Arc::new(LayerEntry { id, cancel: Arc::default(), held });
        list.entries.push(entry.clone());
        Ok(entry)
    }

    /// Removes a layer; what is under way for it stops.
    pub fn remove(&self, id: u32, change: u64) -> Answer<Layer> {
        let entry = self.get(id)?;
        entry.cancel.store(true, Ordering::Relaxed);
        let mut list = self.list();
        list.entries.retain(|entry| entry.id != id);
        list.gone.push((change, id));
        if list.gone.len() > LAYERS_MAX {
            list.gone.remove(0);
        }
        let _ = std::fs::remove_file(self.path(id));
        let seen = entry.lock().seen.clone();
        Ok(seen)
    }

    /// Layers that were removed after a change.
    pub fn gone_after(&self, change: u64) -> Vec<u32> {
        let list = self.list();
        list.gone.iter().filter(|(at, _)| *at > change).map(|(_, id)| *id).collect()
    }

    fn path(&self, id: u32) -> PathBuf {
        self.folder.join(format!("layer-{id}.rows"))
    }

    /// Packs chunks of the oldest layers into files until memory holds no more rows than it may,
    /// and refuses to hold more rows than there may be at all.
    pub fn make_room(&self) -> Result<(), Problem> {
        let entries = self.all();
        let count = |of: fn(&Rows) -> u64| -> u64 {
            entries.iter().map(|entry| of(&entry.lock().rows)).sum()
        };
        if count(Rows::len) > ROWS_MAX {
            return Err(Problem::about(format!(
                "all layers together have more than {ROWS_MAX} rows; remove some of them, or scan a shorter time"
            )));
        }
        let mut over = count(Rows::in_memory).saturating_sub(self.rows_in_memory);
        for entry in &entries {
            while over > 0 {
                let mut held = entry.lock();
                let before = held.rows.in_memory();
                let packed = held.rows.pack_one(&self.path(entry.id)).map_err(|error| {
                    let folder = self.folder.display();
                    Problem::about(format!(
                        "rows that do not fit into memory cannot be written to {folder}: {error}; remove layers, or make room there"
                    ))
                })?;
                if !packed {
                    break;
                }
                over = over.saturating_sub(before - held.rows.in_memory());
            }
        }
        Ok(())
    }
}

/// Whether nothing more will come.
pub fn is_over(state: LayerState) -> bool {
    matches!(state, LayerState::Done | LayerState::Cancelled | LayerState::Failed)
}
