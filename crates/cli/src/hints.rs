//! What to type, or to change, after an error or a note: the libraries say what is wrong in their words, the flags stand
//! here.

use crate::failure::Failure;
use merit::settings::Declared;
use merit_communities::{Error as CommunitiesError, Fault};
use merit_dataset::{ReadError, WriteError};
use merit_experiments::Failure as ExperimentFailure;
use merit_topics::Error as TopicsError;
use merit_topics::edit::Refusal;
use merit_unmix::{Error as UnmixError, Fault as HeaderFault};
use std::sync::{PoisonError, RwLock};

/// How those who read notes name settings: as flags, unless something else was chosen.
static WORDING: RwLock<fn(&str) -> String> = RwLock::new(as_flags);

/// From now on notes name settings by these words.
pub fn word_notes(wording: fn(&str) -> String) {
    *WORDING.write().unwrap_or_else(PoisonError::into_inner) = wording;
}

/// A note of a library with its settings as the reader types them. For texts without names from files, which may be the same
/// words.
pub fn typed(note: &str) -> String {
    WORDING.read().unwrap_or_else(PoisonError::into_inner)(note)
}

/// `` `zero_columns` `` and `` `zero_columns = drop` `` become `` `--zero-columns` `` and `` `--zero-columns drop` ``.
pub fn as_flags(note: &str) -> String {
    let mut declarations = merit::factor::Settings::declarations();
    declarations.extend(merit_topics::Settings::declarations());
    declarations.extend(merit_topics::settings::Reading::declarations());
    declarations.extend(merit_topics::settings::TokenSettings::declarations());
    declarations.extend(merit_communities::Settings::declarations());
    declarations.extend(merit_communities::settings::Reading::declarations());
    declarations.extend(merit_unmix::Settings::declarations());
    declarations.extend(merit_unmix::settings::Reading::declarations());
    let typed = declarations.into_iter().filter(|declaration| declaration.typed);
    typed.fold(note.to_string(), |note, declaration| {
        let (name, flag) = (declaration.name, declaration.flag());
        note.replace(&format!("`{name}`"), &format!("`--{flag}`"))
            .replace(&format!("`{name} = "), &format!("`--{flag} "))
    })
}

/// An error about communities, with its setting as it is typed.
pub fn communities_message(error: &CommunitiesError) -> String {
    match error {
        CommunitiesError::Edge { at, line, fault } | CommunitiesError::Line { at, line, fault }
            if matches!(fault, Fault::NoWeight(_) | Fault::WeightRange(_) | Fault::WeightText(_)) =>
        {
            format!("line {line} of {at} {}", typed(&fault.to_string()))
        }
        other => other.to_string(),
    }
}

/// Files that people may take for tables.
const SPREADSHEETS: [&str; 4] = ["xlsx", "xls", "ods", "numbers"];

