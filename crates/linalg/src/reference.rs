//! A yardstick: how fast this machine multiplies large `f32` matrices.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use std::time::Instant;

/// Billions of operations a second of a `size x size` product on the current threads, the best of `repeats`.
pub fn f32_product_gflops(size: usize, repeats: usize) -> f64 {
    let entry = |i: usize, j: usize| ((i * 31 + j * 17) % 101) as f32 / 101.0;
    let (a, b) = (Mat::from_fn(size, size, entry), Mat::from_fn(size, size, entry));
    let mut c = Mat::<f32>::zeros(size, size);
    let par = if rayon::current_num_threads() > 1 { Par::rayon(0) } else { Par::Seq };
    let mut best = f64::INFINITY;
    for _ in 0..repeats.max(1) {
        let clock = Instant::now();
        matmul(c.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, par);
        best = best.min(clock.elapsed().as_secs_f64());
    }
    2.0 * (size as f64).powi(3) / best / 1e9
}
