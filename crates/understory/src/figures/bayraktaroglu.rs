//! Bayraktaroglu 2023: table 5.2 and figures 4.3, 4.7–4.9, 5.3–5.15 with our series.
//!
//! The boards are scanned by the preset `os1-64-bayraktaroglu` through the whole path of a pulse.
//! Depth is along the sensor's x axis, in centimetres from the board. The thesis's own points were
//! not published, so there is nothing to draw beside ours.

use std::collections::BTreeMap;
use std::path::Path;

use understory_cloud::Records;

use super::{Figure, Panel, Series};
use crate::Error;
use crate::echo::EchoCut;
use crate::range_error::{
    Correlation, RangeError, RangeReport, Sigma, bayraktaroglu_sigma_cm, sigma_10_cm, sigma_90_cm,
};
use crate::rng::{PulseRng, Stage};
use crate::scenario::Scenario;
use crate::simulate::{Batch, PreparedRun, simulate_batch};

/// How high the lidar sits in the sensor's frame; boards are placed before it.
const LIDAR_UP_M: f64 = 0.03618;

/// One row of table 5.2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Table52Row {
    /// Colour of the paper.
    pub paper: &'static str,
    /// Its reflectivity as the thesis rounds it.
    pub reflectivity_percent: f64,
    /// Distance of the paper.
    pub distance_m: f64,
    /// σ that was measured.
    pub measured_cm: f64,
    /// σ of the thesis's model ("reference data").
    pub theirs_cm: f64,
    /// σ of ours.
    pub ours_cm: f64,
}

/// Table 5.2 with our σ.
pub fn table_5_2() -> [Table52Row; 6] {
    [
        ("white", 80.0, 4.0, 0.5447, 0.5090),
        ("black", 20.0, 4.0, 0.5492, 0.5442),
        ("white", 80.0, 8.0, 0.7122, 0.5100),
        ("black", 20.0, 8.0, 0.7036, 0.5457),
        ("white", 80.0, 13.0, 6.0653, 0.5114),
        ("black", 20.0, 13.0, 7.3356, 0.5623),
    ]
    .map(|(paper, reflectivity_percent, distance_m, measured_cm, theirs_cm)| Table52Row {
        paper,
        reflectivity_percent,
        distance_m,
        measured_cm,
        theirs_cm,
        ours_cm: bayraktaroglu_sigma_cm(distance_m, reflectivity_percent),
    })
}

/// All figures, by number.
pub fn figures(seed: u64) -> Result<Vec<Figure>, Error> {
    let mut figures = vec![range(), polynomials(), reflectivity(), sigma(), autocorrelation(seed)?];
    let paper =
        |distance_m| Board { width_m: 0.21, height_m: 0.297, distance_m, reflectivity: 0.8 };
    let model = ErrorChoice::Model;
    let near = paper(0.8).scan(model, seed)?;
    figures.push(lines("fig-5-3", "White paper at 0.8 m", &near));
    figures.push(side("fig-5-6", "White paper at 0.8 m, side view", &near));
    figures.push(photons(&near, seed));
    figures.push(lines("fig-5-9", "White paper at 4 m", &paper(4.0).scan(model, seed)?));
    figures.push(lines("fig-5-12", "White paper at 8 m", &paper(8.0).scan(model, seed)?));
    for (name, distance_m) in [("fig-5-14", 20.0), ("fig-5-15", 40.0)] {
        let board = Board { width_m: 4.0, height_m: 4.0, distance_m, reflectivity: 0.2 };
        figures.push(Figure {
            name: name.into(),
            title: format!("Board of 20 % at {distance_m} m"),
            x_label: "across [m]".into(),
            y_label: "depth [cm]".into(),
            panels: [
                ("model", ErrorChoice::Model),
                ("Gaussian 0.5 cm", ErrorChoice::HalfCentimetre),
                ("no error", ErrorChoice::None),
            ]
            .into_iter()
            .map(|(title, choice)| {
                let points = board.scan(choice, seed)?;
                let dots = points.iter().map(|p| [p.across_m, p.depth_cm]).collect();
                Ok(Panel { title: title.into(), series: vec![Series::dots("", dots)] })
            })
            .collect::<Result<Vec<Panel>, Error>>()?,
            ..Figure::default()
        });
    }
    Ok(figures)
}

