//! The pipeline: eigenvectors, energy cut, pure nodes, memberships.
//!
//! ```text
//! V (n x K) -> kept nodes -> X = V(kept,:)' -> pure nodes -> Theta (all nodes),   B = V(pure,:) diag(theta) V(pure,:)'
//! ```
//!
//! | method | pure nodes | memberships unless told otherwise |
//! |---|---|---|
//! | [`Method::Merit`] | the K largest rows of `C`, on the kept nodes (unless they repeat a corner, [`pure`](crate::pure)) | inverse |
//! | [`Method::Spa`] | SPA on the kept nodes | inverse |
//! | [`Method::FastGradient`] | FastGradient on the adjacency matrix of the kept nodes | inverse |
//! | [`Method::Spoc`] | SPA on all nodes | floored |
//! | [`Method::GeoNmf`] | clusters of the outermost points of `D^-1/2 V Theta^1/2` ([`geonmf`](crate::geonmf)) | its own |
//!
//! SPOC's scores on the paper's networks are met by its rule ([`memberships`](mod@crate::memberships)). With MERIT's rule (`memberships: Some(Rule::Inverse)`) it equals the paper's MERIT(0) on DBLP2 and 4.
//! MERIT(0)'s depend on the order of the nodes, and are the paper's with [`Request::published`].
//!
//! lambda is small and fixed: rows of `V` do not sum to one, so the rules that choose lambda by SPA's residual do not apply. The solver stops
//! at a duality gap of 0.25 (the authors' 0.5 without the 1/2) or after 120 steps, as the paper's experiments do.
//!
//! Communities are numbered by size, largest first, and the solver sees the nodes by energy, so that names and the order of edges
//! do not change what is found, unless nodes tie.
//!
//! Where degrees differ much, a node of low degree may be taken for a pure one: its point lies near the origin, which is outside of
//! the hull of the others. The energy cut drops most such nodes of a large graph, but few of a tiny one.

use crate::Error;
use crate::geonmf::geonmf;
use crate::graph::Graph;
use crate::memberships::{Memberships, Rule, memberships};
use crate::pure::pure_rows;
use crate::spectrum::{Operator, by_energy, energy_cut, row_energies, spectrum};
use merit::methods::{fast_gradient, spa};
use merit::selection::largest_rows;
use merit::shares::{largest, mixedness};
use merit::solver::{Observer, Progress, Settings, Solution, Start, StopReason, Trace, solve};
use merit::{DataMatrix, DenseMatrix, SparseMatrix, Stage};
use merit_linalg::eigen::Eigenpairs;
use serde::Serialize;
use std::ops::ControlFlow;
use std::time::Instant;

/// How pure nodes are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The Frank-Wolfe method; MERIT(0) where `regularization` is 0.
    #[default]
    Merit,
    /// Successive projection on the kept nodes.
    Spa,
    /// Panov, Slavnov, Ushakov 2018.
    Spoc,
    /// Mao, Sarkar, Chakrabarti 2017.
    #[serde(rename = "geonmf")]
    GeoNmf,
    /// Gillis, Luce 2018, on the adjacency matrix as the authors ran it.
    FastGradient,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// K.
    pub communities: usize,
    /// How pure nodes are found.
    pub method: Method,
    /// Whose eigenvectors.
    pub operator: Operator,
    /// Part of the eigenvectors' energy that the kept nodes carry.
    pub energy: f64,
    /// How shares are found; `None` for the method's own rule.
    pub memberships: Option<Rule>,
    /// Settings of MERIT.
    pub solver: Settings,
    /// As the authors' program does it: always the largest rows of `C`, nodes in the order of the file's numbers, not by energy, one step more after the gap
    /// has been reached (their loop takes a step and then tests the gap before it), and GeoNMF's clusters from one start.
    pub published: bool,
    /// Steps of FastGradient.
    pub gradient_steps: usize,
    /// Seed of the methods that draw random numbers: GeoNMF, FastGradient.
    pub seed: u64,
}

impl Request {
    /// The paper's recipe for `communities` communities.
    pub fn new(communities: usize) -> Self {
        let solver =
            Settings { regularization: 5e-7, iterations: 120, gap_tolerance: Some(0.25), ..Settings::default() };
        Self {
            communities,
            method: Method::Merit,
            operator: Operator::Adjacency,
            energy: 0.99,
            memberships: None,
            solver,
            published: false,
            gradient_steps: 150,
            seed: 0,
        }
    }

