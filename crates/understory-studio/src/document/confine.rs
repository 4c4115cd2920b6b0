//! Which files a text may name: those of the served folder and of its own.
//!
//! The page edits texts, and a text names files that the program reads. Every string of the text
//! that leads to something that exists elsewhere is refused before anything is read.

use std::path::Path;

use toml_edit::visit::{Visit, visit_value};
use toml_edit::{Document, Value};

use super::places::problem_at;
use crate::protocol::document::Problem;

/// Refuses a text whose strings lead out of all `roots`.
pub fn check(text: &str, folder: &Path, roots: &[&Path]) -> Result<(), Problem> {
    // What is no TOML names nothing, and is refused with a better sentence by who reads it.
    let Ok(document) = Document::parse(text) else { return Ok(()) };
    let roots = roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
    let mut strings = Strings { folder, roots, found: None };
    strings.visit_table(document.as_table());
    match strings.found {
        None => Ok(()),
        Some((span, named)) => {
            let sentence = format!(
                "{named:?} lies outside of the folder that the studio serves; copy the file there, or start the studio with that folder"
            );
            Err(problem_at(text, span, sentence))
        }
    }
}

struct Strings<'a> {
    folder: &'a Path,
    roots: Vec<std::path::PathBuf>,
    found: Option<(std::ops::Range<usize>, String)>,
}

impl<'doc> Visit<'doc> for Strings<'_> {
    fn visit_value(&mut self, value: &'doc Value) {
        if let Value::String(string) = value
            && self.found.is_none()
            && let Ok(real) = self.folder.join(string.value()).canonicalize()
            && !self.roots.iter().any(|root| real.starts_with(root))
        {
            self.found = Some((string.span().unwrap_or(0..0), string.value().clone()));
        }
        visit_value(self, value);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn strings_may_not_lead_out_of_the_folder() {
        let served = tempfile::tempdir().unwrap();
        let folder = served.path();
        std::fs::create_dir(folder.join("in")).unwrap();
        std::fs::write(folder.join("in/mesh.obj"), "").unwrap();
        let inner = folder.join("in");
        let allowed = |text: &str| check(text, &inner, &[&inner]).is_ok();
        assert!(allowed("a = 'mesh.obj'\nb = 'no such file'\nc = '../missing'"));
        assert!(!allowed("[[world.object]]\nfile = '/etc/passwd'"));
        assert!(!allowed("a = [1, { b = '../../' }]"));
        std::fs::write(folder.join("secret"), "").unwrap();
        let problem = check("x = 1\nfile = '../secret'", &inner, &[&inner]).unwrap_err();
        assert_eq!((problem.line, problem.column), (Some(2), Some(8)));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.join("secret"), inner.join("link")).unwrap();
            assert!(!allowed("file = 'link'"));
        }
    }
}
