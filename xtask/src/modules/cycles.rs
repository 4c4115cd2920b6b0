//! Which modules use each other in a circle.
//!
//! What enters: a crate's modules. For every module there is a graph among its direct children: an
//! edge says that a child, or anything below it, uses an item that is defined in another child or
//! below it. What the parent's own file defines belongs to no child. What leaves: the edges, and the
//! strongly connected components of more than one child.

use std::collections::{BTreeMap, BTreeSet};

use super::code_paths::CodePath;
use super::source::Crate;

/// One child uses another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The module whose children they are, as a path.
    pub parent: String,
    pub from: String,
    pub to: String,
}

/// Children of one module that use each other in a circle.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Component {
    pub parent: String,
    pub children: Vec<String>,
}

/// All edges of a crate, each with the paths that make it: module and path in it.
pub fn edges(tree: &Crate) -> BTreeMap<Edge, BTreeSet<String>> {
    let mut edges: BTreeMap<Edge, BTreeSet<String>> = BTreeMap::new();
    for (index, module) in tree.modules.iter().enumerate() {
        let exported = module.globs.iter().filter(|(_, public)| *public).map(|(path, _)| path);
        // A name that is imported counts where it is imported.
        let is_imported = |path: &&CodePath| {
            path.len() == 1 && path.first().is_some_and(|name| module.names.contains_key(name))
        };
        for path in module.uses.iter().filter(|path| !is_imported(path)).chain(exported) {
            for used in tree.used_modules(index, path) {
                let used = &tree.modules[used].path;
                let common = module.path.iter().zip(used).take_while(|(a, b)| a == b).count();
                if let (Some(from), Some(to)) = (module.path.get(common), used.get(common)) {
                    let parent = spelled(module.path.get(..common).unwrap_or_default());
                    let edge = Edge { parent, from: from.clone(), to: to.clone() };
                    let example = format!("{}: {}", spelled(&module.path), path.join("::"));
                    edges.entry(edge).or_default().insert(example);
                }
            }
        }
    }
    edges
}

fn spelled(path: &[String]) -> String {
    std::iter::once("crate").chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join("::")
}

/// The components of more than one child.
pub fn components<'a>(edges: impl Iterator<Item = &'a Edge>) -> Vec<Component> {
    let mut graphs: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for edge in edges {
        let graph = graphs.entry(&edge.parent).or_default();
        graph.entry(&edge.from).or_default().insert(&edge.to);
    }
    let mut found = BTreeSet::new();
    for (parent, graph) in &graphs {
        let reached: BTreeMap<&str, BTreeSet<&str>> =
            graph.keys().map(|&child| (child, reached_from(child, graph))).collect();
        for (&child, beyond) in &reached {
            let returns = |other: &&&str| reached.get(**other).is_some_and(|r| r.contains(child));
            let circle: BTreeSet<&str> = beyond.iter().filter(returns).copied().collect();
            if circle.len() > 1 {
                let children = circle.into_iter().map(str::to_owned).collect();
                found.insert(Component { parent: (*parent).to_owned(), children });
            }
        }
    }
    found.into_iter().collect()
}

/// What can be reached from a child by one edge or more.
fn reached_from<'a>(
    child: &str,
    graph: &BTreeMap<&'a str, BTreeSet<&'a str>>,
) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![child];
    while let Some(at) = open.pop() {
        for &next in graph.get(at).into_iter().flatten() {
            if reached.insert(next) {
                open.push(next);
            }
        }
    }
    reached
}
