//! Ranks that write the outputs themselves, so that almost nothing is left that one of them does alone.
//!
//! What enters: a run split by intervals, whose outputs are files that processes can write together
//! ([`understory_cloud::FilePart`]). What leaves: the files, with the bytes of one process. First each
//! rank simulates its interval and stores its blocks in the folder of parts; rank 0 hears where they
//! are. Then every rank takes a share of all blocks, in their order, packs their rows, and puts them
//! into their places, which follow from what the ranks tell each other in rounds. Rank 0 alone goes
//! through the list of blocks, reads until the first return, and writes heads and tables: some
//! hundred nanoseconds for each block of 2048 pulses.

use std::path::{Path, PathBuf};
use std::time::Instant;

use understory_base::Progress;
use understory_cloud::{CloudError, CostlyColumns, FilePart, PartNumber, SinkReport, first_return};

use crate::Error;
use crate::pulse::PreparedRun;
use crate::pulse::detector::WaveformTally;
use crate::pulse::light_path::PathTally;

use super::block::{Finished, Tallies};
use super::checkpoint::{BlockReader, Checkpoint, Entry, StoredBlock};
use super::clock::thread_cpu_s;
use super::plan::{Cut, Plan};
use super::ranks::{Others, Ranks, Split, gaps_of, kind, share, wait_for};
use super::schedule::{Piece, refuse_gaps, schedule};
use super::workers::{InOrder, Work};
use super::write::Counts;
use super::{Collected, RunOptions, interrupted};

/// Opens this rank's parts of all outputs, given the position of the first return of the run.
pub type OpenParts<'a> =
    &'a dyn Fn(Option<[f64; 3]>, PartNumber) -> Result<Vec<FilePart>, CloudError>;

/// Everything that both kinds of ranks need.
pub(super) struct Together<'a> {
    pub run: &'a PreparedRun,
    pub options: &'a RunOptions,
    pub ranks: &'a dyn Ranks,
    pub open: OpenParts<'a>,
}

/// Where a block lies, for any rank.
type Place = (PathBuf, u64, usize);

/// The blocks of a rank, in their order.
#[derive(Default)]
struct Share {
    /// How many stand in front of its own, for outputs that depend on what came before.
    earlier: usize,
    places: Vec<Place>,
}

/// What a rank did with its share of blocks.
struct Group {
    counts: Counts,
    parts: Vec<FilePart>,
    cpu_s: f64,
}

