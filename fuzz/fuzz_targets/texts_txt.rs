//! Texts, one per line.

#![no_main]

use libfuzzer_sys::fuzz_target;
use merit_fuzz::reader;

fuzz_target!(|bytes: &[u8]| reader::corpus("x.txt", bytes));
