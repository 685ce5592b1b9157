//! Parts of a graph one by one, with each of some operators; what explains the edges best is taken. See [`detect`](mod@crate::detect).

use crate::Error;
use crate::connections::explained;
use crate::detect::Solved;
use crate::detection::{Tried, dominant};
use crate::graph::Graph;
use crate::one_part::{Outcome, solve_part};
use crate::operator::Operator;
use crate::parts::{Part, Parts};
use crate::pure_nodes::Found;
use crate::settings::Settings;
use crate::spectrum::degrees;
use merit::DenseMatrix;
use merit::progress::Stages;
use merit::words::counted;
use merit_linalg::eigen::Eigenpairs;

/// Multiples of the mean degree that are tried as `tau`, and the adjacency matrix (`None`).
const TRIED: [Option<f64>; 4] = [None, Some(0.25), Some(1.0), Some(4.0)];

/// Edges up to which all are tried.
pub(crate) const FEW_EDGES: usize = 300_000;

const NOT_LOOKED_AT: &str =
    "it ended early: some parts of the graph were not looked at, and nothing is said about their nodes";

/// Each part that has communities alone, with the operator that explains the edges best.
pub(crate) fn part_by_part(
    graph: &Graph,
    rank: usize,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Solved, Error> {
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
        // Something clearly better, because rounding must not choose.
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
            "{} told apart, though {rank} were asked for: the graph has no more groups with more edges within than between",
            counted(total, "community can be", "communities can be")
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
            "{} in {} too small for a community of {}: nothing is said about them, their rows hold the mean; \
             more `communities` would reach more",
            counted(nodes, "node is", "nodes are"),
            if parts.len() == 1 { "a part that is".to_string() } else { format!("{} parts that are", parts.len()) },
            if parts.len() == 1 { "its own" } else { "their own" },
        )
    })
}
