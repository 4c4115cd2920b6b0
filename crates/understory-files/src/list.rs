//! Lists: of exactly so many values, or of at least one.
//!
//! serde takes the first three values of a list of four where three are meant, and says nothing; a
//! quaternion would be taken for angles. These types refuse what is too long as well.

use std::borrow::Cow;
use std::ops::Range;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, de};

use crate::Spanned;
use crate::number::{Any, Coordinate, Number};
use crate::refusal::Refusal;

/// Exactly `N` values, and where the list stands.
#[derive(Clone, Debug)]
pub struct Array<T, const N: usize> {
    values: [T; N],
    span: Range<usize>,
}

/// Exactly `N` numbers within limits: a position, a rotation, a pair.
pub type Vector<const N: usize, L = Coordinate> = Array<Number<L>, N>;

/// Any number of values, and where the list stands.
#[derive(Clone, Debug)]
pub struct List<T> {
    values: Vec<T>,
    span: Range<usize>,
}

/// Any number of finite numbers.
pub type Numbers<L = Any> = List<Number<L>>;

/// One value or more, and where the list stands.
#[derive(Clone, Debug)]
pub struct NonEmpty<T> {
    values: Vec<T>,
    span: Range<usize>,
}

impl<T, const N: usize> Array<T, N> {
    /// The values.
    pub fn get_ref(&self) -> &[T; N] {
        &self.values
    }

    /// Where the list stands.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

impl<L, const N: usize> Vector<N, L> {
    /// The numbers.
    pub fn get(&self) -> [f64; N] {
        self.values.each_ref().map(Number::get)
    }
}

impl<T> List<T> {
    /// The values.
    pub fn get_ref(&self) -> &[T] {
        &self.values
    }

    /// Where the list stands.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

impl<L> Numbers<L> {
    /// The numbers.
    pub fn get(&self) -> Vec<f64> {
        self.values.iter().map(Number::get).collect()
    }
}

impl<T> NonEmpty<T> {
    /// The values.
    pub fn get_ref(&self) -> &[T] {
        &self.values
    }

    /// Where the list stands.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<List<T>, D::Error> {
        let list = Spanned::<Vec<T>>::deserialize(deserializer)?;
        Ok(List { span: list.span(), values: list.into_inner() })
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for NonEmpty<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NonEmpty<T>, D::Error> {
        let list = Spanned::<Vec<T>>::deserialize(deserializer)?;
        if list.get_ref().is_empty() {
            let (does, remedy) = ("is empty".to_owned(), "give one or more".to_owned());
            return Err(de::Error::custom(Refusal { does, remedy }));
        }
        Ok(NonEmpty { span: list.span(), values: list.into_inner() })
    }
}

impl<'de, T: Deserialize<'de>, const N: usize> Deserialize<'de> for Array<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Array<T, N>, D::Error> {
        let list = Spanned::<Vec<T>>::deserialize(deserializer)?;
        let span = list.span();
        exactly(list.into_inner()).map(|values| Array { values, span })
    }
}

/// For `#[serde(deserialize_with)]`: exactly `N` values into a plain array.
pub fn exact<'de, D, T, const N: usize>(deserializer: D) -> Result<[T; N], D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    exactly(Vec::deserialize(deserializer)?)
}

/// Like [`exact`], for a key that may be left out.
pub fn exact_if_given<'de, D, T, const N: usize>(
    deserializer: D,
) -> Result<Option<[T; N]>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::<Vec<T>>::deserialize(deserializer)?.map(exactly).transpose()
}

/// Like [`exact`], for a list of arrays such as the corners of a path.
pub fn exact_each<'de, D, T, const N: usize>(deserializer: D) -> Result<Vec<[T; N]>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Vec::<Vec<T>>::deserialize(deserializer)?.into_iter().map(exactly).collect()
}

fn exactly<T, E: de::Error, const N: usize>(values: Vec<T>) -> Result<[T; N], E> {
    <[T; N]>::try_from(values).map_err(|values| {
        let count = values.len();
        let does = match count {
            0 => "is empty".to_owned(),
            1 => "has 1 value".to_owned(),
            _ => format!("has {count} values"),
        };
        E::custom(Refusal { does, remedy: format!("give {N}") })
    })
}

impl<T: JsonSchema, const N: usize> JsonSchema for Array<T, N> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Array".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<T>();
        schemars::json_schema!({ "type": "array", "items": items, "minItems": N, "maxItems": N })
    }
}

impl<T: JsonSchema> JsonSchema for List<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "List".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<T>();
        schemars::json_schema!({ "type": "array", "items": items })
    }
}

impl<T: JsonSchema> JsonSchema for NonEmpty<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "NonEmpty".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<T>();
        schemars::json_schema!({ "type": "array", "items": items, "minItems": 1 })
    }
}
