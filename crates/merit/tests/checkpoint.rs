//! Work that is cut off at any iteration and goes on gives the bits of work that was not.

use merit::automatic::Regularization;
mod support;

use merit::checkpoint::{InMemory, Keeper, Kept, State};
use merit::factor::{Factorization, Init, Settings, factor};
use merit::methods::fast_gradient;
use merit::progress::{Observer, Progress};
use merit::solver::{Start, StoredResiduals, Workspace};
use merit::synthetic::Dirichlet;
use merit::{DataMatrix, Error, Method, SparseMatrix, exact, search, solver};
use merit_linalg::numbers::Numbers;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;
use support::shared_by;

/// Ends the work after some iterations of all runs together.
struct Cut {
    left: usize,
    keeper: InMemory,
}

impl Observer for Cut {
    fn iteration(&mut self, _: &Progress) -> ControlFlow<()> {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn keeper(&mut self) -> Option<&mut dyn Keeper> {
        Some(&mut self.keeper)
    }
}

fn data(cols: usize) -> DataMatrix {
    Dirichlet { snr_db: 10.0, ..Dirichlet::new(6, cols, 4) }.generate().unwrap().x.into()
}

fn sparse(cols: u32) -> DataMatrix {
    let entry = |l: u32| (0..4).map(move |i| ((l * (3 + i) + i) % 400, l, 1.0 + f64::from((l * l + i) % 7)));
    SparseMatrix::from_triplets(400, cols as usize, (0..cols).flat_map(entry).collect()).into()
}

/// Everything in a run that does not tell the time or the effort.
fn bits(run: &Factorization) -> String {
    let trace: Vec<_> = run.search.trace.iter().map(|row| (row.iteration, row.step, row.objective, row.gap)).collect();
    let bounds = run.search.certificate.as_ref().map(|known| (known.lower_bound, known.passes, &known.trace));
    let path = format!("{:?}", run.path);
    format!("{:?} {:?} {trace:?} {bounds:?} {path:?} {:?}", run.anchors(), run.c(), run.h.h)
}

/// Cut off after `first` iterations, then again and again after some more.
fn in_parts(x: &DataMatrix, settings: &Settings, first: usize) -> (Factorization, usize) {
    let mut cut = Cut { left: first, keeper: InMemory::default() };
    for parts in 1.. {
        match factor(x, settings, &mut cut) {
            Ok(run) if cut.left > 0 => return (run, parts),
            Ok(_) | Err(Error::Interrupted) => {}
            Err(error) => panic!("{error}"),
        }
        // What was done before is seen again, and more than that has to be allowed.
        cut = Cut { left: first * (parts + 1) + parts, keeper: cut.keeper.again() };
    }
    unreachable!()
}

fn check(name: &str, x: &DataMatrix, settings: &Settings, steps: &[usize]) {
    let whole = bits(&factor(x, settings, &mut ()).unwrap());
    for &first in steps {
        let (run, parts) = in_parts(x, settings, first);
        assert!(parts > 1, "{name}: it was not cut off after {first} iterations");
        assert!(bits(&run) == whole, "{name}, {parts} parts from {first} iterations on");
    }
}

fn settings(method: Method, search: search::Settings) -> Settings {
    Settings { rank: Some(4), method, search, ..Default::default() }
}

#[test]
fn frank_wolfe_goes_on_with_the_same_bits() {
    let steps = solver::Settings { iterations: 30, ..Default::default() };
    let search = search::Settings { regularization: Regularization::Value(0.05), solver: steps, ..Default::default() };
    let tall: DataMatrix = Dirichlet { snr_db: 10.0, ..Dirichlet::new(250, 120, 4) }.generate().unwrap().x.into();
    let single = merit::precision::Precision::F32.take(data(250)).unwrap();
    for (name, x) in
        [("dense", data(250)), ("sparse", sparse(300)), ("tall, through products", tall), ("single", single)]
    {
        for stored_residuals in [StoredResiduals::Measured, StoredResiduals::Never] {
            let solver = solver::Settings { stored_residuals, ..search.solver.clone() };
            let search = search::Settings { solver, ..search.clone() };
            check(name, &x, &settings(Method::Merit, search), &[2, 7, 31]);
        }
    }
    let solver =
        solver::Settings { residual_tolerance: Some(0.02), objective_tolerance: Some(1e-9), ..search.solver.clone() };
    let tolerant = Settings { init: Init::Spa, ..settings(Method::Merit, search::Settings { solver, ..search }) };
    check("some columns stop, from SPA", &data(250), &tolerant, &[3]);
}

#[test]
fn automatic_runs_go_on_with_the_same_bits() {
    let solver = solver::Settings { iterations: 24, ..Default::default() };
    let search = search::Settings { solver, ..Default::default() };
    let asked = Settings { path: true, ..settings(Method::Merit, search) };
    check("automatic, with its path", &data(200), &asked, &[5, 40]);
}

#[test]
fn the_exact_solver_goes_on_with_the_same_bits() {
    for (gap, first) in [(1e-2, 3), (0.0, 11)] {
        let exact = exact::Settings { gap, passes: 45 };
        let search = search::Settings { exact, regularization: Regularization::Value(0.05), ..Default::default() };
        check("exact", &data(200), &settings(Method::Exact, search), &[first]);
    }
}

#[test]
fn fast_gradient_goes_on_with_the_same_bits() {
    let search = search::Settings { fast_gradient: fast_gradient::Options { steps: 25 }, ..Default::default() };
    check("FastGradient", &data(60), &settings(Method::FastGradient, search), &[1, 6]);
}

/// Keeps the state after so many iterations, and ends the run; or lets a run go on with such a state.
struct Once {
    at: usize,
    from: Option<Kept>,
    kept: BTreeMap<String, Numbers>,
    seen: usize,
}

impl Once {
    fn of(at: usize, from: Option<Kept>) -> Self {
        Self { at, from, kept: BTreeMap::new(), seen: 0 }
    }
}

impl Observer for Once {
    fn iteration(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.seen += 1;
        if progress.iteration == self.at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn keeper(&mut self) -> Option<&mut dyn Keeper> {
        Some(self)
    }
}

impl Keeper for Once {
    fn begin(&mut self, _: &str) -> Option<Kept> {
        self.from.take()
    }

