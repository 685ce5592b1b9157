//! The products of all columns with each other, `X'X`, laid out for weighted sums of its rows: `8 N^2` bytes.
//!
//! ```
//! use merit_linalg::{DataMatrix, DenseMatrix, gram::Gram, interrupt::Interrupt, kernels::Kernel};
//! let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![3.0, 4.0, 1.0, 0.0]));
//! let gram = Gram::of(&x, None, Kernel::best(), &Interrupt::never()).unwrap();
//! assert_eq!(gram.panel(0)[1].0[..3], [3.0, 1.0, 0.0]);
//! ```

use crate::dense::dot;
use crate::dense_algebra::{Block, product};
use crate::interrupt::Interrupt;
use crate::kernels::{Kernel, PANEL, PanelRow, Term};
use crate::{DataMatrix, DenseMatrix, SparseMatrix};
use rayon::prelude::*;

/// Columns that a panel is multiplied with at a time.
const PIECE: usize = 256;

/// Rows of sparse columns that are multiplied at a time: their part of a panel stays in the second cache of a core.
const ROWS: usize = 1024;

/// `X'X`, or that of centered columns, in panels of [`PANEL`] columns.
#[derive(Debug)]
pub struct Gram {
    count: usize,
    /// Panel after panel, each of `count + 1` rows.
    rows: Vec<PanelRow>,
}

impl Gram {
    /// `X'X`; with a center `m` that of the columns `x_n - m`, and one row more: `<x_n - m, m>`. `None` once somebody asked for the
    /// end.
    ///
    /// An entry is within `(M + 4) 2^-53 ||x_n - m|| (||x_l|| + ||m||)` of the product, whichever of the two columns is called `n`; for sparse
    /// columns, the most nonzeros of a column stand for `M`. Of single precision a copy in double precision is made.
    pub fn of(x: &DataMatrix, center: Option<&[f64]>, kernel: Kernel, interrupt: &Interrupt) -> Option<Self> {
        let count = x.cols();
        let mut gram = Self { count, rows: vec![PanelRow::ZERO; count.div_ceil(PANEL) * (count + 1)] };
        let panels = gram.rows.par_chunks_mut(count + 1).enumerate();
        match x {
            DataMatrix::Dense(x) => panels.for_each(|(p, rows)| dense_panel(x, center, p, rows, interrupt)),
            DataMatrix::Single(x) => {
                let x = x.to_dense();
                panels.for_each(|(p, rows)| dense_panel(&x, center, p, rows, interrupt));
            }
            DataMatrix::Sparse(x) => {
                assert!(center.is_none(), "sparse columns are not centered, which would fill them");
                let scratch = || (vec![PanelRow::ZERO; ROWS.min(x.rows())], vec![0; count], Vec::new());
                panels.for_each_init(scratch, |(tile, next, terms), (p, rows)| {
                    sparse_panel(x, kernel, p, (tile, next, terms), rows, interrupt)
                });
            }
        }
        (0..gram.panels()).take_while(|_| !interrupt.asked()).for_each(|p| gram.mirror(p));
        (!interrupt.asked()).then_some(gram)
    }

    /// Number of panels.
    pub fn panels(&self) -> usize {
        self.count.div_ceil(PANEL)
    }

    /// Of every row of `X'X` what panel `p` has, zeros behind the last column; and the products with the center.
    pub fn panel(&self, p: usize) -> &[PanelRow] {
        &self.rows[p * (self.count + 1)..][..self.count + 1]
    }

    /// Rows of panel `p` above its own columns, from the panels before.
    fn mirror(&mut self, p: usize) {
        let stride = self.count + 1;
        let (before, from_here) = self.rows.split_at_mut(p * stride);
        from_here[..p * PANEL].par_chunks_mut(PANEL).zip(before.par_chunks(stride)).for_each(|(out, panel)| {
            let columns = &panel[p * PANEL..self.count.min((p + 1) * PANEL)];
            for (i, out) in out.iter_mut().enumerate() {
                out.0.iter_mut().zip(columns).for_each(|(to, column)| *to = column.0[i]);
            }
        });
    }
}

/// The rows of panel `p` from its own columns on.
fn dense_panel(x: &DenseMatrix, center: Option<&[f64]>, p: usize, rows: &mut [PanelRow], interrupt: &Interrupt) {
    let (height, count, first) = (x.rows(), x.cols(), p * PANEL);
    let mut columns = vec![0.0; height * PANEL];
    for (column, l) in columns.chunks_exact_mut(height.max(1)).zip(first..count) {
        column.copy_from_slice(x.col(l));
        if let Some(center) = center {
            column.iter_mut().zip(center).for_each(|(x, m)| *x -= m);
        }
    }
    let mut with_center = [0.0; PANEL];
    if let Some(center) = center {
        with_center = std::array::from_fn(|i| dot(&columns[i * height..][..height], center));
    }
    let mut products = vec![0.0; PANEL * PIECE];
    for l in (first..count).step_by(PIECE).take_while(|_| !interrupt.asked()) {
        let piece = l..(l + PIECE).min(count);
        let out = &mut products[..PANEL * piece.len()];
        product(out, Block::new(height, PANEL, &columns).transposed(), Block::columns(x, piece.clone()));
        // <x - m, x_l - m> = <x - m, x_l> - <x - m, m>
        for (row, products) in rows[piece].iter_mut().zip(out.as_chunks::<PANEL>().0) {
            row.0 = std::array::from_fn(|i| products[i] - with_center[i]);
        }
    }
    rows[count].0 = with_center;
}