impl Together<'_> {
    fn stopped(&self) -> bool {
        let flag = self.options.cancel.as_ref();
        flag.is_some_and(|flag| flag.load(std::sync::atomic::Ordering::Relaxed))
    }

    fn number(&self) -> PartNumber {
        PartNumber { index: self.ranks.rank(), of: self.ranks.size() }
    }

    /// Simulates this rank's jobs in these gaps and stores them; gives the processor time.
    fn store(
        &self,
        gaps: &[Plan],
        parts: &mut Checkpoint,
        mut told: impl FnMut(u64),
    ) -> Result<f64, Error> {
        let jobs = gaps.iter().map(|gap| gap.jobs).sum();
        let share = share(Split::Intervals, self.ranks.rank(), self.ranks.size(), jobs);
        let Together { run, options, .. } = *self;
        let work = Work { run, options, gaps, share, encode: true, costly: CostlyColumns::ALL };
        let ((), cpu_s) = work.simulate(|in_order: &mut InOrder| {
            while let Some(finished) = in_order.next() {
                parts.store(&finished)?;
                told(finished.from.pulses_until(&finished.to));
                in_order.give_back(finished);
            }
            if in_order.stopped() { Err(Error::OtherRank) } else { Ok(()) }
        })?;
        parts.sync()?;
        Ok(cpu_s)
    }

    /// Packs the rows of its blocks.
    fn pack(&self, share: &Share, mut parts: Vec<FilePart>) -> Result<Group, Error> {
        let start_s = thread_cpu_s();
        let (mut counts, mut reader) = (Counts::default(), BlockReader::default());
        let mut block = Finished::default();
        for (number, (path, offset, length)) in share.places.iter().enumerate() {
            if self.stopped() {
                return Err(Error::OtherRank);
            }
            reader.read(path, *offset, *length, &mut block)?;
            if number < share.earlier {
                parts.iter_mut().for_each(|part| part.pass(&block.records));
                continue;
            }
            let returns = block.records.return_rows() as u64;
            counts.pulses += block.from.pulses_until(&block.to);
            counts.returns += returns;
            counts.misses += block.records.len() as u64 - returns;
            counts.tallies.add(block.tallies);
            parts.iter_mut().try_for_each(|part| part.write(&block.records))?;
        }
        Ok(Group { counts, parts, cpu_s: thread_cpu_s() - start_s })
    }

    /// Rank 0: leads the others.
    pub fn lead(
        &self,
        plan: &Plan,
        parts: &mut Checkpoint,
        progress: &dyn Progress,
    ) -> Result<(Collected, SinkReport), Error> {
        let stopped = || self.stopped();
        let pieces = schedule(self.run, plan, parts.blocks());
        let mut resumed_pulses = 0;
        let mut gaps = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Gap(gap) => gaps.push(gap),
                Piece::Stored(block) => resumed_pulses += block.from.pulses_until(&block.to),
            }
        }
        let seconds_per_pulse = plan.seconds() / plan.pulses.max(1) as f64;
        let advanced = |pulses: u64| progress.advanced(pulses, pulses as f64 * seconds_per_pulse);
        advanced(resumed_pulses);
        let mut others = Others::start(self.ranks, Split::Intervals, &gaps, &stopped);
        let start_s = thread_cpu_s();
        let stored = self.store(&gaps, parts, advanced);
        let store_s = thread_cpu_s() - start_s;
        let is_stopped = self.stopped();
        let stop = |parts: &Checkpoint| interrupted(Some(parts), plan.seconds());
        let mut cpu_simulation_s = match stored {
            Err(Error::OtherRank) if is_stopped => return Err(stop(parts)),
            stored => stored?,
        };
        let mut blocks = parts.blocks().to_vec();
        blocks.extend(parts.own_blocks());
        for rank in 1..self.ranks.size() {
            let Some(message) = others.message(rank, &stopped)? else { return Err(stop(parts)) };
            let read = read_stored(message, self.run.sensors.len());
            let (cpu_s, name, found) = read.ok_or_else(|| others.strange(rank))?;
            cpu_simulation_s += cpu_s;
            advanced(found.iter().map(|(from, to, ..)| from.pulses_until(to)).sum());
            blocks.extend(parts.add_index(&name, found));
        }
        let start = Instant::now();
        blocks.sort_by_key(|block| (block.from.rank(), block.to.rank()));
        let pieces = schedule(self.run, plan, &blocks);
        refuse_gaps(&pieces)?;
        let blocks: Vec<StoredBlock> = pieces
            .into_iter()
            .filter_map(|piece| match piece {
                Piece::Stored(block) => Some(block),
                Piece::Gap(_) => None,
            })
            .collect();
        let first_return_m = first_of(parts, &blocks)?;
        let groups = groups(parts, &blocks, self.ranks.size());
        // Before those of the others: what it finds there and removes is none of theirs.
        let files = (self.open)(first_return_m, self.number())?;
        let wants_earlier = files.iter().any(FilePart::wants_earlier);
        for rank in 1..self.ranks.size() {
            let earlier = if wants_earlier { groups[..rank].concat() } else { Vec::new() };
            let share = Share {
                earlier: earlier.len(),
                places: [earlier.as_slice(), &groups[rank]].concat(),
            };
            self.ranks.send(rank, &group_message(&share, first_return_m), &stopped);
        }
        let own = Share { earlier: 0, places: groups.into_iter().next().unwrap_or_default() };
        let Group { mut counts, parts: mut files, cpu_s: own_s } = self.pack(&own, files)?;
        let mut shared_s = store_s + own_s;
        let mut mine = told(&mut files, &counts, own_s)?;
        let mut is_first = true;
        loop {
            let mut all = vec![mine];
            for rank in 1..self.ranks.size() {
                let Some(message) = others.message(rank, &stopped)? else {
                    return Err(stop(parts));
                };
                let frames = read_frames(message).ok_or_else(|| others.strange(rank))?;
                if is_first {
                    let (theirs, cpu_s) = frames
                        .first()
                        .and_then(|frame| read_counts(frame))
                        .ok_or_else(|| others.strange(rank))?;
                    add(&mut counts, &theirs);
                    cpu_simulation_s += cpu_s;
                }
                all.push(frames);
            }
            is_first = false;
            let packed: Vec<Vec<u8>> = all.iter().map(|frames| frames_message(frames)).collect();
            let message = frames_message(&packed);
            for rank in 1..self.ranks.size() {
                self.ranks.send(rank, &message, &stopped);
            }
            let before_s = thread_cpu_s();
            let next = step(&mut files, &all)?;
            shared_s += thread_cpu_s() - before_s;
            match next {
                Some(frames) => mine = frames,
                None => break,
            }
        }
        let reports = files.into_iter().map(FilePart::finish).collect::<Result<Vec<_>, _>>()?;
        let report = SinkReport::total(reports);
        let collected = Collected {
            counts,
            resumed_pulses,
            cpu_simulation_s: cpu_simulation_s + shared_s,
            cpu_shared_s: shared_s + others.waited_s,
            writing: start.elapsed(),
        };
        Ok((collected, report))
    }

    /// Every other rank.
    pub fn follow(&self, parts: &mut Checkpoint) -> Result<(), Error> {
        let stopped = || self.stopped();
        let mut message = Vec::new();
        match self.do_share(parts, &mut message) {
            Ok(()) => {}
            Err(Error::OtherRank) => return Err(Error::OtherRank),
            Err(error) => {
                let failed = [&[kind::FAILED][..], error.to_string().as_bytes()].concat();
                self.ranks.send(0, &failed, &stopped);
            }
        }
        wait_for(self.ranks, &mut message, &stopped)?;
        match message.first() {
            Some(&kind::END) => Ok(()),
            _ => Err(Error::OtherRank),
        }
    }

    fn do_share(&self, parts: &mut Checkpoint, message: &mut Vec<u8>) -> Result<(), Error> {
        let stopped = || self.stopped();
        wait_for(self.ranks, message, &stopped)?;
        let gaps = gaps_of(message, self.run.sensors.len()).ok_or(Error::OtherRank)?;
        let cpu_s = self.store(&gaps, parts, |_| {})?;
        self.ranks.send(0, &stored_message(cpu_s, parts), &stopped);
        wait_for(self.ranks, message, &stopped)?;
        let (share, first_return_m) = read_group(message).ok_or(Error::OtherRank)?;
        let files = (self.open)(first_return_m, self.number())?;
        let Group { counts, parts: mut files, cpu_s } = self.pack(&share, files)?;
        let mut mine = told(&mut files, &counts, cpu_s)?;
        loop {
            self.ranks.send(0, &frames_message(&mine), &stopped);
            wait_for(self.ranks, message, &stopped)?;
            let all = read_frames(message).ok_or(Error::OtherRank)?;
            let all: Option<Vec<_>> = all.iter().map(|frames| read_frames(frames)).collect();
            match step(&mut files, &all.ok_or(Error::OtherRank)?)? {
                Some(frames) => mine = frames,
                None => return Ok(()),
            }
        }
    }
}

