//! Tables in `docs/` that are made from the tables in the code.
//!
//! `UNDERSTORY_UPDATE_DOCS=1 cargo nextest run -p understory-cloud docs` writes them anew.

use std::fs;
use std::path::Path;
use understory_cloud::{FormatInfo, formats};

/// Compares the part of a page between the two comments of this name, or replaces it.
fn check(page: &str, name: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let text = fs::read_to_string(&path).unwrap();
    let [begin, end] = ["begin", "end"].map(|which| format!("<!-- {which} generated: {name} -->"));
    let from = text.find(&begin).expect("the page has the first comment") + begin.len();
    let to = text.find(&end).expect("the page has the second comment");
    let wanted = format!("\n{wanted}");
    if std::env::var_os("UNDERSTORY_UPDATE_DOCS").is_some() {
        fs::write(&path, format!("{}{wanted}{}", &text[..from], &text[to..])).unwrap();
        return;
    }
    assert!(
        text[from..to] == wanted,
        "the table of {name} in docs/{page} is not current; run this test with UNDERSTORY_UPDATE_DOCS=1"
    );
}

#[test]
fn the_table_of_formats_is_current() {
    let row = |format: &FormatInfo| {
        let suffixes = format.suffixes.iter().chain(format.also_read);
        let suffixes: Vec<_> = suffixes.map(|suffix| format!("`{suffix}`")).collect();
        let FormatInfo { title, name, reads, writes, keeps, checked_with, .. } = format;
        let name = if *writes == "no" { String::new() } else { format!("`{name}`") };
        let suffixes = suffixes.join(", ");
        format!(
            "| {title} | {name} | {suffixes} | {reads} | {writes} | {keeps} | {checked_with} |\n"
        )
    };
    let head = "| format | `--format` | extension | read | written | what is kept | checked with |\n| --- | --- | --- | --- | --- | --- | --- |\n";
    let rows: String = formats().map(row).collect();
    check("formats.md", "formats", &format!("{head}{rows}"));
}
