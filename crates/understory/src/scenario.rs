//! One TOML file that says everything about a run.
