//! Poisson-disc sampling: places at random, no two nearer than a distance (Bridson 2007).
//!
//! A grid whose cells hold one place each finds neighbours at once. From a random active place, 30
//! candidates are tried in the ring from r to 2r around it; if none fits, it is no longer active.

use glam::DVec2;
use std::f64::consts::{SQRT_2, TAU};
use understory_plants::Random;

/// Candidates around each active place; Bridson's k.
const CANDIDATES: usize = 30;

const EMPTY: u32 = u32::MAX;

/// Places in the box from 0 to `size`, no two nearer than `spacing`.
pub fn sample(size: DVec2, spacing: f64, random: &mut Random) -> Vec<DVec2> {
    let mut field = Field::new(size, spacing);
    field.add(DVec2::new(random.unit(), random.unit()) * size);
    let mut active = vec![0usize];
    while !active.is_empty() {
        let pick = (random.unit() * active.len() as f64) as usize;
        let from = field.places[active[pick]];
        let found = (0..CANDIDATES).find_map(|_| {
            // Uniform by area in the ring.
            let radius = spacing * (1.0 + 3.0 * random.unit()).sqrt();
            let candidate = from + DVec2::from_angle(random.unit() * TAU) * radius;
            field.is_free(candidate).then_some(candidate)
        });
        match found {
            Some(place) => {
                active.push(field.places.len());
                field.add(place);
            }
            None => {
                active.swap_remove(pick);
            }
        }
    }
    field.places
}

struct Field {
    size: DVec2,
    spacing: f64,
    cell: f64,
    columns: usize,
    rows: usize,
    cells: Vec<u32>,
    places: Vec<DVec2>,
}

impl Field {
    fn new(size: DVec2, spacing: f64) -> Field {
        let cell = spacing / SQRT_2;
        let (columns, rows) = ((size.x / cell) as usize + 1, (size.y / cell) as usize + 1);
        let cells = vec![EMPTY; columns * rows];
        Field { size, spacing, cell, columns, rows, cells, places: Vec::new() }
    }

    fn cell_of(&self, place: DVec2) -> (usize, usize) {
        let cell = place / self.cell;
        ((cell.x as usize).min(self.columns - 1), (cell.y as usize).min(self.rows - 1))
    }

    fn add(&mut self, place: DVec2) {
        let (column, row) = self.cell_of(place);
        self.cells[row * self.columns + column] = self.places.len() as u32;
        self.places.push(place);
    }

    fn is_free(&self, place: DVec2) -> bool {
        if place.cmplt(DVec2::ZERO).any() || place.cmpgt(self.size).any() {
            return false;
        }
        let (column, row) = self.cell_of(place);
        let near = |i: usize, count: usize| i.saturating_sub(2)..=(i + 2).min(count - 1);
        near(row, self.rows).all(|r| {
            near(column, self.columns).all(|c| {
                let other = self.cells[r * self.columns + c];
                other == EMPTY || self.places[other as usize].distance(place) >= self.spacing
            })
        })
    }
}
