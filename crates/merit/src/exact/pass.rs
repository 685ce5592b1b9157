//! The pass over all pairs, row by row:
//!
//! ```text
//! V_n = b_n' P + p + S_n,  S = D + (1-a) E;   D_n <- min((V_n)_+, cap_n),  sum_l (V_nl - cap_n)_+ = tau;   E <- S - D
//! ```
//!
//! Where `S` is zero only positive `b_n' P + p` matter. They are found in `f32`, with a margin that leaves none out, and
//! computed in `f64`.

use super::problem::Problem;
use super::rows::{Row, RowShard, Rows};
use crate::progress::Interrupt;
use crate::solver::{CACHE_BYTES, power_of_two_below};
use merit_linalg::DenseMatrix;
use merit_linalg::dense::{dot, four_dots};
use merit_linalg::kernels::{Bias, Kernel, Points};
use merit_linalg::shards::{SHARD, Shards};
use rayon::prelude::*;

/// Entries of `E` below this stand for zero where they are read.
pub(super) fn kept(e: f64, drop: f64) -> f64 {
    if e.abs() < drop { 0.0 } else { e }
}

/// What a pass works on.
pub(super) struct Pass<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) P: &'a DenseMatrix,
    pub(super) p: &'a [f64],
    /// `lambda / rho`.
    pub(super) tau: f64,
    /// `a`.
    pub(super) relaxation: f64,
    pub(super) drop: f64,
}

/// How positive sums are found.
struct Screen {
    kernel: Kernel,
    /// The columns of `-P`, scaled, and `-p`.
    points: Points,
    bias: Bias,
    /// Queries are `b_n` times this.
    query_scale: f64,
    /// No positive sum has a score above this.
    limit: f32,
}

/// Working space of one worker.
struct Scratch {
    /// The rows `b_n` of a shard.
    rows: Vec<f64>,
    queries: Vec<f32>,
    tiles: Vec<f32>,
    /// For each row of the shard a bit for every column: whether its sum may be positive.
    places: Vec<u32>,
    /// Columns of one row that may have a positive sum; those that matter, `S` and `V` there, and what of `V` is positive.
    found: Vec<u32>,
    columns: Vec<u32>,
    s: Vec<f64>,
    v: Vec<f64>,
    positive: Vec<f64>,
    /// The new rows of the shard.
    new: RowShard,
}

