//! Pulses without a return, found again where a format drops them.
//!
//! What enters: the returns of a scan, and a lattice of the directions in which its sensor fires:
//! the pattern of a known sensor, or one that is estimated from the recording itself. What leaves:
//! a miss for each place of the lattice that returned nothing. Directions of the lattice are in the
//! sensor's frame; how that was turned in a scan is the rotation that fits its returns best, and
//! where it was is where the returns of the same azimuth began.
//!
//! Azimuths in which nothing at all returned over more than 20° count as not scanned.

use std::path::Path;

use glam::{DMat3, DVec3, Vec3};
use nalgebra::Matrix3;
use understory_cloud::{KnownColumns, ReadOptions, Recording, Records};

use super::angles::{angles_deg, unit_of};
use super::lattice::{Estimated, Lattice, PatternPulse};
use super::padding::is_padding;
use super::revolutions::Revolutions;
use super::ring_elevations::RingRow;
use super::ring_misses::{Fired, ScanGaps};
use super::rings::RingOrder;
use crate::LearnError;

const SECTORS: usize = 360;
/// Sectors of one degree without any return that count as not scanned.
const BLIND_SECTORS: usize = 20;

/// Whether and how pulses without a return are found again.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RecoverMisses {
    /// Not at all.
    #[default]
    No,
    /// On the grid of channels and columns, or of azimuths and elevations, that the recording shows.
    Grid,
    /// On the pattern of a sensor: the pulses of one scan, and how long that takes.
    Pattern {
        /// The pulses.
        pulses: Vec<PatternPulse>,
        /// Duration of a scan, to tell scans apart by time where they are not numbered.
        scan_duration_s: f64,
    },
}

impl RecoverMisses {
    /// Refuses a recording that says too little.
    pub(crate) fn check(&self, path: &Path, known: &KnownColumns) -> Result<(), LearnError> {
        if *self == RecoverMisses::No || known.angles {
            return Ok(());
        }
        Err(LearnError::CannotRecoverMisses {
            path: path.to_path_buf(),
            why: "it does not say how the sensor was turned".to_owned(),
            remedy: "give a pose or a trajectory with rotations",
        })
    }
}

/// Finds the misses of one recording.
pub(crate) struct MissRecovery {
    path: std::path::PathBuf,
    places: Estimated,
    scan_duration_s: Option<f64>,
    /// Tells scans apart where nothing else does.
    revolutions: Option<Revolutions>,
    known: KnownColumns,
    scan: Option<(u16, u32, i64)>,
    start_s: Option<f64>,
    state: Scan,
    scans: u64,
    unfit: u64,
    rows: u64,
    /// Gaps that are of lost data.
    lost: u64,
}

/// What the returns of a scan show.
struct Scan {
    /// Places of the lattice that returned something.
    seen: Vec<bool>,
    /// Azimuths that did, and when, of each ring.
    rings: Vec<Vec<Fired>>,
    order: RingOrder,
    origins: Vec<(DVec3, f64)>,
    turn: Matrix3<f64>,
    returns: u64,
}

impl MissRecovery {
    /// Gets ready for one recording; `None` where nothing is requested.
    pub(crate) fn prepare(
        recover: &RecoverMisses,
        path: &Path,
        options: &ReadOptions,
    ) -> Result<Option<MissRecovery>, LearnError> {
        let (places, scan_duration_s) = match recover {
            RecoverMisses::No => return Ok(None),
            RecoverMisses::Grid => (Lattice::estimated(path, options)?, None),
            RecoverMisses::Pattern { pulses, scan_duration_s } => {
                let lattice = Lattice::from_pattern(path, pulses)?;
                (Estimated::Lattice(lattice), Some(*scan_duration_s))
            }
        };
        let known = Recording::open(path, options)?.known();
        let state = Scan::new(&places);
        let revolutions = match &places {
            Estimated::Rings(_, revolutions) if !known.scan => Some(revolutions.clone()),
            _ => None,
        };
        Ok(Some(MissRecovery {
            path: path.to_path_buf(),
            places,
            scan_duration_s,
            revolutions,
            known,
            scan: None,
            start_s: None,
            state,
            scans: 0,
            unfit: 0,
            rows: 0,
            lost: 0,
        }))
    }

