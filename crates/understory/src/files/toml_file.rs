//! Strict reading of TOML: text → a typed struct, or one sentence that says what, where and what
//! to do.
//!
//! The structs carry `#[serde(deny_unknown_fields)]`; their messages are turned into
//! [`Error::Invalid`] with `file:line` as the place. An unknown key's remedy names the key that
//! was probably meant, and a key in the wrong unit is recognised by its stem (`range_max_mm`
//! beside `range_max_m`). One text may be laid over another key by key ([`Layers`]); errors still
//! name the file and line that they come from.
//!
//! A text that names another file has it looked up by [`Layers::file`], which also notes it: what
//! was noted is all that a run reads, and all that a pack has to hold.

use std::cell::RefCell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::Error;
use crate::files::references::{PresetKind, Reference, Target};
use crate::scenario::Given;

/// Unit suffixes of keys, with the words for them.
const UNITS: [(&str, &str); 32] = [
    ("m", "metres"),
    ("mm", "millimetres"),
    ("cm", "centimetres"),
    ("km", "kilometres"),
    ("um", "micrometres"),
    ("nm", "nanometres"),
    ("ft", "feet"),
    ("m2", "square metres"),
    ("m3", "cubic metres"),
    ("deg", "degrees"),
    ("rad", "radians"),
    ("mrad", "milliradians"),
    ("urad", "microradians"),
    ("s", "seconds"),
    ("ms", "milliseconds"),
    ("us", "microseconds"),
    ("ns", "nanoseconds"),
    ("min", "minutes"),
    ("h", "hours"),
    ("hz", "hertz"),
    ("khz", "kilohertz"),
    ("mhz", "megahertz"),
    ("rpm", "revolutions per minute"),
    ("mps", "metres per second"),
    ("kmh", "kilometres per hour"),
    ("kph", "kilometres per hour"),
    ("degps", "degrees per second"),
    ("radps", "radians per second"),
    ("percent", "per cent"),
    ("db", "decibels"),
    ("kg", "kilograms"),
    ("w", "watts"),
];

/// Reads `text` as a `T`; `place` names the file in errors.
pub(crate) fn parse<T: DeserializeOwned>(text: &str, place: &str) -> Result<T, Error> {
    toml::from_str(text).map_err(|error| Layers::new(text, place).explain(&error))
}

/// Line (from 1) on which `span` of `text` begins.
pub(crate) fn line_of(text: &str, span: &Range<usize>) -> usize {
    let end = span.start.min(text.len());
    1 + text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count()
}

/// One step on the way to a table inside a TOML text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    /// The table under this key.
    Key(&'a str),
    /// The element with this index of an array.
    Index(usize),
}

/// One or more TOML texts laid over each other, the later over the earlier.
///
/// Spans of the second text follow those of the first, as if the texts were joined.
pub(crate) struct Layers<'a> {
    texts: Vec<Text<'a>>,
    /// What the texts refer to; shared with the texts of the files that they name.
    references: Rc<RefCell<Vec<Reference>>>,
    /// What they may name without a file.
    given: Arc<Given>,
}

/// A TOML text of a file.
#[derive(Clone)]
struct Text<'a> {
    text: &'a str,
    /// Name of the file.
    place: &'a str,
    /// Folder at which its paths start.
    folder: PathBuf,
}

