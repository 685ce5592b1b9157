//! From texts to topics that people can read.
//!
//! ```text
//! texts -> counts (documents x words) -> tf-idf F -> P = F'F/D -> X = U' barP -> anchor words
//! topics of the anchors -> main topics of the documents -> p(word | topic)       topics x words
//! documents: proportions by likelihood                                           topics x documents
//! ```
//!
//! A topic's **anchor word** belongs to no other topic; where every topic has one, the other words are mixtures of the anchors
//! in the space of co-occurrences, which is what [`merit`] finds. `P` is `N x N` and never formed: memory is the counts, tf-idf
//! twice (`36 nnz` bytes), the halves of documents, and `8 N (3 dim + 2 K)` for the solver.
//!
//! | step | module |
//! |---|---|
//! | files -> counts and vocabulary | [`corpus`], [`trial`] |
//! | counts -> `P` as an operator, and `X` | [`cooccurrence`] |
//! | `X` -> anchors -> topics and documents | [`model`] |
//! | which words may be anchors, and which anchors are best | [`anchors`], [`contest`] |
//! | anchors -> `p(word \| topic)`; proportions, EM | [`recovery`], [`likelihood`] |
//! | the paper's own recipe and measures | [`published`], [`weights`] |
//! | every setting | [`settings`] |
//! | how many topics | [`sweep`], [`number_of_topics`] |
//! | topics merged, named and anchored by hand | [`edit`] |
//! | typical documents, copies, topics over time; quality of topics | [`documents`], [`copies`], [`times`], [`quality`], [`coherence`] |
//! | the words that describe a topic, the topics as a map, all that LDAvis shows | [`relevance`], [`topic_map`], [`ldavis`] |
//! | topics by another model, to measure against | [`lda`] |
//!
//! ```
//! use merit_topics::corpus::{Texts, Tokens};
//! use merit_topics::model::fit;
//! use merit_topics::Settings;
//! let mut texts = Texts::new(Tokens { minimum_length: 3, ..Default::default() });
//! for i in 0..20 {
//!     texts.add(&format!("doc {i}"), if i % 2 == 0 { "river water boat" } else { "bread flour oven" }, None);
//!     texts.add("mixed", "water bread sun", None);
//! }
//! let corpus = texts.finish()?;
//! let model = fit(&corpus.counts, &Settings { topics: Some(2.into()), ..Default::default() }, &Default::default(), &mut ())?;
//! assert_eq!((model.topics.rows(), model.documents.cols()), (2, 40));
//! # Ok::<(), merit_topics::Error>(())
//! ```

#![forbid(unsafe_code)]

mod anchoring;
pub mod anchors;
pub mod coherence;
pub mod contest;
pub mod cooccurrence;
pub mod copies;
pub mod corpus;
pub mod documents;
pub mod edit;
mod error;
pub mod lda;
pub mod ldavis;
pub mod likelihood;
pub mod model;
pub mod number_of_topics;
pub mod published;
pub mod quality;
pub mod recovery;
pub mod relevance;
pub mod settings;
pub mod sweep;
pub mod times;
pub mod topic_map;
pub mod trial;
pub mod weights;

pub use anchors::AnchorWords;
pub use corpus::Corpus;
pub use error::Error;
pub use merit_dataset::{FileError, ReadError};
pub use settings::{HowMany, Method, Settings};
