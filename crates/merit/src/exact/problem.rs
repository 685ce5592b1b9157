//! What all passes on the same `X` share.

use merit_linalg::decompositions::{centered_gram, symmetric_eigenpairs, triangular_factor};
use merit_linalg::dense::dot;
use merit_linalg::products::times_transposed;
use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, DenseMatrix};

/// The columns of `X` as dictionary and as targets, both less the mean `c` of the dictionary: `B = X - c 1'`, `Y = X - c 1'`.
/// As columns of `C` sum to 1, `BC - Y` is `XC - X`; and `B 1 = 0`, so the sums of columns are a problem of their own.
pub(super) struct Problem<'a> {
    original: &'a DataMatrix,
    /// Where `X` has more rows than columns, its triangle: the problem knows `X'X` alone.
    triangle: Option<DataMatrix>,
    /// Columns of `X` that may be used, where these are not all.
    pub(super) rows: Option<Vec<u32>>,
    center: Vec<f64>,
    /// Eigenvalues and eigenvectors of `B B'`.
    spectrum: (Vec<f64>, DenseMatrix),
    /// `max ||x_n - c||` over the dictionary, and `max ||x_n|| + ||c||`.
    pub(super) radius: f64,
    pub(super) reach: f64,
    /// How far `XC - X` may be (in the Frobenius norm) from that of the `X` given.
    pub(super) perturbation: f64,
}

impl<'a> Problem<'a> {
    /// With the dictionary `rows`, all columns by default, which `off_plane` is what they leave unexplained of the others.
    pub(super) fn new(original: &'a DataMatrix, rows: Option<Vec<u32>>, off_plane: f64) -> Self {
        let (M, N) = (original.rows(), original.cols());
        let triangle = (M > N).then(|| DataMatrix::from(triangular_factor(original)));
        let X = triangle.as_ref().unwrap_or(original);
        let columns = Shards::new(N);
        let largest = columns.max(0.0, |l| X.squared_norm(l)).sqrt();
        let chosen = rows.as_ref().map(|rows| X.select(&rows.iter().map(|&n| n as usize).collect::<Vec<_>>()));
        let dictionary = chosen.as_ref().unwrap_or(X);
        let R = dictionary.cols();
        let shards = Shards::new(R);
        let (center, gram) = centered_gram(dictionary);
        let (mut values, vectors) = symmetric_eigenpairs(&gram).unwrap_or_else(|| {
            // Any positive definite matrix will do, it only sets the steps: the trace is above every eigenvalue.
            let trace = (0..gram.cols()).map(|m| gram.get(m, m)).sum();
            (vec![trace; gram.cols()], DenseMatrix::from_fn(gram.cols(), gram.cols(), |i, j| f64::from(i == j)))
        });
        values.iter_mut().for_each(|value| *value = value.max(0.0));
        let middle = dot(&center, &center).sqrt();
        let radius =
            shards.max(0.0, |n| dictionary.squared_norm(n) - 2.0 * dictionary.dot(n, &center) + middle * middle);
        // The squares cancel; what is lost is at most this.
        let radius = (radius + 8.0 * (X.rows() as f64 + 8.0) * f64::EPSILON * (largest + middle).powi(2)).sqrt();
        let frobenius = columns.sum(|l| X.squared_norm(l)).sqrt();
        let size = (N as f64).sqrt();
        let of_triangle =
            if triangle.is_some() { 8.0 * N as f64 * f64::EPSILON * frobenius * (1.0 + size) } else { 0.0 };
        let perturbation = of_triangle + off_plane * size;
        let reach = largest + middle;
        Self { original, triangle, rows, center, spectrum: (values, vectors), radius, reach, perturbation }
    }

    pub(super) fn original(&self) -> &'a DataMatrix {
        self.original
    }

    /// `X`, in coordinates of at most `N` dimensions.
    pub(super) fn X(&self) -> &DataMatrix {
        self.triangle.as_ref().unwrap_or(self.original)
    }

    /// Rows of `C`: columns in the dictionary.
    pub(super) fn rows(&self) -> usize {
        self.rows.as_ref().map_or(self.X().cols(), Vec::len)
    }

    /// The column of `X` that row `i` of `C` is about.
    pub(super) fn column(&self, i: usize) -> usize {
        self.rows.as_ref().map_or(i, |rows| rows[i] as usize)
    }

    pub(super) fn center(&self) -> &[f64] {
        &self.center
    }

    /// `out = x_l - c`.
    pub(super) fn centered(&self, l: usize, out: &mut [f64]) {
        match self.X() {
            DataMatrix::Dense(x) => {
                out.iter_mut().zip(x.col(l).iter().zip(&self.center)).for_each(|(out, (x, c))| *out = x - c);
            }
            DataMatrix::Single(x) => {
                out.iter_mut()
                    .zip(x.col(l).iter().zip(&self.center))
                    .for_each(|(out, (&x, c))| *out = f64::from(x) - c);
            }
            sparse => {
                out.iter_mut().zip(&self.center).for_each(|(out, c)| *out = -c);
                sparse.add_to(l, 1.0, out);
            }
        }
    }

    /// The penalty `rho` of the method at this lambda.
    pub(super) fn rho(&self, lambda: f64) -> f64 {
        let (values, R) = (&self.spectrum.0, self.rows() as f64);
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let rho = (0.2 * (1000.0 / R).sqrt()).min(1.0) * mean;
        // All N columns may have to carry one row's lambda; and a rho of zero is none.
        let least = (lambda / self.X().cols() as f64).max(1e-12 * self.reach * self.reach);
        if rho.max(least) > 0.0 { rho.max(least) } else { 1.0 }
    }

    /// `(rho I + B B')^-1`.
    pub(super) fn inverse(&self, rho: f64) -> DenseMatrix {
        let (values, vectors) = &self.spectrum;
        let mut scaled = vectors.clone();
        values.iter().enumerate().for_each(|(k, value)| {
            scaled.col_mut(k).iter_mut().for_each(|v| *v /= value + rho);
        });
        times_transposed(&scaled, vectors)
    }
}
