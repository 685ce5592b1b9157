//! Points and their biases in the layout of a kernel.
//!
//! The kernels read this memory without looking at lengths again, so every size is computed here, and one that wraps panics
//! before anything is packed.

use super::{Kernel, group_of};

/// Points in the layout of a kernel: panel after panel, within a panel coordinate after coordinate. `4 M N` bytes.
///
/// At all times `values` holds `groups * group * rows` numbers, a product that has been checked; hence no smaller one wraps.
#[derive(Debug)]
pub struct Points {
    kernel: Kernel,
    rows: usize,
    count: usize,
    group: usize,
    values: Vec<f32>,
}

/// One number for each packed point; places behind the last point hold infinity and never win.
#[derive(Debug)]
pub struct Bias(Vec<f32>);

/// `a * b`, the length of memory that a kernel will rely on.
pub(super) fn size(a: usize, b: usize) -> usize {
    a.checked_mul(b).unwrap_or_else(|| panic!("{a} x {b} numbers are more than memory can hold"))
}

impl Points {
    /// Packs `count` points of `rows` coordinates; `fill(n, point)` writes point `n`.
    pub fn pack(kernel: Kernel, rows: usize, count: usize, fill: impl Fn(usize, &mut [f32]) + Sync) -> Self {
        use rayon::prelude::*;
        let empty = Self::empty(kernel, rows);
        let (width, group) = (kernel.panel(), empty.group);
        let mut values = crate::memory::zeros(empty.length(count));
        values.par_chunks_mut(size(group, rows).max(1)).enumerate().for_each(|(g, out)| {
            let mut point = vec![0.0; rows];
            for i in 0..group.min(count - g * group) {
                fill(g * group + i, &mut point);
                write(&mut out[i / width * width * rows..], width, i % width, &point);
            }
        });
        Self { count, values, ..empty }
    }

    /// No points yet; [`push`](Self::push) adds them.
    pub fn empty(kernel: Kernel, rows: usize) -> Self {
        Self { kernel, rows, count: 0, group: group_of(rows), values: Vec::new() }
    }

    /// Adds a point at the end.
    pub fn push(&mut self, point: &[f32]) {
        assert_eq!(point.len(), self.rows);
        let (width, n) = (self.kernel.panel(), self.count);
        // Memory before count: where there is no room, the points are still what they were.
        self.values.resize(self.length(n + 1), 0.0);
        self.count = n + 1;
        write(&mut self.values[n / width * width * self.rows..], width, n % width, point);
    }

    /// Keeps the first `count` points.
    pub fn truncate(&mut self, count: usize) {
        self.count = self.count.min(count);
        self.values.truncate(self.places() * self.rows);
    }

    /// A bias for every point.
    pub fn pack_bias(&self, values: impl Iterator<Item = f32>) -> Bias {
        let mut bias = Bias(Vec::with_capacity(self.places()));
        self.refill_bias(&mut bias, values);
        bias
    }

    /// The same, into a bias that is there already.
    pub fn refill_bias(&self, bias: &mut Bias, values: impl Iterator<Item = f32>) {
        bias.0.clear();
        bias.0.extend(values.take(self.count));
        assert_eq!(bias.0.len(), self.count);
        bias.0.resize(self.places(), f32::INFINITY);
    }

    /// Number of points.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Points of one group, at most [`GROUP`](super::GROUP).
    #[inline]
    pub fn group_size(&self) -> usize {
        self.group
    }

    /// Number of groups; the last may be partly empty.
    #[inline]
    pub fn groups(&self) -> usize {
        self.count.div_ceil(self.group)
    }

    /// Coordinates of a point.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The kernel whose layout this is.
    #[inline]
    pub(super) fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The coordinates of one group: `group_size * rows` numbers.
    #[inline]
    pub(super) fn group(&self, g: usize) -> &[f32] {
        &self.values[g * self.group * self.rows..][..self.group * self.rows]
    }

    /// Whether `bias` has a number for each place of these points.
    #[inline]
    pub(super) fn fits(&self, bias: &Bias) -> bool {
        bias.0.len() == self.places()
    }

    /// Places for points, empty ones included.
    #[inline]
    fn places(&self) -> usize {
        self.groups() * self.group
    }

    /// Numbers that `count` points take up.
    fn length(&self, count: usize) -> usize {
        size(size(count.div_ceil(self.group), self.group), self.rows)
    }
}

impl Bias {
    /// The biases of one group of `size` points.
    #[inline]
    pub(super) fn group(&self, g: usize, size: usize) -> &[f32] {
        &self.0[g * size..][..size]
    }
}

/// Writes a vector as member `place` of a panel (or tile) of `width`: coordinate by coordinate, so that a kernel reads on.
pub(super) fn write(panel: &mut [f32], width: usize, place: usize, vector: &[f32]) {
    vector.iter().enumerate().for_each(|(m, &value)| panel[m * width + place] = value);
}
