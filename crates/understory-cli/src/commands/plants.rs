//! `understory plants [NAME]`: species and stands with their figures, and pictures of them.

use std::path::{Path, PathBuf};

use anyhow::Result;
use glam::DVec3;
use serde_json::{Value, json};
use understory::scenario::Scenario;
use understory_base::Progress;
use understory_cloud::{StagedFile, check_writable};
use understory_plants::{
    PlantError, PlantFigures, PlantSpec, Preset, Random, SEASONS, SpeciesFigures, preset, presets,
};
use understory_view::picture::grouped;
use understory_view::render::{Camera, Lights, Picture, RenderOptions, render_reporting};

use crate::progress::StepProgress;
use crate::report::{check_json, print_or_json, shown, usage};
use crate::table::{Align, Table, facts};

/// Most plants in one picture.
const PLANTS_MAX: usize = 64;

/// List species and stands with their figures, or measure and draw one
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory plants
  understory plants oak
  understory plants oak -o oak.png --individuals 3 --seasons spring,summer,autumn,bare
  understory plants beech-stand --json -

With a name the plant is grown and its triangles are measured.")]
pub struct Arguments {
    /// The species or stand to measure and draw
    name: Option<String>,
    /// Draw it: individuals side by side, a row for each season
    #[arg(short, long, value_name = "FILE.png", requires = "name")]
    output: Option<PathBuf>,
    /// How many individuals are measured and drawn
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    individuals: u32,
    /// Times of the year: spring, summer, autumn, bare [default: the species' own]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    seasons: Vec<String>,
    /// Seed of the first individual
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Width of the picture in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 1280)]
    width: u32,
    /// Rays per pixel of the picture
    #[arg(long, value_name = "N", default_value_t = 4)]
    samples: u32,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Lists all species, or measures and draws one.
pub fn plants(arguments: &Arguments) -> Result<()> {
    check_json(arguments.json.as_deref())?;
    match &arguments.name {
        None => list(arguments),
        Some(name) => {
            let preset = preset(name).map_err(|error| usage(error.to_string()))?;
            one(arguments, preset)
        }
    }
}

fn list(arguments: &Arguments) -> Result<()> {
    let all: Vec<SpeciesFigures> = presets().map(Preset::figures).collect();
    let mut kinds: Vec<&str> = all.iter().map(|figures| figures.kind.as_str()).collect();
    kinds.dedup();
    let mut text = String::new();
    for kind in kinds {
        let mut table = Table::new(&[
            (kind, Align::Left),
            ("height m", Align::Right),
            ("crown m", Align::Right),
            ("leaf index", Align::Right),
            ("triangles", Align::Right),
            ("what it is", Align::Left),
        ]);
        for figures in all.iter().filter(|figures| figures.kind == kind) {
            let number = |value: Option<f64>| value.map_or("–".to_owned(), |v| format!("{v:.1}"));
            table.row([
                figures.name.to_owned(),
                number(figures.height_m),
                number(figures.crown_width_m),
                number(figures.leaf_area_index),
                grouped(figures.triangles),
                figures.description.to_owned(),
            ]);
        }
        text += &table.render();
        text.push('\n');
    }
    text += "understory plants NAME grows one and measures it.\n";
    print_or_json(&text, arguments.json.as_deref(), &all)
}

/// One individual in one season.
struct Individual {
    season: Option<String>,
    spec: PlantSpec,
    figures: PlantFigures,
}

fn one(arguments: &Arguments, preset: &Preset) -> Result<()> {
    let rows = arguments.seasons.len().max(1);
    let wanted = rows.saturating_mul(arguments.individuals as usize);
    if !(1..=PLANTS_MAX).contains(&wanted) {
        return Err(usage(format!(
            "{wanted} plants are asked for; choose --individuals and --seasons for 1 to {PLANTS_MAX}"
        )));
    }
    if let Some(path) = &arguments.output {
        if path.extension().is_none_or(|end| end != "png") {
            return Err(usage(format!("{}: a picture ends in .png", path.display())));
        }
        check_writable(path)?;
    }
    let bar = StepProgress::new(arguments.quiet);
    let mut grown = Vec::new();
    for (season, number) in seasons(arguments)
        .iter()
        .flat_map(|season| (0..arguments.individuals).map(move |number| (season, number)))
    {
        bar.step("growing", grown.len() as f64 / wanted as f64);
        let refused = |error: PlantError| usage(error.to_string());
        let spec = match season {
            Some(season) => preset.spec().in_season(season).map_err(refused)?,
            None => preset.spec(),
        };
        let seed = arguments.seed.wrapping_add(u64::from(number));
        // As the first variant of a [[world.plant]] with this seed grows.
        let mut figures = spec.figures(Random::new(seed).fork(0).next_u64())?;
        figures.seed = seed;
        grown.push(Individual { season: season.clone(), spec, figures });
    }
    let mut text = summary(&preset.figures(), &grown);
    if let Some(path) = &arguments.output {
        let picture = draw(arguments, &grown, &bar)?;
        let mut file = StagedFile::create(path)?;
        picture.write_png(&mut file).map_err(|error| file.failed(error))?;
        text += &format!("wrote {}\n", shown(&file.publish()?));
    }
    bar.finish();
    let individuals: Vec<Value> = grown
        .iter()
        .map(|grown| {
            let mut value = serde_json::to_value(&grown.figures).unwrap_or_default();
            value["season"] = json!(grown.season);
            value
        })
        .collect();
    let value = json!({ "species": preset.figures(), "individuals": individuals });
    print_or_json(&text, arguments.json.as_deref(), &value)
}

