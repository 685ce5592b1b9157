//! `--precision f32`: half the memory, and otherwise what the rounded matrix gives in double precision.

mod support;

use support::*;

/// A float32 .npy file in Fortran order, or its bytes swapped.
fn npy_f32(rows: usize, cols: usize, values: &[f64], big_endian: bool) -> Vec<u8> {
    let bytes = |value: &f64| {
        let value = *value as f32;
        if big_endian { value.to_be_bytes() } else { value.to_le_bytes() }
    };
    let descr = if big_endian { ">f4" } else { "<f4" };
    let file = npy(descr, &format!("({rows}, {cols})"), &values.iter().flat_map(bytes).collect::<Vec<_>>());
    let place = file.windows(5).position(|word| word == b"False").unwrap();
    [&file[..place], b"True ", &file[place + 5..]].concat()
}

#[test]
fn files_of_every_kind_give_what_their_rounded_numbers_give() {
    let sandbox = Sandbox::new();
    let x = synthetic(8, 120, 4, 25.0, 1).x;
    let mut rounded = x.clone();
    rounded.values_mut().iter_mut().for_each(|v| *v = f64::from(*v as f32));
    sandbox.npy("x.npy", &x).npy("rounded.npy", &rounded).write("x.csv", csv(&x));
    sandbox.write("f4.npy", npy_f32(8, 120, x.values(), false)).write("big.npy", npy_f32(8, 120, x.values(), true));
    sandbox.npy("rows.npy", &x.transposed());
    // SPA stores no residuals in either precision, so all bits must agree.
    let twin = sandbox.factor("rounded.npy", "--rank 4 --method spa", "twin");
    let files = [("x.npy", ""), ("x.csv", ""), ("f4.npy", ""), ("big.npy", ""), ("rows.npy", "--samples rows")];
    for (i, (file, how)) in files.into_iter().enumerate() {
        let run = sandbox.factor(file, &format!("--rank 4 --method spa --precision f32 {how}"), &format!("run{i}"));
        assert_eq!(run["anchors"], twin["anchors"], "{file}");
        assert_eq!(sandbox.bytes(&format!("run{i}/H.npy")), sandbox.bytes("twin/H.npy"), "{file}");
        assert_eq!(sandbox.matrix(&format!("run{i}/W.npy")), sandbox.matrix("twin/W.npy"), "{file}");
        assert_eq!(run["settings"]["precision"], "f32");
    }
    assert_eq!(twin["settings"]["precision"], "f64");
}

#[test]
fn merit_says_the_same_of_every_file_and_can_be_checked_afterwards() {
    let sandbox = Sandbox::new();
    let x = synthetic(8, 120, 4, 25.0, 2).x;
    sandbox.npy("x.npy", &x).write("f4.npy", npy_f32(8, 120, x.values(), false));
    let double = sandbox.factor("x.npy", "--rank 4", "double");
    let one = sandbox.factor("x.npy", "--rank 4 --precision f32 --threads 1", "one");
    let two = sandbox.factor("f4.npy", "--rank 4 --precision f32 --threads 2", "two");
    for key in ["anchors", "gap", "objective", "lower_bound", "scores"] {
        assert_eq!(one[key], two[key], "{key}");
    }
    assert_eq!(sandbox.bytes("one/C.npz"), sandbox.bytes("two/C.npz"));
    assert_eq!(anchors(&one), anchors(&double));
    assert_eq!(
        (&one["search_kind"]["stored_residuals"], &double["search_kind"]["stored_residuals"]),
        (&false.into(), &true.into())
    );
    sandbox.ok("certify one --quiet");
}

#[test]
fn what_single_precision_cannot_hold_is_told() {
    let sandbox = Sandbox::new();
    let mut x = synthetic(4, 30, 3, 30.0, 3).x;
    x.col_mut(7)[1] = 1e39;
    sandbox.npy("large.npy", &x).write("large.csv", csv(&x));
    for file in ["large.npy", "large.csv"] {
        let said = sandbox.refusal(&format!("factor {file} --rank 3 --precision f32"), 1);
        assert!(
            said.contains(&format!("row 1, column 7 of `{file}` is 1e39, but single precision ends at 3.4e38")),
            "{said}"
        );
        assert!(said.contains("--precision f64"), "{said}");
    }
    let said = sandbox.refusal("factor large.npy --samples rows --rank 3 --precision f32", 1);
    assert!(said.contains("row 1, column 7 of `large.npy`"), "{said}");
    x.col_mut(7).fill(1e-41);
    sandbox.npy("small.npy", &x);
    let said = sandbox.refusal("factor small.npy --rank 3 --precision f32", 1);
    assert!(said.contains("no value of column 7 of `small.npy` is larger than 1e-41"), "{said}");
    x.col_mut(7).copy_from_slice(&[1.0, 1e-41, 2.0, 0.0]); // small beside larger ones
    sandbox.npy("fine.npy", &x).factor("fine.npy", "--rank 3 --precision f32", "run");
    let said = sandbox.refusal("factor fine.npy --rank 3 --precision f16", 2);
    assert!(said.contains("f64") && said.contains("f32"), "{said}");
}

#[test]
fn it_is_for_data_in_memory() {
    let sandbox = Sandbox::new();
    sandbox.npy("x.npy", &synthetic(400, 5000, 4, 25.0, 4).x);
    let run = |memory: &str| format!("factor x.npy --rank 4 --iterations 2 --precision f32 --memory {memory}");
    let said = sandbox.refusal(&run("60MB"), 2);
    assert!(said.contains("`--precision f32` holds X in memory, which takes "), "{said}");
    assert!(said.contains(", but `--memory` is 60.0 MB\nhint: leave one of them out, or give it more\n"), "{said}");
    sandbox.ok(&format!("{} --certificate off --quiet", run("2GB")));
    let plan = "plan --rows 400 --cols 5000 --rank 4 --iterations 2 --precision f32 --memory 60MB --ranks 2 --quiet";
    let said = sandbox.ok(plan).stdout;
    assert!(said.contains("it does NOT fit, and with `--precision f32` X stays in memory"), "{said}");
    assert!(said.contains("replicated") && !said.contains("in a ring"), "{said}");
}

#[test]
fn the_plan_knows_it() {
    let sandbox = Sandbox::new();
    let bytes = |precision: &str| {
        let said = sandbox.ok(&format!(
            "plan --rows 20 --cols 1000 --rank 3 --iterations 3 --certificate off --precision {precision} --json --quiet"
        ));
        serde_json::from_str::<serde_json::Value>(&said.stdout).unwrap()["memory_bytes"].as_u64().unwrap()
    };
    assert_eq!(bytes("f64") - bytes("f32"), 12 * 20 * 1000);
}

#[test]
#[cfg(target_os = "linux")]
fn it_takes_about_half_the_memory() {
    let sandbox = Sandbox::new();
    let x = synthetic(200, 8000, 5, 20.0, 5).x;
    sandbox.npy("x.npy", &x).write("f4.npy", npy_f32(200, 8000, x.values(), false));
    let options = "--rank 5 --regularization 0.3 --iterations 2 --certificate off --threads 2";
    let peak = |file: &str, precision: &str| {
        let run = sandbox.factor(file, &format!("{options} --precision {precision}"), &format!("{precision}-{file}"));
        run["peak_rss_bytes"].as_f64().unwrap()
    };
    let double = peak("x.npy", "f64");
    for file in ["x.npy", "f4.npy"] {
        let single = peak(file, "f32");
        assert!(single <= 0.7 * double, "{file}: {single} bytes against {double}");
    }
}
