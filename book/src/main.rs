//! Builds the book: `docs/` with its table of contents becomes a folder of pages that can be read
//! without a server, and every link in them is followed.
//!
//! `cargo xtask book` starts this; it is apart from `xtask`, so that nobody else has to compile mdBook.

// This program talks to a person at a terminal; that is all it does.
#![allow(clippy::print_stdout)]

mod links;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use mdbook_driver::MDBook;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(docs), Some(out)) = (arguments.next(), arguments.next()) else {
        bail!("usage: understory-book DOCS OUT");
    };
    let mut book =
        MDBook::load(&docs).map_err(|error| anyhow::anyhow!("{}: {error:#}", docs.display()))?;
    book.config.build.build_dir = std::path::absolute(&out)?;
    book.build().map_err(|error| anyhow::anyhow!("the book cannot be built: {error:#}"))?;
    let unlisted = links::pages_without_chapter(&docs)?;
    let dead = links::dead(&out).context("the links cannot be followed")?;
    for complaint in unlisted.iter().chain(&dead) {
        println!("{complaint}");
    }
    if !unlisted.is_empty() || !dead.is_empty() {
        bail!("{} pages are in no chapter, {} links are dead", unlisted.len(), dead.len());
    }
    println!("{}", out.join("index.html").display());
    Ok(())
}
