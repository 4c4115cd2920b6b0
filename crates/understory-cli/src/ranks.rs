//! Several processes of this program under `mpirun`, where it was built with the feature `mpi`.
//!
//! What enters: what `mpirun` put into the environment. What leaves: [`Mpi`], over which the
//! simulator's ranks send their messages, and one answer for all of them: only rank 0 speaks.

use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::{Result, anyhow};
use understory::run::Ranks;

use crate::report::usage;

#[cfg(feature = "mpi")]
pub use over_mpi::Mpi;
#[cfg(not(feature = "mpi"))]
pub use without_mpi::Mpi;

/// A number that `mpirun` (Open MPI, or one that speaks PMI) put into the environment.
fn environment_number(names: &[&str]) -> Option<usize> {
    names.iter().find_map(|name| std::env::var(name).ok()?.parse().ok())
}

/// Which rank this process is, before anything else is known.
pub fn rank() -> usize {
    environment_number(&["OMPI_COMM_WORLD_RANK", "PMI_RANK"]).unwrap_or(0)
}

fn size() -> usize {
    environment_number(&["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"]).unwrap_or(1)
}

/// Waits before a rank leaves with an error: at the first that does, `mpirun` ends all others, and
/// what rank 0 has not yet said, or `mpirun` not yet passed on, is lost. The others are ended as
/// soon as rank 0 leaves, so that they seldom wait for long.
pub fn let_rank_0_be_heard() {
    let until_passed_on = Duration::from_millis(200);
    let until_rank_0_left = Duration::from_secs(5);
    if size() > 1 {
        std::thread::sleep(if rank() == 0 { until_passed_on } else { until_rank_0_left });
    }
}

/// Threads for each rank where none are requested: this host's processors shared among its ranks.
pub fn default_threads() -> Option<usize> {
    let here = environment_number(&["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"])?;
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    Some(processors.div_ceil(here.max(1)))
}

/// The ranks of this run; none: it is alone.
pub fn start() -> Result<Option<Mpi>> {
    if size() > 1 { Mpi::start().map(Some) } else { Ok(None) }
}

/// Never stops waiting: `mpirun` ends processes whose partners are gone.
fn never() -> bool {
    false
}

/// Brings all ranks to the same answer: goes on only where each of them could do its part `mine`
/// and they agree on `digest`. Rank 0 hears why not.
pub fn agree<T>(ranks: &dyn Ranks, mine: Result<T>, digest: &[u8]) -> Result<T> {
    const WELL: u8 = 0;
    const ILL: u8 = 1;
    let mut message = Vec::new();
    if ranks.rank() > 0 {
        let words = match &mine {
            Ok(_) => [&[WELL][..], digest].concat(),
            Err(error) => [&[ILL][..], format!("{error:#}").as_bytes()].concat(),
        };
        ranks.send(0, &words, &never);
        wait(ranks, 0, &mut message);
        return match message.first() {
            Some(&WELL) => mine,
            _ => Err(understory::Error::OtherRank.into()),
        };
    }
    let mut problem = None;
    for rank in 1..ranks.size() {
        wait(ranks, rank, &mut message);
        let found = match message.split_first() {
            Some((&WELL, other)) if other == digest => continue,
            Some((&WELL, _)) => "it runs another program or reads other files; give all hosts the same program and files".into(),
            Some((_, words)) => String::from_utf8_lossy(words).into_owned(),
            None => "it said nothing".into(),
        };
        problem.get_or_insert(understory::Error::Rank { rank, problem: found });
    }
    let outcome = match problem {
        // One's own words are the clearest.
        Some(problem) => mine.and(Err(problem.into())),
        None => mine,
    };
    let verdict = [if outcome.is_ok() { WELL } else { ILL }];
    for rank in 1..ranks.size() {
        ranks.send(rank, &verdict, &never);
    }
    outcome
}

