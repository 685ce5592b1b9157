//! What the fuzz targets share. A target fails by a panic: of the code under test, or of a promise that is checked here.
//!
//! ```console
//! $ cargo install cargo-fuzz --locked
//! $ cargo +stable fuzz run -s none mtx -- -max_total_time=60
//! ```

#![forbid(unsafe_code)]

pub mod options;
pub mod reader;
