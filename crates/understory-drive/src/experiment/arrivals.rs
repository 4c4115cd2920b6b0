//! A table of drives to look at: how many came to their goal by which time.

use understory_view::figures::{Figure, Panel, Series};

use super::Row;

/// A panel for each sensor and a line for each mapper, which rises by one where a drive arrives.
pub fn figure(name: &str, rows: &[Row]) -> Figure {
    let distinct = |of: fn(&Row) -> &str| {
        let mut names: Vec<&str> = Vec::new();
        for row in rows {
            if !names.contains(&of(row)) {
                names.push(of(row));
            }
        }
        names
    };
    let mappers = distinct(|row| &row.mapper);
    let latest_s = rows.iter().filter(|row| row.metrics.success).map(|row| row.metrics.time_s);
    let end_s = 1.05 * latest_s.fold(1.0, f64::max);
    let panels = distinct(|row| &row.sensor).into_iter().map(|sensor| {
        let of = |mapper: &str| {
            let same = |row: &&Row| row.sensor == sensor && row.mapper == mapper;
            let reached = rows.iter().filter(same).filter(|row| row.metrics.success);
            let mut times_s: Vec<f64> = reached.map(|row| row.metrics.time_s).collect();
            times_s.sort_by(f64::total_cmp);
            let steps = times_s.iter().enumerate();
            let mut points = vec![[0.0, 0.0]];
            points.extend(steps.flat_map(|(n, t)| [[*t, n as f64], [*t, (n + 1) as f64]]));
            points.push([end_s, times_s.len() as f64]);
            Series::line(mapper, points)
        };
        let series = mappers.iter().map(|mapper| of(mapper)).collect();
        Panel { title: sensor.to_owned(), series }
    });
    let axes = ["time (s)", "drives that reached the goal"];
    let title = format!("{name}: drives that reached their goal by a time");
    Figure::new(format!("{name}-arrivals"), title, axes, panels.collect())
}
