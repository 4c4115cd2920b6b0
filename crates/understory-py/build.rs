//! The package takes its own sines and their like (`understory_base::math`) before the system's.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo:rustc-link-arg-cdylib=-Wl,-Bsymbolic");
    }
}
