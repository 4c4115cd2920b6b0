//! Runs the demo and puts its picture where the README shows it: `docs/images/demo.png`.

use std::fs;

use anyhow::{Context, Result};

use crate::shell::{cargo, root, run, target_dir};

/// Simulates the demo and replaces the picture.
pub fn refresh() -> Result<()> {
    let out = target_dir()?.join("demo-picture");
    let mut demo = cargo(["run", "--release", "--locked", "--", "demo", "--out"]);
    run(demo.arg(&out))?;
    let (made, shown) = (out.join("demo.png"), root().join("docs/images/demo.png"));
    fs::copy(&made, &shown)
        .with_context(|| format!("cannot copy {} to {}", made.display(), shown.display()))?;
    println!("wrote {}", shown.display());
    Ok(())
}
