//! `merit communities`: edges to memberships, pure nodes and a page.

mod communities_page;
mod run_folder;

use super::use_threads;
use crate::args::{CommunitiesArgs, CommunityMethodName, MembershipsName, OperatorName};
use crate::failure::Failure;
use crate::hints::typed;
use crate::progress::{Reporter, while_working};
use crate::terminal::bytes;
use merit::solver::{Settings, StopReason};
use merit_communities::count::{Estimate, estimate};
use merit_communities::read::{ReadOptions, read};
use merit_communities::truth::{Scores, Truth};
use merit_communities::{Detection, Graph, Method, Operator, Request, Rule, detect};
use merit_linalg::memory::peak_rss_bytes;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Everything a run knows, for the folder, the page and the words.
struct Outcome<'a> {
    args: &'a CommunitiesArgs,
    request: Request,
    graph: Graph,
    estimate: Option<Estimate>,
    found: Detection,
    truth: Option<(Truth, Scores)>,
    notes: Vec<String>,
    seconds: Vec<(String, f64)>,
}

pub fn run(args: &CommunitiesArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    args.outputs.check()?;
    if let Some(path) = &args.truth {
        Truth::check(path)?; // before the graph is read, which may take long
    }
    let clock = Instant::now();
    let options = ReadOptions { weighted: args.weighted, variable: args.variable.clone() };
    let reading = format!("reading {}", args.input.display());
    let graph = while_working(args.outputs.quiet, reading, || read(&args.input, &options))?;
    let truth = args.truth.as_deref().map(|path| Truth::read(path, &graph)).transpose()?;
    let mut seconds = vec![("read".to_string(), clock.elapsed().as_secs_f64())];
    let mut notes: Vec<String> = graph.notes().iter().map(|note| typed(note)).collect();

    let mut request = request(args);
    let mut guess = None;
    if args.communities.is_none() {
        let clock = Instant::now();
        let what = "estimating the number of communities".to_string();
        let found = while_working(args.outputs.quiet, what, || estimate(&graph, request.operator));
        request.communities = found.communities;
        guess = Some(found);
        seconds.push(("count".to_string(), clock.elapsed().as_secs_f64()));
    }
    let steps = if request.method == Method::FastGradient { args.gradient_steps } else { args.iterations };
    let mut reporter = Reporter::new(args.outputs.quiet, graph.nodes(), steps);
    let found = detect(&graph, &request, &mut reporter)?;
    drop(reporter);
    seconds.extend(found.seconds.iter().map(|&(name, seconds)| (name.to_string(), seconds)));
    if let Some(guess) = &mut guess {
        guess.judge(&found);
        notes.push(typed(&guess.statement()));
    }
    notes.extend(found.notes.clone());
    if let Some(truth) = &truth {
        notes.extend(truth_notes(truth, &request));
    }
    let truth = truth.map(|truth| {
        let scores = truth.scores(&found.memberships, &found.kept);
        (truth, scores)
    });
    let outcome = Outcome { args, request, graph, estimate: guess, found, truth, notes, seconds };
    outcome.write()
}

/// What the flags ask for; the number of communities may still be missing.
fn request(args: &CommunitiesArgs) -> Request {
    Request {
        method: match args.method {
            CommunityMethodName::Merit => Method::Merit,
            CommunityMethodName::Spa => Method::Spa,
            CommunityMethodName::Spoc => Method::Spoc,
            CommunityMethodName::Geonmf => Method::GeoNmf,
            CommunityMethodName::FastGradient => Method::FastGradient,
        },
        operator: match args.operator {
            OperatorName::Adjacency => Operator::Adjacency,
            OperatorName::Normalized => Operator::Normalized,
        },
        energy: args.energy,
        memberships: args.memberships.map(|name| match name {
            MembershipsName::Inverse => Rule::Inverse,
            MembershipsName::Simplex => Rule::Simplex,
            MembershipsName::Floored => Rule::Floored,
        }),
        solver: Settings {
            regularization: args.regularization,
            smoothing: args.smoothing,
            iterations: args.iterations,
            gap_tolerance: Some(args.gap_tolerance),
            time_limit: args.time_limit.map(|seconds| Duration::from_secs_f64(seconds.min(1e15))),
            kernel: args.kernel.0,
            ..Settings::default()
        },
        published: args.published,
        gradient_steps: args.gradient_steps,
        seed: args.seed,
        ..Request::new(args.communities.unwrap_or(0))
    }
}

