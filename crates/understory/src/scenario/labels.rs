//! What things of a world are called: their classes, and the names of copies.

use crate::Error;
use understory_cloud::{label_names, label_number};
use understory_files::hint::word_remedy;
use understory_files::{LayeredToml, Spanned};

/// The number of a class, given by its name or as a number.
pub(super) fn check_label(
    layers: &LayeredToml<'_>,
    label: &Spanned<toml::Value>,
) -> Result<u16, Error> {
    let found = match label.get_ref() {
        toml::Value::String(name) => label_number(name),
        toml::Value::Integer(number) => u16::try_from(*number).ok(),
        _ => None,
    };
    found.ok_or_else(|| {
        let remedy = match label.get_ref() {
            toml::Value::String(name) => word_remedy(name, &label_names().collect::<Vec<_>>()),
            _ => "give a name of SemanticKITTI or a number from 0 to 65535".into(),
        };
        layers.invalid(&label.span(), format!("there is no label {}", label.get_ref()), remedy)
    })
}

/// Names of the object and of its copies.
pub(super) fn copy_name(name: &str, copy: usize, copies: usize) -> String {
    if copies == 1 { name.to_owned() } else { format!("{name}#{}", copy + 1) }
}
