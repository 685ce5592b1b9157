//! A yardstick: how fast this machine multiplies large `f32` matrices.

use crate::dense_algebra::all_threads_f32_product_not_reproducible;
use std::time::Instant;

/// Billions of operations per second of a `size x size` product on the current threads, the best of `repeats`.
pub fn f32_product_gflops(size: usize, repeats: usize) -> f64 {
    let mut multiply = all_threads_f32_product_not_reproducible(size);
    let mut best = f64::INFINITY;
    for _ in 0..repeats.max(1) {
        let clock = Instant::now();
        multiply();
        best = best.min(clock.elapsed().as_secs_f64());
    }
    2.0 * (size as f64).powi(3) / best / 1e9
}
