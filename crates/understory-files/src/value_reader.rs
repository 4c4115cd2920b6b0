//! Values of a parsed TOML text as the types that they are read into, by serde.
//!
//! What enters: a value and where it stands. What leaves: a `T`, or the message and the place of
//! the first mistake. The crate `toml` does the same, but hands every struct three ways in (a table,
//! a list of its fields in order, a value with its span), and the compiler writes all three out for
//! every type of a file: a fifth of the time that building this program took. Here a struct is a
//! table and nothing else, which also refuses a list where a table belongs.

use std::fmt::{self, Display};
use std::ops::Range;

use serde::de::value::CowStrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use toml::Spanned;
use toml::de::{DeInteger, DeString, DeTable, DeValue};

use crate::spanned::SPANNED;

/// What is wrong, and where as far as it is known.
#[derive(Debug)]
pub(crate) struct ReadError {
    pub message: String,
    pub span: Option<Range<usize>>,
}

impl ReadError {
    /// The same, which arose in the value at `span` if nothing inside it is to blame.
    fn within(mut self, span: &Range<usize>) -> ReadError {
        self.span.get_or_insert_with(|| span.clone());
        self
    }
}

impl Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

impl de::Error for ReadError {
    fn custom<T: Display>(message: T) -> ReadError {
        ReadError { message: message.to_string(), span: None }
    }
}

/// A value, or an end of its span, which is read as a number.
enum Item<'de> {
    Value(DeValue<'de>),
    Offset(usize),
}

/// A value that is about to be read.
pub(crate) struct ValueReader<'de> {
    item: Item<'de>,
    span: Range<usize>,
}

