//! `understory truth SCENARIO`: the leaf, wood and stems that a scenario has, exactly.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use understory::world::truth::parts::PartRules;
use understory::world::truth::{Areas, Stem, Truth, TruthOptions, measure};
use understory_cloud::{check_writable, write_whole};
use understory_view::picture::grouped;

use crate::loading::{MemoryArgument, read_scenario};
use crate::progress::StepProgress;
use crate::report::{check_json, print_or_json, shown, usage};
use crate::table::{Align, Table, facts};
use crate::voxels::{Told, VoxelArguments};

/// Rows of the profile and of stems that are printed.
const ROWS: usize = 24;

/// Tell the leaf area, wood and stems that a scenario has, exactly from its triangles
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory truth forest-plot
  understory truth forest-plot --cell 1 -o truth.npy --stems stems.csv
  understory truth my.toml --region=-10,-10,0,10,10,25 --pictures out

A leaf is a sheet and counts once, the skin of wood and of any closed body counts half. Meshes that are
no plants of Understory count as leaves where their label is vegetation, as wood where it is trunk.")]
pub struct Arguments {
    /// A scenario file, or the name of a built-in one (understory scenarios)
    scenario: String,
    #[command(flatten)]
    voxels: VoxelArguments,
    /// Write the stems as CSV: place, diameter, height
    #[arg(long, value_name = "FILE.csv")]
    stems: Option<PathBuf>,
    /// Write the leaf angles as CSV, as `understory leaf-area --leaf-angle` takes them
    #[arg(long, value_name = "FILE.csv")]
    angles: Option<PathBuf>,
    /// Thinnest stem that counts at breast height, in metres
    #[arg(long, value_name = "METRES", default_value_t = 0.05)]
    stem_min: f64,
    /// Materials of meshes that are leaves
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    leaf_materials: Vec<String>,
    /// Materials of meshes that are wood
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    wood_materials: Vec<String>,
    #[command(flatten)]
    memory: MemoryArgument,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Measures a scenario.
pub fn truth(arguments: &Arguments) -> Result<()> {
    check_json(arguments.json.as_deref())?;
    arguments.voxels.check()?;
    for path in [&arguments.stems, &arguments.angles].into_iter().flatten() {
        check_writable(path)?;
    }
    if !(arguments.stem_min >= 0.0 && arguments.stem_min.is_finite()) {
        return Err(usage(format!(
            "--stem-min {} is no diameter; give metres",
            arguments.stem_min
        )));
    }
    let options = TruthOptions {
        region: arguments.voxels.region()?,
        cell_m: arguments.voxels.cell_m(),
        stem_min_m: arguments.stem_min,
        parts: PartRules {
            leaf_materials: arguments.leaf_materials.clone(),
            wood_materials: arguments.wood_materials.clone(),
        },
    };
    let (name, scenario) = read_scenario(&arguments.scenario)?;
    arguments.memory.check(&scenario)?;
    let bar = StepProgress::new(arguments.quiet);
    let scene = scenario.build_scene_reporting(&bar)?;
    let truth = measure(&scene, &options, &bar)?;
    bar.finish();
    let mut text = summary(&truth);
    text += &arguments.voxels.write(&told(&name, &truth))?;
    if let Some(path) = &arguments.stems {
        write_whole(path, stems_csv(&truth.stems).as_bytes())?;
        text += &format!("wrote {}\n", shown(path));
    }
    if let Some(path) = &arguments.angles {
        write_angles(path, &truth)?;
        text += &format!("wrote {}\n", shown(path));
    }
    print_or_json(&text, arguments.json.as_deref(), &truth)
}

fn summary(truth: &Truth) -> String {
    let Areas { leaf_m2, wood_m2, other_m2 } = truth.inside;
    let outside = truth.everywhere.plant_m2() - truth.inside.plant_m2();
    let mut rows = vec![
        ("ground", format!("{:.2} m²", truth.ground_area_m2)),
        ("leaf area", format!("{leaf_m2:.3} m², index {:.4}", truth.leaf_area_index)),
        ("wood area", format!("{wood_m2:.3} m², index {:.4}", truth.wood_area_index)),
    ];
    if other_m2 > 0.0 {
        rows.push(("green stems", format!("{other_m2:.3} m²")));
    }
    rows.push(("plant area", format!("index {:.4}", truth.plant_area_index)));
    if outside > 1e-6 * truth.everywhere.plant_m2() {
        rows.push(("left out", format!("{outside:.3} m² outside the region")));
    }
    if let (Some(mean), Some(g)) = (truth.mean_inclination_deg, truth.projection.get(11)) {
        let above = truth.projection.first().copied().unwrap_or(f64::NAN);
        rows.push((
            "leaf angle",
            format!("{mean:.1}° in the mean, G(0°) {above:.3}, G(55°) {g:.3}"),
        ));
    }
    if !truth.stems.is_empty() {
        let (basal, number) = (truth.basal_area_m2_per_ha, truth.stems_per_ha);
        rows.push(("stems", format!("{}, {number:.0} on a hectare", truth.stems.len())));
        rows.push(("basal area", format!("{basal:.2} m² on a hectare")));
    }
    rows.push(("triangles", grouped(truth.triangles)));
    rows.extend(truth.remarks.iter().map(|remark| ("remark", remark.clone())));
    let mut table = Table::new(&[
        ("height (m)", Align::Right),
        ("leaf (m²/m³)", Align::Right),
        ("wood (m²/m³)", Align::Right),
        ("leaf above", Align::Right),
    ]);
    let layers = truth.profile.len();
    let thin = layers.div_ceil(ROWS).max(1);
    for rows in profile(truth).chunks(thin).rev() {
        let mean = |column: usize| rows.iter().map(|r| r[column]).sum::<f64>() / rows.len() as f64;
        let above = rows.first().map_or(0.0, |row| row[4]);
        table.row([
            format!("{:.2}", mean(0)),
            format!("{:.4}", mean(1)),
            format!("{:.4}", mean(2)),
            format!("{above:.3}"),
        ]);
    }
    format!("{}\n{}", facts(&rows), table.render())
}

/// Rows of height, densities of leaf, wood and other, and the leaf area index above the layer's foot.
fn profile(truth: &Truth) -> Vec<Vec<f64>> {
    let step = truth.grid.cell_m[2];
    let slab = truth.ground_area_m2 * step;
    let mut above = 0.0;
    let mut rows: Vec<Vec<f64>> = truth
        .profile
        .iter()
        .enumerate()
        .rev()
        .map(|(layer, areas)| {
            above += areas.leaf_m2 / truth.ground_area_m2;
            let height = (layer as f64 + 0.5) * step;
            let density = |area: f64| area / slab;
            let [leaf, wood] = [areas.leaf_m2, areas.wood_m2].map(density);
            vec![height, leaf, wood, density(areas.other_m2), above]
        })
        .collect();
    rows.reverse();
    rows
}

fn told<'a>(name: &'a str, truth: &'a Truth) -> Told<'a> {
    let cells = truth.grid.counts[2] as usize;
    let index = |areas: &Vec<f64>| -> Vec<f64> {
        let columns = areas.chunks(cells).map(|column| column.iter().sum::<f64>());
        columns.map(|area| area / truth.grid.column_area_m2()).collect()
    };
    Told {
        name,
        grid: &truth.grid,
        columns: truth.columns(),
        profile_head: vec![
            "height_m",
            "leaf_area_density_m2_m3",
            "wood_area_density_m2_m3",
            "other_area_density_m2_m3",
            "leaf_area_index_above",
        ],
        profile: profile(truth),
        lines: vec![(1, "leaf"), (2, "wood")],
        maps: vec![("leaf area index", index(&truth.voxels_m2[0]))],
    }
}

/// The stem map as CSV.
pub fn stems_csv(stems: &[Stem]) -> String {
    let mut text = String::from("x_m,y_m,diameter_m,basal_area_m2,height_m,object,name\n");
    for stem in stems {
        let height = stem.height_m.map_or(String::new(), |height| height.to_string());
        let name = stem.name.replace('"', "\"\"");
        let _ = writeln!(
            text,
            "{},{},{},{},{height},{},\"{name}\"",
            stem.x_m, stem.y_m, stem.diameter_m, stem.basal_area_m2, stem.object
        );
    }
    text
}

fn write_angles(path: &Path, truth: &Truth) -> Result<()> {
    let Some(table) = truth.inclinations() else {
        return Err(usage("--angles: there are no leaves whose angles could be written"));
    };
    let rows: Vec<Vec<f64>> = table
        .shares()
        .iter()
        .enumerate()
        .map(|(bin, share)| vec![table.middle_rad(bin).to_degrees(), *share])
        .collect();
    crate::voxels::write_table(path, &["inclination_deg", "share"], &rows)?;
    Ok(())
}
