//! `merit communities`: edges to memberships, pure nodes and a page.

pub mod communities_page;
mod exports;
mod run_folder;

use super::run_outputs::Results;
use super::{checkpoint, use_threads};
use crate::ExitCode;
use crate::args::CommunitiesArgs;
use crate::failure::Failure;
use crate::hints::typed;
use crate::progress::{Reporter, while_working};
use crate::ranks::together;
use crate::record::{CommunitiesDetails, CommunitiesSettings, GraphInput, RunRecord, SearchRecord};
use crate::terminal::bytes;
use merit::settings::{Declaration, Value};
use merit::words::counted;
use merit_communities::number_of_communities::Number;
use merit_communities::quality::quality;
use merit_communities::read::{node_names, read};
use merit_communities::roles::{Role, roles};
use merit_communities::truth::{Layout, Scores, Truth};
use merit_communities::{Detection, Graph, Operator, detect};
use merit_dataset::shown::{shown, shown_path};
use merit_linalg::numbers::fingerprint_of_sparse;
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
    pub roles: Vec<Option<Role>>,
}

impl<'a> Outcome<'a> {
    pub fn new(args: &'a CommunitiesArgs, graph: Graph, found: Detection, scores: Option<Scores>) -> Self {
        let roles = roles(&graph.adjacency, &found, args.flags.settings.threshold);
        Self { args, graph, found, scores, roles }
    }
}

fn read_graph(args: &CommunitiesArgs, inputs: &[&Path]) -> Result<(Graph, Option<Truth>), Failure> {
    args.outputs.check(inputs)?;
    if let Some(path) = &args.truth {
        Truth::check(path)?; // before the graph is read, which may take long
    }
    let reading = format!("reading {}", args.input.display());
    let options = args.reading.settings.options();
    let graph = while_working(args.outputs.quiet, reading, || {
        let graph = read(&args.input, &options)?;
        match &args.nodes {
            Some(path) => Ok(graph.with_nodes(node_names(path)?)),
            None => Ok::<_, merit_communities::Error>(graph),
        }
    })?;
    let truth = args.truth.as_deref().map(|path| Truth::read(path, &graph)).transpose()?;
    Ok((graph, truth))
}

pub fn run(args: &CommunitiesArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let inputs: Vec<&Path> =
        std::iter::once(args.input.as_path()).chain(args.truth.as_deref()).chain(args.nodes.as_deref()).collect();
    let clock = Instant::now();
    let (graph, truth) = together(read_graph(args, &inputs))?;
    let read_seconds = clock.elapsed().as_secs_f64();
    let data = || fingerprint_of_sparse(&graph.adjacency);
    let checkpoint = together(args.checkpoint.open("communities", data, &args.flags.settings))?;
    let mut reporter = Reporter::new(args.outputs.quiet, graph.nodes()).keeping(checkpoint);
    let found = detect(&graph, &args.flags.settings, &mut reporter);
    let checkpoint = reporter.into_checkpoint();
    if let Some(code) = checkpoint::ended_by_system(checkpoint.as_ref()) {
        return Ok(code);
    }
    let found = found?;
    let scores = truth.as_ref().map(|truth| truth.scores(&found, args.flags.settings.threshold));
    let outcome = Outcome::new(args, graph, found, scores);
    let record = outcome.record(truth.as_ref());
    let record = record.with_seconds(&[("read", read_seconds)]).with_seconds(&outcome.found.seconds);
    let results = Results {
        folder: &|folder| run_folder::write_tables(folder, &outcome),
        extra: None,
        page: &|record| communities_page::of_run(&outcome, record),
        words: &|record| outcome.in_words(record),
        width: 11,
    };
    let code = args.outputs.finish(&inputs, record, &results)?;
    Ok(checkpoint::after(checkpoint, code, outcome.found.stop))
}

fn truth_notes(truth: &Truth, communities: usize) -> Vec<String> {
    let mut notes = vec![match truth.layout {
        Layout::NodeALine => "the truth was read as lines of node, community and weight".to_string(),
        Layout::CommunityALine => "the truth was read as one community per line".to_string(),
    }];
    if truth.strangers > 0 {
        let nodes = counted(truth.strangers, "node of the truth is", "nodes of the truth are");
        notes.push(format!("{nodes} not in the graph: left out"));
    }
    if truth.unnamed > 0 {
        let nodes = counted(truth.unnamed, "node: its", "nodes: their");
        notes.push(format!("the truth says nothing about {nodes} true shares count as 0"));
    }
    if truth.communities.len() != communities {
        let known = counted(truth.communities.len(), "community", "communities");
        notes.push(format!("the truth has {known}, the run {communities}: the best pairs are compared"));
    }
    notes
}

