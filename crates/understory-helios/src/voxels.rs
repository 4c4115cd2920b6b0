//! Cells: `.vox` files of plant area density, and point clouds that HELIOS++ makes cells of.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use understory_base::math;

use glam::DVec3;

use crate::HeliosError;

/// Most cells of a part.
const CELLS_MAX: usize = 4_000_000;
/// Longest line that is read.
const LINE_MAX: u64 = 1 << 16;

/// Cells of one size.
#[derive(Debug)]
pub struct Cells {
    /// Edge of a cell.
    pub edge_m: f64,
    /// Greatest density that the file names.
    pub density_max: Option<f64>,
    /// Middles, and plant area per volume; 1 for points.
    pub cells: Vec<(DVec3, f64)>,
}

/// Reads lines, each cut at [`LINE_MAX`].
fn lines(
    path: &Path,
    mut each: impl FnMut(usize, &str) -> Result<(), HeliosError>,
) -> Result<(), HeliosError> {
    let file = File::open(path).map_err(|error| HeliosError::read(path, error))?;
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let read = reader.by_ref().take(LINE_MAX).read_until(b'\n', &mut bytes);
        if read.map_err(|error| HeliosError::read(path, error))? == 0 {
            break;
        }
        each(number, String::from_utf8_lossy(&bytes).trim())?;
    }
    Ok(())
}

fn wrong(path: &Path, line: usize, problem: impl Into<String>, remedy: &str) -> HeliosError {
    HeliosError::invalid(format!("{}:{line}", path.display()), problem, remedy)
}

/// A voxel space as AMAPVox writes it: cells with a density above 0.
pub fn read_vox(path: &Path) -> Result<Cells, HeliosError> {
    let mut low = None;
    let mut high = None;
    let mut split = None;
    let mut edge = None;
    let mut density_max = None;
    let mut names: Option<Vec<String>> = None;
    let mut cells = Vec::new();
    lines(path, |number, line| {
        if line.starts_with('#') {
            for part in line.split('#').filter(|part| !part.trim().is_empty()) {
                let Some((key, value)) = part.split_once(':') else { continue };
                let numbers: Vec<f64> =
                    value.split_whitespace().map_while(|word| word.parse().ok()).collect();
                match (key.trim(), numbers.as_slice()) {
                    ("min_corner", [x, y, z]) => low = Some(DVec3::new(*x, *y, *z)),
                    ("max_corner", [x, y, z]) => high = Some(DVec3::new(*x, *y, *z)),
                    ("split", [x, y, z]) => split = Some(DVec3::new(*x, *y, *z)),
                    ("res", [size, ..]) => edge = Some(*size),
                    ("max_pad", [most]) => density_max = Some(*most),
                    _ => {}
                }
            }
            return Ok(());
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() || line.starts_with("VOXEL") {
            return Ok(());
        }
        let Some(names) = &names else {
            names = Some(words.iter().map(|&word| word.to_owned()).collect());
            return Ok(());
        };
        let column = names.iter().position(|name| name == "PadBVTotal").unwrap_or(3);
        let (Some(low), Some(edge)) = (low, edge) else {
            return Err(wrong(
                path,
                number,
                "min_corner and res are not known yet",
                "begin the file with them",
            ));
        };
        let part = |place: usize| words.get(place).and_then(|word| word.parse::<f64>().ok());
        let (Some(i), Some(j), Some(k), Some(density)) = (part(0), part(1), part(2), part(column))
        else {
            return Err(wrong(
                path,
                number,
                "a cell has no place or no PadBVTotal",
                "correct the line",
            ));
        };
        if density.is_finite() && density > 0.0 {
            if cells.len() == CELLS_MAX {
                return Err(wrong(
                    path,
                    number,
                    "4 million cells are read at most",
                    "use larger cells",
                ));
            }
            cells.push((low + (DVec3::new(i, j, k) + 0.5) * edge, density));
        }
        Ok(())
    })?;
    // Files without `res` have it by their corners.
    let by_corners = || Some((high? - low?).x / split?.x);
    let edge_m =
        edge.or_else(by_corners).filter(|edge| edge.is_finite() && (1e-4..1e4).contains(edge));
    match edge_m {
        Some(edge_m) if cells.iter().all(|(middle, _)| middle.is_finite()) => {
            Ok(Cells { edge_m, density_max, cells })
        }
        _ => Err(wrong(path, 1, "the size of its cells is not known", "give #res")),
    }
}

/// The cells in which a cloud of points has some.
pub fn read_points(path: &Path, separator: &str, edge_m: f64) -> Result<Cells, HeliosError> {
    let mut low = DVec3::INFINITY;
    let point = |number: usize, line: &str| -> Result<Option<DVec3>, HeliosError> {
        if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
            return Ok(None);
        }
        let cut: Vec<&str> = match separator.trim() {
            "" => line.split_whitespace().collect(),
            separator => line.split(separator).map(str::trim).collect(),
        };
        let part = |place: usize| cut.get(place).and_then(|word| word.parse::<f64>().ok());
        match (part(0), part(1), part(2)) {
            (Some(x), Some(y), Some(z)) if x.is_finite() && y.is_finite() && z.is_finite() => {
                Ok(Some(DVec3::new(x, y, z)))
            }
            _ => Err(wrong(
                path,
                number,
                "a point has no three coordinates",
                "correct the line or separator",
            )),
        }
    };
    lines(path, |number, line| {
        if let Some(at) = point(number, line)? {
            low = low.min(at);
        }
        Ok(())
    })?;
    let mut seen = BTreeSet::new();
    lines(path, |number, line| {
        if let Some(at) = point(number, line)? {
            let cell = ((at - low) / edge_m).floor();
            if cell.max_element() > 1e9 {
                return Err(wrong(
                    path,
                    number,
                    "voxelSize is too small for the cloud",
                    "raise it",
                ));
            }
            seen.insert([cell.z as i64, cell.y as i64, cell.x as i64]);
            if seen.len() > CELLS_MAX {
                return Err(wrong(
                    path,
                    number,
                    "4 million cells are made at most",
                    "raise voxelSize",
                ));
            }
        }
        Ok(())
    })?;
    let middle =
        |[z, y, x]: [i64; 3]| low + (DVec3::new(x as f64, y as f64, z as f64) + 0.5) * edge_m;
    let cells = seen.into_iter().map(|cell| (middle(cell), 1.0)).collect();
    Ok(Cells { edge_m, density_max: None, cells })
}

