//! Reproductions through the public interface.

#![allow(clippy::disallowed_methods)]

mod deschaud_table1;
mod grass_stand;
