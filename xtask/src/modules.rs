//! `cargo xtask modules`: which modules use each other in a circle, lines of code and public items of
//! every crate, here or in another checkout.
//!
//! The definition of a circle is in `modules/cycles.rs`. The step `layers` of `cargo xtask test` fails
//! on any that is not in [`ALLOWED`].

mod code_paths;
mod cycles;
mod product_code;
mod resolve;
mod source;
mod surface;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::shell::{cargo_metadata, root};
use cycles::{Component, Edge};
use source::Crate;

/// Circles that are still there: crate, parent, children. A circle that is gone must go from here.
const ALLOWED: &[(&str, &str, &[&str])] = &[];

/// What to report.
#[derive(clap::Args)]
pub struct Arguments {
    /// Root of another checkout
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Only this crate, with the paths that make each edge of a circle
    #[arg(long = "crate", value_name = "NAME")]
    only: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What was found in one crate.
struct Report {
    name: String,
    modules: usize,
    lines: usize,
    public_items: usize,
    edges: BTreeMap<Edge, BTreeSet<String>>,
    components: Vec<Component>,
}

impl Report {
    fn of(tree: &Crate) -> Report {
        let edges = cycles::edges(tree);
        Report {
            name: tree.name.clone(),
            modules: tree.modules.len(),
            lines: tree.lines,
            public_items: surface::public_items(tree),
            components: cycles::components(edges.keys()),
            edges,
        }
    }

    fn json(&self) -> Value {
        let components = self
            .components
            .iter()
            .map(|component| json!({ "parent": component.parent, "children": component.children }));
        json!({
            "crate": self.name,
            "modules": self.modules,
            "lines": self.lines,
            "public_items": self.public_items,
            "cycles": components.collect::<Vec<_>>(),
        })
    }

    /// Prints the circles, and what makes each if `why`.
    fn print_cycles(&self, why: bool) {
        for component in &self.components {
            let children = component.children.join(", ");
            println!("{} {}: {children}", self.name, component.parent);
            let inside = |edge: &Edge| {
                edge.parent == component.parent
                    && component.children.contains(&edge.from)
                    && component.children.contains(&edge.to)
            };
            for (edge, paths) in self.edges.iter().filter(|(edge, _)| why && inside(edge)) {
                println!("  {} → {}", edge.from, edge.to);
                paths.iter().take(4).for_each(|path| println!("      {path}"));
                if paths.len() > 4 {
                    println!("      and {} more", paths.len() - 4);
                }
            }
        }
    }
}

/// Prints the report.
pub fn report(arguments: &Arguments) -> Result<()> {
    let mut reports = read(arguments.root.as_deref().unwrap_or(root()))?;
    if let Some(only) = &arguments.only {
        reports.retain(|report| report.name == *only);
    }
    if arguments.json {
        let crates: Vec<Value> = reports.iter().map(Report::json).collect();
        println!("{}", serde_json::to_string_pretty(&crates)?);
        return Ok(());
    }
    println!(
        "{:<22} {:>8} {:>8} {:>13} {:>7}",
        "crate", "modules", "lines", "public items", "cycles"
    );
    let line = |name: &str, [modules, lines, public, cycles]: [usize; 4]| {
        println!("{name:<22} {modules:>8} {lines:>8} {public:>13} {cycles:>7}");
    };
    let mut sums = [0; 4];
    for report in &reports {
        let counts = [report.modules, report.lines, report.public_items, report.components.len()];
        line(&report.name, counts);
        sums = std::array::from_fn(|at| sums[at] + counts[at]);
    }
    line("together", sums);
    reports.iter().for_each(|report| report.print_cycles(arguments.only.is_some()));
    Ok(())
}

/// Fails on circles that are not allowed, on allowed ones that are gone, and on folders that use
/// others to their right.
pub fn check(folders: &[(&str, &[&str])]) -> Result<()> {
    let reports = read(root())?;
    let mut faults = unlike_allowed(&reports, ALLOWED);
    for (name, order) in folders {
        let edges = reports.iter().filter(|report| report.name == *name).flat_map(|r| &r.edges);
        faults.extend(edges.filter_map(|(edge, paths)| wrong_way(name, order, edge, paths)));
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    match ALLOWED.len() {
        0 => println!("no modules use each other in a circle"),
        known => println!("no modules use each other in a circle but in {known} known ones"),
    }
    Ok(())
}

/// A sentence for each circle that is found and not allowed, or allowed and not found.
fn unlike_allowed(reports: &[Report], allowed: &[(&str, &str, &[&str])]) -> Vec<String> {
    let mut faults = Vec::new();
    for report in reports {
        for component in &report.components {
            let is_it = |(name, parent, children): &&(&str, &str, &[&str])| {
                *name == report.name
                    && *parent == component.parent
                    && component.children == *children
            };
            if !allowed.iter().any(|entry| is_it(&entry)) {
                faults.push(format!(
                    "modules of {} in {} use each other in a circle: {}; `cargo xtask modules --crate {}` says by which paths",
                    report.name,
                    component.parent,
                    component.children.join(", "),
                    report.name
                ));
            }
        }
    }
    for (name, parent, children) in allowed {
        let here = reports.iter().filter(|report| report.name == *name);
        let mut found = here.flat_map(|report| &report.components);
        if !found.any(|component| component.parent == *parent && component.children == *children) {
            faults.push(format!(
                "the circle of {} in {parent} of {name} is not there any more; take it from ALLOWED in xtask/src/modules.rs",
                children.join(", ")
            ));
        }
    }
    faults
}

/// A sentence if the edge leads from a folder to one on its right.
fn wrong_way(name: &str, order: &[&str], edge: &Edge, paths: &BTreeSet<String>) -> Option<String> {
    let position = |folder: &str| order.iter().position(|known| *known == folder);
    let (from, to) = (position(&edge.from)?, position(&edge.to)?);
    let wrong = edge.parent == "crate" && to > from;
    let example = paths.first().map(String::as_str).unwrap_or_default();
    wrong.then(|| {
        format!(
            "{name}: {} uses {}, which stands to its right ({example}); move the shared code left",
            edge.from, edge.to
        )
    })
}

/// Reads the libraries and programs of a workspace.
fn read(root: &Path) -> Result<Vec<Report>> {
    let metadata = cargo_metadata(root)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let mut reports = Vec::new();
    for package in packages {
        let name = package["name"].as_str().context("a package has no name")?;
        let targets = package["targets"].as_array().context("a package has no targets")?;
        let kinds = |target: &Value| target["kind"].as_array().cloned().unwrap_or_default();
        let is_bin = |target: &Value| kinds(target).iter().any(|kind| kind == "bin");
        let is_lib = |target: &Value| {
            kinds(target).iter().any(|kind| kind.as_str().is_some_and(|kind| kind.ends_with("lib")))
        };
        let has_lib = targets.iter().any(is_lib);
        for target in targets.iter().filter(|target| is_lib(target) || is_bin(target)) {
            let path = target["src_path"].as_str().context("a target has no file")?;
            let name = match (is_bin(target) && has_lib, target["name"].as_str()) {
                (true, Some(program)) => format!("{name} ({program})"),
                _ => name.to_owned(),
            };
            reports.push(Report::of(&Crate::read(&name, Path::new(path))?));
        }
    }
    Ok(reports)
}

#[cfg(test)]
mod tests;
