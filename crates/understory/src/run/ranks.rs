//! Several processes that work on one run: who does which job, and how it comes to rank 0.
//!
//! What enters: a way to send messages ([`Ranks`]; the program has one over MPI). What leaves: the
//! same rows on rank 0 as one process has. Split by scans, job j goes to rank j mod N and every rank
//! sends its blocks in order, so rank 0 takes them in order by asking one rank after the other; a
//! rank may be ahead by a few blocks only, and waits for rank 0's word that it took some. Split by
//! intervals, each rank stores its blocks in files that rank 0 reads when the rank is done.

use std::thread::sleep;
use std::time::Duration;

use crate::Error;

use super::block::Finished;
use super::checkpoint::{Checkpoint, StoredBlock};
use super::clock::thread_cpu_s;
use super::plan::{Cut, Plan};
use super::workers::{InOrder, JobSubset, Work};

/// How long a waiting rank sleeps before it looks again; its threads compute meanwhile.
const NAP: Duration = Duration::from_micros(100);

/// Processes that send each other messages.
pub trait Ranks {
    /// Which one this is, from 0.
    fn rank(&self) -> usize;
    /// How many there are.
    fn size(&self) -> usize;
    /// Sends a message; messages to one rank arrive in order. False: given up, because `stopped`.
    fn send(&self, to: usize, message: &[u8], stopped: &dyn Fn() -> bool) -> bool;
    /// Takes the next message of `from` into `message`; false: there is none yet.
    fn receive(&self, from: usize, message: &mut Vec<u8>) -> bool;
}

/// How ranks share a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// The pulses of each scan among all of them: the first scan is there soonest.
    #[default]
    Scans,
    /// An interval for each: fewest messages, through files in a folder that all of them see.
    Intervals,
}

/// First byte of a message.
pub(super) mod kind {
    /// Rank 0: these are the gaps.
    pub const GAPS: u8 = 1;
    /// Rank 0: a block was taken.
    pub const CREDIT: u8 = 2;
    /// Rank 0: all went well.
    pub const END: u8 = 3;
    /// Rank 0: stop, something failed.
    pub const STOP: u8 = 4;
    /// A block.
    pub const BLOCK: u8 = 5;
    /// My share is done; processor time, and the name of my file.
    pub const DONE: u8 = 6;
    /// I failed: why.
    pub const FAILED: u8 = 7;
    /// My share is stored; processor time, the name of my file, and where its blocks are.
    pub const STORED: u8 = 8;
    /// Rank 0: these blocks are to be written by you.
    pub const GROUP: u8 = 9;
    /// What is to be known before files can be written together.
    pub const ROUND: u8 = 10;
}

/// The share of `rank` in `jobs`.
pub(super) fn share(split: Split, rank: usize, size: usize, jobs: u64) -> JobSubset {
    let (rank, size) = (rank as u64, size.max(1) as u64);
    match split {
        Split::Scans => JobSubset::Every { first: rank, step: size },
        Split::Intervals => {
            let cut = |rank: u64| (u128::from(jobs) * u128::from(rank) / u128::from(size)) as u64;
            JobSubset::Range(cut(rank)..cut(rank + 1))
        }
    }
}

/// Which rank has `job`.
pub(super) fn owner(split: Split, job: u64, size: usize, jobs: u64) -> usize {
    match split {
        Split::Scans => (job % size.max(1) as u64) as usize,
        Split::Intervals => {
            (0..size).find(|&rank| share(split, rank, size, jobs).has(job)).unwrap_or(0)
        }
    }
}

/// Rank 0's view of the others.
pub(super) struct Others<'a> {
    ranks: &'a dyn Ranks,
    split: Split,
    jobs: u64,
    message: Vec<u8>,
    /// Files of ranks that are done, by rank: their blocks that are still to come.
    stored: Vec<Option<std::vec::IntoIter<StoredBlock>>>,
    /// Processor time that the others spent on simulation.
    pub cpu_s: f64,
    /// Processor time of this thread in which it only looked whether something had come.
    pub waited_s: f64,
}

