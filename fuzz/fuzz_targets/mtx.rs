//! Matrices of Matrix Market.

#![no_main]

use libfuzzer_sys::fuzz_target;
use merit_fuzz::reader;

fuzz_target!(|bytes: &[u8]| reader::matrix("x.mtx", bytes));
