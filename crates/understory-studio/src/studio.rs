//! Everything that the server holds: the open document, what is built of it, layers, jobs.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use tempfile::TempDir;
use understory::scenario::{Scenario, pack, scenarios};
use understory_base::Silent;

use crate::changes::Changes;
use crate::document::{self, OpenDocument, ScenarioText};
use crate::files::Files;
use crate::jobs::Jobs;
use crate::layers::{LayerEntry, Layers, ROWS_IN_MEMORY};
use crate::options::Options;
use crate::prepared::PreparedCache;
use crate::protocol::layer::Layer;
use crate::refusal::{Answer, Refusal};

/// What fills a layer.
type Perform = fn(&Arc<Studio>, &Arc<LayerEntry>);

/// What the server holds.
pub struct Studio {
    /// Another text at every start.
    pub start: String,
    /// The files of the served folder.
    pub files: Files,
    /// Built scenarios.
    pub prepared: PreparedCache,
    /// Scans and recordings.
    pub layers: Layers,
    /// Other long work.
    pub jobs: Jobs,
    /// Scenarios that were learned here: their ids.
    pub learned: Mutex<Vec<(String, ScenarioText)>>,
    begun: Instant,
    folder: PathBuf,
    scratch: TempDir,
    document: Mutex<OpenDocument>,
    /// Who listens hears of changes.
    pub changes: Arc<Changes>,
    scans: OnceLock<Sender<Arc<LayerEntry>>>,
    recordings: OnceLock<Sender<Arc<LayerEntry>>>,
}

impl Studio {
    /// Opens a folder, and a scenario in it or a built-in one; `demo` where none is named.
    pub fn open(options: &Options) -> Result<Studio, crate::Error> {
        let folder =
            if options.folder.as_os_str().is_empty() { Path::new(".") } else { &options.folder };
        let folder = folder
            .canonicalize()
            .map_err(|error| crate::Error::Folder { folder: folder.to_path_buf(), error })?;
        let scratch = tempfile::Builder::new().prefix("understory-studio-").tempdir();
        let scratch = scratch.map_err(crate::Error::Scratch)?;
        let mut random = [0; 8];
        getrandom::fill(&mut random)
            .map_err(|error| crate::Error::Scratch(std::io::Error::other(error.to_string())))?;
        let studio = Studio {
            start: random.iter().map(|byte| format!("{byte:02x}")).collect(),
            files: Files::new(folder.clone()),
            prepared: PreparedCache::default(),
            layers: Layers::new(scratch.path().to_path_buf(), ROWS_IN_MEMORY),
            jobs: Jobs::default(),
            learned: Mutex::default(),
            begun: Instant::now(),
            folder,
            scratch,
            document: Mutex::new(OpenDocument::new()),
            changes: Arc::default(),
            scans: OnceLock::new(),
            recordings: OnceLock::new(),
        };
        let named = options.scenario.as_deref().unwrap_or("demo");
        let path = Path::new(named);
        let text = match path.is_file() {
            true => read_text(path).map_err(crate::Error::Scenario)?,
            false => studio.built_in(named).map_err(|_| {
                // Its sentence names what is near.
                crate::Error::Scenario(match Scenario::embedded(named) {
                    Err(error) => error.to_string(),
                    Ok(_) => String::new(),
                })
            })?,
        };
        studio.accept(text);
        Ok(studio)
    }

    /// Builds the open scenario before anybody asks: the browser is still starting.
    pub fn warm(&self) {
        let good = self.document().good.as_ref().map(|(_, text, _)| text.clone());
        if let Some(text) = good {
            // What is wrong with it is said to who asks.
            let _ = self.prepared.get(&text, self.folder(), &Silent);
        }
    }

    /// Stops everything and lets go of files, when the program ends.
    pub fn close(&self) {
        for entry in self.layers.all() {
            entry.cancel.store(true, Ordering::Relaxed);
        }
        let _ = std::fs::remove_dir_all(self.scratch.path());
    }

