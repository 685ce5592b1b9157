//! A kernel proves itself before it is used: once in a process, on a small problem, against the portable one.
//!
//! Instruction sets are many, and a program meets machines (and emulators, and compilers) that its tests have not. The
//! problem is in small whole numbers, so that every product and sum is exact, fused or not, and results must be equal. It has
//! what is easily got wrong: lengths that fill no panel, tile or group; ties; infinities; NaN.

use super::{
    CoarseBias, CoarseKernel, CoarsePoints, CoarseTile, GROUP, Kernel, PANEL, PanelRow, Points, SparsePoints, Term,
    WIDTH, Wide,
};
use crate::SparseMatrix;
use std::fmt;
use std::sync::OnceLock;

/// A kernel that gave other results than the portable one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The kernel's name.
    pub kernel: &'static str,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.kernel;
        write!(f, "the {name} kernel of this machine gave other results than the portable one and is not used")
    }
}

/// Kernels that have proved themselves, in the order of the candidates, and the others.
#[derive(Debug)]
pub(super) struct Proven {
    pub(super) kernels: Vec<Kernel>,
    pub(super) rejected: Vec<Rejection>,
    pub(super) coarse: Vec<CoarseKernel>,
}

/// The kernels of this machine, tried when first asked for.
pub(super) fn of_this_machine() -> &'static Proven {
    static PROVEN: OnceLock<Proven> = OnceLock::new();
    PROVEN.get_or_init(|| prove(&Kernel::found()))
}

/// Tries each kernel against the last, the portable one.
pub(super) fn prove(candidates: &[Kernel]) -> Proven {
    let (&portable, others) = candidates.split_last().expect("the portable kernel runs everywhere");
    let truth = Answers::of(portable);
    let (mut kernels, rejected): (Vec<_>, Vec<_>) = others.iter().partition(|&&kernel| Answers::of(kernel) == truth);
    kernels.push(portable);
    let mut coarse = CoarseKernel::found();
    let truth = coarse.last().map(|&portable| coarse_answers(portable));
    coarse.retain(|&kernel| Some(coarse_answers(kernel)) == truth);
    let rejected = rejected.into_iter().map(|kernel| Rejection { kernel: kernel.name() }).collect();
    Proven { kernels, rejected, coarse }
}

/// What a kernel of bytes makes of the same points, as bits: groups of every size, and none that fills a block.
fn coarse_answers(kernel: CoarseKernel) -> Vec<u32> {
    let mut answers = Vec::new();
    for (rows, count) in SHAPES {
        let mut points = CoarsePoints::empty(kernel, rows, 127.0);
        (0..count).for_each(|n| points.push((0..rows).map(|m| f64::from(coordinate(n, m)))));
        let mut bias = CoarseBias::empty();
        points.refill_bias(&mut bias, (0..count).map(|n| offset(n, count)));
        let (tile, groups) = (kernel.tile(), points.groups());
        let mut minima = vec![-1.0; tile * (groups + 1)];
        for first in (0..QUERIES - 4).step_by(tile) {
            let mut queries = CoarseTile::empty(&points);
            // With a 127 in each, steps are 1.
            let query = |q: usize| (0..rows).map(|m| if m == q % 3 { 127.0 } else { factor(q, m) }).collect::<Vec<_>>();
            let many = tile.min(QUERIES - 4 - first);
            (0..many).for_each(|q| _ = queries.set(q, &points, &query(first + q)));
            kernel.minima(&points, &bias, 0..points.blocks(), &queries, &mut minima, groups + 1);
            let real = count.div_ceil(points.group_size());
            (0..many).for_each(|q| answers.extend(minima[q * (groups + 1)..][..real].iter().copied().map(bits)));
        }
    }
    answers
}

/// Rows and points of the problems: one for each size of a group, and points without coordinates.
const SHAPES: [(usize, usize); 4] = [(0, 5), (3, 131), (17, 67), (41, 77)];

/// More than one tile of every kernel, and not a multiple of it.
const QUERIES: usize = 37;

/// What a kernel makes of the problems, as bits: one pattern for every NaN, none for a negative zero.
#[derive(Default, PartialEq, Eq)]
struct Answers {
    numbers: Vec<u32>,
    places: Vec<u128>,
}

impl Answers {
    fn of(kernel: Kernel) -> Self {
        let mut answers = Self::default();
        SHAPES.into_iter().for_each(|(rows, count)| answers.add(kernel, rows, count));
        answers.add_sparse(kernel);
        answers.add_rows(kernel);
        answers
    }

    /// Points with no entry, one, and many, in one block of coordinates and in two.
    fn add_sparse(&mut self, kernel: Kernel) {
        let (rows, count) = (2060, 23);
        let entries = (0..count).flat_map(|n| (0..rows).step_by(61 - 2 * n).skip(n % 3).map(move |m| (m, n)));
        let entries = entries.filter(|&(m, n)| n != 7 && (n != 9 || m == 2058));
        let value = |(m, n): (usize, usize)| (m as u32, n as u32, f64::from(coordinate(n, m)));
        let points = SparsePoints::pack(&SparseMatrix::from_triplets(rows, count, entries.map(value).collect()), 1.0);
        let queries: Vec<f32> = (0..WIDTH * rows).map(|i| factor(i / rows, i % rows)).collect();
        let mut tile = points.tile();
        points.fill_tile(&queries, &mut tile);
        let mut sums: Vec<Wide> = (0..count).map(|n| Wide([n as f32; WIDTH])).collect();
        kernel.add_products(&points, &tile, &mut sums);
        sums[3].0[5] = f32::NAN;
        let bias: Vec<f32> = (0..count).map(|n| offset(n, count + 1)).collect();
        let mut limits = kernel.least_scores(&sums, &bias);
        self.numbers.extend(limits.0.map(bits));
        limits.0[1] = f32::NAN;
        limits.0[2] += 3.0;
        let mut found = Vec::new();
        kernel.scores_within(&sums, &bias, &limits, &mut found);
        self.numbers.extend(found.into_iter().flat_map(|(n, queries)| [n, queries]));
        self.numbers.extend(sums.into_iter().flat_map(|sums| sums.0).map(bits));
    }

