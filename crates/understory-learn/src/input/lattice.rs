//! The directions in which a sensor fires: those of a known pattern, or as a recording shows them.

use std::path::Path;
use understory_base::math;

use glam::DVec3;
use understory_cloud::{ReadOptions, Recording, Records};

use super::angles::{angles_deg, unit_of, wrap_deg};
use super::padding::is_padding;
use super::revolutions::Revolutions;
use super::ring_elevations::RingRow;
use super::rings::Rings;
use crate::LearnError;

/// Places that a lattice may have.
const PLACES_MAX: usize = 1 << 24;

/// One direction of a sensor's scan, in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatternPulse {
    /// Laser channel.
    pub channel: u16,
    /// Unit vector.
    pub direction: DVec3,
}

/// The directions of a scan.
pub(super) struct Lattice {
    pub directions: Vec<DVec3>,
    /// How many misses an empty place stands for.
    pub each: usize,
    places: Places,
}

/// What a recording shows of the directions in which its sensor fires.
pub(super) enum Estimated {
    Lattice(Lattice),
    /// With what tells revolutions apart where scans are not numbered.
    Rings(Rings, Revolutions),
}

/// How a row finds its place.
enum Places {
    /// By its channel and column, or the other way round.
    Organised { columns: usize, transposed: bool },
    /// By the nearest elevation and then azimuth: elevation, and azimuths with places, both sorted.
    Lines(Vec<(f64, Vec<(f64, usize)>)>),
    /// By a grid of azimuths and elevations of this step.
    Bins { step_deg: f64, low_deg: f64, across: usize, up: usize },
}

impl Lattice {
    pub fn place(
        &self,
        batch: &Records,
        row: usize,
        azimuth: f64,
        elevation: f64,
    ) -> Option<usize> {
        match &self.places {
            Places::Organised { columns, transposed } => {
                let (mut channel, mut column) =
                    (usize::from(batch.channel[row]), batch.column[row] as usize);
                if *transposed {
                    (channel, column) = (column, channel);
                }
                let place = channel.saturating_mul(*columns).saturating_add(column);
                (column < *columns && place < self.directions.len()).then_some(place)
            }
            Places::Lines(lines) => {
                let at = lines.partition_point(|(e, _)| *e < elevation);
                let near = [at.checked_sub(1), Some(at)].into_iter().flatten();
                let (gap, line) = near
                    .filter_map(|k| lines.get(k))
                    .map(|line| ((line.0 - elevation).abs(), line))
                    .min_by(|a, b| a.0.total_cmp(&b.0))?;
                if gap > 1.0 || line.1.is_empty() {
                    return None;
                }
                let at = line.1.partition_point(|(a, _)| *a < azimuth);
                let last = line.1.len() - 1;
                [(at + last) % (last + 1), at % (last + 1)]
                    .into_iter()
                    .min_by(|a, b| {
                        let far = |k: usize| wrap_deg(line.1[k].0 - azimuth).abs();
                        far(*a).total_cmp(&far(*b))
                    })
                    .map(|k| line.1[k].1)
            }
            Places::Bins { step_deg, low_deg, across, up } => {
                let x = ((azimuth.rem_euclid(360.0)) / step_deg) as usize % across;
                let y = ((elevation - low_deg) / step_deg).max(0.0) as usize;
                (y < *up).then_some(y * across + x)
            }
        }
    }