    fn is_due(&self) -> bool {
        false
    }

    fn wants_result(&self, _: Duration) -> bool {
        true
    }

    fn keep(&mut self, state: &State) {
        self.kept = state.lists().iter().map(|(name, list)| (name.to_string(), list.joined())).collect();
    }
}

#[test]
fn processes_keep_the_state_of_one_and_any_number_of_them_go_on_with_it() {
    let tolerant = solver::Settings { residual_tolerance: Some(0.02), ..Default::default() };
    for (x, settings) in
        [(data(600), solver::Settings::default()), (sparse(400), tolerant.clone()), (data(250), tolerant)]
    {
        let settings = solver::Settings { iterations: 30, ..settings }.at(0.05).unwrap();
        // The state after so many iterations of so many processes: what the first keeps, without what tells the time.
        let run = |count, at, from: Option<&BTreeMap<_, _>>| {
            let found = shared_by(count, 1, |ranks| {
                let mut watch = Once::of(at, from.map(|lists| Kept::of(lists.clone())));
                let solution = Workspace::shared(&x, ranks).solve(Start::Zero, &settings, &mut watch);
                assert_eq!(watch.seen, solution.iterations + 1);
                assert!(ranks.rank() == 0 || watch.kept.is_empty(), "only the first keeps it");
                let c = solution.c.clone().into_inner().whole();
                let bits: Vec<_> = (0..c.cols()).map(|l| (c.col(l).0.to_vec(), c.col(l).1.to_vec())).collect();
                (watch.kept, format!("{:?} {:?} {bits:?}", solution.objective, solution.gap))
            });
            let all_same = found.iter().all(|(_, bits)| *bits == found[0].1);
            assert!(all_same, "{count} processes until {at}");
            found.into_iter().next().unwrap()
        };
        let timeless = |lists: &BTreeMap<String, Numbers>| {
            lists
                .clone()
                .into_iter()
                .filter(|(name, _)| name != "steps" && name != "numbers")
                .collect::<BTreeMap<_, _>>()
        };
        let (state, _) = run(1, 11, None);
        let (result, whole) = run(1, usize::MAX, None);
        assert!(state.contains_key("c_rows") && result.contains_key("c_rows"));
        for count in [2, 3, 4] {
            let (shared, _) = run(count, 11, None);
            assert!(timeless(&shared) == timeless(&state), "what {count} processes keep");
            for (many, from) in [(count, &state), (1, &shared), (5 - count, &shared)] {
                let (kept, bits) = run(many, usize::MAX, Some(from));
                assert!(bits == whole && timeless(&kept) == timeless(&result), "{count}, then {many}");
            }
            assert_eq!(run(count, usize::MAX, Some(&result)).1, whole); // it had ended
        }
    }
}
