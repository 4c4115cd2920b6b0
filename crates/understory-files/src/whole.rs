//! Whole numbers within limits.

use std::borrow::Cow;
use std::ops::Range;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, de};

use crate::Spanned;
use crate::refusal::Refusal;

/// A whole number from `LOW` to `HIGH`, and where it stands.
#[derive(Clone, Debug)]
pub struct Whole<const LOW: u32, const HIGH: u32> {
    value: u32,
    span: Range<usize>,
}

impl<const LOW: u32, const HIGH: u32> Whole<LOW, HIGH> {
    /// The number.
    pub fn get(&self) -> u32 {
        self.value
    }

    /// Where it stands.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

impl<'de, const LOW: u32, const HIGH: u32> Deserialize<'de> for Whole<LOW, HIGH> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Whole<LOW, HIGH>, D::Error> {
        let number = Spanned::<i64>::deserialize(deserializer)?;
        let span = number.span();
        match u32::try_from(*number.get_ref()) {
            Ok(value) if (LOW..=HIGH).contains(&value) => Ok(Whole { value, span }),
            _ => Err(de::Error::custom(Refusal {
                does: format!("is {}", number.get_ref()),
                remedy: match HIGH {
                    u32::MAX => format!("give a whole number of {LOW} or more"),
                    _ => format!("give a whole number from {LOW} to {HIGH}"),
                },
            })),
        }
    }
}

impl<const LOW: u32, const HIGH: u32> JsonSchema for Whole<LOW, HIGH> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Whole".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "integer", "minimum": LOW, "maximum": HIGH })
    }
}
