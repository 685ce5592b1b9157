//! The pipeline: parts, eigenvectors, pure nodes, memberships, refinement.
//!
//! ```text
//! graph -> parts with a number of communities each -> for some operators:  V -> kept nodes -> X = V(kept,:)' -> pure nodes -> shares -> refined
//!       -> the operator whose communities explain the edges best -> Theta (all nodes), B
//! ```
//!
//! | method | pure nodes | memberships unless told otherwise |
//! |---|---|---|
//! | SPA, MERIT, XRAY, ... | the method on the kept nodes; of MERIT the K largest rows of `C`, unless they repeat a corner (`RowRule`) | inverse, refined |
//! | FastGradient | FastGradient on the adjacency matrix of the kept nodes, as the authors ran it | inverse |
//! | SPOC | SPA on all nodes | floored |
//! | GeoNMF | clusters of the outermost points of `D^-1/2 V Theta^1/2` ([`geonmf`](crate::geonmf)) | its own |
//!
//! The last three, everything `published` and every rule for shares that is asked for by name are recipes: they see the whole graph at once, with
//! one operator (the adjacency matrix unless told otherwise), and nothing is refined. SPOC's scores on the paper's networks are met by its rule
//! ([`memberships`](mod@crate::memberships)). With MERIT's rule (`memberships: Some(Rule::Inverse)`) it equals the paper's MERIT(0) on DBLP2 and 4.
//! MERIT(0)'s depend on the order of the nodes, and are the paper's with [`Settings::published`].
//!
//! **Why SPA.** On eigenvectors MERIT returned SPA's nodes on 16 of 23 graphs, and differed by one on the others, at 20 times the cost; the
//! refinement takes both to the same shares. So it runs where it is asked for. Its lambda is small and fixed: rows of `V` do not sum to one, so the rules
//! that choose lambda by SPA's residual do not apply. The solver stops early, as the paper's experiments do.
//!
//! **Which operator.** No one is best everywhere: hubs lead the adjacency matrix astray, small dense pieces the others. What can be seen without the truth is how well the communities of the
//! largest shares explain the edges ([`explained`]). Four operators are tried on graphs of up to 300,000
//! edges; larger ones take the second.
//!
//! Communities are numbered by size, largest first, and the solver sees the nodes by energy, so that names and the order of edges
//! do not change what is found, unless nodes tie.

use crate::Error;
use crate::connections::{connections, explained, rates_between};
pub use crate::detection::{Detection, Tried};
use crate::detection::{by_size, dominant};
use crate::graph::Graph;
use crate::moves::moved;
use crate::number_of_communities::{Number, estimate};
use crate::operator::Operator;
use crate::parts::{Part, Parts};
use crate::pure_nodes::{Found, from_eigenvectors};
use crate::refine::refine;
use crate::settings::Settings;
use crate::spectrum::{by_energy, degrees, ends, rough, row_energies, spectrum};
use crate::stability;
use merit::DenseMatrix;
use merit::progress::{Interrupt, Observer, Stage, Stages, StopReason};
use merit::search::Search;
use merit::settings::{Declaration, Declared, Value};
use merit::shares::largest;
use merit_linalg::SparseMatrix;
use merit_linalg::eigen::{Eigenpairs, Which};

/// Multiples of the mean degree that are tried as `tau`, and the adjacency matrix (`None`).
const TRIED: [Option<f64>; 4] = [None, Some(0.25), Some(1.0), Some(4.0)];

/// Edges up to which all are tried.
const FEW_EDGES: usize = 300_000;

/// A rise of the likelihood of an edge that is not worth a step.
const SETTLED: f64 = 1e-5;

/// The part of what moved nodes explain that shares must keep; else edges lead from group to group.
const KEPT: f64 = 0.75;

const NOT_LOOKED_AT: &str =
    "it ended early: some parts of the graph were not looked at, and nothing is said about their nodes";

const NOT_REFINED: &str = "it ended early: shares are those of the eigenvectors, and were not refined";

const BETWEEN_GROUPS: &str = "edges lead from group to group more than they stay within: communities are the groups that connect \
                              alike";

