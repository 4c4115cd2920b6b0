//! Long work that is no layer: its progress, its end, and how it is stopped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use understory_base::Progress;

use crate::changes::Changes;
use crate::protocol::compare::{Job, JobState};
use crate::protocol::document::Problem;
use crate::refusal::{Answer, Refusal};

/// Jobs at work at a time, and jobs that are remembered.
const AT_WORK_MAX: usize = 2;
const REMEMBERED: usize = 100;

/// All jobs.
#[derive(Default)]
pub struct Jobs {
    list: Mutex<Vec<Arc<JobEntry>>>,
}

/// A job in the list.
pub struct JobEntry {
    seen: Mutex<(Job, u64)>,
    cancel: AtomicBool,
}

impl JobEntry {
    fn lock(&self) -> MutexGuard<'_, (Job, u64)> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As the page sees it, and when it changed last.
    pub fn seen(&self) -> (Job, u64) {
        self.lock().clone()
    }

    /// Whether somebody wants it to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    fn change(&self, changes: &Changes, change: impl FnOnce(&mut Job)) {
        changes.change(|count| {
            let mut seen = self.lock();
            change(&mut seen.0);
            seen.1 = count;
        });
    }
}

/// What a job made.
pub struct Made {
    /// The scenario, by its id.
    pub scenario: Option<String>,
    /// What was done, as names and values.
    pub facts: Vec<[String; 2]>,
}

impl Jobs {
    fn list(&self) -> MutexGuard<'_, Vec<Arc<JobEntry>>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All jobs that are remembered.
    pub fn all(&self) -> Vec<Arc<JobEntry>> {
        self.list().clone()
    }

    /// The job of this number.
    pub fn get(&self, id: u32) -> Answer<Arc<JobEntry>> {
        let found = self.list().iter().find(|entry| entry.lock().0.id == id).cloned();
        found.ok_or_else(|| Refusal::not_found(format!("there is no job {id}")))
    }

    /// Asks a job to stop.
    pub fn cancel(&self, id: u32) -> Answer<Job> {
        let entry = self.get(id)?;
        entry.cancel.store(true, Ordering::Relaxed);
        Ok(entry.seen().0)
    }

    /// Starts work on a thread of its own.
    pub fn start(
        &self,
        changes: &Arc<Changes>,
        name: String,
        work: impl FnOnce(&Arc<JobEntry>) -> Result<Made, Problem> + Send + 'static,
    ) -> Answer<Job> {
        let mut list = self.list();
        let busy = list.iter().filter(|entry| entry.lock().0.state == JobState::Running).count();
        if busy >= AT_WORK_MAX {
            let sentence = "two jobs are at work already; wait for one of them, or stop it";
            return Err(Refusal::conflict(sentence));
        }
        let id = list.last().map_or(1, |entry| entry.lock().0.id + 1);
        let job = Job {
            id,
            name,
            state: JobState::Running,
            doing: String::new(),
            share: 0.0,
            problem: None,
            scenario: None,
            facts: Vec::new(),
        };
        let seen = Mutex::new((job.clone(), 0));
        let entry = Arc::new(JobEntry { seen, cancel: AtomicBool::new(false) });
        if list.len() >= REMEMBERED {
            list.remove(0);
        }
        list.push(entry.clone());
        drop(list);
        entry.change(changes, |_| {});
        let changes = changes.clone();
        let perform = move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| work(&entry)));
            let outcome = outcome.unwrap_or_else(|_| {
                Err(Problem::about("the program failed at this; please report it"))
            });
            let stopped = entry.is_cancelled();
            entry.change(&changes, |job| {
                job.doing.clear();
                match outcome {
                    Ok(made) => {
                        job.state = JobState::Done;
                        job.share = 1.0;
                        job.scenario = made.scenario;
                        job.facts = made.facts;
                    }
                    Err(_) if stopped => job.state = JobState::Cancelled,
                    Err(problem) => {
                        job.state = JobState::Failed;
                        job.problem = Some(problem);
                    }
                }
            });
        };
        std::thread::Builder::new().name("studio-job".into()).spawn(perform)?;
        Ok(job)
    }
}

/// Tells a job how far it is.
pub struct JobProgress<'a> {
    /// Who is told.
    pub changes: &'a Changes,
    /// The job.
    pub entry: &'a JobEntry,
}

impl Progress for JobProgress<'_> {
    fn step(&self, what: &str, share: f64) {
        self.entry.change(self.changes, |job| {
            job.doing = what.to_owned();
            job.share = share.clamp(0.0, 1.0);
        });
    }
}
