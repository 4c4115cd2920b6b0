//! All that was reproduced as one page of Markdown, with its plots beside it.

use std::collections::BTreeMap;
use std::path::Path;

use super::rows::{deviation, limits, number, verdict};
use super::{Done, Picture};

/// How the page came about.
pub struct Made<'a> {
    /// Names that were requested.
    pub names: &'a [String],
    /// Where the plots are.
    pub folder: &'a Path,
    pub full: bool,
    pub seed: u64,
    pub seconds: f64,
}

/// The page.
pub fn text(made: &Made<'_>, all: &[Done]) -> String {
    let folder = made.folder.file_name().unwrap_or_default().to_string_lossy();
    let full = if made.full { " --full" } else { "" };
    let sizes = if made.full {
        "with the papers' sample sizes"
    } else {
        "in the quick version (`--full` takes the papers' sample sizes)"
    };
    let mut page = format!(
        "# Validation\n\n\
         This page was written by `understory reproduce {}{full} --seed {} -o {}`; change the reproductions, not the page.\n\n\
         Tables and figures of the papers, worked out anew by Understory {} {sizes}, with seed {}, in {:.0} s.\n\n\
         {}\n",
        made.names.join(" "),
        made.seed,
        made.folder.display(),
        env!("CARGO_PKG_VERSION"),
        made.seed,
        made.seconds,
        summary(all),
    );
    page += "\nA finding *agrees* if ours lies within limits that a wrong formula would break; it *differs as explained* where the paper errs or tells of other targets, again within limits; it is *informational* where there is nothing to hold it against. Limits say where they come from and, where chance plays, how probable it is that a right program fails them.\n\n";
    for done in all {
        let (name, about) = (done.of.name, done.of.about);
        let counts = counts(std::slice::from_ref(done));
        page += &format!("- [{name}](#{}): {about} ({counts})\n", anchor(name));
    }
    for done in all {
        page += &section(done, &folder);
    }
    page
}

/// How many findings there are.
fn summary(all: &[Done]) -> String {
    let total: usize = all.iter().map(|done| done.found.findings.len()).sum();
    format!("{} reproductions, {total} findings: {}.", all.len(), counts(all))
}

/// How many findings say what.
fn counts(all: &[Done]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let findings = all.iter().flat_map(|done| &done.found.findings);
    for finding in findings {
        *counts.entry(verdict(finding)).or_default() += 1;
    }
    let plural = |word: &str| word.replacen("agrees", "agree", 1).replacen("differs", "differ", 1);
    let parts: Vec<String> =
        counts.iter().map(|(word, count)| format!("{count} {}", plural(word))).collect();
    parts.join(", ")
}

fn section(done: &Done, folder: &str) -> String {
    let found = &done.found;
    let mut text = format!("\n## {}\n\n{}.\n\n{}\n\n", done.of.name, done.of.about, found.method);
    text += "| quantity | paper | ours | deviation | verdict | held against |\n";
    text += "| --- | ---: | ---: | ---: | --- | --- |\n";
    for finding in &found.findings {
        let held = limits(finding).map_or(String::new(), |(low, high, why)| {
            format!("{} … {}: {why}", number(low), number(high))
        });
        let cells = [
            finding.quantity.clone(),
            finding.paper.map(number).unwrap_or_default(),
            number(finding.ours),
            deviation(finding),
            verdict(finding).to_owned(),
            held,
        ];
        text += &format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
    for plot in &done.plots {
        text += &picture(plot, folder);
    }
    if !found.remarks.is_empty() {
        text.push('\n');
    }
    for remark in &found.remarks {
        text += &format!("- {remark}\n");
    }
    text
}

fn picture(plot: &Picture, folder: &str) -> String {
    let Picture { name, title, has_svg } = plot;
    let svg = if *has_svg { format!(" ([SVG]({folder}/{name}.svg))") } else { String::new() };
    format!("\n![{title}]({folder}/{name}.png)\n\n{title}{svg}\n")
}

/// What a heading is linked by.
fn anchor(heading: &str) -> String {
    heading.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == '-').collect()
}