/// Finds communities. `observer` sees stages and iterations and may end it.
pub fn detect(graph: &Graph, settings: &Settings, observer: &mut dyn Observer) -> Result<Detection, Error> {
    settings.check_ranges().map_err(merit::Error::from)?;
    let mut stages = Stages::new(observer, settings.search.solver.time_limit);
    let (guess, rank) = match settings.communities {
        Some(Number::Exactly(number)) => (None, number),
        given => {
            let (least, most) = match given {
                Some(Number::Between(least, most)) => (least, Some(most)),
                _ => (1, None),
            };
            let stage = Stage::new("count", "estimating the number of communities");
            let guess = stages.whole(stage, |interrupt| estimate(graph, least, most, interrupt))?;
            let rank = guess.communities;
            (Some(guess), rank)
        }
    };
    if rank > graph.nodes() {
        return Err(Error::TooManyCommunities { communities: rank, nodes: graph.nodes() });
    }
    let mut solved = solve(graph, rank, settings, &mut stages)?;
    if let Some(guess) = &guess {
        solved.notes.insert(0, guess.statement());
    }
    let known: Vec<bool> = solved.known.clone();
    let b = stages.run(Stage::new("connections", ""), |_| connections(&graph.adjacency, &solved.shares, &known));
    let mut found = Detection {
        estimate: guess,
        operators: solved.operators,
        b,
        spectrum: solved.spectrum,
        kept: solved.kept,
        pure: solved.pure,
        scores: solved.scores,
        memberships: solved.shares,
        unknown: (0..graph.nodes()).filter(|&i| !known[i]).collect(),
        stop: match stages.interrupted() {
            true => Some(StopReason::Interrupted),
            false => solved.search.as_ref().and_then(|search| search.stop),
        },
        stability: None,
        search: solved.search,
        notes: solved.notes,
        seconds: Vec::new(),
    };
    by_size(&mut found);
    if settings.stability > 0 {
        found.stability = stability::measure(graph, &mut found, settings, &mut stages)?;
    }
    found.seconds = stages.seconds().to_vec();
    Ok(found)
}

/// Pure nodes and shares, by a recipe or part by part.
pub(crate) fn solve(graph: &Graph, rank: usize, settings: &Settings, stages: &mut Stages) -> Result<Solved, Error> {
    match settings.is_recipe() {
        true => recipe(graph, rank, settings, stages),
        false => part_by_part(graph, rank, settings, stages),
    }
}

/// Pure nodes and shares of all nodes.
pub(crate) struct Solved {
    operators: Vec<Tried>,
    spectrum: Eigenpairs,
    kept: Vec<usize>,
    pure: Vec<usize>,
    scores: Vec<f64>,
    pub shares: DenseMatrix,
    pub known: Vec<bool>,
    search: Option<Search>,
    notes: Vec<String>,
}

/// The whole graph at once, as it was published.
fn recipe(graph: &Graph, rank: usize, settings: &Settings, stages: &mut Stages) -> Result<Solved, Error> {
    let operator = settings.operator.unwrap_or_default();
    let stage = Stage::new("eigenvectors", "eigenvectors");
    let pairs = stages.whole(stage, |interrupt| spectrum(graph, operator, rank, interrupt))?;
    let mut notes = unconverged(&pairs, rank);
    let found = from_eigenvectors(&graph.adjacency, pairs, operator, settings, stages)?;
    notes.extend(found.notes);
    let mut known = vec![true; graph.nodes()];
    found.shares.empty.iter().for_each(|&i| known[i] = false);
    Ok(Solved {
        operators: Vec::new(),
        spectrum: found.spectrum,
        kept: found.kept,
        pure: found.pure,
        scores: found.scores,
        shares: found.shares.theta,
        known,
        search: found.search,
        notes,
    })
}

/// Each part that has communities alone, with the operator that explains the edges best.
fn part_by_part(graph: &Graph, rank: usize, settings: &Settings, stages: &mut Stages) -> Result<Solved, Error> {
    let mut parts = Parts::of(graph, rank);
    let tried: Vec<Option<Operator>> = match settings.operator {
        Some(operator) => vec![Some(operator)],
        None if graph.edges() > FEW_EDGES => vec![None; 1],
        None => vec![None; TRIED.len()],
    };
    let mut best: Option<(f64, Solved)> = None;
    let mut operators: Vec<Tried> = Vec::new();
    for (at, given) in tried.iter().enumerate() {
        let at = if tried.len() == 1 { 1 } else { at };
        let solved = match solve_parts(graph, &mut parts, rank, *given, at, settings, stages) {
            Err(Error::Merit(merit::Error::Interrupted)) if best.is_some() => break,
            solved => solved?,
        };
        let community = dominant(&solved.shares, &solved.known);
        let score = explained(&graph.adjacency, &community, solved.pure.len());
        let operator = solved.operators[0].operator;
        operators.push(Tried { operator, explained: score, taken: false });
        // Something clearly better, for rounding must not choose.
        if best.as_ref().is_none_or(|(other, _)| score > other + 1e-6) {
            best = Some((score, solved));
        }
        if stages.cut_short().is_some() {
            break;
        }
    }
    let (score, mut solved) = best.expect("one operator is tried at least");
    let taken = operators.iter().position(|tried| tried.explained == score).unwrap_or(0);
    operators[taken].taken = true;
    if operators.len() < tried.len() {
        solved.notes.push(format!("it ended early: {} of {} operators were tried", operators.len(), tried.len()));
    }
    solved.operators = operators;
    if !solved.notes.iter().any(|note| note == NOT_LOOKED_AT) {
        solved.notes.extend(left_alone(graph, &solved));
    }
    Ok(solved)
}

