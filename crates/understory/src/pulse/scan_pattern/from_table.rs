//! The one scan pattern of a sensor file: tables → [`Kind`].

use understory_files::sensor::SensorFile;

use super::Kind;
use crate::Error;
use crate::pulse::check::Check;

impl Check<'_> {
    /// The one scan pattern of the file.
    pub(crate) fn pattern(&self, file: &SensorFile) -> Result<Kind, Error> {
        let given = Kind::tables(file);
        if let [(first, _), (second, span), ..] = &given[..] {
            return self.fault(
                span,
                format!("a sensor has one pattern, but both [{first}] and [{second}] are given"),
                "keep one of them",
            );
        }
        if let (Some(channels), None) = (&file.channels, &file.spinning) {
            let name =
                given.first().map_or("no [spinning]".into(), |(name, _)| format!("[{name}]"));
            return self.fault(
                &channels.span(),
                format!("[channels] has no meaning beside {name}"),
                "remove it and put the directions into the table of the pattern",
            );
        }
        match Kind::from_tables(self, file)? {
            Some(kind) => Ok(kind),
            None => self.fault(
                &(0..0),
                "the sensor has no scan pattern",
                format!("add a table [{}]", Kind::TABLES.join("], [")),
            ),
        }
    }
}
