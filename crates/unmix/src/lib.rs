//! From hyperspectral images to materials and maps.
//!
//! A pixel of an image with `B` bands is a mixture of the spectra of `K` materials,
//!
//! ```text
//! x_l ~ E a_l       E: B x K spectra;  a_l >= 0, sum a_l = 1: the abundances of pixel l
//! ```
//!
//! and where every material has a pixel of its own, a pure one, finding those is separable factorization of `X` (a pixel per column): what
//! [`merit`] does, here in `K - 1` principal components with a row of constants. The image is never held: one pass finds its covariance, one
//! the pixels to search, one the abundances. Time `N B^2` for the first, `N (B K + K^3)` for the last; memory some blocks of lines.
//! References: J. Bioucas-Dias et al., IEEE J-STARS 5, 2012 (a review); T. Nguyen, X. Fu, R. Wu (the method).
//!
//! ```
//! use merit_unmix::synthetic::Scene;
//! use merit_unmix::{Settings, unmix::{Given, unmix}};
//! let scene = Scene { snr_db: 50.0, seed: 1, ..Scene::new(20, 30, 12, 3) };
//! let cube = scene.cube()?;
//! let found = unmix(&cube, Given::default(), &Settings::new(3), &mut (), &mut ())?;
//! assert_eq!((found.endmembers.pixels.len(), found.fit.means.len()), (3, 3));
//! # Ok::<(), merit_unmix::Error>(())
//! ```
//!
//! | step | module |
//! |---|---|
//! | file -> image | [`read`](mod@read), [`header`], [`cube`], [`bands`] |
//! | image -> covariance, components | [`moments`] |
//! | number of materials, if it is not given | [`number`] |
//! | components -> pixels to search -> pure pixels -> spectra | [`sample`], [`endmembers`] |
//! | spectra -> abundances of every pixel | [`abundances`] |
//! | all of it in order | [`unmix`](mod@unmix) |
//! | spectra and images in files, pictures | [`spectra`], [`mod@write`], [`png`], [`overview`] |
//! | against the truth | [`truth`] |
//! | scenes with a known truth | [`synthetic`] |
//! | every setting | [`settings`] |

#![forbid(unsafe_code)]

pub mod abundances;
pub mod bands;
pub mod cube;
pub mod endmembers;
pub mod error;
pub mod header;
pub mod moments;
pub mod number;
pub mod overview;
mod passes;
pub mod png;
pub mod read;
pub mod sample;
pub mod settings;
pub mod spectra;
pub mod synthetic;
pub mod truth;
pub mod unmix;
pub mod write;

pub use cube::Cube;
pub use error::{Error, Fault};
pub use settings::{Reading, Settings};
pub use unmix::{Given, Unmixing, materials};
