//! Texts in a table.

#![no_main]

use libfuzzer_sys::fuzz_target;
use merit_fuzz::reader;

fuzz_target!(|bytes: &[u8]| {
    reader::corpus("x.csv", bytes);
    reader::corpus("x.tsv", bytes)
});
