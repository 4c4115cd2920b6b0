//! Reproductions through the public interface.

mod deschaud_table1;
mod grass_stand;
