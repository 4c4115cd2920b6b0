//! The public surface of a crate: the items that others can name, each counted once wherever it is
//! exported.

use std::collections::BTreeSet;

use super::resolve::Target;
use super::source::{Crate, What};

/// How many items others can name.
pub fn public_items(tree: &Crate) -> usize {
    let mut items = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![0];
    while let Some(module) = open.pop() {
        if !seen.insert(module) {
            continue;
        }
        let mut reach = |target: Target| match target {
            Target::Module(module) => open.push(module),
            Target::Item(module, name) => drop(items.insert((module, name))),
        };
        for (name, meanings) in &tree.modules[module].names {
            for named in meanings.iter().filter(|named| named.public) {
                match &named.what {
                    What::Item => reach(Target::Item(module, name.clone())),
                    What::Child(child) => reach(Target::Module(*child)),
                    What::Import(path) => {
                        tree.targets(module, path).into_iter().for_each(&mut reach)
                    }
                }
            }
        }
        for (glob, _) in tree.modules[module].globs.iter().filter(|(_, public)| *public) {
            tree.targets(module, glob).into_iter().for_each(&mut reach);
        }
    }
    items.len()
}