    /// Sees a row; where that begins a new scan, the misses of the one before go to `miss`.
    pub(crate) fn see(
        &mut self,
        batch: &Records,
        row: usize,
        miss: &mut dyn FnMut(DVec3, Vec3),
    ) -> Result<(), LearnError> {
        let time_s = batch.time_s[row];
        let mut turn = 0;
        if let Some(duration) = self.scan_duration_s.filter(|_| !self.known.scan)
            && time_s.is_finite()
        {
            let start = *self.start_s.get_or_insert(time_s);
            turn = ((time_s - start) / duration).floor() as i64;
        }
        if let Some(revolutions) = &mut self.revolutions {
            turn = revolutions.next(f64::from(batch.azimuth_deg[row]));
        }
        let scan = (batch.sensor[row], batch.scan[row], turn);
        if self.scan.is_some_and(|before| before != scan) {
            self.close(miss);
        }
        self.scan = Some(scan);
        let (azimuth, elevation) =
            (f64::from(batch.azimuth_deg[row]), f64::from(batch.elevation_deg[row]));
        let direction = DVec3::from(batch.direction_xyz[row].map(f64::from));
        if !direction.is_finite() || !azimuth.is_finite() || !elevation.is_finite() {
            return Ok(());
        }
        let is_padding = self.known.column && is_padding(batch, row);
        let is_on = match &self.places {
            Estimated::Lattice(lattice) => {
                let place = lattice.place(batch, row, azimuth, elevation);
                // Of padding: nothing was fired there, or nobody knows what came back.
                place.map(|place| self.state.seen[place] = true).is_some()
            }
            Estimated::Rings(rings, _) => {
                let seen = RingRow {
                    ring: usize::from(batch.channel[row]),
                    azimuth_deg: azimuth,
                    elevation_deg: elevation,
                    range_m: f64::from(batch.range_m[row]),
                };
                let ring = rings.ring(&seen, &mut self.state.order);
                let ring = ring.and_then(|ring| self.state.rings.get_mut(ring));
                ring.map(|fired| fired.push([azimuth, time_s])).is_some()
            }
        };
        if is_padding {
            return Ok(());
        }
        self.rows += 1;
        self.unfit += u64::from(!is_on);
        let sector = (azimuth.rem_euclid(360.0) as usize).min(SECTORS - 1);
        let (sum, count) = &mut self.state.origins[sector];
        *sum += DVec3::from(batch.origin_xyz_m[row]);
        *count += 1.0;
        let own = unit_of(azimuth, elevation);
        for a in 0..3 {
            for b in 0..3 {
                self.state.turn[(a, b)] += direction[a] * own[b];
            }
        }
        self.state.returns += 1;
        if self.rows == 10_000 && self.unfit * 2 > self.rows {
            return Err(self.unlike());
        }
        Ok(())
    }

    fn unlike(&self) -> LearnError {
        LearnError::CannotRecoverMisses {
            path: self.path.clone(),
            why: format!("{} of its {} beams are not on that pattern", self.unfit, self.rows),
            remedy: "name the sensor that made it, or recover them on its own grid",
        }
    }

    /// The misses of the last scan.
    pub(crate) fn finish(&mut self, miss: &mut dyn FnMut(DVec3, Vec3)) -> Result<(), LearnError> {
        if self.rows > 0 && self.unfit * 2 > self.rows {
            return Err(self.unlike());
        }
        self.close(miss);
        Ok(())
    }

    /// What else is to be said.
    pub(crate) fn remark(&self) -> Option<String> {
        (self.unfit * 20 > self.rows).then(|| {
            let (unfit, path) = (self.unfit, self.path.display());
            format!("{unfit} beams of {path} are not on the pattern by which misses were recovered")
        })
    }

