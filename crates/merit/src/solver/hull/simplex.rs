//! A simplex of columns: the certificate that what it holds can be dropped.

use super::FACE_ERROR;
use merit_linalg::dense::dot;

/// `d + 1` corners as the `d + 1` half-spaces `<normal, z> + offset >= 0` whose intersection they span.
pub(super) struct Simplex {
    /// Unit normals and offsets, face after face.
    pub(super) faces: Vec<f64>,
    pub(super) d: usize,
    /// How many points it held lately.
    pub(super) uses: usize,
    /// Its corners, as positions in `E`.
    pub(super) atoms: Vec<usize>,
}

impl Simplex {
    /// The least distance of `z` from a face, negative outside; not computed further once it is below `enough`.
    pub(super) fn depth(&self, z: &[f64], enough: f64) -> f64 {
        let mut depth = f64::INFINITY;
        for face in self.faces.chunks_exact(self.d + 1) {
            depth = depth.min(face[..self.d].iter().zip(z).fold(face[self.d], |sum, (a, z)| sum + a * z));
            if depth <= enough {
                break;
            }
        }
        depth
    }

    /// The simplex of these corners; `None` if its faces cannot be computed to [`FACE_ERROR`].
    pub(super) fn of(corners: &[&[f64]], atoms: &[usize]) -> Option<Self> {
        let d = corners.len() - 1;
        let size = d + 1;
        // Barycentric coordinates are the inverse of the corners with a row of ones: row i is face i's normal and offset.
        let mut a = vec![0.0; size * 2 * size];
        for i in 0..size {
            for (k, corner) in corners.iter().enumerate() {
                a[i * 2 * size + k] = if i < d { corner[i] } else { 1.0 };
            }
            a[i * 2 * size + size + i] = 1.0;
        }
        for i in 0..size {
            let pivot = (i..size).max_by(|&p, &q| a[p * 2 * size + i].abs().total_cmp(&a[q * 2 * size + i].abs()))?;
            if a[pivot * 2 * size + i].abs() < 1e-12 {
                return None;
            }
            if pivot != i {
                (0..2 * size).for_each(|c| a.swap(i * 2 * size + c, pivot * 2 * size + c));
            }
            let inverse = 1.0 / a[i * 2 * size + i];
            a[i * 2 * size..][..2 * size].iter_mut().for_each(|v| *v *= inverse);
            for row in (0..size).filter(|&row| row != i) {
                let factor = a[row * 2 * size + i];
                if factor != 0.0 {
                    (0..2 * size).for_each(|c| a[row * 2 * size + c] -= factor * a[i * 2 * size + c]);
                }
            }
        }
        let mut faces = Vec::with_capacity(size * size);
        for i in 0..size {
            let row = &a[i * 2 * size + size..][..size];
            let norm = dot(&row[..d], &row[..d]).sqrt();
            faces.extend(row.iter().map(|v| v / norm));
        }
        let simplex = Self { faces, d, uses: 0, atoms: atoms.to_vec() };
        simplex.is_accurate(corners).then_some(simplex)
    }

    /// Every corner lies on the faces that it should, and clearly off the one opposite.
    pub(super) fn is_accurate(&self, corners: &[&[f64]]) -> bool {
        self.faces.chunks_exact(self.d + 1).enumerate().all(|(i, face)| {
            corners.iter().enumerate().all(|(k, corner)| {
                let distance = dot(&face[..self.d], corner) + face[self.d];
                if i == k { distance > 1e3 * FACE_ERROR * (self.d + 1) as f64 } else { distance.abs() <= FACE_ERROR }
            })
        })
    }
}
