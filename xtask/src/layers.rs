//! Which crate may use which, and which folder inside a crate: only those to its left, and front ends
//! never use each other. What enters: `cargo metadata` and the sources. What leaves: nothing, or a
//! sentence per violation.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::modules;
use crate::shell::{cargo_metadata, root};

const BASE: &str = "understory-base";
const GEOMETRY: &str = "understory-geometry";
const FILES: &str = "understory-files";
const CLOUD: &str = "understory-cloud";
const PLANTS: &str = "understory-plants";
const COMPARE: &str = "understory-compare";
const LEARN: &str = "understory-learn";
const LEAF_AREA: &str = "understory-leaf-area";
const SIMULATOR: &str = "understory";
const VIEW: &str = "understory-view";
const LIVE: &str = "understory-live";
const DRIVE: &str = "understory-drive";
const PAPERS: &str = "understory-papers";
const HELIOS: &str = "understory-helios";
const STUDIO: &str = "understory-studio";
/// What tests share: every crate may use it, for its tests alone.
const TESTING: &str = "understory-testing";

/// The libraries from left to right. What a front end uses is among them.
const LIBRARIES: &[&str] = &[
    BASE, GEOMETRY, FILES, HELIOS, CLOUD, PLANTS, COMPARE, LEARN, LEAF_AREA, SIMULATOR, VIEW, LIVE,
    DRIVE, PAPERS,
];

/// What the program uses: all of them, and the studio, which no other front end knows.
const WITH_STUDIO: &[&str] = &[
    BASE, GEOMETRY, FILES, HELIOS, CLOUD, PLANTS, COMPARE, LEARN, LEAF_AREA, SIMULATOR, VIEW, LIVE,
    DRIVE, PAPERS, STUDIO,
];

/// Each crate and those that it may use. This is the one place that says so.
const MAY_USE: &[(&str, &[&str])] = &[
    (BASE, &[]),
    (GEOMETRY, &[BASE]),
    (FILES, &[BASE]),
    (HELIOS, &[BASE, FILES]),
    (CLOUD, &[BASE, GEOMETRY, FILES]),
    (PLANTS, &[BASE, GEOMETRY, FILES]),
    (COMPARE, &[BASE, GEOMETRY, CLOUD]),
    (LEARN, &[BASE, GEOMETRY, CLOUD]),
    // Beside the simulator, which it never uses.
    (LEAF_AREA, &[BASE, GEOMETRY, CLOUD, PLANTS, LEARN]),
    (SIMULATOR, &[BASE, GEOMETRY, FILES, CLOUD, PLANTS, COMPARE, LEARN]),
    (VIEW, &[BASE, GEOMETRY, FILES, CLOUD, PLANTS, COMPARE, LEARN, SIMULATOR]),
    (LIVE, &[BASE, CLOUD]),
    (DRIVE, &[BASE, GEOMETRY, FILES, CLOUD, PLANTS, COMPARE, LEARN, SIMULATOR, VIEW, LIVE]),
    (PAPERS, &[BASE, GEOMETRY, FILES, CLOUD, PLANTS, COMPARE, LEARN, SIMULATOR, VIEW, LIVE, DRIVE]),
    // A front end by what it uses; a library because the program mounts it.
    (STUDIO, &[BASE, GEOMETRY, FILES, CLOUD, PLANTS, COMPARE, LEARN, SIMULATOR, VIEW, LIVE, DRIVE]),
    ("understory-cli", WITH_STUDIO),
    ("understory-py", LIBRARIES),
    ("understory-bench", LIBRARIES),
    ("understory-fuzz", WITH_STUDIO),
    (TESTING, &[]),
    ("understory-book", &[]),
    ("understory-model", &[]),
    ("xtask", &[TESTING]),
];

/// Folders inside a crate, from left to right.
const FOLDERS: &[(&str, &[&str])] =
    &[(SIMULATOR, &["world", "pulse", "sensor", "run", "scenario"])];

/// Fails with all violations in the workspace.
pub fn check() -> Result<()> {
    let violations = violations(&cargo_metadata(root())?)?;
    if !violations.is_empty() {
        bail!("{}", violations.join("\n"));
    }
    println!("crates only use crates to their left");
    modules::check(FOLDERS)
}

/// All violations in what `cargo metadata --no-deps` printed. Test and build dependencies count:
/// a test that needs a crate to the right belongs to that crate.
fn violations(metadata: &Value) -> Result<Vec<String>> {
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let name_of = |package: &Value| package["name"].as_str().map(str::to_owned);
    let members: Vec<String> = packages.iter().filter_map(name_of).collect();
    let mut found = Vec::new();
    for (package, member) in packages.iter().zip(&members) {
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| name == member) else {
            found.push(format!(
                "{member} is in no layer; add it to the table in xtask/src/layers.rs"
            ));
            continue;
        };
        let dependencies =
            package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_for_tests =
            |dependency: &&Value| dependency["name"] == TESTING && dependency["kind"] == "dev";
        let dependencies = dependencies.iter().filter(|dependency| !is_for_tests(dependency));
        for used in dependencies.filter_map(|dependency| dependency["name"].as_str()) {
            let ours = members.iter().any(|name| name == used);
            if ours && used != member && !allowed.contains(&used) {
                found.push(format!(
                    "{member} uses {used}, which does not stand to its left; move the shared code left or drop the dependency"
                ));
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn workspace(crates: &[(&str, &[&str])]) -> Value {
        let packages: Vec<Value> = crates
            .iter()
            .map(|(name, uses)| {
                let uses: Vec<Value> = uses.iter().map(|name| json!({ "name": name })).collect();
                json!({ "name": name, "dependencies": uses })
            })
            .collect();
        json!({ "packages": packages })
    }

    #[test]
    fn the_workspace_keeps_its_layers() {
        assert_eq!(violations(&cargo_metadata(root()).unwrap()).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn using_a_crate_to_the_left_is_fine() {
        let left = workspace(&[
            ("understory-geometry", &["glam"]),
            ("understory-cloud", &["las", "understory-geometry"]),
        ]);
        assert!(violations(&left).unwrap().is_empty());
    }

    #[test]
    fn using_a_crate_to_the_right_is_a_violation() {
        let right = workspace(&[("understory-geometry", &["understory"]), ("understory", &[])]);
        let found = violations(&right).unwrap();
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("understory-geometry uses understory,"), "{}", found[0]);
    }

    #[test]
    fn front_ends_never_use_each_other() {
        let pair = workspace(&[("understory-py", &["understory-cli"]), ("understory-cli", &[])]);
        assert_eq!(violations(&pair).unwrap().len(), 1);
    }

    #[test]
    fn plants_and_learning_stand_side_by_side() {
        let pair = workspace(&[
            ("understory-learn", &["understory-plants"]),
            ("understory-plants", &["understory-learn"]),
        ]);
        assert_eq!(violations(&pair).unwrap().len(), 2);
    }

    #[test]
    fn what_tests_share_is_for_tests_alone() {
        let mut workspace = workspace(&[
            ("understory-geometry", &["understory-testing"]),
            ("understory-testing", &[]),
        ]);
        assert_eq!(violations(&workspace).unwrap().len(), 1);
        workspace["packages"][0]["dependencies"][0]["kind"] = json!("dev");
        assert!(violations(&workspace).unwrap().is_empty());
    }

    #[test]
    fn a_crate_outside_the_table_is_a_violation() {
        let found = violations(&workspace(&[("understory-new", &[])])).unwrap();
        assert!(found[0].contains("is in no layer"), "{}", found[0]);
    }
}
