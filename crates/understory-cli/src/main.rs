//! The program `understory`.

#[allow(dead_code)]
mod picture;

fn main() {}
