//! Matrices as text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use merit_fuzz::reader;

fuzz_target!(|bytes: &[u8]| {
    reader::matrix("x.csv", bytes);
    reader::matrix("x.tsv", bytes)
});