impl Cells {
    /// The cells in at most `classes` classes of density, each with its mean: what a class holds in
    /// sum is what its cells hold.
    pub fn by_density(&self, classes: usize) -> Vec<(f64, Vec<DVec3>)> {
        let logs = || self.cells.iter().map(|(_, density)| math::ln(*density));
        let (low, high) =
            logs().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        let mut found: Vec<(f64, Vec<DVec3>)> = vec![(0.0, Vec::new()); classes.max(1)];
        for (middle, density) in &self.cells {
            let share = if high > low { (math::ln(*density) - low) / (high - low) } else { 0.0 };
            let class = ((share * classes as f64) as usize).min(classes - 1);
            found[class].0 += density;
            found[class].1.push(*middle);
        }
        found.retain(|(_, middles)| !middles.is_empty());
        found.into_iter().map(|(sum, middles)| (sum / middles.len() as f64, middles)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_voxel_space_keeps_its_plant_area() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.vox");
        let text = "VOXEL SPACE\n#min_corner: 10 20 30\n#max_corner: 11 21 31\n#split: 2 2 2\n\
                    #res: 0.5 #max_pad: 5.0\ni j k PadBVTotal\n0 0 0 1.5\n1 0 0 0\n1 1 1 0.5\n0 1 0 NaN\n";
        fs::write(&path, text).unwrap();
        let cells = read_vox(&path).unwrap();
        assert_eq!((cells.edge_m, cells.density_max, cells.cells.len()), (0.5, Some(5.0), 2));
        assert_eq!(cells.cells[1].0, DVec3::new(10.75, 20.75, 30.75));
        for classes in [1, 2, 7] {
            let area: f64 =
                cells.by_density(classes).iter().map(|(mean, at)| mean * at.len() as f64).sum();
            assert!((area - 2.0).abs() < 1e-12);
        }
        fs::write(&path, "VOXEL SPACE\n0 0 0 1\n1 2 3 4\n").unwrap();
        assert!(read_vox(&path).unwrap_err().to_string().contains("a.vox:3"));
    }

    #[test]
    fn points_become_the_cells_that_hold_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.xyz");
        fs::write(&path, "//X,Y,Z\n0,0,0\n0.4,0.1,0\n2.5,0,0\n").unwrap();
        let cells = read_points(&path, ",", 1.0).unwrap();
        assert_eq!(cells.cells.len(), 2);
        assert_eq!(cells.cells[1].0, DVec3::new(2.5, 0.5, 0.5));
        assert!(read_points(&path, " ", 1.0).is_err());
    }
}
