//! `merit communities`: edges to memberships, pure nodes and a page.

pub mod communities_page;
mod run_folder;

use super::run_outputs::Results;
use super::use_threads;
use crate::ExitCode;
use crate::args::CommunitiesArgs;
use crate::failure::Failure;
use crate::hints::typed;
use crate::progress::{Reporter, while_working};
use crate::record::{CommunitiesDetails, CommunitiesSettings, GraphInput, RunRecord, SearchRecord};
use crate::terminal::bytes;
use merit_communities::read::read;
use merit_communities::truth::{Scores, Truth};
use merit_communities::{Detection, Graph, detect};
use merit_dataset::shown::{shown, shown_path};
use std::path::Path;
use std::time::Instant;

/// What `run.json` of `merit communities` is.
pub type Record = RunRecord<CommunitiesDetails>;

/// Everything a run knows, for the folder, the page and the words.
pub struct Outcome<'a> {
    pub args: &'a CommunitiesArgs,
    pub graph: Graph,
    pub found: Detection,
    pub scores: Option<Scores>,
}

pub fn run(args: &CommunitiesArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let inputs: Vec<&Path> = std::iter::once(args.input.as_path()).chain(args.truth.as_deref()).collect();
    args.outputs.check(&inputs)?;
    if let Some(path) = &args.truth {
        Truth::check(path)?; // before the graph is read, which may take long
    }
    let clock = Instant::now();
    let reading = format!("reading {}", args.input.display());
    let options = args.reading.settings.options();
    let graph = while_working(args.outputs.quiet, reading, || read(&args.input, &options))?;
    let truth = args.truth.as_deref().map(|path| Truth::read(path, &graph)).transpose()?;
    let read_seconds = clock.elapsed().as_secs_f64();

    let mut reporter = Reporter::new(args.outputs.quiet, graph.nodes());
    let found = detect(&graph, &args.flags.settings, &mut reporter)?;
    drop(reporter);
    let scores = truth.as_ref().map(|truth| truth.scores(&found.memberships, &found.kept));
    let outcome = Outcome { args, graph, found, scores };
    let record = outcome.record(truth.as_ref());
    let record = record.with_seconds(&[("read", read_seconds)]).with_seconds(&outcome.found.seconds);
    let results = Results {
        folder: &|folder| run_folder::write_tables(folder, &outcome),
        extra: None,
        page: &|record| communities_page::of_run(&outcome, record),
        words: &|record| outcome.in_words(record),
        width: 11,
    };
    args.outputs.finish(&inputs, record, &results)
}

fn truth_notes(truth: &Truth, communities: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if truth.strangers > 0 {
        notes.push(format!("{} nodes of the truth are not in the graph and were left out", truth.strangers));
    }
    if truth.unnamed > 0 {
        notes.push(format!("the truth says nothing about {} nodes: their true shares count as 0", truth.unnamed));
    }
    if truth.communities.len() != communities {
        let known = truth.communities.len();
        notes.push(format!("the truth has {known} communities, the run {communities}: the best pairs are compared"));
    }
    notes
}

impl Outcome<'_> {
    pub fn record(&self, truth: Option<&Truth>) -> Record {
        let (graph, found, asked) = (&self.graph, &self.found, &self.args.flags.settings);
        let mut used = asked.clone();
        used.communities = Some(found.pure.len());
        used.memberships = asked.rule();
        used.search.solver.step_after_gap |= asked.published;
        let search = SearchRecord::resolved(found.search.as_ref(), &mut used.search, asked.method.name(), found.stop);
        // By size, and numbered as the nodes.
        let search = SearchRecord { anchors: found.pure.clone(), scores: found.scores.clone(), ..search };
        let details = CommunitiesDetails {
            input: GraphInput {
                path: self.args.input.display().to_string(),
                nodes: graph.nodes(),
                edges: graph.edges(),
                record: graph.record.clone(),
            },
            settings: CommunitiesSettings {
                communities_given: asked.communities,
                reading: self.args.reading.settings.clone(),
                detection: used,
            },
            communities: found.pure.len(),
            communities_estimate: found.estimate.clone(),
            eigenvalues: found.spectrum.values.clone(),
            eigenvalue_residuals: found.spectrum.residuals.clone(),
            eigenvectors_converged: found.spectrum.converged,
            operator_products: found.spectrum.products,
            kept_nodes: found.kept.len(),
            pure_nodes: found.pure.iter().map(|&i| graph.names[i].clone()).collect(),
            sizes: found.sizes(),
            mean_membership_nodes: found.empty.len(),
            b: (0..found.b.cols()).map(|k| found.b.col(k).to_vec()).collect(),
            src: self.scores.as_ref().map(|scores| scores.src),
            src_kept: self.scores.as_ref().map(|scores| scores.src_kept),
            nmi: self.scores.as_ref().map(|scores| scores.nmi),
        };
        let mut notes: Vec<String> = graph.notes().iter().chain(&found.notes).map(|note| typed(note)).collect();
        notes.extend(truth.into_iter().flat_map(|truth| truth_notes(truth, found.pure.len())));
        notes.extend(self.args.flags.unused_note(asked.method.name()));
        RunRecord::new(details, search, asked.search.solver.kernel, notes)
    }

    /// The summary for people.
    fn in_words(&self, record: &Record) -> String {
        let (graph, found, search) = (&self.graph, &self.found, &record.search);
        let mut lines = vec![format!(
            "{}: {} nodes, {} edges, {} communities{}",
            shown_path(&self.args.input),
            graph.nodes(),
            graph.edges(),
            found.pure.len(),
            match &found.estimate {
                None => "",
                Some(estimate) if estimate.clear => " (estimated, clear)",
                Some(_) => " (estimated, NOT clear)",
            }
        )];
        let worst = found.spectrum.residuals.iter().fold(0.0_f64, |top, r| top.max(*r));
        lines.push(format!("eigenvalues {} (largest residual {worst:.1e})", numbers(&found.spectrum.values, 2)));
        lines.push(format!("kept        {} nodes, searched for pure ones", found.kept.len()));
        let names: Vec<_> = found.pure.iter().take(20).map(|&i| shown(&graph.names[i])).collect();
        let more = if found.pure.len() > 20 { ", ..." } else { "" };
        lines.push(format!("pure nodes  {}{more}", names.join(", ")));
        lines.push(format!("sizes       {} (sums of shares)", numbers(&found.sizes(), 1)));
        if let (Some(iterations), Some(stop)) = (search.iterations, search.stop_reason) {
            let gap = search.gap.map_or(String::new(), |gap| format!(", gap {gap:.4}"));
            lines.push(format!("stopped     {stop} after {iterations} iterations{gap}"));
        }
        if let Some(Scores { src, src_kept, nmi }) = &self.scores {
            lines.push(format!("truth       SRC {src:.4} (kept nodes {src_kept:.4}), overlapping NMI {nmi:.4}"));
        }
        let peak = record.peak_rss_bytes.map_or(String::new(), |peak| format!(", peak memory {}", bytes(peak)));
        lines.push(format!("took        {:.2} s{peak}", record.total_seconds()));
        lines.join("\n") + "\n"
    }
}

/// The first numbers of a list.
fn numbers(values: &[f64], digits: usize) -> String {
    let first: Vec<String> = values.iter().take(12).map(|v| format!("{v:.digits$}")).collect();
    first.join(", ") + if values.len() > 12 { ", ..." } else { "" }
}
