//! What a run leaves: a folder, a page that may lie within it, and words. What cannot be written is at least said.

use crate::ExitCode;
use crate::args::OutputArgs;
use crate::failure::{DATA, Failure};
use crate::interrupt::exit_code;
use crate::output_folder::{OutputFolder, check_not_input};
use crate::progress::{say, working};
use crate::ranks::{is_first, leave};
use crate::record::{Details, RunRecord};
use crate::terminal::{print, print_json};
use merit_dataset::shown::{shown, shown_path};
use merit_dataset::{check_file, write_file_atomically};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What a run found, in the forms in which it can be asked for.
pub struct Results<'a, D> {
    /// Writes all files of the folder but `run.json`.
    pub folder: &'a dyn Fn(&OutputFolder) -> Result<(), Failure>,
    /// Another file, if one is asked for: what it is, where it goes and its text.
    pub extra: Option<(&'a str, &'a Path, &'a dyn Fn() -> String)>,
    pub page: &'a dyn Fn(&RunRecord<D>) -> String,
    /// The summary for people: lines of a name and a value, whose names take a column of `width`.
    pub words: &'a dyn Fn(&RunRecord<D>) -> String,
    pub width: usize,
}

/// Refuses a file whose name says that it is not a page.
fn check_page(path: &Path) -> Result<(), Failure> {
    let is_page = |kind: &OsStr| ["html", "htm", "xhtml"].iter().any(|page| kind.eq_ignore_ascii_case(page));
    match path.extension().filter(|kind| !is_page(kind)) {
        None => Ok(()),
        Some(other) => {
            let other = shown(&other.to_string_lossy()).into_owned();
            Err(Failure::usage(format!("`--report` writes a page, which is .html, not .{other}"))
                .hint("a browser prints it as PDF"))
        }
    }
}

impl OutputArgs {
    /// Refuses what cannot be written before the work, and leaves no trace of having tried.
    pub fn check(&self, inputs: &[&Path]) -> Result<(), Failure> {
        if !is_first() {
            return Ok(());
        }
        drop(self.folder(inputs)?);
        match (&self.report, self.page_in_folder()) {
            (Some(_), Some(inside)) if inside == Path::new("") => {
                Err(Failure::usage("`--output` and `--report` name the same place")
                    .hint("the page is a file of its own"))
            }
            (Some(path), None) => {
                check_not_input(path, inputs)?;
                check_page(path)?;
                Ok(check_file(path)?)
            }
            (Some(path), Some(_)) => check_page(path),
            (None, _) => Ok(()),
        }
    }

    /// Writes and says what was asked for. A run is not lost with its files: if one of them fails, the words are printed
    /// anyway.
    pub fn finish<D: Details>(
        &self,
        inputs: &[&Path],
        record: RunRecord<D>,
        results: &Results<D>,
    ) -> Result<ExitCode, Failure> {
        leave();
        if !is_first() {
            return Ok(ExitCode::from(if record.search.interrupted() { exit_code() } else { 0 }));
        }
        self.finish_begun(self.folder(inputs), record, results)
    }

    /// The same where the folder was begun before, for what does not fit into memory.
    pub fn finish_begun<D: Details>(
        &self,
        begun: Result<Option<OutputFolder>, Failure>,
        mut record: RunRecord<D>,
        results: &Results<D>,
    ) -> Result<ExitCode, Failure> {
        let writing = working(self.quiet, "writing the results".into());
        let (json, lost) = self.write(begun, &mut record, results);
        drop(writing);
        if !self.quiet {
            record.notes.iter().for_each(|note| say(&format!("note: {note}")));
        }
        let printed = if self.json {
            print_json(&json)
        } else if !self.quiet || !lost.is_empty() {
            print(&self.in_words(&record, results, &lost))
        } else {
            Ok(())
        };
        if lost.is_empty() {
            return printed.map(|()| ExitCode::from(if record.search.interrupted() { exit_code() } else { 0 }));
        }
        lost.iter().for_each(|(_, failure)| failure.tell());
        let places: Vec<String> = lost.iter().map(|(path, _)| format!("`{}`", shown_path(path))).collect();
        say(&format!("note: what was printed is all there is; the rest would have gone to {}", places.join(" and ")));
        printed.map(|()| ExitCode::from(DATA))
    }

