//! What the tests share: a naive MERIT in dense matrices, and small random data.

#![allow(dead_code, non_snake_case)]

use merit::{DataMatrix, DenseMatrix, SparseColumns, SparseMatrix};
use merit_linalg::ranks::Ranks;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;
use std::sync::{Arc, Barrier, Mutex};

/// Algorithm 1 as written in the paper, with a dense `C` and no tricks.
pub struct Naive<'a> {
    pub X: &'a DenseMatrix,
    pub C: DenseMatrix,
    pub lambda: f64,
    pub mu: f64,
}

impl Naive<'_> {
    pub fn softmax(&self) -> DenseMatrix {
        let N = self.C.cols();
        let max = |n: usize| (0..N).map(|l| self.C.get(n, l)).fold(f64::NEG_INFINITY, f64::max);
        let maxima: Vec<f64> = (0..N).map(max).collect();
        let e = |n: usize, l: usize| ((self.C.get(n, l) - maxima[n]) / self.mu).exp();
        let sums: Vec<f64> = (0..N).map(|n| (0..N).map(|l| e(n, l)).sum()).collect();
        DenseMatrix::from_fn(N, N, |n, l| e(n, l) / sums[n])
    }

    pub fn residual(&self, l: usize) -> Vec<f64> {
        let (X, C) = (self.X, &self.C);
        (0..X.rows()).map(|m| (0..X.cols()).map(|n| X.get(m, n) * C.get(n, l)).sum::<f64>() - X.get(m, l)).collect()
    }

    /// `g(n,l)` for all n.
    pub fn gradient(&self, y: &DenseMatrix, l: usize) -> Vec<f64> {
        let r = self.residual(l);
        let product = |n: usize| self.X.col(n).iter().zip(&r).map(|(x, r)| x * r).sum::<f64>();
        (0..self.X.cols()).map(|n| product(n) + self.lambda * y.get(n, l)).collect()
    }

    pub fn objective(&self) -> f64 {
        let N = self.C.cols();
        let fit: f64 = (0..N).flat_map(|l| self.residual(l)).map(|r| r * r).sum();
        let phi: f64 = (0..N)
            .map(|n| {
                let max = (0..N).map(|l| self.C.get(n, l)).fold(0.0, f64::max);
                let sum: f64 = (0..N).map(|l| ((self.C.get(n, l) - max) / self.mu).exp()).sum();
                max + self.mu * (sum / N as f64).ln()
            })
            .sum();
        0.5 * fit + self.lambda * phi
    }

    /// One step of size `2/(t+2)`; gives the gap before it.
    pub fn step(&mut self, t: usize) -> f64 {
        let (N, gamma, y) = (self.C.cols(), 2.0 / (t as f64 + 2.0), self.softmax());
        let (mut next, mut gap) = (self.C.clone(), 0.0);
        for l in 0..N {
            let g = self.gradient(&y, l);
            let j = (0..N).fold(0, |j, n| if g[n] < g[j] { n } else { j });
            gap += (0..N).map(|n| self.C.get(n, l) * g[n]).sum::<f64>() - g[j];
            let column = next.col_mut(l);
            column.iter_mut().for_each(|c| *c *= 1.0 - gamma);
            column[j] += gamma;
        }
        self.C = next;
        gap
    }
}

pub fn dense(C: &SparseColumns) -> DenseMatrix {
    let N = C.cols();
    assert!(N <= 2000, "no dense C beyond N = 2000");
    let mut out = DenseMatrix::zeros(N, N);
    for l in 0..N {
        let (rows, values) = C.col(l);
        rows.iter().zip(values).for_each(|(&n, &value)| out.col_mut(l)[n as usize] = value);
    }
    out
}