/// After a file that cannot be read.
pub fn read_hint(error: &ReadError) -> Option<String> {
    Some(match error {
        ReadError::UnknownFormat { extension: Some(extension), .. } if SPREADSHEETS.contains(&extension.as_str()) => {
            "export the sheet as .csv".into()
        }
        ReadError::UnknownFormat { .. } => "save it as one of these, as with `np.save(\"x.npy\", x)`".into(),
        ReadError::Truncated { .. } | ReadError::Empty { .. } => {
            "was it written or copied completely? make it again".into()
        }
        ReadError::BeyondSingle { .. } | ReadError::BelowSingle { .. } => {
            "`--precision f64` has room for it; or scale the data".into()
        }
        ReadError::Trailing { .. } => "save it again with `np.save`".into(),
        ReadError::Line { field: Some(_), reason, .. } if reason.starts_with("is empty") => {
            "fill the gaps first, or leave out the rows or columns that have them".into()
        }
        ReadError::Line { field: None, reason, .. } if reason.ends_with("as in the first") => {
            "fields are separated by commas in .csv, by tabs in .tsv, and numbers have decimal points; save the table that way"
                .into()
        }
        ReadError::Line { field: Some(_), .. } => {
            "only the first line may hold names (a name over every column), and only the first column; fields are \
             separated by commas in .csv, by tabs in .tsv"
                .into()
        }
        ReadError::NotReal { found, .. } if found.contains("complex") => "keep the real part, `x.real`".into(),
        ReadError::NotReal { .. } => "convert it first, as with `x.astype(float)`".into(),
        ReadError::NotTwoDimensional { shape, .. } => match shape[..] {
            [_, _, last] => {
                format!("give it 2 dimensions first, as with `x.reshape(-1, {last}).T` for one pixel per column")
            }
            [_] => {
                "give it 2 dimensions first: `x.reshape(1, -1)` for one row, `x.reshape(-1, 1)` for one column".into()
            }
            _ => "give it 2 dimensions first, as with `x.reshape(x.shape[0], -1)`".into(),
        },
        ReadError::NotFinite { .. } => {
            "fill the gaps first, as with `np.nan_to_num(x)`, or leave these columns out".into()
        }
        ReadError::TooLittleMemory { .. } => {
            "if most values are zero, save it sparse with `scipy.sparse.save_npz`; or use fewer columns".into()
        }
        ReadError::Implausible { .. } => "write it again without the empty rows and columns".into(),
        ReadError::SeveralVariables { .. } => "choose one with `--variable NAME`".into(),
        ReadError::UnknownVariable { names, .. } if !names.is_empty() => "choose one with `--variable NAME`".into(),
        ReadError::Hdf5 { .. } => "save it again in MATLAB with `save('x.mat', 'X', '-v7')`".into(),
        ReadError::SparseFormat { .. } => "convert it first, `scipy.sparse.save_npz(\"x.npz\", x.tocsc())`".into(),
        _ => return None,
    })
}

/// After a result that cannot be written.
pub fn write_hint(error: &WriteError) -> Option<String> {
    Some(match error {
        WriteError::NotAFile { .. } | WriteError::NoName { .. } => "choose another name".into(),
        _ => return None,
    })
}

/// After a graph without communities.
pub fn communities_hint(error: &CommunitiesError) -> Option<String> {
    Some(match error {
        CommunitiesError::Read(error) => return read_hint(error),
        CommunitiesError::Edge { fault: Fault::OpenQuote, .. } => "within quotes, a quote is written twice".into(),
        CommunitiesError::Edge { .. } => {
            "a line is `node node` or `node node weight`, separated by tabs, spaces or commas; comments begin with # \
             or %"
                .into()
        }
        CommunitiesError::TooManyCommunities { nodes, .. } => format!("give `--communities {nodes}` or less"),
        CommunitiesError::FewPureNodes { found, .. } => format!("give `--communities {found}` or less"),
        CommunitiesError::NoEdges { .. } => "each line names two different nodes".into(),
        CommunitiesError::Merit(merit::Error::FastGradient(_)) => "`--method merit` needs no N x N matrix".into(),
        CommunitiesError::ManyPairs { .. } => "`--directed symmetrized` needs less".into(),
        CommunitiesError::OtherNodes { .. } => "the truth must use the names that the edges use".into(),
        _ => return None,
    })
}

