//! The same properties of every backend: odd sizes and offsets, ties, infinities, NaN.

use crate::SparseMatrix;
use crate::kernels::{
    Bias, CoarseBias, CoarseKernel, CoarsePoints, CoarseTile, GROUP, Kernel, PANEL, PanelRow, Points, SparsePoints,
    Term, WIDTH, Wide, least,
};
use proptest::prelude::*;
use std::ops::Range;

fn hash(seed: u64, i: usize) -> u64 {
    let mut z = (seed ^ (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z >> 32
}

/// A number in [-1/2, 1/2).
fn real(seed: u64, i: usize) -> f32 {
    (hash(seed, i) >> 8) as f32 / (1u64 << 24) as f32 - 0.5
}

/// A whole number within 8, so that sums are exact and ties are many; one in `rarity` is NaN or infinite.
fn whole(seed: u64, i: usize, rarity: u64) -> f32 {
    let h = hash(seed, i);
    match h % (3 * rarity) {
        0 => f32::NAN,
        1 => f32::INFINITY,
        2 => f32::NEG_INFINITY,
        _ => ((h >> 16) % 17) as f32 - 8.0,
    }
}

pub(super) fn pushed<'a>(kernel: Kernel, rows: usize, all: impl Iterator<Item = &'a [f32]>) -> Points {
    let mut points = Points::empty(kernel, rows);
    all.for_each(|point| points.push(point));
    points
}

/// Points, biases and one tile of queries, each in its packed and its naive form.
struct Problem {
    kernel: Kernel,
    rows: usize,
    coordinates: Vec<f32>,
    offsets: Vec<f32>,
    queries: Vec<f32>,
    points: Points,
    bias: Bias,
}

impl Problem {
    fn new(kernel: Kernel, rows: usize, count: usize, value: impl Fn(u64, usize) -> f32) -> Self {
        let numbers = |seed, length| (0..length).map(|i| value(seed, i)).collect::<Vec<_>>();
        let coordinates = numbers(0, count * rows);
        let offsets = numbers(1, count);
        let point = |n: usize| &coordinates[n * rows..][..rows];
        let points = if cfg!(miri) {
            pushed(kernel, rows, (0..count).map(point)) // no threads, which are slow there
        } else {
            Points::pack(kernel, rows, count, |n, out| out.copy_from_slice(point(n)))
        };
        let bias = points.pack_bias(offsets.iter().copied());
        Self { kernel, rows, queries: numbers(2, kernel.tile() * rows), coordinates, offsets, points, bias }
    }

    fn query(&self, q: usize) -> &[f32] {
        &self.queries[q * self.rows..][..self.rows]
    }

    /// The points of a group.
    fn members(&self, g: usize) -> Range<usize> {
        let size = self.points.group_size();
        g * size..((g + 1) * size).min(self.points.count())
    }

    /// `b_n + <x_n, r>`, term after term.
    fn naive<T: From<f32> + std::ops::Add<Output = T> + std::ops::Mul<Output = T>>(
        &self,
        n: usize,
        query: &[f32],
    ) -> T {
        let x = &self.coordinates[n * self.rows..][..self.rows];
        x.iter().zip(query).fold(self.offsets[n].into(), |sum, (&x, &r)| sum + T::from(x) * T::from(r))
    }

    fn scores(&self, g: usize, query: &[f32]) -> [f32; GROUP] {
        let mut scores = [f32::INFINITY; GROUP];
        self.kernel.scores(&self.points, &self.bias, g, query, &mut scores);
        scores
    }

    /// The minima of some groups, `stride` for each query. Tile and minima lie at odd places in memory, and what does not
    /// belong to those groups is seen to be left alone.
    fn minima(&self, groups: Range<usize>, stride: usize) -> Vec<f32> {
        const UNTOUCHED: f32 = 12345.0;
        let mut packed = Vec::new();
        self.kernel.pack_tiles(self.rows, &self.queries, &mut packed);
        let tile: Vec<f32> = std::iter::once(f32::NAN).chain(packed).collect();
        let room = 1..1 + self.kernel.tile() * stride;
        let mut minima = vec![UNTOUCHED; room.end + 1];
        self.kernel.minima(&self.points, &self.bias, groups.clone(), &tile[1..], &mut minima[room.clone()], stride);
        for (i, &value) in minima.iter().enumerate() {
            let written = room.contains(&i) && groups.contains(&((i - 1) % stride));
            assert!(written || value == UNTOUCHED, "{} wrote place {i}", self.kernel.name());
        }
        minima[room].to_vec()
    }
}

impl Problem {
    /// The places of some groups, `stride` words for each query; what does not belong to those groups is seen to be left alone.
    fn places(&self, groups: Range<usize>, limit: f32, stride: usize) -> Vec<u32> {
        const UNTOUCHED: u32 = 12345;
        let mut packed = Vec::new();
        self.kernel.pack_tiles(self.rows, &self.queries, &mut packed);
        let tile: Vec<f32> = std::iter::once(f32::NAN).chain(packed).collect();
        let room = 1..1 + self.kernel.tile() * stride;
        let words = self.points.group_size() / 32;
        let mut places = vec![UNTOUCHED; room.end + 1];
        let out = &mut places[room.clone()];
        self.kernel.places(&self.points, &self.bias, groups.clone(), &tile[1..], limit, out, stride);
        for (i, &value) in places.iter().enumerate() {
            let written = room.contains(&i) && groups.contains(&((i - 1) % stride / words));
            assert!(written || value == UNTOUCHED, "{} wrote place {i}", self.kernel.name());
        }
        places[room].to_vec()
    }
}

fn same(a: f32, b: f32) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

/// In whole numbers, every number that a kernel gives is that of naive code, NaN and infinities included.
fn exact(rows: usize, count: usize, seed: u64, rarity: u64) {
    for kernel in Kernel::found() {
        let (name, value) = (kernel.name(), |stream, i| whole(seed.wrapping_add(stream), i, rarity));
        let problem = Problem::new(kernel, rows, count, value);
        let groups = problem.points.groups();
        let some = hash(seed, 1) as usize % (groups + 1)..groups;
        let stride = groups + hash(seed, 2) as usize % 3;
        let minima = problem.minima(some.clone(), stride);
        let words = groups * problem.points.group_size() / 32 + hash(seed, 5) as usize % 3;
        for limit in [0.0, -(hash(seed, 6) as f32 % 40.0).floor(), f32::MAX, f32::NEG_INFINITY, f32::NAN] {
            let places = problem.places(some.clone(), limit, words);
            for (q, g) in (0..kernel.tile()).flat_map(|q| some.clone().map(move |g| (q, g))) {
                for n in problem.members(g) {
                    let found = places[q * words + n / 32] >> (n % 32) & 1 == 1;
                    let score: f32 = problem.naive(n, problem.query(q));
                    assert_eq!(found, score <= limit, "{name}: point {n}, query {q}: {score}, {limit}");
                }
                let last = places[q * words + (g + 1) * problem.points.group_size() / 32 - 1];
                let empty = (g + 1) * problem.points.group_size() - problem.members(g).end;
                assert!(empty == 0 || last >> 31 == 0, "{name}: a place behind the last point");
            }
        }
        for q in 0..kernel.tile() {
            let query = problem.query(q);
            for g in 0..groups {
                let naive: Vec<f32> = problem.members(g).map(|n| problem.naive(n, query)).collect();
                let scores = problem.scores(g, query);
                for (i, &score) in scores.iter().enumerate() {
                    let expected = naive.get(i).copied();
                    // An empty place has no score that is less than infinity.
                    let fine = expected.map_or(score.is_nan() || score == f32::INFINITY, |e| same(score, e));
                    assert!(fine, "{name}: point {i} of group {g}, query {q}: {score}, {expected:?}");
                }
                if some.contains(&g) {
                    let (found, expected) =
                        (minima[q * stride + g], naive.iter().fold(f32::INFINITY, |a, &b| if b < a { b } else { a }));
                    assert!(found == expected, "{name}: group {g}, query {q}: {found}, {expected}");
                }
                for limit in [scores[hash(seed, 3 + q) as usize % GROUP], 0.0, f32::NAN, f32::INFINITY] {
                    let places = kernel.at_most(&scores, limit);
                    (0..GROUP).for_each(|i| assert_eq!(places >> i & 1 == 1, scores[i] <= limit, "{name}: {limit}"));
                }
            }
        }
    }
}

/// In real numbers, within rounding.
fn close(rows: usize, count: usize, seed: u64) {
    for kernel in Kernel::found() {
        let (name, problem) = (kernel.name(), Problem::new(kernel, rows, count, |s, i| real(seed.wrapping_add(s), i)));
        let groups = problem.points.groups();
        let minima = problem.minima(0..groups, groups);
        let tolerance = 1e-6 * (rows as f64 + 1.0);
        for q in 0..kernel.tile() {
            for g in 0..groups {
                let naive: Vec<f64> = problem.members(g).map(|n| problem.naive(n, problem.query(q))).collect();
                let scores = problem.scores(g, problem.query(q));
                for (i, (&score, naive)) in scores.iter().zip(&naive).enumerate() {
                    assert!((f64::from(score) - naive).abs() <= tolerance, "{name}: point {i} of group {g}, query {q}");
                }
                let (found, expected) =
                    (f64::from(minima[q * groups + g]), naive.into_iter().fold(f64::INFINITY, f64::min));
                assert!((found - expected).abs() <= tolerance, "{name}: group {g}, query {q}: {found}, {expected}");
            }
        }
    }
}

#[test]
fn every_length() {
    let lengths = if cfg!(miri) { vec![0, 1, 17] } else { (0..=130).collect() };
    for &n in &lengths {
        exact(n, 37, 1 + n as u64, 40);
        exact(5, n, 2 + n as u64, 40);
        exact(n, n, 3 + n as u64, 1000);
    }
}

#[test]
fn edges_of_panels_and_groups() {
    let counts: &[usize] =
        if cfg!(miri) { &[17] } else { &[1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300] };
    for rows in if cfg!(miri) { vec![2] } else { vec![0, 1, 2, 15, 16, 39, 40, 50] } {
        counts.iter().for_each(|&count| close(rows, count, 42));
    }
}

#[test]
fn a_query_with_nan_has_no_winner() {
    for kernel in Kernel::found() {
        for rows in [1, 16, 41] {
            let value = |stream, i| if stream == 2 && i % rows == rows / 2 { f32::NAN } else { real(stream, i) };
            let problem = Problem::new(kernel, rows, 70, value);
            let groups = problem.points.groups();
            assert!(problem.minima(0..groups, groups).iter().all(|&least| least == f32::INFINITY), "{}", kernel.name());
            for g in 0..groups {
                let scores = problem.scores(g, problem.query(0));
                assert_eq!(kernel.at_most(&scores, f32::MAX), 0, "{}", kernel.name());
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "all points are pushed there")]
fn pushed_points_are_packed_points() {
    for kernel in Kernel::found() {
        for rows in [0, 3, 20, 45] {
            let packed = Problem::new(kernel, rows, 70, real);
            let points = || (0..70).map(|n| &packed.coordinates[n * rows..][..rows]);
            let mut more = pushed(kernel, rows, points().chain(points().take(65)));
            more.truncate(70);
            let pushed = Problem { points: more, ..Problem::new(kernel, rows, 70, real) };
            let groups = packed.points.groups();
            assert_eq!(pushed.minima(0..groups, groups), packed.minima(0..groups, groups));
            for g in 0..groups {
                let members = packed.members(g).len();
                let scores = |problem: &Problem| problem.scores(g, problem.query(1));
                assert_eq!(scores(&pushed)[..members], scores(&packed)[..members]);
            }
        }
    }
}

#[test]
fn the_least_of_numbers() {
    for length in 0..=if cfg!(miri) { 35 } else { 130 } {
        for rarity in [2, 20, 1000] {
            let values: Vec<f32> = (0..length).map(|i| whole(length as u64, i, rarity)).collect();
            let (mut best, mut at) = (f32::INFINITY, None);
            for (i, &value) in values.iter().enumerate() {
                if value < best {
                    (best, at) = (value, Some(i));
                }
            }
            match at {
                Some(at) => assert_eq!(least(&values), at),
                None => assert!(values.get(least(&values)).is_none_or(|v| v.is_nan() || *v == f32::INFINITY)),
            }
        }
    }
}

/// How many random problems, and what their points stay below; rows stay below a third of it.
const CASES: u32 = if cfg!(miri) { 2 } else { 60 };
const MOST: usize = if cfg!(miri) { 12 } else { 393 };

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(CASES) })]

    #[test]
    fn random_shapes_in_whole_numbers(rows in 0..MOST / 3, count in 0..MOST, seed: u64, rarity in 2u64..1000) {
        exact(rows, count, seed, rarity);
    }

    /// Whole numbers, so that the order of a sum changes nothing; more rows than a block has.
    #[test]
    fn sparse_points_of_random_shapes(rows in 0..8 * MOST, count in 0..MOST / 8, queries in 0..=WIDTH, thin in 1u64..200, seed: u64) {
        let value = |m: usize, n: usize| hash(seed, m * MOST + n).is_multiple_of(thin).then(|| real(seed, m + n) * 64.0);
        let entries = (0..count).flat_map(|n| (0..rows).map(move |m| (m, n)));
        let entries = entries.filter_map(|(m, n)| value(m, n).map(|v| (m as u32, n as u32, f64::from(v.round()))));
        let x = SparseMatrix::from_triplets(rows, count, entries.collect());
        let points = SparsePoints::pack(&x, 2.0);
        let factors: Vec<f32> = (0..rows * queries).map(|i| whole(seed, i, 1 << 40)).collect();
        let mut tile = vec![Wide([f32::NAN; WIDTH]); points.tile().len()];
        points.fill_tile(&factors, &mut tile);
        let mut one_by_one = points.tile();
        for &m in x.compressed().1 {
            (0..queries).for_each(|q| points.put(&mut one_by_one, q, m, factors[q * rows + m as usize]));
        }
        prop_assert!(one_by_one.iter().zip(&tile).all(|(a, b)| a.0 == b.0));
        for kernel in Kernel::found() {
            let mut sums = vec![Wide([5.0; WIDTH]); count];
            kernel.add_products(&points, &tile, &mut sums);
            for (n, Wide(sums)) in sums.iter().enumerate() {
                let (at, values) = x.col(n);
                for (q, &sum) in sums.iter().enumerate() {
                    let query = |m: u32| if q < queries { factors[q * rows + m as usize] } else { 0.0 };
                    let truth = at.iter().zip(values).map(|(&m, v)| 2.0 * v * f64::from(query(m))).sum::<f64>() + 5.0;
                    prop_assert_eq!(f64::from(sum), truth, "{} point {} query {}", kernel.name(), n, q);
                }
            }
            let bias: Vec<f32> = (0..count).map(|n| whole(seed, n, 7)).collect();
            let score = |n: usize, q: usize| sums[n].0[q] + bias[n];
            let Wide(least) = kernel.least_scores(&sums, &bias);
            let limits = Wide(least.map(|least| least + 5.0));
            let mut found = vec![(9, 9)];
            kernel.scores_within(&sums, &bias, &limits, &mut found);
            let within = |n: usize| (0..WIDTH).filter(|&q| score(n, q) <= limits.0[q]).fold(0, |bits, q| bits | 1 << q);
            let truth: Vec<(u32, u32)> = (0..count).map(|n| (n as u32, within(n))).filter(|&(_, bits)| bits != 0).collect();
            prop_assert_eq!(found, truth, "{}", kernel.name());
            for (q, &least) in least.iter().enumerate() {
                prop_assert_eq!(least, (0..count).map(|n| score(n, q)).fold(f32::INFINITY, f32::min), "{}", kernel.name());
            }
        }
    }

    /// Plain sums, so the same bits on every machine.
    #[test]
    fn weighted_sums_of_rows(count in 1..MOST, terms in 0..MOST / 3, seed: u64) {
        let number = |i: usize| f64::from(if seed % 2 == 0 { real(seed, i) } else { whole(seed, i, 300) });
        let rows: Vec<_> = (0..count).map(|n| PanelRow(std::array::from_fn(|i| number(n * PANEL + i)))).collect();
        let row = |k: usize| (hash(seed, k) % count as u64) as u32;
        let terms: Vec<_> = (0..terms).map(|k| Term { row: row(k), weight: number(k + 7) }).collect();
        let start: [f64; PANEL] = std::array::from_fn(|i| number(i + 99));
        let mut truth = start;
        for term in &terms {
            let row = &rows[term.row as usize].0;
            truth.iter_mut().zip(row).for_each(|(sum, value)| *sum += term.weight * value);
        }
        let bits = |sums: [f64; PANEL]| sums.map(|sum| if sum.is_nan() { f64::NAN.to_bits() } else { sum.to_bits() });
        for kernel in Kernel::found() {
            let mut sums = PanelRow(start);
            kernel.add_rows(&rows, &terms, &mut sums);
            prop_assert_eq!(bits(sums.0), bits(truth), "{}", kernel.name());
            let least = truth.iter().fold(f64::INFINITY, |least, &sum| if sum < least { sum } else { least });
            prop_assert_eq!(sums.least(), least);
        }
    }

    #[test]
    fn random_shapes_in_real_numbers(rows in 0..MOST / 3, count in 0..MOST, seed: u64) {
        close(rows, count, seed);
    }
}

