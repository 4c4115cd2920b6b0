//! Tells the program for which platform it was built.

fn main() {
    let platform = std::env::var("TARGET").unwrap_or_default();
    println!("cargo:rustc-env=UNDERSTORY_PLATFORM={platform}");
}
