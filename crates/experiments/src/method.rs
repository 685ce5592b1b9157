//! The methods that experiments compare, by name, and the one place where a name becomes anchors.
//!
//! | name in files | typed as | what |
//! |---|---|---|
//! | `SPA` | `spa` | successive projection |
//! | `FastGradient` | `fast-gradient` | the convex problem with a penalty on the diagonal, 150 steps |
//! | `NormRatio` | `norm-ratio` | the `K` largest `norm_2 / norm_1`, a trivial baseline |
//! | `MERIT` | `merit` | the paper's lambda, `norm_F(X - X C0) / K` in the authors' convention |
//! | `MERIT lambda/2`, `MERIT lambda/4` | `merit-half`, `merit-quarter` | parts of it |
//! | `MERIT(0)` | `merit-0` | lambda = 0 |
//! | `MERIT auto`, `MERIT auto-fast` | `merit-auto`, `merit-auto-fast` | this project's scale-free rules |
//! | `MERIT auto-cold` | `merit-auto-cold` | what `auto` was at first: three runs from `C = 0` ranked by row maximum, no pruning |
//! | `MERIT lambda=...`, `MERIT mu=...` | `merit` | a value of a grid (authors' lambda) |
//! | `XRAY`, `FastAnchor` | `xray`, `fast-anchor` | extreme rays, farthest points |
//! | `LDA` | `lda` | on topics only |
//! | `MERIT merged` | `merit-merged` | on topics only: MERIT after equal columns were merged |
//! | `SPOC`, `GeoNMF` | `spoc`, `geonmf` | on networks only |
//! | `MERIT simplex`, `SPOC inverse` | `merit-simplex`, `spoc-inverse` | on networks only: with the other's rule for memberships |
//! | `SPA supported`, `MERIT auto supported` | `spa-supported`, `merit-supported` | columns that fewer than 3 others use are skipped |
//! | `K estimate` | `rank` | the estimate of `K` when it is left out |
//!
//! Every run of MERIT takes 100 steps from `C = 0` at mu = 1e-5 (except for a grid of mu) without an early stop; its anchors are
//! the `K` largest rows. The authors leave the 1/2 of the objective out, so their lambda is halved here.

use crate::Failure;
use merit::automatic::{Regularization, SpaFit, refit};
use merit::least_squares::{self, Constraint, DEFAULT_TOLERANCE};
use merit::metrics::{MeanRemoval, mrsa_radians, success};
use merit::preprocess::square;
use merit::progress::Interrupt;
use merit::progress::Stages;
use merit::search::{self, Certificate, Question};
use merit::selection::largest_rows;
use merit::solver::{Settings, Start, Workspace, solve};
use merit::support::Support;
use merit::synthetic::Synthetic;
use merit::{DataMatrix, DenseMatrix, Merit};
use std::cell::OnceCell;

/// Steps of a run of MERIT.
pub const STEPS: usize = 100;
/// Columns that must use an anchor where outliers are to be skipped.
pub const SUPPORT: usize = 3;

/// A method, with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// One of the methods that are not MERIT.
    Other(merit::Method),
    /// MERIT at this lambda.
    Merit(Lambda),
    /// The estimate of `K`, with the true one unknown.
    Rank,
    /// Latent Dirichlet allocation.
    Lda,
    /// MERIT after copies of a column were merged.
    Merged,
    /// Successive projection on all nodes, shares with a floor.
    Spoc,
    /// The same with MERIT's rule for shares.
    SpocInverse,
    /// Clusters of the outermost nodes.
    GeoNmf,
    /// MERIT with shares by least squares on the simplex.
    Simplex,
    /// MERIT as `merit topics` runs it: copies merged, anchors among frequent words.
    Frequent,
    /// The method (MERIT with automatic regularization), skipping columns that fewer than [`SUPPORT`] others use.
    Supported(merit::Method),
}

/// Where lambda comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lambda {
    /// This part of the paper's rule: 1, 1/2, 1/4, or 0.
    Paper(f64),
    /// One run, or three together where its rankings disagree; checked against SPA.
    Auto,
    /// One run, checked against SPA.
    AutoFast,
    /// The best of three runs from `C = 0`, checked against SPA.
    AutoCold,
    /// A value of the authors' lambda, at mu = 1e-5.
    Value(f64),
    /// A value of mu, at the authors' lambda = 0.1.
    Smoothing(f64),
}

/// The authors' lambda where mu is varied.
pub const LAMBDA_OF_SMOOTHING: f64 = 0.1;

