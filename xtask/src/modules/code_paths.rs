//! The paths that code names: in imports, in expressions and types, and, as far as tokens show them,
//! in macros and attributes.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Meta, UseTree, Visibility};

/// A path in code: its segments, as they are written.
pub type CodePath = Vec<String>;

/// Whether others may see it everywhere.
pub fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Gathers paths and imports of an item.
#[derive(Default)]
pub struct Collector {
    pub paths: BTreeSet<CodePath>,
    /// Name, path, and whether it is exported again.
    pub imports: Vec<(String, CodePath, bool)>,
    pub globs: Vec<(CodePath, bool)>,
}

impl Collector {
    fn import(&mut self, tree: &UseTree, prefix: &[String], public: bool) {
        let with = |word: &dyn ToString| [prefix, &[word.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.import(&path.tree, &with(&path.ident), public),
            UseTree::Name(name) if name.ident == "self" => {
                let named = prefix.last().cloned().unwrap_or_default();
                self.imports.push((named, prefix.to_vec(), public));
            }
            UseTree::Name(name) => {
                self.imports.push((name.ident.to_string(), with(&name.ident), public));
            }
            UseTree::Rename(rename) => {
                let path =
                    if rename.ident == "self" { prefix.to_vec() } else { with(&rename.ident) };
                self.imports.push((rename.rename.to_string(), path, public));
            }
            UseTree::Glob(_) => self.globs.push((prefix.to_vec(), public)),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(tree, prefix, public));
            }
        }
    }

    /// Paths among tokens that are not parsed: those of macros and attributes.
    fn tokens(&mut self, tokens: TokenStream, texts_too: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_colon =
            |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ':');
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Group(group) => self.tokens(group.stream(), texts_too),
                TokenTree::Ident(first) => {
                    let mut path = vec![first.to_string()];
                    while is_colon(at)
                        && is_colon(at + 1)
                        && let Some(TokenTree::Ident(next)) = tokens.get(at + 2)
                    {
                        path.push(next.to_string());
                        at += 3;
                    }
                    self.paths.insert(path);
                }
                // Attributes name functions in texts: `#[serde(default = "a::b")]`.
                TokenTree::Literal(literal) if texts_too => {
                    let text = literal.to_string();
                    let text = text.trim_matches('"');
                    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
                    if !text.is_empty() && text.chars().all(plain) {
                        self.paths.insert(text.split("::").map(str::to_owned).collect());
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'a> Visit<'a> for Collector {
    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        if item.leading_colon.is_none() {
            self.import(&item.tree, &[], is_public(&item.vis));
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.leading_colon.is_none() {
            let segments = path.segments.iter().map(|segment| segment.ident.to_string());
            self.paths.insert(segments.collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invoked: &'a syn::Macro) {
        self.visit_path(&invoked.path);
        self.tokens(invoked.tokens.clone(), false);
    }

    fn visit_attribute(&mut self, attribute: &'a Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone(), true);
        }
    }

    /// `pub(in path)` uses nothing.
    fn visit_visibility(&mut self, _: &'a Visibility) {}
}
