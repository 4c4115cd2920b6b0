//! Voxels: a grid of boxes in the world, and columns of numbers over it as files.
//!
//! What enters: a box, the edges of its voxels, and for each column one value per voxel, z fastest,
//! then y, then x. What leaves: a CSV or NPY file with a row per voxel, so that
//! `a["leaf_area_density_m2_m3"].reshape(nx, ny, nz)` is the grid, or a cloud in any format that
//! holds points, with the middle of each voxel that has some of what is shown and its share of the
//! largest value as intensity. NaN is a value that nobody knows.

use crate::format::array_header;
use crate::{CloudError, OutputFormat, Record, Records, SinkOptions, StagedFile, open_sink};
use glam::DVec3;
use npyz::{DType, Field, TypeStr};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use understory_base::math;

/// Most voxels of a grid: sums over them fit into 2 GB.
pub const VOXELS_MAX: u64 = 1 << 24;

/// Voxels that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{problem}; {remedy}")]
pub struct VoxelError {
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub remedy: String,
}

/// Boxes of one size side by side.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct VoxelGrid {
    /// Lowest corner.
    pub low_m: [f64; 3],
    /// Edges of a voxel.
    pub cell_m: [f64; 3],
    /// Voxels along x, y and z.
    pub counts: [u32; 3],
}

impl VoxelGrid {
    /// Voxels that fill a box from its lowest corner on; the last ones may reach beyond it.
    pub fn covering(low: DVec3, high: DVec3, cell_m: [f64; 3]) -> Result<VoxelGrid, VoxelError> {
        let refused =
            |problem: String, remedy: &str| Err(VoxelError { problem, remedy: remedy.to_owned() });
        if let Some(cell) = cell_m.iter().find(|cell| !(cell.is_finite() && **cell > 0.0)) {
            return refused(
                format!("voxels of {cell} m have no size"),
                "give an edge above 0, such as 0.5",
            );
        }
        if !(low.is_finite() && high.is_finite() && low.cmplt(high).all()) {
            return refused(
                format!("the region from {low} to {high} is no box"),
                "give its lowest and then its highest corner",
            );
        }
        let along = |axis: usize| ((high[axis] - low[axis]) / cell_m[axis] - 1e-6).ceil().max(1.0);
        let counts = [0, 1, 2].map(along);
        let all: f64 = counts.iter().product();
        if all > VOXELS_MAX as f64 {
            let [x, y, z] = counts;
            let larger = cell_m[0] * math::cbrt(all / VOXELS_MAX as f64) * 1.01;
            return refused(
                format!("a grid of {x} × {y} × {z} voxels has more than {VOXELS_MAX}"),
                &format!("choose voxels of {larger:.2} m or more, or a smaller region"),
            );
        }
        Ok(VoxelGrid { low_m: low.to_array(), cell_m, counts: counts.map(|n| n as u32) })
    }

    /// The same around a box, with corners at whole numbers of voxels, so that grids over other boxes
    /// of the same world have the same voxels.
    pub fn around(low: DVec3, high: DVec3, cell_m: [f64; 3]) -> Result<VoxelGrid, VoxelError> {
        let cell = DVec3::from(cell_m);
        let usable = cell.is_finite() && cell.cmpgt(DVec3::ZERO).all();
        // What lies in the last plane belongs to the voxel behind it.
        let (low, high) = match usable && low.is_finite() && high.is_finite() {
            true => ((low / cell).floor() * cell, ((high / cell).floor() + 1.0) * cell),
            false => (low, high),
        };
        VoxelGrid::covering(low, high, cell_m)
    }

