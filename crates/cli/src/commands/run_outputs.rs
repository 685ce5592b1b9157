//! What a run leaves: a folder, a page that may lie within it, and words.

use crate::args::OutputArgs;
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::output_folder::OutputFolder;
use crate::progress::say;
use crate::record::{Details, RunRecord};
use crate::terminal::print;
use merit_dataset::{check_file, write_file_atomically};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

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

    /// `run.json` into the folder, which is then finished; the record, or the notes and `words`, for whoever asked.
    pub fn finish<D: Details>(
        &self,
        folder: Option<OutputFolder>,
        record: &mut RunRecord<D>,
        words: impl FnOnce(&RunRecord<D>) -> String,
    ) -> Result<ExitCode, Failure> {
        let json = record.json();
        if let Some(folder) = folder {
            folder.write("run.json", &json)?;
            folder.commit()?;
        }
        if self.json {
            print(&json);
        }
        if !self.quiet {
            record.notes.iter().for_each(|note| say(&format!("note: {note}")));
            if !self.json {
                print(&words(record));
            }
        }
        Ok(ExitCode::from(if record.search.interrupted() { INTERRUPTED } else { 0 }))
    }

    /// Lines that say where everything is, the names in a column of this width.
    pub fn places(&self, width: usize) -> Vec<String> {
        let named = [("written", &self.output), ("report", &self.report)];
        let line = |(name, path): (&str, &Option<PathBuf>)| {
            path.as_ref().map(|path| format!("{name:<width$} {}", path.display()))
        };
        named.into_iter().filter_map(line).collect()
    }

    /// The page's place within the run folder, if it is to be there.
    fn page_in_folder(&self) -> Option<PathBuf> {
        let folder = std::path::absolute(self.output.as_deref()?).ok()?;
        let page = std::path::absolute(self.report.as_deref()?).ok()?;
        page.strip_prefix(folder).ok().map(Path::to_path_buf)
    }
}
