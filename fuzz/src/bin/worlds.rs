//! libFuzzer around the targets of `understory_fuzz::worlds`.
#![no_main]
// What libFuzzer calls is named by its C names.
#![allow(unsafe_code)]

understory_fuzz::guided!(understory_fuzz::worlds::TARGETS);
