//! Parts of a site that were learned apart, as files: on several hosts, or one after another.
//!
//! A site of voxels is made of whole numbers in two stages. [`PointsPart`] (`.cells`) holds the sums
//! of the points of some recordings; parts merge to the sums of all. [`CountsPart`] (`.counts`) holds
//! what the beams of some recordings did in the cells of all. Merged in any order they give the same
//! bytes as one run over everything.
//!
//! Both files are a magic word, a version, a length and a CRC-32 of the rest, all little-endian;
//! cells stand in the order of [`Cells::sorted`].

use std::io::Write;
use std::path::Path;

use understory_cloud::{CloudError, StagedFile};

use super::cells::{Cell, CellIndex, Cells, Sums};
use super::settings::Settings;
use super::voxel::VoxelCounts;
use crate::LearnError;
use crate::volume::gaussian::{PointUncertainty, Regularisation};
use crate::volume::permeability::BeamCounts;

const POINTS_MAGIC: [u8; 8] = *b"\x89CELLS\r\n";
const COUNTS_MAGIC: [u8; 8] = *b"\x89COUNT\r\n";
const VERSION: u32 = 1;
/// Magic, version, checksum, length of the rest.
const HEADER_BYTES: usize = 24;
/// A cell without labels.
const CELL_BYTES: usize = 12 + 16 + 24 + 96 + 48 + 16 + 8 + 16 + 4;

/// The sums of the points of some recordings.
#[derive(Clone, Debug)]
pub struct PointsPart {
    /// How they are to become volumes.
    pub settings: Settings,
    /// Names of the recordings, sorted.
    pub recordings: Vec<String>,
    /// Beams that were read.
    pub beams: u64,
    /// The sums.
    pub cells: Cells,
}

/// What the beams of some recordings did in the cells of all.
#[derive(Clone, Debug, PartialEq)]
pub struct CountsPart {
    /// Checksum of the sums that made the cells.
    pub geometry: u32,
    /// The gate.
    pub tau: f64,
    /// Pulses that were skipped.
    pub skipped: u64,
    /// The counts.
    pub counts: VoxelCounts,
}

struct Writer(Vec<u8>);

impl Writer {
    fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn f64(&mut self, value: f64) {
        self.u64(value.to_bits());
    }

    /// Writes the file; it appears whole or not at all. Returns the checksum.
    fn publish(self, path: &Path, magic: [u8; 8]) -> Result<u32, LearnError> {
        let failed = |error| CloudError::Write { path: path.to_path_buf(), error };
        let mut file = StagedFile::create(path)?;
        let (header, sum) = self.header(magic);
        file.write_all(&header).map_err(failed)?;
        file.write_all(&self.0).map_err(failed)?;
        file.publish()?;
        Ok(sum)
    }

    /// What stands before the bytes, and their checksum.
    fn header(&self, magic: [u8; 8]) -> (Vec<u8>, u32) {
        let sum = crc32fast::hash(&self.0);
        let mut header = Vec::with_capacity(HEADER_BYTES);
        header.extend_from_slice(&magic);
        header.extend_from_slice(&VERSION.to_le_bytes());
        header.extend_from_slice(&sum.to_le_bytes());
        header.extend_from_slice(&(self.0.len() as u64).to_le_bytes());
        (header, sum)
    }

    /// The bytes that the file would have.
    fn into_bytes(self, magic: [u8; 8]) -> Vec<u8> {
        let (mut bytes, _) = self.header(magic);
        bytes.extend_from_slice(&self.0);
        bytes
    }
}