impl<'a> Others<'a> {
    /// Tells the others what is to be done.
    pub fn start(
        ranks: &'a dyn Ranks,
        split: Split,
        gaps: &[Plan],
        stopped: &dyn Fn() -> bool,
    ) -> Others<'a> {
        let mut message = vec![kind::GAPS];
        for cut in gaps.iter().flat_map(|gap| [&gap.from, &gap.to]) {
            message.extend_from_slice(&cut.time_s.to_le_bytes());
            cut.pulses.iter().for_each(|pulse| message.extend_from_slice(&pulse.to_le_bytes()));
        }
        for rank in 1..ranks.size() {
            ranks.send(rank, &message, stopped);
        }
        let jobs = gaps.iter().map(|gap| gap.jobs).sum();
        let stored = vec![None; ranks.size()];
        Others { ranks, split, jobs, message, stored, cpu_s: 0.0, waited_s: 0.0 }
    }

    /// Which rank has `job`.
    pub fn owner(&self, job: u64) -> usize {
        owner(self.split, job, self.ranks.size(), self.jobs)
    }

    /// Waits for the next message of a rank: true, and it is in `message`, or false: stopped.
    fn wait(&mut self, rank: usize, stopped: &dyn Fn() -> bool) -> Result<bool, Error> {
        if !self.ranks.receive(rank, &mut self.message) {
            let start_s = thread_cpu_s();
            loop {
                if stopped() {
                    return Ok(false);
                }
                sleep(NAP);
                if self.ranks.receive(rank, &mut self.message) {
                    break;
                }
            }
            self.waited_s += thread_cpu_s() - start_s;
        }
        match self.message.split_first() {
            Some((&kind::FAILED, why)) => {
                let problem = String::from_utf8_lossy(why).into_owned();
                Err(Error::Rank { rank, problem })
            }
            _ => Ok(true),
        }
    }

    /// The next block of `rank`; `None`: stopped.
    pub fn next(
        &mut self,
        rank: usize,
        parts: &mut Option<&mut Checkpoint>,
        stopped: &dyn Fn() -> bool,
        mut finished: Finished,
    ) -> Result<Option<Finished>, Error> {
        if self.split == Split::Intervals {
            let Some(parts) = parts else { return Ok(None) };
            if self.stored.get(rank).is_none_or(Option::is_none) {
                if !self.wait(rank, stopped)? {
                    return Ok(None);
                }
                let name = self.done(rank)?;
                let blocks = match name.is_empty() {
                    true => Vec::new(),
                    false => parts.add_file(&name)?,
                };
                self.stored[rank] = Some(blocks.into_iter());
            }
            let block = self.stored.get_mut(rank).and_then(|blocks| blocks.as_mut()?.next());
            let block = block.ok_or_else(|| self.strange(rank))?;
            parts.read_block(&block, &mut finished)?;
            return Ok(Some(finished));
        }
        if !self.wait(rank, stopped)? {
            return Ok(None);
        }
        match self.message.split_first() {
            Some((&kind::BLOCK, block)) => {
                finished.bytes.clear();
                finished.bytes.extend_from_slice(block);
            }
            _ => return Err(self.strange(rank)),
        }
        finished.decode().ok_or_else(|| self.strange(rank))?;
        self.ranks.send(rank, &[kind::CREDIT], stopped);
        Ok(Some(finished))
    }

    /// The next message of a rank; `None`: stopped.
    pub fn message(
        &mut self,
        rank: usize,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<&[u8]>, Error> {
        Ok(self.wait(rank, stopped)?.then_some(&self.message))
    }

    pub fn strange(&self, rank: usize) -> Error {
        let problem = "it sent something else than what was its turn; run the same program everywhere, in a folder that all ranks see".to_owned();
        Error::Rank { rank, problem }
    }

    /// Takes a message that says that a rank is done; gives the name of its file.
    fn done(&mut self, rank: usize) -> Result<String, Error> {
        let rest = match self.message.split_first() {
            Some((&kind::DONE, rest)) => rest.split_at_checked(8),
            _ => None,
        };
        let (cpu_s, name) = rest.ok_or_else(|| self.strange(rank))?;
        self.cpu_s += f64::from_le_bytes(cpu_s.try_into().unwrap_or_default());
        Ok(String::from_utf8_lossy(name).into_owned())
    }

    /// Waits until all others are done.
    pub fn finish(&mut self, stopped: &dyn Fn() -> bool) -> Result<(), Error> {
        for rank in 1..self.ranks.size() {
            let reported = self.stored.get(rank).is_some_and(Option::is_some);
            if !reported && self.wait(rank, stopped)? {
                self.done(rank)?;
            }
        }
        Ok(())
    }
}

/// Tells the others how it ended.
pub(super) fn dismiss(ranks: &dyn Ranks, well: bool, stopped: &dyn Fn() -> bool) {
    let message = [if well { kind::END } else { kind::STOP }];
    for rank in 1..ranks.size() {
        ranks.send(rank, &message, stopped);
    }
}

