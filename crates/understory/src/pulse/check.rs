//! Checks of sensor files: where each value was written, so that a fault names its line.

use std::ops::Range;

use understory_files::LayeredToml;

use crate::Error;

/// Checks a sensor file.
pub(crate) struct Check<'a> {
    /// The file, perhaps with a scenario's overrides.
    pub(crate) layers: &'a LayeredToml<'a>,
}

impl Check<'_> {
    /// The error at a span.
    pub(crate) fn fault<T>(
        &self,
        span: &Range<usize>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Result<T, Error> {
        Err(self.layers.invalid(span, problem, remedy))
    }
}