struct Reader<'a> {
    path: &'a Path,
    bytes: Vec<u8>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn open(path: &'a Path, magic: [u8; 8]) -> Result<(Reader<'a>, u32), LearnError> {
        let bytes = std::fs::read(path)
            .map_err(|error| CloudError::Read { path: path.to_path_buf(), error })?;
        Reader::from_bytes(path, bytes, magic)
    }

    /// Reads bytes of a file or of a message, which `path` names.
    fn from_bytes(
        path: &'a Path,
        bytes: Vec<u8>,
        magic: [u8; 8],
    ) -> Result<(Reader<'a>, u32), LearnError> {
        let mut reader = Reader { path, bytes, at: 0 };
        let found: [u8; 8] = reader.take()?;
        if found != magic {
            return Err(reader.bad("it is not of the kind that is wanted here"));
        }
        let version = u32::from_le_bytes(reader.take()?);
        if version != VERSION {
            return Err(reader.bad(&format!("its version is {version} and {VERSION} is known")));
        }
        let sum = u32::from_le_bytes(reader.take()?);
        let length = reader.u64()?;
        let rest = reader.bytes.get(HEADER_BYTES..).unwrap_or_default();
        if rest.len() as u64 != length {
            return Err(reader.bad("it was cut short, or something was added"));
        }
        if crc32fast::hash(rest) != sum {
            return Err(reader.bad("it was altered"));
        }
        Ok((reader, sum))
    }

    fn bad(&self, problem: &str) -> LearnError {
        LearnError::BadPart {
            path: self.path.to_path_buf(),
            problem: problem.to_owned(),
            remedy: "make it again by the stage before",
        }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], LearnError> {
        let bytes = self.bytes.get(self.at..self.at + N).and_then(|b| b.try_into().ok());
        self.at += N;
        bytes.ok_or_else(|| self.bad("it was cut short"))
    }

    fn u64(&mut self) -> Result<u64, LearnError> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    fn f64(&mut self) -> Result<f64, LearnError> {
        Ok(f64::from_bits(self.u64()?))
    }

    /// A number of items of which each takes at least `bytes`: more than the file has are none.
    fn count(&mut self, bytes: usize) -> Result<usize, LearnError> {
        let count = self.u64()?;
        let left = self.bytes.len().saturating_sub(self.at) / bytes.max(1);
        match usize::try_from(count) {
            Ok(count) if count <= left => Ok(count),
            _ => Err(self.bad("it counts more than it holds")),
        }
    }
}

impl PointsPart {
    /// Writes a `.cells` file; returns its checksum.
    pub fn write(&self, path: &Path) -> Result<u32, LearnError> {
        self.serialised().publish(path, POINTS_MAGIC)
    }

    /// The checksum that [`PointsPart::write`] would return: what counts are tied to.
    pub fn checksum(&self) -> u32 {
        crc32fast::hash(&self.serialised().0)
    }

    fn serialised(&self) -> Writer {
        let mut out = Writer(Vec::with_capacity(256 + self.cells.len() * CELL_BYTES));
        let settings = &self.settings;
        for value in [
            settings.cell_m,
            settings.range_max_m,
            settings.sensor.sigma_range_m,
            settings.sensor.encoder_step_rad,
            settings.sensor.divergence_rad,
            settings.regularisation.prior_points,
            settings.regularisation.sigma_min_m,
            settings.regularisation.eigenvalue_ratio_min,
        ] {
            out.f64(value);
        }
        out.u64(settings.points_min);
        out.u64(settings.jeffreys_below);
        out.u64(self.beams);
        out.u64(self.cells.out_of_reach);
        out.u64(self.recordings.len() as u64);
        for name in &self.recordings {
            out.u64(name.len() as u64);
            out.0.extend_from_slice(name.as_bytes());
        }
        let cells = self.cells.sorted();
        out.u64(cells.len() as u64);
        for cell in &cells {
            let sums = &cell.sums;
            cell.index.0.iter().for_each(|c| out.0.extend_from_slice(&c.to_le_bytes()));
            out.u64(sums.points);
            out.u64(sums.lit);
            sums.first.iter().for_each(|s| out.0.extend_from_slice(&s.to_le_bytes()));
            sums.second.iter().for_each(|s| out.0.extend_from_slice(&s.to_le_bytes()));
            sums.directions.iter().for_each(|s| out.0.extend_from_slice(&s.to_le_bytes()));
            out.0.extend_from_slice(&sums.squared_range.to_le_bytes());
            out.u64(sums.intensity);
            out.0.extend_from_slice(&sums.squared_intensity.to_le_bytes());
            out.0.extend_from_slice(&(cell.labels.len() as u32).to_le_bytes());
            for (label, votes) in &cell.labels {
                out.0.extend_from_slice(&label.to_le_bytes());
                out.u64(*votes);
            }
        }
        out
    }

