//! Images of MATLAB, and their truths.

#![no_main]

use libfuzzer_sys::fuzz_target;
use merit_fuzz::reader;

fuzz_target!(|bytes: &[u8]| reader::image("x.mat", bytes));
