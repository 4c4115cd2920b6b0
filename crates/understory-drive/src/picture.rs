//! Cost maps to look at, like figure 10 of Goodin et al. (2018): grey, black is free, with the planned
//! path, the driven way and the vehicle.

use std::io::{self, Write};
use understory_base::math;

use crate::drive::Drive;
use crate::estimated_pose::on_map;
use crate::grid::Grid;
use crate::path::Path;
use understory::world::trajectory::Pose;

const PLANNED: [u8; 3] = [80, 200, 255];
const DRIVEN: [u8; 3] = [255, 200, 40];
const BEST: [u8; 3] = [90, 160, 90];
const VEHICLE: [u8; 3] = [255, 60, 60];
const GOAL: [u8; 3] = [60, 230, 90];

/// Pixels in red, green and blue, row by row from the north.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapPicture {
    /// Width and height.
    pub size: [u32; 2],
    /// Red, green and blue.
    pub rgb: Vec<u8>,
}

/// What is drawn on a map.
pub struct Drawn<'a> {
    /// Where the cells are.
    pub grid: Grid,
    /// Costs in percent, 255: unknown.
    pub costs: &'a [u8],
    /// The plan.
    pub planned: &'a Path,
    /// The driven way.
    pub driven: &'a Path,
    /// The best way on the true map.
    pub best: Option<&'a Path>,
    /// The vehicle's pose, and its length and width.
    pub vehicle: (Pose, [f64; 2]),
    /// The goal and its radius.
    pub goal: ([f64; 2], f64),
}

impl MapPicture {
    /// A picture with so many pixels a cell.
    pub fn draw(of: &Drawn<'_>, pixels: u32) -> MapPicture {
        let side = of.grid.side as u32 * pixels;
        let mut picture =
            MapPicture { size: [side, side], rgb: vec![0; side as usize * side as usize * 3] };
        for row in 0..side {
            for column in 0..side {
                let cell = [i64::from(column / pixels), i64::from((side - 1 - row) / pixels)];
                let cost = of.grid.cell(cell).and_then(|cell| of.costs.get(cell)).copied();
                let grey = match cost {
                    Some(cost @ 0..=100) => (u32::from(cost) * 255 / 100) as u8,
                    _ => 0,
                };
                picture.put([i64::from(column), i64::from(row)], [grey; 3]);
            }
        }
        if let Some(best) = of.best {
            picture.line(of.grid, pixels, best, BEST, 1);
        }
        picture.line(of.grid, pixels, of.planned, PLANNED, 1);
        picture.line(of.grid, pixels, of.driven, DRIVEN, 2);
        let (goal, radius) = of.goal;
        let circle = (0..=48).map(|i| f64::from(i) / 48.0 * std::f64::consts::TAU);
        let circle =
            circle.map(|a| [goal[0] + radius * math::cos(a), goal[1] + radius * math::sin(a)]);
        picture.line(of.grid, pixels, &Path { points_m: circle.collect() }, GOAL, 2);
        let (pose, [length, width]) = of.vehicle;
        let ([x, y], heading) = on_map(&pose);
        let (sin, cos) = math::sin_cos(heading);
        let corner = |ahead: f64, left: f64| {
            let (ahead, left) = (0.5 * length * ahead, 0.5 * width * left);
            [x + ahead * cos - left * sin, y + ahead * sin + left * cos]
        };
        let body = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (1.0, 1.0)];
        let body = Path { points_m: body.map(|(a, l)| corner(a, l)).to_vec() };
        picture.line(of.grid, pixels, &body, VEHICLE, 2);
        picture
    }

    /// What a drive has mapped until now.
    pub fn of(drive: &Drive, pixels: u32) -> MapPicture {
        let percent = |cost: &f32| if cost.is_nan() { 255 } else { cost.round() as u8 };
        let costs: Vec<u8> = drive.map.costs.iter().map(percent).collect();
        let planned = drive.plan.as_ref().map(|plan| plan.path.clone()).unwrap_or_default();
        let size = drive.spec.vehicle.size_m;
        MapPicture::draw(
            &Drawn {
                grid: drive.map.grid,
                costs: &costs,
                planned: &planned,
                driven: &drive.driven_path(),
                best: drive.best.as_ref(),
                vehicle: (drive.vehicle.pose, [size[0], size[1]]),
                goal: (drive.spec.goal_m, drive.spec.goal_radius_m),
            },
            pixels,
        )
    }

    fn put(&mut self, [column, row]: [i64; 2], colour: [u8; 3]) {
        let [width, height] = self.size.map(i64::from);
        if (0..width).contains(&column) && (0..height).contains(&row) {
            let at = 3 * (row * width + column) as usize;
            self.rgb[at..at + 3].copy_from_slice(&colour);
        }
    }

    fn line(&mut self, grid: Grid, pixels: u32, path: &Path, colour: [u8; 3], wide: i64) {
        let per_m = f64::from(pixels) / grid.cell_m;
        let height = f64::from(self.size[1]);
        let place =
            |[x, y]: [f64; 2]| [(x - grid.low_m[0]) * per_m, height - (y - grid.low_m[1]) * per_m];
        for pair in path.points_m.windows(2) {
            let (a, b) = (place(pair[0]), place(pair[1]));
            let steps = (b[0] - a[0]).abs().max((b[1] - a[1]).abs()).ceil().clamp(1.0, 1e5) as u32;
            for step in 0..=steps {
                let share = f64::from(step) / f64::from(steps);
                let at = [0, 1].map(|axis| (a[axis] + share * (b[axis] - a[axis])).floor() as i64);
                for (x, y) in (0..wide).flat_map(|x| (0..wide).map(move |y| (x, y))) {
                    self.put([at[0] + x, at[1] + y], colour);
                }
            }
        }
    }

    /// Writes a PNG.
    pub fn write_png(&self, file: impl Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(file, self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        writer.finish()?;
        Ok(())
    }
}