    /// Writes what can be written; gives the text of the record, and what is lost and why.
    fn write<'a, D: Details>(
        &'a self,
        begun: Result<Option<OutputFolder>, Failure>,
        record: &mut RunRecord<D>,
        results: &Results<'a, D>,
    ) -> (String, Vec<(&'a Path, Failure)>) {
        let clock = Instant::now();
        let mut lost = Vec::new();
        let page = self.report.as_deref().map(|path| (path, (results.page)(record)));
        if let Some((_, path, text)) = results.extra
            && let Err(error) = write_file_atomically(path, text().as_bytes())
        {
            lost.push((path, error.into()));
        }
        if let (Some((path, text)), None) = (&page, self.page_in_folder())
            && let Err(error) = write_file_atomically(path, text.as_bytes())
        {
            lost.push((path, error.into()));
        }
        let begun = begun.and_then(|folder| {
            let Some(folder) = folder else { return Ok(None) };
            (results.folder)(&folder)?;
            if let (Some((_, text)), Some(inside)) = (&page, self.page_in_folder()) {
                folder.write(inside, text)?;
            }
            record.files = folder.files_with("run.json")?;
            Ok(Some(folder))
        });
        record.add_seconds("write", clock.elapsed().as_secs_f64());
        let mut json = record.json();
        let written = begun.and_then(|folder| {
            let Some(folder) = folder else { return Ok(()) };
            folder.write("run.json", &json)?;
            folder.commit()
        });
        if let (Err(failure), Some(path)) = (written, self.output.as_deref()) {
            lost.push((path, failure));
            record.files.clear();
            json = record.json();
        }
        (json, lost)
    }

    /// The folder, if one is asked for; it gets its name when it is finished.
    pub fn folder(&self, inputs: &[&Path]) -> Result<Option<OutputFolder>, Failure> {
        self.output.as_deref().map(|path| OutputFolder::create(path, self.force, inputs)).transpose()
    }

    /// The summary, where everything is, and what only the files would say otherwise.
    fn in_words<D>(&self, record: &RunRecord<D>, results: &Results<D>, lost: &[(&Path, Failure)]) -> String {
        let mut text = (results.words)(record);
        let width = results.width;
        let named = [("written", self.output.as_deref()), ("report", self.report.as_deref())];
        let extra = results.extra.map(|(name, path, _)| (name, Some(path)));
        for (name, path) in named.into_iter().chain(extra) {
            let Some(path) = path.filter(|path| !self.is_lost(path, lost)) else { continue };
            text += &format!("{name:<width$} {}\n", shown_path(path));
        }
        if !lost.is_empty() {
            let all: Vec<String> = record.search.anchors.iter().map(usize::to_string).collect();
            text += &format!("{:<width$} {}\n", "indices", all.join(", "));
        }
        text
    }

    /// Whether this or the folder that holds it was not written.
    fn is_lost(&self, path: &Path, lost: &[(&Path, Failure)]) -> bool {
        let inside = self.page_in_folder().is_some() && self.report.as_deref() == Some(path);
        lost.iter().any(|(gone, _)| *gone == path || inside && self.output.as_deref() == Some(*gone))
    }

    /// The page's place within the run folder, if it is to be there.
    fn page_in_folder(&self) -> Option<PathBuf> {
        let folder = std::path::absolute(self.output.as_deref()?).ok()?;
        let page = std::path::absolute(self.report.as_deref()?).ok()?;
        page.strip_prefix(folder).ok().map(Path::to_path_buf)
    }
}
