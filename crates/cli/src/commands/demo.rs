//! `merit demo`: the main job on data made on the spot, three methods side by side.

use super::{factor, factor_page, use_threads};
use crate::ExitCode;
use crate::args::DemoArgs;
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::program::command;
use crate::progress::{Reporter, say, while_working};
use crate::terminal::{bytes, print, table};
use merit::automatic::Regularization;
use merit::metrics::{MeanRemoval, anchors_right, mrsa_radians};
use merit::synthetic::Dirichlet;
use merit::{DataMatrix, Error, Factorization, Merit, Method};
use merit_dataset::shown::shown_path;
use merit_dataset::{check_file, write_file_atomically};
use merit_linalg::memory::{peak_rss_bytes, reset_peak};
use merit_report as report;
use std::time::Instant;

pub fn run(args: &DemoArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    check_file(&args.report)?;
    let model = Dirichlet { snr_db: args.snr, seed: args.seed, ..Dirichlet::new(args.rows, args.cols, args.rank) };
    let data = while_working(args.quiet, "drawing the matrix".into(), || model.generate());
    let data = data.map_err(|error| Failure::usage(error.to_string()))?;
    if !args.quiet {
        say(&format!(
            "made a {} x {} mixture of {} pure columns, {} dB of noise, seed {}",
            args.rows, args.cols, args.rank, args.snr, args.seed
        ));
    }
    let x = DataMatrix::from(data.x);
    let methods = [
        ("SPA", Method::Spa, Regularization::Auto),
        ("MERIT(0)", Method::Merit, Regularization::Value(0.0)),
        ("MERIT", Method::Merit, Regularization::Auto),
    ];
    let heads = ["method", "anchors right", "MRSA", "RAE", "gap", "seconds", "peak memory"];
    let mut rows = vec![heads.map(String::from).to_vec()];
    let mut last: Option<(Factorization, f64)> = None;
    for (name, method, regularization) in methods {
        let merit = Merit::new(args.rank).method(method).regularization(regularization);
        let own_peak = reset_peak();
        let clock = Instant::now();
        let mut reporter = Reporter::new(args.quiet, args.cols);
        let run = merit.fit_watched(&x, &mut reporter);
        drop(reporter);
        let run = match run {
            Err(Error::Interrupted) if last.is_some() => break, // what is done is shown
            Err(Error::Interrupted) => return Err(Failure::interrupted()),
            run => run.map_err(|error| Failure::data(error.to_string()))?,
        };
        let seconds = clock.elapsed().as_secs_f64();
        rows.push(vec![
            name.to_string(),
            format!("{} of {}", anchors_right(run.anchors(), &data.anchors), data.anchors.len()),
            format!("{:.4}", mrsa_radians(&run.w, &data.w, MeanRemoval::MeanColumn)),
            format!("{:.4}", run.rae()),
            run.gap().map_or("-".into(), |gap| format!("{gap:.2}")),
            format!("{seconds:.2}"),
            peak_rss_bytes().filter(|_| own_peak).map_or("-".into(), bytes),
        ]);
        last = Some((run, seconds));
        if interrupted() {
            break;
        }
    }
    let (run, seconds) = last.expect("there are methods");
    let mut printed = print(&table(&rows));
    let square = 8 * (args.cols as u64) * (args.cols as u64);
    printed = printed.and(print(&format!(
        "MRSA in radians, RAE = 1 - ||X - WH|| / ||X||; MERIT chooses its regularization itself (auto: up to 3 runs); \
         peak memory is the whole process's, one N x N matrix would be {}\n",
        bytes(square)
    )));
    if let Some(known) = &run.search.certificate {
        printed = printed.and(print(&format!("the optimum of MERIT's problem is {}\n", factor::certificate(known))));
    }
    let comparison = report::Table {
        caption: "Anchors right out of the true ones, mean removed spectral angle (radians), relative approximation (1 - ||X - \
                  WH|| / ||X||), duality gap, seconds, and the peak resident memory of the process while the method ran."
            .into(),
        columns: rows[0].clone(),
        rows: rows[1..].to_vec(),
        highlight: Some(rows.len() - 2),
    };
    let whole = factor_page::of_result(&run, None);
    let report = report::Report {
        title: "Merit demo".to_string(),
        run: report::RunFacts {
            input: format!("A matrix made on the spot ({} dB of noise, seed {})", args.snr, args.seed),
            peak_rss_bytes: peak_rss_bytes(),
            version: env!("CARGO_PKG_VERSION").into(),
            command: Some(command().join(" ")),
            ..whole.run.clone()
        },
        regularization: factor_page::regularization(Regularization::Auto, &run),
        comparison: Some(comparison),
        ..whole
    };
    write_file_atomically(&args.report, report::render(&report).as_bytes())?;
    printed = printed.and(print(&format!("report: {} ({seconds:.1} s for MERIT)\n", shown_path(&args.report))));
    printed?; // the page is written, whatever becomes of the words
    Ok(ExitCode::from(if interrupted() { 130 } else { 0 }))
}
