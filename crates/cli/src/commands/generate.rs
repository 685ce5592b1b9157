//! `merit generate`: synthetic data with its truth.

mod cube;

use crate::ExitCode;
use crate::args::{GenerateArgs, GenerateKind, GenerateOutput, MmsbArgs, NoiseName};
use crate::failure::Failure;
use crate::output_folder::OutputFolder;
use crate::progress::{say, while_working};
use crate::record::TRUTH_FORMAT;
use crate::terminal::{bytes, print};
use merit::synthetic::{Dirichlet, MidpointNoise, Midpoints, Synthetic, SyntheticError};
use merit::words::counted;
use merit_communities::mmsb::Mmsb;
use merit_dataset::shown::shown_path;
use merit_dataset::write_npy;
use merit_linalg::memory::available_bytes;
use serde_json::{Value, json};

pub fn run(args: &GenerateArgs) -> Result<ExitCode, Failure> {
    let usage = |error: SyntheticError| Failure::usage(error.to_string());
    match &args.kind {
        GenerateKind::Dirichlet(args) => {
            let model = Dirichlet {
                snr_db: args.snr,
                seed: args.common.seed,
                concentration: args.concentration,
                normalize_w: args.normalize_w,
                outliers: args.outliers,
                ..Dirichlet::new(args.rows, args.cols, args.rank)
            };
            model.check().map_err(usage)?;
            check_memory(args.rows, args.cols, args.rank)?;
            let folder = OutputFolder::create(&args.common.output, args.common.force, &[])?;
            let draw = || model.generate().map_err(usage);
            let data = while_working(args.common.quiet, "drawing the matrix".into(), draw)?;
            write(folder, &args.common, "dirichlet", json!(model), &data)
        }
        GenerateKind::Midpoints(args) => {
            let noise = match args.noise {
                NoiseName::Outward => MidpointNoise::Outward,
                NoiseName::Gaussian => MidpointNoise::Gaussian,
            };
            let model =
                Midpoints { snr_db: args.snr, seed: args.common.seed, noise, ..Midpoints::new(args.rows, args.rank) };
            model.check().map_err(usage)?;
            check_memory(args.rows, model.cols(), args.rank)?;
            let folder = OutputFolder::create(&args.common.output, args.common.force, &[])?;
            let draw = || model.generate().map_err(usage);
            let data = while_working(args.common.quiet, "drawing the matrix".into(), draw)?;
            write(folder, &args.common, "midpoints", json!(model), &data)
        }
        GenerateKind::Mmsb(args) => mmsb(args),
        GenerateKind::Cube(args) => cube::run(args),
    }
}

/// Where a drawn graph says too little about its nodes to be a fair test without a word.
const WEAK_SIGNAL: f64 = 2.0;

/// A graph as `merit communities` reads it, with its truth.
fn mmsb(args: &MmsbArgs) -> Result<ExitCode, Failure> {
    let model = Mmsb {
        nodes: args.nodes,
        communities: args.communities,
        concentration: args.concentration,
        mean_degree: args.mean_degree,
        between: args.between,
        degrees: args.degrees,
        seed: args.common.seed,
    };
    model.check()?;
    let needed = args.nodes as u64 * (24 * args.communities as u64 + 8 * args.mean_degree as u64);
    if let Some(available) = available_bytes().filter(|&available| needed > available) {
        let (needed, available) = (bytes(needed), bytes(available));
        return Err(Failure::usage(format!("the graph needs {needed} of memory, but only {available} are available")));
    }
    let folder = OutputFolder::create(&args.common.output, args.common.force, &[])?;
    let drawn = while_working(args.common.quiet, "drawing the graph".into(), || model.generate())?;
    let mut edges = String::from("# node node; made by merit generate mmsb\n");
    drawn.edges.iter().for_each(|(i, j)| edges += &format!("{i} {j}\n"));
    let mut shares = String::from("# node community share\n");
    for i in 0..args.nodes {
        // Not a bare number, which would be the name of a node too.
        (0..args.communities).for_each(|k| shares += &format!("{i} community_{k} {}\n", drawn.theta.get(i, k)));
    }
    let mut truth = json!(model);
    truth["model"] = json!("mmsb");
    truth["signal"] = json!(model.signal());
    truth["edges"] = json!(drawn.edges.len());
    truth["pure_nodes"] = json!(drawn.pure);
    truth["b"] = json!((0..args.communities).map(|k| drawn.b.col(k)).collect::<Vec<_>>());
    folder.write("edges.txt", &edges)?;
    folder.write("memberships.txt", &shares)?;
    finish(folder, truth)?;
    if !args.common.quiet {
        print(&format!(
            "{}: {}, {}, {}\n",
            shown_path(&args.common.output),
            counted(args.nodes, "node", "nodes"),
            counted(drawn.edges.len(), "edge", "edges"),
            counted(args.communities, "community", "communities")
        ))?;
        if args.communities > 1 && model.signal() < WEAK_SIGNAL {
            say(&format!(
                "note: the signal is {:.2} times what noise hides; shares of single nodes are hard to find below {WEAK_SIGNAL}, and \
                 nothing is at 1: a higher `--mean-degree`, a lower `--between` or `--concentration` raises it",
                model.signal()
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn check_memory(rows: usize, cols: usize, rank: usize) -> Result<(), Failure> {
    let needed = 8 * (cols as u64).saturating_mul((rows + rank) as u64);
    match available_bytes() {
        Some(available) if needed > available => Err(Failure::usage(format!(
            "{rows} x {cols} with {} needs {} of memory, but only {} are available",
            counted(rank, "anchor", "anchors"),
            bytes(needed),
            bytes(available)
        ))),
        _ => Ok(()),
    }
}

fn write(
    folder: OutputFolder,
    common: &GenerateOutput,
    kind: &str,
    model: Value,
    data: &Synthetic,
) -> Result<ExitCode, Failure> {
    for (name, matrix) in [("X.npy", &data.x), ("W.npy", &data.w), ("H.npy", &data.h)] {
        folder.put(name, |path| write_npy(path, matrix))?;
    }
    let mut truth = model;
    truth["model"] = json!(kind);
    truth["cols"] = json!(data.x.cols());
    truth["anchors"] = json!(data.anchors);
    truth["outlier_columns"] = json!(data.outliers);
    truth["achieved_snr_db"] = json!(data.achieved_snr_db());
    finish(folder, truth)?;
    if !common.quiet {
        let (rows, cols) = (data.x.rows(), data.x.cols());
        let anchors = counted(data.anchors.len(), "anchor", "anchors");
        print(&format!("{}: {rows} x {cols}, {anchors}\n", shown_path(&common.output)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// `truth.json` into the folder, which is then finished.
fn finish(folder: OutputFolder, mut truth: Value) -> Result<(), Failure> {
    truth["version"] = json!(env!("CARGO_PKG_VERSION"));
    truth["format"] = json!(TRUTH_FORMAT);
    truth["files"] = json!(folder.files_with("truth.json")?);
    folder
        .write("truth.json", &(serde_json::to_string_pretty(&truth).expect("the truth has only string keys") + "\n"))?;
    folder.commit()
}
