//! The authors' program's results, through the command line.
//!
//! Two independent implementations agree with these values to 8e-16, so 1e-9 leaves room for rounding and for nothing else.

mod support;

use serde_json::Value;
use std::fs;
use std::path::Path;
use support::*;

#[test]
fn iterates_objective_and_gap_of_the_authors_program() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../merit/tests/golden");
    let mut seen = 0;
    for entry in fs::read_dir(golden).unwrap() {
        let (sandbox, case) = (Sandbox::new(), entry.unwrap().path());
        if !case.is_dir() {
            continue;
        }
        seen += 1;
        let json = |name: &str| serde_json::from_str::<Value>(&fs::read_to_string(case.join(name)).unwrap()).unwrap();
        let (problem, result) = (json("problem.json"), json("result.json"));
        let number = |key: &str| problem[key].as_f64().unwrap();
        // The authors count from 1 and leave out the 1/2.
        let mut options = format!(
            "--rank {} --regularization {:e} --smoothing {:e} --start-iteration {}",
            number("K"),
            number("lam") / 2.0,
            number("eps"),
            number("iter_start") - 1.0
        );
        if problem["warm"] == true {
            options += &format!(" --init {}", case.join("C0.npz").display());
        }
        for steps in [1, 5, 100] {
            let input = case.join("X.npy").display().to_string();
            let run = sandbox.factor(&input, &format!("{options} --iterations {steps}"), &format!("run-{steps}"));
            let (found, expected) =
                (sandbox.matrix(&format!("run-{steps}/C.npz")), matrix(&case.join(format!("C_T{steps}.npz"))));
            assert_eq!((found.rows(), found.cols()), (expected.rows(), expected.cols()));
            let difference =
                found.values().iter().zip(expected.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(difference <= 1e-9, "{case:?} after {steps}: C differs by {difference:e}");
            let expected = &result["per_T"][steps.to_string()];
            for (name, theirs) in [("objective", "obj"), ("gap", "gap_at_final_C")] {
                let (found, half) = (run[name].as_f64().unwrap(), expected[theirs].as_f64().unwrap() / 2.0);
                assert!(
                    (found - half).abs() <= 1e-9 * half.abs(),
                    "{case:?} after {steps}: {name} {found} against {half}"
                );
            }
        }
    }
    assert_eq!(seen, 5, "cases");
}

#[test]
fn anchors_of_the_published_networks() {
    let Some(golden) = golden() else { return };
    for name in ["DBLP1", "DBLP2", "DBLP4"] {
        let (sandbox, case) = (Sandbox::new(), golden.join(format!("communities_{name}")));
        let expected: Value = serde_json::from_str(&fs::read_to_string(case.join("expected.json")).unwrap()).unwrap();
        let published = sorted(numbers(&expected, "anchors_zero_based"));
        let options = format!(
            "--rank {} --regularization {:e} --smoothing {:e} --iterations {}",
            published.len(),
            expected["authors_lambda"].as_f64().unwrap() / 2.0,
            expected["mu"].as_f64().unwrap(),
            expected["steps"]
        );
        let run = sandbox.factor(&case.join("X.npy").display().to_string(), &options, "run");
        assert_eq!(anchors(&run), published, "{name}");
    }
}
