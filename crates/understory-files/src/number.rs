//! Numbers within limits: a key's type says what its value may be.
//!
//! What enters: a number of a TOML file. What leaves: the number and where it stands, or a sentence
//! that says what it may be. The same limits stand in the JSON schema.
//!
//! ```
//! use understory_files::{LayeredToml, Positive, Within};
//!
//! #[derive(serde::Deserialize)]
//! struct Wind {
//!     period_s: Positive,
//!     sway_deg: Option<Within<0, 45>>,
//! }
//! let read = |text| LayeredToml::new(text, "wind.toml").parse::<Wind>();
//! assert_eq!(read("period_s = 2.5")?.period_s.get(), 2.5);
//! assert_eq!(
//!     read("period_s = 2.5\nsway_deg = 60").err().map(|error| error.to_string()),
//!     Some("wind.toml:2: `sway_deg` is 60; give a number from 0 to 45".into())
//! );
//! # Ok::<(), understory_files::FileError>(())
//! ```

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Range;
use understory_base::math;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, de};

use crate::Spanned;
use crate::refusal::Refusal;

/// What a number may be.
pub trait Limits {
    /// The least; infinite where there is no such limit.
    const LOW: f64;
    /// The greatest.
    const HIGH: f64;
    /// Whether the least itself is too little.
    const ABOVE: bool = false;
    /// Whether the greatest itself is too much.
    const BELOW: bool = false;
    /// Said after the limits: what the number is, an example.
    const HINT: &'static str = "";
}

