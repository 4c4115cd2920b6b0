//! libFuzzer around the targets of `understory_fuzz::clouds`.
#![no_main]
// What libFuzzer calls is named by its C names.
#![allow(unsafe_code)]

understory_fuzz::guided!(understory_fuzz::clouds::TARGETS);
