//! Weighted sums of rows of numbers, [`PANEL`] of them at a time: `sums + sum_k w_k row_k` in `f64`.
//!
//! A panel is as many numbers of every row, one row after the other, so that what many sums take of it stays in a cache. The loop is
//! plain Rust without a branch, which compilers turn into the vector instructions of each backend; products are not fused.

/// Numbers of a row that are summed up together.
pub const PANEL: usize = 64;

/// Some numbers of a row, in lines of a cache of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct PanelRow(pub [f64; PANEL]);

impl PanelRow {
    /// Zeros.
    pub const ZERO: Self = Self([0.0; PANEL]);

    /// The least number, which a NaN never is.
    #[inline]
    pub fn least(&self) -> f64 {
        let mut lanes = [f64::INFINITY; 8];
        for chunk in self.0.as_chunks::<8>().0 {
            lanes = std::array::from_fn(|i| if chunk[i] < lanes[i] { chunk[i] } else { lanes[i] });
        }
        lanes.into_iter().fold(f64::INFINITY, |least, value| if value < least { value } else { least })
    }
}

/// A row, and what it is multiplied with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Which row of a panel.
    pub row: u32,
    /// How many times.
    pub weight: f64,
}

/// See [`Kernel::add_rows`](super::Kernel::add_rows); `SUMS` sums stay in registers.
#[inline(always)]
pub(super) fn add_rows<const SUMS: usize>(rows: &[PanelRow], terms: &[Term], sums: &mut PanelRow) {
    const { assert!(PANEL.is_multiple_of(SUMS)) };
    for (part, out) in sums.0.as_chunks_mut::<SUMS>().0.iter_mut().enumerate() {
        let mut sums = *out;
        for term in terms {
            let row = &rows[term.row as usize].0.as_chunks::<SUMS>().0[part];
            sums = std::array::from_fn(|i| sums[i] + term.weight * row[i]);
        }
        *out = sums;
    }
}
