//! Triangles of their own → triangles over shared vertices.
//!
//! The tracer gives the first corner of a triangle as it was and the others to the last bit of
//! f32. Corners nearer to each other than that error are one vertex; the first of them is kept.

use glam::Vec3;
use std::collections::HashMap;

/// Corners nearer than this part of the mesh's largest coordinate are one.
const TOLERANCE: f32 = 2.5e-7;
/// Side of a cell of the search, in tolerances: large, so that few corners are near its sides.
const CELL: f32 = 256.0;
const NONE: u32 = u32::MAX;

/// Shared vertices, and each triangle by their numbers. No more than 2³² − 2 corners are shared.
pub fn weld(triangles: &[[Vec3; 3]]) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let largest =
        triangles.as_flattened().iter().fold(0.0, |l: f32, p| l.max(p.abs().max_element()));
    let tolerance = (largest * TOLERANCE).max(f32::MIN_POSITIVE);
    let mut vertices = Vertices {
        tolerance,
        cell: tolerance * CELL,
        positions: Vec::new(),
        next: Vec::new(),
        first: HashMap::new(),
    };
    // First corners are exact: they are the ones to be kept.
    let firsts: Vec<u32> = triangles.iter().map(|corners| vertices.number(corners[0])).collect();
    let shared = triangles
        .iter()
        .zip(firsts)
        .map(|(corners, first)| [first, vertices.number(corners[1]), vertices.number(corners[2])])
        .collect();
    (vertices.positions.iter().map(Vec3::to_array).collect(), shared)
}

/// Vertices so far, in a grid: each cell is a chain from `first` through `next`.
struct Vertices {
    tolerance: f32,
    cell: f32,
    positions: Vec<Vec3>,
    next: Vec<u32>,
    first: HashMap<[i32; 3], u32>,
}

impl Vertices {
    /// Number of the vertex at this place, old or new.
    fn number(&mut self, place: Vec3) -> u32 {
        let low = self.cell_of(place - self.tolerance);
        let high = self.cell_of(place + self.tolerance);
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    if let Some(found) = self.find([x, y, z], place) {
                        return found;
                    }
                }
            }
        }
        let number = self.positions.len() as u32;
        let cell = self.cell_of(place);
        self.positions.push(place);
        self.next.push(self.first.insert(cell, number).unwrap_or(NONE));
        number
    }

    fn find(&self, cell: [i32; 3], place: Vec3) -> Option<u32> {
        let mut number = self.first.get(&cell).copied()?;
        while let Some(known) = self.positions.get(number as usize) {
            if (*known - place).abs().max_element() <= self.tolerance {
                return Some(number);
            }
            number = self.next.get(number as usize).copied()?;
        }
        None
    }

    fn cell_of(&self, place: Vec3) -> [i32; 3] {
        (place / self.cell).floor().to_array().map(|c| c as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_gets_its_vertices_back() {
        let at = |x: i32, y: i32| Vec3::new(x as f32 * 0.37 - 7.0, y as f32 * 0.37 - 7.0, 0.1);
        let mut triangles = Vec::new();
        for x in 0..40 {
            for y in 0..40 {
                let [a, b, c, d] = [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)];
                // As the tracer gives them: by a vertex and two edges.
                triangles.push([a, a + (b - a), a + (c - a)]);
                triangles.push([a, a + (c - a), a + (d - a)]);
            }
        }
        let (positions, shared) = weld(&triangles);
        assert_eq!(positions.len(), 41 * 41);
        for (corners, numbers) in triangles.iter().zip(&shared) {
            for (corner, &number) in corners.iter().zip(numbers) {
                assert!((Vec3::from(positions[number as usize]) - *corner).length() < 4e-6);
            }
        }
    }

    #[test]
    fn a_point_at_the_origin_is_no_trouble() {
        let (positions, shared) = weld(&[[Vec3::ZERO; 3]]);
        assert_eq!((positions, shared), (vec![[0.0; 3]], vec![[0; 3]]));
    }
}
