//! One column of records as a value: how other languages take columns and give them, without copies.

use crate::{CloudError, Records};

/// The values of one column, one per row.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Column {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    F32x3(Vec<[f32; 3]>),
    F64x3(Vec<[f64; 3]>),
    U8x3(Vec<[u8; 3]>),
}

macro_rules! column_kinds {
    ($($kind:ident: $ty:ty,)*) => {
        $(
            impl From<Vec<$ty>> for Column {
                fn from(values: Vec<$ty>) -> Column {
                    Column::$kind(values)
                }
            }

            impl TryFrom<Column> for Vec<$ty> {
                type Error = Column;

                fn try_from(column: Column) -> Result<Vec<$ty>, Column> {
                    match column {
                        Column::$kind(values) => Ok(values),
                        other => Err(other),
                    }
                }
            }
        )*

        impl Column {
            /// Number of rows.
            pub fn len(&self) -> usize {
                match self {
                    $(Column::$kind(values) => values.len(),)*
                }
            }
        }
    };
}

column_kinds! {
    U8: u8,
    U16: u16,
    U32: u32,
    U64: u64,
    F32: f32,
    F64: f64,
    F32x3: [f32; 3],
    F64x3: [f64; 3],
    U8x3: [u8; 3],
}

impl Column {
    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Records {
    /// Rows of which only some columns are known, all of the same length; the others are as
    /// [`Record::miss`](crate::Record::miss) has them.
    ///
    /// ```
    /// use understory_cloud::{Column, Records};
    /// let records = Records::from_columns(vec![("range_m", Column::F32(vec![1.0, 2.0]))])?;
    /// assert_eq!((records.len(), records.range_m[1], records.object[1]), (2, 2.0, 0));
    /// # Ok::<(), understory_cloud::CloudError>(())
    /// ```
    pub fn from_columns(columns: Vec<(&str, Column)>) -> Result<Records, CloudError> {
        let rows = columns.first().map_or(0, |(_, column)| column.len());
        let mut records = Records::default();
        records.fill_with_misses(rows);
        for (name, column) in columns {
            let found = column.len();
            let Some(known) = records.set_column(name, column) else {
                return Err(CloudError::UnknownColumn { column: name.to_owned() });
            };
            if found != rows {
                return Err(CloudError::UnevenColumns { column: known, found, expected: rows });
            }
        }
        Ok(records)
    }

    /// Name of each column, with no rows of its kind.
    pub fn column_kinds() -> Vec<(&'static str, Column)> {
        Records::default().into_columns()
    }
}