    /// Sums of rows, with a row that is named twice, a NaN, and none at all.
    fn add_rows(&mut self, kernel: Kernel) {
        let number = |n: usize, i: usize| f64::from(if (n, i) == (7, 9) { f32::NAN } else { coordinate(n, i) });
        let rows: Vec<_> = (0..23).map(|n| PanelRow(std::array::from_fn(|i| number(n, i)))).collect();
        for count in [0, 1, 2, 7, 40] {
            let term = |k: usize| Term { row: (k * 13 % rows.len()) as u32, weight: f64::from(factor(k % 31, k)) };
            let mut sums = PanelRow(std::array::from_fn(|i| f64::from(offset(i, PANEL))));
            kernel.add_rows(&rows, &(0..count).map(term).collect::<Vec<_>>(), &mut sums);
            self.numbers.extend(sums.0.map(|sum| bits(sum as f32))); // whole numbers below 2^24
        }
    }

    fn add(&mut self, kernel: Kernel, rows: usize, count: usize) {
        // Not `Points::pack`, which would start the threads before the program has said how many.
        let mut points = Points::empty(kernel, rows);
        (0..count).for_each(|n| points.push(&(0..rows).map(|m| coordinate(n, m)).collect::<Vec<_>>()));
        let bias = points.pack_bias((0..count).map(|n| offset(n, count)));
        let queries: Vec<f32> = (0..QUERIES * rows).map(|i| factor(i / rows, i % rows)).collect();
        let mut tiles = Vec::new();
        kernel.pack_tiles(rows, &queries, &mut tiles);

        let (tile, groups) = (kernel.tile(), points.groups());
        let stride = groups + 1; // what lies behind the groups must stay as it is
        let mut minima = vec![-1.0; QUERIES.next_multiple_of(tile) * stride];
        for (t, minima) in minima.chunks_mut(tile * stride).enumerate() {
            let queries = &tiles[t * tile * rows..][..tile * rows];
            kernel.minima(&points, &bias, 0..1, queries, minima, stride);
            kernel.minima(&points, &bias, 1..groups, queries, minima, stride);
        }
        self.numbers.extend(minima[..QUERIES * stride].iter().copied().map(bits));

        let stride = groups * (points.group_size() / 32) + 1;
        for limit in [0.0, -17.0, f32::NEG_INFINITY, f32::INFINITY, f32::NAN] {
            let mut places = vec![7; QUERIES.next_multiple_of(tile) * stride];
            for (t, places) in places.chunks_mut(tile * stride).enumerate() {
                let queries = &tiles[t * tile * rows..][..tile * rows];
                kernel.places(&points, &bias, 0..1, queries, limit, places, stride);
                kernel.places(&points, &bias, 1..groups, queries, limit, places, stride);
            }
            self.numbers.extend_from_slice(&places[..QUERIES * stride]);
        }

        for q in 0..QUERIES {
            let mut scores = [f32::INFINITY; GROUP];
            let group = q % groups;
            kernel.scores(&points, &bias, group, &queries[q * rows..][..rows], &mut scores);
            self.numbers.extend(scores.map(bits));
            // A score of the group as the limit: a tie.
            let limits = [scores[q], scores[GROUP / 4 - 1], 0.0, f32::MAX, f32::NEG_INFINITY, f32::INFINITY, f32::NAN];
            self.places.extend(limits.map(|limit| kernel.at_most(&scores, limit)));
        }
    }
}

/// Whole numbers within 100; point `n + 61` is point `n` again.
fn coordinate(n: usize, m: usize) -> f32 {
    let n = n % 61;
    ((n * (n + 31) * (m + 3) + m * 57) % 199) as f32 - 99.0
}

/// Whole numbers within 100; two queries of the last full tile have an infinity and a NaN.
fn factor(q: usize, m: usize) -> f32 {
    match (q, m) {
        (34, 1) => f32::NEG_INFINITY,
        (35, 2) => f32::NAN,
        _ => ((q * 83 + m * 29 + q * m * 7) % 197) as f32 - 98.0,
    }
}

/// Whole numbers within 50; a NaN and an infinity among the first points, and a negative one at the end.
fn offset(n: usize, count: usize) -> f32 {
    match n {
        4 => f32::NAN,
        40 => f32::INFINITY,
        _ if n + 1 == count => f32::NEG_INFINITY,
        _ => (n % 61 * 17 % 101) as f32 - 50.0,
    }
}

fn bits(value: f32) -> u32 {
    if value.is_nan() { f32::NAN.to_bits() } else { (value + 0.0).to_bits() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{group_of, least};

    /// Else a lane that is lost on the way to the minimum would not be missed.
    #[test]
    fn winners_fall_on_every_place_of_the_widest_panel() {
        let mut places = [0; 32];
        for (rows, count) in SHAPES {
            let score = |n, q| (0..rows).fold(offset(n, count), |sum, m| sum + coordinate(n, m) * factor(q, m));
            for q in 0..QUERIES {
                let scores: Vec<f32> = (0..count).map(|n| score(n, q)).collect();
                for group in scores.chunks(group_of(rows)) {
                    let winner = least(group);
                    places[winner % 32] += u32::from(group[winner].is_finite());
                }
            }
        }
        assert!(!places.contains(&0), "{places:?}");
    }
}
