//! The pipeline: eigenvectors, energy cut, pure nodes, memberships.
//!
//! ```text
//! V (n x K) -> kept nodes -> X = V(kept,:)' -> pure nodes -> Theta (all nodes),   B = V(pure,:) diag(theta) V(pure,:)'
//! ```
//!
//! | method | pure nodes | memberships unless told otherwise |
//! |---|---|---|
//! | MERIT | the K largest rows of `C`, on the kept nodes (unless they repeat a corner, `RowRule`) | inverse |
//! | FastGradient | FastGradient on the adjacency matrix of the kept nodes, as the authors ran it | inverse |
//! | SPA, XRAY, ... | the method on the kept nodes | inverse |
//! | SPOC | SPA on all nodes | floored |
//! | GeoNMF | clusters of the outermost points of `D^-1/2 V Theta^1/2` ([`geonmf`](crate::geonmf)) | its own |
//!
//! SPOC's scores on the paper's networks are met by its rule ([`memberships`](mod@crate::memberships)). With MERIT's rule (`memberships: Some(Rule::Inverse)`) it equals the paper's MERIT(0) on DBLP2 and 4.
//! MERIT(0)'s depend on the order of the nodes, and are the paper's with [`Settings::published`].
//!
//! lambda is small and fixed: rows of `V` do not sum to one, so the rules that choose lambda by SPA's residual do not apply. The solver stops
//! early, as the paper's experiments do.
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
use crate::number_of_communities::{Estimate, estimate};
use crate::settings::{GEONMF, Method, Own, SPOC, Settings};
use crate::spectrum::{by_energy, energy_cut, row_energies, spectrum};
use merit::progress::{Interrupt, Observer, Stage, Stages, StopReason};
use merit::search::{Question, Search, search};
use merit::selection::RowRule;
use merit::settings::Declared;
use merit::shares::{largest, mixedness};
use merit::solver::Workspace;
use merit::{DataMatrix, DenseMatrix, SparseMatrix};
use merit_linalg::eigen::Eigenpairs;

/// What was found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Detection {
    /// The estimate of the number of communities, when it was left out.
    pub estimate: Option<Estimate>,
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
    /// The search for pure nodes, numbered as the solver saw the kept ones; none for GeoNMF.
    pub search: Option<Search>,
    /// Why it ended, for methods that take steps.
    pub stop: Option<StopReason>,
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

/// Finds communities. `observer` sees stages and iterations and may end it.
pub fn detect(graph: &Graph, settings: &Settings, observer: &mut dyn Observer) -> Result<Detection, Error> {
    settings.check_ranges().map_err(merit::Error::from)?;
    let mut stages = Stages::new(observer, settings.search.solver.time_limit);
    let guess = settings.communities.is_none().then(|| {
        let stage = Stage::new("count", "estimating the number of communities");
        stages.whole(stage, |interrupt| estimate(graph, settings.operator, interrupt))
    });
    let mut guess = guess.transpose()?;
    let rank = settings.communities.or(guess.as_ref().map(|guess| guess.communities)).unwrap_or(1);
    if rank > graph.nodes() {
        return Err(Error::TooManyCommunities { communities: rank, nodes: graph.nodes() });
    }
    let stage = Stage::new("eigenvectors", "eigenvectors");
    let spectrum = stages.whole(stage, |interrupt| spectrum(graph, settings.operator, rank, interrupt))?;
    let mut notes = unconverged(&spectrum, rank);
    let kept = stages.run(Stage::new("cut", ""), |_| kept_nodes(&spectrum.vectors, settings));
    if kept.len() < rank {
        return Err(Error::FewPureNodes { communities: rank, found: kept.len() });
    }
    let Pure { nodes: pure, scores, search, own } = pure_nodes(graph, &spectrum, &kept, settings, &mut stages)?;
    if pure.len() < rank {
        return Err(Error::FewPureNodes { communities: rank, found: pure.len() });
    }
    if let Some(guess) = &mut guess {
        guess.judge(search.as_ref().map_or(&[], |search| &search.row_norms));
        notes.insert(0, guess.statement());
    }
    notes.extend(search.iter().flat_map(|search| search.notes.clone()));
    let shares = stages.whole(Stage::new("memberships", "shares"), |interrupt| match (settings.rule(), own) {
        (None, Some(own)) => own,
        (rule, _) => shares(&spectrum.vectors, &pure, rule.unwrap_or_default(), &mut notes, interrupt),
    })?;
    let mut found = Detection {
        estimate: guess,
        b: connections(&spectrum, &pure),
        spectrum,
        kept,
        pure,
        scores,
        memberships: shares.theta,
        empty: shares.empty,
        stop: search.as_ref().and_then(|search| search.stop),
        search,
        notes,
        seconds: stages.seconds().to_vec(),
    };
    by_size(&mut found);
    Ok(found)
}

