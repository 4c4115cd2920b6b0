use crate::figures::{HeatMap, Panel, Series};

use super::chart::COLOURS;
use super::*;

fn one_panel_twice(series: Series) -> Figure {
    let panel = Panel { title: "panel".into(), series: vec![series] };
    Figure::new("test", "Title & more", ["x [m]", "y [m]"], vec![panel; 2])
}

fn count(image: &RgbImage, colour: RGBColor) -> usize {
    image.pixels().filter(|pixel| pixel.0 == [colour.0, colour.1, colour.2]).count()
}

#[test]
fn a_line_and_its_words_appear() {
    let figure = one_panel_twice(Series::line("rise", vec![[0.0, 0.0], [1.0, 2.0]]));
    let image = pixels(Plot::Figure(&figure)).unwrap();
    assert_eq!(image.dimensions(), (1800, 640));
    assert!(count(&image, COLOURS[0]) > 1000, "the lines");
    assert!(count(&image, BLACK) > 1000, "the words");
    let folder = tempfile::tempdir().unwrap();
    assert!(write_png(Plot::Figure(&figure), folder.path()).unwrap().ends_with("test.png"));
    assert!(write_svg(Plot::Figure(&figure), folder.path()).unwrap().ends_with("test.svg"));
    let panels = [figure.panels.clone(), figure.panels.clone()].concat();
    let four = Figure { panels, ..figure.clone() };
    assert_eq!(pixels(Plot::Figure(&four)).unwrap().dimensions(), (1800, 1280));
    let empty = Figure { panels: vec![], ..figure };
    assert_eq!(pixels(Plot::Figure(&empty)).unwrap().dimensions(), (900, 640));
}

#[test]
fn words_in_svg_are_text() {
    let figure = one_panel_twice(Series::dots("rise", vec![[0.0, 0.0], [1.0, 2.0]]));
    let svg = svg(Plot::Figure(&figure)).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    for word in ["Title &amp; more", "x [m]", "y [m]", "rise", "panel"] {
        assert!(svg.contains(&format!("\n{word}\n")), "{word}: {svg}");
    }
    assert_eq!(svg.matches("<circle").count(), 4);
}

#[test]
fn bars_stand_on_zero_and_are_as_wide_as_their_bins() {
    let bars = Series::bars("", vec![[0.5, 1.0], [1.5, 2.0], [2.5, 0.0]]);
    let figure = one_panel_twice(bars);
    let svg = svg(Plot::Figure(&figure)).unwrap();
    let colour = format!("fill=\"#{:02X}{:02X}{:02X}\"", COLOURS[0].0, COLOURS[0].1, COLOURS[0].2);
    let bars: Vec<&str> =
        svg.lines().filter(|line| line.contains("<rect") && line.contains(&colour)).collect();
    assert_eq!(bars.len(), 6, "{svg}");
    let [first, second] = [bars[0], bars[1]].map(|line| {
        let bottom = number(line, "y") + number(line, "height");
        (number(line, "x"), number(line, "width"), number(line, "height"), bottom)
    });
    assert!((second.2 / first.2 - 2.0).abs() < 0.02, "{first:?} {second:?}");
    assert!((first.0 + first.1 - second.0).abs() <= 1.0 && first.3 == second.3);
}

#[test]
fn a_power_law_is_straight_on_logarithmic_axes() {
    let points = (0..5).map(|k| [10f64.powi(k), 10f64.powi(2 * k)]).collect();
    let mut figure = one_panel_twice(Series::dots("", points));
    (figure.log_x, figure.log_y) = (true, true);
    let svg = svg(Plot::Figure(&figure)).unwrap();
    let dots: Vec<[f64; 2]> = circles(&svg).into_iter().take(5).collect();
    for pair in dots.windows(2) {
        let first = [dots[1][0] - dots[0][0], dots[1][1] - dots[0][1]];
        let step = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
        assert!(step.iter().zip(first).all(|(a, b)| (a - b).abs() <= 1.0), "{dots:?}");
    }
    assert!(svg.contains("\n1000\n") && svg.contains("\n1e8\n"), "{svg}");
    // What a logarithm cannot show is left out.
    figure.panels[0].series[0].points.push([0.0, -1.0]);
    assert!(pixels(Plot::Figure(&figure)).is_ok());
}

#[test]
fn a_full_cell_is_dark_where_it_belongs() {
    let map = HeatMap {
        title: "real".into(),
        x_label: "bearing [°]".into(),
        y_label: "range [m]".into(),
        x: [0.0, 2.0],
        y: [7.0, 9.0],
        columns: 2,
        values: vec![0.0, 1.0, 0.01, 0.0],
    };
    let mut maps =
        HeatMaps { name: "maps".into(), title: "Title".into(), maps: vec![map.clone(), map] };
    let image = pixels(Plot::Maps(&maps)).unwrap();
    assert_eq!(image.dimensions(), (1800, 640));
    let dark = image.enumerate_pixels().filter(|(_, _, p)| p.0 == [40, 0, 40]);
    let places: Vec<(u32, u32)> = dark.map(|(x, y, _)| (x, y)).collect();
    assert!(places.len() > 50_000, "{}", places.len());
    // Right and below in both panels.
    assert!(places.iter().all(|&(x, y)| x % 900 > 400 && y > 280));
    assert!(svg(Plot::Maps(&maps)).unwrap().contains("#280028"));
    maps.maps.clear();
    assert!(pixels(Plot::Maps(&maps)).is_ok());
}

#[test]
fn marks_have_no_needless_digits() {
    let values = [0.0, -1e-17, 0.1 + 0.2, -7.8, 1e4, 2.5e-7, 1234.5];
    let marks = values.map(|value| super::chart::mark(&value));
    assert_eq!(marks, ["0", "0", "0.3", "-7.8", "1e4", "2.5e-7", "1234.5"]);
}

#[test]
fn a_circle_is_round_on_equal_axes() {
    let circle = (0..60).map(|k| (f64::from(k) * std::f64::consts::TAU / 60.0).sin_cos());
    let points = circle.map(|(y, x)| [10.0 * x, 10.0 * y]).collect();
    let mut figure = one_panel_twice(Series::dots("", points));
    figure.equal_axes = true;
    let svg = svg(Plot::Figure(&figure)).unwrap();
    let dots: Vec<[f64; 2]> = circles(&svg).into_iter().take(60).collect();
    let extent = |axis: usize| {
        let values = || dots.iter().map(|dot| dot[axis]);
        values().fold(0.0, f64::max) - values().fold(f64::INFINITY, f64::min)
    };
    assert!(extent(1) > 300.0 && (extent(0) - extent(1)).abs() <= 3.0, "{dots:?}");
}

#[test]
fn dots_that_hide_each_other_are_drawn_once() {
    let figure = one_panel_twice(Series::dots("", vec![[0.0, 0.0], [1.0, 1.0], [0.0, 1e-6]]));
    assert_eq!(circles(&svg(Plot::Figure(&figure)).unwrap()).len(), 4);
}

/// Middles of all circles of a drawing.
fn circles(svg: &str) -> Vec<[f64; 2]> {
    let lines = svg.lines().filter(|line| line.contains("<circle"));
    lines.map(|line| [number(line, "cx"), number(line, "cy")]).collect()
}

/// An attribute of a line of a drawing.
fn number(line: &str, key: &str) -> f64 {
    let rest = &line[line.find(&format!(" {key}=\"")).unwrap() + key.len() + 3..];
    rest[..rest.find('"').unwrap()].parse().unwrap()
}