    /// The rule for shares as used; GeoNMF has its own unless told otherwise.
    pub fn rule(&self) -> Option<Rule> {
        self.memberships.or(match self.method {
            Method::GeoNmf => None,
            Method::Spoc => Some(Rule::Floored),
            _ => Some(Rule::Inverse),
        })
    }
}

/// What was found.
#[derive(Debug)]
pub struct Detection {
    /// The eigenpairs.
    pub spectrum: Eigenpairs,
    /// Nodes that carry the energy, in order; all that were searched for pure ones.
    pub kept: Vec<usize>,
    /// A pure node for each community, in their order.
    pub pure: Vec<usize>,
    /// What the method went by: row norms of `C` for MERIT.
    pub scores: Vec<f64>,
    /// Nodes x communities, rows sum to 1.
    pub memberships: DenseMatrix,
    /// Nodes that got the mean membership, for want of their own.
    pub empty: Vec<usize>,
    /// `B`, K x K: how communities connect.
    pub b: DenseMatrix,
    /// What MERIT's solver gave.
    pub solution: Option<Solution>,
    /// Its iterations.
    pub trace: Vec<Progress>,
    /// Why it ended; the caller's wish is told from the extra step.
    pub stop: Option<StopReason>,
    /// `||C(n,:)||_inf` of every kept node, for MERIT.
    pub row_norms: Vec<f64>,
    /// Remarks.
    pub notes: Vec<String>,
    /// Seconds of each stage.
    pub seconds: Vec<(&'static str, f64)>,
}

impl Detection {
    /// Total shares of each community.
    pub fn sizes(&self) -> Vec<f64> {
        (0..self.memberships.cols()).map(|k| self.memberships.col(k).iter().sum()).collect()
    }

    /// The shares of a node.
    pub fn shares_of(&self, node: usize) -> impl Iterator<Item = f64> {
        (0..self.memberships.cols()).map(move |k| self.memberships.get(node, k))
    }

    /// The community of the largest share of each node (of equal ones the first).
    pub fn dominant(&self) -> Vec<usize> {
        let of = |node| largest(self.shares_of(node)).map_or(0, |(k, _)| k);
        (0..self.memberships.rows()).map(of).collect()
    }