    /// Gaps that are of lost data rather than of pulses without a return.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    fn close(&mut self, miss: &mut dyn FnMut(DVec3, Vec3)) {
        self.scans += 1;
        let scan = std::mem::replace(&mut self.state, Scan::new(&self.places));
        // Fewer returns do not tell how the sensor was turned.
        if scan.returns < 3 {
            return;
        }
        let rotation = scan.rotation();
        let blind = blind_sectors(&scan.origins);
        let origins = filled(&scan.origins);
        let sector = |azimuth: f64| (azimuth as usize).min(SECTORS - 1);
        let in_world = |direction: DVec3| (rotation * direction).normalize_or_zero().as_vec3();
        match &self.places {
            Estimated::Lattice(lattice) => {
                for (place, direction) in lattice.directions.iter().enumerate() {
                    if scan.seen[place] || !direction.is_finite() {
                        continue;
                    }
                    let sector = sector(angles_deg(*direction)[0].rem_euclid(360.0));
                    if !blind[sector] {
                        let world = in_world(*direction);
                        (0..lattice.each).for_each(|_| miss(origins[sector], world));
                    }
                }
            }
            Estimated::Rings(rings, _) => {
                let gaps = ScanGaps::find(&scan.rings, rings.step_deg);
                self.lost += gaps.lost;
                for (ring, fired) in scan.rings.iter().enumerate() {
                    gaps.misses(rings, ring, fired, |azimuth, direction| {
                        miss(origins[sector(azimuth)], in_world(direction));
                    });
                }
            }
        }
    }
}

impl Scan {
    fn new(places: &Estimated) -> Scan {
        let (seen, rings) = match places {
            Estimated::Lattice(lattice) => (lattice.directions.len(), 0),
            Estimated::Rings(rings, _) => (0, rings.elevations_deg.len()),
        };
        Scan {
            seen: vec![false; seen],
            rings: vec![Vec::new(); rings],
            order: RingOrder::default(),
            origins: vec![(DVec3::ZERO, 0.0); SECTORS],
            turn: Matrix3::zeros(),
            returns: 0,
        }
    }

    /// The rotation that turns the sensor's directions into the world's best (Kabsch 1976).
    fn rotation(&self) -> DMat3 {
        let svd = self.turn.svd(true, true);
        let (Some(u), Some(v_t)) = (svd.u, svd.v_t) else { return DMat3::IDENTITY };
        let sign = (u * v_t).determinant().signum();
        let rotation = u * Matrix3::from_diagonal(&nalgebra::Vector3::new(1.0, 1.0, sign)) * v_t;
        let mut columns = [0.0; 9];
        columns.copy_from_slice(rotation.as_slice());
        DMat3::from_cols_array(&columns)
    }
}

/// Sectors of a gap that is longer than a sensor's whole columns miss by chance.
fn blind_sectors(origins: &[(DVec3, f64)]) -> Vec<bool> {
    let mut blind = vec![false; SECTORS];
    let empty = |sector: usize| origins[sector % SECTORS].1 == 0.0;
    for start in 0..SECTORS {
        if !empty(start) || empty(start + SECTORS - 1) {
            continue;
        }
        let length = (0..SECTORS).take_while(|k| empty(start + k)).count();
        if length >= BLIND_SECTORS {
            (0..length).for_each(|k| blind[(start + k) % SECTORS] = true);
        }
    }
    blind
}

/// Mean origin of each sector; that of the nearest sector where none is known.
fn filled(origins: &[(DVec3, f64)]) -> Vec<DVec3> {
    let mean = |sector: usize| {
        let (sum, count) = origins[sector % SECTORS];
        (count > 0.0).then(|| sum / count)
    };
    let near = |sector: usize| {
        (0..=SECTORS / 2).find_map(|k| mean(sector + k).or_else(|| mean(sector + SECTORS - k)))
    };
    (0..SECTORS).map(|sector| near(sector).unwrap_or_default()).collect()
}