/// Waits for the next message of a rank.
pub fn wait(ranks: &dyn Ranks, from: usize, message: &mut Vec<u8>) {
    while !ranks.receive(from, message) {
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Longest message that is sent in one piece; MPI counts with 31 bits.
const PIECE: usize = 1 << 28;

/// Sends bytes of any length.
pub fn send_long(ranks: &dyn Ranks, to: usize, bytes: &[u8]) {
    ranks.send(to, &(bytes.len() as u64).to_le_bytes(), &never);
    for piece in bytes.chunks(PIECE) {
        ranks.send(to, piece, &never);
    }
}

/// Receives what [`send_long`] sent.
pub fn receive_long(ranks: &dyn Ranks, from: usize) -> Result<Vec<u8>> {
    let mut message = Vec::new();
    wait(ranks, from, &mut message);
    let length = message.as_slice().try_into().map(u64::from_le_bytes);
    let length = length
        .map_err(|_| anyhow!("rank {from} sent no length; run the same program everywhere"))?;
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < length {
        wait(ranks, from, &mut message);
        bytes.extend_from_slice(&message);
    }
    Ok(bytes)
}

#[cfg(not(feature = "mpi"))]
mod without_mpi {
    use super::*;

    /// Cannot be made.
    pub enum Mpi {}

    impl Mpi {
        /// Refuses.
        pub fn start() -> Result<Mpi> {
            Err(usage(format!(
                "mpirun started {} of these processes, but this program was built without MPI and they would all do the same; build it with `cargo build --release --features mpi`",
                size()
            )))
        }

        /// Never comes to this.
        pub fn end(self) {}
    }

    impl Ranks for Mpi {
        fn rank(&self) -> usize {
            match *self {}
        }
        fn size(&self) -> usize {
            match *self {}
        }
        fn send(&self, _: usize, _: &[u8], _: &dyn Fn() -> bool) -> bool {
            match *self {}
        }
        fn receive(&self, _: usize, _: &mut Vec<u8>) -> bool {
            match *self {}
        }
    }
}

#[cfg(feature = "mpi")]
mod over_mpi {
    use std::mem::ManuallyDrop;

    use mpi::Threading;
    use mpi::environment::Universe;
    use mpi::request::scope;
    use mpi::topology::{Communicator, SimpleCommunicator};
    use mpi::traits::{Destination, Equivalence, Source};

    use super::*;

    /// Processes under `mpirun`. Only the main thread sends and receives.
    pub struct Mpi {
        world: SimpleCommunicator,
        /// Dropped by [`Mpi::end`] alone: a rank that leaves otherwise must not wait for the others.
        universe: ManuallyDrop<Universe>,
    }

    impl Mpi {
        /// Joins the others.
        pub fn start() -> Result<Mpi> {
            let started = mpi::initialize_with_threading(Threading::Funneled);
            let (universe, _) = started.ok_or_else(|| usage("MPI cannot be started twice"))?;
            Ok(Mpi { world: universe.world(), universe: ManuallyDrop::new(universe) })
        }

        /// The orderly end, which all ranks come to.
        pub fn end(self) {
            drop(ManuallyDrop::into_inner(self.universe));
        }
    }

    impl Ranks for Mpi {
        fn rank(&self) -> usize {
            usize::try_from(self.world.rank()).unwrap_or(0)
        }

        fn size(&self) -> usize {
            usize::try_from(self.world.size()).unwrap_or(1)
        }

        fn send(&self, to: usize, message: &[u8], stopped: &dyn Fn() -> bool) -> bool {
            let to = self.world.process_at_rank(i32::try_from(to).unwrap_or(0));
            scope(|scope| {
                let mut request = to.immediate_send(scope, message);
                loop {
                    request = match request.test() {
                        Ok(_) => return true,
                        Err(request) => request,
                    };
                    if stopped() {
                        // The other end is gone, and a message under way cannot be taken back.
                        std::process::exit(1);
                    }
                    // A library that waits by itself would keep a processor busy.
                    std::thread::sleep(Duration::from_micros(100));
                }
            })
        }

        fn receive(&self, from: usize, message: &mut Vec<u8>) -> bool {
            let from = self.world.process_at_rank(i32::try_from(from).unwrap_or(0));
            let Some((waiting, status)) = from.immediate_matched_probe() else { return false };
            let length = status.count(u8::equivalent_datatype());
            message.resize(usize::try_from(length).unwrap_or(0), 0);
            waiting.matched_receive_into(&mut message[..]);
            true
        }
    }
}