impl Method {
    /// Successive projection.
    pub const SPA: Self = Self::Other(merit::Method::Spa);
    /// Gillis and Luce's convex method.
    pub const FAST_GRADIENT: Self = Self::Other(merit::Method::FastGradient);
    /// The trivial baseline.
    pub const NORM_RATIO: Self = Self::Other(merit::Method::NormRatio);
    /// Extreme rays.
    pub const XRAY: Self = Self::Other(merit::Method::Xray);
    /// Farthest points.
    pub const FAST_ANCHOR: Self = Self::Other(merit::Method::FastAnchor);
    /// MERIT at the paper's lambda.
    pub const MERIT: Self = Self::Merit(Lambda::Paper(1.0));
    /// MERIT at half of it.
    pub const HALF: Self = Self::Merit(Lambda::Paper(0.5));
    /// MERIT at a quarter of it.
    pub const QUARTER: Self = Self::Merit(Lambda::Paper(0.25));
    /// MERIT without regularization.
    pub const ZERO: Self = Self::Merit(Lambda::Paper(0.0));
    /// MERIT with automatic regularization.
    pub const AUTO: Self = Self::Merit(Lambda::Auto);
    /// MERIT with automatic regularization in one run.
    pub const AUTO_FAST: Self = Self::Merit(Lambda::AutoFast);
    /// MERIT with automatic regularization as it was before it learned to start warm and to prune.
    pub const AUTO_COLD: Self = Self::Merit(Lambda::AutoCold);

    /// SPA without columns that hardly another uses.
    pub const SPA_SUPPORTED: Self = Self::Supported(merit::Method::Spa);
    /// MERIT with automatic regularization, without such columns.
    pub const AUTO_SUPPORTED: Self = Self::Supported(merit::Method::Merit);

    /// The name in files and legends.
    ///
    /// ```
    /// use merit_experiments::method::{Lambda, Method};
    /// assert_eq!(Method::HALF.name(), "MERIT lambda/2");
    /// assert_eq!(Method::Merit(Lambda::Value(0.1)).name(), "MERIT lambda=0.1");
    /// ```
    pub fn name(self) -> String {
        match self {
            Self::NORM_RATIO => "NormRatio".into(),
            Self::Other(method) => method.title().into(),
            Self::Rank => "K estimate".into(),
            Self::Lda => "LDA".into(),
            Self::Merged => "MERIT merged".into(),
            Self::Spoc => "SPOC".into(),
            Self::SpocInverse => "SPOC inverse".into(),
            Self::GeoNmf => "GeoNMF".into(),
            Self::Simplex => "MERIT simplex".into(),
            Self::Frequent => "MERIT frequent".into(),
            Self::Supported(merit::Method::Merit) => "MERIT auto supported".into(),
            Self::Supported(method) => format!("{} supported", method.title()),
            Self::Merit(Lambda::Paper(0.0)) => "MERIT(0)".into(),
            Self::Merit(Lambda::Paper(1.0)) => "MERIT".into(),
            Self::Merit(Lambda::Paper(part)) => format!("MERIT lambda/{}", 1.0 / part),
            Self::Merit(Lambda::Auto) => "MERIT auto".into(),
            Self::Merit(Lambda::AutoFast) => "MERIT auto-fast".into(),
            Self::Merit(Lambda::AutoCold) => "MERIT auto-cold".into(),
            Self::Merit(Lambda::Value(lambda)) => format!("MERIT lambda={lambda}"),
            Self::Merit(Lambda::Smoothing(mu)) => format!("MERIT mu={mu:e}"),
        }
    }

    /// The name as it is typed.
    pub fn key(self) -> &'static str {
        match self {
            Self::Other(method) => method.name(),
            Self::Rank => "rank",
            Self::Lda => "lda",
            Self::Merged => "merit-merged",
            Self::Spoc => "spoc",
            Self::SpocInverse => "spoc-inverse",
            Self::GeoNmf => "geonmf",
            Self::Simplex => "merit-simplex",
            Self::Frequent => "merit-frequent",
            Self::Supported(merit::Method::Merit) => "merit-supported",
            Self::Supported(_) => "spa-supported",
            Self::Merit(Lambda::Paper(0.0)) => "merit-0",
            Self::Merit(Lambda::Paper(0.5)) => "merit-half",
            Self::Merit(Lambda::Paper(0.25)) => "merit-quarter",
            Self::Merit(Lambda::Auto) => "merit-auto",
            Self::Merit(Lambda::AutoFast) => "merit-auto-fast",
            Self::Merit(Lambda::AutoCold) => "merit-auto-cold",
            Self::Merit(_) => "merit",
        }
    }

    /// Which color, dash and marker of a chart; the same for a method in every chart.
    pub(crate) fn style(self) -> usize {
        match self {
            Self::SPA => 1,
            Self::FAST_GRADIENT => 4,
            Self::NORM_RATIO => 7,
            Self::XRAY => 2,
            Self::FAST_ANCHOR => 6,
            Self::Lda => 3,
            Self::Merged | Self::Simplex => 5,
            Self::Spoc => 1,
            Self::SpocInverse => 6,
            Self::GeoNmf => 2,
            Self::Frequent => 7,
            Self::Supported(merit::Method::Merit) => 5,
            Self::Supported(_) => 2,
            Self::Merit(Lambda::Paper(0.5)) => 2,
            Self::Merit(Lambda::Paper(0.25)) => 6,
            Self::Merit(Lambda::Paper(0.0)) => 5,
            Self::Merit(Lambda::Auto) => 3,
            Self::Merit(_) | Self::Rank | Self::Other(_) => 0,
        }
    }
}

