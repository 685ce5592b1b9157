//! One file per command, and what they share.

pub mod bench;
pub mod certify;
mod checkpoint;
pub mod communities;
pub mod compare;
pub mod demo;
pub mod evaluate;
pub mod factor;
mod factor_folder;
pub mod factor_page;
pub mod generate;
mod out_of_core;
mod page_parts;
mod path_section;
pub mod plan;
pub mod reproduce;
mod run_outputs;
mod shared_results;
pub mod shell;
pub mod theory;
pub mod topics;
pub mod unmix;

use crate::failure::Failure;

/// Sets the number of threads for everything that follows.
fn use_threads(threads: Option<usize>) -> Result<(), Failure> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
    builder.build_global().map_err(|error| Failure::data(format!("the threads cannot be started: {error}")))
}