/// The same of sparse columns, some of their rows at a time. `tile` holds zeros, and does so again afterwards.
fn sparse_panel(
    x: &SparseMatrix,
    kernel: Kernel,
    p: usize,
    (tile, next, terms): (&mut [PanelRow], &mut [usize], &mut Vec<Term>),
    rows: &mut [PanelRow],
    interrupt: &Interrupt,
) {
    let (count, first) = (x.cols(), p * PANEL);
    let own = first..(first + PANEL).min(count);
    next.fill(0);
    for start in (0..x.rows()).step_by(ROWS).take_while(|_| !interrupt.asked()) {
        let end = start + ROWS;
        let within = |l: usize, from: usize| {
            let (rows, values) = x.col(l);
            let until = from + rows[from..].partition_point(|&m| (m as usize) < end);
            rows[from..until].iter().zip(&values[from..until])
        };
        for (i, l) in own.clone().enumerate() {
            within(l, next[l]).for_each(|(&m, &value)| tile[m as usize - start].0[i] = value);
        }
        for l in first..count {
            terms.clear();
            terms.extend(within(l, next[l]).map(|(&m, &weight)| Term { row: m - start as u32, weight }));
            kernel.add_rows(tile, terms, &mut rows[l]);
            if !own.contains(&l) {
                next[l] += terms.len();
            }
        }
        for l in own.clone() {
            let entries = within(l, next[l]);
            next[l] += entries.len();
            entries.for_each(|(&m, _)| tile[m as usize - start] = PanelRow::ZERO);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(rows: usize, cols: usize) -> DenseMatrix {
        DenseMatrix::from_fn(rows, cols, |m, l| match (m * 31 + l * 17 + m * l) % 23 {
            k if k < 11 => 0.0,
            k => k as f64 / 23.0 - 0.4,
        })
    }

    fn check(x: &DataMatrix, center: Option<&[f64]>, kernel: Kernel) {
        let (height, count) = (x.rows(), x.cols());
        let gram = Gram::of(x, center, kernel, &Interrupt::never()).unwrap();
        let all = x.dense_columns(&(0..count).collect::<Vec<_>>());
        let m = center.map_or(vec![0.0; height], <[f64]>::to_vec);
        let centered = DenseMatrix::from_fn(height, count, |i, l| all.get(i, l) - m[i]);
        assert_eq!(gram.panels(), count.div_ceil(PANEL));
        for p in 0..gram.panels() {
            for (l, row) in gram.panel(p).iter().enumerate() {
                for (i, &found) in row.0.iter().enumerate() {
                    let n = p * PANEL + i;
                    let expected = match (n < count, l < count) {
                        (false, _) => 0.0,
                        (true, true) => dot(centered.col(n), centered.col(l)),
                        (true, false) => dot(centered.col(n), &m),
                    };
                    assert!((found - expected).abs() <= 1e-14 * (height + 10) as f64, "{height} x {count}: ({l}, {n})");
                }
            }
        }
    }

    #[test]
    fn it_has_the_products_of_all_columns() {
        for (rows, cols) in [(1, 1), (5, 64), (70, 65), (130, 300), (2500, 70), (3, 0), (0, 3)] {
            let x = sample(rows, cols);
            let center: Vec<f64> = (0..rows).map(|m| (m % 7) as f64 / 3.0).collect();
            let sparse = DataMatrix::Sparse(DataMatrix::from(x.clone()).into_sparse());
            let dense = DataMatrix::from(x);
            check(&dense, Some(&center), Kernel::best());
            check(&dense, None, Kernel::best());
            Kernel::available().into_iter().for_each(|kernel| check(&sparse, None, kernel));
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_the_threads() {
        let x = DataMatrix::from(sample(90, 700));
        let sparse = DataMatrix::Sparse(x.clone().into_sparse());
        let on = |threads, x: &DataMatrix| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Gram::of(x, None, Kernel::best(), &Interrupt::never()).unwrap().rows)
        };
        assert!(on(1, &x) == on(3, &x) && on(1, &sparse) == on(3, &sparse));
    }

    #[test]
    fn nothing_comes_of_it_once_somebody_asked() {
        let interrupt = Interrupt::new();
        interrupt.ask();
        assert!(Gram::of(&sample(9, 70).into(), None, Kernel::best(), &interrupt).is_none());
    }
}
