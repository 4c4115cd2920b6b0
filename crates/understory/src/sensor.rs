//! A sensor as its preset describes it, validated.
