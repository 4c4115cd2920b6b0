//! Parquet: one table with all columns, for data work.

mod pages;
pub(super) mod read;
pub(super) mod write;