impl<'a> Layers<'a> {
    /// One text, and the name of its file, at whose folder its paths start.
    pub(crate) fn new(text: &'a str, place: &'a str) -> Layers<'a> {
        Layers::in_folder(text, place, Path::new(place).parent().unwrap_or(Path::new("")))
    }

    /// One text, the name of its file, and the folder at which its paths start.
    pub(crate) fn in_folder(text: &'a str, place: &'a str, folder: &Path) -> Layers<'a> {
        let text = Text { text, place, folder: folder.to_path_buf() };
        Layers { texts: vec![text], references: Rc::default(), given: Arc::default() }
    }

    /// The same, where the texts may also name what a program gives.
    pub(crate) fn with_given(self, given: Arc<Given>) -> Layers<'a> {
        Layers { given, ..self }
    }

    /// What a program gives.
    pub(crate) fn given(&self) -> &Given {
        &self.given
    }

    /// The text of a file that these texts name; what it refers to is noted with what they do.
    pub(crate) fn of_file<'b>(&self, text: &'b str, place: &'b str) -> Layers<'b> {
        Layers {
            references: Rc::clone(&self.references),
            given: Arc::clone(&self.given),
            ..Layers::new(text, place)
        }
    }

    /// The text in which a span lies, and the span within it.
    fn text_at(&self, span: &Range<usize>) -> Option<(&Text<'a>, Range<usize>)> {
        let mut start = 0;
        for (index, text) in self.texts.iter().enumerate() {
            // Each text is followed by one place that belongs to it, for errors at its end.
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
    pub(crate) fn place(&self, span: &Range<usize>) -> String {
        self.text_at(span).map_or_else(String::new, |(text, local)| {
            format!("{}:{}", text.place, line_of(text.text, &local))
        })
    }

    /// The path of a file that the value at `span` names, found and noted; a file that is not there
    /// is refused. There is no other way to a file: one that is not noted is missing in packs.
    pub(crate) fn file(&self, span: &Range<usize>, typed: &Path) -> Result<PathBuf, Error> {
        let Some((text, local)) = self.text_at(span) else { return Ok(typed.to_path_buf()) };
        let path = text.folder.join(typed);
        match path.metadata() {
            Ok(metadata) if metadata.is_file() => {
                let (typed, parts) = (typed.to_path_buf(), Vec::new());
                let target = Target::File { typed, path: path.clone(), parts };
                self.note(Reference { place: text.place.to_owned(), span: local, target });
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

    /// Like [`Layers::file`] for what may be a folder or may have files beside it: `read` reads the
    /// path and tells which files it read.
    pub(crate) fn files<T>(
        &self,
        span: &Range<usize>,
        typed: &Path,
        read: impl FnOnce(&Path) -> Result<(T, Vec<PathBuf>), Error>,
    ) -> Result<T, Error> {
        let Some((text, local)) = self.text_at(span) else { return Ok(read(typed)?.0) };
        let path = text.folder.join(typed);
        path.metadata().map_err(|error| self.missing(span, &path, &error))?;
        let (found, mut parts) = read(&path)?;
        parts.retain(|part| *part != path);
        let target = Target::File { typed: typed.to_path_buf(), path, parts };
        self.note(Reference { place: text.place.to_owned(), span: local, target });
        Ok(found)
    }

    fn missing(&self, span: &Range<usize>, path: &Path, error: &std::io::Error) -> Error {
        self.invalid(
            span,
            format!("{} cannot be read: {error}", path.display()),
            "correct the path, which starts at the folder of the file that names it, or put the file there",
        )
    }

    /// Notes that the value at `span` names a preset.
    pub(crate) fn note_preset(
        &self,
        span: &Range<usize>,
        kind: PresetKind,
        name: &str,
        text: &str,
    ) {
        if let Some((named_in, local)) = self.text_at(span) {
            let target = Target::Preset { kind, name: name.to_owned(), text: text.to_owned() };
            self.note(Reference { place: named_in.place.to_owned(), span: local, target });
        }
    }

    fn note(&self, reference: Reference) {
        let mut references = self.references.borrow_mut();
        if !references.contains(&reference) {
            references.push(reference);
        }
    }

    /// What the texts refer to, in the order in which it was found.
    pub(crate) fn references(&self) -> Vec<Reference> {
        self.references.borrow().clone()
    }

    /// Where the value at `path` of the first text stands.
    pub(crate) fn span_at(&self, path: &[Step<'_>]) -> Option<Range<usize>> {
        let table = DeTable::parse(self.texts.first()?.text).ok()?;
        let mut value = &Spanned::new(table.span(), DeValue::Table(table.into_inner()));
        for step in path {
            value = match (step, value.get_ref()) {
                (Step::Key(key), DeValue::Table(table)) => table.get(*key)?,
                (Step::Index(index), DeValue::Array(array)) => array.get(*index)?,
                _ => return None,
            };
        }
        Some(value.span())
    }

    /// The error `problem`, `remedy` at a span.
    pub(crate) fn invalid(
        &self,
        span: &Range<usize>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Error {
        Error::Invalid { place: self.place(span), problem: problem.into(), remedy: remedy.into() }
    }

    /// Lays the table at `path` of another text, the first of `over`, over the first one and reads
    /// the result. What is referred to is noted there.
    ///
    /// Tables are merged key by key; any other value is replaced. No table at `path`: nothing is
    /// laid over.
    pub(crate) fn parse_over<T: DeserializeOwned>(
        &mut self,
        over: &Layers<'a>,
        path: &[Step<'_>],
    ) -> Result<T, Error> {
        self.lay_over(over, path, None)
    }

    /// Like [`Layers::parse_over`], onto the table under `key` of the first text.
    pub(crate) fn parse_over_under<T: DeserializeOwned>(
        &mut self,
        over: &Layers<'a>,
        path: &[Step<'_>],
        key: &str,
    ) -> Result<T, Error> {
        self.lay_over(over, path, Some(key))
    }

    fn lay_over<T: DeserializeOwned>(
        &mut self,
        over: &Layers<'a>,
        path: &[Step<'_>],
        key: Option<&str>,
    ) -> Result<T, Error> {
        let (base, upper) = (self.texts[0].text, over.texts[0].clone());
        let mut table = DeTable::parse(base).map_err(|error| self.explain(&error))?;
        let (text, place) = (upper.text, upper.place);
        let upper_table =
            DeTable::parse(text).map_err(|error| Layers::new(text, place).explain(&error))?;
        self.texts.push(upper);
        self.references = Rc::clone(&over.references);
        let upper = upper_table;
        let span = upper.span();
        let mut value = Spanned::new(span, DeValue::Table(upper.into_inner()));
        for step in path {
            let inner = match (step, value.into_inner()) {
                (Step::Key(key), DeValue::Table(mut table)) => table.remove(*key),
                (Step::Index(index), DeValue::Array(array)) => array.into_iter().nth(*index),
                _ => None,
            };
            let Some(inner) = inner else { return self.deserialize(table) };
            value = inner;
        }
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

    fn deserialize<T: DeserializeOwned>(&self, table: Spanned<DeTable<'_>>) -> Result<T, Error> {
        T::deserialize(toml::Deserializer::from(table)).map_err(|error| self.explain(&error))
    }

    /// Turns a message of `toml` or `serde` into ours.
    fn explain(&self, error: &toml::de::Error) -> Error {
        let message = error.message().trim().replace('\n', ", ");
        let (problem, remedy) = words(&message);
        let span = error.span().unwrap_or(0..0);
        self.invalid(&span, problem, remedy)
    }
}

/// Whether `text` has something at `path`.
pub(crate) fn has(text: &str, path: &[Step<'_>]) -> bool {
    let Ok(table) = text.parse::<toml::Table>() else { return false };
    let mut value = &toml::Value::Table(table);
    for step in path {
        let inner = match step {
            Step::Key(key) => value.get(*key),
            Step::Index(index) => value.get(*index),
        };
        let Some(inner) = inner else { return false };
        value = inner;
    }
    true
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

/// Problem and remedy for a message.
fn words(message: &str) -> (String, String) {
    if let Some(rest) = message.strip_prefix("unknown field ") {
        let (key, known) = key_and_known(rest);
        return (format!("unknown key `{key}`"), key_remedy(key, &known));
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        let (word, known) = key_and_known(rest);
        return (format!("unknown word \"{word}\""), word_remedy(word, &known));
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        return (format!("the key {rest} is missing"), format!("add {rest} to this table"));
    }
    if let Some((_, expected)) = message.split_once(", expected ")
        && (message.starts_with("invalid type") || message.starts_with("invalid value"))
    {
        let expected = match expected {
            "f64" | "f32" => "a number",
            "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of 0 or more",
            "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
            "a sequence" => "a list in [ ]",
            "a map" => "a table",
            other => other,
        };
        return (message.to_string(), format!("write {expected} here"));
    }
    if message.starts_with("invalid length") {
        return (message.to_string(), "give as many values as that".into());
    }
    (format!("this is not valid TOML: {message}"), "correct the line".into())
}

/// Splits serde's "`key`, expected one of `a`, `b`".
fn key_and_known(rest: &str) -> (&str, Vec<&str>) {
    let mut quoted = rest.split('`').skip(1).step_by(2);
    let key = quoted.next().unwrap_or_default();
    (key, quoted.collect())
}

/// What to do about an unknown key.
pub(crate) fn key_remedy(key: &str, known: &[&str]) -> String {
    if known.is_empty() {
        return "remove it: no key is allowed here".into();
    }
    let (stem, _) = split_unit(key);
    for candidate in known {
        let (candidate_stem, unit) = split_unit(candidate);
        if let (true, Some(unit)) = (candidate_stem == stem && !stem.is_empty(), unit) {
            return format!("this key is in {unit}; use `{candidate}`");
        }
    }
    match nearest(key, known) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("the keys that are known here are {}", list(known, '`')),
    }
}

/// What to do about an unknown word where only some words are allowed.
pub fn word_remedy(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(candidate) => format!("did you mean \"{candidate}\"?"),
        None => format!("use one of {}", list(known, '"')),
    }
}

/// The known word that `word` was probably meant to be.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    known
        .iter()
        .map(|candidate| (strsim::jaro_winkler(&word, &candidate.to_lowercase()), *candidate))
        .filter(|(likeness, _)| *likeness >= 0.85)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

fn list(words: &[&str], quote: char) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("{quote}{word}{quote}")).collect();
    quoted.join(", ")
}

/// `range_max_mm` → (`range_max`, millimetres).
fn split_unit(key: &str) -> (&str, Option<&'static str>) {
    key.rsplit_once('_')
        .and_then(|(stem, suffix)| {
            let (_, words) = UNITS.iter().find(|(unit, _)| unit.eq_ignore_ascii_case(suffix))?;
            Some((stem, Some(*words)))
        })
        .unwrap_or((key, None))
}

#[cfg(test)]
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
        parse::<Outer>(text, "a.toml").expect_err("refused").to_string()
    }

    #[test]
    fn a_sound_text_is_read() {
        let outer: Outer = parse("name = 'x'\n[inner]\nrange_max_m = 3", "a.toml").unwrap();
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
            "a.toml:3: invalid type: string \"far\", expected f64; write a number here"
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
        let merged: Outer =
            Layers::new(base, "base").parse_over(&Layers::new(over, "over.toml"), &path).unwrap();
        assert_eq!((merged.inner.range_max_m, merged.inner.count), (9.0, Some(7)));

        let wrong = over.replace("range_max_m = 9", "range_max_cm = 9");
        let error = Layers::new(base, "base")
            .parse_over::<Outer>(&Layers::new(&wrong, "over.toml"), &path)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "over.toml:6: unknown key `range_max_cm`; this key is in metres; use `range_max_m`"
        );
        let wrong = over.replace("= 9", "= true");
        let error = Layers::new(base, "base")
            .parse_over::<Outer>(&Layers::new(&wrong, "over.toml"), &path)
            .unwrap_err();
        assert!(error.to_string().starts_with("over.toml:6: invalid type"), "{error}");
        let none: Outer =
            Layers::new(base, "base").parse_over(&Layers::new("", "over.toml"), &path).unwrap();
        assert_eq!(none.inner.range_max_m, 3.0);
    }

    #[test]
    fn lines_are_counted_from_one_and_never_past_the_end() {
        assert_eq!(line_of("a\nb\nc", &(0..1)), 1);
        assert_eq!(line_of("a\nb\nc", &(2..3)), 2);
        assert_eq!(line_of("a\nb\nc", &(900..901)), 3);
    }
}