    /// The bytes of a `.cells` file, for messages.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.serialised().into_bytes(POINTS_MAGIC)
    }

    /// Reads what [`PointsPart::to_bytes`] gave; `from` says whose it is.
    pub fn from_bytes(bytes: Vec<u8>, from: &Path) -> Result<PointsPart, LearnError> {
        PointsPart::parse(Reader::from_bytes(from, bytes, POINTS_MAGIC)?.0)
    }

    /// Reads a `.cells` file.
    pub fn read(path: &Path) -> Result<PointsPart, LearnError> {
        PointsPart::parse(Reader::open(path, POINTS_MAGIC)?.0)
    }

    fn parse(mut from: Reader) -> Result<PointsPart, LearnError> {
        let mut values = [0.0; 8];
        for value in &mut values {
            *value = from.f64()?;
        }
        let [cell_m, range_max_m, sigma_range_m, encoder_step_rad, divergence_rad, rest @ ..] =
            values;
        let [prior_points, sigma_min_m, eigenvalue_ratio_min] = rest;
        let settings = Settings {
            cell_m,
            range_max_m,
            points_min: from.u64()?,
            jeffreys_below: from.u64()?,
            sensor: PointUncertainty { sigma_range_m, encoder_step_rad, divergence_rad },
            regularisation: Regularisation { prior_points, sigma_min_m, eigenvalue_ratio_min },
            ..Settings::default()
        };
        settings.check()?;
        let beams = from.u64()?;
        let mut cells = Cells::new(cell_m);
        cells.out_of_reach = from.u64()?;
        let mut recordings = Vec::new();
        for _ in 0..from.count(8)? {
            let length = from.count(1)?;
            let name = from.bytes.get(from.at..from.at + length).unwrap_or_default();
            recordings.push(String::from_utf8_lossy(name).into_owned());
            from.at += length;
        }
        for _ in 0..from.count(CELL_BYTES)? {
            let mut index = [0; 3];
            for c in &mut index {
                *c = i32::from_le_bytes(from.take()?);
            }
            let mut sums = Sums { points: from.u64()?, lit: from.u64()?, ..Sums::default() };
            for sum in &mut sums.first {
                *sum = i64::from_le_bytes(from.take()?);
            }
            for sum in &mut sums.second {
                *sum = i128::from_le_bytes(from.take()?);
            }
            for sum in &mut sums.directions {
                *sum = i64::from_le_bytes(from.take()?);
            }
            sums.squared_range = u128::from_le_bytes(from.take()?);
            sums.intensity = from.u64()?;
            sums.squared_intensity = u128::from_le_bytes(from.take()?);
            if sums.points == 0 || sums.points > u64::from(u32::MAX) {
                return Err(from.bad("a cell of it has no plausible number of points"));
            }
            let mut labels = Vec::new();
            for _ in 0..u32::from_le_bytes(from.take()?) {
                labels.push((u16::from_le_bytes(from.take()?), from.u64()?));
            }
            cells.put(&Cell { index: CellIndex(index), sums, labels });
        }
        Ok(PointsPart { settings, recordings, beams, cells })
    }

    /// Adds another part; refuses one that was gathered otherwise.
    pub fn merge(&mut self, other: &PointsPart) -> Result<(), LearnError> {
        // The gate is chosen when beams are counted, and the rest is of other estimators.
        let Settings { tau, top_down, surface, .. } = self.settings;
        let alike = Settings { tau, top_down, surface, ..other.settings };
        if alike != self.settings {
            return Err(LearnError::CannotMerge {
                problem: "their points were gathered with other settings".to_owned(),
                remedy: "gather all parts with the same --cell, --range, --sensor and --points",
            });
        }
        if let Some(name) = other.recordings.iter().find(|name| self.recordings.contains(name)) {
            return Err(LearnError::CannotMerge {
                problem: format!("{name} is in two of the parts"),
                remedy: "give each part once, and each recording a name of its own",
            });
        }
        self.recordings.extend(other.recordings.iter().cloned());
        self.recordings.sort();
        self.beams = self.beams.saturating_add(other.beams);
        self.cells.merge(&other.cells);
        Ok(())
    }
}

impl CountsPart {
    /// Writes a `.counts` file.
    pub fn write(&self, path: &Path) -> Result<(), LearnError> {
        self.serialised().publish(path, COUNTS_MAGIC).map(|_| ())
    }