    /// The served folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A folder for what the studio makes, which goes with it.
    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    /// The open document.
    pub fn document(&self) -> MutexGuard<'_, OpenDocument> {
        self.document.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks a text and makes it the open document.
    pub fn accept(&self, text: ScenarioText) {
        let checked = text.scenario(&self.folder);
        let checked = checked.map(|scenario| document::summary(&scenario, &text.name));
        self.document().accept(text, checked);
        self.bump();
    }

    /// A built-in scenario; its paths are relative to the served folder.
    pub fn built_in(&self, name: &str) -> Answer<ScenarioText> {
        let found = scenarios().iter().find(|(known, _)| *known == name);
        let (name, text) =
            found.ok_or_else(|| Refusal::not_found(format!("there is no scenario {name:?}")))?;
        Ok(ScenarioText {
            name: (*name).to_owned(),
            text: (*text).to_owned(),
            folder: self.folder.clone(),
            pack: None,
        })
    }

    /// A scenario of the library.
    pub fn scenario(&self, id: &str) -> Answer<ScenarioText> {
        let learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = learned.iter().find(|(known, _)| known == id) {
            return Ok(text.clone());
        }
        drop(learned);
        if id.starts_with("file-") {
            return read_text(&self.files.path(id)?).map_err(Refusal::bad);
        }
        self.built_in(id)
    }

    /// Tells all who listen that something changed.
    pub fn bump(&self) -> u64 {
        self.changes.change(|_| {})
    }

    /// Tells that a layer changed; nobody may hold it.
    pub fn changed(&self, entry: &LayerEntry) {
        self.changes.change(|count| entry.lock().changed = count);
    }

    /// Lets a scan begin when those before it are done.
    pub fn start_scan(self: &Arc<Self>, entry: Arc<LayerEntry>, perform: Perform) -> Answer<Layer> {
        self.enqueue(&self.scans, "scans", entry, perform)
    }

    /// Lets a recording be read when those before it are.
    pub fn start_reading(
        self: &Arc<Self>,
        entry: Arc<LayerEntry>,
        perform: Perform,
    ) -> Answer<Layer> {
        self.enqueue(&self.recordings, "recordings", entry, perform)
    }

    fn enqueue(
        self: &Arc<Self>,
        queue: &OnceLock<Sender<Arc<LayerEntry>>>,
        name: &str,
        entry: Arc<LayerEntry>,
        perform: Perform,
    ) -> Answer<Layer> {
        let seen = entry.lock().seen.clone();
        let queue = queue.get_or_init(|| {
            let (sender, receiver) = channel::<Arc<LayerEntry>>();
            let studio = Arc::downgrade(self);
            let work = move || {
                for entry in receiver {
                    let Some(studio) = studio.upgrade() else { return };
                    perform(&studio, &entry);
                }
            };
            // Without a thread the sender below finds nobody.
            let _ = std::thread::Builder::new().name(format!("studio-{name}")).spawn(work);
            sender
        });
        queue.send(entry).map_err(|_| Refusal::conflict("the system gives no more threads"))?;
        Ok(seen)
    }
}

/// The scenario in a file or pack.
fn read_text(path: &Path) -> Result<ScenarioText, String> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if pack::is_pack(path) {
        let scenario = Scenario::load(path).map_err(|error| error.to_string())?;
        let Some(pack) = scenario.pack() else { return Err("this is no pack".into()) };
        let folder = pack.folder().to_path_buf();
        let text = pack.scenario_text().map_err(|error| error.to_string())?;
        return Ok(ScenarioText { name, text, folder, pack: Some(Arc::new(scenario)) });
    }
    let text = understory_base::bounded_file::read_text(path)
        .map_err(|error| format!("{}: cannot be read: {error}", path.display()))?;
    let folder = path.canonicalize().ok().and_then(|path| Some(path.parent()?.to_path_buf()));
    Ok(ScenarioText { name, text, folder: folder.unwrap_or_default(), pack: None })
}
