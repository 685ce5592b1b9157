//! The first look of a search: all points as bytes, which says of most groups that they hold no winner.
//!
//! It leaves more groups open than `f32` scores do, and pays while these are few. They are counted, so a run takes the same path every
//! time; the results are those of a search without it either way.

use super::fast_search::{CACHE_BYTES, scaled};
use merit_linalg::DataMatrix;
use merit_linalg::kernels::{CoarseBias, CoarseKernel, CoarsePoints, CoarseTile, Points};
use merit_linalg::ranks::Ranks;
use std::sync::atomic::{AtomicU64, Ordering};

/// Points as bytes, and their biases.
pub(super) type CoarseSet = (CoarsePoints, CoarseBias);

/// Whether searches begin with a first look.
pub(super) struct FirstLook {
    /// `None` where it cannot pay.
    pub(super) kernel: Option<CoarseKernel>,
    /// `max |x - center|`, over all coordinates, scaled.
    largest: f64,
    /// Iterations until it is tried again.
    pause: u32,
    /// Iterations of this run that began with one.
    pub(super) taken: usize,
    /// Columns searched in this iteration, and groups that were opened for them.
    queries: AtomicU64,
    opened: AtomicU64,
}

/// Iterations without a first look after one that did not pay.
const PAUSE: u32 = 16;

impl FirstLook {
    pub(super) fn of(X: &DataMatrix, kernel: Option<CoarseKernel>, center: &[f64], scale: f64) -> Self {
        let most = |l: usize| scaled(&X.column(l), center, scale).fold(0.0, |most: f64, x| most.max(x.abs()));
        let largest = if kernel.is_some() { X.shards().max(0.0, most) } else { 0.0 };
        Self { kernel, largest, pause: 0, taken: 0, queries: AtomicU64::new(0), opened: AtomicU64::new(0) }
    }

    /// No points yet, where it may pay at all.
    pub(super) fn empty(&self, rows: usize) -> Option<CoarseSet> {
        self.kernel.map(|kernel| (CoarsePoints::empty(kernel, rows, self.largest), CoarseBias::empty()))
    }

    pub(super) fn pays(&self) -> bool {
        self.kernel.is_some() && self.pause == 0
    }

    /// After an iteration over `count` points: instructions for a vector of points and a query, against those that `f32` takes. A group is
    /// opened for a single query, at half the speed, after a search for it among the others.
    pub(super) fn learn(&mut self, points: &Points, ranks: &dyn Ranks) {
        self.learn_of(points.count(), points.rows(), points.group_size(), ranks);
    }

    /// The same after searches over so many points each, of so many rows, in groups of so many.
    pub(super) fn learn_of(&mut self, count: usize, rows: usize, group: usize, ranks: &dyn Ranks) {
        let mut counted = [&mut self.queries, &mut self.opened].map(|count| std::mem::take(count.get_mut()));
        ranks.sum(&mut counted); // several processes learn what one would
        let [queries, opened] = counted;
        let Some(kernel) = self.kernel else { return };
        if self.pause > 0 {
            self.pause -= 1;
        } else if queries > 0 {
            let (cost, count, rows, group) = (kernel.cost(rows) as f64, count as f64, rows as f64, group as f64);
            let single = opened as f64 / queries as f64 * (2.0 * group * rows + 2.0 * count / group);
            if cost * count + single > count * rows {
                self.pause = PAUSE;
            }
        }
        self.taken += usize::from(self.pause == 0);
    }

    /// The same for one of several panels of points, if this iteration takes one.
    pub(super) fn of_panel(&self) -> Self {
        let kernel = self.kernel.filter(|_| self.pays());
        let (queries, opened) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { kernel, largest: self.largest, pause: 0, taken: 0, queries, opened }
    }

    /// Counts what the search of a panel counted.
    pub(super) fn add(&mut self, panel: Self) {
        *self.queries.get_mut() += panel.queries.into_inner();
        *self.opened.get_mut() += panel.opened.into_inner();
    }