impl Pass<'_> {
    /// Puts the new `D` and `E` into the place of the old; gives the largest `sum_l (V_nl - D_nl)_+` of a row, rounding
    /// included. Once somebody asked for the end some rows stay as they are, and there is no such sum.
    pub(super) fn run(&self, rows: &mut Rows, kernel: Option<Kernel>, interrupt: &Interrupt) -> Option<f64> {
        let (M, columns) = (self.P.rows(), Shards::new(self.p.len()));
        let largest = columns.max(0.0, |l| dot(self.P.col(l), self.P.col(l))).sqrt();
        let largest_p = columns.max(0.0, |l| self.p[l].abs());
        let screen = kernel.map(|kernel| self.screen(kernel, largest, largest_p));
        // What f64 may get wrong in b'P + p, relative to |S| too.
        let unit = (M as f64 + 16.0) * f64::EPSILON;
        let size = self.problem.reach * largest + largest_p;
        let scratch = || Scratch {
            rows: vec![0.0; M * SHARD],
            queries: vec![0.0; M * SHARD],
            tiles: Vec::new(),
            places: screen
                .as_ref()
                .map_or(Vec::new(), |screen| vec![0; SHARD.next_multiple_of(screen.kernel.tile()) * screen.words()]),
            found: Vec::new(),
            columns: Vec::new(),
            s: Vec::new(),
            v: Vec::new(),
            positive: Vec::new(),
            new: RowShard::empty(),
        };
        let shards = Shards::new(self.problem.rows());
        let of_shard = |scratch: &mut Scratch, (s, old): (usize, &mut RowShard)| {
            if interrupt.asked() {
                return None;
            }
            let range = shards.range(s);
            for (row, i) in scratch.rows.chunks_exact_mut(M).zip(range.clone()) {
                self.problem.centered(self.problem.column(i), row);
            }
            if let Some(screen) = &screen {
                screen.look(range.len(), M, scratch);
            }
            scratch.new.clear();
            let mut most = 0.0_f64;
            for i in 0..range.len() {
                match &screen {
                    Some(screen) => screen.collect(i, scratch),
                    None => self.collect(i, M, scratch),
                }
                let (sum, terms, largest_s) = self.row(old.row(i), i, scratch);
                let sum = sum * (1.0 + (terms + 4.0) * f64::EPSILON) + terms * unit * (size + largest_s);
                most = most.max(sum);
            }
            *old = scratch.new.clone(); // in as much memory as it needs
            Some(most)
        };
        let sums: Option<Vec<f64>> = rows.shards.par_iter_mut().enumerate().map_init(scratch, of_shard).collect();
        sums.map(|sums| sums.into_iter().fold(0.0, f64::max))
    }

    /// One row: gives `sum_l (V_nl - D_nl)_+`, its terms, and the largest `|S|`.
    fn row(&self, old: Row, i: usize, scratch: &mut Scratch) -> (f64, f64, f64) {
        let M = self.P.rows();
        let Scratch { rows, columns, s, v, positive, found, new, .. } = scratch;
        columns.clear();
        s.clear();
        // Where S is not zero, and where V may be positive, in the order of the columns.
        let mut found = found.iter().copied().peekable();
        for ((&l, &d), &e) in old.columns.iter().zip(old.d).zip(old.e) {
            while let Some(l) = found.next_if(|&other| other < l) {
                columns.push(l);
                s.push(0.0);
            }
            let value = d + (1.0 - self.relaxation) * kept(e, self.drop);
            if found.next_if_eq(&l).is_some() || value != 0.0 {
                columns.push(l);
                s.push(value);
            }
        }
        columns.extend(found);
        s.resize(columns.len(), 0.0);
        self.sums(&rows[i * M..][..M], columns, v);
        v.iter_mut().zip(&*s).for_each(|(v, s)| *v += s);
        positive.clear();
        positive.extend(v.iter().copied().filter(|&v| v > 0.0));
        let cap = cap(positive, self.tau);
        let (mut over, mut terms, mut largest) = (0.0, 0.0, 0.0_f64);
        for ((&l, &s), &v) in columns.iter().zip(&*s).zip(&*v) {
            let d = v.clamp(0.0, cap);
            over += (v - d).max(0.0);
            terms += 1.0;
            largest = largest.max(s.abs());
            if d > 0.0 || s != d {
                new.push(l, d, s - d);
            }
        }
        new.end_row();
        (over, terms, largest)
    }

    /// `<b, P_l> + p_l` for some columns.
    fn sums(&self, b: &[f64], columns: &[u32], out: &mut Vec<f64>) {
        let of = |l: u32| self.P.col(l as usize);
        out.clear();
        let (fours, rest) = columns.as_chunks::<4>();
        for four in fours {
            out.extend(four_dots(b, four.map(of)));
        }
        out.extend(rest.iter().map(|&l| dot(b, of(l))));
        out.iter_mut().zip(columns).for_each(|(sum, &l)| *sum += self.p[l as usize]);
    }

    fn screen(&self, kernel: Kernel, largest: f64, largest_p: f64) -> Screen {
        let (M, N) = (self.P.rows(), self.p.len());
        let Problem { radius, reach, .. } = *self.problem;
        let query_scale = power_of_two_below(radius);
        let point_scale = power_of_two_below(largest.max(largest_p * query_scale));
        let scale = query_scale * point_scale;
        let points = Points::pack(kernel, M, N, |l, point| {
            point.iter_mut().zip(self.P.col(l)).for_each(|(out, v)| *out = (-v * point_scale) as f32);
        });
        let bias = points.pack_bias(self.p.iter().map(|p| (-p * scale) as f32));
        let terms = M as f64 + 8.0;
        let single = 2f64.powi(-24) * (radius * largest + largest_p) * scale;
        let double = 2f64.powi(-52) * (reach * largest + largest_p) * scale;
        let limit = terms * (single + double + 2f64.powi(-149) * 4.0);
        Screen { kernel, points, bias, query_scale, limit: (limit as f32).next_up().min(f32::MAX) }
    }

    /// The slow twin of [`Screen::collect`]: all columns with a positive sum.
    fn collect(&self, i: usize, M: usize, scratch: &mut Scratch) {
        let b = &scratch.rows[i * M..][..M];
        scratch.found.clear();
        scratch
            .found
            .extend((0..self.p.len() as u32).filter(|&l| dot(b, self.P.col(l as usize)) + self.p[l as usize] > 0.0));
    }
}