    /// How many voxels there are.
    pub fn len(&self) -> usize {
        self.counts.iter().map(|n| *n as usize).product()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lowest corner.
    pub fn low(&self) -> DVec3 {
        DVec3::from(self.low_m)
    }

    /// Highest corner.
    pub fn high(&self) -> DVec3 {
        let counts = DVec3::from(self.counts.map(f64::from));
        self.low() + counts * DVec3::from(self.cell_m)
    }

    /// Volume of a voxel.
    pub fn cell_volume_m3(&self) -> f64 {
        self.cell_m.iter().product()
    }

    /// Ground that a column of voxels covers.
    pub fn column_area_m2(&self) -> f64 {
        self.cell_m[0] * self.cell_m[1]
    }

    /// Ground that the grid covers.
    pub fn ground_area_m2(&self) -> f64 {
        self.column_area_m2() * f64::from(self.counts[0]) * f64::from(self.counts[1])
    }

    /// Place of a voxel in columns.
    pub fn index(&self, [x, y, z]: [u32; 3]) -> usize {
        (x as usize * self.counts[1] as usize + y as usize) * self.counts[2] as usize + z as usize
    }

    /// The voxel at a place in columns.
    pub fn voxel(&self, index: usize) -> [u32; 3] {
        let [_, ny, nz] = self.counts.map(|n| n as usize);
        [index / (ny * nz), index / nz % ny, index % nz].map(|n| n as u32)
    }

    /// Middle of a voxel.
    pub fn centre(&self, voxel: [u32; 3]) -> DVec3 {
        self.low() + (DVec3::from(voxel.map(f64::from)) + 0.5) * DVec3::from(self.cell_m)
    }
}

/// One value for each voxel.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelColumn {
    /// Its name in files, with its unit.
    pub name: &'static str,
    /// Values; NaN: not known.
    pub values: Vec<f64>,
}

/// Names of the columns that say where a voxel is.
const PLACE: [&str; 6] = ["ix", "iy", "iz", "x_m", "y_m", "z_m"];

/// Refuses a file whose name says no form of voxels, before work is spent on it.
pub fn check_voxel_file(path: &Path) -> Result<(), CloudError> {
    if !is_table(path) {
        OutputFormat::from_path(path)?;
    }
    crate::check_writable(path)
}

