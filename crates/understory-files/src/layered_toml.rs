//! Strict reading of TOML: text → a typed struct, or one sentence that says what, where and what
//! to do.
//!
//! The structs carry `#[serde(deny_unknown_fields)]`; messages are turned into
//! [`FileError::Invalid`] with `file:line` as the location. An unknown key's remedy names the key
//! that was probably meant, and a key in the wrong unit is recognised by its stem (`range_max_mm`
//! beside `range_max_m`). One text may be laid over another key by key; errors still name the file
//! and line that they come from.
//!
//! A text that names another file has it looked up by [`LayeredToml::file`], which also notes it:
//! what was noted is all that a run reads, and all that a pack has to hold.

use std::cell::RefCell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::FileError;
use crate::explain::{Culprit, words};
use crate::parsed::{NoTable, parsed};
use crate::references::{PresetKind, Reference, Target};
use crate::value_reader::{ReadError, ValueReader};

/// Line (from 1) on which `span` of `text` begins.
pub fn line_of(text: &str, span: &Range<usize>) -> usize {
    let end = span.start.min(text.len());
    1 + text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count()
}

/// One step on the way to a table inside a TOML text.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// The table under this key.
    Key(&'a str),
    /// The element with this index of an array.
    Index(usize),
}

/// One or more TOML texts laid over each other, the later over the earlier.
///
/// Spans of the second text follow those of the first, as if the texts were joined.
pub struct LayeredToml<'a> {
    texts: Vec<Text<'a>>,
    /// What the texts refer to; shared with the texts of the files that they name.
    references: Rc<RefCell<Vec<Reference>>>,
    /// The folder that no file that they name may lie outside of; none: they may lie anywhere.
    confined_to: Option<PathBuf>,
    /// The first text as a table: a scenario of many sensors looks into it for each; none: it is no
    /// TOML.
    first_table: Option<Rc<Spanned<DeTable<'a>>>>,
}

/// A TOML text of a file.
#[derive(Clone)]
struct Text<'a> {
    text: &'a str,
    /// Name of the file.
    file: &'a str,
    /// Folder at which its paths start.
    folder: PathBuf,
}