    pub fn from_pattern(path: &Path, pulses: &[PatternPulse]) -> Result<Lattice, LearnError> {
        let refuse = |why: &str, remedy| {
            Err(LearnError::CannotRecoverMisses {
                path: path.to_path_buf(),
                why: why.to_owned(),
                remedy,
            })
        };
        if pulses.is_empty() || pulses.len() > PLACES_MAX {
            return refuse(
                "that sensor has no scan of its own",
                "recover them on the recording's grid",
            );
        }
        let channels = pulses.iter().map(|pulse| usize::from(pulse.channel) + 1).max().unwrap_or(0);
        let mut lines: Vec<(f64, Vec<(f64, usize)>)> = vec![(0.0, Vec::new()); channels];
        let mut spread = vec![[f64::INFINITY, f64::NEG_INFINITY]; channels];
        for (place, pulse) in pulses.iter().enumerate() {
            let [azimuth, elevation] = angles_deg(pulse.direction);
            let channel = usize::from(pulse.channel);
            lines[channel].0 += elevation;
            lines[channel].1.push((azimuth, place));
            spread[channel] =
                [spread[channel][0].min(elevation), spread[channel][1].max(elevation)];
        }
        if spread.iter().any(|[low, high]| high - low > 1.0) {
            return refuse(
                "the channels of that sensor do not keep their elevation",
                "name a spinning sensor, or recover them on the recording's grid",
            );
        }
        for (elevation, azimuths) in &mut lines {
            *elevation /= azimuths.len().max(1) as f64;
            azimuths.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        lines.retain(|(_, azimuths)| !azimuths.is_empty());
        lines.sort_by(|a, b| a.0.total_cmp(&b.0));
        let directions = pulses.iter().map(|pulse| pulse.direction).collect();
        Ok(Lattice { directions, each: 1, places: Places::Lines(lines) })
    }

    /// From the recording itself: by channel and column where rows have them, by the rings of a
    /// spinning sensor, else by azimuth and elevation in cells twice as wide as the beams are apart.
    pub fn estimated(path: &Path, options: &ReadOptions) -> Result<Estimated, LearnError> {
        let mut recording = Recording::open(path, options)?;
        let known = recording.known();
        let mut batch = Records::default();
        let mut seen: Vec<[f64; 2]> = Vec::new();
        let mut ranges_m: Vec<f32> = Vec::new();
        let mut at: Vec<[usize; 2]> = Vec::new();
        let (mut channels, mut columns) = (0, 0);
        // Beams of the first scan, once the second has begun.
        let (mut scan, mut one_scan) = (None, None);
        while recording.next_batch(&mut batch)? {
            for row in 0..batch.len() {
                let place = [usize::from(batch.channel[row]), batch.column[row] as usize];
                channels = channels.max(place[0] + 1);
                columns = columns.max(place[1] + 1);
                let angles =
                    [f64::from(batch.azimuth_deg[row]), f64::from(batch.elevation_deg[row])];
                let valid = angles[0].is_finite() && angles[1].is_finite();
                let padding = known.column && is_padding(&batch, row);
                if one_scan.is_none() && *scan.get_or_insert(batch.scan[row]) != batch.scan[row] {
                    one_scan = Some(seen.len());
                }
                if valid && !padding && seen.len() < PLACES_MAX {
                    seen.push(angles);
                    ranges_m.push(batch.range_m[row]);
                    at.push(place);
                }
            }
        }
        let refuse = |why: String| {
            let remedy = "name its sensor instead, or learn without misses";
            Err(LearnError::CannotRecoverMisses { path: path.to_path_buf(), why, remedy })
        };
        if seen.len() < 100 {
            return refuse(format!("{} beams with a direction show no grid", seen.len()));
        }
        if known.channel && known.column && channels * columns <= PLACES_MAX {
            let lattice = if columns_keep_elevations(&seen, &at, channels, columns) {
                at.iter_mut().for_each(|place| place.swap(0, 1));
                Lattice::organised(&seen, &at, columns, channels, true)
            } else {
                Lattice::organised(&seen, &at, channels, columns, false)
            };
            return Ok(Estimated::Lattice(lattice));
        }
        let revolutions = Revolutions::of(&seen);
        let one_scan = one_scan.filter(|_| known.scan).or_else(|| {
            let mut turns = revolutions.clone();
            seen.iter().position(|[azimuth, _]| turns.next(*azimuth) > 0)
        });
        let row = |(([azimuth_deg, elevation_deg], range_m), [ring, _]): (
            (&[f64; 2], &f32),
            &[usize; 2],
        )| {
            let (azimuth_deg, elevation_deg) = (wrap_deg(*azimuth_deg), *elevation_deg);
            RingRow { ring: *ring, azimuth_deg, elevation_deg, range_m: f64::from(*range_m) }
        };
        let rows: Vec<RingRow> = seen.iter().zip(&ranges_m).zip(&at).map(row).collect();
        let one_scan = one_scan.unwrap_or(rows.len());
        if let Some(rings) = Rings::find(&rows, one_scan, known.channel && channels > 1) {
            return Ok(Estimated::Rings(rings, revolutions));
        }
        let mut apart: Vec<f64> = seen
            .windows(2)
            .map(|pair| {
                let [a, b] = [unit_of(pair[0][0], pair[0][1]), unit_of(pair[1][0], pair[1][1])];
                math::acos(a.dot(b).clamp(-1.0, 1.0)).to_degrees()
            })
            .filter(|angle| *angle > 1e-4)
            .collect();
        apart.sort_by(f64::total_cmp);
        let step_deg = 2.0 * apart.get(apart.len() / 2).copied().unwrap_or(0.0);
        if !(0.01..=10.0).contains(&step_deg) {
            return refuse(format!("neighbouring beams are {:.4}° apart", step_deg / 2.0));
        }
        let binned = Lattice::binned(&seen, step_deg).map(Estimated::Lattice);
        binned.map_or_else(|| refuse("its directions are too scattered for a grid".to_owned()), Ok)
    }

    /// azimuth = that of the column + that of the channel, by alternating means; elevation = that of
    /// the channel.
    fn organised(
        seen: &[[f64; 2]],
        at: &[[usize; 2]],
        channels: usize,
        columns: usize,
        transposed: bool,
    ) -> Lattice {
        let mut elevation = vec![(0.0, 0.0); channels];
        for ([_, e], [channel, _]) in seen.iter().zip(at) {
            elevation[*channel].0 += e;
            elevation[*channel].1 += 1.0;
        }
        let mut of_column = vec![f64::NAN; columns];
        let mut of_channel = vec![0.0; channels];
        for _ in 0..8 {
            let mut sums = vec![DVec3::ZERO; columns];
            for ([azimuth, _], [channel, column]) in seen.iter().zip(at) {
                let (sin, cos) = math::sin_cos((azimuth - of_channel[*channel]).to_radians());
                sums[*column] += DVec3::new(cos, sin, 1.0);
            }
            for (angle, sum) in of_column.iter_mut().zip(&sums) {
                *angle =
                    if sum.z > 0.0 { math::atan2(sum.y, sum.x).to_degrees() } else { f64::NAN };
            }
            let mut offsets = vec![(0.0, 0.0); channels];
            for ([azimuth, _], [channel, column]) in seen.iter().zip(at) {
                offsets[*channel].0 += wrap_deg(azimuth - of_column[*column]);
                offsets[*channel].1 += 1.0;
            }
            for (offset, (sum, count)) in of_channel.iter_mut().zip(offsets) {
                *offset = if count > 0.0 { sum / count } else { 0.0 };
            }
        }
        // Columns that never returned lie evenly between their neighbours.
        let known: Vec<usize> = (0..columns).filter(|c| of_column[*c].is_finite()).collect();
        for pair in known.windows(2) {
            let step =
                wrap_deg(of_column[pair[1]] - of_column[pair[0]]) / (pair[1] - pair[0]) as f64;
            for column in pair[0] + 1..pair[1] {
                of_column[column] = of_column[pair[0]] + step * (column - pair[0]) as f64;
            }
        }
        let mut directions = Vec::with_capacity(channels * columns);
        for channel in 0..channels {
            let (sum, count) = elevation[channel];
            let elevation = if count > 0.0 { sum / count } else { f64::NAN };
            directions.extend(
                of_column.iter().map(|azimuth| unit_of(azimuth + of_channel[channel], elevation)),
            );
        }
        Lattice { directions, each: 1, places: Places::Organised { columns, transposed } }
    }

    fn binned(seen: &[[f64; 2]], step_deg: f64) -> Option<Lattice> {
        let low_deg = seen.iter().map(|[_, e]| *e).fold(f64::INFINITY, f64::min);
        let high_deg = seen.iter().map(|[_, e]| *e).fold(f64::NEG_INFINITY, f64::max);
        let across = (360.0 / step_deg).floor().max(1.0) as usize;
        let step_deg = 360.0 / across as f64;
        let up = ((high_deg - low_deg) / step_deg) as usize + 1;
        if across.checked_mul(up)? > PLACES_MAX {
            return None;
        }
        let mut counts = vec![0u32; across * up];
        for [azimuth, elevation] in seen {
            let x = (azimuth.rem_euclid(360.0) / step_deg) as usize % across;
            let y = (((elevation - low_deg) / step_deg) as usize).min(up - 1);
            counts[y * across + x] += 1;
        }
        let mut filled: Vec<u32> = counts.iter().copied().filter(|count| *count > 0).collect();
        filled.sort_unstable();
        let each = filled.get(filled.len() / 2).copied().unwrap_or(1) as usize;
        // A grid is dense where it was scanned at all.
        if filled.len() * 10 < counts.len() {
            return None;
        }
        // Towards the zenith cells get narrow: as many as the beams there would be.
        let mut directions = Vec::with_capacity(across * up);
        for y in 0..up {
            let elevation = low_deg + (y as f64 + 0.5) * step_deg;
            let every =
                (1.0 / math::cos(elevation.to_radians()).max(1e-3)).round().max(1.0) as usize;
            for x in 0..across {
                let direction = unit_of((x as f64 + 0.5) * step_deg, elevation);
                directions.push(if x % every == 0 { direction } else { DVec3::NAN });
            }
        }
        let places = Places::Bins { step_deg, low_deg, across, up };
        Some(Lattice { directions, each, places })
    }
}

/// Whether elevations stay within columns rather than within channels: drivers also write grids with a
/// line for each firing.
fn columns_keep_elevations(
    seen: &[[f64; 2]],
    at: &[[usize; 2]],
    channels: usize,
    columns: usize,
) -> bool {
    let scatter = |lines: usize, which: usize| {
        let mut sums = vec![[0.0; 3]; lines];
        for ([_, elevation], place) in seen.iter().zip(at) {
            let sum = &mut sums[place[which]];
            sum[0] += 1.0;
            sum[1] += elevation;
            sum[2] += elevation * elevation;
        }
        // Lines of a single beam do not scatter and tell nothing.
        let told = sums.iter().filter(|[n, ..]| *n > 1.0);
        let (n, square) = told.fold((0.0, 0.0), |(n, square), [m, sum, squares]| {
            (n + m - 1.0, square + squares - sum * sum / m)
        });
        if n > 0.0 { square / n } else { f64::INFINITY }
    };
    scatter(columns, 1) < 0.25 * scatter(channels, 0)
}
