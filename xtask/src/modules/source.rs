//! The modules of a crate as its sources have them.
//!
//! What enters: the root file of a crate. What leaves: a tree of modules, each with the names that it
//! defines and imports, the paths that its code uses, and its lines of code. Code for tests
//! (`#[cfg(test)]`, `#[test]`) is left out before anything is counted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use syn::visit::Visit;
use syn::{Attribute, Item, Meta};

use super::code_paths::{CodePath, Collector, is_public};
use super::product_code;

/// One module of a crate.
#[derive(Default)]
pub struct Module {
    /// From the root, without `crate`.
    pub path: CodePath,
    pub parent: Option<usize>,
    /// What each name may mean here; a function and a module may share one.
    pub names: BTreeMap<String, Vec<Named>>,
    /// Modules whose names are all imported, and whether they are exported again.
    pub globs: Vec<(CodePath, bool)>,
    /// Paths in code and imports.
    pub uses: BTreeSet<CodePath>,
}

/// What a name means.
#[derive(Clone)]
pub struct Named {
    pub what: What,
    pub public: bool,
}

#[derive(Clone)]
pub enum What {
    /// An item that is defined here.
    Item,
    /// A child module, by its index.
    Child(usize),
    /// Something that a path leads to.
    Import(CodePath),
}

/// A crate: its root is the first module.
pub struct Crate {
    pub name: String,
    pub modules: Vec<Module>,
    /// Lines of code, without tests, comments and blank lines.
    pub lines: usize,
}

impl Crate {
    /// Reads the crate whose root file this is.
    pub fn read(name: &str, root: &Path) -> Result<Crate> {
        let mut found = Crate { name: name.to_owned(), modules: Vec::new(), lines: 0 };
        let folder = root.parent().unwrap_or(root).to_path_buf();
        found.modules.push(Module::default());
        found.read_file(0, root, &folder)?;
        Ok(found)
    }

    /// Reads one file into its module; files of its children are in `folder`.
    fn read_file(&mut self, module: usize, file: &Path, folder: &Path) -> Result<()> {
        let text =
            fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let mut parsed =
            syn::parse_file(&text).with_context(|| format!("cannot parse {}", file.display()))?;
        product_code::remove_tests(&mut parsed);
        self.lines += product_code::lines(&parsed);
        self.read_items(module, &parsed.items, file, folder)
    }

    fn read_items(
        &mut self,
        module: usize,
        items: &[Item],
        file: &Path,
        folder: &Path,
    ) -> Result<()> {
        for item in items {
            if let Item::Mod(child) = item {
                self.read_child(module, child, file, folder)?;
                continue;
            }
            if let Some((name, public)) = defined(item) {
                self.name(module, name, Named { what: What::Item, public });
            }
            let mut collector = Collector::default();
            collector.visit_item(item);
            for (name, path, public) in collector.imports {
                self.modules[module].uses.insert(path.clone());
                self.name(module, name, Named { what: What::Import(path), public });
            }
            self.modules[module].globs.extend(collector.globs);
            self.modules[module].uses.extend(collector.paths);
        }
        Ok(())
    }

    fn read_child(
        &mut self,
        parent: usize,
        child: &syn::ItemMod,
        file: &Path,
        folder: &Path,
    ) -> Result<()> {
        let name = child.ident.to_string();
        let index = self.modules.len();
        let mut path = self.modules[parent].path.clone();
        path.push(name.clone());
        self.modules.push(Module { path, parent: Some(parent), ..Module::default() });
        let public = is_public(&child.vis);
        self.name(parent, name.clone(), Named { what: What::Child(index), public });
        let inner = folder.join(&name);
        if let Some((_, items)) = &child.content {
            return self.read_items(index, items, file, &inner);
        }
        let named = child.attrs.iter().find_map(path_attribute);
        let beside = |path: String| file.parent().unwrap_or(folder).join(path);
        let candidates: Vec<PathBuf> = match named {
            Some(path) => vec![beside(path)],
            None => vec![folder.join(format!("{name}.rs")), inner.join("mod.rs")],
        };
        let found = candidates.iter().find(|candidate| candidate.is_file());
        let found = found.with_context(|| format!("{} has no module {name}", file.display()))?;
        self.read_file(index, found, &inner)
    }

    fn name(&mut self, module: usize, name: String, named: Named) {
        self.modules[module].names.entry(name).or_default().push(named);
    }
}

/// The name that an item defines, and whether it is public.
fn defined(item: &Item) -> Option<(String, bool)> {
    let (ident, public) = match item {
        Item::Const(item) => (&item.ident, is_public(&item.vis)),
        Item::Enum(item) => (&item.ident, is_public(&item.vis)),
        Item::Fn(item) => (&item.sig.ident, is_public(&item.vis)),
        Item::Static(item) => (&item.ident, is_public(&item.vis)),
        Item::Struct(item) => (&item.ident, is_public(&item.vis)),
        Item::Trait(item) => (&item.ident, is_public(&item.vis)),
        Item::Type(item) => (&item.ident, is_public(&item.vis)),
        Item::Union(item) => (&item.ident, is_public(&item.vis)),
        Item::Macro(item) => {
            let exported = item.attrs.iter().any(|a| a.path().is_ident("macro_export"));
            (item.ident.as_ref()?, exported)
        }
        _ => return None,
    };
    Some((ident.to_string(), public))
}

fn path_attribute(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(literal) = &pair.value else { return None };
    let syn::Lit::Str(path) = &literal.lit else { return None };
    pair.path.is_ident("path").then(|| path.value())
}