fn curve(from: f64, to: f64, law: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
    let at = |step: u32| from + (to - from) * f64::from(step) / 180.0;
    (0..=180).map(|step| [at(step), law(at(step))]).collect()
}

fn one_panel(name: &str, title: &str, labels: [&str; 2], series: Vec<Series>) -> Figure {
    Figure {
        name: name.into(),
        title: title.into(),
        x_label: labels[0].into(),
        y_label: labels[1].into(),
        panels: vec![Panel { title: String::new(), series }],
        ..Figure::default()
    }
}

fn range() -> Figure {
    let reach =
        |cut: EchoCut| move |percent: f64| f64::from(cut.reach_m((percent / 100.0) as f32, 1.0));
    let physical = EchoCut::Physical { range_m: 40.0, reflectivity: 0.1, extinction_per_m: 0.0 };
    let series = vec![
        Series::line("equation 4.9", curve(0.5, 100.0, reach(EchoCut::BAYRAKTAROGLU_OS1))),
        Series::line("1/r^2, 10 % at 40 m", curve(0.5, 100.0, reach(physical))),
    ];
    one_panel("fig-4-3", "Range by reflectivity", ["reflectivity [%]", "range [m]"], series)
}

fn polynomials() -> Figure {
    let series = vec![
        Series::line("10 %, equation 4.11", curve(0.0, 90.0, sigma_10_cm)),
        Series::line("90 %, equation 4.10", curve(0.0, 90.0, sigma_90_cm)),
    ];
    one_panel(
        "fig-4-7",
        "Standard deviation at 10 % and 90 %",
        ["distance [m]", "sigma [cm]"],
        series,
    )
}

fn reflectivity() -> Figure {
    let series = vec![Series::line("", curve(1.0, 100.0, |r| bayraktaroglu_sigma_cm(90.0, r)))];
    one_panel("fig-4-8", "Standard deviation at 90 m", ["reflectivity [%]", "sigma [cm]"], series)
}

fn sigma() -> Figure {
    let series = (1..=9)
        .map(|tenth| {
            let percent = 10.0 * f64::from(tenth);
            let law = |x| bayraktaroglu_sigma_cm(x, percent);
            Series::line(format!("{percent} %"), curve(0.0, 90.0, law))
        })
        .collect();
    let labels = ["distance [m]", "sigma [cm]"];
    one_panel("fig-4-9", "Standard deviation by distance and reflectivity", labels, series)
}

/// Correlation of the simulated error with that some columns further, over all channels of a scan
/// from the middle of a sphere, beside the analytic curve.
fn autocorrelation(seed: u64) -> Result<Figure, Error> {
    let lags = 36;
    let world = "[[world.object]]\nname = 'sphere'\nshape = 'sphere'\nradius_m = 10.0\nmaterial = 'target-80'\n";
    let records = scan(world, seed, |report| report.quantum_m = 0.0)?;
    let mut channels: BTreeMap<u16, Vec<f64>> = BTreeMap::new();
    for row in (0..records.len()).filter(|&row| !records.is_miss(row)) {
        let error_m = f64::from(records.range_m[row]) - f64::from(records.true_range_m[row]);
        channels.entry(records.channel[row]).or_default().push(error_m);
    }
    let mean_product = |lag: usize| {
        let pairs = channels.values().flat_map(|own| own.iter().zip(own.iter().skip(lag)));
        let (n, sum) = pairs.fold((0.0, 0.0), |(n, sum), (a, b)| (n + 1.0, sum + a * b));
        sum / f64::max(n, 1.0)
    };
    let variance = mean_product(0);
    let simulated = (0..lags).map(|lag| [lag as f64, mean_product(lag) / variance]).collect();
    let wave = Correlation::default();
    let analytic = curve(0.0, lags as f64 - 1.0, |lag| {
        wave.share * wave.autocorrelation(lag / wave.period_columns)
    });
    let series =
        vec![Series::line("share x R, analytic", analytic), Series::dots("simulated", simulated)];
    let labels = ["lag [columns]", "correlation"];
    Ok(one_panel("autocorrelation", "Correlation of the error along a channel", labels, series))
}