fn unconverged(spectrum: &Eigenpairs, rank: usize) -> Vec<String> {
    if spectrum.converged {
        return Vec::new();
    }
    let worst = spectrum.residuals.iter().fold(0.0_f64, |top, r| top.max(*r));
    vec![format!(
        "the eigenvectors did not converge (the largest residual is {worst:.1e}): their values lie close together, \
         as in a graph without {rank} communities"
    )]
}

/// The nodes that are searched: those that carry the energy, or all.
fn kept_nodes(vectors: &DenseMatrix, settings: &Settings) -> Vec<usize> {
    match settings.method {
        SPOC | GEONMF => (0..vectors.rows()).collect(),
        _ => energy_cut(vectors, settings.energy),
    }
}

/// The pure nodes, and what came with them.
struct Pure {
    nodes: Vec<usize>,
    scores: Vec<f64>,
    search: Option<Search>,
    /// Shares that come with the pure nodes.
    own: Option<Memberships>,
}

fn pure_nodes(
    graph: &Graph,
    spectrum: &Eigenpairs,
    kept: &[usize],
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Pure, Error> {
    let rank = spectrum.values.len();
    let method = match settings.method {
        Method::Own(Own::GeoNmf) => {
            let starts = if settings.published { 1 } else { 20 };
            let stage = Stage::new("search", "searching with GeoNMF");
            let geo =
                stages.whole(stage, |interrupt| geonmf(graph, spectrum, starts, settings.search.seed, interrupt))?;
            let geo = geo.ok_or(Error::FewPureNodes { communities: rank, found: rank - 1 })?;
            return Ok(Pure { nodes: geo.pure, scores: Vec::new(), search: None, own: Some(geo.memberships) });
        }
        Method::Own(Own::Spoc) => merit::Method::Spa,
        Method::Anchors(method) => method,
    };
    let (x, searched) = match method {
        merit::Method::FastGradient => (submatrix(&graph.adjacency, kept).into(), kept.to_vec()),
        _ => {
            let searched = search_order(&spectrum.vectors, kept, settings);
            let points = DenseMatrix::from_fn(rank, kept.len(), |k, l| spectrum.vectors.get(searched[l], k));
            (DataMatrix::from(points), searched)
        }
    };
    let rows = if settings.published { RowRule::Largest } else { RowRule::Spread };
    let mut how = settings.search.clone();
    how.solver.step_after_gap |= settings.published;
    let found = search(&mut Workspace::new(&x), method, Question { rows, ..Question::of(rank) }, &how, stages);
    let found = found.map_err(|error| match error {
        merit::Error::FewDistinct { rank, distinct } => Error::FewPureNodes { communities: rank, found: distinct },
        error => error.into(),
    })?;
    let nodes = found.anchors.iter().map(|&l| searched[l]).collect();
    Ok(Pure { nodes, scores: found.scores.clone(), search: Some(found), own: None })
}

/// The kept nodes as the solver sees them. A column that fits exactly has many best vertices, of which the first is taken, so
/// the order matters to what is found: by energy it does not depend on names.
fn search_order(vectors: &DenseMatrix, kept: &[usize], settings: &Settings) -> Vec<usize> {
    if settings.published {
        return kept.to_vec();
    }
    let energies = row_energies(vectors);
    let of_kept: Vec<f64> = kept.iter().map(|&i| energies[i]).collect();
    by_energy(&of_kept).into_iter().map(|l| kept[l]).collect()
}

/// Shares by a rule; where the pure nodes are dependent, least squares instead, with a note.
fn shares(
    vectors: &DenseMatrix,
    pure: &[usize],
    rule: Rule,
    notes: &mut Vec<String>,
    interrupt: &Interrupt,
) -> Memberships {
    memberships(vectors, pure, rule, interrupt).unwrap_or_else(|| {
        notes.push(
            "the pure nodes point in dependent directions, so their matrix has no inverse: memberships are by least \
             squares on the simplex instead; fewer `communities` or a smaller `gap_tolerance` may help"
                .into(),
        );
        memberships(vectors, pure, Rule::Simplex, interrupt).expect("least squares need no inverse")
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
