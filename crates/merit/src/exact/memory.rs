//! What the exact solver holds besides `X`: known before the work, and refused where it is not there.

use crate::Error;
use merit_linalg::DataMatrix;
use merit_linalg::memory::available_bytes;

/// `P` is made unasked where it takes at most as many times the memory of sparse `X`.
const LARGEST: u64 = 8;

/// Bytes of `D` and `E` for a column in the first passes, when they hold most.
const PLACES: u64 = 4096;

/// About how many bytes a run takes beside `X`. With `d = min(M, N)`: `P` and its packed points, `12 d N`; the triangle that
/// stands for `X` if `M > N`, `8 N^2`; eigenvectors and two more matrices of `d x d`, `24 d^2`; and `D` and `E`.
///
/// ```
/// use merit::{DenseMatrix, exact::needed_bytes};
/// let x = DenseMatrix::zeros(50, 10_000).into();
/// assert_eq!(needed_bytes(&x), 12 * 50 * 10_000 + 24 * 50 * 50 + 4096 * 10_000);
/// ```
pub fn needed_bytes(x: &DataMatrix) -> u64 {
    let (rows, cols) = (x.rows() as u64, x.cols() as u64);
    let short = rows.min(cols);
    let triangle = if rows > cols { 8 * cols } else { 0 };
    let each = (12 * short + triangle + PLACES).saturating_mul(cols);
    each.saturating_add(short.saturating_mul(24 * short))
}

/// Whether `P` (`8 min(M, N) N` bytes, dense) is far larger than `X`: only where `X` is sparse. A pass then also takes far
/// longer than a step of Frank-Wolfe, which looks at the nonzeros alone.
pub(crate) fn dwarfs(x: &DataMatrix) -> bool {
    match x {
        DataMatrix::Dense(_) | DataMatrix::Single(_) => false,
        DataMatrix::Sparse(x) => {
            let short = x.rows().min(x.cols()) as u128;
            8 * short * x.cols() as u128 > u128::from(LARGEST) * 12 * x.nnz() as u128
        }
    }
}

/// Fails where the memory for a run is not there.
pub(crate) fn check(x: &DataMatrix) -> Result<(), Error> {
    let needed = needed_bytes(x);
    match available_bytes() {
        Some(available) if needed > available => {
            Err(Error::ExactMemory { rows: x.rows(), cols: x.cols(), needed, available })
        }
        _ => Ok(()),
    }
}
