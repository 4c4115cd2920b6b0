//! Arguments of verbs that tell something of voxels, and the files that they write.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Result;
use glam::DVec3;
use understory_cloud::{VoxelColumn, VoxelGrid, check_voxel_file, check_writable, write_voxels};
use understory_view::figures::{Figure, HeatMap, HeatMaps, Panel, Series};
use understory_view::plot::{Plot, write_png};

use crate::numbers::Numbers;
use crate::outputs::NewFolder;
use crate::report::{shown, usage};

/// Which voxels, and where they are written.
#[derive(clap::Args)]
pub struct VoxelArguments {
    /// Edge of the voxels in metres, or their edges along x, y and z
    #[arg(long, value_name = "METRES", default_value = "0.5")]
    cell: CellSize,
    /// Only this box: x,y,z of its lower and of its upper corner [default: around all plants]
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    region: Option<Numbers<6>>,
    /// Write the voxels: .csv or .npy with all columns, or a cloud in any format of points; may be
    /// given several times
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Write the profile over height as CSV
    #[arg(long, value_name = "FILE.csv")]
    profile: Option<PathBuf>,
    /// Draw profile and map as PNG into FOLDER
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
}

/// `0.5` or `1,1,0.5`.
#[derive(Clone, Copy)]
struct CellSize([f64; 3]);

impl FromStr for CellSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            Ok(edge) => Ok(CellSize([edge; 3])),
            Err(_) => Numbers::<3>::from_str(text)
                .map(|edges| CellSize(edges.0))
                .map_err(|_| "give one edge in metres, or three with commas".to_owned()),
        }
    }
}

impl VoxelArguments {
    /// Edges of the voxels.
    pub fn cell_m(&self) -> [f64; 3] {
        self.cell.0
    }

    /// The box, checked.
    pub fn region(&self) -> Result<Option<[DVec3; 2]>> {
        let Some(Numbers([a, b, c, d, e, f])) = self.region else { return Ok(None) };
        let corners = [DVec3::new(a, b, c), DVec3::new(d, e, f)];
        if !corners[0].cmplt(corners[1]).all() {
            return Err(usage(
                "--region is no box; give x,y,z of its lower and of its upper corner",
            ));
        }
        Ok(Some(corners))
    }

    /// Refuses files that could not be written.
    pub fn check(&self) -> Result<()> {
        for path in &self.output {
            check_voxel_file(path)?;
        }
        self.profile.as_deref().map_or(Ok(()), check_writable)?;
        Ok(())
    }

    /// Writes what was asked for; returns what was written, a line each.
    pub fn write(&self, told: &Told<'_>) -> Result<String> {
        let mut written = Vec::new();
        for path in &self.output {
            written.push(write_voxels(path, told.grid, &told.columns, 0)?);
        }
        if let Some(path) = &self.profile {
            written.push(write_table(path, &told.profile_head, &told.profile)?);
        }
        if let Some(folder) = &self.pictures {
            let made = NewFolder::create(folder)?;
            written.push(write_png(Plot::Figure(&told.figure()), folder)?);
            written.push(write_png(Plot::Maps(&told.maps()), folder)?);
            made.keep();
        }
        Ok(written.iter().map(|path| format!("wrote {}\n", shown(path))).collect())
    }
}

/// What is told of voxels.
pub struct Told<'a> {
    /// Begins the names of pictures.
    pub name: &'a str,
    pub grid: &'a VoxelGrid,
    /// Columns of voxels; the first is what clouds show.
    pub columns: Vec<VoxelColumn>,
    /// Names of the columns of the profile; the first is the height.
    pub profile_head: Vec<&'static str>,
    /// Its rows.
    pub profile: Vec<Vec<f64>>,
    /// What the picture of the profile shows: a column of the profile and its name.
    pub lines: Vec<(usize, &'static str)>,
    /// Maps of columns of voxels, x by y: title and values.
    pub maps: Vec<(&'static str, Vec<f64>)>,
}

impl Told<'_> {
    fn figure(&self) -> Figure {
        let line = |&(column, name): &(usize, &'static str)| {
            let points = self.profile.iter().map(|row| [row[column], row[0]]);
            Series::line(name, points.filter(|[x, _]| x.is_finite()).collect())
        };
        let series = self.lines.iter().map(line).collect();
        Figure::new(
            format!("{}-profile", self.name),
            format!("{}: profile", self.name),
            ["density (m²/m³)", "height (m)"],
            vec![Panel { title: String::new(), series }],
        )
    }

    fn maps(&self) -> HeatMaps {
        let grid = self.grid;
        let [nx, ny, _] = grid.counts.map(|n| n as usize);
        let (low, high) = (grid.low(), grid.high());
        let map = |(title, values): &(&'static str, Vec<f64>)| {
            let at = |(y, x): (usize, usize)| values.get(x * ny + y).copied().unwrap_or(0.0);
            HeatMap {
                title: (*title).to_owned(),
                x_label: "x (m)".to_owned(),
                y_label: "y (m)".to_owned(),
                x: [low.x, high.x],
                y: [low.y, high.y],
                columns: nx,
                values: (0..ny).flat_map(|y| (0..nx).map(move |x| (y, x))).map(at).collect(),
            }
        };
        HeatMaps {
            name: format!("{}-map", self.name),
            title: format!("{}: map", self.name),
            maps: self.maps.iter().map(map).collect(),
        }
    }
}

/// Writes rows of numbers as CSV.
pub fn write_table(path: &Path, head: &[&str], rows: &[Vec<f64>]) -> Result<PathBuf> {
    let mut text = head.join(",");
    text.push('\n');
    for row in rows {
        let cells: Vec<String> = row.iter().map(|value| cell(*value)).collect();
        text += &cells.join(",");
        text.push('\n');
    }
    understory_cloud::write_whole(path, text.as_bytes())?;
    Ok(path.to_path_buf())
}

fn cell(value: f64) -> String {
    if value.is_nan() { "nan".to_owned() } else { value.to_string() }
}
