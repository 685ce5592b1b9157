//! The pleasant way in: `Merit::new(10).regularization(0.5).iterations(200).fit(&x)?`.

use crate::automatic::Regularization;
use crate::factor::{Factorization, Settings, factor};
use crate::least_squares::Constraint;
use crate::preprocess::{Normalize, Reduce, ZeroColumns};
use crate::progress::Observer;
use crate::search::Certificate;
use crate::solver::KernelChoice;
use crate::{DataMatrix, Error, Method};
use std::time::Duration;

/// A factorization to be: settings with a method for each, and [`fit`](Self::fit) at the end.
///
/// ```
/// use merit::{DenseMatrix, Merit, Method};
/// // Two pure columns and their mixture.
/// let x = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5, 0.0, 1.0]).into();
/// let run = Merit::new(2).regularization(1e-3).iterations(50).fit(&x)?;
/// assert_eq!(run.anchors(), [0, 2]);
/// let greedy = Merit::new(2).method(Method::Spa).fit(&x)?;
/// assert_eq!(greedy.anchors(), run.anchors());
/// # Ok::<(), merit::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Merit {
    settings: Settings,
}

/// A method for each setting: its name, what it takes, and where it goes.
macro_rules! setters {
    ($($(#[$doc:meta])+ $name:ident($type:ty) => $($field:ident).+ $(= $convert:expr)?;)+) => {
        impl Merit {
            $($(#[$doc])+ pub fn $name(mut self, $name: $type) -> Self {
                self.settings.$($field).+ = setters!($name $(, $convert)?);
                self
            })+
        }
    };
    ($value:ident) => { $value };
    ($value:ident, $convert:expr) => { $convert($value) };
}

setters! {
    /// How anchors are found; MERIT unless said otherwise.
    method(Method) => method;
    /// Lambda: a number (0 is MERIT(0)), or a rule; [`Regularization::Auto`] unless said otherwise.
    regularization(impl Into<Regularization>) => search.regularization = Into::into;
    /// What is spent on a lower bound on the optimum after Frank-Wolfe.
    certificate(Certificate) => search.certificate;
    /// How sharply the smooth row maximum follows the true one (mu).
    smoothing(f64) => search.solver.smoothing;
    /// Maximum number of Frank-Wolfe steps (T).
    iterations(usize) => search.solver.iterations;
    /// Stop when the duality gap is at most this.
    gap_tolerance(f64) => search.solver.gap_tolerance = Some;
    /// Stop when a step changes the objective by at most this fraction of it.
    objective_tolerance(f64) => search.solver.objective_tolerance = Some;
    /// A column that fits this well stops moving.
    residual_tolerance(f64) => search.solver.residual_tolerance = Some;
    /// Stop after this time of searching.
    time_limit(Duration) => search.solver.time_limit = Some;
    /// Number of the first step (t_init).
    start_iteration(usize) => search.solver.start_iteration = Some;
    /// How the argmin behind every step is computed; the result is the same.
    kernel(KernelChoice) => search.solver.kernel;
    /// Seed of what a method draws at random.
    seed(u64) => search.seed;
    /// How to scale the columns first.
    normalize(Normalize) => normalize;
    /// What zero columns become.
    zero_columns(ZeroColumns) => zero_columns;
    /// Reduce the rows to this many leading singular directions.
    reduce(usize) => reduce = |dim| Reduce(Some(dim));
    /// Merge columns closer than this fraction of the largest norm; 0 merges equal ones.
    merge_duplicates(f64) => merge_duplicates = Some;
    /// Skip anchors that fewer than this many others use.
    minimum_support(usize) => minimum_support = Some;
    /// What the weights `H` must satisfy.
    weights(Constraint) => weights;
}

impl Merit {
    /// With `rank` anchors (`K`).
    pub fn new(rank: usize) -> Self {
        Self { settings: Settings { rank: Some(rank), ..Default::default() } }
    }

    /// With as many anchors as the data are made of; [`Factorization::rank_estimate`] says how clear that is.
    pub fn estimated() -> Self {
        Self::default()
    }

    /// All settings, also those without a method here.
    pub fn settings(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Anchors, factors and certificate of `x`.
    pub fn fit(&self, x: &DataMatrix) -> Result<Factorization, Error> {
        self.fit_watched(x, &mut ())
    }

    /// The same with an observer, which sees every iteration and may end the run.
    pub fn fit_watched(&self, x: &DataMatrix, observer: &mut dyn Observer) -> Result<Factorization, Error> {
        factor(x, &self.settings, observer)
    }
}

impl From<f64> for Regularization {
    fn from(lambda: f64) -> Self {
        Self::Value(lambda)
    }
}
