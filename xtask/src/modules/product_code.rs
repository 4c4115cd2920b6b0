//! What of a source file is part of the product: all but what is for tests alone (`#[cfg(test)]`,
//! `#[test]`), and how many lines of code that is, without comments and blank lines.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Item, Meta};

/// Takes out what is for tests alone.
pub fn remove_tests(file: &mut syn::File) {
    if file.attrs.iter().any(is_for_tests) {
        file.attrs.clear();
        file.items.clear();
    }
    WithoutTests.visit_file_mut(file);
}

/// The number of lines on which there is code.
pub fn lines(file: &syn::File) -> usize {
    let mut lines = BTreeSet::new();
    lines_of_code(file.to_token_stream(), &mut lines);
    lines.len()
}

/// Whether an attribute keeps what it stands at for tests.
fn is_for_tests(attribute: &Attribute) -> bool {
    if attribute.path().is_ident("test") {
        return true;
    }
    let Meta::List(list) = &attribute.meta else { return false };
    let words = |tokens: &TokenStream| -> Vec<String> {
        tokens.clone().into_iter().map(|token| token.to_string()).collect()
    };
    list.path.is_ident("cfg")
        && match list.tokens.clone().into_iter().collect::<Vec<_>>().as_slice() {
            [TokenTree::Ident(word)] => word == "test",
            [TokenTree::Ident(word), TokenTree::Group(all)] if word == "all" => {
                words(&all.stream()).iter().any(|word| word == "test")
            }
            _ => false,
        }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

struct WithoutTests;

fn is_product(item: &Item) -> bool {
    !attributes(item).iter().any(is_for_tests)
}

impl VisitMut for WithoutTests {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        file.items.retain(is_product);
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            items.retain(is_product);
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, block: &mut syn::ItemImpl) {
        block.items.retain(|item| match item {
            syn::ImplItem::Fn(function) => !function.attrs.iter().any(is_for_tests),
            syn::ImplItem::Const(constant) => !constant.attrs.iter().any(is_for_tests),
            _ => true,
        });
        visit_mut::visit_item_impl_mut(self, block);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.retain(|statement| match statement {
            syn::Stmt::Item(item) => is_product(item),
            syn::Stmt::Local(local) => !local.attrs.iter().any(is_for_tests),
            _ => true,
        });
        visit_mut::visit_block_mut(self, block);
    }
}

/// The lines on which there is a token; documentation is none.
fn lines_of_code(tokens: TokenStream, lines: &mut BTreeSet<usize>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if let TokenTree::Punct(mark) = &token
            && mark.as_char() == '#'
        {
            // `#[doc = …]` or `#![doc = …]`, which comments have become.
            let mut ahead = tokens.clone();
            let inner = ahead.next_if(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == '!'));
            if matches!(ahead.peek(), Some(TokenTree::Group(group)) if is_documentation(group)) {
                tokens.nth(usize::from(inner.is_some()));
                continue;
            }
        }
        if let TokenTree::Group(group) = &token {
            lines.insert(group.span_open().start().line);
            lines.insert(group.span_close().end().line);
            lines_of_code(group.stream(), lines);
        } else {
            let span = token.span();
            lines.extend(span.start().line..=span.end().line);
        }
    }
}

fn is_documentation(group: &proc_macro2::Group) -> bool {
    let mut tokens = group.stream().into_iter();
    matches!(tokens.next(), Some(TokenTree::Ident(word)) if word == "doc")
        && matches!(tokens.next(), Some(TokenTree::Punct(mark)) if mark.as_char() == '=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blank_lines_and_tests_are_no_lines_of_code() {
        let text = "//! About.

// A remark.
/// One.
#[derive(Debug)]
pub struct One {
    /// Its field.
    pub field: u8, // and more

    text: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;
}

#[cfg(all(test, unix))]
fn only_in_tests() {}

#[cfg(not(test))]
fn product() {
    #[cfg(test)]
    let unused = 1;
    let text = \"two
lines\";
}
";
        let mut file = syn::parse_file(text).unwrap();
        remove_tests(&mut file);
        // Five of the struct, five of the function.
        assert_eq!(lines(&file), 10);
        let mut tests = syn::parse_file("#![cfg(test)]\nfn one() {}\n").unwrap();
        remove_tests(&mut tests);
        assert_eq!(lines(&tests), 0);
    }
}
