//! One file a command, and what they share.

pub mod bench;
pub mod certify;
pub mod communities;
pub mod compare;
pub mod demo;
pub mod evaluate;
pub mod factor;
pub mod generate;
mod page;
pub mod reproduce;
mod run_folder;
pub mod shell;
mod theory;
pub mod topics;

use crate::args::SamplesName;
use crate::failure::Failure;
use merit_dataset::{OutputFolder, Samples, check_file};
use std::path::{Path, PathBuf};

/// Where a run writes: a folder, and a page that may lie within it.
#[derive(Clone, Copy)]
struct Outputs<'a> {
    folder: Option<&'a Path>,
    force: bool,
    page: Option<&'a Path>,
}

impl<'a> Outputs<'a> {
    fn new(folder: &'a Option<PathBuf>, force: bool, page: &'a Option<PathBuf>) -> Self {
        Self { folder: folder.as_deref(), force, page: page.as_deref() }
    }

    /// Refuses what cannot be written before the work, and leaves no trace of having tried.
    fn check(self) -> Result<(), Failure> {
        if let Some(path) = self.folder {
            drop(OutputFolder::create(path, self.force)?);
        }
        match (self.page, self.page_in_folder()) {
            (Some(_), Some(inside)) if inside == Path::new("") => {
                Err(Failure::usage("`--output` and `--report` name the same place")
                    .hint("the page is a file of its own"))
            }
            (Some(path), None) => Ok(check_file(path)?),
            _ => Ok(()),
        }
    }

    /// The page's place within the run folder, if it is to be there.
    fn page_in_folder(self) -> Option<PathBuf> {
        let folder = std::path::absolute(self.folder?).ok()?;
        let page = std::path::absolute(self.page?).ok()?;
        page.strip_prefix(folder).ok().map(Path::to_path_buf)
    }
}

/// Sets the number of threads for everything that follows.
fn use_threads(threads: Option<usize>) -> Result<(), Failure> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
    builder.build_global().map_err(|error| Failure::data(format!("the threads cannot be started: {error}")))
}

fn samples(name: SamplesName) -> Samples {
    match name {
        SamplesName::Columns => Samples::Columns,
        SamplesName::Rows => Samples::Rows,
    }
}