fn is_table(path: &Path) -> bool {
    matches!(ending(path).as_str(), "csv" | "npy")
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Writes columns over a grid: a table of all voxels where `path` ends in `.csv` or `.npy`, else a
/// cloud of those in which the column `shown` is above 0.
pub fn write_voxels(
    path: &Path,
    grid: &VoxelGrid,
    columns: &[VoxelColumn],
    shown: usize,
) -> Result<PathBuf, CloudError> {
    if !is_table(path) {
        return write_cloud(
            path,
            grid,
            columns.get(shown).map_or(&[][..], |column| column.values.as_slice()),
        );
    }
    let mut file = StagedFile::create(path)?;
    let written = match ending(path).as_str() {
        "csv" => write_csv(&mut file, grid, columns),
        _ => write_npy(&mut file, grid, columns),
    };
    written.map_err(|error| file.failed(error))?;
    file.publish()
}

fn write_csv(file: &mut impl Write, grid: &VoxelGrid, columns: &[VoxelColumn]) -> io::Result<()> {
    let names: Vec<&str> = PLACE.into_iter().chain(columns.iter().map(|c| c.name)).collect();
    writeln!(file, "{}", names.join(","))?;
    for index in 0..grid.len() {
        let voxel = grid.voxel(index);
        let ([ix, iy, iz], centre) = (voxel, grid.centre(voxel));
        write!(file, "{ix},{iy},{iz},{},{},{}", centre.x, centre.y, centre.z)?;
        for column in columns {
            match column.values.get(index) {
                Some(value) if value.is_finite() => write!(file, ",{value}")?,
                _ => write!(file, ",nan")?,
            }
        }
        writeln!(file)?;
    }
    Ok(())
}

fn write_npy(file: &mut impl Write, grid: &VoxelGrid, columns: &[VoxelColumn]) -> io::Result<()> {
    let field = |name: &str, code: &str| {
        let dtype = DType::Plain(code.parse::<TypeStr>().ok()?);
        Some(Field { name: name.to_owned(), dtype })
    };
    let place = PLACE.into_iter().enumerate();
    let place = place.filter_map(|(i, name)| field(name, if i < 3 { "<u4" } else { "<f8" }));
    let fields = place.chain(columns.iter().filter_map(|c| field(c.name, "<f8"))).collect();
    file.write_all(&array_header(&DType::Record(fields).descr(), grid.len() as u64, 0))?;
    for index in 0..grid.len() {
        let voxel = grid.voxel(index);
        for place in voxel {
            file.write_all(&place.to_le_bytes())?;
        }
        let values = columns.iter().map(|c| c.values.get(index).copied().unwrap_or(f64::NAN));
        for value in grid.centre(voxel).to_array().into_iter().chain(values) {
            file.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}

fn write_cloud(path: &Path, grid: &VoxelGrid, values: &[f64]) -> Result<PathBuf, CloudError> {
    const BATCH: usize = 1 << 16;
    let largest = values.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
    let mut sink = open_sink(path, OutputFormat::from_path(path)?, &SinkOptions::default())?;
    let mut batch = Records::default();
    for (index, value) in values.iter().enumerate().filter(|(_, value)| **value > 0.0) {
        let at = grid.centre(grid.voxel(index));
        batch.push(Record {
            time_s: 0.0,
            pulse: index as u64,
            return_number: 1,
            return_count: 1,
            intensity: (value / largest) as f32,
            world_xyz_m: at.to_array(),
            ..Record::miss()
        });
        if batch.len() == BATCH {
            sink.write(&batch)?;
            batch.clear();
        }
    }
    sink.write(&batch)?;
    let report = sink.finish()?;
    Ok(report.paths.into_iter().next().unwrap_or_else(|| path.to_path_buf()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, Recording};

    fn grid() -> VoxelGrid {
        VoxelGrid::around(DVec3::new(-0.2, 0.1, 0.0), DVec3::new(0.9, 0.9, 1.4), [0.5; 3]).unwrap()
    }

    #[test]
    fn a_grid_is_around_its_box_on_whole_voxels() {
        let grid = grid();
        assert_eq!((grid.low_m, grid.counts), ([-0.5, 0.0, 0.0], [3, 2, 3]));
        for index in 0..grid.len() {
            assert_eq!(grid.index(grid.voxel(index)), index);
        }
        assert_eq!(grid.centre([2, 1, 0]), DVec3::new(0.75, 0.75, 0.25));
        assert_eq!((grid.ground_area_m2(), grid.cell_volume_m3()), (1.5, 0.125));
        let exact = VoxelGrid::covering(DVec3::ZERO, DVec3::new(0.3, 0.7, 1.0), [0.1; 3]);
        assert_eq!(exact.unwrap().counts, [3, 7, 10]);
    }

    #[test]
    fn voxels_that_cannot_be_are_refused() {
        let refused = |high: f64, cell: f64| {
            let grid = VoxelGrid::covering(DVec3::ZERO, DVec3::splat(high), [cell; 3]);
            grid.unwrap_err().to_string()
        };
        assert!(refused(1.0, 0.0).contains("have no size"));
        assert!(refused(1.0, f64::NAN).contains("have no size"));
        assert!(refused(0.0, 1.0).contains("is no box"));
        assert!(refused(f64::INFINITY, 1.0).contains("is no box"));
        let many = refused(1e9, 1e-3);
        assert!(many.contains("more than 16777216") && many.contains("choose voxels of"), "{many}");
        let around = VoxelGrid::around(DVec3::ZERO, DVec3::ONE, [0.0; 3]);
        assert!(around.unwrap_err().to_string().contains("have no size"));
    }

    #[test]
    fn tables_and_clouds_hold_the_values() {
        let folder = tempfile::tempdir().unwrap();
        let grid = grid();
        let values: Vec<f64> =
            (0..grid.len()).map(|i| if i == 4 { f64::NAN } else { i as f64 }).collect();
        let columns = [VoxelColumn { name: "density", values }];
        let at = |name: &str| folder.path().join(name);
        write_voxels(&at("a.csv"), &grid, &columns, 0).unwrap();
        let text = std::fs::read_to_string(at("a.csv")).unwrap();
        assert_eq!(text.lines().count(), 1 + grid.len());
        assert_eq!(text.lines().nth(5), Some("0,1,1,-0.25,0.75,0.75,nan"));
        write_voxels(&at("a.npy"), &grid, &columns, 0).unwrap();
        let npy = npyz::NpyFile::new(std::fs::File::open(at("a.npy")).unwrap()).unwrap();
        assert_eq!(npy.shape(), [grid.len() as u64]);
        // Three whole numbers and four doubles a row.
        assert_eq!(std::fs::metadata(at("a.npy")).unwrap().len() % 64, (44 * 18) % 64);
        write_voxels(&at("a.ply"), &grid, &columns, 0).unwrap();
        let mut read = Recording::open(&at("a.ply"), &ReadOptions::default()).unwrap();
        let mut batch = Records::default();
        assert!(read.next_batch(&mut batch).unwrap());
        assert_eq!(batch.len(), grid.len() - 2);
        assert_eq!(batch.world_xyz_m[0], grid.centre(grid.voxel(1)).to_array());
        assert!((batch.intensity.last().unwrap() - 1.0).abs() < 1e-6);
        assert!(check_voxel_file(&at("a.nonsense")).is_err());
    }
}
