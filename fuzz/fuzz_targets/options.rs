//! The options of a run.

#![no_main]

use libfuzzer_sys::fuzz_target;
use merit_fuzz::options;

fuzz_target!(|bytes: &[u8]| options::run(bytes));
