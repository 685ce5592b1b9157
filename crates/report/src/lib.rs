//! The page of a run: [`render`] turns a [`Report`] into one self-contained HTML file.
//!
//! The page needs no network and no second file, follows the reader's light or dark setting, prints, and stays at a
//! few hundred kilobytes whatever the size of the data: large data are sampled or binned, and each caption says so.
//! Time is O(N) for the row norms plus O(sample) for the factors; memory beyond the input is the size of the page.
//!
//! [`chart`] and [`page`] are public, so that other pages (topics, communities) can be put together from the same
//! pieces, or hung into this one through [`Report::extra`].
//!
//! ```
//! let html = merit_report::render(&merit_report::Report::default());
//! assert!(html.starts_with("<!DOCTYPE html>"));
//! ```
#![forbid(unsafe_code)]

pub mod chart;
pub mod colors;
pub mod communities;
pub mod layout;
mod model;
pub mod page;
pub mod projection;
mod run;
pub mod sampling;
pub mod text;
pub mod topics;
pub mod unmix;

pub use model::{
    Anchor, Bounds, Candidate, Certificate, Matrix, Rank, RankOrigin, Ranking, Regularization, Report, RunFacts,
    Setting, Stage, Table, TracePoint,
};
pub use page::Section;
pub use run::render;