/// The method that is typed so; `merit` is the one at the paper's lambda.
pub fn named(key: &str) -> Option<Method> {
    let others = merit::Method::ALL.into_iter().filter(|method| *method != merit::Method::Merit).map(Method::Other);
    let all = [
        Method::MERIT,
        Method::HALF,
        Method::QUARTER,
        Method::ZERO,
        Method::AUTO,
        Method::AUTO_FAST,
        Method::AUTO_COLD,
        Method::Rank,
        Method::Lda,
        Method::Merged,
        Method::Spoc,
        Method::SpocInverse,
        Method::GeoNmf,
        Method::Simplex,
        Method::Frequent,
        Method::SPA_SUPPORTED,
        Method::AUTO_SUPPORTED,
    ];
    others.chain(all).find(|method| method.key() == key)
}

/// Declares [`Outcome`] from the one list of its values, which is also that of the columns of `results.csv`.
macro_rules! outcome {
    ($($(#[$doc:meta])+ $name:ident),+ $(,)?) => {
        /// What one method gives on one trial's data; what a method does not give is `None`.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Outcome {
            $($(#[$doc])+ pub $name: Option<f64>,)+
        }

        impl Outcome {
            /// The names of the values, in the order of [`Outcome::values`].
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// All values, in the order of their names.
            pub fn values(&self) -> Vec<Option<f64>> {
                vec![$(self.$name),+]
            }

            /// The outcome with these values; `None` if they are more or fewer.
            pub fn of_values(values: &[Option<f64>]) -> Option<Self> {
                let &[$($name),+] = values else { return None };
                Some(Self { $($name),+ })
            }
        }
    };
}

outcome! {
    /// 1 if the anchors are exactly the true ones, else 0.
    success,
    /// Mean removed spectral angle of `X(:, anchors)` to the true `W`, in radians.
    mrsa_radians,
    /// `1 - ||X - W H||_F / ||X||_F`, `H` on the simplex.
    rae,
    /// The estimate of `K`.
    rank,
    /// 1 if it is the true `K`, else 0.
    rank_right,
    /// 1 if the estimate calls itself clear, else 0.
    clear,
    /// Peak resident memory of a process of its own.
    peak_rss_bytes,
    /// Mean coherence of the topics' 20 top words.
    coherence,
    /// Top words that topics share, over all pairs.
    similarity_count,
    /// Part of the documents that k-means on their topics puts where their labels say.
    clustering_accuracy,
    /// `N`, where the data decide it.
    columns,
    /// Bytes that the method would have needed at least, where it was not run for that.
    refused_bytes,
    /// Rank correlation of shares with the true ones, over all nodes.
    src,
    /// The same over the kept nodes.
    src_kept,
    /// Part of the outliers among the anchors that are called suspected outliers.
    outliers_called,
    /// Part of the true anchors among the anchors that are called so.
    false_alarms,
}

/// One trial's data, and what several methods need of it.
pub struct Instance {
    x: DataMatrix,
    w: DenseMatrix,
    anchors: Vec<usize>,
    outliers: Vec<usize>,
    seed: u64,
    spa: OnceCell<SpaFit>,
}

impl Instance {
    /// For data with this truth; `seed` is for methods that draw random numbers.
    pub fn new(data: Synthetic, seed: u64) -> Self {
        let Synthetic { x, w, anchors, outliers, .. } = data;
        Self { x: x.into(), w, anchors, outliers, seed, spa: OnceCell::new() }
    }

    fn rank(&self) -> usize {
        self.anchors.len()
    }

    fn spa(&self) -> &SpaFit {
        self.spa.get_or_init(|| SpaFit::of(&self.x, self.rank(), &Interrupt::never()))
    }

    /// What `method` finds, measured against the truth.
    pub fn run(&self, method: Method) -> Result<Outcome, Failure> {
        if method == Method::Rank {
            return self.estimate_rank();
        }
        let anchors = self.anchors_of(method)?;
        let found = self.x.dense_columns(&anchors);
        let fit = least_squares::solve(&self.x, &found, Constraint::Simplex, DEFAULT_TOLERANCE);
        let suspected = Support::of(&fit.h, &anchors).suspected_outliers;
        let called = |among: &[usize]| {
            let these: Vec<&usize> = anchors.iter().filter(|anchor| among.contains(anchor)).collect();
            let called = these.iter().filter(|anchor| suspected.contains(anchor)).count();
            (!these.is_empty()).then(|| called as f64 / these.len() as f64)
        };
        Ok(Outcome {
            success: Some(f64::from(success(&anchors, &self.anchors))),
            mrsa_radians: Some(mrsa_radians(&found, &self.w, MeanRemoval::MeanColumn)),
            rae: Some(1.0 - (fit.squared_residual / square(&self.x)).sqrt()),
            outliers_called: called(&self.outliers),
            false_alarms: called(&self.anchors),
            ..Default::default()
        })
    }

    fn anchors_of(&self, method: Method) -> Result<Vec<usize>, Failure> {
        match method {
            Method::SPA => Ok(self.spa().anchors.clone()),
            Method::Other(method) => {
                let settings = search::Settings { seed: self.seed, ..Default::default() };
                let (mut workspace, mut unseen) = (Workspace::new(&self.x), ());
                let stages = &mut Stages::new(&mut unseen, None);
                Ok(search::search(&mut workspace, method, Question::of(self.rank()), &settings, stages)?.anchors)
            }
            Method::Merit(Lambda::Paper(part)) => {
                let lambda = if part == 0.0 { 0.0 } else { part * self.spa().paper() };
                self.merit(lambda, Settings::default())
            }
            Method::Merit(Lambda::Value(authors)) => self.merit(0.5 * authors, Settings::default()),
            Method::Merit(Lambda::Smoothing(smoothing)) => {
                self.merit(0.5 * LAMBDA_OF_SMOOTHING, Settings { smoothing, ..Default::default() })
            }
            Method::Merit(Lambda::Auto) => self.automatic(Regularization::Auto),
            Method::Merit(Lambda::AutoFast) => self.automatic(Regularization::AutoFast),
            Method::Merit(Lambda::AutoCold) => self.best_of_cold_runs(),
            Method::Supported(method) => {
                let wanted =
                    Merit::new(self.rank()).method(method).minimum_support(SUPPORT).certificate(Certificate::Off);
                Ok(wanted.fit(&self.x)?.anchors().to_vec())
            }
            Method::Rank => Ok(Vec::new()),
            Method::Lda | Method::Merged | Method::Frequent => {
                Err(Failure::Child(format!("{} is run on topics only", method.name())))
            }
            Method::Spoc | Method::SpocInverse | Method::GeoNmf | Method::Simplex => {
                Err(Failure::Child(format!("{} is run on networks only", method.name())))
            }
        }
    }

    fn merit(&self, lambda: f64, settings: Settings) -> Result<Vec<usize>, Failure> {
        let settings = Settings { iterations: STEPS, ..settings }.at(lambda).map_err(merit::Error::from)?;
        let solution = solve(&self.x, Start::Zero, &settings, &mut ());
        Ok(largest_rows(&solution.c.row_inf_norms(), self.rank(), |_| true))
    }

    fn automatic(&self, regularization: Regularization) -> Result<Vec<usize>, Failure> {
        let merit = Merit::new(self.rank()).regularization(regularization).certificate(Certificate::Off);
        Ok(merit.fit(&self.x)?.anchors().to_vec())
    }

    /// Of the sets at `u`, `u/2` and `u/4` the one with the smallest residual; SPA's if that is smaller by one per cent.
    fn best_of_cold_runs(&self) -> Result<Vec<usize>, Failure> {
        let fit = self.spa();
        let mut best: Option<(f64, Vec<usize>)> = None;
        for multiple in [1.0, 0.5, 0.25] {
            let set = self.merit(multiple * fit.unit(), Settings::default())?;
            let residual = refit(&self.x, &set, &Interrupt::never());
            if best.as_ref().is_none_or(|(least, _)| residual < *least) {
                best = Some((residual, set));
            }
        }
        let (residual, set) = best.expect("there were runs");
        Ok(if fit.squared_residual < 0.99 * residual { fit.anchors.clone() } else { set })
    }

    fn estimate_rank(&self) -> Result<Outcome, Failure> {
        let (mut workspace, settings, mut unseen) = (Workspace::new(&self.x), search::Settings::default(), ());
        let stages = &mut Stages::new(&mut unseen, None);
        let estimate = search::estimate_rank(&mut workspace, merit::Method::Merit, &settings, stages)?.estimate;
        Ok(Outcome {
            rank: Some(estimate.rank as f64),
            rank_right: Some(f64::from(estimate.rank == self.rank())),
            clear: Some(f64::from(estimate.clear)),
            ..Default::default()
        })
    }
}
