//! Sizes that wrap: a panic, and no byte read or written.

use super::properties::pushed;
use crate::kernels::{GROUP, Kernel, Points};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A factor whose product with `other` is more than `usize::MAX`, and wraps to a small number.
fn wrapping(other: usize) -> usize {
    usize::MAX / other + 1
}

fn panics(message: &str, run: impl FnOnce()) {
    let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("a panic");
    let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    assert!(said.is_some_and(|said| said.contains(message)), "{said:?}");
}

fn three_points(kernel: Kernel) -> Points {
    pushed(kernel, 2, [[0.0; 2]; 3].iter().map(|point| &point[..]))
}

const TOO_LARGE: &str = "more than memory can hold";

#[test]
fn points_whose_size_wraps() {
    for kernel in Kernel::found() {
        let pack = |rows, count| drop(Points::pack(kernel, rows, count, |_, _| unreachable!()));
        panics(TOO_LARGE, || pack(wrapping(32), 1));
        panics(TOO_LARGE, || pack(wrapping(32 * 1024), 32 * 1024));
        panics(TOO_LARGE, || pack(2, wrapping(2)));
        panics(TOO_LARGE, || pack(0, usize::MAX));
        panics(TOO_LARGE, || pack(usize::MAX, 1));
    }
}

#[test]
fn tiles_whose_size_wraps() {
    for kernel in Kernel::found() {
        let points = Points::empty(kernel, wrapping(kernel.tile()));
        let bias = points.pack_bias(std::iter::empty());
        panics(TOO_LARGE, || kernel.minima(&points, &bias, 0..0, &[], &mut [], 0));
        panics(TOO_LARGE, || kernel.pack_tiles(usize::MAX, &[], &mut Vec::new()));
    }
}

#[test]
fn minima_whose_size_wraps() {
    for kernel in Kernel::found() {
        let points = three_points(kernel);
        let bias = points.pack_bias([0.0; 3].into_iter());
        let (tile, mut minima) = (vec![0.0; 2 * kernel.tile()], vec![0.0; kernel.tile()]);
        for stride in [wrapping(kernel.tile()), usize::MAX] {
            panics(TOO_LARGE, || kernel.minima(&points, &bias, 0..1, &tile, &mut minima, stride));
        }
        panics("no room", || kernel.minima(&points, &bias, 0..1, &tile, &mut minima, 2));
        panics("behind", || kernel.minima(&points, &bias, 0..1, &tile, &mut minima, 0));
        panics("behind", || kernel.minima(&points, &bias, 0..2, &tile, &mut minima, 2));
        panics("left", || kernel.minima(&points, &bias, 0..1, &tile[1..], &mut minima, 1));
    }
}

#[test]
fn places_whose_size_wraps() {
    for kernel in Kernel::found() {
        let points = three_points(kernel);
        let (words, bias) = (points.group_size() / 32, points.pack_bias([0.0; 3].into_iter()));
        let (tile, mut places) = (vec![0.0; 2 * kernel.tile()], vec![0; words * kernel.tile()]);
        for stride in [wrapping(kernel.tile()), usize::MAX] {
            panics(TOO_LARGE, || kernel.places(&points, &bias, 0..1, &tile, 0.0, &mut places, stride));
        }
        panics("no room", || kernel.places(&points, &bias, 0..1, &tile, 0.0, &mut places, words + 1));
        panics("behind", || kernel.places(&points, &bias, 0..1, &tile, 0.0, &mut places, words - 1));
        panics("behind", || kernel.places(&points, &bias, 0..2, &tile, 0.0, &mut places, 2 * words));
        panics("left", || kernel.places(&points, &bias, 0..1, &tile[1..], 0.0, &mut places, words));
    }
}

#[test]
fn groups_and_biases_that_are_not_there() {
    for kernel in Kernel::found() {
        let points = three_points(kernel);
        let bias = points.pack_bias([0.0; 3].into_iter());
        let none = Points::empty(kernel, 2).pack_bias(std::iter::empty());
        let mut scores = [0.0; GROUP];
        for group in [1, wrapping(points.group_size()), usize::MAX] {
            panics("behind", || kernel.scores(&points, &bias, group, &[0.0; 2], &mut scores));
        }
        panics("bias", || kernel.scores(&points, &none, 0, &[0.0; 2], &mut scores));
        panics("left", || kernel.scores(&points, &bias, 0, &[0.0; 3], &mut scores));
        let other = super::faulty();
        panics("another kernel", || other.scores(&points, &bias, 0, &[0.0; 2], &mut scores));
    }
}