/// A scan of the preset in a world; `change` may change how it reports ranges.
fn scan(world: &str, seed: u64, change: impl Fn(&mut RangeReport)) -> Result<Records, Error> {
    let text = format!(
        "version = 1\nseed = {seed}\nduration_s = 0.1\n{world}\
         [[sensor]]\nname = 'os1'\npreset = 'os1-64-bayraktaroglu'\n"
    );
    let scenario = Scenario::from_toml(&text, "figure", Path::new("."))?;
    let mut run = PreparedRun::new(&scenario)?;
    run.sensors.iter_mut().for_each(|sensor| change(&mut sensor.range_report));
    let (mut batch, mut records) = (Batch::default(), Records::default());
    for sensor in &run.sensors {
        let pulses = sensor.pattern.first_pulse_at(scenario.duration_s);
        simulate_batch(&run, sensor, seed, 0..pulses, &mut batch, &mut records);
    }
    Ok(records)
}

/// A board that faces the sensor.
struct Board {
    width_m: f64,
    height_m: f64,
    distance_m: f64,
    reflectivity: f64,
}

/// Which error the sensor has.
#[derive(Clone, Copy)]
enum ErrorChoice {
    Model,
    HalfCentimetre,
    None,
}

/// A point on a board.
struct BoardPoint {
    channel: u16,
    across_m: f64,
    up_m: f64,
    depth_cm: f64,
}

impl Board {
    fn scan(&self, choice: ErrorChoice, seed: u64) -> Result<Vec<BoardPoint>, Error> {
        let world = format!(
            "[[world.material]]\nname = 'paper'\nreflectance = {}\n\
             [[world.object]]\nname = 'board'\nshape = 'plane'\nsize_m = [{}, {}]\n\
             position_m = [{}, 0.0, {LIDAR_UP_M}]\nrotation_deg = [0.0, -90.0, 0.0]\nmaterial = 'paper'\n",
            self.reflectivity,
            // Turned by −90° about y, the plane's x axis stands upright.
            self.height_m,
            self.width_m,
            self.distance_m
        );
        let records = scan(&world, seed, |report| match choice {
            ErrorChoice::Model => {}
            ErrorChoice::HalfCentimetre => report.error = RangeError::gaussian(0.005),
            ErrorChoice::None => report.error = RangeError::none(),
        })?;
        let rows = (0..records.len()).filter(|&row| !records.is_miss(row));
        Ok(rows
            .map(|row| {
                let [x, y, z] = records.sensor_xyz_m[row].map(f64::from);
                BoardPoint {
                    channel: records.channel[row],
                    across_m: y,
                    up_m: z - LIDAR_UP_M,
                    depth_cm: 100.0 * (x - self.distance_m),
                }
            })
            .collect())
    }
}

/// Depth along the channels.
fn lines(name: &str, title: &str, points: &[BoardPoint]) -> Figure {
    let mut channels: Vec<u16> = points.iter().map(|point| point.channel).collect();
    channels.dedup();
    channels.sort_unstable();
    channels.dedup();
    // Four of them, from the middle of the board; more would hide each other.
    let first = channels.len().saturating_sub(4) / 2;
    let series = channels.iter().skip(first).take(4).map(|channel| {
        let own = points.iter().filter(|point| point.channel == *channel);
        let mut own: Vec<[f64; 2]> =
            own.map(|point| [100.0 * point.across_m, point.depth_cm]).collect();
        own.sort_by(|a, b| a[0].total_cmp(&b[0]));
        Series::line(format!("channel {channel}"), own)
    });
    one_panel(name, title, ["across [cm]", "depth [cm]"], series.collect())
}

/// All points, seen from the side.
fn side(name: &str, title: &str, points: &[BoardPoint]) -> Figure {
    let dots = points.iter().map(|point| [point.depth_cm, 100.0 * point.up_m]).collect();
    one_panel(name, title, ["depth [cm]", "up [cm]"], vec![Series::dots("", dots)])
}

