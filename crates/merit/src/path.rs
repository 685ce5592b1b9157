//! How the exact optimum changes with lambda: which columns are anchors over a whole range of it.
//!
//! ```text
//! u = SPA's squared residual / (N - K);   C_c = argmin F at lambda = c u,  c = 4, 2, 1, 1/2,  each from where the one before ended
//! ```
//!
//! A column whose row stays among the `K` largest (by 2-norm) while lambda changes by a factor of eight is an anchor whatever lambda is;
//! one that comes and goes is so by the choice of lambda. For looking, not for choosing `K`: docs/src/explanation/automatic.md has the numbers. Each step
//! costs some tens of passes over all pairs of columns.

use crate::Error;
use crate::automatic::SpaFit;
use crate::exact::{self, Start, Workspace};
use crate::progress::{Stage, Stages, StopReason};
use crate::search::SpaStart;
use crate::selection::{Ranking, largest_rows};
use merit_linalg::DataMatrix;
use serde::{Deserialize, Serialize};

/// Multiples of the unit, the largest first: there `C` is sparsest, and a start for the next.
const MULTIPLES: [f64; 4] = [4.0, 2.0, 1.0, 0.5];
/// Precise enough for a picture.
const SETTINGS: exact::Settings = exact::Settings { gap: 1e-2, passes: 150 };

/// The optimum at several lambdas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// The columns that are among the largest rows at some lambda, those that are so most often first.
    pub columns: Vec<usize>,
    /// From the largest lambda to the smallest; fewer if the time was not enough.
    pub steps: Vec<Step>,
}

/// The optimum at one lambda.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Lambda as a multiple of the unit.
    pub multiple: f64,
    /// Lambda.
    pub regularization: f64,
    /// `F(C)`, without smoothing.
    pub objective: f64,
    /// No `C` has a smaller `F` than this.
    pub lower_bound: f64,
    /// Passes over all pairs of columns.
    pub passes: usize,
    /// The `K` columns with the largest rows.
    pub anchors: Vec<usize>,
    /// `||C(n,:)||_2` of the columns of the path.
    pub row_norms: Vec<f64>,
}

impl Path {
    /// At how many lambdas this column is among the largest.
    pub fn stays(&self, column: usize) -> usize {
        self.steps.iter().filter(|step| step.anchors.contains(&column)).count()
    }

    /// The same with columns numbered as the caller has them.
    pub(crate) fn numbered(mut self, original: impl Fn(usize) -> usize) -> Self {
        let lists = self.steps.iter_mut().map(|step| &mut step.anchors).chain([&mut self.columns]);
        lists.flatten().for_each(|column| *column = original(*column));
        self
    }
}

/// Follows the optimum; ended early it has the steps until then.
pub fn path(x: &DataMatrix, rank: usize, stages: &mut Stages) -> Result<Path, Error> {
    exact::check_memory(x)?;
    let (unit, start) = stages.whole(Stage::new("path", "SPA").with_result(), |interrupt| {
        (SpaFit::of(x, rank, interrupt).unit(), SpaStart::of(x, rank, interrupt).columns)
    })?;
    let (mut workspace, mut start) = (Workspace::new(x), Some(Start::Columns(start)));
    let (mut steps, mut all_norms) = (Vec::new(), Vec::new());
    for multiple in MULTIPLES {
        if stages.cut_short().is_some() {
            break;
        }
        let lambda = multiple * unit;
        let stage = Stage::counted("path", format!("the optimum at regularization {lambda:.4e}"), SETTINGS.passes);
        let stage = stage.with_result();
        let (from, interrupt) = (start.take().expect("every step leaves one"), stages.interrupt());
        workspace = workspace.time_limit(stages.time_left());
        let solved = stages.run(stage, |stages| {
            let solved = workspace.solve(lambda, from, &SETTINGS, stages.observer(), &interrupt);
            stages.ended(solved.as_ref().map_or(StopReason::Interrupted, |solution| solution.stop));
            solved
        });
        let Some(solution) = solved else { break };
        let Some(state) = solution.state else { break }; // no pass was made
        let norms = Ranking::TwoNorm.norms(&solution.c);
        steps.push(Step {
            multiple,
            regularization: lambda,
            objective: solution.objective,
            lower_bound: solution.lower_bound,
            passes: solution.passes,
            anchors: largest_rows(&norms, rank, |_| true),
            row_norms: Vec::new(),
        });
        all_norms.push(norms);
        start = Some(Start::State(state));
    }
    let mut path = Path { columns: Vec::new(), steps };
    let mut columns: Vec<usize> = path.steps.iter().flat_map(|step| step.anchors.iter().copied()).collect();
    columns.sort_unstable();
    columns.dedup();
    columns.sort_by_key(|&column| std::cmp::Reverse(path.stays(column))); // stable: of equal ones the smaller index
    for (step, norms) in path.steps.iter_mut().zip(&all_norms) {
        step.row_norms = columns.iter().map(|&column| norms[column]).collect();
    }
    path.columns = columns;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::success;
    use crate::synthetic::Dirichlet;

    #[test]
    fn true_anchors_stay_and_bounds_hold() {
        let data = Dirichlet { snr_db: 25.0, seed: 2, ..Dirichlet::new(20, 80, 5) }.generate().unwrap();
        let x = DataMatrix::from(data.x);
        let mut unseen = ();
        let path = path(&x, 5, &mut Stages::new(&mut unseen, None)).unwrap();
        assert_eq!(path.steps.iter().map(|step| step.multiple).collect::<Vec<_>>(), MULTIPLES);
        let always: Vec<usize> = path.columns.iter().copied().filter(|&column| path.stays(column) == 4).collect();
        assert!(success(&always, &data.anchors), "{always:?} of {:?}", path.columns);
        assert_eq!(path.columns[..5], always, "those that stay come first");
        for step in &path.steps {
            let reached = step.objective - step.lower_bound <= SETTINGS.gap * step.objective;
            assert!(step.lower_bound <= step.objective && (reached || step.passes == SETTINGS.passes), "{step:?}");
            assert_eq!((step.anchors.len(), step.row_norms.len()), (5, path.columns.len()));
        }
        // A larger lambda costs every C more.
        assert!(path.steps.windows(2).all(|pair| pair[1].lower_bound <= pair[0].objective));
        let numbered = path.clone().numbered(|column| column + 100);
        assert_eq!(numbered.stays(always[0] + 100), 4);
    }
}