    /// How mixed each node is: the entropy of its shares over that of equal ones, from 0 (pure) to 1.
    pub fn mixedness(&self) -> Vec<f64> {
        (0..self.memberships.rows()).map(|node| mixedness(self.shares_of(node))).collect()
    }
}

/// Finds communities. `observer` sees every iteration of MERIT and may end it.
pub fn detect(graph: &Graph, request: &Request, observer: &mut dyn Observer) -> Result<Detection, Error> {
    let (n, rank) = (graph.nodes(), request.communities);
    if rank == 0 || rank > n {
        return Err(Error::TooManyCommunities { communities: rank, nodes: n });
    }
    if !(request.energy > 0.0 && request.energy <= 1.0) {
        return Err(Error::Energy(request.energy));
    }
    let settings = request.solver.clone().check()?;
    let mut seconds = Vec::new();
    let mut clock = Instant::now();
    let mut lap = |name: &'static str, seconds: &mut Vec<(&'static str, f64)>| {
        seconds.push((name, clock.elapsed().as_secs_f64()));
        clock = Instant::now();
    };
    observer.stage(&Stage::Prepare);
    let spectrum = spectrum(graph, request.operator, rank);
    lap("eigenvectors", &mut seconds);
    let mut notes = Vec::new();
    if !spectrum.converged {
        let worst = spectrum.residuals.iter().fold(0.0_f64, |top, r| top.max(*r));
        notes.push(format!(
            "the eigenvectors did not converge (the largest residual is {worst:.1e}): their values lie close together, \
             as in a graph without {rank} communities"
        ));
    }
    let kept = match request.method {
        Method::Spoc | Method::GeoNmf => (0..n).collect(),
        _ => energy_cut(&spectrum.vectors, request.energy),
    };
    if kept.len() < rank {
        return Err(Error::FewPureNodes { communities: rank, found: kept.len() });
    }
    let searched = search_order(&spectrum.vectors, &kept, request);
    let points = DenseMatrix::from_fn(rank, kept.len(), |k, l| spectrum.vectors.get(searched[l], k));
    let x = DataMatrix::from(points);
    lap("cut", &mut seconds);
    let mut found = Detection {
        spectrum,
        kept,
        pure: Vec::new(),
        scores: Vec::new(),
        memberships: DenseMatrix::zeros(0, 0),
        empty: Vec::new(),
        b: DenseMatrix::zeros(0, 0),
        solution: None,
        trace: Vec::new(),
        stop: None,
        row_norms: Vec::new(),
        notes,
        seconds: Vec::new(),
    };
    let mut own = None; // memberships that come with the pure nodes
    match request.method {
        Method::Merit => merit(&x, &searched, &settings, request, observer, &mut found),
        Method::Spa | Method::Spoc => {
            observer.stage(&Stage::Spa);
            let selection = spa::select(&x, rank);
            found.pure = selection.anchors.iter().map(|&l| searched[l]).collect();
            found.scores = selection.scores;
        }
        Method::FastGradient => {
            let options = fast_gradient::Options { steps: request.gradient_steps, seed: request.seed };
            let adjacency = DataMatrix::from(submatrix(&graph.adjacency, &found.kept));
            observer.stage(&Stage::Search(merit::Method::FastGradient(options)));
            let clock = Instant::now();
            let chosen = fast_gradient::select(&adjacency, rank, &options, &mut |done| {
                observer.iteration(&Progress::of_step(done, clock.elapsed()))
            })?;
            if chosen.interrupted {
                found.stop = Some(StopReason::Interrupted);
                found.notes.push(format!("interrupted after {} of {} steps", chosen.steps, options.steps));
            }
            found.pure = chosen.selection.anchors.iter().map(|&l| found.kept[l]).collect();
            found.scores = chosen.selection.scores;
        }
        Method::GeoNmf => {
            let starts = if request.published { 1 } else { 20 };
            let geo = geonmf(graph, &found.spectrum, starts, request.seed)
                .ok_or(Error::FewPureNodes { communities: rank, found: rank - 1 })?;
            found.pure = geo.pure;
            own = Some(geo.memberships);
        }
    }
    lap("solve", &mut seconds);
    if found.pure.len() < rank {
        return Err(Error::FewPureNodes { communities: rank, found: found.pure.len() });
    }
    observer.stage(&Stage::Factors);
    let shares = match (request.rule(), own) {
        (None, Some(own)) => own,
        (rule, _) => shares(&found.spectrum.vectors, &found.pure, rule.unwrap_or_default(), &mut found.notes),
    };
    found.b = connections(&found.spectrum, &found.pure);
    (found.memberships, found.empty) = (shares.theta, shares.empty);
    by_size(&mut found);
    lap("memberships", &mut seconds);
    found.seconds = seconds;
    Ok(found)
}

/// The kept nodes as the solver sees them. A column that fits exactly has many best vertices, of which the first is taken, so
/// the order matters to what is found: by energy it does not depend on names.
fn search_order(vectors: &DenseMatrix, kept: &[usize], request: &Request) -> Vec<usize> {
    if request.published {
        return kept.to_vec();
    }
    let energies = row_energies(vectors);
    let of_kept: Vec<f64> = kept.iter().map(|&i| energies[i]).collect();
    by_energy(&of_kept).into_iter().map(|l| kept[l]).collect()
}

