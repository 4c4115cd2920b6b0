//! Small crates written into a temporary folder, with circles that are known.

use std::fs;
use std::path::PathBuf;

use super::*;

/// A crate of these files, in a folder of the test's own.
fn tree(name: &str, files: &[(&str, &str)]) -> Crate {
    let folder: PathBuf = std::env::temp_dir().join(format!("xtask-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let tree = Crate::read(name, &folder.join("lib.rs")).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    tree
}

fn circles(tree: &Crate) -> Vec<String> {
    let found = Report::of(tree).components;
    found.iter().map(|c| format!("{}: {}", c.parent, c.children.join(" "))).collect()
}

#[test]
fn a_circle_is_found_and_one_direction_is_none() {
    let circle = tree(
        "circle",
        &[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "pub struct A; fn f(_: crate::b::B) {}"),
            ("b.rs", "use super::a::A; pub struct B; fn f(_: A, _: crate::c::C) {}"),
            ("c.rs", "pub struct C;"),
        ],
    );
    assert_eq!(circles(&circle), ["crate: a b"]);
}

#[test]
fn re_exports_lead_to_the_module_that_defines() {
    let through_root = tree(
        "root",
        &[
            ("lib.rs", "mod a; mod b; pub use a::A; pub use b::*; pub fn of_the_root() {}"),
            ("a.rs", "use crate::B; pub struct A;"),
            ("b.rs", "use crate::{A, of_the_root}; pub struct B;"),
        ],
    );
    assert_eq!(circles(&through_root), ["crate: a b"]);
    let only_root = tree(
        "own",
        &[
            ("lib.rs", "mod a; mod b; pub use a::A; pub fn of_the_root() {}"),
            ("a.rs", "pub struct A; fn f() { crate::of_the_root() }"),
            ("b.rs", "use crate::{A, of_the_root};"),
        ],
    );
    assert!(circles(&only_root).is_empty());
}

#[test]
fn uses_deep_below_count_for_the_child() {
    let deep = tree(
        "deep",
        &[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub mod inner; mod other;"),
            ("a/inner.rs", "pub struct Inner; fn f() { super::other::g() }"),
            ("a/other.rs", "use crate::b; pub fn g() -> b::B { b::B }"),
            ("b.rs", "pub struct B; fn f(_: crate::a::inner::Inner) {}"),
        ],
    );
    assert_eq!(circles(&deep), ["crate: a b"]);
}

#[test]
fn a_parent_and_its_child_are_no_circle() {
    let family = tree(
        "family",
        &[
            ("lib.rs", "mod a;"),
            ("a.rs", "mod child; pub struct A; pub use child::C;"),
            ("a/child.rs", "use super::A; pub struct C(A);"),
        ],
    );
    assert!(circles(&family).is_empty());
}

#[test]
fn tests_do_not_count_and_macros_and_attributes_do() {
    let tests = tree(
        "tests",
        &[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }"),
            ("b.rs", "use crate::a::A; pub struct B;"),
        ],
    );
    assert!(circles(&tests).is_empty());
    let hidden = tree(
        "hidden",
        &[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "pub fn a() { println!(\"{}\", crate::b::b()) }"),
            (
                "b.rs",
                "#[derive(D)] struct B { #[serde(default = \"crate::c::c\")] c: u8 } pub fn b() {}",
            ),
            ("c.rs", "pub fn c() { crate::a::a() }"),
        ],
    );
    assert_eq!(circles(&hidden), ["crate: a b c"]);
}

#[test]
fn a_function_and_a_module_may_share_a_name() {
    let shared = tree(
        "shared",
        &[
            ("lib.rs", "mod learn; mod b; pub use learn::learn;"),
            ("learn.rs", "pub mod part; pub fn learn() { crate::b::f() }"),
            ("learn/part.rs", "pub struct Part;"),
            ("b.rs", "pub fn f() {}"),
        ],
    );
    assert!(circles(&shared).is_empty());
    assert_eq!(Report::of(&shared).public_items, 1);
}

#[test]
fn public_items_are_counted_once() {
    let surface = tree(
        "surface",
        &[
            ("lib.rs", "pub mod a; mod b; pub use a::A; pub use b::{B, hidden}; pub fn f() {}"),
            ("a.rs", "pub struct A; struct Private; pub(crate) struct Ours; pub const C: u8 = 1;"),
            ("b.rs", "pub struct B; pub struct Unreachable; pub mod hidden { pub fn g() {} }"),
        ],
    );
    // a::A, a::C, b::B, b::hidden::g, f.
    assert_eq!(Report::of(&surface).public_items, 5);
}

#[test]
fn the_list_of_allowed_circles_is_exact() {
    let circle = tree(
        "exact",
        &[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub fn a() { crate::b::b() }"),
            ("b.rs", "pub fn b() { crate::a::a() }"),
        ],
    );
    let reports = [Report::of(&circle)];
    assert!(unlike_allowed(&reports, &[("exact", "crate", &["a", "b"])]).is_empty());
    assert_eq!(unlike_allowed(&reports, &[]).len(), 1);
    assert_eq!(unlike_allowed(&reports, &[("exact", "crate", &["a", "b", "c"])]).len(), 2);
    assert_eq!(unlike_allowed(&[], &[("exact", "crate", &["a", "b"])]).len(), 1);
}

#[test]
fn folders_use_only_those_to_their_left() {
    let edge = |from: &str, to: &str| Edge {
        parent: "crate".to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
    };
    let order = ["files", "world", "pulse"];
    let fault = |edge: &Edge| wrong_way("understory", &order, edge, &BTreeSet::new());
    assert!(fault(&edge("pulse", "files")).is_none());
    assert!(fault(&edge("elsewhere", "pulse")).is_none());
    let sentence = fault(&edge("files", "pulse")).unwrap();
    assert!(sentence.starts_with("understory: files uses pulse,"), "{sentence}");
}
