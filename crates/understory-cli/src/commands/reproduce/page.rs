//! All that was reproduced as one page of Markdown, with its plots beside it.
//!
//! What enters: what was reproduced now, and the page that is there already, if there is one. What
//! leaves: the page with new sections for the former; all others stay, so that long ones are worked
//! out one by one and timed ones on a quiet machine. The list and the counts follow from the
//! sections.

use std::collections::BTreeMap;
use std::path::Path;

use super::rows::{deviation, limits, number, verdict};
use super::{Done, Picture};

/// How the sections came about.
pub struct Made<'a> {
    /// Where the plots are.
    pub folder: &'a Path,
    pub full: bool,
    pub seed: u64,
}

/// What a section with fewer samples than the paper's begins with.
const SHORT: &str = "Quick version";

/// The page.
pub fn text(made: &Made<'_>, all: &[Done], before: Option<&str>) -> String {
    let folder = made.folder.file_name().unwrap_or_default().to_string_lossy();
    let mut sections = before.map(sections).unwrap_or_default();
    for done in all {
        sections.insert(done.of.name.to_owned(), section(made, done, &folder));
    }
    // What is reproduced no longer goes; the others in their order.
    let known = understory_papers::ALL.iter();
    let ordered: Vec<_> =
        known.filter_map(|one| Some((one, sections.get(one.name)?.as_str()))).collect();
    let whole: Vec<&str> = ordered.iter().map(|(_, text)| *text).collect();
    let mut page = format!(
        "# Validation\n\n\
         This page was written by `understory reproduce … -o {}`, section by section; change the reproductions, not the page.\n\n\
         Tables and figures of the papers, worked out anew by Understory {}.\n\n\
         {} reproductions, {} findings: {}.\n",
        made.folder.display(),
        env!("CARGO_PKG_VERSION"),
        ordered.len(),
        whole.iter().flat_map(|text| verdicts(text)).count(),
        counts(&whole),
    );
    page += &sizes(ordered.iter().map(|(one, text)| (one.name, *text)));
    page += "\nA finding *agrees* if ours lies within limits that a wrong formula would break; it *differs as explained* where the paper errs or tells of other targets, again within limits; it is *informational* where there is nothing to hold it against. Limits say where they come from and, where chance plays, how probable it is that a right program fails them. Where the paper states a number, the upper limit is less than four times the lower one; where it only says in words what is larger, the limits are those words.\n\n";
    for (one, text) in &ordered {
        let counts = counts(std::slice::from_ref(text));
        page += &format!("- [{}](#{}): {} ({counts})\n", one.name, anchor(one.name), one.about);
    }
    page + &whole.concat()
}

/// Which sections have the papers' sample sizes.
fn sizes<'a>(sections: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let (short, whole): (Vec<_>, Vec<_>) =
        sections.partition(|(_, text)| text.contains(&format!("\n\n{SHORT}, seed ")));
    if short.is_empty() {
        return "\nAll have the papers' sample sizes.\n".to_owned();
    }
    let names: Vec<String> =
        short.iter().map(|(name, _)| format!("[{name}](#{})", anchor(name))).collect();
    format!(
        "\n{} have the papers' sample sizes. Short versions of fewer samples, because nobody had a machine to themselves for as long as the whole takes: {}.\n",
        whole.len(),
        names.join(", ")
    )
}

/// The sections of a page by their names, each with its heading.
fn sections(page: &str) -> BTreeMap<String, String> {
    const HEADING: &str = "\n## ";
    let starts: Vec<usize> = page.match_indices(HEADING).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([page.len()]);
    let section = |(start, end): (&usize, usize)| {
        let text = page.get(*start..end)?;
        let name = text.get(HEADING.len()..)?.lines().next()?;
        Some((name.to_owned(), text.to_owned()))
    };
    starts.iter().zip(ends).filter_map(section).collect()
}

/// The verdicts of the rows of a section's table.
fn verdicts(section: &str) -> impl Iterator<Item = &str> {
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(2);
    rows.filter_map(|row| cells(row).nth(4))
}

/// The cells of a row; bars within them are escaped.
fn cells(row: &str) -> impl Iterator<Item = &str> {
    let inner = row.trim_start_matches("| ").trim_end_matches(" |");
    inner.split(" | ")
}

/// How many findings say what.
fn counts(sections: &[&str]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for verdict in sections.iter().flat_map(|section| verdicts(section)) {
        *counts.entry(verdict).or_default() += 1;
    }
    let plural = |word: &str| word.replacen("agrees", "agree", 1).replacen("differs", "differ", 1);
    let parts: Vec<String> =
        counts.iter().map(|(word, count)| format!("{count} {}", plural(word))).collect();
    parts.join(", ")
}

fn section(made: &Made<'_>, done: &Done, folder: &str) -> String {
    let found = &done.found;
    let sizes = if made.full { "With the paper's sample sizes" } else { SHORT };
    let how = format!("{sizes}, seed {}, {:.0} s.", made.seed, done.seconds);
    let Done { of, .. } = done;
    let mut text = format!("\n## {}\n\n{}.\n\n{how} {}\n\n", of.name, of.about, found.method);
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

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Validation\n\n- [a](#a): x\n\n## a\n\nx.\n\n| quantity | paper | ours | deviation | verdict | held against |\n| --- | ---: | ---: | ---: | --- | --- |\n| σ \\| τ |  | 2 |  | agrees | 1 … 3: z |\n| b | 1 | 2 |  | informational |  |\n\n## c\n\ny\n";

    #[test]
    fn sections_are_found_again() {
        let found = sections(PAGE);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["a", "c"]);
        assert_eq!(found["c"], "\n## c\n\ny\n");
        assert_eq!(verdicts(&found["a"]).collect::<Vec<_>>(), ["agrees", "informational"]);
        assert_eq!(counts(&[&found["a"], &found["c"]]), "1 agree, 1 informational");
        let all =
            [("a", "\n## a\n\nx.\n\nWith"), ("b.1", "\n## b.1\n\nx.\n\nQuick version, seed 5")];
        let said = sizes(all.into_iter());
        assert!(said.starts_with("\n1 have ") && said.ends_with(": [b.1](#b1).\n"), "{said}");
        assert_eq!(sizes(all.into_iter().take(1)), "\nAll have the papers' sample sizes.\n");
    }
}
