//! One part of a graph with one operator: eigenvectors, pure nodes, shares and their refinement. See [`detect`](mod@crate::detect).

use crate::Error;
use crate::connections::{explained, rates_between};
use crate::memberships::Memberships;
use crate::moves::moved;
use crate::operator::Operator;
use crate::part_by_part::FEW_EDGES;
use crate::parts::Part;
use crate::pure_nodes::{Found, from_eigenvectors};
use crate::refine::refine;
use crate::settings::Settings;
use crate::spectrum::{between_groups, by_energy, rough, row_energies};
use merit::DenseMatrix;
use merit::progress::{Interrupt, Stage, Stages};
use merit::settings::{Declaration, Value};
use merit::shares::largest;
use merit_linalg::SparseMatrix;
use merit_linalg::eigen::{Eigenpairs, Which};

/// A rise of the likelihood of an edge that is not worth a step.
const SETTLED: f64 = 1e-5;

/// The part of what moved nodes explain that shares must keep; otherwise edges lead from group to group.
const KEPT: f64 = 0.75;

const NOT_REFINED: &str = "it ended early: shares are those of the eigenvectors, and were not refined";

const BETWEEN_GROUPS: &str = "edges lead from group to group more than they stay within: communities are the groups that connect \
                              alike";

/// What comes of a part.
pub(crate) enum Outcome {
    Found(Box<Found>),
    /// It has fewer communities that can be distinguished.
    Supports(usize),
}

/// Parts with fewer nodes are not talked about.
const TALKATIVE: usize = 1000;

pub(crate) fn solve_part(
    part: &Part,
    operator: Operator,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Outcome, Error> {
    let (adjacency, rank) = (part.adjacency.as_ref(), part.communities);
    let name = operator.show(&Declaration::new(""));
    // Small parts may be thousands, and none takes long.
    let title = match part.nodes.len() {
        few if few < TALKATIVE => String::new(),
        nodes => format!("eigenvectors of {nodes} nodes ({name})"),
    };
    let stage = || Stage::new("eigenvectors", title.clone());
    let mut pairs = stages.whole(stage(), |interrupt| rough(adjacency, operator, rank, Which::Largest, interrupt))?;
    let top = pairs.values.first().copied().unwrap_or(0.0);
    let mut between = false;
    if rank > 1 {
        let values = pairs.values.clone();
        between = stages.whole(stage(), |interrupt| between_groups(adjacency, operator, &values, interrupt))?;
        if between {
            pairs = stages.whole(stage(), |interrupt| rough(adjacency, operator, rank, Which::Magnitude, interrupt))?;
        }
        let supported = pairs.values.iter().filter(|v| if between { v.abs() } else { **v } > 1e-9 * top).count();
        if supported < rank {
            return Ok(Outcome::Supports(supported.max(1)));
        }
    }
    let mut notes = unconverged(&pairs, rank);
    if rank == 1 {
        // All belong to it; the node that belongs most has the largest entry.
        let column = pairs.vectors.col(0);
        let pure = (0..column.len()).max_by(|&a, &b| column[a].abs().total_cmp(&column[b].abs()).then(b.cmp(&a)));
        let theta = DenseMatrix::from_fn(column.len(), 1, |_, _| 1.0);
        let shares = Memberships { theta, empty: Vec::new() };
        let (kept, pure) = ((0..column.len()).collect(), pure.into_iter().collect());
        let found = Found { spectrum: pairs, kept, pure, scores: vec![1.0], search: None, shares, notes };
        return Ok(Outcome::Found(Box::new(found)));
    }
    let mut found = match from_eigenvectors(adjacency, pairs, operator, settings, stages) {
        Err(Error::FewPureNodes { found, .. }) if found > 0 && found < rank => return Ok(Outcome::Supports(found)),
        found => found?,
    };
    if settings.refinement > 0 && stages.interrupted() {
        notes.push(NOT_REFINED.into());
    } else if settings.refinement > 0 {
        let stage = Stage::new("refinement", "refining the shares").with_result();
        let order = by_energy(&row_energies(&found.spectrum.vectors));
        let refined = stages.whole(stage, |interrupt| {
            refined(adjacency, found.shares.theta.transposed(), between, settings.refinement, &order, interrupt)
        });
        match refined {
            Ok(refined) => {
                found.shares.theta = refined.shares.transposed();
                found.shares.empty.clear(); // every node has a neighbor that says something
                between = refined.between_groups;
            }
            Err(_) => notes.push(NOT_REFINED.into()),
        }
    }
    if between {
        notes.push(BETWEEN_GROUPS.into());
    }
    notes.append(&mut found.notes);
    Ok(Outcome::Found(Box::new(Found { notes, ..found })))
}

/// What the edges make of shares.
struct RefinedShares {
    /// Communities x nodes.
    shares: DenseMatrix,
    /// Whether edges lead from group to group more than they stay within.
    between_groups: bool,
}

/// Shares that make edges likely, whole nodes moved where that helps, and shares again (a few steps: more would lead back). If these, which know of edges within communities alone, lose what the
/// moves found, edges lead from group to group, and the rates between all groups are taken as the moves left them.
fn refined(
    adjacency: &SparseMatrix,
    start: DenseMatrix,
    between_groups: bool,
    steps: usize,
    order: &[usize],
    interrupt: &Interrupt,
) -> RefinedShares {
    let (rank, nodes) = (start.rows(), start.cols());
    // A large graph is not worth the last digits.
    let few = adjacency.nnz() <= 2 * FEW_EDGES;
    let (before, passes, after) = if few { (steps, 10, steps.min(5)) } else { (steps.min(4), 3, steps.min(3)) };
    let crisp = |shares: &DenseMatrix| -> Vec<usize> {
        (0..nodes).map(|i| largest(shares.col(i).iter().copied()).map_or(0, |(k, _)| k)).collect()
    };
    let explains = |community: &[usize]| {
        let community: Vec<Option<usize>> = community.iter().copied().map(Some).collect();
        explained(adjacency, &community, rank)
    };
    let first = match between_groups {
        true => start, // the steps would lead away from it
        false => refine(adjacency, &start, None, before, SETTLED, interrupt).shares,
    };
    let community = moved(adjacency, crisp(&first), rank, order, passes, interrupt);
    let begin = DenseMatrix::from_fn(rank, nodes, |k, i| 0.1 / rank as f64 + if community[i] == k { 0.9 } else { 0.0 });
    let mut shares = refine(adjacency, &begin, None, after, SETTLED, interrupt).shares;
    let between_groups = explains(&crisp(&shares)) < KEPT * explains(&community);
    if between_groups {
        let rates = rates_between(adjacency, &community, rank);
        shares = refine(adjacency, &begin, Some(&rates), after, SETTLED, interrupt).shares;
    }
    RefinedShares { shares, between_groups }
}

pub(crate) fn unconverged(spectrum: &Eigenpairs, rank: usize) -> Vec<String> {
    if spectrum.converged {
        return Vec::new();
    }
    let worst = spectrum.residuals.iter().fold(0.0_f64, |top, r| top.max(*r));
    vec![format!(
        "the eigenvectors did not converge (the largest residual is {worst:.1e}): their values lie close together, \
         as in a graph without {rank} communities"
    )]
}