/// The position of the first return of the run.
fn first_of(parts: &mut Checkpoint, blocks: &[StoredBlock]) -> Result<Option<[f64; 3]>, Error> {
    let mut block = Finished::default();
    for stored in blocks {
        parts.read_block(stored, &mut block)?;
        if let Some(first) = first_return(&block.records) {
            return Ok(Some(first));
        }
    }
    Ok(None)
}

/// Cuts the list of blocks into as many shares of about as many pulses.
fn groups(parts: &Checkpoint, blocks: &[StoredBlock], count: usize) -> Vec<Vec<Place>> {
    let pulses = |block: &StoredBlock| block.from.pulses_until(&block.to);
    let all = blocks.iter().map(pulses).sum::<u64>().max(1);
    let mut groups = vec![Vec::new(); count];
    let mut before = 0;
    for block in blocks {
        let group = u128::from(before) * count as u128 / u128::from(all);
        groups[(group as usize).min(count - 1)].push(parts.place_of(block));
        before += pulses(block);
    }
    groups
}

/// The first round: what was counted, and what each file tells.
fn told(files: &mut [FilePart], counts: &Counts, cpu_s: f64) -> Result<Vec<Vec<u8>>, Error> {
    let mut frames = vec![counts_frame(counts, cpu_s)];
    for file in files {
        frames.push(file.told()?);
    }
    Ok(frames)
}

/// A further round: the next frames, or none if all files are done.
fn step(files: &mut [FilePart], all: &[Vec<Vec<u8>>]) -> Result<Option<Vec<Vec<u8>>>, Error> {
    let mut frames = vec![Vec::new()];
    let mut goes_on = false;
    for (number, file) in files.iter_mut().enumerate() {
        let of_file = |frames: &Vec<Vec<u8>>| frames.get(number + 1).cloned();
        let told: Option<Vec<Vec<u8>>> = all.iter().map(of_file).collect();
        let next = file.step(&told.ok_or(Error::OtherRank)?)?;
        goes_on |= next.is_some();
        frames.push(next.unwrap_or_default());
    }
    Ok(goes_on.then_some(frames))
}

fn add(counts: &mut Counts, other: &Counts) {
    counts.pulses += other.pulses;
    counts.returns += other.returns;
    counts.misses += other.misses;
    counts.tallies.add(other.tallies);
}

fn put(message: &mut Vec<u8>, bytes: &[u8]) {
    message.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    message.extend_from_slice(bytes);
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = bytes.split_at_checked(8)?;
    *bytes = rest;
    number.try_into().ok().map(u64::from_le_bytes)
}

fn take<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(number(bytes)?).ok()?;
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn frames_message(frames: &[Vec<u8>]) -> Vec<u8> {
    let mut message = vec![kind::ROUND];
    frames.iter().for_each(|frame| put(&mut message, frame));
    message
}