/// The operator of a part: what was asked for, or a multiple of its mean degree.
fn operator_of(given: Option<Operator>, tried: usize, degrees: &[f64]) -> Operator {
    let mean = degrees.iter().sum::<f64>() / degrees.len().max(1) as f64;
    // Three digits, which can be read and typed.
    let rounded = |tau: f64| format!("{tau:.2e}").parse().unwrap_or(tau);
    let of = |multiple: f64| Operator::Regularized(Some(rounded(multiple * mean)));
    given.unwrap_or_else(|| TRIED[tried].map_or(Operator::Adjacency, of)).resolved(degrees)
}

/// Pure nodes and refined shares of all parts.
fn solve_parts(
    graph: &Graph,
    parts: &mut Parts,
    rank: usize,
    given: Option<Operator>,
    tried: usize,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Solved, Error> {
    let mut done: Vec<Option<(Part, Found)>> = Vec::new();
    // A part that cannot have as many as its edges claim leaves them to others.
    let seats = loop {
        let seats = parts.seats(rank);
        done.resize_with(seats.len(), || None);
        let mut limited = false;
        for at in 0..seats.len() {
            if seats[at] == 0 || done[at].as_ref().is_some_and(|(part, _)| part.communities == seats[at]) {
                continue;
            }
            if stages.interrupted() {
                break;
            }
            let part = parts.part(at, seats[at]);
            let operator = operator_of(given, tried, &degrees(&part.adjacency));
            match solve_part(&part, operator, settings, stages)? {
                Outcome::Found(found) => done[at] = Some((part, *found)),
                Outcome::Supports(most) => {
                    parts.limit(at, most);
                    limited = true;
                }
            }
        }
        if !limited || stages.interrupted() {
            break seats;
        }
    };
    let solved_as = |at: usize| done[at].as_ref().map_or(0, |(part, _)| part.communities);
    let cut_short = (0..seats.len()).any(|at| seats[at] != solved_as(at) && seats[at] > 0);
    let seats: Vec<usize> = (0..seats.len()).map(|at| if seats[at] > 0 { solved_as(at) } else { 0 }).collect();
    let total: usize = seats.iter().sum();
    if total == 0 {
        return Err(merit::Error::Interrupted.into());
    }
    let operator = operator_of(given, tried, &graph.degrees());
    let mut solved = Solved {
        operators: vec![Tried { operator, explained: 0.0, taken: false }],
        spectrum: Eigenpairs {
            values: vec![],
            vectors: DenseMatrix::zeros(graph.nodes(), 0),
            residuals: vec![],
            products: 0,
            converged: true,
        },
        kept: Vec::new(),
        pure: Vec::new(),
        scores: Vec::new(),
        shares: DenseMatrix::zeros(graph.nodes(), total),
        known: vec![false; graph.nodes()],
        search: None,
        notes: Vec::new(),
    };
    if cut_short {
        solved.notes.push(NOT_LOOKED_AT.into());
    } else if total < rank {
        solved.notes.push(format!(
            "{total} {} told apart, though {rank} were asked for: the graph has no more groups with more edges within \
             than between",
            if total == 1 { "community can be" } else { "communities can be" }
        ));
    }
    for (at, (part, found)) in done.into_iter().enumerate().filter_map(|(at, part)| Some((at, part?))) {
        if seats[at] > 0 {
            solved.add(part, found);
        }
    }
    solved.kept.sort_unstable();
    fill_with_mean(&mut solved.shares, &solved.known);
    Ok(solved)
}

impl Solved {
    /// What was found in one more part; the largest comes first.
    fn add(&mut self, part: Part, found: Found) {
        let first = self.pure.len();
        let mut empty = found.shares.empty.iter().peekable();
        for (l, &i) in part.nodes.iter().enumerate() {
            self.known[i] = empty.next_if(|&&e| e == l).is_none();
            for k in 0..part.communities {
                self.shares.col_mut(first + k)[i] = found.shares.theta.get(l, k);
            }
        }
        self.pure.extend(found.pure.iter().map(|&l| part.nodes[l]));
        self.scores.extend(found.scores);
        self.kept.extend(found.kept.iter().map(|&l| part.nodes[l]));
        self.notes.extend(found.notes);
        if first == 0 {
            let mut vectors = DenseMatrix::zeros(self.known.len(), found.spectrum.vectors.cols());
            for k in 0..vectors.cols() {
                part.nodes
                    .iter()
                    .enumerate()
                    .for_each(|(l, &i)| vectors.col_mut(k)[i] = found.spectrum.vectors.get(l, k));
            }
            self.spectrum = Eigenpairs { vectors, ..found.spectrum };
            self.search = found.search;
        }
    }
}

/// What comes of a part.
enum Outcome {
    Found(Box<Found>),
    /// It has fewer communities that can be told apart.
    Supports(usize),
}

/// Parts with fewer nodes are not talked about.
const TALKATIVE: usize = 1000;

fn solve_part(part: &Part, operator: Operator, settings: &Settings, stages: &mut Stages) -> Result<Outcome, Error> {
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
    let mut between_groups = false;
    if rank > 1 {
        // What lies between groups, not within: the least eigenvalue is far below what the next largest is above.
        let ends = stages.whole(stage(), |interrupt| ends(adjacency, operator, interrupt))?;
        let least = ends.iter().copied().fold(0.0, f64::min);
        if -least > 0.5 * top && -least > 1.5 * pairs.values[1] {
            between_groups = true;
            pairs = stages.whole(stage(), |interrupt| rough(adjacency, operator, rank, Which::Magnitude, interrupt))?;
        }
        let supported = pairs.values.iter().filter(|v| if between_groups { v.abs() } else { **v } > 1e-9 * top).count();
        if supported < rank {
            return Ok(Outcome::Supports(supported.max(1)));
        }
    }
    let mut notes = unconverged(&pairs, rank);
    if rank == 1 {
        // All belong to it; the node that belongs most is that of the largest entry.
        let column = pairs.vectors.col(0);
        let pure = (0..column.len()).max_by(|&a, &b| column[a].abs().total_cmp(&column[b].abs()).then(b.cmp(&a)));
        let theta = DenseMatrix::from_fn(column.len(), 1, |_, _| 1.0);
        let shares = crate::memberships::Memberships { theta, empty: Vec::new() };
        let (kept, pure) = ((0..column.len()).collect(), pure.into_iter().collect());
        let found = Found { spectrum: pairs, kept, pure, scores: vec![1.0], search: None, shares, notes };
        return Ok(Outcome::Found(Box::new(found)));
    }
    let mut found = match from_eigenvectors(adjacency, pairs, operator, settings, stages) {
        Err(Error::FewPureNodes { found, .. }) if found > 0 && found < rank => return Ok(Outcome::Supports(found)),
        found => found?,
    };
    if settings.refinement > 0 && !stages.interrupted() {
        let stage = Stage::new("refinement", "refining the shares").with_result();
        let order = by_energy(&row_energies(&found.spectrum.vectors));
        let refined = stages.whole(stage, |interrupt| {
            refined(adjacency, found.shares.theta.transposed(), between_groups, settings.refinement, &order, interrupt)
        });
        match refined {
            Ok(refined) => {
                found.shares.theta = refined.shares.transposed();
                found.shares.empty.clear(); // every node has a neighbour that says something
                between_groups = refined.between_groups;
            }
            Err(_) => notes.push(NOT_REFINED.into()),
        }
    }
    if between_groups {
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

/// Nodes about which nothing is known get the mean row of the others.
fn fill_with_mean(shares: &mut DenseMatrix, known: &[bool]) {
    let count = known.iter().filter(|known| **known).count().max(1) as f64;
    for k in 0..shares.cols() {
        let column = shares.col_mut(k);
        let mean = column.iter().zip(known).filter(|(_, known)| **known).map(|(v, _)| v).sum::<f64>() / count;
        column.iter_mut().zip(known).filter(|(_, known)| !**known).for_each(|(v, _)| *v = mean);
    }
}

/// The parts that have no community, in words.
fn left_alone(graph: &Graph, solved: &Solved) -> Option<String> {
    let of_node = graph.components();
    let mut parts: Vec<u32> = (0..graph.nodes()).filter(|&i| !solved.known[i]).map(|i| of_node[i]).collect();
    let nodes = parts.len();
    parts.dedup();
    parts.sort_unstable();
    parts.dedup();
    (nodes > 0).then(|| {
        format!(
            "{nodes} {} in {} too small for a community of {}: nothing is said about them, their rows hold the mean; \
             more `communities` would reach more",
            if nodes == 1 { "node is" } else { "nodes are" },
            if parts.len() == 1 { "a part that is".to_string() } else { format!("{} parts that are", parts.len()) },
            if parts.len() == 1 { "its own" } else { "their own" },
        )
    })
}
