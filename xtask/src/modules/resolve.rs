//! Which module defines what a path names.
//!
//! What enters: a tree of modules and a path as one of them writes it. What leaves: the modules that
//! are used by it. Imports and re-exports are followed to the module that defines the item; a module
//! whose re-export a path goes through is used as well, unless it stands above the one that writes
//! the path. Names that lead out of the crate use nothing.

use std::collections::BTreeSet;

use super::source::{Crate, Named, What};

/// Where a path leads.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    Module(usize),
    /// An item of a module, by its name there.
    Item(usize, String),
}

impl Target {
    fn module(&self) -> usize {
        match self {
            Target::Module(module) | Target::Item(module, _) => *module,
        }
    }
}

/// A path that is being followed.
struct Search<'a> {
    tree: &'a Crate,
    /// Modules whose re-exports were used.
    through: BTreeSet<usize>,
    /// Names that are being looked up: some re-exports go in circles.
    open: BTreeSet<(usize, String)>,
}

impl Crate {
    /// The modules that `path` uses where `from` writes it.
    pub fn used_modules(&self, from: usize, path: &[String]) -> BTreeSet<usize> {
        let mut search = Search { tree: self, through: BTreeSet::new(), open: BTreeSet::new() };
        let targets = search.follow(from, path);
        let through = search.through.into_iter().filter(|&at| !self.is_above(at, from));
        targets.iter().map(Target::module).chain(through).collect()
    }

    /// Where `path` leads.
    pub fn targets(&self, from: usize, path: &[String]) -> BTreeSet<Target> {
        Search { tree: self, through: BTreeSet::new(), open: BTreeSet::new() }.follow(from, path)
    }

    /// Whether `upper` is `lower` or one of its ancestors.
    fn is_above(&self, upper: usize, lower: usize) -> bool {
        self.modules[lower].path.starts_with(&self.modules[upper].path)
    }
}

impl Search<'_> {
    fn follow(&mut self, from: usize, path: &[String]) -> BTreeSet<Target> {
        let Some(first) = path.first() else {
            return BTreeSet::new();
        };
        match first.as_str() {
            "crate" | "$crate" => self.walk(0, path.get(1..).unwrap_or_default(), true),
            "self" if path.len() > 1 => self.walk(from, path.get(1..).unwrap_or_default(), true),
            "super" => {
                let ups = path.iter().take_while(|word| *word == "super").count();
                let at = (0..ups).try_fold(from, |at, _| self.tree.modules[at].parent);
                let rest = path.get(ups..).unwrap_or_default();
                at.map_or(BTreeSet::new(), |at| self.walk(at, rest, true))
            }
            // A name of this module, of another crate, or of a variable.
            _ => self.walk(from, path, false),
        }
    }

    /// Follows the rest of a path from `module` on. `explicit`: the path named this module, so that a
    /// name that is not seen here was made by a macro of it.
    fn walk(&mut self, module: usize, path: &[String], explicit: bool) -> BTreeSet<Target> {
        let Some((name, rest)) = path.split_first() else {
            return BTreeSet::from([Target::Module(module)]);
        };
        if !self.open.insert((module, name.clone())) {
            return BTreeSet::new();
        }
        let found = self.meanings(module, name, rest);
        self.open.remove(&(module, name.clone()));
        if found.is_empty() && explicit {
            return BTreeSet::from([Target::Item(module, name.clone())]);
        }
        found
    }

    fn meanings(&mut self, module: usize, name: &str, rest: &[String]) -> BTreeSet<Target> {
        let tree = self.tree;
        let mut found = BTreeSet::new();
        let named = tree.modules[module].names.get(name).map(Vec::as_slice).unwrap_or_default();
        let is_child = |named: &&Named| matches!(named.what, What::Child(_));
        // A module and a function of one name: what follows tells which is meant.
        let child_meant = named.iter().any(|named| is_child(&named)) && !rest.is_empty();
        for named in named.iter().filter(|named| !child_meant || is_child(named)) {
            match &named.what {
                What::Item => drop(found.insert(Target::Item(module, name.to_owned()))),
                What::Child(child) => found.extend(self.walk(*child, rest, true)),
                What::Import(path) => {
                    let whole = [path.as_slice(), rest].concat();
                    let beyond = self.follow(module, &whole);
                    if !beyond.is_empty() {
                        self.through.insert(module);
                    }
                    found.extend(beyond);
                }
            }
        }
        if !found.is_empty() || !named.is_empty() {
            return found;
        }
        for (glob, _) in &tree.modules[module].globs {
            for target in self.follow(module, glob) {
                if let Target::Module(other) = target {
                    let whole = [&[name.to_owned()], rest].concat();
                    found.extend(self.walk(other, &whole, false));
                }
            }
        }
        if !found.is_empty() {
            self.through.insert(module);
        }
        found
    }
}
