//! Choosing `K` without the truth, and saying whether the answer is clear.
//!
//! Two witnesses. The **singular values** `s`: `k_sv` is where they sink into noise (or the numerical rank, when there is no
//! noise), and `g` is the gap there, in units of the largest later spacing. The **row norms** `n_1 >= n_2 >= ...` of one MERIT
//! run with a large allowance of anchors: `k_d` is the largest drop, `q` how much larger it is than the second.
//!
//! ```text
//! g >= 4:  K = k_sv (but k_d if q >= 3 and k_d > k_sv), clear
//! else:    K = k_d, clear only if q >= 3 and n_{K+1} <= 0.6
//! without row norms (methods for which a run would cost too much):  K = k_sv, clear only if g >= 4
//! never clear when SPA with as many anchors as possible explains no more than the mean column does
//! ```
//!
//! Outlier columns are counted as anchors; on graphs and texts there is usually no clear answer, and it says so.

use serde::{Deserialize, Serialize};

crate::choices! {
    /// What an estimate of `K` rests on.
    pub enum Witness {
        /// The singular values of `X`.
        #[default]
        SingularValues = "singular-values",
        /// The row norms of a run.
        RowNorms = "row-norms",
    }
}

/// The estimate of `K`, with what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankEstimate {
    /// The estimate.
    pub rank: usize,
    /// Whether the evidence is clear. An unclear `K` is a guess.
    pub clear: bool,
    /// Which witness decided.
    pub rule: Witness,
    /// `k_sv`, when the singular values were computed.
    pub from_singular_values: Option<usize>,
    /// `g`; none when infinite (the data have an exact rank) or not computed.
    pub singular_gap: Option<f64>,
    /// `k_d`, when a run was made for it.
    pub from_row_norms: Option<usize>,
    /// `q`: the largest drop of the row norms over the second largest.
    pub drop_ratio: Option<f64>,
}

/// What the singular values say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spectrum {
    /// `k_sv`.
    pub rank: usize,
    /// `g`; infinite for an exact rank.
    pub gap: f64,
    /// The numerical rank.
    pub numerical_rank: usize,
}

impl Spectrum {
    /// Reads the singular values (largest first) of an `rows x cols` matrix.
    pub fn of(s: &[f64], rows: usize, cols: usize) -> Self {
        let short = s.len();
        let floor = s.first().copied().unwrap_or(0.0) * f64::EPSILON * rows.max(cols) as f64;
        let numerical_rank = s.iter().filter(|&&s| s > floor).count();
        if numerical_rank < short {
            return Self { rank: numerical_rank, gap: f64::INFINITY, numerical_rank };
        }
        let mut tail: Vec<f64> = s.iter().map(|s| s * s).collect(); // tail[k] = sum_{i > k} s_i^2, counting from 1
        (1..short).rev().for_each(|i| tail[i - 1] += tail[i]);
        let sinks_at = |k: usize| {
            let (m, n) = ((rows - k) as f64, (cols - k) as f64);
            s[k] <= 1.05 * (tail[k] / (m * n)).sqrt() * (m.sqrt() + n.sqrt())
        };
        let rank = (0..short).find(|&k| sinks_at(k)).unwrap_or(short);
        let mut gap = 0.0;
        if rank >= 2 && 2 * rank <= short {
            // spacings after the one at k, the last left out
            let later = (rank..short.saturating_sub(2)).map(|i| s[i] - s[i + 1]).fold(0.0, f64::max);
            gap = if later > 0.0 { (s[rank - 1] - s[rank]) / later } else { 0.0 };
        }
        Self { rank, gap, numerical_rank }
    }
}

/// `k_d` and `q` of the row norms, largest first: the largest drop after 2 to half of them.
pub fn largest_drop(norms: &[f64]) -> (usize, f64) {
    let drops = (2..=norms.len() / 2).map(|k| (k, norms[k - 1] - norms.get(k).copied().unwrap_or(0.0)));
    let (mut best, mut second) = ((1.min(norms.len()), 0.0), 0.0);
    for (k, drop) in drops {
        if drop > best.1 {
            second = best.1;
            best = (k, drop);
        } else if drop > second {
            second = drop;
        }
    }
    let ratio = if best.1 == 0.0 { 0.0 } else { best.1 / second.max(1e-12) };
    (best.0, ratio)
}

/// Weighs the witnesses. `norms` are sorted, largest first, and there only if a run was made for them; `explains` says whether
/// many anchors explain more than the mean column does.
pub fn decide(spectrum: Option<Spectrum>, norms: Option<&[f64]>, explains: bool) -> RankEstimate {
    let drop = norms.map(largest_drop);
    let (rank, clear, rule) = match (spectrum, drop) {
        (Some(s), _) if s.gap >= 4.0 && s.rank >= 1 => match drop {
            Some((more, ratio)) if ratio >= 3.0 && more > s.rank => (more, true, Witness::RowNorms),
            _ => (s.rank, true, Witness::SingularValues),
        },
        (_, Some((rank, ratio))) => {
            let next = norms.and_then(|norms| norms.get(rank)).copied().unwrap_or(0.0);
            (rank, ratio >= 3.0 && next <= 0.6, Witness::RowNorms)
        }
        (spectrum, None) => (spectrum.map_or(1, |s| s.rank.max(1)), false, Witness::SingularValues),
    };
    RankEstimate {
        rank,
        clear: clear && explains,
        rule,
        from_singular_values: spectrum.map(|s| s.rank),
        singular_gap: spectrum.map(|s| s.gap).filter(|g| g.is_finite()),
        from_row_norms: drop.map(|(rank, _)| rank),
        drop_ratio: drop.map(|(_, ratio)| ratio),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_rank_is_found_and_clear() {
        let spectrum = Spectrum::of(&[5.0, 3.0, 1e-17, 1e-18], 4, 50);
        assert_eq!((spectrum.rank, spectrum.gap), (2, f64::INFINITY));
        let estimate = decide(Some(spectrum), Some(&[1.0, 0.9, 0.85, 0.8]), true);
        assert_eq!((estimate.rank, estimate.clear, estimate.rule), (2, true, Witness::SingularValues));
        assert!(!decide(Some(spectrum), Some(&[1.0, 0.9, 0.85, 0.8]), false).clear);
        let alone = decide(Some(spectrum), None, true);
        assert_eq!((alone.rank, alone.clear, alone.from_row_norms), (2, true, None));
    }

    #[test]
    fn noise_alone_gives_no_gap() {
        // singular values of pure noise lie close together
        let s: Vec<f64> = (0..20).map(|i| 10.0 - 0.1 * f64::from(i)).collect();
        assert_eq!(Spectrum::of(&s, 20, 100).gap, 0.0);
        let estimate = decide(Some(Spectrum::of(&s, 20, 100)), Some(&[0.9, 0.8, 0.7, 0.6, 0.5, 0.4]), true);
        assert!(!estimate.clear);
        assert!(!decide(Some(Spectrum::of(&s, 20, 100)), None, true).clear);
    }

    #[test]
    fn the_largest_drop_is_measured_against_the_second() {
        let (rank, ratio) = largest_drop(&[1.0, 0.98, 0.97, 0.2, 0.15, 0.1, 0.1, 0.1]);
        assert_eq!(rank, 3);
        assert!((ratio - 0.77 / 0.05).abs() < 1e-9);
        assert_eq!(largest_drop(&[1.0]), (1, 0.0));
        assert_eq!(largest_drop(&[]), (0, 0.0));
    }
}
