//! Memory grows with N, not with its square.

#![cfg(target_os = "linux")]

mod support;

use support::*;

/// Peak resident bytes of factoring 50 x `cols` with 40 anchors.
fn peak(cols: usize, iterations: usize) -> f64 {
    let sandbox = Sandbox::new();
    sandbox.ok(&format!("generate dirichlet --rows 50 --cols {cols} --rank 40 --snr 10 --output data --quiet"));
    let options = format!("--rank 40 --regularization 0.3 --iterations {iterations}");
    let run = sandbox.factor("data/X.npy", &options, "run");
    assert_eq!(run["iterations"], iterations);
    run["peak_rss_bytes"].as_f64().unwrap()
}

#[test]
fn linear_in_the_number_of_columns() {
    let small = peak(10_000, 100);
    assert!(small <= 60e6, "{small} bytes at N = 10,000");
    // All 100 iterations take minutes here (by hand: 74.0 MB against 24.2 MB); most of the nonzeros come early, and the
    // small problem is held to the same number of iterations.
    let (small, large) = (peak(10_000, 10), peak(40_000, 10));
    assert!(large <= 4.4 * small, "{large} bytes at N = 40,000, {small} at 10,000");
}