/// Signal by ambient photons beside the depth, along the channel in the middle of the board; both
/// about 0 in their standard deviations, the ratio lifted by 5. The thesis gives no counts: 2000 and
/// 200 with their shot noise stand in for them. Our error does not come from the counts, and the
/// thesis, too, found that they do not explain it.
fn photons(points: &[BoardPoint], seed: u64) -> Figure {
    let middle = points.get(points.len() / 2).map_or(0, |point| point.channel);
    let own: Vec<&BoardPoint> = points.iter().filter(|point| point.channel == middle).collect();
    let ratios = own.iter().enumerate().map(|(index, _)| {
        let mut rng = PulseRng::new(seed, 0, index as u64, Stage::FigurePhotons);
        let mut count = |mean: f64| mean + mean.sqrt() * rng.gaussian();
        count(2000.0) / count(200.0)
    });
    let ratios = normalised(ratios.collect());
    let depths = normalised(own.iter().map(|point| point.depth_cm).collect());
    let across = |values: Vec<f64>, lift: f64| {
        let mut places: Vec<[f64; 2]> =
            own.iter().zip(values).map(|(p, value)| [100.0 * p.across_m, value + lift]).collect();
        places.sort_by(|a, b| a[0].total_cmp(&b[0]));
        places
    };
    let series = vec![
        Series::line("signal by ambient photons", across(ratios, 5.0)),
        Series::line("depth", across(depths, 0.0)),
    ];
    let labels = ["across [cm]", "in standard deviations"];
    one_panel("fig-5-13", "Photon counts and depth, white paper at 0.8 m", labels, series)
}

fn normalised(values: Vec<f64>) -> Vec<f64> {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let spread = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt();
    values.iter().map(|value| (value - mean) / spread.max(1e-12)).collect()
}

/// The error with which the thesis models its sensor.
pub fn model() -> RangeError {
    RangeError {
        sigma: Sigma::Bayraktaroglu,
        correlation: Some(Correlation::default()),
        ..RangeError::none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread_cm(points: &[[f64; 2]]) -> f64 {
        let n = points.len() as f64;
        let mean = points.iter().map(|p| p[1]).sum::<f64>() / n;
        (points.iter().map(|p| (p[1] - mean).powi(2)).sum::<f64>() / n).sqrt()
    }

    #[test]
    fn figures_have_the_deviations_that_they_claim() {
        let figures = figures(1).unwrap();
        let find = |name: &str| figures.iter().find(|figure| figure.name == name).unwrap();
        for figure in &figures {
            assert!(figure.bounds().is_some(), "{}", figure.name);
        }
        // σ along the beam is nearly σ along the axis: beams are at most 6° off.
        for (name, distance_m) in [("fig-5-14", 20.0), ("fig-5-15", 40.0)] {
            let figure = find(name);
            let sigma_cm = bayraktaroglu_sigma_cm(distance_m, 20.0);
            let spread = |panel: usize| spread_cm(&figure.panels[panel].series[0].points);
            let points = figure.panels[0].series[0].points.len();
            println!(
                "{name}: {points} points, {:.3} {:.3} {:.3} cm",
                spread(0),
                spread(1),
                spread(2)
            );
            assert!(points > 100, "{points}");
            // 5.5 standard errors of a standard deviation of so many points; a wave that is seen
            // for little more than a period, and edges that fill the beam in part, add to that.
            let error = 5.5 / (2.0 * points as f64).sqrt();
            assert!((spread(0) / sigma_cm - 1.0).abs() < error + 0.1, "{name}: {}", spread(0));
            assert!((spread(1) / 0.5 - 1.0).abs() < error, "{name}: {}", spread(1));
            assert!(spread(2) < 0.15, "edges and a step of 1 mm alone: {}", spread(2));
        }
        // Dots on the curve: 65 000 products a lag have a standard error below 0.01.
        let panel = &find("autocorrelation").panels[0];
        let wave = Correlation::default();
        for [lag, found] in panel.series[1].points.iter().skip(1) {
            let expected = wave.share * wave.autocorrelation(lag / wave.period_columns);
            assert!((found - expected).abs() < 0.05, "lag {lag}: {found} instead of {expected}");
        }
        // The sheet at 0.8 m spans 15°, 43 of 1024 columns.
        let columns = find("fig-5-3").panels[0].series[0].points.len();
        assert!((40..47).contains(&columns), "{columns}");
    }

    #[test]
    fn table_5_2_is_within_one_per_cent() {
        for row in table_5_2() {
            assert!((row.ours_cm / row.theirs_cm - 1.0).abs() < 0.01, "{row:?}");
        }
    }

    #[test]
    fn the_preset_is_the_model() {
        let sensor = crate::sensor::Sensor::preset("os1-64-bayraktaroglu").unwrap();
        assert_eq!(sensor.range_report.error, model());
    }
}