fn read_frames(message: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (&kind::ROUND, mut rest) = message.split_first()? else { return None };
    let mut frames = Vec::new();
    while !rest.is_empty() {
        frames.push(take(&mut rest)?.to_vec());
    }
    Some(frames)
}

fn counts_frame(counts: &Counts, cpu_s: f64) -> Vec<u8> {
    let Counts { pulses, returns, misses, tallies: Tallies { paths, waveforms } } = *counts;
    let all = [
        pulses,
        returns,
        misses,
        paths.segments,
        paths.cut,
        waveforms.waveforms,
        waveforms.cut,
        cpu_s.to_bits(),
    ];
    all.map(u64::to_le_bytes).concat()
}

fn read_counts(mut frame: &[u8]) -> Option<(Counts, f64)> {
    let mut all = [0; 8];
    for value in &mut all {
        *value = number(&mut frame)?;
    }
    let [pulses, returns, misses, segments, ended, waveforms, cut, cpu_s] = all;
    let tallies = Tallies {
        paths: PathTally { segments, cut: ended },
        waveforms: WaveformTally { waveforms, cut },
    };
    Some((Counts { pulses, returns, misses, tallies }, f64::from_bits(cpu_s)))
}

/// Where a rank has stored its blocks.
fn stored_message(cpu_s: f64, parts: &Checkpoint) -> Vec<u8> {
    let mut message = vec![kind::STORED];
    message.extend_from_slice(&cpu_s.to_le_bytes());
    let blocks = parts.own_blocks();
    let file = blocks.first().map(|block| parts.place_of(block).0).unwrap_or_default();
    put(&mut message, file.file_name().unwrap_or_default().as_encoded_bytes());
    for block in &blocks {
        let (_, offset, length) = parts.place_of(block);
        for cut in [&block.from, &block.to] {
            message.extend_from_slice(&cut.time_s.to_le_bytes());
            cut.pulses.iter().for_each(|pulse| message.extend_from_slice(&pulse.to_le_bytes()));
        }
        message.extend_from_slice(&offset.to_le_bytes());
        message.extend_from_slice(&(length as u64).to_le_bytes());
    }
    message
}

fn read_stored(message: &[u8], sensors: usize) -> Option<(f64, String, Vec<Entry>)> {
    let (&kind::STORED, mut rest) = message.split_first()? else { return None };
    let cpu_s = f64::from_bits(number(&mut rest)?);
    let name = String::from_utf8(take(&mut rest)?.to_vec()).ok()?;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let mut cut = || {
            let time_s = f64::from_bits(number(&mut rest)?);
            let pulses: Option<Vec<u64>> = (0..sensors).map(|_| number(&mut rest)).collect();
            Some(Cut { time_s, pulses: pulses? })
        };
        let (from, to) = (cut()?, cut()?);
        let (offset, length) = (number(&mut rest)?, number(&mut rest)?);
        entries.push((from, to, offset, usize::try_from(length).ok()?));
    }
    Some((cpu_s, name, entries))
}

/// What a rank is to write.
fn group_message(share: &Share, first_return_m: Option<[f64; 3]>) -> Vec<u8> {
    let mut message = vec![kind::GROUP];
    let first = first_return_m.map(|first| first.map(f64::to_le_bytes).concat());
    put(&mut message, &first.unwrap_or_default());
    message.extend_from_slice(&(share.earlier as u64).to_le_bytes());
    // Neighbours are mostly of one file.
    let mut last: Option<&Path> = None;
    for (path, offset, length) in &share.places {
        let is_other = last != Some(path);
        put(&mut message, if is_other { path.as_os_str().as_encoded_bytes() } else { &[] });
        last = Some(path);
        message.extend_from_slice(&offset.to_le_bytes());
        message.extend_from_slice(&(*length as u64).to_le_bytes());
    }
    message
}

fn read_group(message: &[u8]) -> Option<(Share, Option<[f64; 3]>)> {
    let (&kind::GROUP, mut rest) = message.split_first()? else { return None };
    let mut first = take(&mut rest)?;
    let first = match first.is_empty() {
        true => None,
        false => Some([number(&mut first)?, number(&mut first)?, number(&mut first)?]),
    };
    let earlier = usize::try_from(number(&mut rest)?).ok()?;
    let mut places: Vec<Place> = Vec::new();
    while !rest.is_empty() {
        let path = take(&mut rest)?;
        let path = match places.last() {
            Some((last, ..)) if path.is_empty() => last.clone(),
            _ => PathBuf::from(String::from_utf8(path.to_vec()).ok()?),
        };
        let (offset, length) = (number(&mut rest)?, number(&mut rest)?);
        places.push((path, offset, usize::try_from(length).ok()?));
    }
    Some((Share { earlier, places }, first.map(|first| first.map(f64::from_bits))))
}
