//! Errors of the libraries as the exceptions that users of scikit-learn know.

use crate::names::in_python;
use merit::methods::fast_gradient;
use merit::settings::SettingError;
use merit::words::counted;
use merit_dataset::{FileError, ReadError, WriteError};
use merit_linalg::single::Unfit;
use pyo3::PyErr;
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};
use std::any::Any;

/// A failure that is not the user's fault.
pub fn failed(message: impl Into<String>) -> PyErr {
    PyRuntimeError::new_err(message.into())
}

/// Something that cannot be worked on.
pub fn wrong(message: impl AsRef<str>) -> PyErr {
    PyValueError::new_err(in_python(message.as_ref()))
}

/// A bug of ours.
pub fn panicked(panic: Box<dyn Any + Send>) -> PyErr {
    let words = panic.downcast_ref::<String>().cloned();
    let words = words.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default();
    failed(format!("merit_nmf has met a bug of its own; please report it with the data and settings: {words}"))
}

/// A setting out of range.
pub fn of_setting(error: SettingError) -> PyErr {
    wrong(error.to_string())
}

/// An error of the library about a matrix whose columns (in the paper's orientation) the caller calls `columns`.
pub fn of_merit(error: merit::Error, columns: &str) -> PyErr {
    use merit::Error::*;
    match error {
        Interrupted => PyKeyboardInterrupt::new_err("interrupted before there was a result"),
        FastGradient(fast_gradient::Error::Memory { .. }) => {
            PyMemoryError::new_err(format!("{error}; method=\"merit\" needs no N x N matrix"))
        }
        ExactMemory { .. } => {
            PyMemoryError::new_err(format!("{error}; method=\"merit\" needs no dense matrix of that size"))
        }
        Rank { rank, cols } => wrong(format!("n_components={rank} must be between 1 and n_{columns}={cols}")),
        FewDistinct { rank, distinct } => wrong(format!(
            "n_components={rank}, but only {}: give n_components={distinct} or less",
            counted(
                distinct,
                &format!("{} is nonzero and not a copy of another", columns.trim_end_matches('s')),
                &format!("{columns} are nonzero and different from each other")
            )
        )),
        NotFinite { column, value } => {
            wrong(format!("Input X contains NaN or infinity: {value} in number {column} of the {columns}"))
        }
        Single(Unfit::TooLarge { row, column, value }) => {
            let (i, j) = if columns == "samples" { (column, row) } else { (row, column) };
            wrong(format!("X[{i}, {j}] is {value:e}, but single precision ends at 3.4e38: take precision=\"f64\""))
        }
        Single(Unfit::TooSmall { column, value }) => wrong(format!(
            "number {column} of the {columns} has no value larger than {value:e}, but single precision loses digits below \
             1.2e-38: take precision=\"f64\""
        )),
        Scale(_) => wrong(format!("{error}; divide X by its largest entry")),
        InitialShape { .. } | InitialInfeasible(_) => {
            wrong(format!("{error}; `init` takes the C of a run on the same data, or \"zero\" or \"spa\""))
        }
        error => wrong(error.to_string()),
    }
}

/// An error about topics.
pub fn of_topics(error: merit_topics::Error) -> PyErr {
    use merit_topics::Error::*;
    match error {
        Merit(error) => of_merit(error, "words"),
        Read(error) => of_reading(error),
        File(error) => of_file(error),
        TooManyTokens { .. } => PyMemoryError::new_err(error.to_string()),
        NoWords { .. } => wrong(format!("{error}; lower `min_df` or `min_length`, or raise `max_df`")),
        FewWords { words, .. } => wrong(format!("{error}; give n_topics={words} or less, or more texts")),
        FewAnchors { words, .. } => {
            wrong(format!("{error}; give `minimum_documents = 1`, or n_topics={words} or less"))
        }
        NotACount { .. } => wrong(format!("{error}; give counts, not frequencies or tf-idf: that is computed here")),
        error => wrong(error.to_string()),
    }
}

/// An error about communities.
pub fn of_communities(error: merit_communities::Error) -> PyErr {
    use merit_communities::Error::*;
    match error {
        Merit(error) => of_merit(error, "nodes"),
        Read(error) => of_reading(error),
        File(error) => of_file(error),
        TooManyCommunities { communities, nodes } => {
            wrong(format!("n_communities={communities} must be between 1 and the number of nodes, {nodes}"))
        }
        FewPureNodes { found, .. } => wrong(format!("{error}; give n_communities={found} or less")),
        error => wrong(error.to_string()),
    }
}

/// An error about an image.
pub fn of_unmixing(error: merit_unmix::Error) -> PyErr {
    use merit_unmix::Error::*;
    match error {
        Merit(error) => of_merit(error, "pixels"),
        Read(error) => of_reading(error),
        File(error) => of_file(error),
        FewPure { found, .. } => wrong(format!("{error}; give n_endmembers={found} or less")),
        error => wrong(error.to_string()),
    }
}

/// A file that cannot be read.
pub fn of_file(error: FileError) -> PyErr {
    match error {
        FileError::NotFound { .. } => PyFileNotFoundError::new_err(error.to_string()),
        error => PyOSError::new_err(error.to_string()),
    }
}

/// A matrix that cannot be read.
pub fn of_reading(error: ReadError) -> PyErr {
    match error {
        ReadError::File(error) => of_file(error),
        ReadError::TooLittleMemory { .. } => PyMemoryError::new_err(error.to_string()),
        ReadError::SeveralVariables { .. } => wrong(format!("{error}; choose one with `variable`")),
        error => wrong(error.to_string()),
    }
}

/// A result that cannot be written.
pub fn of_writing(error: WriteError) -> PyErr {
    PyOSError::new_err(error.to_string())
}