    /// A new run may differ from the last.
    pub(super) fn start(&mut self) {
        (self.pause, self.taken) = (0, 0);
    }

    /// A column was searched, and so many groups were opened for it.
    pub(super) fn count(&self, opened: usize) {
        self.queries.fetch_add(1, Ordering::Relaxed);
        self.opened.fetch_add(opened as u64, Ordering::Relaxed);
    }
}

/// For each query and group a number that is close to the least score, and for each query the norm of what rounding took from it.
pub(super) fn look(
    (points, bias): &CoarseSet,
    kernel: CoarseKernel,
    queries: &[f32],
    tiles: &mut [CoarseTile],
    (minima, stride): (&mut [f32], usize),
    lost: &mut [f64],
) {
    let width = kernel.tile();
    let count = queries.len() / points.rows();
    for (q, (query, lost)) in queries.chunks_exact(points.rows()).zip(lost).enumerate() {
        *lost = tiles[q / width].set(q % width, points, query);
    }
    let block = (CACHE_BYTES / points.block_bytes()).max(1);
    for first in (0..points.blocks()).step_by(block) {
        let blocks = first..(first + block).min(points.blocks());
        for (tile, minima) in tiles[..count.div_ceil(width)].iter().zip(minima.chunks_mut(width * stride)) {
            kernel.minima(points, bias, blocks.clone(), tile, minima, stride);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::Oracle;
    use super::super::settings::{KernelChoice, Pruning, Settings};
    use super::super::{Problem, Solution, Start, frank_wolfe, solve};
    use super::*;
    use crate::progress::Interrupt;
    use crate::synthetic::Dirichlet;
    use merit_linalg::DenseMatrix;
    use merit_linalg::kernels::Kernel;
    use merit_linalg::shards::Shards;

    fn looking(x: &DataMatrix, lambda: f64, coarse: CoarseKernel, settings: &Settings) -> Solution {
        let (columns, never) = (Shards::new(x.cols()), Interrupt::never());
        let mut oracle = Some(Oracle::with_first_look(x, columns, Kernel::best(), Some(coarse), settings, &never));
        let settings = settings.clone().at(lambda).unwrap();
        frank_wolfe(Problem { X: x, columns, room: None }, &mut oracle, Start::Zero, &settings, &mut (), &never)
            .unwrap()
    }

    /// Every kernel of bytes leaves the results as they are: where it pays (many points), and where it does not (few, or many copies).
    #[test]
    fn a_first_look_changes_no_bit() {
        for (seed, (rows, cols, rank, copies)) in
            (1..).zip([(50, 700, 20, 0), (23, 900, 8, 0), (9, 300, 5, 200), (4, 40, 3, 0), (130, 90, 10, 30)])
        {
            let mixture = Dirichlet { rows, cols, rank, seed, ..Default::default() };
            let x = mixture.generate().unwrap().x;
            let x = DenseMatrix::from_column_fn(rows, cols, |l, to| {
                to.copy_from_slice(x.col(if l + copies >= cols { l % rank } else { l }))
            });
            let x = DataMatrix::from(x);
            for (lambda, pruning) in [(0.0, Pruning::Never), (0.1, Pruning::Always), (3.0, Pruning::Never)] {
                let settings = Settings { iterations: 40, pruning, ..Default::default() };
                let scalar = Settings { kernel: KernelChoice::Scalar, ..settings.clone() };
                let twin = solve(&x, Start::Zero, &scalar.at(lambda).unwrap(), &mut ());
                for coarse in CoarseKernel::available() {
                    let found = looking(&x, lambda, coarse, &settings);
                    assert_eq!(found.gap, twin.gap, "{} on {rows} x {cols}", coarse.name());
                    let same = (0..cols).all(|l| found.c.col(l) == twin.c.col(l));
                    assert!(same, "{} on {rows} x {cols} at {lambda}", coarse.name());
                }
            }
        }
    }
}
