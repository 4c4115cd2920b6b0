//! The program `understory`.
fn main() {}