/// MERIT on the kept nodes.
fn merit(
    x: &DataMatrix,
    searched: &[usize],
    settings: &merit::solver::CheckedSettings,
    request: &Request,
    observer: &mut dyn Observer,
    found: &mut Detection,
) {
    observer.stage(&Stage::Solve { run: 1, of: 1, regularization: settings.regularization });
    let tolerance = settings.gap_tolerance;
    let mut watch =
        Watch { trace: Trace::default(), observer, enough: tolerance.filter(|_| request.published), reached: false };
    let solution = if request.published {
        let open = Settings { gap_tolerance: None, ..Settings::clone(settings) };
        let open = open.check().expect("one rule less leaves the others in range");
        solve(x, Start::Zero, &open, &mut watch)
    } else {
        solve(x, Start::Zero, settings, &mut watch)
    };
    let trace = watch.trace;
    let last_but_one = trace.rows.iter().rev().nth(1).and_then(|row| row.gap);
    let extra = request.published
        && solution.stop == StopReason::Interrupted
        && last_but_one.zip(tolerance).is_some_and(|(gap, tolerance)| gap <= tolerance);
    found.stop = Some(if extra { StopReason::GapReached } else { solution.stop });
    found.row_norms = solution.c.row_inf_norms();
    let anchors = if request.published {
        largest_rows(&found.row_norms, request.communities, |_| true)
    } else {
        let chosen = pure_rows(x, &found.row_norms, request.communities);
        if chosen.spread {
            found.notes.push(
                "the largest rows of C repeat a corner: pure nodes are the farthest among its rows instead".into(),
            );
        }
        chosen.rows
    };
    found.scores = anchors.iter().map(|&l| found.row_norms[l]).collect();
    found.pure = anchors.iter().map(|&l| searched[l]).collect();
    found.trace = trace.rows;
    found.solution = Some(solution);
}

/// Keeps the trace, asks the caller, and ends the run one step after the gap was small enough.
struct Watch<'a> {
    trace: Trace,
    observer: &'a mut dyn Observer,
    enough: Option<f64>,
    reached: bool,
}

impl Observer for Watch<'_> {
    fn iteration(&mut self, progress: &Progress) -> ControlFlow<()> {
        _ = self.trace.iteration(progress);
        let asked = self.observer.iteration(progress);
        let before = self.reached;
        self.reached = progress.gap.zip(self.enough).is_some_and(|(gap, enough)| gap <= enough);
        if before { ControlFlow::Break(()) } else { asked }
    }

    fn wants_objective(&self) -> bool {
        true // the points have few rows, so it costs little
    }
}

/// Shares by a rule; where the pure nodes are dependent, least squares instead, with a note.
fn shares(vectors: &DenseMatrix, pure: &[usize], rule: Rule, notes: &mut Vec<String>) -> Memberships {
    memberships(vectors, pure, rule).unwrap_or_else(|| {
        notes.push(
            "the pure nodes point in dependent directions, so their matrix has no inverse: memberships are by least \
             squares on the simplex instead; fewer `--communities` or a smaller `--gap-tolerance` may help"
                .into(),
        );
        memberships(vectors, pure, Rule::Simplex).expect("least squares need no inverse")
    })
}

/// `V(pure,:) diag(theta) V(pure,:)'`.
fn connections(spectrum: &Eigenpairs, pure: &[usize]) -> DenseMatrix {
    let (v, values) = (&spectrum.vectors, &spectrum.values);
    let entry = |a: usize, b: usize| (0..values.len()).map(|k| v.get(pure[a], k) * values[k] * v.get(pure[b], k)).sum();
    DenseMatrix::from_fn(pure.len(), pure.len(), entry)
}

/// Puts the communities in the order of their sizes.
fn by_size(found: &mut Detection) {
    let sizes = found.sizes();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(a.cmp(&b)));
    found.memberships = found.memberships.select(&order);
    found.pure = order.iter().map(|&k| found.pure[k]).collect();
    if !found.scores.is_empty() {
        found.scores = order.iter().map(|&k| found.scores[k]).collect();
    }
    found.b = DenseMatrix::from_fn(order.len(), order.len(), |a, b| found.b.get(order[a], order[b]));
}

/// The rows and columns `kept` of a symmetric matrix.
fn submatrix(matrix: &SparseMatrix, kept: &[usize]) -> SparseMatrix {
    let mut place = vec![u32::MAX; matrix.rows()];
    kept.iter().enumerate().for_each(|(l, &i)| place[i] = l as u32);
    let entries = kept.iter().enumerate().flat_map(|(l, &i)| {
        let (rows, values) = matrix.col(i);
        let place = &place;
        rows.iter().zip(values).map(move |(&m, &v)| (place[m as usize], l as u32, v))
    });
    let inside = entries.filter(|entry| entry.0 != u32::MAX).collect();
    SparseMatrix::from_triplets(kept.len(), kept.len(), inside)
}
