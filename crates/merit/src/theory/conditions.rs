//! The conditions of the theorems, each with its number and its bound.

use super::distance::Bounds;
use super::{Evidence, Iterate, Quantities};
use serde::Serialize;

/// Weights of `H` that are this close to what they should be are exact up to rounding (they are solved to 1e-12).
const ROUNDING: f64 = 1e-9;

/// How a number must relate to its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Relation {
    /// Below.
    #[serde(rename = "<")]
    Below,
    /// Not above.
    #[serde(rename = "<=")]
    AtMost,
    /// Above.
    #[serde(rename = ">")]
    Above,
    /// Not below.
    #[serde(rename = ">=")]
    AtLeast,
}

impl Relation {
    /// As it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::AtLeast => ">=",
        }
    }

    fn of(self, value: f64, bound: f64) -> bool {
        match self {
            Self::Below => value < bound,
            Self::AtMost => value <= bound,
            Self::Above => value > bound,
            Self::AtLeast => value >= bound,
        }
    }
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Condition {
    /// Its name, for programs.
    pub name: &'static str,
    /// Where the paper states it: the theorem and the label of the equation.
    pub source: &'static str,
    /// What it asks for, in words.
    pub formula: &'static str,
    /// The number found. Infinite (`null` in JSON) where a quantity is unbounded.
    pub value: f64,
    /// How it must relate to the bound.
    pub relation: Relation,
    /// The bound. Minus infinity (`null` in JSON) where there is none that any noise could meet.
    pub bound: f64,
    /// Whether it does.
    pub holds: bool,
    /// What else there is to know.
    pub remark: Option<String>,
}