    /// The bytes of a `.counts` file, for messages.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.serialised().into_bytes(COUNTS_MAGIC)
    }

    /// Reads what [`CountsPart::to_bytes`] gave; `from` says whose it is.
    pub fn from_bytes(bytes: Vec<u8>, from: &Path) -> Result<CountsPart, LearnError> {
        CountsPart::parse(Reader::from_bytes(from, bytes, COUNTS_MAGIC)?.0)
    }

    fn serialised(&self) -> Writer {
        let mut out = Writer(Vec::with_capacity(64 + self.counts.cells.len() * 24));
        out.u64(u64::from(self.geometry));
        out.f64(self.tau);
        out.u64(self.skipped);
        out.u64(self.counts.beams);
        out.u64(self.counts.misses);
        out.u64(self.counts.cells.len() as u64);
        for met in &self.counts.cells {
            out.u64(met.stopped);
            out.u64(met.passed);
            out.u64(met.orphaned);
        }
        out
    }

    /// Reads a `.counts` file.
    pub fn read(path: &Path) -> Result<CountsPart, LearnError> {
        CountsPart::parse(Reader::open(path, COUNTS_MAGIC)?.0)
    }

    fn parse(mut from: Reader) -> Result<CountsPart, LearnError> {
        let geometry = from.u64()? as u32;
        let (tau, skipped) = (from.f64()?, from.u64()?);
        let (beams, misses) = (from.u64()?, from.u64()?);
        let mut cells = Vec::new();
        for _ in 0..from.count(24)? {
            let (stopped, passed, orphaned) = (from.u64()?, from.u64()?, from.u64()?);
            cells.push(BeamCounts { stopped, passed, orphaned });
        }
        Ok(CountsPart { geometry, tau, skipped, counts: VoxelCounts { cells, beams, misses } })
    }

    /// Adds another part; refuses one that was counted in other cells or with another gate.
    pub fn merge(&mut self, other: &CountsPart) -> Result<(), LearnError> {
        let alike = self.geometry == other.geometry
            && self.tau == other.tau
            && self.counts.cells.len() == other.counts.cells.len();
        if !alike {
            return Err(LearnError::CannotMerge {
                problem: "their beams were counted in other cells or with another gate".to_owned(),
                remedy: "count all parts with the same --geometry and --tau",
            });
        }
        self.skipped += other.skipped;
        self.counts.merge(&other.counts);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::beams::Beams;
    use glam::{DVec3, Vec3};

    fn part(name: &str, range: f32) -> PointsPart {
        let mut beams = Beams::default();
        for k in 0..20u16 {
            let aside = DVec3::Y * f64::from(k) * 0.02;
            beams.push(aside, Vec3::X, range, 0.25, k % 3);
        }
        let settings = Settings::default();
        let mut cells = Cells::new(settings.cell_m);
        cells.add(&beams, 100.0);
        PointsPart { settings, recordings: vec![name.to_owned()], beams: 20, cells }
    }

    #[test]
    fn parts_come_back_from_files_and_merge_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (a, b) = (part("a", 3.0), part("b", 3.01));
        a.write(&path("a")).unwrap();
        b.write(&path("b")).unwrap();
        let mut one = PointsPart::read(&path("a")).unwrap();
        assert_eq!(one.cells.sorted(), a.cells.sorted());
        one.merge(&b).unwrap();
        let mut other = PointsPart::read(&path("b")).unwrap();
        other.merge(&a).unwrap();
        assert_eq!(one.checksum(), other.write(&path("ab")).unwrap());
        assert!(matches!(one.merge(&a), Err(LearnError::CannotMerge { .. })));
        other.settings.cell_m = 0.1;
        assert!(matches!(part("c", 1.0).merge(&other), Err(LearnError::CannotMerge { .. })));
    }

    #[test]
    fn files_that_were_cut_or_altered_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.cells");
        part("a", 3.0).write(&path).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in [0, 7, 20, 30, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert!(matches!(PointsPart::read(&path), Err(LearnError::BadPart { .. })), "{cut}");
        }
        for at in (0..whole.len()).step_by(13) {
            let mut altered = whole.clone();
            altered[at] ^= 4;
            std::fs::write(&path, &altered).unwrap();
            assert!(PointsPart::read(&path).is_err(), "{at}");
        }
        std::fs::write(&path, &whole).unwrap();
        assert!(matches!(CountsPart::read(&path), Err(LearnError::BadPart { .. })));
    }

    #[test]
    fn counts_come_back_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.counts");
        let cells = vec![BeamCounts { stopped: 1, passed: 2, orphaned: 3 }; 5];
        let counts = VoxelCounts { cells, beams: 9, misses: 4 };
        let part = CountsPart { geometry: 77, tau: 2.0, skipped: 3, counts };
        part.write(&path).unwrap();
        let mut read = CountsPart::read(&path).unwrap();
        assert_eq!(read, part);
        read.merge(&part).unwrap();
        assert_eq!((read.counts.cells[4].passed, read.skipped), (4, 6));
        let other = CountsPart { tau: 2.5, ..part };
        assert!(matches!(read.merge(&other), Err(LearnError::CannotMerge { .. })));
    }
}