/// Names limits: `Name: 0.1..=9.0;`, or `Name: above 0.1..=9.0;` where the least itself is refused,
/// with a hint in words after a comma as wanted.
#[macro_export]
macro_rules! limits {
    (@above above) => { true };
    ($($(#[$doc:meta])* $name:ident:
       $($above:ident)? $low:literal ..= $high:literal $(, $hint:literal)?;)*) => {
        $($(#[$doc])* #[derive(Clone, Copy, Debug)]
        pub struct $name;
        impl $crate::Limits for $name {
            const LOW: f64 = $low;
            const HIGH: f64 = $high;
            $(const ABOVE: bool = $crate::limits!(@above $above);)?
            $(const HINT: &'static str = $hint;)?
        })*
    };
}

/// A number within limits, and where it stands.
#[derive(Debug)]
pub struct Number<L> {
    value: f64,
    span: Range<usize>,
    limits: PhantomData<L>,
}

/// Any finite number.
pub type Finite = Number<Any>;
/// A finite number above 0.
pub type Positive = Number<AboveZero>;
/// 0 or a finite number above it.
pub type NonNegative = Number<FromZero>;
/// A number from 0 to 1.
pub type Fraction = Number<ZeroToOne>;
/// A number above 0 and at most 1.
pub type PositiveFraction = Number<AboveZeroToOne>;
/// A length, a time or a density of a world: above 0 and at most 10⁹.
pub type Extent = Number<UpToBillion>;
/// A number from `LOW` to `HIGH`.
pub type Within<const LOW: i64, const HIGH: i64> = Number<Between<LOW, HIGH>>;

/// Limits of [`Finite`].
#[derive(Clone, Copy, Debug)]
pub struct Any;
/// Limits of [`Positive`].
#[derive(Clone, Copy, Debug)]
pub struct AboveZero;
/// Limits of [`NonNegative`].
#[derive(Clone, Copy, Debug)]
pub struct FromZero;
/// Limits of [`Fraction`].
#[derive(Clone, Copy, Debug)]
pub struct ZeroToOne;
/// Limits of [`PositiveFraction`].
#[derive(Clone, Copy, Debug)]
pub struct AboveZeroToOne;
/// Limits of [`Extent`].
#[derive(Clone, Copy, Debug)]
pub struct UpToBillion;
/// A coordinate of a world: finite, at most 10⁹ either way.
#[derive(Clone, Copy, Debug)]
pub struct Coordinate;
/// Limits of [`Within`].
#[derive(Clone, Copy, Debug)]
pub struct Between<const LOW: i64, const HIGH: i64>;

impl Limits for Any {
    const LOW: f64 = f64::NEG_INFINITY;
    const HIGH: f64 = f64::INFINITY;
}
impl Limits for AboveZero {
    const LOW: f64 = 0.0;
    const HIGH: f64 = f64::INFINITY;
    const ABOVE: bool = true;
}
impl Limits for FromZero {
    const LOW: f64 = 0.0;
    const HIGH: f64 = f64::INFINITY;
}
impl Limits for ZeroToOne {
    const LOW: f64 = 0.0;
    const HIGH: f64 = 1.0;
}
impl Limits for AboveZeroToOne {
    const LOW: f64 = 0.0;
    const HIGH: f64 = 1.0;
    const ABOVE: bool = true;
}
impl Limits for UpToBillion {
    const LOW: f64 = 0.0;
    const HIGH: f64 = 1e9;
    const ABOVE: bool = true;
}
impl Limits for Coordinate {
    const LOW: f64 = -1e9;
    const HIGH: f64 = 1e9;
}
impl<const LOW: i64, const HIGH: i64> Limits for Between<LOW, HIGH> {
    const LOW: f64 = LOW as f64;
    const HIGH: f64 = HIGH as f64;
}

impl<L> Number<L> {
    /// The number.
    pub fn get(&self) -> f64 {
        self.value
    }

    /// Where it stands.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

impl<L> Clone for Number<L> {
    fn clone(&self) -> Number<L> {
        Number { value: self.value, span: self.span.clone(), limits: PhantomData }
    }
}

/// A number that a file may leave out.
pub trait ValueOr {
    /// The number, or this one where the file says nothing.
    fn value_or(&self, otherwise: f64) -> f64;
}

impl<L> ValueOr for Option<Number<L>> {
    fn value_or(&self, otherwise: f64) -> f64 {
        self.as_ref().map_or(otherwise, Number::get)
    }
}

/// Whether a number keeps these limits.
pub(crate) fn keeps<L: Limits>(value: f64) -> bool {
    let low = if L::ABOVE { value > L::LOW } else { value >= L::LOW };
    let high = if L::BELOW { value < L::HIGH } else { value <= L::HIGH };
    value.is_finite() && low && high
}

/// What a number may be, in words: "a number from 0 to 45".
pub(crate) fn words<L: Limits>() -> String {
    let bounds = match (L::LOW.is_finite(), L::HIGH.is_finite()) {
        (false, false) => "a finite number".to_owned(),
        (true, false) if L::ABOVE => format!("a number above {}", figure(L::LOW)),
        (true, false) if L::LOW == 0.0 => "0 or a positive number".to_owned(),
        (true, false) => format!("a number of {} or more", figure(L::LOW)),
        (false, true) if L::BELOW => format!("a number below {}", figure(L::HIGH)),
        (false, true) => format!("a number of at most {}", figure(L::HIGH)),
        (true, true) if L::LOW == -L::HIGH && L::HIGH >= 1e6 => {
            format!("a finite number of at most {}", figure(L::HIGH))
        }
        (true, true) => match (L::ABOVE, L::BELOW) {
            (false, false) => format!("a number from {} to {}", figure(L::LOW), figure(L::HIGH)),
            (true, false) => {
                format!("a number above {} and at most {}", figure(L::LOW), figure(L::HIGH))
            }
            (false, true) => {
                format!("a number from {} to below {}", figure(L::LOW), figure(L::HIGH))
            }
            (true, true) => {
                format!("a number above {} and below {}", figure(L::LOW), figure(L::HIGH))
            }
        },
    };
    if L::HINT.is_empty() { bounds } else { format!("{bounds}, {}", L::HINT) }
}

/// A limit as people write it: 10⁹ rather than 1000000000.
fn figure(value: f64) -> String {
    let exponent = math::log10(value.abs());
    if exponent.fract() != 0.0 || (-4.0..6.0).contains(&exponent) {
        return value.to_string();
    }
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let sign = if value < 0.0 { "-" } else { "" };
    let exponent = exponent.to_string();
    let raised = exponent.chars().map(|c| c.to_digit(10).map_or('⁻', |d| DIGITS[d as usize]));
    format!("{sign}10{}", raised.collect::<String>())
}

impl<'de, L: Limits> Deserialize<'de> for Number<L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number<L>, D::Error> {
        let (value, span) = checked(deserializer, keeps::<L>, words::<L>)?;
        Ok(Number { value, span, limits: PhantomData })
    }
}

/// A number within limits that are given as functions: written out once for all limits.
fn checked<'de, D: Deserializer<'de>>(
    deserializer: D,
    keeps: fn(f64) -> bool,
    words: fn() -> String,
) -> Result<(f64, Range<usize>), D::Error> {
    let number = Spanned::<f64>::deserialize(deserializer)?;
    let (value, span) = (*number.get_ref(), number.span());
    if keeps(value) {
        return Ok((value, span));
    }
    let refusal = Refusal { does: format!("is {value}"), remedy: format!("give {}", words()) };
    Err(de::Error::custom(refusal))
}

impl<L: Limits> JsonSchema for Number<L> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = schemars::json_schema!({ "type": "number" });
        if L::LOW.is_finite() {
            let key = if L::ABOVE { "exclusiveMinimum" } else { "minimum" };
            schema.insert(key.into(), L::LOW.into());
        }
        if L::HIGH.is_finite() {
            let key = if L::BELOW { "exclusiveMaximum" } else { "maximum" };
            schema.insert(key.into(), L::HIGH.into());
        }
        schema
    }
}