fn truth_notes(truth: &Truth, request: &Request) -> Vec<String> {
    let mut notes = Vec::new();
    if truth.strangers > 0 {
        notes.push(format!("{} nodes of the truth are not in the graph and were left out", truth.strangers));
    }
    if truth.unnamed > 0 {
        notes.push(format!("the truth says nothing about {} nodes: their true shares count as 0", truth.unnamed));
    }
    if truth.communities.len() != request.communities {
        let (known, asked) = (truth.communities.len(), request.communities);
        notes.push(format!("the truth has {known} communities, the run {asked}: the best pairs are compared"));
    }
    notes
}

impl Outcome<'_> {
    fn write(mut self) -> Result<ExitCode, Failure> {
        let args = self.args;
        let clock = Instant::now();
        let folder = args.outputs.folder()?;
        if let Some(folder) = &folder {
            run_folder::write_tables(folder, &self)?;
        }
        args.outputs.write_page(folder.as_ref(), || communities_page::of_run(&self))?;
        self.seconds.push(("write".to_string(), clock.elapsed().as_secs_f64()));
        args.outputs.finish(folder, &run_folder::summary(&self), &self.notes, || self.in_words())?;
        Ok(ExitCode::from(if self.found.stop == Some(StopReason::Interrupted) { 130 } else { 0 }))
    }

    fn total_seconds(&self) -> f64 {
        self.seconds.iter().map(|(_, seconds)| seconds).sum()
    }

    /// The summary for people.
    fn in_words(&self) -> String {
        let (graph, found) = (&self.graph, &self.found);
        let mut lines = vec![format!(
            "{}: {} nodes, {} edges, {} communities{}",
            self.args.input.display(),
            graph.nodes(),
            graph.edges(),
            found.pure.len(),
            match &self.estimate {
                None => "",
                Some(estimate) if estimate.clear => " (estimated, clear)",
                Some(_) => " (estimated, NOT clear)",
            }
        )];
        let worst = found.spectrum.residuals.iter().fold(0.0_f64, |top, r| top.max(*r));
        lines.push(format!("eigenvalues {} (largest residual {worst:.1e})", shown(&found.spectrum.values, 2)));
        lines.push(format!("kept        {} nodes, searched for pure ones", found.kept.len()));
        let names: Vec<&str> = found.pure.iter().take(20).map(|&i| graph.names[i].as_str()).collect();
        let more = if found.pure.len() > 20 { ", ..." } else { "" };
        lines.push(format!("pure nodes  {}{more}", names.join(", ")));
        lines.push(format!("sizes       {} (sums of shares)", shown(&found.sizes(), 1)));
        if let (Some(solution), Some(stop)) = (&found.solution, found.stop) {
            let gap = solution.gap.map_or(String::new(), |gap| format!(", gap {gap:.4}"));
            lines.push(format!("stopped     {stop} after {} iterations{gap}", solution.iterations));
        }
        if let Some((_, scores)) = &self.truth {
            let Scores { src, src_kept, nmi } = scores;
            lines.push(format!("truth       SRC {src:.4} (kept nodes {src_kept:.4}), overlapping NMI {nmi:.4}"));
        }
        let peak = peak_rss_bytes().map_or(String::new(), |peak| format!(", peak memory {}", bytes(peak)));
        lines.push(format!("took        {:.2} s{peak}", self.total_seconds()));
        for (name, path) in [("written", &self.args.outputs.output), ("report", &self.args.outputs.report)] {
            if let Some(path) = path {
                lines.push(format!("{name:<11} {}", path.display()));
            }
        }
        lines.join("\n") + "\n"
    }
}

/// The first numbers of a list.
fn shown(values: &[f64], digits: usize) -> String {
    let first: Vec<String> = values.iter().take(12).map(|v| format!("{v:.digits$}")).collect();
    first.join(", ") + if values.len() > 12 { ", ..." } else { "" }
}
