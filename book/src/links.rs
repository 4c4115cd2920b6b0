//! Links of a folder of pages, followed within it; and pages that no chapter has.
//!
//! What enters: the folder of the finished book, or that of its sources. What leaves: a line for each
//! link whose file or whose place in the file does not exist, and for each page that the table of
//! contents forgets. Links to other hosts are left alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;
use regex_lite::Regex;
use walkdir::WalkDir;

/// Pages of `docs` that its `SUMMARY.md` does not name.
pub fn pages_without_chapter(docs: &Path) -> Result<Vec<String>> {
    let summary = fs::read_to_string(docs.join("SUMMARY.md"))?;
    let named: BTreeSet<&str> =
        summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    let mut forgotten = Vec::new();
    for entry in WalkDir::new(docs).sort_by_file_name() {
        let path = entry?.into_path();
        let name = path.strip_prefix(docs)?.to_string_lossy().replace('\\', "/");
        if name.ends_with(".md")
            && !name.ends_with("README.md")
            && name != "SUMMARY.md"
            && !named.contains(name.as_str())
        {
            forgotten.push(format!("{name}: no chapter of SUMMARY.md has it"));
        }
    }
    Ok(forgotten)
}

/// Links in the pages below `book` that lead nowhere.
pub fn dead(book: &Path) -> Result<Vec<String>> {
    let target = Regex::new(r#"\s(?:href|src)="([^"]*)""#)?;
    let place = Regex::new(r#"\s(?:id|name)="([^"]*)""#)?;
    let mut pages: BTreeMap<PathBuf, String> = BTreeMap::new();
    for entry in WalkDir::new(book) {
        let path = entry?.into_path();
        // The page for addresses that do not exist has links from the root of a server.
        if path.extension().is_some_and(|extension| extension == "html")
            && !path.ends_with("404.html")
        {
            pages.insert(normal(&path), fs::read_to_string(&path)?);
        }
    }
    let places: BTreeMap<&Path, BTreeSet<&str>> = pages
        .iter()
        .map(|(path, text)| {
            let found = place.captures_iter(text).filter_map(|found| found.get(1));
            (path.as_path(), found.map(|found| found.as_str()).collect())
        })
        .collect();
    let mut dead = Vec::new();
    for (path, text) in &pages {
        let folder = path.parent().unwrap_or(book);
        for link in target.captures_iter(text).filter_map(|found| found.get(1)) {
            let link = link.as_str();
            if link.contains("://")
                || ["data:", "mailto:", "javascript:"].iter().any(|s| link.starts_with(s))
            {
                continue;
            }
            let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
            let file = file.split('?').next().unwrap_or_default();
            let to = if file.is_empty() { path.clone() } else { normal(&folder.join(file)) };
            let alive = match places.get(to.as_path()) {
                Some(places) => fragment.is_empty() || places.contains(fragment),
                None => to.exists(),
            };
            if !alive {
                dead.push(format!(
                    "{}: {link} leads nowhere",
                    path.strip_prefix(normal(book))?.display()
                ));
            }
        }
    }
    dead.dedup();
    Ok(dead)
}

/// A path without `..` in the middle.
fn normal(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_links_and_forgotten_pages_are_found() {
        let folder = std::env::temp_dir().join(format!("understory-book-{}", std::process::id()));
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "a.html",
            "<a href=\"b/c.html#here\">x</a> <img src=\"p.png\"> <a href=\"b/c.html#there\"> <a href=\"https://x.invalid/y\"> <a href=\"gone.html\">",
        );
        write("b/c.html", "<h2 id=\"here\">h</h2> <a href=\"../a.html\">x</a> <a href=\"#here\">");
        write("p.png", "");
        write("SUMMARY.md", "- [a](a.md)\n");
        write("a.md", "");
        write("b/c.md", "");
        let found = dead(&folder).unwrap();
        let forgotten = pages_without_chapter(&folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(
            found,
            ["a.html: b/c.html#there leads nowhere", "a.html: gone.html leads nowhere"]
        );
        assert_eq!(forgotten, ["b/c.md: no chapter of SUMMARY.md has it"]);
    }
}
