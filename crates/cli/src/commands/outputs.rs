//! What a run leaves: a folder, a page that may lie within it, and words.

use crate::args::OutputArgs;
use crate::failure::Failure;
use crate::output::print;
use crate::output_folder::OutputFolder;
use crate::progress::say;
use merit::solver::Progress;
use merit_dataset::{check_file, write_file_atomically};
use std::path::{Path, PathBuf};

impl OutputArgs {
    /// Refuses what cannot be written before the work, and leaves no trace of having tried.
    pub fn check(&self) -> Result<(), Failure> {
        drop(self.folder()?);
        match (&self.report, self.page_in_folder()) {
            (Some(_), Some(inside)) if inside == Path::new("") => {
                Err(Failure::usage("`--output` and `--report` name the same place")
                    .hint("the page is a file of its own"))
            }
            (Some(path), None) => Ok(check_file(path)?),
            _ => Ok(()),
        }
    }

    /// The folder, if one is asked for; it gets its name when it is finished.
    pub fn folder(&self) -> Result<Option<OutputFolder>, Failure> {
        self.output.as_deref().map(|path| OutputFolder::create(path, self.force)).transpose()
    }

    /// Writes the page, if one is asked for; one that belongs into the folder is written with it.
    pub fn write_page(&self, folder: Option<&OutputFolder>, page: impl FnOnce() -> String) -> Result<(), Failure> {
        let Some(path) = &self.report else { return Ok(()) };
        let inside = folder.and_then(|folder| Some(folder.file(self.page_in_folder()?)));
        Ok(write_file_atomically(inside.as_deref().unwrap_or(path), page().as_bytes())?)
    }

    /// `run.json` into the folder, which is then finished; the summary, or the notes and `words`, for whoever asked.
    pub fn finish(
        &self,
        folder: Option<OutputFolder>,
        json: &str,
        notes: &[String],
        words: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if let Some(folder) = folder {
            std::fs::write(folder.file("run.json"), json)
                .map_err(|error| Failure::data(format!("`run.json` cannot be written: {error}")))?;
            folder.commit()?;
        }
        if self.json {
            print(json);
        }
        if !self.quiet {
            notes.iter().for_each(|note| say(&format!("note: {note}")));
            if !self.json {
                print(&words());
            }
        }
        Ok(())
    }

    /// The page's place within the run folder, if it is to be there.
    fn page_in_folder(&self) -> Option<PathBuf> {
        let folder = std::path::absolute(self.output.as_deref()?).ok()?;
        let page = std::path::absolute(self.report.as_deref()?).ok()?;
        page.strip_prefix(folder).ok().map(Path::to_path_buf)
    }
}

/// `trace.csv`: a line for every iteration.
pub fn trace_csv(trace: &[Progress]) -> String {
    let mut text = String::from("iteration,step,objective,gap,nnz,nonempty_rows,seconds,candidates,pairs\n");
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for row in trace {
        text += &format!(
            "{},{},{},{},{},{},{},{},{}\n",
            row.iteration,
            number(row.step),
            number(row.objective),
            number(row.gap),
            row.nnz,
            row.nonempty_rows,
            row.elapsed.as_secs_f64(),
            row.candidates,
            row.pairs
        );
    }
    text
}
