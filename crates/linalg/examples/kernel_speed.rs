use merit_linalg::kernels::{GROUP, Kernel, Points};
use std::time::Instant;
fn main() {
    let n = 1024;
    let a = faer::Mat::<f32>::from_fn(n, n, |i, j| (i + j) as f32 * 1e-3);
    let b = faer::Mat::<f32>::from_fn(n, n, |i, j| (i * 3 + j) as f32 * 1e-3);
    let mut c = faer::Mat::<f32>::zeros(n, n);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let t = Instant::now();
        faer::linalg::matmul::matmul(c.as_mut(), faer::Accum::Replace, a.as_ref(), b.as_ref(), 1.0, faer::Par::Seq);
        best = best.min(t.elapsed().as_secs_f64());
    }
    let peak = 2.0 * (n as f64).powi(3) / best / 1e9;
    println!("gemm {peak:.1} GFLOP/s");
    for kernel in Kernel::available() {
        for rows in [3usize, 4, 6, 10, 20, 50, 100] {
            let count = 10_000;
            let points = Points::pack(kernel, rows, count, |n, p| {
                for (m, p) in p.iter_mut().enumerate() {
                    *p = ((n * 7 + m * 13) % 101) as f32 * 0.01
                }
            });
            let bias = points.pack_bias((0..count).map(|n| (n % 17) as f32 * 0.01));
            let tile_q = kernel.tile();
            let tile: Vec<f32> = (0..rows * tile_q).map(|i| (i % 11) as f32 * 0.1 - 0.5).collect();
            let groups = points.groups();
            let mut minima = vec![0f32; groups * tile_q];
            let block = (256 * 1024 / (4 * rows * points.group_size())).max(1);
            let mut best = f64::INFINITY;
            for _ in 0..3 {
                let t = Instant::now();
                for first in (0..groups).step_by(block) {
                    for _ in 0..96 / tile_q {
                        kernel.minima(&points, &bias, first..(first + block).min(groups), &tile, &mut minima, groups);
                    }
                }
                best = best.min(t.elapsed().as_secs_f64());
            }
            let pairs = (groups * points.group_size() * (96 / tile_q) * tile_q) as f64;
            let g = pairs * 2.0 * rows as f64 / best / 1e9;
            println!(
                "{} M={rows}: {:.2} pairs/ns, {g:.1} GFLOP/s = {:.0} %",
                kernel.name(),
                pairs / best / 1e9,
                100.0 * g / peak
            );
        }
    }
}