impl<'de> ValueReader<'de> {
    /// A whole text.
    pub fn of_table(table: Spanned<DeTable<'de>>) -> ValueReader<'de> {
        let span = table.span();
        ValueReader { item: Item::Value(DeValue::Table(table.into_inner())), span }
    }

    fn new(value: Spanned<DeValue<'de>>) -> ValueReader<'de> {
        ValueReader { span: value.span(), item: Item::Value(value.into_inner()) }
    }

    /// Start, end and the value itself.
    fn with_its_span(self) -> Elements<'de> {
        let Range { start, end } = self.span.clone();
        let offset = |offset| ValueReader { item: Item::Offset(offset), span: start..end };
        Elements(Box::new([offset(start), offset(end), self].into_iter()))
    }

    /// The error that this is no value of the kind that is expected.
    fn unexpected(&self, expected: &dyn de::Expected) -> ReadError {
        let found = match &self.item {
            Item::Offset(_) => Unexpected::Other("a place"),
            Item::Value(DeValue::String(text)) => Unexpected::Str(text),
            Item::Value(DeValue::Integer(number)) => match whole(number) {
                Some(number) => Unexpected::Signed(number),
                None => Unexpected::Other("integer"),
            },
            Item::Value(DeValue::Float(number)) => {
                Unexpected::Float(number.as_str().parse().unwrap_or(f64::NAN))
            }
            Item::Value(DeValue::Boolean(truth)) => Unexpected::Bool(*truth),
            Item::Value(DeValue::Datetime(_)) => Unexpected::Map,
            Item::Value(DeValue::Array(_)) => Unexpected::Seq,
            Item::Value(DeValue::Table(_)) => Unexpected::Map,
        };
        let error: ReadError = de::Error::invalid_type(found, expected);
        error.within(&self.span)
    }
}

fn whole(number: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

impl<'de> Deserializer<'de> for ValueReader<'de> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let span = self.span;
        let value = match self.item {
            Item::Offset(offset) => return visitor.visit_u64(offset as u64),
            Item::Value(value) => value,
        };
        match value {
            DeValue::String(DeString::Owned(text)) => visitor.visit_string(text),
            DeValue::String(DeString::Borrowed(text)) => visitor.visit_borrowed_str(text),
            DeValue::Integer(number) => match whole(&number) {
                Some(number) => visitor.visit_i64(number),
                None => match i128::from_str_radix(number.as_str(), number.radix()) {
                    Ok(number) => match u64::try_from(number) {
                        Ok(number) => visitor.visit_u64(number),
                        Err(_) => visitor.visit_i128(number),
                    },
                    Err(_) => Err(de::Error::custom("integer number overflowed")),
                },
            },
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(value) if value.is_infinite() && !number.as_str().contains("inf") => {
                    Err(de::Error::custom("floating-point number overflowed"))
                }
                Ok(value) => visitor.visit_f64(value),
                Err(error) => Err(de::Error::custom(error)),
            },
            DeValue::Boolean(truth) => visitor.visit_bool(truth),
            // Only values that are taken as they are can be dates; `toml` knows how it marks them.
            value @ DeValue::Datetime(_) => {
                let date = toml::de::ValueDeserializer::from(Spanned::new(span.clone(), value));
                date.deserialize_any(visitor).map_err(|error| de::Error::custom(error.message()))
            }
            DeValue::Array(values) => visitor.visit_seq(Elements::of(values)),
            DeValue::Table(table) => visitor.visit_map(Entries::of(table)),
        }
        .map_err(|error: ReadError| error.within(&span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let span = self.span.clone();
        // A missing key is none; what is there is something.
        visitor.visit_some(self).map_err(|error| error.within(&span))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let span = self.span.clone();
        visitor.visit_newtype_struct(self).map_err(|error| error.within(&span))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.item {
            Item::Value(DeValue::Array(values)) => visitor
                .visit_seq(Elements::of(values))
                .map_err(|error: ReadError| error.within(&self.span)),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match name {
            SPANNED => visitor.visit_seq(self.with_its_span()),
            _ => self.deserialize_seq(visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.item {
            Item::Value(DeValue::Table(table)) => visitor
                .visit_map(Entries::of(table))
                .map_err(|error: ReadError| error.within(&self.span)),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let span = self.span;
        let problem = match self.item {
            Item::Value(DeValue::String(word)) => {
                let word = Entry { name: word, name_span: span.clone(), value: None };
                return visitor.visit_enum(word).map_err(|error| error.within(&span));
            }
            Item::Value(DeValue::Table(table)) => {
                let mut entries = table.into_iter();
                match (entries.next(), entries.next()) {
                    (Some((name, value)), None) => {
                        let (name_span, value) = (name.span(), Some(ValueReader::new(value)));
                        let entry = Entry { name: name.into_inner(), name_span, value };
                        return visitor.visit_enum(entry).map_err(|error| error.within(&span));
                    }
                    (None, _) => "wanted exactly 1 element, found 0 elements",
                    (Some(_), Some(_)) => "wanted exactly 1 element, more than 1 element",
                }
            }
            _ => "wanted string or table",
        };
        Err(ReadError { message: problem.to_owned(), span: Some(span) })
    }

    serde::forward_to_deserialize_any! {
        bool u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 char str string bytes byte_buf unit
        ignored_any unit_struct identifier
    }
}

/// The values of a list.
struct Elements<'de>(Box<dyn Iterator<Item = ValueReader<'de>> + 'de>);

impl<'de> Elements<'de> {
    fn of(values: toml::de::DeArray<'de>) -> Elements<'de> {
        Elements(Box::new(values.into_iter().map(ValueReader::new)))
    }
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        self.0.next().map(|value| seed.deserialize(value)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.size_hint().0)
    }
}

/// The keys and values of a table.
struct Entries<'de> {
    rest: <DeTable<'de> as IntoIterator>::IntoIter,
    value: Option<ValueReader<'de>>,
}

impl<'de> Entries<'de> {
    fn of(table: DeTable<'de>) -> Entries<'de> {
        Entries { rest: table.into_iter(), value: None }
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.value = Some(ValueReader::new(value));
        let span = key.span();
        let key: CowStrDeserializer<'de, ReadError> = key.into_inner().into_deserializer();
        seed.deserialize(key).map(Some).map_err(|error| error.within(&span))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, ReadError> {
        let Some(value) = self.value.take() else {
            return Err(de::Error::custom("a value was asked for before its key"));
        };
        let span = value.span.clone();
        seed.deserialize(value).map_err(|error| error.within(&span))
    }
}

/// A word, or a key with a value: one of several kinds.
struct Entry<'de> {
    name: DeString<'de>,
    name_span: Range<usize>,
    value: Option<ValueReader<'de>>,
}

impl<'de> EnumAccess<'de> for Entry<'de> {
    type Error = ReadError;
    type Variant = Kind<'de>;

    fn variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Kind<'de>), ReadError> {
        let name: CowStrDeserializer<'de, ReadError> = self.name.into_deserializer();
        let name = seed.deserialize(name).map_err(|error| error.within(&self.name_span))?;
        Ok((name, Kind(self.value)))
    }
}

/// What stands beside the name of a kind.
struct Kind<'de>(Option<ValueReader<'de>>);

impl<'de> Kind<'de> {
    fn value(self) -> Result<ValueReader<'de>, ReadError> {
        self.0.ok_or_else(|| {
            de::Error::invalid_type(Unexpected::UnitVariant, &"a table with the keys of this kind")
        })
    }
}

impl<'de> VariantAccess<'de> for Kind<'de> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self.0 {
            None => Ok(()),
            Some(ValueReader { item: Item::Value(DeValue::Table(table)), .. })
                if table.is_empty() =>
            {
                Ok(())
            }
            Some(value) => {
                Err(ReadError { message: "expected empty table".into(), span: Some(value.span) })
            }
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        seed.deserialize(self.value()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.value()?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let value = self.value()?;
        if let Item::Value(DeValue::Table(table)) = &value.item
            && let Some(key) = table.keys().find(|key| !fields.contains(&key.get_ref().as_ref()))
        {
            let error: ReadError = de::Error::unknown_field(key.get_ref(), fields);
            return Err(error.within(&key.span()));
        }
        value.deserialize_map(visitor)
    }
}
