//! XML within bounds: a path or text → a tree.
//!
//! There is no DTD and so no entity but the five of XML, no more than [`NODES_MAX`] nodes, and no
//! file beyond [`BYTES_MAX`]. The parser keeps no stack of its own, so depth costs nothing.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use roxmltree::{Document, Node, ParsingOptions};

use crate::HeliosError;

/// Largest file of XML.
pub const BYTES_MAX: u64 = 64 << 20;
/// Most nodes of a file.
const NODES_MAX: u32 = 4_000_000;

/// The text of a file of XML.
pub fn read(path: &Path) -> Result<String, HeliosError> {
    let file = File::open(path).map_err(|error| HeliosError::read(path, error))?;
    let mut text = String::new();
    file.take(BYTES_MAX + 1)
        .read_to_string(&mut text)
        .map_err(|error| HeliosError::read(path, error))?;
    if text.len() as u64 > BYTES_MAX {
        return Err(HeliosError::invalid(
            path.display().to_string(),
            format!("a survey is no file of more than {} MiB", BYTES_MAX >> 20),
            "give a survey of HELIOS++ as XML",
        ));
    }
    Ok(text)
}

/// Parses a text that came from `path`.
pub fn parse<'a>(path: &Path, text: &'a str) -> Result<Document<'a>, HeliosError> {
    let options = ParsingOptions { nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let remedy = match error {
            roxmltree::Error::DtdDetected => "remove the DTD: entities of one's own are not read",
            roxmltree::Error::NodesLimitReached => {
                "split it: no more than 4 million nodes are read"
            }
            _ => "give a survey of HELIOS++ as XML",
        };
        let line = error.pos().row;
        HeliosError::invalid(
            format!("{}:{line}", path.display()),
            format!("this is not XML that can be read: {error}"),
            remedy,
        )
    })
}

/// An element together with the file that it is from.
#[derive(Clone, Copy)]
pub struct Element<'a> {
    /// The file.
    pub path: &'a Path,
    /// The element in it.
    pub node: Node<'a, 'a>,
}

impl<'a> Element<'a> {
    /// `file:line`.
    pub fn location(&self) -> String {
        let line = self.node.document().text_pos_at(self.node.range().start).row;
        format!("{}:{line}", self.path.display())
    }

    /// The elements in it of this name.
    pub fn children(self, name: &str) -> impl Iterator<Item = Element<'a>> {
        let named = self.node.children().filter(move |node| node.has_tag_name(name));
        named.map(move |node| Element { path: self.path, node })
    }

    /// The first element in it of this name.
    pub fn child(self, name: &str) -> Option<Element<'a>> {
        self.node
            .children()
            .find(|node| node.has_tag_name(name))
            .map(|node| Element { path: self.path, node })
    }

    /// An attribute as it stands.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    /// An attribute that must be there.
    pub fn required(&self, name: &str) -> Result<&'a str, HeliosError> {
        self.text(name).ok_or_else(|| {
            HeliosError::invalid(
                self.location(),
                format!("<{}> has no {name}", self.node.tag_name().name()),
                format!("add {name}"),
            )
        })
    }

    /// An attribute that is a finite number.
    pub fn number(&self, name: &str) -> Result<Option<f64>, HeliosError> {
        self.text(name).map(|text| self.number_in(name, text)).transpose()
    }

    /// A number in a text that stands at `name`.
    pub fn number_in(&self, name: &str, text: &str) -> Result<f64, HeliosError> {
        match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() && number.abs() <= 1e12 => Ok(number),
            _ => Err(HeliosError::invalid(
                self.location(),
                format!("{name} = {text:?} is no number"),
                "write a number between −10¹² and 10¹²",
            )),
        }
    }

    /// An attribute that is true or false.
    pub fn truth(&self, name: &str) -> Result<Option<bool>, HeliosError> {
        match self.text(name).map(str::trim) {
            None => Ok(None),
            Some("true" | "1") => Ok(Some(true)),
            Some("false" | "0") => Ok(Some(false)),
            Some(text) => Err(HeliosError::invalid(
                self.location(),
                format!("{name} = {text:?} is neither true nor false"),
                "write true or false",
            )),
        }
    }
}