/// After an image without materials.
pub fn unmix_hint(error: &UnmixError) -> Option<String> {
    Some(match error {
        UnmixError::Read(ReadError::Hdf5 { .. }) => "save it again in MATLAB with `save('x.mat', 'Y', '-v7')`".into(),
        UnmixError::Read(error) => return read_hint(error),
        UnmixError::Header { fault: HeaderFault::Compressed, .. } => {
            "unpack the data with `gunzip` and remove that line".into()
        }
        UnmixError::Header { fault: HeaderFault::Library, .. } => {
            "spectra go with `--spectra FILE`, beside an image".into()
        }
        UnmixError::Header { fault: HeaderFault::NoLibrary, .. } => {
            "give `--spectra` a library (.sli) or a table (.csv), and the image as the input".into()
        }
        UnmixError::Header { fault: HeaderFault::NotEnvi, .. } => {
            "give the .hdr of an ENVI image, or its data file".into()
        }
        UnmixError::Header { fault: HeaderFault::Mosaic(_) | HeaderFault::FrameOffsets(_), .. }
        | UnmixError::OtherFormat { .. } => "convert it first, as with `gdal_translate -of ENVI INPUT cube.img`".into(),
        UnmixError::NoHeader { .. } => {
            "an ENVI image is a pair of files: give the .hdr, or put it beside the data under the same name".into()
        }
        UnmixError::NoData { .. } => "put the data beside the header under the same name".into(),
        UnmixError::Size { .. } => {
            "was it copied to the end? else samples, lines, bands, data type or header offset are not those of the data"
                .into()
        }
        UnmixError::Shape { .. } => {
            "as with `np.save(\"cube.npy\", cube)` of an array of lines x samples x bands".into()
        }
        UnmixError::NoImage { .. } => "choose the variable with `--variable NAME`".into(),
        UnmixError::TooMany { .. } => "give fewer `--endmembers`".into(),
        UnmixError::FewPure { found, .. } => format!("give `--endmembers {found}` or less"),
        UnmixError::NoBands { .. } => "leave `--bands` and `--drop-bands` out, or name other bands".into(),
        UnmixError::NoPixels { .. } => "is the mask the right way round? it is not zero where pixels count".into(),
        UnmixError::Merit(merit::Error::FastGradient(_)) => {
            "`--method merit` needs no N x N matrix; or give fewer `--search-pixels`".into()
        }
        _ => return None,
    })
}

