//! What became of the beams beside one that was stopped: they stopped there too, went on, or never got
//! so far.
//!
//! A laser fires its pulses side by side, so the pulses before and after one are its neighbours in the
//! world, whatever the scan pattern. Of those that run within 30 cm of a return, the ones that ended
//! within 25 cm of its range were stopped by the same thing, the ones that ended behind it passed, and
//! the ones that ended before it say nothing.

use understory_cloud::Records;

/// Beams within this distance of a return are beside it.
const BESIDE_M: f32 = 0.3;
/// Returns whose ranges differ by less are of the same thing.
const DEPTH_M: f32 = 0.25;
/// Beams that are looked at on each side; of closer ones each n-th.
const EACH_SIDE: usize = 8;

/// One pulse of a laser.
#[derive(Clone, Copy)]
struct Beam {
    /// Its first row, and how many it has.
    row: usize,
    rows: usize,
    /// Range of its last return; infinite without one.
    end_m: f32,
    along: [f32; 3],
}

/// How many beams beside a return were stopped with it and how many passed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Beside {
    /// Those that were stopped, without the one itself.
    pub stopped: u32,
    /// Those that passed; the one itself, if it has a return farther away.
    pub passed: u32,
}

/// The pulses of a period by sensor and laser, in the order in which they were fired.
#[derive(Default)]
pub struct Beams {
    lasers: Vec<Vec<Vec<Beam>>>,
}

impl Beams {
    /// Sorts the rows of a period.
    pub fn take(&mut self, rows: &Records) {
        self.lasers.iter_mut().flatten().for_each(Vec::clear);
        let mut row = 0;
        while row < rows.len() {
            let (sensor, pulse) = (rows.sensor[row], rows.pulse[row]);
            let same = |next: &usize| rows.sensor[*next] == sensor && rows.pulse[*next] == pulse;
            let end = row + (row..rows.len()).take_while(same).count();
            let last_m = match rows.is_miss(row) {
                true => f32::INFINITY,
                false => rows.range_m[row..end].iter().copied().fold(0.0, f32::max),
            };
            let (sensor, laser) = (usize::from(sensor), usize::from(rows.channel[row]));
            if self.lasers.len() <= sensor {
                self.lasers.resize_with(sensor + 1, Vec::new);
            }
            let lasers = &mut self.lasers[sensor];
            if lasers.len() <= laser {
                lasers.resize_with(laser + 1, Vec::new);
            }
            let along = rows.direction_xyz[row];
            lasers[laser].push(Beam { row, rows: end - row, end_m: last_m, along });
            row = end;
        }
    }

    /// Tells every return that `wanted` lets through, with what became of the beams beside it.
    pub fn for_each_return(
        &self,
        rows: &Records,
        mut wanted: impl FnMut(usize) -> bool,
        mut tell: impl FnMut(usize, Beside),
    ) {
        for beams in self.lasers.iter().flatten() {
            for (number, beam) in beams.iter().enumerate().filter(|(_, b)| b.end_m.is_finite()) {
                for row in beam.row..beam.row + beam.rows {
                    if wanted(row) {
                        tell(row, beside(rows, beams, number, rows.range_m[row]));
                    }
                }
            }
        }
    }
}

/// The beams beside that of this number, at a range.
fn beside(rows: &Records, beams: &[Beam], number: usize, range_m: f32) -> Beside {
    let own = &beams[number];
    let mut beside = Beside { stopped: 0, passed: u32::from(own.end_m > range_m + DEPTH_M) };
    let next = beams.get(number + 1).or_else(|| beams.get(number.wrapping_sub(1)));
    let spacing_m = next.map_or(BESIDE_M, |next| range_m * apart(own, next));
    let stride = (BESIDE_M / (EACH_SIDE as f32 * spacing_m).max(1e-6)).max(1.0) as usize;
    let mut look = |other: &Beam| {
        let is_beside = range_m * apart(own, other) <= BESIDE_M;
        if is_beside && stops(rows, other, range_m) {
            beside.stopped += 1;
        } else if is_beside && other.end_m > range_m {
            beside.passed += 1;
        }
        is_beside
    };
    for step in 1..=EACH_SIDE {
        if !beams.get(number + step * stride).is_some_and(&mut look) {
            break;
        }
    }
    for step in 1..=EACH_SIDE.min(number / stride) {
        if !look(&beams[number - step * stride]) {
            break;
        }
    }
    beside
}

/// Whether one of its returns is at this range.
fn stops(rows: &Records, beam: &Beam, range_m: f32) -> bool {
    let here = |range: &f32| (range - range_m).abs() <= DEPTH_M;
    match beam.rows {
        1 => here(&beam.end_m),
        _ => rows.range_m[beam.row..beam.row + beam.rows].iter().any(here),
    }
}

/// Distance of two directions.
fn apart(a: &Beam, b: &Beam) -> f32 {
    let square = |axis: usize| (a.along[axis] - b.along[axis]).powi(2);
    (square(0) + square(1) + square(2)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_cloud::Record;

    /// Beams of one laser 4 cm apart at 10 m: which are stopped there, behind it, before it, nowhere.
    #[test]
    fn beams_beside_are_counted_by_where_they_end() {
        let ends = |pulse: usize| match pulse {
            48 | 53 => Some(4.0),
            50 => Some(10.0),
            49 => Some(10.2),
            55 => Some(9.8),
            51 => None,
            _ => Some(30.0),
        };
        let rows = |scale: f32| {
            let mut rows = Records::default();
            for pulse in 0..100usize {
                let angle = 0.004 * pulse as f32;
                // Another laser fires in between and is no neighbour.
                for channel in 0..2u16 {
                    let end = ends(pulse).filter(|_| channel == 0);
                    rows.push(Record {
                        pulse: 2 * pulse as u64 + u64::from(channel),
                        channel,
                        direction_xyz: [angle.cos(), angle.sin(), 0.0],
                        range_m: end.map_or(f32::NAN, |end| scale * end),
                        return_number: u8::from(end.is_some()),
                        return_count: u8::from(end.is_some()),
                        ..Record::miss()
                    });
                }
            }
            rows
        };
        let beside = |scale: f32| {
            let rows = rows(scale);
            let mut beams = Beams::default();
            beams.take(&rows);
            let mut told = Vec::new();
            beams.for_each_return(&rows, |row| row == 100, |_, beside| told.push(beside));
            told
        };
        // Seven on each side are within 30 cm; two end with it and two before it.
        assert_eq!(beside(1.0), [Beside { stopped: 2, passed: 10 }]);
        // Twice as far three on each side are, of which two end before it; 20.4 m is behind 20 m.
        assert_eq!(beside(2.0), [Beside { stopped: 0, passed: 4 }]);
        // Near by each fourth of 37 on each side is looked at, and none of those ends.
        assert_eq!(beside(0.2), [Beside { stopped: 0, passed: 16 }]);
    }

    /// A pulse with two returns passes at the first and is stopped at the second.
    #[test]
    fn light_that_went_on_passed() {
        let mut rows = Records::default();
        for (number, range_m) in [(1, 8.0), (2, 12.0)] {
            rows.push(Record {
                return_number: number,
                return_count: 2,
                range_m,
                direction_xyz: [1.0, 0.0, 0.0],
                ..Record::miss()
            });
        }
        let mut beams = Beams::default();
        beams.take(&rows);
        let mut told = Vec::new();
        beams.for_each_return(&rows, |_| true, |_, beside| told.push(beside.passed));
        assert_eq!(told, [1, 0]);
    }
}
