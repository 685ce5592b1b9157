//! What a shell and its user see: help, completions, manual pages.

mod support;

use support::*;

/// The lines of `merit factor --help` that begin an option.
fn option_lines(help: &str) -> Vec<&str> {
    let start = help.find("Options:\n").unwrap();
    help[start..].lines().skip(1).take_while(|line| !line.is_empty()).collect()
}

#[test]
fn help_has_one_line_an_option() {
    let help = Sandbox::new().ok("factor --help").stdout;
    let lines = option_lines(&help);
    for line in &lines {
        let option = line.trim_start();
        assert!(option.starts_with('-'), "this line goes on from the one before: {line:?}");
        let (_, text) = option.split_once("  ").unwrap_or_else(|| panic!("{line:?} explains nothing"));
        assert!(text.trim().len() > 5, "{line:?}");
        let takes_value = option.split("  ").next().unwrap().contains('<');
        assert_eq!(text.contains("[default: "), takes_value, "{line:?}");
    }
    for (option, symbol) in [
        ("--rank <K>", "(K)"),
        ("--regularization <RULE>", "(lambda)"),
        ("--smoothing <MU>", "(mu)"),
        ("--iterations <T>", "(T)"),
        ("--residual-tolerance <NORM>", "(eta + 2 delta)"),
        ("--start-iteration <auto|T>", "(t_init)"),
        ("--weights <RULE>", "(H)"),
    ] {
        let line = lines.iter().find(|line| line.contains(option)).unwrap_or_else(|| panic!("no {option}"));
        assert!(line.contains(symbol), "{line:?} does not name {symbol}");
    }
    for option in [
        "output",
        "force",
        "rank",
        "method",
        "regularization",
        "smoothing",
        "iterations",
        "gap-tolerance",
        "objective-tolerance",
        "residual-tolerance",
        "time-limit",
        "init",
        "start-iteration",
        "normalize",
        "reduce",
        "merge-duplicates",
        "samples",
        "variable",
        "threads",
        "seed",
        "kernel",
        "report",
        "json",
        "quiet",
    ] {
        assert!(
            lines
                .iter()
                .any(|line| line.contains(&format!("--{option} ")) || line.contains(&format!("--{option}\u{20}"))),
            "no --{option}"
        );
    }
}

#[test]
fn every_command_explains_itself() {
    let sandbox = Sandbox::new();
    let help = sandbox.ok("--help").stdout;
    for command in ["factor", "generate", "evaluate", "certify", "demo", "completions", "man"] {
        assert!(help.contains(&format!("\n  {command}")), "{help}");
        assert!(sandbox.ok(&format!("{command} --help")).stdout.contains("Usage: merit "));
    }
    assert_eq!(sandbox.ok("--version").stdout, format!("merit {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_for_every_shell() {
    let sandbox = Sandbox::new();
    for (shell, sign) in [("bash", "complete -F _merit"), ("zsh", "#compdef merit"), ("fish", "complete -c merit")] {
        let script = sandbox.ok(&format!("completions {shell}")).stdout;
        assert!(script.contains(sign), "{shell}");
        assert!(script.contains("regularization") && script.contains("generate"), "{shell}");
    }
    sandbox.refusal("completions cmd", 2);
}

#[test]
fn manual_pages() {
    let sandbox = Sandbox::new();
    let page = sandbox.ok("man").stdout;
    assert!(page.contains(".TH merit 1") && page.contains("SUBCOMMANDS"), "{page}");
    sandbox.ok("man --output pages");
    assert!(sandbox.text("pages/merit-factor.1").contains("smoothing"));
    assert!(sandbox.path("pages/merit-generate-dirichlet.1").is_file());
}