/// What every rank but 0 does: its share of the gaps that rank 0 names.
pub(super) fn serve(
    ranks: &dyn Ranks,
    split: Split,
    work: &Work,
    parts: Option<&mut Checkpoint>,
) -> Result<(), Error> {
    let cancel = work.options.cancel.as_deref();
    let stopped =
        move || cancel.is_some_and(|flag| flag.load(std::sync::atomic::Ordering::Relaxed));
    let mut message = Vec::new();
    wait_for(ranks, &mut message, &stopped)?;
    let gaps = gaps_of(&message, work.run.sensors.len()).ok_or(Error::OtherRank)?;
    let jobs = gaps.iter().map(|gap| gap.jobs).sum();
    let share = share(split, ranks.rank(), ranks.size(), jobs);
    let work = Work { gaps: &gaps, share, encode: true, ..*work };
    let mut parts = parts;
    let ahead = 2 * work.threads() + 2;
    let simulated = work.simulate(|in_order| {
        hand_on(ranks, split, in_order, ahead, &mut parts, &stopped)?;
        Ok(())
    });
    match simulated {
        Ok(((), cpu_s)) => {
            let file = match parts {
                Some(parts) => parts.sync()?.unwrap_or_default(),
                None => String::new(),
            };
            let done = [&[kind::DONE][..], &cpu_s.to_le_bytes(), file.as_bytes()].concat();
            ranks.send(0, &done, &stopped);
        }
        Err(Error::OtherRank) => return Err(Error::OtherRank),
        Err(error) => {
            let failed = [&[kind::FAILED][..], error.to_string().as_bytes()].concat();
            ranks.send(0, &failed, &stopped);
        }
    }
    loop {
        wait_for(ranks, &mut message, &stopped)?;
        match message.first() {
            Some(&kind::END) => return Ok(()),
            Some(&kind::CREDIT) => {}
            _ => return Err(Error::OtherRank),
        }
    }
}

/// Hands own blocks on to rank 0 or into files.
fn hand_on(
    ranks: &dyn Ranks,
    split: Split,
    in_order: &mut InOrder,
    ahead: usize,
    parts: &mut Option<&mut Checkpoint>,
    stopped: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let (mut message, mut sent, mut taken) = (Vec::new(), 0usize, 0usize);
    while let Some(finished) = in_order.next() {
        loop {
            while ranks.receive(0, &mut message) {
                match message.first() {
                    Some(&kind::CREDIT) => taken += 1,
                    _ => return Err(Error::OtherRank),
                }
            }
            if sent - taken.min(sent) < ahead {
                break;
            }
            if stopped() {
                return Err(Error::OtherRank);
            }
            sleep(NAP);
        }
        match (split, &mut *parts) {
            (Split::Intervals, Some(parts)) => parts.append(&finished.bytes)?,
            _ => {
                message.clear();
                message.push(kind::BLOCK);
                message.extend_from_slice(&finished.bytes);
                if !ranks.send(0, &message, stopped) {
                    return Err(Error::OtherRank);
                }
                sent += 1;
            }
        }
        in_order.give_back(finished);
    }
    if in_order.stopped() { Err(Error::OtherRank) } else { Ok(()) }
}

pub(super) fn wait_for(
    ranks: &dyn Ranks,
    message: &mut Vec<u8>,
    stopped: &dyn Fn() -> bool,
) -> Result<(), Error> {
    while !ranks.receive(0, message) {
        if stopped() {
            return Err(Error::OtherRank);
        }
        sleep(NAP);
    }
    Ok(())
}

/// Reads the message of [`Others::start`].
pub(super) fn gaps_of(message: &[u8], sensors: usize) -> Option<Vec<Plan>> {
    let (&kind::GAPS, rest) = message.split_first()? else { return None };
    let cut_bytes = 8 + 8 * sensors;
    let number = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).ok();
    let mut cuts = Vec::new();
    for bytes in rest.chunks(cut_bytes) {
        let mut numbers = bytes.chunks(8).map(number);
        let time_s = f64::from_bits(numbers.next()??);
        let pulses: Option<Vec<u64>> = numbers.collect();
        cuts.push(Cut { time_s, pulses: pulses?.to_vec() });
    }
    let mut gaps = Vec::new();
    let mut cuts = cuts.into_iter();
    while let (Some(from), Some(to)) = (cuts.next(), cuts.next()) {
        gaps.push(Plan::between(from, to));
    }
    Some(gaps)
}
