//! A tall matrix of orthonormal columns, kept as panels of rows: sums run over whole panels in their order, so the number of
//! threads changes no bits, and a panel's columns lie close together.

use crate::DenseMatrix;
use crate::dense_algebra::{Block, product, subtract_product};
use crate::shards::sum_of_parts;
use rayon::prelude::*;
use std::ops::Range;

/// Rows of a panel.
const PANEL: usize = 2048;

/// A column that is this part of the operator's size after orthogonalization is rounding error.
const COLLAPSED: f64 = 1e-14;

pub(super) struct Basis {
    rows: usize,
    panels: Vec<DenseMatrix>,
    /// Fresh directions drawn so far.
    drawn: u64,
}

impl Basis {
    pub fn new(rows: usize, columns: usize) -> Self {
        let height = |first: usize| PANEL.min(rows - first);
        let panels = (0..rows).step_by(PANEL).map(|first| DenseMatrix::zeros(height(first), columns)).collect();
        Self { rows, panels, drawn: 0 }
    }

    /// Fills the first `block` columns with fixed directions.
    pub fn start(&mut self, block: usize) {
        for c in 0..block {
            self.draw(c);
            self.settle(c);
        }
    }

    /// Copies of some columns.
    pub fn columns(&self, which: Range<usize>) -> DenseMatrix {
        let mut out = DenseMatrix::zeros(self.rows, which.len());
        for (c, column) in which.enumerate() {
            let parts = out.col_mut(c).chunks_mut(PANEL).zip(&self.panels);
            parts.for_each(|(out, panel)| out.copy_from_slice(panel.col(column)));
        }
        out
    }

    /// Overwrites the columns from `first` on.
    pub fn set_columns(&mut self, first: usize, values: &DenseMatrix) {
        for c in 0..values.cols() {
            for (panel, values) in self.panels.iter_mut().zip(values.col(c).chunks(PANEL)) {
                panel.col_mut(first + c).copy_from_slice(values);
            }
        }
    }

    /// `B <- B - A (A'B)` with `A` and `B` ranges of columns, `A` before `B`; gives `A'B`.
    pub fn remove(&mut self, a: Range<usize>, b: Range<usize>) -> DenseMatrix {
        let along = self.inner(a.clone(), b.clone());
        self.panels.par_iter_mut().for_each(|panel| {
            let rows = panel.rows();
            let (left, right) = panel.values_mut().split_at_mut(b.start * rows);
            let left = Block::new(rows, a.len(), &left[a.start * rows..a.end * rows]);
            subtract_product(&mut right[..b.len() * rows], left, Block::of(&along));
        });
        along
    }

    /// `A'B`, summed over the panels in their order.
    fn inner(&self, a: Range<usize>, b: Range<usize>) -> DenseMatrix {
        let sum = sum_of_parts(self.panels.len(), a.len() * b.len(), |p, part| {
            let panel = &self.panels[p];
            product(part, Block::columns(panel, a.clone()).transposed(), Block::columns(panel, b.clone()));
        });
        DenseMatrix::from_parts(a.len(), b.len(), sum)
    }

    fn norm(&self, c: usize) -> f64 {
        self.inner(c..c + 1, c..c + 1)[(0, 0)].sqrt()
    }

    pub fn largest_norm(&self, which: Range<usize>) -> f64 {
        which.map(|c| self.norm(c)).fold(0.0, f64::max)
    }

    fn scale(&mut self, c: usize, factor: f64) {
        self.panels.iter_mut().for_each(|panel| panel.col_mut(c).iter_mut().for_each(|v| *v *= factor));
    }

    /// Makes the block that begins at `first`, which is orthogonal to all before, orthonormal: `B = Q R`, gives `R`.
    ///
    /// Where a column collapses, `Q` gets a fresh direction and `R` a zero.
    pub fn orthonormalize(&mut self, first: usize, block: usize, scale: f64) -> DenseMatrix {
        let mut r = DenseMatrix::zeros(block, block);
        for c in 0..block {
            let (at, before) = (first + c, self.norm(first + c));
            for _ in 0..if c > 0 { 2 } else { 0 } {
                let along = self.remove(first..at, at..at + 1);
                (0..c).for_each(|i| r[(i, c)] += along[(i, 0)]);
            }
            let norm = self.norm(at);
            if norm <= COLLAPSED * scale {
                self.draw(at);
                self.settle(at);
                continue;
            }
            r[(c, c)] = norm;
            self.scale(at, 1.0 / norm);
            if norm < 0.1 * before || norm < 1e-6 * scale {
                self.settle(at); // what was left of the columns before has grown with the division
            }
        }
        r
    }

    /// Makes column `c` of norm 1 and orthogonal to all before it.
    fn settle(&mut self, c: usize) {
        for _ in 0..3 {
            if c > 0 {
                self.remove(0..c, c..c + 1);
            }
            let norm = self.norm(c);
            self.scale(c, 1.0 / norm);
        }
    }

    /// Overwrites column `c` with the next of a fixed sequence of directions.
    fn draw(&mut self, c: usize) {
        let mut state = self.drawn << 40;
        self.drawn += 1;
        for panel in &mut self.panels {
            for v in panel.col_mut(c).iter_mut() {
                state += 1;
                *v = mixed(state);
            }
        }
    }

    /// `V <- V Y`: the first columns become as many combinations as `Y` has columns.
    pub fn rotate(&mut self, y: &DenseMatrix) {
        self.panels.par_iter_mut().for_each(|panel| {
            let mut rotated = vec![0.0; panel.rows() * y.cols()];
            product(&mut rotated, Block::columns(panel, 0..y.rows()), Block::of(y));
            panel.values_mut()[..rotated.len()].copy_from_slice(&rotated);
        });
    }

    /// Copies `count` columns from place `from` to place `to`, which does not overlap.
    pub fn move_columns(&mut self, from: usize, to: usize, count: usize) {
        for panel in &mut self.panels {
            let rows = panel.rows();
            panel.values_mut().copy_within(from * rows..(from + count) * rows, to * rows);
        }
    }
}

/// A number in (-1, 1) from a counter: the finalizer of splitmix64.
fn mixed(counter: u64) -> f64 {
    let mut z = counter.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
