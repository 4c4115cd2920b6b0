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

/// Beams of one laser at each of four heights towards a rock 10 m away, 2 cm apart there: of those that
/// come to the grass at 6 m each fifth is stopped, of those that come to 10 m all are.
fn grass_before_a_rock() -> Vec<Record> {
    let mut rows = Vec::new();
    for pulse in 0..240u64 {
        let y = 0.01 + 0.02 * (pulse % 60) as f64;
        let stopped = pulse % 5 == 0;
        let top = 0.35 + 0.1 * (pulse / 60) as f64;
        let at_6 = 2.0 - (2.0 - top) * 0.62;
        let at = if stopped { [6.2, 0.62 * y, at_6] } else { [10.0, y, top] };
        let channel = (pulse / 60) as u16;
        rows.push(Record { channel, ..row(pulse, 0.0, at, if stopped { 70 } else { 52 }) });
        rows.push(Record { channel: 8, ..row(1000 + pulse, 0.0, [6.2, 0.2, 0.0], 72) });
        rows.push(Record { channel: 9, ..row(2000 + pulse, 0.0, [9.9, 0.2, 0.0], 72) });
    }
    rows
}

#[test]
fn what_light_passes_is_no_obstacle() {
    let rows = grass_before_a_rock();
    let map = map_of(MapperName::Penetration, &rows);
    let (grass, rock) = (cost_at(&map, [6.2, 0.1]), cost_at(&map, [10.0, 0.1]));
    assert!(grass < 2.0 && rock == 100.0, "{grass} {rock}");
    // Equation 8 thinks the grass worse than the rock.
    let heights = map_of(MapperName::Height, &rows);
    assert!(cost_at(&heights, [6.2, 0.1]) > cost_at(&heights, [10.0, 0.1]));
    let oracle = map_of(MapperName::Oracle, &rows);
    assert_eq!((cost_at(&oracle, [6.2, 0.1]), cost_at(&oracle, [10.0, 0.1])), (0.0, 100.0));
}

/// The closed form against the integrals over the share of light that is stopped, by the midpoint rule.
#[test]
fn the_evidence_is_the_ratio_of_two_integrals() {
    let mean = |density: &dyn Fn(f64) -> f64, h: f64, p: f64| {
        let share = |i: usize| (i as f64 + 0.5) / 1e5;
        let at = |x: f64| density(x) * x.powf(h) * (1.0 - x).powf(p);
        (0..100_000).map(|i| at(share(i))).sum::<f64>() / 1e5
    };
    for (stopped, passed) in [(1.0, 0.0), (12.0, 0.0), (12.0, 3.5), (2.0, 9.0), (40.0, 1.0)] {
        let solid = mean(&|x| 9.0 * x.powi(8), stopped, passed);
        let plants = mean(&|x| 2.0 * (1.0 - x), stopped, passed);
        let expected = (solid / plants).ln();
        let found = f64::from(penetration::evidence(stopped as f32, passed as f32));
        assert!((found - expected).abs() < 1e-3, "{stopped} {passed}: {found} {expected}");
    }
}

/// A tuft that stops all beams of one scan lets them pass in the next ones, and is forgiven; one that
/// stops them from everywhere is not.
#[test]
fn what_passes_later_is_forgiven() {
    let scans = |later_pass: bool| {
        let mut rows = Vec::new();
        for scan in 0..6u64 {
            for beam in 0..120u64 {
                let y = 0.01 * beam as f64;
                let stopped = scan == 0 || !later_pass || beam % 7 == 0;
                let at = if stopped { [8.0, y, 0.7] } else { [16.0, 2.0 * y, -0.6] };
                rows.push(Record { channel: scan as u16, ..row(1000 * scan + beam, 0.0, at, 70) });
            }
            rows.push(Record { channel: 9, ..row(900 + scan, 0.0, [7.9, 0.2, 0.0], 72) });
        }
        map_of(MapperName::Penetration, &rows)
    };
    assert_eq!(cost_at(&scans(false), [8.0, 0.6]), 100.0);
    assert!(cost_at(&scans(true), [8.0, 0.6]) < 2.0);
}

/// A sensor of one laser that sees nothing, and one whose rows are no numbers, bring no map to fall.
#[test]
fn senseless_rows_do_no_harm() {
    let nan = Record {
        range_m: f32::NAN,
        world_xyz_m: [f64::NAN; 3],
        ..row(1, 0.0, [5.0, 0.0, 0.5], 70)
    };
    let level = Record { direction_xyz: [0.0; 3], ..row(2, 0.0, [5.0, 0.0, 0.5], 70) };
    for (_, name) in MAPPERS {
        let map = map_of(name, &[nan, Record::miss(), level, level, nan]);
        assert!(map.known().count() <= 1);
        assert!(map.costs.iter().all(|cost| cost.is_nan() || (0.0..=100.0).contains(cost)));
    }
}
