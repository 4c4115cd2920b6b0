//! What people write as TOML, read strictly.
//!
//! What enters: the text of a file. What leaves: a typed struct, or one sentence that says what is
//! wrong, where, and what to do. A key's type says what its value may be ([`Positive`],
//! [`Within`], [`Vector`] …); [`LayeredToml`] lays texts over each other and finds the files that
//! they name; [`sensor`] is the one reader of sensor files, and has the built-in ones.

mod error;
mod explain;
pub mod hint;
mod layered_toml;
mod list;
pub mod mend;
mod number;
mod references;
mod parsed;
mod refusal;
pub mod schema;
pub mod sensor;
mod spanned;
mod value_reader;
mod whole;

pub use error::FileError;
pub use layered_toml::{LayeredToml, Step, has, line_of};
pub use list::{Array, List, NonEmpty, Numbers, Vector, exact, exact_each, exact_if_given};
pub use number::{
    AboveZero, AboveZeroToOne, Any, Between, Coordinate, Extent, Finite, Fraction, FromZero,
    Limits, NonNegative, Number, Positive, PositiveFraction, UpToBillion, ValueOr, Within,
    ZeroToOne,
};
pub use references::{PresetKind, Reference, Target};
pub use spanned::Spanned;
pub use whole::Whole;