impl<'a> LayeredToml<'a> {
    /// One text, and the name of its file, at whose folder its paths start.
    pub fn new(text: &'a str, file: &'a str) -> LayeredToml<'a> {
        LayeredToml::in_folder(text, file, Path::new(file).parent().unwrap_or(Path::new("")))
    }

    /// One text, the name of its file, and the folder at which its paths start.
    pub fn in_folder(text: &'a str, file: &'a str, folder: &Path) -> LayeredToml<'a> {
        let text = Text { text, file, folder: folder.to_path_buf() };
        let first_table = parsed(text.text).ok().map(Rc::new);
        let references = Rc::default();
        LayeredToml { texts: vec![text], references, confined_to: None, first_table }
    }

    /// The same texts, which may name files in this folder and below it and no others.
    pub fn confined_to(self, folder: &Path) -> LayeredToml<'a> {
        LayeredToml { confined_to: Some(folder.to_path_buf()), ..self }
    }

    /// Reads the first text as a `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, FileError> {
        let table = parsed(self.texts[0].text).map_err(|reason| self.no_table(reason))?;
        self.deserialize(table)
    }

    /// The text of a file that these texts name; what it refers to is noted with what they do.
    pub fn for_file<'b>(&self, text: &'b str, file: &'b str) -> LayeredToml<'b> {
        LayeredToml {
            references: Rc::clone(&self.references),
            confined_to: self.confined_to.clone(),
            ..LayeredToml::new(text, file)
        }
    }

    /// The text in which a span lies, and the span within it.
    fn text_at(&self, span: &Range<usize>) -> Option<(&Text<'a>, Range<usize>)> {
        let mut start = 0;
        for (index, text) in self.texts.iter().enumerate() {
            // Each text is followed by one byte that belongs to it, for errors at its end.
            if span.start <= start + text.text.len() || index + 1 == self.texts.len() {
                return Some((
                    text,
                    span.start.saturating_sub(start)..span.end.saturating_sub(start),
                ));
            }
            start += text.text.len() + 1;
        }
        None
    }

    /// `file:line` of a span.
    pub fn location(&self, span: &Range<usize>) -> String {
        self.text_at(span).map_or_else(String::new, |(text, local)| {
            format!("{}:{}", text.file, line_of(text.text, &local))
        })
    }

    /// The path of a file that the value at `span` names, found and noted; a file that is not there
    /// is refused. There is no other way to a file: one that is not noted is missing in packs.
    pub fn file(&self, span: &Range<usize>, typed: &Path) -> Result<PathBuf, FileError> {
        let Some((text, local)) = self.text_at(span) else { return Ok(typed.to_path_buf()) };
        let path = text.folder.join(typed);
        self.refuse_outside::<FileError>(span, &path)?;
        match path.metadata() {
            Ok(metadata) if metadata.is_file() => {
                let (typed, parts) = (typed.to_path_buf(), Vec::new());
                let target = Target::File { typed, path: path.clone(), parts };
                self.note(Reference { location: text.file.to_owned(), span: local, target });
                Ok(path)
            }
            Ok(_) => Err(self.invalid(
                span,
                format!("{} is no file", path.display()),
                "name a file, not a folder",
            )),
            Err(error) => Err(self.missing(span, &path, &error)),
        }
    }

    /// Like [`LayeredToml::file`] for what may be a folder or may have files beside it: `read` reads the
    /// path and tells which files it read.
    pub fn files<T, E: From<FileError>>(
        &self,
        span: &Range<usize>,
        typed: &Path,
        read: impl FnOnce(&Path) -> Result<(T, Vec<PathBuf>), E>,
    ) -> Result<T, E> {
        let Some((text, local)) = self.text_at(span) else { return Ok(read(typed)?.0) };
        let path = text.folder.join(typed);
        self.refuse_outside::<E>(span, &path)?;
        let metadata = path.metadata().map_err(|error| self.missing::<E>(span, &path, &error))?;
        if !metadata.is_file() && !metadata.is_dir() {
            let problem = format!("{} is a device or a pipe", path.display());
            return Err(self.invalid(span, problem, "name a file or a folder"));
        }
        let (found, mut parts) = read(&path)?;
        parts.retain(|part| *part != path);
        let target = Target::File { typed: typed.to_path_buf(), path, parts };
        self.note(Reference { location: text.file.to_owned(), span: local, target });
        Ok(found)
    }

    /// Refuses a path that leads, by its words or by links, out of the folder of these texts.
    fn refuse_outside<E: From<FileError>>(
        &self,
        span: &Range<usize>,
        path: &Path,
    ) -> Result<(), E> {
        let Some(folder) = &self.confined_to else { return Ok(()) };
        let whole = |path: &Path| {
            path.canonicalize().map_err(|error| self.missing::<E>(span, path, &error))
        };
        if whole(path)?.starts_with(whole(folder)?) {
            return Ok(());
        }
        let problem = format!("{} lies outside the pack", path.display());
        Err(self.invalid(
            span,
            problem,
            "do not use this pack, or make it again with `understory pack`",
        ))
    }

    fn missing<E: From<FileError>>(
        &self,
        span: &Range<usize>,
        path: &Path,
        error: &std::io::Error,
    ) -> E {
        self.invalid(
            span,
            format!("{} cannot be read: {error}", path.display()),
            "correct the path, which starts at the folder of the file that names it, or put the file there",
        )
    }

    /// Notes that the value at `span` names a preset.
    pub fn note_preset(&self, span: &Range<usize>, kind: PresetKind, name: &str, text: &str) {
        if let Some((named_in, local)) = self.text_at(span) {
            let target = Target::Preset { kind, name: name.to_owned(), text: text.to_owned() };
            self.note(Reference { location: named_in.file.to_owned(), span: local, target });
        }
    }

    fn note(&self, reference: Reference) {
        let mut references = self.references.borrow_mut();
        if !references.contains(&reference) {
            references.push(reference);
        }
    }

    /// What the texts refer to, in the order in which it was found.
    pub fn references(&self) -> Vec<Reference> {
        self.references.borrow().clone()
    }

    /// Where the value at `path` of the first text stands.
    pub fn span_at(&self, path: &[Step<'_>]) -> Option<Range<usize>> {
        let table = self.first_table.as_deref()?;
        let Some((first, rest)) = path.split_first() else { return Some(table.span()) };
        let Step::Key(key) = first else { return None };
        Some(value_at(table.get_ref().get(*key)?, rest)?.span())
    }

    /// Says that a key at `path` of the first text has a newer name.
    pub fn hint_renamed(&self, path: &[Step<'_>], (old, new): (&str, &str)) {
        let path: Vec<Step<'_>> = path.iter().copied().chain([Step::Key(old)]).collect();
        if let Some(span) = self.span_at(&path) {
            let location = self.location(&span);
            tracing::warn!("{location}: `{old}` is called `{new}` now; the old name is still read");
        }
    }

    /// Says that the word at `span` has a newer one, if it is `old`.
    pub fn hint_renamed_word(&self, span: &Range<usize>, (old, new): (&str, &str)) {
        let word = self.text_at(span).and_then(|(text, local)| text.text.get(local));
        if word.is_some_and(|word| word.trim_matches(['"', '\'']) == old) {
            let location = self.location(span);
            tracing::warn!("{location}: {old:?} is called {new:?} now; the old word is still read");
        }
    }

    /// The error `problem`, `remedy` at a span, as the error of whoever asks.
    pub fn invalid<E: From<FileError>>(
        &self,
        span: &Range<usize>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> E {
        let (location, problem, remedy) = (self.location(span), problem.into(), remedy.into());
        E::from(FileError::Invalid { location, problem, remedy })
    }

    /// Lays the table at `path` of another text, the first of `over`, over the first one and reads
    /// the result. What is referred to is noted there.
    ///
    /// Tables are merged key by key; any other value is replaced. No table at `path`: nothing is
    /// laid over.
    pub fn parse_over<T: DeserializeOwned>(
        &mut self,
        over: &LayeredToml<'a>,
        path: &[Step<'_>],
    ) -> Result<T, FileError> {
        self.lay_over(over, path, None)
    }

    /// Like [`LayeredToml::parse_over`], onto the table under `key` of the first text.
    pub fn parse_over_under<T: DeserializeOwned>(
        &mut self,
        over: &LayeredToml<'a>,
        path: &[Step<'_>],
        key: &str,
    ) -> Result<T, FileError> {
        self.lay_over(over, path, Some(key))
    }

    fn lay_over<T: DeserializeOwned>(
        &mut self,
        over: &LayeredToml<'a>,
        path: &[Step<'_>],
        key: Option<&str>,
    ) -> Result<T, FileError> {
        let (base, upper) = (self.texts[0].text, over.texts[0].clone());
        let mut table = parsed(base).map_err(|reason| self.no_table(reason))?;
        let Some(whole) = over.first_table.as_deref() else {
            return Err(match parsed(upper.text).err() {
                Some(reason) => LayeredToml::new(upper.text, upper.file).no_table(reason),
                None => self.invalid(&(0..0), "the text is no TOML", "correct it"),
            });
        };
        self.texts.push(upper);
        self.references = Rc::clone(&over.references);
        let found = match path.split_first() {
            None => Some(Spanned::new(whole.span(), DeValue::Table(whole.get_ref().clone()))),
            Some((Step::Key(key), rest)) => {
                whole.get_ref().get(*key).and_then(|value| value_at(value, rest)).cloned()
            }
            Some((Step::Index(_), _)) => None,
        };
        let Some(mut value) = found else { return self.deserialize(table) };
        shift(&mut value, base.len() + 1);
        if let DeValue::Table(upper) = value.into_inner() {
            match key {
                None => merge(table.as_mut(), upper),
                Some(key) => {
                    if let Some(DeValue::Table(lower)) =
                        table.as_mut().get_mut(key).map(Spanned::as_mut)
                    {
                        merge(lower, upper);
                    }
                }
            }
        }
        self.deserialize(table)
    }

    fn deserialize<T: DeserializeOwned>(
        &self,
        table: Spanned<DeTable<'_>>,
    ) -> Result<T, FileError> {
        T::deserialize(ValueReader::of_table(table)).map_err(|ReadError { message, span }| {
            self.explain_message(&message, span.unwrap_or(0..0))
        })
    }

    /// Says why a text is no table.
    fn no_table(&self, reason: NoTable) -> FileError {
        match reason {
            NoTable::Invalid(error) => {
                self.explain_message(error.message(), error.span().unwrap_or(0..0))
            }
            NoTable::Crowded { what, most, span } => self.invalid(
                &span,
                format!("more than {most} {what} stand in this one file"),
                "put what is so long into files that this one names (meshes, lists of instances, trajectories)",
            ),
        }
    }

    /// The same of a message about what stands at `span`.
    fn explain_message(&self, message: &str, span: Range<usize>) -> FileError {
        let message = message.trim().replace('\n', ", ");
        let text = self.text_at(&span);
        let culprit = text.and_then(|(text, local)| Culprit::find(text.text, &local));
        let (problem, remedy) = words(&message, culprit.as_ref());
        self.invalid(&span, problem, remedy)
    }
}

/// What stands at a path below a value.
fn value_at<'v, 'a>(
    value: &'v Spanned<DeValue<'a>>,
    path: &[Step<'_>],
) -> Option<&'v Spanned<DeValue<'a>>> {
    path.iter().try_fold(value, |value, step| match (step, value.get_ref()) {
        (Step::Key(key), DeValue::Table(table)) => table.get(*key),
        (Step::Index(index), DeValue::Array(array)) => array.get(*index),
        _ => None,
    })
}

/// Whether `text` has something at `path`.
pub fn has(text: &str, path: &[Step<'_>]) -> bool {
    let Ok(table) = parsed(text) else { return false };
    match path.split_first() {
        None => true,
        Some((Step::Key(key), rest)) => {
            table.get_ref().get(*key).and_then(|value| value_at(value, rest)).is_some()
        }
        Some((Step::Index(_), _)) => false,
    }
}

fn merge<'i>(base: &mut DeTable<'i>, upper: DeTable<'i>) {
    for (key, mut value) in upper {
        if let (Some(old), DeValue::Table(_)) =
            (base.get_mut(key.get_ref().as_ref()), value.get_ref())
            && let DeValue::Table(old) = old.as_mut()
            && let DeValue::Table(new) = std::mem::replace(value.as_mut(), DeValue::Boolean(false))
        {
            merge(old, new);
            continue;
        }
        // The key, too, is replaced, so that its span is that of the upper text.
        base.remove(key.get_ref().as_ref());
        base.insert(key, value);
    }
}

fn shift(value: &mut Spanned<DeValue<'_>>, by: usize) {
    let span = value.span();
    let mut inner = std::mem::replace(value.as_mut(), DeValue::Boolean(false));
    match &mut inner {
        DeValue::Array(array) => array.iter_mut().for_each(|element| shift(element, by)),
        DeValue::Table(table) => {
            let old = std::mem::take(table);
            for (key, mut value) in old {
                shift(&mut value, by);
                let span = key.span();
                let key = Spanned::new(span.start + by..span.end + by, key.into_inner());
                table.insert(key, value);
            }
        }
        _ => {}
    }
    *value = Spanned::new(span.start + by..span.end + by, inner);
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Outer {
        name: String,
        inner: Inner,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Inner {
        range_max_m: f64,
        divergence_mrad: Option<f64>,
        count: Option<u32>,
        word: Option<Word>,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Word {
        First,
        Strongest,
    }

    fn sentence(text: &str) -> String {
        LayeredToml::new(text, "a.toml").parse::<Outer>().expect_err("refused").to_string()
    }

    #[test]
    fn a_valid_text_is_read() {
        let text = "name = 'x'\n[inner]\nrange_max_m = 3";
        let outer: Outer = LayeredToml::new(text, "a.toml").parse().unwrap();
        assert_eq!(outer.inner.range_max_m, 3.0);
    }

    #[test]
    fn a_key_in_another_unit_is_recognised() {
        assert_eq!(
            sentence("name = 'x'\n[inner]\nrange_max_mm = 3000"),
            "a.toml:3: unknown key `range_max_mm`; this key is in metres; use `range_max_m`"
        );
        assert_eq!(
            sentence("name = 'x'\n[inner]\nrange_max_m = 1\n\ndivergence_deg = 3"),
            "a.toml:5: unknown key `divergence_deg`; this key is in milliradians; use \
             `divergence_mrad`"
        );
        assert!(sentence("name = 'x'\n[inner]\nrange_max = 1").ends_with("use `range_max_m`"));
    }

    #[test]
    fn a_misspelt_key_is_met_with_the_nearest_and_a_strange_one_with_all() {
        assert_eq!(
            sentence("nmae = 'x'\n[inner]\nrange_max_m = 3"),
            "a.toml:1: unknown key `nmae`; did you mean `name`?"
        );
        assert_eq!(
            sentence("name = 'x'\n[inner]\nrange_max_m = 3\nzebra = 1"),
            "a.toml:4: unknown key `zebra`; the keys that are known here are `range_max_m`, \
             `divergence_mrad`, `count`, `word`"
        );
    }

    #[test]
    fn wrong_types_missing_keys_words_and_syntax_name_their_line() {
        assert_eq!(
            sentence("name = 'x'\n[inner]\nrange_max_m = 'far'"),
            "a.toml:3: expected a number for `range_max_m`, found the text \"far\"; write a number"
        );
        assert_eq!(
            sentence("name = 'x'\n\n[inner]\ncount = 3"),
            "a.toml:3: the key `range_max_m` is missing; add `range_max_m` to this table"
        );
        assert_eq!(
            sentence("name = 'x'\n[inner]\nrange_max_m = 3\nword = 'strongst'"),
            "a.toml:4: unknown word \"strongst\"; did you mean \"strongest\"?"
        );
        assert!(sentence("name = 'x'\n[inner\n").starts_with("a.toml:2: this is not valid TOML"));
        assert!(sentence("name = 'x'\nname = 'y'\n").starts_with("a.toml:2: "));
        assert!(
            sentence("name = 'x'\n[inner]\nrange_max_m = 3\ncount = -1").starts_with("a.toml:4")
        );
    }

    #[test]
    fn overrides_are_merged_and_their_errors_name_their_own_line() {
        let base = "name = 'x'\n[inner]\nrange_max_m = 3\ncount = 7\n";
        let over = "[[sensor]]\na = 1\n\n[[sensor]]\n[sensor.overrides.inner]\nrange_max_m = 9\n";
        let path = [Step::Key("sensor"), Step::Index(1), Step::Key("overrides")];
        let merged: Outer = LayeredToml::new(base, "base")
            .parse_over(&LayeredToml::new(over, "over.toml"), &path)
            .unwrap();
        assert_eq!((merged.inner.range_max_m, merged.inner.count), (9.0, Some(7)));

        let wrong = over.replace("range_max_m = 9", "range_max_cm = 9");
        let error = LayeredToml::new(base, "base")
            .parse_over::<Outer>(&LayeredToml::new(&wrong, "over.toml"), &path)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "over.toml:6: unknown key `range_max_cm`; this key is in metres; use `range_max_m`"
        );
        let wrong = over.replace("= 9", "= true");
        let error = LayeredToml::new(base, "base")
            .parse_over::<Outer>(&LayeredToml::new(&wrong, "over.toml"), &path)
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("over.toml:6: expected a number for `range_max_m`, found true"),
            "{error}"
        );
        let none: Outer = LayeredToml::new(base, "base")
            .parse_over(&LayeredToml::new("", "over.toml"), &path)
            .unwrap();
        assert_eq!(none.inner.range_max_m, 3.0);
    }

    #[test]
    fn lines_are_counted_from_one_and_never_past_the_end() {
        assert_eq!(line_of("a\nb\nc", &(0..1)), 1);
        assert_eq!(line_of("a\nb\nc", &(2..3)), 2);
        assert_eq!(line_of("a\nb\nc", &(900..901)), 3);
    }
}
