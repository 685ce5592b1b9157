//! The ways to `K` anchors, by name; all but MERIT and the optimum itself, which are those of [`solver`](crate::solver) and [`exact`](crate::exact), are here and give a [`Selection`].
//!
//! | module | idea | time | memory besides `X` | reference |
//! |---|---|---|---|---|
//! | [`spa`] | largest norm, project, repeat | `M N K` | `N + M K` | Araujo et al. 2001; Gillis, Vavasis 2014 |
//! | [`snpa`] | farthest from the hull of those taken and the origin | `M N K^2` | `K N` | Gillis 2014 |
//! | [`sspa`] | SPA along means of several columns | `M N K` | `N + M K` | Nadisic, Gillis, Kervazo 2023 |
//! | [`vca`] | farthest along random directions | `N (M K + K^2)` | `K N` | Nascimento, Bioucas-Dias 2005 |
//! | [`nfindr`] | corners exchanged for a larger simplex | `N (M K + K^2)` | `K N` | Winter 1999 |
//! | [`norm_ratio`] | rank by norm ratio, once | `M N` | `N` | a trivial baseline |
//! | [`xray`] | extreme rays of a cone | `M N K^2` (`max`), `M N^2 K` (others) | `K N` | Kumar, Sindhwani, Kambadur 2013 |
//! | [`fast_anchor`] | farthest from the affine span, then clean up | `M N K` | a copy of `X`, or `D (M + N)` | Arora et al. 2012, 2013 |
//! | [`fast_gradient`] | convex, by Nesterov's method | `M N^2` a step | `2 N^2` | Gillis, Luce 2018 |
//!
//! All but `norm_ratio` and `fast_gradient` (which rank all columns) can run out of directions before they have `K` anchors;
//! the rest is then filled up with [SPA](spa)'s choice among the columns that differ from those taken.
//!
//! ```
//! use merit::methods::{norm_ratio, spa, xray};
//! use merit::progress::Interrupt;
//! use merit::synthetic::Dirichlet;
//! let data = Dirichlet { snr_db: f64::INFINITY, ..Dirichlet::new(12, 50, 3) }.generate()?;
//! let x = data.x.into();
//! let sorted = |mut anchors: Vec<usize>| { anchors.sort(); anchors };
//! let truth = sorted(data.anchors);
//! let never = Interrupt::never();
//! assert_eq!(sorted(spa::select(&x, 3, &never).anchors), truth);
//! assert_eq!(sorted(xray::select(&x, 3, xray::Criterion::Max, &never).anchors), truth);
//! assert_eq!(norm_ratio::select(&x, 3).anchors.len(), 3);
//! # Ok::<(), merit::synthetic::SyntheticError>(())
//! ```

mod affine;
mod extended;
pub mod fast_anchor;
pub mod fast_gradient;
pub mod nfindr;
pub mod norm_ratio;
mod row_projection;
pub mod snpa;
pub mod spa;
pub mod sspa;
pub mod vca;
pub mod xray;

pub use extended::{Extended, OwnMethod};

use crate::selection::Selection;
use merit_linalg::DataMatrix;
use merit_linalg::interrupt::Interrupt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

crate::choices! {
    /// How anchors are found. [`search`](mod@crate::search) runs them all.
    #[non_exhaustive]
    pub enum Method {
        /// The convex problem, by Frank-Wolfe.
        #[default]
        Merit = "merit",
        /// The convex problem without smoothing, to its optimum.
        Exact = "exact",
        /// Successive projection, greedy.
        Spa = "spa",
        /// Successive nonnegative projection, greedy.
        Snpa = "snpa",
        /// Successive projection along means, greedy.
        Sspa = "sspa",
        /// Farthest along random directions.
        Vca = "vca",
        /// The largest simplex, by exchange.
        Nfindr = "nfindr",
        /// Extreme rays of the cone, greedy.
        Xray = "xray",
        /// Farthest from the affine span, greedy, with a clean-up.
        FastAnchor = "fast-anchor",
        /// The columns with the largest `||x||_2 / ||x||_1`.
        NormRatio = "norm-ratio",
        /// The convex problem with a penalty on the diagonal, by Nesterov's method; `N x N` memory.
        FastGradient = "fast-gradient",
    }
}

impl Method {
    /// As it is written in a text.
    pub fn title(self) -> &'static str {
        match self {
            Self::Merit => "MERIT",
            Self::Exact => "the exact solver",
            Self::Spa => "SPA",
            Self::Snpa => "SNPA",
            Self::Sspa => "SSPA",
            Self::Vca => "VCA",
            Self::Nfindr => "N-FINDR",
            Self::FastGradient => "FastGradient",
            Self::Xray => "XRAY",
            Self::FastAnchor => "FastAnchor",
            Self::NormRatio => "the norm ratio",
        }
    }
}

/// Adds SPA's choice among the eligible columns that differ from those taken, until there are `rank`; their score is 0.
fn fill_up(
    x: &DataMatrix,
    selection: &mut Selection,
    rank: usize,
    eligible: impl Fn(usize) -> bool,
    interrupt: &Interrupt,
) {
    let missing = rank.saturating_sub(selection.anchors.len());
    if missing == 0 {
        return;
    }
    let taken: Vec<_> = selection.anchors.iter().map(|&a| x.dense_columns(&[a])).collect();
    let left = |l: &usize| !interrupt.asked() && eligible(*l) && !taken.contains(&x.dense_columns(&[*l]));
    let rest: Vec<usize> = (0..x.cols()).filter(left).collect();
    let more = spa::select(&x.select(&rest), missing, interrupt).anchors;
    more.into_iter().for_each(|i| selection.push(rest[i], 0.0));
}

/// What a method draws random numbers for. The streams lie beyond those of [`synthetic`](crate::synthetic), so that data and
/// method may have the same seed.
#[derive(Clone, Copy)]
enum Stream {
    /// Direction of a random projection.
    Projection(usize),
    /// Weights of the diagonal.
    Diagonal,
}

fn stream(seed: u64, purpose: Stream) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(match purpose {
        Stream::Diagonal => 1 << 60,
        Stream::Projection(direction) => (1 << 61) + direction as u64,
    });
    rng
}
