//! Large data made small enough to draw: even samples, and the extremes of bins.

/// At most `limit` of `0..n`, evenly spread, first and last included.
pub fn evenly(n: usize, limit: usize) -> Vec<usize> {
    if n <= limit {
        return (0..n).collect();
    }
    if limit < 2 {
        return (0..limit).collect();
    }
    (0..limit).map(|i| (i as u128 * (n as u128 - 1) / (limit as u128 - 1)) as usize).collect()
}

/// `0..n` cut into at most `limit` runs of nearly equal length: (first, one past the last).
pub fn bins(n: usize, limit: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = n.min(limit);
    let edge = move |i: usize| (i as u128 * n as u128 / count.max(1) as u128) as usize;
    (0..count).map(move |i| (edge(i), edge(i + 1)))
}

/// The index in `first..end` whose finite value is largest by `key`; `None` if there is none.
pub fn peak(first: usize, end: usize, key: impl Fn(usize) -> Option<f64>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for i in first..end {
        if let Some(value) = key(i).filter(|v| v.is_finite())
            && best.is_none_or(|(_, b)| value > b)
        {
            best = Some((i, value));
        }
    }
    best.map(|(i, _)| i)
}

/// The `limit` largest finite values with their indices, in descending order, ties in ascending order of index; O(n)
/// time and O(limit) memory.
pub fn largest(values: &[f64], limit: usize) -> Vec<(usize, f64)> {
    let descending = |a: &(usize, f64), b: &(usize, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    let mut kept: Vec<(usize, f64)> = Vec::new();
    let mut floor = f64::NEG_INFINITY;
    for (n, &value) in values.iter().enumerate() {
        // At the floor, `limit` values are already kept that are as large and come earlier.
        if !value.is_finite() || value <= floor || limit == 0 {
            continue;
        }
        kept.push((n, value));
        if kept.len() == 4 * limit {
            kept.select_nth_unstable_by(limit - 1, descending);
            kept.truncate(limit);
            floor = kept[limit - 1].1;
        }
    }
    kept.sort_unstable_by(descending);
    kept.truncate(limit);
    kept
}

/// The row of the largest finite entry of a column, ties to the first.
pub fn dominant(column: &[f64]) -> Option<usize> {
    peak(0, column.len(), |k| Some(column[k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_even_and_keep_the_ends() {
        assert_eq!(evenly(5, 10), [0, 1, 2, 3, 4]);
        assert_eq!(evenly(101, 5), [0, 25, 50, 75, 100]);
        assert_eq!(evenly(0, 5), []);
        assert_eq!(bins(10, 3).collect::<Vec<_>>(), [(0, 3), (3, 6), (6, 10)]);
        assert_eq!(bins(0, 3).count(), 0);
        assert_eq!(peak(0, 4, |i| Some([f64::NAN, 1.0, 3.0, 3.0][i])), Some(2));
        assert_eq!(dominant(&[f64::NAN]), None);
    }

    #[test]
    fn largest_agrees_with_sorting() {
        let values: Vec<f64> =
            (0..5000).map(|i| if i % 97 == 0 { f64::NAN } else { (i * 7919 % 613) as f64 }).collect();
        let mut all: Vec<(usize, f64)> = values.iter().copied().enumerate().filter(|(_, v)| v.is_finite()).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for limit in [0, 1, 7, 200, 4000, 6000] {
            assert_eq!(largest(&values, limit), all[..limit.min(all.len())], "{limit}");
        }
        assert_eq!(largest(&[-0.0, 0.0, -1.0], 2), [(1, 0.0), (0, -0.0)]);
    }
}