fn seasons(arguments: &Arguments) -> Vec<Option<String>> {
    match arguments.seasons.is_empty() {
        true => vec![None],
        false => arguments.seasons.iter().cloned().map(Some).collect(),
    }
}

fn summary(species: &SpeciesFigures, grown: &[Individual]) -> String {
    let mut rows = vec![
        ("species", format!("{}, {}", species.name, species.kind)),
        ("what it is", species.description.to_owned()),
    ];
    if let Some([x, y]) = species.patch_m {
        rows.push(("patch", format!("{x} × {y} m")));
    }
    if !species.seasons.is_empty() {
        rows.push(("seasons", SEASONS.join(", ")));
    }
    let mut table = Table::new(&[
        ("season", Align::Left),
        ("seed", Align::Right),
        ("height m", Align::Right),
        ("width m", Align::Right),
        ("crown from m", Align::Right),
        ("leaf m²", Align::Right),
        ("leaf index", Align::Right),
        ("leaf angle °", Align::Right),
        ("wood m²", Align::Right),
        ("triangles", Align::Right),
    ]);
    for Individual { season, figures, .. } in grown {
        let number = |value: Option<f64>| value.map_or("–".to_owned(), |v| format!("{v:.1}"));
        table.row([
            season.clone().unwrap_or_else(|| "–".to_owned()),
            figures.seed.to_string(),
            format!("{:.2}", figures.height_m),
            format!("{:.2}", figures.spread_m),
            number(figures.live_crown_m),
            format!("{:.2}", figures.leaf_area_m2),
            format!("{:.2}", figures.leaf_area_index),
            number(figures.mean_inclination_deg),
            format!("{:.2}", figures.wood_area_m2),
            grouped(figures.triangles as u64),
        ]);
    }
    format!("{}\n{}", facts(&rows), table.render())
}

/// A picture with a row for each season.
fn draw(arguments: &Arguments, grown: &[Individual], bar: &StepProgress) -> Result<Picture> {
    let columns = arguments.individuals as usize;
    let widest = grown.iter().map(|g| g.figures.spread_m).fold(0.1, f64::max);
    let tallest = grown.iter().map(|g| g.figures.height_m).fold(0.05, f64::max);
    let apart = 1.12 * widest;
    let across = apart * columns as f64;
    let height = (f64::from(arguments.width) * (1.15 * tallest / across).clamp(0.2, 1.6)).round();
    let size = [arguments.width, (height as u32).max(64)];
    let mut picture = Picture { size: [size[0], 0], rgb: Vec::new() };
    for (number, row) in grown.chunks(columns).enumerate() {
        bar.step("drawing", number as f64 * columns as f64 / grown.len() as f64);
        let scenario = scenario(row, apart)?;
        let scene = scenario.build_scene_to_show()?;
        // Far away through a narrow lens, so that all are seen from the side.
        let middle = DVec3::new(0.5 * across - 0.5 * apart, 0.0, 0.5 * tallest);
        let distance = 4.0 * across.max(tallest) + widest;
        let eye = middle + DVec3::new(0.0, -distance, 0.06 * distance);
        let seen = (1.1 * tallest).max(across * f64::from(size[1]) / f64::from(size[0]));
        let fov_deg = 2.0 * understory_base::math::atan(0.5 * seen / distance).to_degrees();
        let camera = Camera::looking_at(eye, middle, fov_deg, size)?;
        let options = RenderOptions {
            samples: arguments.samples,
            seed: 1,
            threads: None,
            time_s: 0.0,
            exposure_ev: 0.0,
        };
        let drawn = render_reporting(&scene, &camera, &Lights::default(), &options, bar)?;
        picture.rgb.extend_from_slice(&drawn.rgb);
        picture.size[1] += drawn.size[1];
    }
    Ok(picture)
}

/// A world of these plants side by side.
fn scenario(row: &[Individual], apart: f64) -> Result<Scenario> {
    let side = 60.0 * apart * row.len() as f64;
    let mut text = format!(
        "version = 1\nseed = 1\nduration_s = 0.1\n[[world.object]]\nname = \"ground\"\nshape = \"plane\"\nsize_m = [{side:.3}, {side:.3}]\nmaterial = \"soil\"\n[[sensor]]\nname = \"s\"\npreset = \"vlp-16\"\n"
    );
    let folder = tempfile::tempdir()?;
    for (column, individual) in row.iter().enumerate() {
        let file = folder.path().join(format!("{column}.toml"));
        std::fs::write(&file, toml::to_string(&individual.spec)?)?;
        let (seed, x) = (individual.figures.seed, apart * column as f64);
        text += &format!(
            "[[world.plant]]\nname = \"p{column}\"\nfile = {:?}\nvariants = 1\nseed = {seed}\nrandom_turn = false\ninstances = [{{ position_m = [{x:.4}, 0.0, 0.0] }}]\n",
            file.file_name().unwrap_or_default().to_string_lossy()
        );
    }
    Ok(Scenario::from_toml(&text, "plants", Path::new(folder.path()))?)
}
