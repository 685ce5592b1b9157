//! `merit plan`: what a run will take, here or on several machines, before anybody waits for it.

use super::use_threads;
use crate::ExitCode;
use crate::args::PlanArgs;
use crate::failure::Failure;
use crate::interrupt::interrupt;
use crate::progress::while_working;
use crate::terminal::{bytes, print, print_json, table};
use merit::factor::Settings;
use merit::out_of_core::Placement;
use merit::plan::{Network, Plan, SharedPlan, Sharing, Size, Speed};
use merit::precision::Precision;
use merit::words::counted;
use merit_linalg::memory::available_bytes;
use serde_json::json;

pub fn run(args: &PlanArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let settings = &args.flags.settings;
    let size = Size {
        rows: args.rows,
        cols: args.cols,
        rank: settings.rank.unwrap_or(USUAL_RANK).min(args.cols),
        iterations: settings.search.solver.iterations,
        certificate: settings.search.certificate.is_made(args.cols),
        precision: settings.precision,
    };
    if let Some(rank) = settings.rank.filter(|&rank| rank > args.cols) {
        return Err(Failure::usage(format!("`--rank {rank}`, but there are only {} columns", args.cols)));
    }
    let settings = Settings { rank: Some(size.rank), ..settings.clone() };
    let speed =
        while_working(args.quiet, "measuring this machine".into(), || Speed::measure(&size, &settings, interrupt()));
    let speed = speed.map_err(|error| match error {
        merit::Error::Interrupted => Failure::interrupted(),
        error => Failure::data(error.to_string()),
    })?;
    let plan = Plan::of(&size, &speed);
    let within = args
        .memory
        .map(|limit| (limit, Placement::of(size.rows, size.cols, &settings, rayon::current_num_threads(), limit)));
    let network = Network { latency: args.latency, bandwidth: args.bandwidth };
    let shared: Vec<SharedPlan> = match args.ranks {
        None => Vec::new(),
        Some(ranks) => {
            let of = |sharing| SharedPlan::of(&size, &speed, &network, ranks, sharing);
            Sharing::ways(size.precision).iter().map(|&sharing| of(sharing)).collect()
        }
    };
    if args.json {
        print_json(&as_json(args, &size, &speed, &plan, within, &shared))?;
    } else {
        print(&in_words(args, &size, &speed, &plan, within, &shared))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Anchors that are planned for if nobody says how many.
const USUAL_RANK: usize = 10;

/// Where a run has its large arrays that is to take so many bytes.
type Within = Option<(u64, Placement)>;

fn as_json(args: &PlanArgs, size: &Size, speed: &Speed, plan: &Plan, within: Within, shared: &[SharedPlan]) -> String {
    let stages: serde_json::Map<_, _> =
        plan.stages.iter().map(|(name, seconds)| (name.to_string(), json!(seconds))).collect();
    let of_rank = |plan: &SharedPlan| {
        json!({
            "sharing": name(plan.sharing), "ranks": args.ranks, "memory_per_rank_bytes": plan.memory, "seconds": plan.seconds,
            "message_seconds": plan.messages, "sent_per_step_bytes": plan.sent, "fits": fits(args, plan),
        })
    };
    let value = json!({
        "rows": size.rows, "cols": size.cols, "rank": size.rank, "iterations": size.iterations,
        "threads": rayon::current_num_threads(),
        "memory_bytes": plan.memory, "seconds": plan.seconds, "stage_seconds": stages,
        "within": within.map(|(limit, place)| match place {
            Placement::Memory => json!({"memory_bytes": limit, "x": "memory"}),
            Placement::Files { panel, residuals, .. } => json!({
                "memory_bytes": limit, "x": "file", "residuals": if residuals { "file" } else { "memory" }, "panel_columns": panel,
            }),
            Placement::TooLittle(least) => json!({"memory_bytes": limit, "x": null, "least_bytes": least}),
        }),
        "measured_columns": [speed.columns.0, speed.columns.1], "measuring_seconds": speed.seconds,
        "chosen": chosen(args, shared),
        "shared": shared.iter().map(of_rank).collect::<Vec<_>>(),
    });
    format!("{value:#}")
}

fn name(sharing: Sharing) -> &'static str {
    match sharing {
        Sharing::Replicated => "replicated",
        Sharing::Ring => "ring",
    }
}

/// Bytes that MPI takes in each process.
pub const OF_MPI: u64 = 18_000_000;

fn fits(args: &PlanArgs, plan: &SharedPlan) -> Option<bool> {
    args.memory_per_rank.map(|most| plan.memory + OF_MPI <= most)
}

/// What `merit factor --memory-per-rank` will do: replicate where that fits.
fn chosen(args: &PlanArgs, shared: &[SharedPlan]) -> Option<&'static str> {
    let fits = |sharing| shared.iter().find(|plan| plan.sharing == sharing).and_then(|plan| fits(args, plan));
    fits(Sharing::Replicated).map(|fits| name(if fits { Sharing::Replicated } else { Sharing::Ring }))
}

