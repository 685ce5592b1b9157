//! Several methods on the same data:
//!
//! ```console
//! $ cargo run --release --example methods
//! ```

use merit::metrics::anchors_right;
use merit::synthetic::{MidpointNoise, Midpoints};
use merit::{DataMatrix, Merit, Method};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Anchors and the midpoints of all pairs of them, which noise has pushed outward: hard for greedy methods.
    let model = Midpoints { snr_db: 12.0, noise: MidpointNoise::Outward, ..Midpoints::new(50, 12) };
    let data = model.generate()?;
    let x = DataMatrix::from(data.x);
    println!("{:14} right  seconds", "method");
    for method in Method::ALL {
        let clock = std::time::Instant::now();
        let run = Merit::new(12).method(method).fit(&x)?;
        let right = anchors_right(run.anchors(), &data.anchors);
        println!("{:14} {right:>5}  {:.3}", method.title(), clock.elapsed().as_secs_f64());
    }
    Ok(())
}