/// Minima of bytes are those of the rounded numbers, and as close to those of the numbers themselves as the bound says.
fn coarse(rows: usize, count: usize, seed: u64, size: f32) {
    let numbers = |stream: u64, length: usize, size: f32| {
        (0..length).map(|i| size * real(seed.wrapping_add(stream), i)).collect::<Vec<f32>>()
    };
    for kernel in CoarseKernel::found() {
        let (coordinates, offsets) = (numbers(0, count * rows, 1.0), numbers(1, count, size));
        let point = |n: usize| coordinates[n * rows..][..rows].iter().map(|&x| f64::from(x));
        let mut points = CoarsePoints::empty(kernel, rows, 0.5);
        (0..count + 3).for_each(|n| points.push(point(n % count)));
        points.truncate(count);
        let mut bias = CoarseBias::empty();
        points.refill_bias(&mut bias, offsets.iter().copied());
        let queries = numbers(2, kernel.tile() * rows, size);
        let query = |q: usize| &queries[q * rows..][..rows];
        let mut tile = CoarseTile::empty(&points);
        let lost: Vec<f64> = (0..kernel.tile()).map(|q| tile.set(q, &points, query(q))).collect();
        let (groups, first) = (points.groups(), hash(seed, 4) as usize % points.blocks());
        let mut minima = vec![12345.0; kernel.tile() * groups + 1];
        kernel.minima(&points, &bias, first..points.blocks(), &tile, &mut minima, groups);
        for (place, &minimum) in minima.iter().enumerate() {
            let (q, group) = (place / groups, place % groups);
            if q == kernel.tile() || group < first * kernel.lanes() {
                assert_eq!(minimum, 12345.0, "{} wrote place {place}", kernel.name());
                continue;
            }
            let score = |n: usize| {
                let product = point(n).zip(query(q)).map(|(x, &r)| x * f64::from(r)).sum::<f64>();
                product + f64::from(offsets[n])
            };
            let members = group * points.group_size()..((group + 1) * points.group_size()).min(count);
            if members.is_empty() {
                assert_eq!(minimum, f32::INFINITY);
                continue;
            }
            let least = members.map(score).fold(f64::INFINITY, f64::min);
            let norm = query(q).iter().map(|&r| f64::from(r).powi(2)).sum::<f64>().sqrt();
            let bound =
                points.error(norm, lost[q]) + 8.0 * 2f64.powi(-24) * (norm * (rows as f64).sqrt() + f64::from(size));
            let off = (f64::from(minimum) - least).abs();
            assert!(off <= bound, "{}: {off} > {bound}", kernel.name());
            // A bound that says something: each rounding is at most half a step, in both.
            assert!(lost[q] <= (rows as f64).sqrt() * f64::from(size) * 0.51 / 250.0, "{}", lost[q]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(CASES) })]
    #[test]
    fn bytes_are_as_close_as_they_say(rows in 1usize..70, count in 1usize..2 * MOST, seed: u64, power in -30i32..30) {
        coarse(rows, count, seed, 2f32.powi(power));
    }
}