impl Screen {
    /// Words of bits for all columns.
    fn words(&self) -> usize {
        self.points.groups() * (self.points.group_size() / 32)
    }

    /// Looks at all columns for the rows of a shard.
    fn look(&self, count: usize, M: usize, scratch: &mut Scratch) {
        let Scratch { rows, queries, tiles, places, .. } = scratch;
        for (query, row) in queries.iter_mut().zip(&rows[..count * M]) {
            *query = (row * self.query_scale) as f32;
        }
        let (tile, groups, words) = (self.kernel.tile(), self.points.groups(), self.words());
        self.kernel.pack_tiles(M, &queries[..count * M], tiles);
        // Points of some groups stay in the cache while all queries of the shard pass over them.
        let block = (CACHE_BYTES / (4 * M * self.points.group_size())).max(1);
        for first in (0..groups).step_by(block) {
            let range = first..(first + block).min(groups);
            for (queries, places) in tiles.chunks_exact(M * tile).zip(places.chunks_mut(tile * words)) {
                let (points, bias) = (&self.points, &self.bias);
                self.kernel.places(points, bias, range.clone(), queries, self.limit, places, words);
            }
        }
    }

    /// Columns that may have a positive sum with row `i`, in order.
    fn collect(&self, i: usize, scratch: &mut Scratch) {
        let Scratch { places, found, .. } = scratch;
        found.clear();
        for (word, &bits) in places[i * self.words()..][..self.words()].iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                found.push(word as u32 * 32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }
}

/// The `cap` with `sum (v - cap)_+ = tau` over these positive numbers; 0 where their sum is at most `tau`.
///
/// Newton's method from below: numbers at most the cap leave, and it rises, until none leaves.
fn cap(values: &mut Vec<f64>, tau: f64) -> f64 {
    // The largest number alone is above the cap by tau at most.
    let largest = values.iter().fold(0.0, |top: f64, &v| top.max(v));
    if values.iter().sum::<f64>() <= tau {
        return 0.0;
    }
    let mut cap = (largest - tau).max(0.0);
    values.retain(|&v| v > cap);
    loop {
        let before = values.len();
        let next = (values.iter().sum::<f64>() - tau) / before as f64;
        if before == 0 || next.is_nan() || next <= cap {
            return cap;
        }
        cap = next;
        values.retain(|&v| v > cap);
        if values.len() == before {
            return cap;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cap_takes_tau_off_the_top() {
        assert_eq!(cap(&mut vec![1.0, 3.0, 2.0], 1.5), 1.75);
        assert_eq!(cap(&mut vec![1.0, 3.0, 2.0], 0.0), 3.0);
        assert_eq!(cap(&mut vec![1.0, 3.0, 2.0], 6.0), 0.0);
        assert_eq!(cap(&mut vec![], 1.0), 0.0);
        for seed in 0..50u64 {
            let values: Vec<f64> = (0..30).map(|i| ((seed * 97 + i * i * 31) % 101) as f64 / 7.0 + 0.01).collect();
            let tau = seed as f64 / 3.0;
            let cap = cap(&mut values.clone(), tau);
            let over: f64 = values.iter().map(|v| (v - cap).max(0.0)).sum();
            assert!((over - tau).abs() < 1e-10, "seed {seed}: {over} {tau}");
        }
    }
}
