//! With the feature `mpi`: compiles the few calls of MPI with the compiler that every MPI brings, and links what it links.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=src/calls.c");
    println!("cargo::rerun-if-env-changed=MPICC");
    if std::env::var_os("CARGO_FEATURE_MPI").is_none() {
        return;
    }
    let compiler = std::env::var("MPICC").unwrap_or_else(|_| "mpicc".into());
    let out = std::env::var("OUT_DIR").expect("Cargo says where to write");
    let object = Path::new(&out).join("calls.o");
    let library = Path::new(&out).join("libmerit_mpi_calls.a");
    run(Command::new(&compiler).args(["-O2", "-fPIC", "-Wall", "-c", "src/calls.c", "-o"]).arg(&object));
    run(Command::new("ar").arg("crs").arg(&library).arg(&object));
    println!("cargo::rustc-link-search=native={out}");
    println!("cargo::rustc-link-lib=static=merit_mpi_calls");
    // Open MPI, then MPICH and what is made of it, and what to do where neither answers.
    let asked = ["--showme:link", "-show"].iter().find_map(|question| answer(&compiler, question));
    let flags = asked.unwrap_or_else(|| "-lmpi".into());
    for flag in flags.split_whitespace() {
        if let Some(folder) = flag.strip_prefix("-L") {
            println!("cargo::rustc-link-search=native={folder}");
        } else if let Some(library) = flag.strip_prefix("-l") {
            println!("cargo::rustc-link-lib={library}");
        }
    }
}

fn answer(compiler: &str, question: &str) -> Option<String> {
    let output = Command::new(compiler).arg(question).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn run(command: &mut Command) {
    let hint =
        "the feature `mpi` needs MPI's compiler `mpicc` (Debian: libopenmpi-dev openmpi-bin), or its name in MPICC";
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("{command:?} ended with {status}; {hint}"),
        Err(error) => panic!("{command:?} cannot be started: {error}; {hint}"),
    }
}