pub fn largest_difference(a: &DenseMatrix, b: &DenseMatrix) -> f64 {
    a.values().iter().zip(b.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The bits of `C`, column by column in stored order.
pub fn bits(C: &SparseColumns) -> Vec<(u32, u64)> {
    (0..C.cols())
        .flat_map(|l| {
            let (rows, values) = C.col(l);
            rows.iter().zip(values).map(|(&n, value)| (n, value.to_bits())).collect::<Vec<_>>()
        })
        .collect()
}

/// A random problem that likes to be awkward: duplicated columns, zero columns, ties, any scale.
pub fn awkward(seed: u64) -> DenseMatrix {
    awkward_of(seed, 1..12, 1..200)
}

/// The same with so many rows and columns.
pub fn awkward_of(seed: u64, rows: Range<usize>, cols: Range<usize>) -> DenseMatrix {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (rows, cols) = (rng.random_range(rows), rng.random_range(cols));
    let scale = 10f64.powi([0, 0, 0, 6, -6, 60, -60][rng.random_range(0..7)]);
    let whole_numbers = rng.random_bool(0.3);
    let offset = [0.0, 0.0, 1.0, 1e6][rng.random_range(0..4)];
    let mut x = DenseMatrix::from_fn(rows, cols, |_, _| {
        let value: f64 = rng.random();
        scale * (offset + if whole_numbers { (3.0 * value).floor() } else { value })
    });
    for l in 1..cols {
        match rng.random_range(0..10) {
            0 | 1 => {
                let source = x.col(rng.random_range(0..l)).to_vec();
                x.col_mut(l).copy_from_slice(&source);
            }
            2 => x.col_mut(l).fill(0.0),
            _ => {}
        }
    }
    x
}

/// The same without its zeros, and with `rows` that are empty between any two of it: the more, the thinner.
pub fn thin(x: &DenseMatrix, rows: usize) -> DataMatrix {
    let apart = rows + 1;
    let column = |l: usize| x.col(l).iter().enumerate().filter(|(_, v)| **v != 0.0);
    let entries = (0..x.cols()).flat_map(|l| column(l).map(move |(m, &v)| ((m * apart) as u32, l as u32, v)));
    SparseMatrix::from_triplets(x.rows() * apart, x.cols(), entries.collect()).into()
}

pub fn random(rng: &mut impl Rng, rows: usize, cols: usize) -> DataMatrix {
    DenseMatrix::from_fn(rows, cols, |_, _| rng.random()).into()
}

/// Threads that take the part of processes: each has a pool of threads of its own, and they meet in one place.
#[derive(Debug)]
struct Thread {
    rank: usize,
    count: usize,
    place: Arc<(Barrier, Mutex<Vec<u64>>)>,
}

impl Thread {
    /// What `join` makes of the numbers of all.
    fn meet(&self, values: &mut [u64], join: impl Fn(u64, u64) -> u64) {
        let (barrier, numbers) = &*self.place;
        let first = barrier.wait().is_leader();
        if first {
            *numbers.lock().unwrap() = vec![0; values.len()];
        }
        barrier.wait();
        {
            let mut numbers = numbers.lock().unwrap();
            assert_eq!(numbers.len(), values.len(), "all make the same calls");
            numbers.iter_mut().zip(&*values).for_each(|(all, &mine)| *all = join(*all, mine));
        }
        barrier.wait();
        values.copy_from_slice(&numbers.lock().unwrap());
    }
}

impl Ranks for Thread {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn sum(&self, values: &mut [u64]) {
        self.meet(values, u64::wrapping_add);
    }

    fn max(&self, values: &mut [u64]) {
        self.meet(values, u64::max);
    }

    fn broadcast(&self, from: usize, bytes: &mut [u8]) {
        let kept = |byte: u8| if self.rank == from { u64::from(byte) } else { 0 };
        let mut values: Vec<u64> = bytes.iter().map(|&byte| kept(byte)).collect();
        self.sum(&mut values);
        bytes.iter_mut().zip(values).for_each(|(byte, value)| *byte = value as u8);
    }
}

/// What `count` processes find that work together, with `threads` threads each.
pub fn shared_by<T: Send>(count: usize, threads: usize, work: impl Fn(&'static dyn Ranks) -> T + Sync) -> Vec<T> {
    let place = Arc::new((Barrier::new(count), Mutex::new(Vec::new())));
    let rank =
        |rank: usize| -> &'static dyn Ranks { Box::leak(Box::new(Thread { rank, count, place: place.clone() })) };
    std::thread::scope(|scope| {
        let start = |ranks: &'static dyn Ranks| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let work = &work;
            scope.spawn(move || pool.install(|| work(ranks)))
        };
        let started: Vec<_> = (0..count).map(|r| start(rank(r))).collect();
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}
