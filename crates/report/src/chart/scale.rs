//! From data to pixels, and which numbers to write along an axis.

use crate::text::{number, power_of_ten, significant};

/// How an axis stretches its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stretch {
    /// Equal steps are equal distances.
    Linear,
    /// Equal factors are equal distances; only positive numbers have a place.
    Log,
}

/// One axis: `[lo, hi]` onto `[from, to]` in pixels.
#[derive(Debug, Clone)]
pub struct Scale {
    stretch: Stretch,
    lo: f64,
    hi: f64,
    from: f64,
    to: f64,
}

/// A position on an axis and what is written there.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// In data units.
    pub value: f64,
    /// As written.
    pub label: String,
}

impl Scale {
    /// A scale that shows every finite value (on a log axis: every positive one) of `values`. Equal or missing values
    /// still give an axis of nonzero length.
    pub fn over(values: impl IntoIterator<Item = f64>, stretch: Stretch, from: f64, to: f64) -> Scale {
        let shown = values.into_iter().filter(|v| is_shown(*v, stretch));
        let (lo, hi) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        let (lo, hi) = match stretch {
            _ if lo > hi => (if stretch == Stretch::Log { 0.1 } else { 0.0 }, 1.0),
            Stretch::Log if lo == hi => ((lo / 2.0).max(f64::MIN_POSITIVE), (hi * 2.0).min(f64::MAX)),
            Stretch::Linear if lo == hi => {
                let half = if lo == 0.0 { 0.5 } else { lo.abs() / 2.0 };
                (lo - half, hi + half)
            }
            _ => (lo, hi),
        };
        Scale { stretch, lo, hi, from, to }
    }

    /// The same scale, its upper end moved to the next tick; on a log axis, both ends to the next decade if it is near.
    pub fn rounded(mut self, wanted: usize) -> Scale {
        if self.stretch == Stretch::Log {
            let (low, high) = (self.lo.log10(), self.hi.log10());
            let near = 0.3 * (high - low).min(2.0);
            if low - low.floor() <= near && low.floor() > -300.0 {
                self.lo = 10f64.powf(low.floor());
            }
            if high.ceil() - high <= near && high.ceil() < 300.0 {
                self.hi = 10f64.powf(high.ceil());
            }
        }
        if self.stretch == Stretch::Linear
            && let [.., a, b] = self.linear_ticks(wanted).as_slice()
            && b.value < self.hi - (b.value - a.value) * 1e-6
        {
            self.hi = b.value + (b.value - a.value);
        }
        self
    }

    /// The place of `value` in pixels, or `None` if it has none on this axis.
    pub fn place(&self, value: f64) -> Option<f64> {
        if !is_shown(value, self.stretch) {
            return None;
        }
        let share = match self.stretch {
            // Halves first, so that an axis from -1e308 to 1e308 does not overflow.
            Stretch::Linear => (value / 2.0 - self.lo / 2.0) / (self.hi / 2.0 - self.lo / 2.0),
            Stretch::Log => (value.ln() - self.lo.ln()) / (self.hi.ln() - self.lo.ln()),
        };
        let pixel = self.from + share * (self.to - self.from);
        pixel.is_finite().then_some(pixel)
    }

    /// About `wanted` readable ticks.
    pub fn ticks(&self, wanted: usize) -> Vec<Tick> {
        match self.stretch {
            Stretch::Linear => self.linear_ticks(wanted),
            Stretch::Log => self.log_ticks(wanted),
        }
    }

    /// As [`Scale::ticks`], at whole numbers only: iterations, indices.
    pub fn whole_ticks(&self, wanted: usize) -> Vec<Tick> {
        let mut ticks = self.linear_ticks(wanted);
        ticks.retain(|tick| tick.value.fract() == 0.0);
        ticks
    }

