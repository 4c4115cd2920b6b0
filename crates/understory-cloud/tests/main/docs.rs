//! Tables in `docs/` that are made from the tables in the code.
//!
//! `UNDERSTORY_UPDATE_DOCS=1 cargo nextest run -p understory-cloud docs` writes them anew.

use std::fs;
use std::path::Path;
use understory_cloud::{COLUMNS, ColumnInfo, FormatInfo, Source, formats};

/// Compares the part of a file between the two lines that speak of `name`, or replaces it.
fn check(file: &str, name: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    let text = fs::read_to_string(&path).unwrap();
    let (first, last) = (format!("begin generated: {name}"), format!("end generated: {name}"));
    let from = text.find(&first).expect("the file has the first line");
    let from = from + text[from..].find('\n').unwrap() + 1;
    let to = text.find(&last).expect("the file has the last line");
    let to = text[..to].rfind('\n').unwrap() + 1;
    if std::env::var_os("UNDERSTORY_UPDATE_DOCS").is_some() {
        fs::write(&path, format!("{}{wanted}{}", &text[..from], &text[to..])).unwrap();
        return;
    }
    assert!(
        text[from..to] == *wanted,
        "the table of {name} in {file} is not current; run this test with UNDERSTORY_UPDATE_DOCS=1"
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
    check("docs/formats.md", "formats", &format!("{head}{rows}"));
}

#[test]
fn the_table_of_columns_is_current() {
    let row = |column: &ColumnInfo| {
        let names: Vec<_> = column.file_names.iter().map(|name| format!("`{name}`")).collect();
        let names = names.join(", ");
        let source = match column.source {
            Source::Measured => "measured",
            Source::Truth => "truth",
        };
        let (unit, doc) = (column.unit(), column.doc());
        format!("| `{}` | {names} | `{}` | {unit} | {source} | {doc} |\n", column.name, column.kind)
    };
    let head = "| column | in files | type | unit | | what it is |\n| --- | --- | --- | --- | --- | --- |\n";
    let rows: String = COLUMNS.iter().map(row).collect();
    check("docs/formats.md", "columns", &format!("{head}{rows}"));
}

/// The attributes of a cloud in Python, which type checkers and editors see.
#[test]
fn the_columns_in_python_are_current() {
    let attribute = |column: &ColumnInfo| {
        let mut text = String::new();
        let mut line = String::from("    #:");
        for word in column.doc().split(' ') {
            if line.chars().count() + 1 + word.chars().count() > 100 {
                text.push_str(&format!("{line}\n"));
                line = String::from("    #:");
            }
            line.push_str(&format!(" {word}"));
        }
        let scalar = column.kind.trim_start_matches('[').split(';').next().unwrap();
        let name = scalar.replace('f', "float").replace('u', "uint");
        format!("{text}{line}\n    {} = _Column[np.{name}]()\n", column.name)
    };
    let rows: String = COLUMNS.iter().map(attribute).collect();
    check("crates/understory-py/python/understory/cloud.py", "columns", &rows);
}
