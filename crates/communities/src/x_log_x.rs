//! `x log x`, of which likelihoods of block models consist. Weights between groups are mostly whole numbers (edges that were
//! counted), and reading a table takes a tenth of the time of a logarithm; what it holds are the same bits.

/// Numbers in the table at most: half a megabyte, which stays in the cache.
const MOST: f64 = 65_535.0;

/// The function, with a table of its values at whole numbers.
pub(crate) struct XLogX {
    whole: Vec<f64>,
}

impl XLogX {
    /// For numbers up to `most` or so: larger ones take longer.
    pub fn up_to(most: f64) -> Self {
        Self { whole: (0..=most.clamp(0.0, MOST) as u32).map(|x| x_log_x(f64::from(x))).collect() }
    }

    /// The same for the edges between groups of the nodes of a graph.
    pub fn of_edges(adjacency: &merit_linalg::SparseMatrix) -> Self {
        Self::up_to((0..adjacency.cols()).map(|i| adjacency.col(i).1.iter().sum::<f64>()).sum())
    }

    /// `x log x`; 0 at 0, and below, where rounding may lead.
    pub fn at(&self, x: f64) -> f64 {
        let whole = x as u32;
        match self.whole.get(whole as usize) {
            Some(value) if f64::from(whole) == x => *value,
            _ => x_log_x(x),
        }
    }
}

fn x_log_x(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_changes_no_bit() {
        let table = XLogX::up_to(100.0);
        for x in [-1e-17, 0.0, 1e-300, 0.5, 1.0, 2.0, 2.5, 99.0, 100.0, 100.5, 101.0, 1e6, 5e9] {
            assert_eq!(table.at(x).to_bits(), x_log_x(x).to_bits(), "{x}");
        }
        assert_eq!(XLogX::up_to(1e12).whole.len(), 65_536);
    }
}