    fn linear_ticks(&self, wanted: usize) -> Vec<Tick> {
        let rough = (self.hi / 2.0 - self.lo / 2.0) * 2.0 / wanted.max(1) as f64;
        if !rough.is_finite() || rough <= 0.0 {
            return [self.lo, self.hi].map(|value| Tick { value, label: number(value) }).to_vec();
        }
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough * 0.999).unwrap_or(rough);
        let first = (self.lo / step - 1e-9).ceil();
        let last = (self.hi / step + 1e-9).floor();
        let n = if last >= first { ((last - first) as usize).min(50) } else { 0 };
        // Enough digits to tell neighbors apart, however narrow the axis is.
        let largest = self.lo.abs().max(self.hi.abs());
        let digits = ((largest / step).log10().floor() as i32 + 2).clamp(2, 15) as usize;
        (0..=n)
            .map(|i| {
                let value = (first + i as f64) * step;
                let value = if value.abs() < step * 1e-9 { 0.0 } else { value };
                Tick { value, label: significant(value, digits) }
            })
            .collect()
    }

    fn log_ticks(&self, wanted: usize) -> Vec<Tick> {
        let (low, high) = (self.lo.log10(), self.hi.log10());
        let (first, last) = ((low - 1e-9).ceil() as i32, (high + 1e-9).floor() as i32);
        let decades = last - first + 1;
        if decades >= 3 {
            let stride = ((decades as f64 / wanted.max(1) as f64).ceil() as i32).max(1);
            return (first..=last)
                .filter(|e| e.rem_euclid(stride) == 0)
                .map(|e| Tick { value: 10f64.powi(e), label: decade(e) })
                .collect();
        }
        let between: Vec<Tick> = (low.floor() as i32..=high.ceil() as i32)
            .flat_map(|e| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(e)))
            .filter(|v| v.is_finite() && *v >= self.lo * (1.0 - 1e-9) && *v <= self.hi * (1.0 + 1e-9))
            .map(|value| Tick { value, label: significant(value, 2) })
            .collect();
        if between.len() >= 3 { between } else { self.linear_ticks(wanted) }
    }
}

fn decade(exponent: i32) -> String {
    if (-2..=3).contains(&exponent) { number(10f64.powi(exponent)) } else { power_of_ten(exponent) }
}

/// Whether `value` has a place on such an axis.
pub(crate) fn is_shown(value: f64, stretch: Stretch) -> bool {
    value.is_finite() && (stretch == Stretch::Linear || value > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: Vec<Tick>) -> Vec<String> {
        ticks.into_iter().map(|t| t.label).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_inside() {
        let scale = Scale::over([0.0, 1.0], Stretch::Linear, 0.0, 100.0);
        assert_eq!(labels(scale.ticks(5)), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        let narrow = Scale::over([1000.001, 1000.004], Stretch::Linear, 0.0, 100.0);
        assert_eq!(labels(narrow.ticks(3)), ["1000.001", "1000.002", "1000.003", "1000.004"]);
        let whole = Scale::over([0.0, 2.0], Stretch::Linear, 0.0, 100.0);
        assert_eq!(labels(whole.whole_ticks(8)), ["0", "1", "2"]);
    }

    #[test]
    fn log_ticks_follow_the_range() {
        let wide = Scale::over([1e-6, 10.0], Stretch::Log, 0.0, 100.0);
        assert_eq!(labels(wide.ticks(4)), ["10⁻⁶", "10⁻⁴", "0.01", "1"]);
        let small = Scale::over([1.5, 30.0], Stretch::Log, 0.0, 100.0);
        assert_eq!(labels(small.ticks(5)), ["2", "5", "10", "20"]);
        let tiny = Scale::over([7.1, 7.4], Stretch::Log, 0.0, 100.0);
        assert!(tiny.ticks(4).len() >= 3);
    }

    #[test]
    fn odd_values_neither_panic_nor_get_a_place() {
        for stretch in [Stretch::Linear, Stretch::Log] {
            for values in [vec![], vec![f64::NAN], vec![0.0], vec![-1.0, 5.0], vec![f64::MAX, -f64::MAX], vec![1e-320]]
            {
                let scale = Scale::over(values.clone(), stretch, 0.0, 100.0);
                for tick in scale.ticks(5) {
                    assert!(tick.value.is_finite(), "{values:?} {stretch:?}");
                }
                assert_eq!(scale.place(f64::NAN), None);
                assert_eq!(scale.place(f64::INFINITY), None);
            }
        }
        let log = Scale::over([1.0, 10.0], Stretch::Log, 0.0, 100.0);
        assert_eq!(log.place(0.0), None);
        assert_eq!(log.place(10.0), Some(100.0));
    }
}
