//! Pure nodes of one part of a graph, and the shares that follow from them.

use crate::Error;
use crate::geonmf::geonmf;
use crate::memberships::{Memberships, Rule, memberships, normalized};
use crate::operator::Operator;
use crate::parts::submatrix;
use crate::settings::{GEONMF, Method, Own, SPOC, Settings};
use crate::spectrum::{by_energy, degrees, energy_cut, row_energies};
use merit::progress::{Interrupt, Stage, Stages};
use merit::search::{Question, Search, search};
use merit::selection::RowRule;
use merit::shares::largest;
use merit::solver::Workspace;
use merit::{DataMatrix, DenseMatrix, SparseMatrix};
use merit_linalg::dense::dot;
use merit_linalg::eigen::Eigenpairs;

/// What the eigenvectors of a part give.
#[derive(Debug)]
pub(crate) struct Found {
    pub spectrum: Eigenpairs,
    /// Nodes that were searched for pure ones, in order.
    pub kept: Vec<usize>,
    pub pure: Vec<usize>,
    /// What the method ranked by.
    pub scores: Vec<f64>,
    /// None for GeoNMF, and where there is one community only.
    pub search: Option<Search>,
    pub shares: Memberships,
    pub notes: Vec<String>,
}

/// Pure nodes and shares from eigenvectors.
pub(crate) fn from_eigenvectors(
    adjacency: &SparseMatrix,
    spectrum: Eigenpairs,
    operator: Operator,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Found, Error> {
    let rank = spectrum.values.len();
    let kept = stages.run(Stage::new("cut", ""), |_| match settings.method() {
        SPOC | GEONMF => (0..spectrum.vectors.rows()).collect(),
        _ => energy_cut(&spectrum.vectors, settings.energy),
    });
    let few = |found: usize| Error::FewPureNodes { communities: rank, found };
    if kept.len() < rank {
        return Err(few(kept.len()));
    }
    let Pure { nodes: pure, scores, search, own } = pure_nodes(adjacency, &spectrum, &kept, settings, stages)?;
    if pure.len() < rank {
        return Err(few(pure.len()));
    }
    let mut notes: Vec<String> = search.iter().flat_map(|search| search.notes.clone()).collect();
    let degrees = degrees(adjacency);
    let phi: Option<Vec<f64>> =
        operator.scales(&degrees).map(|scales| degrees.iter().zip(&scales).map(|(d, s)| d * s).collect());
    // With pure nodes there is something to keep.
    let stage = Stage::new("memberships", "shares").with_result();
    let shares = stages.whole(stage, |interrupt| match (settings.rule(), own) {
        (None, Some(own)) => own,
        (rule, _) => shares(&spectrum.vectors, &pure, phi.as_deref(), rule.unwrap_or_default(), &mut notes, interrupt),
    });
    let shares = shares.unwrap_or_else(|_| {
        notes.push("it ended early: shares are a rough guess from the pure nodes".into());
        rough_shares(&spectrum.vectors, &pure, phi.as_deref())
    });
    Ok(Found { spectrum, kept, pure, scores, search, shares, notes })
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
    adjacency: &SparseMatrix,
    spectrum: &Eigenpairs,
    kept: &[usize],
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Pure, Error> {
    let rank = spectrum.values.len();
    let method = match settings.method() {
        Method::Own(Own::GeoNmf) => {
            let starts = if settings.published { 1 } else { 20 };
            let stage = Stage::new("search", "searching with GeoNMF");
            let geo = stages
                .whole(stage, |interrupt| geonmf(adjacency, spectrum, starts, settings.search.seed, interrupt))?;
            let geo = geo.ok_or(Error::FewPureNodes { communities: rank, found: rank - 1 })?;
            return Ok(Pure { nodes: geo.pure, scores: Vec::new(), search: None, own: Some(geo.memberships) });
        }
        Method::Own(Own::Spoc) => merit::Method::Spa,
        Method::Anchors(method) => method,
    };
    let (x, searched) = match method {
        merit::Method::FastGradient => (submatrix(adjacency, kept).into(), kept.to_vec()),
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
    phi: Option<&[f64]>,
    rule: Rule,
    notes: &mut Vec<String>,
    interrupt: &Interrupt,
) -> Memberships {
    memberships(vectors, pure, phi, rule, interrupt).unwrap_or_else(|| {
        notes.push(
            "the pure nodes point in dependent directions, so their matrix has no inverse: memberships are by least \
             squares on the simplex instead; fewer `communities` or a smaller `gap_tolerance` may help"
                .into(),
        );
        memberships(vectors, pure, phi, Rule::Simplex, interrupt).expect("least squares need no inverse")
    })
}

/// Shares in no time: a K x K solve, or all of a node to the pure node that points where it does.
fn rough_shares(vectors: &DenseMatrix, pure: &[usize], phi: Option<&[f64]>) -> Memberships {
    memberships(vectors, pure, phi, Rule::Inverse, &Interrupt::never()).unwrap_or_else(|| {
        let points = vectors.transposed();
        let alike = |i: usize, p: usize| dot(points.col(i), points.col(p)) / dot(points.col(p), points.col(p)).sqrt();
        let shares = DenseMatrix::from_column_fn(pure.len(), vectors.rows(), |i, out| {
            if let Some((k, _)) = largest(pure.iter().map(|&p| alike(i, p))) {
                out[k] = 1.0;
            }
        });
        normalized(shares, |i| points.col(i).iter().any(|v| *v != 0.0))
    })
}