impl Outcome<'_> {
    pub fn record(&self, truth: Option<&Truth>) -> Record {
        let (graph, found, asked) = (&self.graph, &self.found, &self.args.flags.settings);
        let mut used = asked.clone();
        used.communities = Some(Number::Exactly(found.pure.len()));
        used.method = Some(asked.method());
        used.memberships = asked.rule();
        used.operator = found.operators.iter().find(|tried| tried.taken).map(|tried| tried.operator).or(used.operator);
        used.operator = Some(used.operator.unwrap_or_default());
        used.search.solver.step_after_gap |= asked.published;
        let search = SearchRecord::resolved(found.search.as_ref(), &mut used.search, asked.method().name(), found.stop);
        // By size, and numbered as the nodes.
        let (anchors, scores) = (found.pure.clone(), found.scores.clone());
        let search = SearchRecord { anchors, scores, stop_reason: found.stop, ..search };
        let details = CommunitiesDetails {
            input: GraphInput {
                path: self.args.input.display().to_string(),
                nodes: graph.nodes(),
                edges: graph.edges(),
                record: graph.record.clone(),
            },
            settings: CommunitiesSettings {
                communities_given: match asked.communities {
                    Some(Number::Exactly(given)) => Some(given),
                    _ => None,
                },
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
            mean_membership_nodes: found.unknown.len(),
            operators: found.operators.clone(),
            quality: quality(&graph.adjacency, &found.dominant(), found.pure.len()),
            cores: self.count(Role::Core),
            bridges: self.count(Role::Bridge),
            stability: found.stability.clone(),
            b: (0..found.b.cols()).map(|k| found.b.col(k).to_vec()).collect(),
            src: self.scores.map(|scores| scores.src),
            src_kept: self.scores.map(|scores| scores.src_kept),
            nmi: self.scores.map(|scores| scores.nmi),
            nmi_lfk: self.scores.map(|scores| scores.nmi_lfk),
            omega: self.scores.and_then(|scores| scores.omega),
            f1: self.scores.map(|scores| scores.f1),
            ami: self.scores.map(|scores| scores.ami),
        };
        let mut notes: Vec<String> = graph.notes().iter().chain(&found.notes).map(|note| typed(note)).collect();
        notes.extend(truth.into_iter().flat_map(|truth| truth_notes(truth, found.pure.len())));
        notes.extend(self.args.flags.unused_note(asked.method().name()));
        RunRecord::new(details, search, asked.search.solver.kernel, notes)
    }

    fn count(&self, role: Role) -> usize {
        self.roles.iter().filter(|found| **found == Some(role)).count()
    }

    /// The summary for people.
    fn in_words(&self, record: &Record) -> String {
        let (graph, found, search) = (&self.graph, &self.found, &record.search);
        let mut lines = vec![format!(
            "{}: {}, {}, {}{}",
            shown_path(&self.args.input),
            counted(graph.nodes(), "node", "nodes"),
            counted(graph.edges(), "edge", "edges"),
            counted(found.pure.len(), "community", "communities"),
            match &found.estimate {
                None => "",
                Some(estimate) if estimate.clear => " (estimated, clear)",
                Some(_) => " (estimated, NOT clear)",
            }
        )];
        let worst = found.spectrum.residuals.iter().fold(0.0_f64, |top, r| top.max(*r));
        if let [first, .., last] = &found.operators[..] {
            let taken = found.operators.iter().find(|tried| tried.taken).unwrap_or(first);
            lines.push(format!(
                "operator    {} explains the edges best ({:.4} of {} tried, {} to {})",
                shown_operator(taken.operator),
                taken.explained,
                found.operators.len(),
                shown_operator(first.operator),
                shown_operator(last.operator)
            ));
        }
        lines.push(format!("eigenvalues {} (largest residual {worst:.1e})", numbers(&found.spectrum.values, 2)));
        lines.push(format!("kept        {}, searched for pure ones", counted(found.kept.len(), "node", "nodes")));
        let names: Vec<_> = found.pure.iter().take(20).map(|&i| shown(&graph.names[i])).collect();
        let more = if found.pure.len() > 20 { ", ..." } else { "" };
        lines.push(format!("pure nodes  {}{more}", names.join(", ")));
        lines.push(format!("sizes       {} (sums of shares)", numbers(&found.sizes(), 1)));
        if let (Some(iterations), Some(stop)) = (search.iterations, search.stop_reason) {
            let gap = search.gap.map_or(String::new(), |gap| format!(", gap {gap:.4}"));
            lines.push(format!("stopped     {stop} after {}{gap}", counted(iterations, "iteration", "iterations")));
        }
        let quality = &record.details.quality;
        let (modularity, coverage) = (quality.modularity, quality.coverage);
        lines.push(format!(
            "quality     modularity {modularity:.4}, {:.1} % of the edges within communities",
            100.0 * coverage
        ));
        if found.pure.len() > 1 {
            let (cores, bridges) = (record.details.cores, record.details.bridges);
            lines.push(format!("roles       {cores} cores, {bridges} bridges between communities"));
        }
        if let Some(stability) = &found.stability {
            let times = if stability.repeats == 1 { "once".into() } else { format!("{} times", stability.repeats) };
            let parts = numbers(&stability.found_again, 2);
            lines.push(format!("stability   {parts} (found again without a tenth of the edges, {times})"));
        }
        if let Some(Scores { src, src_kept, nmi, nmi_lfk, omega, f1, ami }) = &self.scores {
            let omega = omega.map_or(String::new(), |omega| format!(", omega {omega:.4}"));
            lines.push(format!(
                "truth       AMI {ami:.4}, overlapping NMI {nmi:.4} (LFK {nmi_lfk:.4}){omega}, F1 {f1:.4}"
            ));
            lines.push(format!("            SRC {src:.4} (kept nodes {src_kept:.4})"));
        }
        let peak = record.peak_rss_bytes.map_or(String::new(), |peak| format!(", peak memory {}", bytes(peak)));
        lines.push(format!("took        {:.2} s{peak}", record.total_seconds()));
        lines.join("\n") + "\n"
    }
}

fn shown_operator(operator: Operator) -> String {
    operator.show(&Declaration::new(""))
}

/// The first numbers of a list.
fn numbers(values: &[f64], digits: usize) -> String {
    let first: Vec<String> = values.iter().take(12).map(|v| format!("{v:.digits$}")).collect();
    first.join(", ") + if values.len() > 12 { ", ..." } else { "" }
}