fn in_words(args: &PlanArgs, size: &Size, speed: &Speed, plan: &Plan, within: Within, shared: &[SharedPlan]) -> String {
    let threads = rayon::current_num_threads();
    let mut text = format!(
        "{} x {}, {}, {} per run; here, with {}\n",
        size.rows,
        size.cols,
        counted(size.rank, "anchor", "anchors"),
        counted(size.iterations, "step", "steps"),
        counted(threads, "thread", "threads")
    );
    let free = available_bytes().map_or(String::new(), |free| {
        let verdict = if plan.memory <= free { "it fits" } else { "it does NOT fit" };
        format!("; {} are free: {verdict}", bytes(free))
    });
    text += &format!("memory     {}{free}\n", bytes(plan.memory));
    if let Some((limit, place)) = within {
        let what = match place {
            Placement::Memory => "all of it fits".to_string(),
            Placement::TooLittle(needed) if size.precision == Precision::F32 => {
                format!("it does NOT fit, and with `--precision f32` X stays in memory; {} would do", bytes(needed))
            }
            Placement::TooLittle(least) => format!("it does NOT fit, even with X in a file; {} would do", bytes(least)),
            Placement::Files { panel, residuals, .. } => format!(
                "a dense X stays in its .npy file, residuals {}, {} of {panel} columns; longer than the time below",
                if residuals { "go into a scratch file" } else { "stay in memory" },
                counted(size.cols.div_ceil(panel), "panel", "panels")
            ),
        };
        text += &format!("within     {}: {what}\n", bytes(limit));
    }
    let longest: Vec<String> = plan
        .stages
        .iter()
        .filter(|(_, seconds)| *seconds >= 0.01 * plan.seconds)
        .map(|(name, seconds)| format!("{name} {}", duration(*seconds)))
        .collect();
    text += &format!("time       {} ({})\n", duration(plan.seconds), longest.join(", "));
    text += &format!(
        "how        by what synthetic data of {} and {} columns took just now ({:.1} s); noisier data may take more runs\n",
        speed.columns.0, speed.columns.1, speed.seconds
    );
    if let Some(ranks) = args.ranks {
        text += &format!(
            "\n{ranks} ranks like this machine, messages of {:.0} microseconds and {}/s:\n",
            1e6 * args.latency,
            bytes(args.bandwidth as u64)
        );
        let head = ["X is", "memory a rank", "time", "of it messages", "sent a step, by each"];
        let mut rows = vec![head.map(String::from).to_vec()];
        for plan in shared {
            let fit = match fits(args, plan) {
                Some(false) => " (too much)",
                _ => "",
            };
            rows.push(vec![
                match plan.sharing {
                    Sharing::Replicated => "replicated",
                    Sharing::Ring => "in a ring",
                }
                .to_string(),
                format!("{}{fit}", bytes(plan.memory)),
                duration(plan.seconds),
                duration(plan.messages),
                bytes(plan.sent),
            ]);
        }
        text += &table(&rows);
        text +=
            &chosen(args, shared).map_or(String::new(), |name| format!("\nchosen by `--memory-per-rank`: {name}\n"));
    }
    text
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.0095 => "0 s".to_string(),
        s if s < 10.0 => format!("{s:.2} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}