/// An error about topics, with its settings as they are typed.
pub fn topics_failure(error: TopicsError) -> Failure {
    if matches!(error, TopicsError::Merit(merit::Error::Interrupted)) {
        return Failure::interrupted();
    }
    let message = match &error {
        TopicsError::UnknownWord { setting, word, words, .. } => {
            format!("`--{setting} {word}`, but the vocabulary of {words} words does not have it{}", error.meant())
        }
        TopicsError::GivenAndForbidden { word } => format!("`{word}` is both in `--anchors` and in `--forbid`"),
        TopicsError::NoAnchors => {
            "`--method lda` has no anchors, so `--anchors` and `--forbid` mean nothing to it".into()
        }
        TopicsError::PhrasesAndNgrams | TopicsError::Edit(_) => as_flags(&error.to_string()),
        other => other.to_string(),
    };
    let failure = if error.is_usage() { Failure::usage(message) } else { Failure::data(message) };
    match topics_hint(&error) {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// After a corpus without topics.
fn topics_hint(error: &TopicsError) -> Option<String> {
    Some(match error {
        TopicsError::Read(error) => return read_hint(error),
        TopicsError::UnknownFormat { .. } => {
            "a corpus is a folder of .txt files, .txt with one document per line, .jsonl, .json, .csv or .tsv with a column of text, - for the standard input, \
             docword.*.txt (UCI), .ldac (Blei), or counts as .npz, .mtx, .npy or .mat"
                .into()
        }
        TopicsError::NoField { line: Some(_), name, .. } => {
            format!("lines before it have that field: give this one `{name}` too, perhaps null, or leave it out")
        }
        TopicsError::NoField { setting, .. } => {
            let (of, what) = setting.split_once('_').unwrap_or((setting, "field"));
            let of = match of {
                "label" => "labels",
                "name" => "documents' names",
                "time" => "dates",
                _ => "texts",
            };
            let flag = setting.replace('_', "-");
            let heads = if what == "column" { "; the first line must hold the names of the columns" } else { "" };
            format!("name the {what} of the {of} with `--{flag} NAME`{heads}")
        }
        TopicsError::Vocabulary { .. } => {
            "`--vocabulary` takes a file with one word per line, in the order of the counts; if \
             documents are the columns, say `--documents columns`"
                .into()
        }
        TopicsError::Implausible { .. } => {
            "the file seems damaged: nearly all of what it claims would be empty; write the counts again without the empty part"
                .into()
        }
        TopicsError::TooManyTokens { .. } => "the other methods hold counts, not words: leave out `--method lda`".into(),
        TopicsError::NotACount { .. } => "give counts, not frequencies or tf-idf: that is computed here".into(),
        TopicsError::NoWords { .. } => {
            "lower `--min-df` or `--min-length`, raise `--max-df`, or use `--stop-words none`".into()
        }
        TopicsError::NothingInformative { documents: 1, .. } => {
            "topics come from words that appear together in some documents and not in others: give more documents"
                .into()
        }
        TopicsError::NothingInformative { .. } => "give documents that differ".into(),
        TopicsError::FewWords { words, .. } => format!("give `--topics {words}` or less, or more texts"),
        TopicsError::FewAnchors { words, minimum_documents: 0..=1, .. } => {
            format!("give `--topics {words}` or less, or more texts")
        }
        TopicsError::FewAnchors { words, .. } => format!("give `--minimum-documents 1`, or `--topics {words}` or less"),
        TopicsError::UnknownWord { .. } => "rare, frequent, short and stop words are left out: see `--min-df`, `--max-df`, \
             `--min-length`, `--stop-words`"
            .into(),
        TopicsError::Edit(Refusal::Nothing) => {
            "merge topics with `--merge 3,7`, name one with `--name 3=harbor`, give anchors with `--anchors WORD,...`".into()
        }
        TopicsError::Edit(Refusal::Unknown { .. } | Refusal::Twice(_)) => {
            "topics.csv lists the topics and their numbers".into()
        }
        TopicsError::Edit(Refusal::Merged) => "make the run again with `merit topics`, give the anchors, and merge then".into(),
        TopicsError::ManyAnchors { .. } => "give fewer words to `--anchors`, or more `--topics`".into(),
        TopicsError::Merit(merit::Error::FastGradient(_)) => "`--method merit` needs no N x N matrix; or give `--max-vocabulary`".into(),
        _ => return None,
    })
}

/// After an experiment that cannot be run.
pub fn experiment_hint(error: &ExperimentFailure) -> Option<String> {
    Some(match error {
        ExperimentFailure::NotOurs { .. } => "choose another folder for `--output`".into(),
        ExperimentFailure::InUse { .. } => "wait until it has ended, or choose another folder for `--output`".into(),
        ExperimentFailure::OtherSettings { .. } => {
            "choose another folder for `--output`, or drop its results with `--force`".into()
        }
        ExperimentFailure::NoData(_) | ExperimentFailure::MissingData(_) => {
            "name the folder with `--data DIR`: it holds `tdt2/TDT2.mat`, `tdt2/3Class/1.mat`, `dblp/DBLP1_adjacency.txt`, ...".into()
        }
        ExperimentFailure::Line { .. } => "remove that line, or choose another folder for `--output`".into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use merit_dataset::Place;
    use std::path::Path;

    #[test]
    fn notes_say_what_to_type() {
        assert_eq!(typed("give `communities` if you know better"), "give `--communities` if you know better");
        assert_eq!(typed("a smaller `gap_tolerance`"), "a smaller `--gap-tolerance`");
        assert_eq!(typed("with `zero_columns = drop`"), "with `--zero-columns drop`");
        assert_eq!(typed("`unweighted` leaves them out"), "`--unweighted` leaves them out");
    }

    /// Those that no test of the command line meets.
    #[test]
    fn errors_about_files_say_what_to_do() {
        let at = || Place::from(Path::new("x.npz"));
        let names = vec!["a".to_string(), "b".to_string()];
        let several = ReadError::SeveralVariables { at: at(), names: names.clone() };
        assert_eq!(read_hint(&several).unwrap(), "choose one with `--variable NAME`");
        let unknown = |names| ReadError::UnknownVariable { at: at(), name: "c".into(), names };
        assert_eq!(read_hint(&unknown(names)), read_hint(&several));
        assert_eq!(read_hint(&unknown(Vec::new())), None);
        let bsr = ReadError::SparseFormat { at: at(), format: "bsr".into() };
        assert_eq!(read_hint(&bsr).unwrap(), "convert it first, `scipy.sparse.save_npz(\"x.npz\", x.tocsc())`");
        let hdf5 = ReadError::Hdf5 { at: at() };
        assert_eq!(read_hint(&hdf5).unwrap(), "save it again in MATLAB with `save('x.mat', 'X', '-v7')`");
    }
}
