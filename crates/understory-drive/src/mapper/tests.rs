use super::*;
use understory_cloud::Record;

fn setting() -> MapperSetting {
    MapperSetting {
        grid: Grid::about([0.0, 0.0], 0.5, 80),
        height_max_m: 1.5,
        clearance_m: 0.25,
        vehicle_height_m: 1.8,
        sensor_heights_m: vec![2.0],
    }
}

/// A row of a sensor 2 m above ground of height `ground`, whose beam ends at a place.
fn row(pulse: u64, ground: f64, at: [f64; 3], label: u16) -> Record {
    let from = [0.0, 0.0, 2.0 + ground];
    let line = [0, 1, 2].map(|axis| at[axis] - from[axis]);
    let range = line.iter().map(|c| c * c).sum::<f64>().sqrt();
    Record {
        pulse,
        return_number: 1,
        return_count: 1,
        range_m: range as f32,
        world_xyz_m: at,
        origin_xyz_m: from,
        direction_xyz: line.map(|c| (c / range) as f32),
        label,
        object: 1,
        ..Record::miss()
    }
}

fn map_of(name: MapperName, rows: &[Record]) -> CostMap {
    let mut records = Records::default();
    rows.iter().for_each(|row| records.push(*row));
    let mut mapper = new(name, setting());
    // In two parts, as periods bring them.
    let half = records.len() / 2;
    mapper.take(&records.rows(0..half));
    mapper.take(&records.rows(half..records.len()));
    let mut map = CostMap::unknown(setting().grid);
    mapper.update(&mut map);
    map
}

fn cost_at(map: &CostMap, at_m: [f64; 2]) -> f32 {
    map.costs[map.grid.cell_at(at_m).unwrap()]
}

/// Equation 8 by hand, on ground that is not at 0.
#[test]
fn heights_cost_as_equation_8_says_and_the_costliest_counts() {
    let ground = 40.0;
    let rows = [
        row(0, ground, [5.1, 0.1, ground + 0.3], 70),
        row(1, ground, [5.2, 0.1, ground + 0.6], 70),
        row(2, ground, [8.1, 0.1, ground + 9.0], 70),
        row(3, ground, [9.1, 0.1, ground - 0.5], 72),
        row(4, ground, [500.0, 0.1, ground], 72),
        Record::miss(),
    ];
    let map = map_of(MapperName::Height, &rows);
    for (x, expected) in [(5.1, 40.0), (8.1, 100.0), (9.1, 0.0)] {
        assert!((cost_at(&map, [x, 0.1]) - expected).abs() < 1e-4, "{x}");
    }
    assert_eq!(map.known().count(), 3);
}

/// On a slope of 20 % the ground costs nothing, a bush its height, and a branch above nothing.
#[test]
fn on_a_slope_the_ground_is_found() {
    let slope = |x: f64| 0.2 * x;
    let mut rows: Vec<Record> = (0..60)
        .flat_map(|i| (-3..=3).map(move |j| (f64::from(i) * 0.25 - 5.0, f64::from(j) * 0.25)))
        .enumerate()
        .map(|(pulse, (x, y))| row(pulse as u64, 0.0, [x, y, slope(x)], 72))
        .collect();
    rows.push(row(900, 0.0, [6.1, 0.1, slope(6.1) + 0.9], 70));
    rows.push(row(901, 0.0, [8.1, 0.1, slope(8.1) + 2.4], 70));
    let map = map_of(MapperName::Ground, &rows);
    assert_eq!(cost_at(&map, [3.1, 0.1]), 0.0);
    assert_eq!(cost_at(&map, [8.1, 0.1]), 0.0);
    let bush = cost_at(&map, [6.1, 0.1]);
    assert!((bush - 60.0).abs() < 10.0, "{bush}");
    // Equation 8 alone takes the hill for an obstacle.
    let flat = map_of(MapperName::Height, &rows);
    assert!(cost_at(&flat, [8.6, 0.1]) > 90.0);
}

/// Beams towards a rock 10 m away: of those that come to the cell at 6 m every fourth is stopped, of
/// those that come to 10 m all are, at several heights.
fn grass_before_a_rock() -> Vec<Record> {
    let mut rows = Vec::new();
    for pulse in 0..240u64 {
        let y = 0.01 + 0.001 * (pulse % 60) as f64;
        let stopped = pulse % 4 == 0;
        let top = 0.35 + 0.1 * (pulse / 60) as f64;
        let at_6 = 2.0 - (2.0 - top) * 0.62;
        let at = if stopped { [6.2, 0.62 * y, at_6] } else { [10.0, y, top] };
        rows.push(row(pulse, 0.0, at, if stopped { 70 } else { 52 }));
        rows.push(row(1000 + pulse, 0.0, [6.2, 0.2, 0.0], 72));
        rows.push(row(2000 + pulse, 0.0, [9.9, 0.2, 0.0], 72));
    }
    rows
}

#[test]
fn what_light_passes_is_no_obstacle() {
    let rows = grass_before_a_rock();
    let map = map_of(MapperName::Penetration, &rows);
    let (grass, rock) = (cost_at(&map, [6.2, 0.1]), cost_at(&map, [10.0, 0.1]));
    assert!(grass > 0.0 && grass < 20.0 && rock == 100.0, "{grass} {rock}");
    // Equation 8 thinks the grass worse than the rock.
    let heights = map_of(MapperName::Height, &rows);
    assert!(cost_at(&heights, [6.2, 0.1]) > cost_at(&heights, [10.0, 0.1]));
    let oracle = map_of(MapperName::Oracle, &rows);
    assert_eq!((cost_at(&oracle, [6.2, 0.1]), cost_at(&oracle, [10.0, 0.1])), (0.0, 100.0));
}

/// A beam is followed through the voxels that it really goes through: by sampling it finely. Cells in
/// which something was seen have a cost.
#[test]
fn beams_are_followed_through_all_their_cells() {
    let grid = setting().grid;
    for (angle, drop) in [(0.3f64, 0.05), (2.0, 0.1), (-1.2, 0.02), (-2.9, 0.08), (0.0, 0.1)] {
        let along = [angle.cos(), angle.sin(), -drop];
        let length = along.iter().map(|c| c * c).sum::<f64>().sqrt();
        let along = along.map(|c| c / length);
        let range = 14.0;
        let at = [0, 1, 2].map(|axis| [0.0, 0.0, 2.0][axis] + range * along[axis]);
        let mut mapper = penetration::Penetration::new(setting());
        let mut records = Records::default();
        records.push(row(0, 0.0, at, 70));
        mapper.take(&records);
        let mut map = CostMap::unknown(grid);
        mapper.update(&mut map);
        let touched: Vec<usize> =
            (0..grid.len()).filter(|cell| !map.costs[*cell].is_nan()).collect();
        let mut sampled: Vec<usize> = (0..140_000)
            .filter_map(|i| {
                let t = f64::from(i) * 1e-4;
                grid.cell_at([t * along[0], t * along[1]])
            })
            .collect();
        sampled.sort_unstable();
        sampled.dedup();
        let missed = sampled.iter().filter(|cell| !touched.contains(cell)).count();
        assert!(touched.len() <= sampled.len() + 1 && missed <= 1, "{angle}: {missed} missed");
    }
}