impl Condition {
    fn new(
        (name, source, formula): (&'static str, &'static str, &'static str),
        value: f64,
        relation: Relation,
        bound: f64,
    ) -> Self {
        // 0/0 and the like never hold, and never reach a reader.
        let known = |number: f64| if number.is_nan() { f64::INFINITY } else { number };
        let holds = relation.of(value, bound);
        Self { name, source, formula, value: known(value), relation, bound: known(bound), holds, remark: None }
    }

    fn remark(self, remark: impl Into<String>) -> Self {
        Self { remark: Some(remark.into()), ..self }
    }
}

/// All conditions that the evidence allows to check, in the order of the paper.
pub(super) fn all(evidence: &Evidence, q: &Quantities, iterate: Option<&Iterate>) -> Vec<Condition> {
    let mut list = assumptions(q);
    if let Some(c) = iterate {
        list.extend(theorem_2(evidence, q, c));
    }
    if let Some(lambda) = evidence.regularization {
        list.extend(theorem_3(&Bounds::of(q, evidence.smoothing), lambda, evidence.relative_gap));
    }
    if let Some(c) = iterate {
        list.extend(theorem_4(evidence, q, c));
        list.push(proposition_1(c));
        list.extend(lemma_1(q, c));
    }
    list
}

fn assumptions(q: &Quantities) -> Vec<Condition> {
    use Relation::*;
    let negligible = q.rows.max(q.rank) as f64 * f64::EPSILON * q.sigma_max;
    vec![
        Condition::new(
            ("separability", "Assumption 1 (as:sep)", "H(:, anchors) = I: largest deviation"),
            q.separability_error,
            AtMost,
            ROUNDING,
        ),
        Condition::new(
            ("simplex", "the model (eq:sumtoone)", "columns of H >= 0 and summing to 1: largest deviation"),
            q.simplex_error,
            AtMost,
            ROUNDING,
        ),
        Condition::new(
            ("full-rank", "Theorems 1 to 4", "rank(W) = K: smallest singular value of W"),
            q.sigma_min,
            Above,
            negligible,
        ),
        Condition::new(
            ("no-repeated-unit-vectors", "Theorems 1 to 3 (def:set1)", "d(H), largest entry of H outside the anchors"),
            q.d,
            Below,
            1.0,
        ),
        Condition::new(
            ("theorem-1-noise", "Theorem 1 (theorem:noiseless)", "no noise: delta, up to rounding"),
            q.delta,
            AtMost,
            ROUNDING * q.gamma,
        ),
    ]
}

/// `sqrt(gamma^2 + room) - gamma` without cancellation; minus infinity where the root does not exist.
fn noise_bound(gamma: f64, room: f64) -> f64 {
    let square = gamma * gamma + room;
    if square.is_nan() || square < 0.0 {
        return f64::NEG_INFINITY;
    }
    if room == 0.0 { 0.0 } else { room / (square.sqrt() + gamma) }
}

fn theorem_2(evidence: &Evidence, q: &Quantities, c: &Iterate) -> Vec<Condition> {
    let stated = match evidence.regularization {
        Some(lambda) if lambda > 0.0 => "; the theorem is about lambda = 0, and this run is not",
        _ => "",
    };
    let nu = if c.nu.is_finite() { c.nu } else { 0.0 }; // K = 1, or every column fits: there is no second to be told from
    let room = nu * c.eta * (1.0 - q.d) / (4.0 * q.sigma_max);
    vec![
        Condition::new(
            ("theorem-2-gap", "Theorem 2 (eq:wiredcond)", "nu, gap between the two smallest entries of q"),
            nu,
            Relation::Above,
            0.0,
        )
        .remark("an upper bound: measured at the start and at the returned C, while the theorem asks for all iterates"),
        Condition::new(
            (
                "theorem-2-noise",
                "Theorem 2 (eq:noisy_unreg_cond)",
                "delta against sqrt(gamma^2 + nu eta (1 - d)/(4 sigma_max)) - gamma",
            ),
            q.delta,
            Relation::AtMost,
            noise_bound(q.gamma, room),
        )
        .remark(match c.eta {
            0.0 => format!("columns stop only below 2 delta, which leaves no eta > 0{stated}"),
            eta => format!("eta = {eta:.3e}, nu at most {nu:.3e}{stated}"),
        }),
    ]
}

fn theorem_3(bounds: &Bounds, lambda: f64, relative_gap: Option<f64>) -> Vec<Condition> {
    let (beta, others) = (bounds.beta(lambda, 1.0), bounds.others(lambda, 1.0));
    let separation = Condition::new(
        (
            "theorem-3-separation",
            "Theorem 3 (eq:pure, eq:non-pure)",
            "1 - beta against 2 rho (N-K)/(lambda N) ||V||^2 + mu N log N + beta K",
        ),
        1.0 - beta,
        Relation::AtLeast,
        others,
    );
    let optimal = match relative_gap {
        Some(part) => format!(
            "about an optimal C; this one is proved to be within {:.2} % of the optimum, without smoothing",
            100.0 * part
        ),
        None => "about an optimal C; how far this one is from the optimum is not known".to_string(),
    };
    vec![
        Condition::new(
            ("theorem-3-beta", "Theorem 3 (eq:pure)", "beta: anchors' rows of an optimal C exceed 1 - beta"),
            beta,
            Relation::Below,
            1.0,
        )
        .remark(optimal),
        match lambda {
            0.0 => separation.remark("lambda = 0: the theorem says nothing about the other rows"),
            _ => separation,
        },
    ]
}

fn theorem_4(evidence: &Evidence, q: &Quantities, c: &Iterate) -> Vec<Condition> {
    let lambda = evidence.regularization.unwrap_or(0.0);
    // The share of lambda that separates: 1/N - exp(-psi/mu); a constant row has psi = 0.
    let share = 1.0 / q.cols as f64 - (-c.psi / evidence.smoothing).exp();
    let needed = (q.d_prime * q.d_prime + 2.0 * q.d_prime + 5.0) * q.sigma_max * q.sigma_max / 2.0;
    let upsilon = 0.25 * (lambda * share - needed);
    let noise = Condition::new(
        ("theorem-4-noise", "Theorem 4 (eq:noise_bound_reg)", "delta against sqrt(gamma^2 + upsilon) - gamma"),
        q.delta,
        Relation::AtMost,
        noise_bound(q.gamma, upsilon),
    );
    let remark = if share > 0.0 {
        format!("even without noise lambda would have to be at least {:.3e}; psi = {:.3e}", needed / share, c.psi)
    } else {
        format!("no lambda would do: exp(-psi/mu) with psi = {:.3e} is not below 1/N", c.psi)
    };
    vec![
        Condition::new(
            (
                "theorem-4-support",
                "Theorem 4 (i), and the claim of Theorems 1, 2, 4",
                "entries of C outside the anchors, at the end and during the run",
            ),
            c.entries_outside as f64,
            Relation::AtMost,
            0.0,
        )
        .remark(format!("in {} of {} columns", c.columns_outside, q.cols)),
        Condition::new(
            ("theorem-4-varying-row", "Theorem 4 (ii)", "anchors whose row of C is not constant"),
            c.varying_rows as f64,
            Relation::AtLeast,
            1.0,
        ),
        noise.remark(remark),
    ]
}

fn proposition_1(c: &Iterate) -> Condition {
    let words = (
        "proposition-1-start",
        "Proposition 1 (eq:init_condition)",
        "xi, smallest distance of a D that is not an integer to the integers",
    );
    let condition = Condition::new(words, c.xi.unwrap_or(0.0), Relation::Above, 0.0);
    let Some(xi) = c.xi else {
        return condition.remark("the run started from C = 0; the proposition is about warm starts (--init spa)");
    };
    if c.start_iteration == 0 {
        return Condition { holds: false, ..condition }.remark("t_init = 0, but the proposition asks for at least 1");
    }
    let last = c.last_iteration as f64;
    condition.remark(format!("psi is at least 2 xi/(T (T+1)) = {:.3e} at T = {last}", 2.0 * xi / (last * (last + 1.0))))
}

fn lemma_1(q: &Quantities, c: &Iterate) -> Vec<Condition> {
    let root = (q.rank as f64).sqrt();
    let promised = 1.0 - c.omega * root / 2.0;
    vec![
        Condition::new(
            ("lemma-1-omega", "Lemma 1 (lem:alpha)", "omega = max ||H c - h|| against 2/sqrt(K)"),
            c.omega,
            Relation::Below,
            2.0 / root,
        )
        .remark(format!(
            "with supp(C) inside the anchors, their row norms are at least 1 - omega sqrt(K)/2 = {promised:.3e}; found {:.3e}",
            c.smallest_anchor_norm
        )),
        Condition::new(
            (
                "observed-separation",
                "what Theorem 3 promises, seen in C",
                "smallest row norm of an anchor against the largest of the others",
            ),
            c.smallest_anchor_norm,
            Relation::Above,
            c.largest_other_norm,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_bound_does_not_cancel() {
        assert_eq!(noise_bound(3.0, 16.0), 2.0);
        assert!((noise_bound(1.0, 1e-20) - 0.5e-20).abs() < 1e-35); // sqrt(1 + 1e-20) - 1 would be 0
        assert_eq!((noise_bound(1.0, -1.0), noise_bound(1.0, -2.0)), (-1.0, f64::NEG_INFINITY));
        assert_eq!(noise_bound(0.0, 0.0), 0.0);
    }

    #[test]
    fn not_a_number_never_holds_and_never_shows() {
        let condition = Condition::new(("a", "b", "c"), f64::NAN, Relation::AtMost, 1.0);
        assert!(!condition.holds && !condition.value.is_nan());
    }
}
