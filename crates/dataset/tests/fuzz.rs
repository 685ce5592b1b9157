//! Hostile files: no panic, and no more memory than the file can account for.
//!
//! The bound: `64 * bytes of the file + memory limit + 1 MiB`. A file may be packed (a sparse column or a small integer
//! becomes 8 bytes; compressed data are unpacked when they are really there, which the limit bounds), and readers have
//! fixed buffers.

mod common;

use common::*;
use merit_dataset::{ReadOptions, Samples, read};
use proptest::{prelude::*, test_runner::RngSeed};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

const LIMIT: u64 = 1 << 20;
const EXTENSIONS: [&str; 6] = ["npy", "npz", "csv", "tsv", "mtx", "mat"];

/// The system's allocator, counting what this thread holds.
struct Counting;

thread_local! {
    static HELD: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

fn count(bytes: i64) {
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(held.get())));
    });
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn check(extension: &str, bytes: &[u8]) -> Result<(), TestCaseError> {
    let (_folder, path) = file(&format!("x.{extension}"), bytes);
    for samples in [Samples::Columns, Samples::Rows] {
        let options = ReadOptions { samples, memory_limit: Some(LIMIT), ..Default::default() };
        let before = HELD.get();
        PEAK.set(before);
        let result = read(&path, &options);
        let peak = (PEAK.get() - before) as u64;
        prop_assert!(peak <= 64 * bytes.len() as u64 + LIMIT + (1 << 20), "{peak} bytes for a file of {}", bytes.len());
        if let Err(error) = result {
            prop_assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
    Ok(())
}

fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let dense = npy_f64(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let small = mat_variable("x", 6, &[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    vec![
        ("npy", dense.clone()),
        ("npy", npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2), }", &[1, 2, 3, 4])),
        ("npz", zip(&[("x.npy", dense.clone())], false)),
        ("npz", zip(&[("x.npy", dense)], true)),
        ("npz", zip(&[("x.npy", npy_f64(64, 64, &[1.0; 4096]))], true)),
        ("npz", zip(&sparse_members("csc"), true)),
        ("npz", zip(&sparse_members("csr"), false)),
        ("npz", zip(&sparse_members("coo"), false)),
        ("csv", b"name,a,b\nx,1,2\ny,3,4.5e1\n".to_vec()),
        ("csv", b",0,1\n0,\"1\",2\n1,3,4\n".to_vec()),
        ("tsv", b"1\t2\n3\t4\n".to_vec()),
        ("mtx", b"%%MatrixMarket matrix coordinate real general\n% no\n3 2 3\n1 2 2\n2 1 3\n3 2 4e0\n".to_vec()),
        ("mtx", b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n".to_vec()),
        ("mtx", b"%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n".to_vec()),
        ("mat", mat(std::slice::from_ref(&small))),
        ("mat", mat(&[mat_compressed(&small)])),
        ("mat", mat(&[mat_sparse("s")])),
        ("mat", mat(&[mat_compressed(&mat_sparse("s"))])),
    ]
}

#[test]
fn seeds_are_valid() {
    for (number, (extension, bytes)) in seeds().into_iter().enumerate() {
        let (_folder, path) = file(&format!("x.{extension}"), &bytes);
        read(&path, &ReadOptions::default()).unwrap_or_else(|error| panic!("seed {number}: {error}"));
    }
}

/// However much memory there is, a claim alone takes none of it.
#[test]
fn claims_take_no_memory() {
    let huge = |descr: &str| {
        npy(&format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (100000, 100000), }}"), &[1; 64])
    };
    let mut claimed = zip(&[("x.npy", huge("<f8"))], true);
    let place = claimed.windows(4).rposition(|window| window == b"PK\x01\x02").unwrap();
    let size = (huge("<f8").len() as u64 - 64 + 80_000_000_000).to_le_bytes();
    // The true size in the directory becomes 32 bits of ones and a wide size that fits the header.
    claimed[place + 24..place + 28].fill(255);
    claimed[place + 30] = 12;
    let end = claimed.windows(4).rposition(|window| window == b"PK\x05\x06").unwrap();
    claimed[end + 12] += 12;
    let extra = [&[1, 0, 8, 0], &size[..]].concat();
    claimed.splice(end..end, extra);
    let variable = mat_variable("x", 6, &[20_000, 20_000], &[1.0]);
    let files = [
        ("npy", huge("<f8")),
        ("npz", zip(&[("x.npy", huge("|u1"))], true)),
        ("npz", claimed),
        ("mtx", b"%%MatrixMarket matrix array real general\n100000 100000\n1\n".to_vec()),
        ("mtx", b"%%MatrixMarket matrix coordinate real general\n10 10 4000000000\n1 1 1\n".to_vec()),
        ("mat", mat(std::slice::from_ref(&variable))),
        ("mat", mat(&[mat_compressed(&variable)])),
    ];
    for (extension, bytes) in files {
        let (_folder, path) = file(&format!("x.{extension}"), &bytes);
        let before = HELD.get();
        PEAK.set(before);
        let options = ReadOptions { memory_limit: Some(1 << 50), ..Default::default() };
        let error = read(&path, &options).map(drop).unwrap_err();
        let peak = PEAK.get() - before;
        println!("{peak} bytes: {error}");
        assert!(peak < 1 << 20, "{peak} bytes: {error}");
    }
}

/// However much memory there is, small files take little of it: those that claim much, that unpack to much, and those
/// with a line that does not end.
#[test]
fn small_files_take_little_memory() {
    let wide = "%%MatrixMarket matrix coordinate real general\n2 300000000 2\n1 1 1\n2 5 1\n";
    let mut members = sparse_members("coo");
    let shape = [2i64, 300_000_000].map(i64::to_le_bytes).concat();
    let shape = npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", &shape);
    members.iter_mut().find(|(name, _)| *name == "shape.npy").unwrap().1 = shape;
    let zeros = vec![0; 200_000_000];
    let array = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (20000, 10000), }", &zeros);
    let pointers = npy("{'descr': '<i8', 'fortran_order': False, 'shape': (25000000,), }", &zeros);
    let mut swollen = sparse_members("csc");
    swollen.iter_mut().find(|(name, _)| *name == "indptr.npy").unwrap().1 = pointers;
    let array_of_ones = format!("%%MatrixMarket matrix array real general\n1 50000000\n{}", "1\n".repeat(50_000_000));
    let line = [b"%%MatrixMarket matrix array real general\n%", &vec![b' '; 68_000_000][..], b"\n1 1\n1\n"].concat();
    let table = [&b"1,2\n3,\""[..], &vec![b'\n'; 68_000_000]].concat();
    let files = [
        (
            "mtx",
            wide.into(),
            "is 2 x 300000000 with 2 entries, but with so few entries at most 10000004 rows and columns",
        ),
        ("mtx.gz", gzip(wide.as_bytes()), "is 2 x 300000000 with 2 entries, but with so few entries at most 10000004"),
        ("npz", zip(&members, false), "is 2 x 300000000 with 3 entries, but with so few entries at most 10000006"),
        ("npz", zip(&[("x.npy", array)], true), "unpacks to 200.0 MB or more from only "),
        ("npz", zip(&swollen, true), "unpacks to 200.0 MB or more from only "),
        (
            "mat",
            mat(&[mat_compressed(&mat_variable("x", 6, &[5000, 5000], &vec![0.0; 25_000_000]))]),
            "unpacks to 200.0 MB",
        ),
        ("mtx.gz", gzip(array_of_ones.as_bytes()), "but the file has only "),
        ("mtx.gz", gzip(&line), "or more from only "),
        ("mtx", line, "line 2 of `x.mtx` is longer than 67.1 MB, the most that is read"),
        ("csv", table, "line 2 of `x.csv` is longer than 67.1 MB, the most that is read"),
    ];
    for (extension, bytes, expected) in files {
        let (folder, path) = file(&format!("x.{extension}"), &bytes);
        let before = HELD.get();
        PEAK.set(before);
        let options = ReadOptions { memory_limit: Some(1 << 50), ..Default::default() };
        let error = read(&path, &options).map(drop).unwrap_err();
        let peak = PEAK.get() - before;
        let most = 10 * bytes.len() as i64 + 300_000_000;
        assert!(peak <= most, "{peak} bytes for a .{extension} of {}: {error}", bytes.len());
        let said = error.to_string().replace(&format!("{}/", folder.path().display()), "");
        assert!(said.contains(expected), "{said}");
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

#[derive(Clone, Debug)]
enum Change {
    Set(usize, u8),
    Insert(usize, Vec<u8>),
    Remove(usize, usize),
    Truncate(usize),
    Repeat(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<usize>();
    let byte = prop_oneof![any::<u8>(), Just(0), Just(255), Just(b'9'), Just(b'-'), Just(b','), Just(b'\n')];
    prop_oneof![
        6 => (place, byte).prop_map(|(place, byte)| Change::Set(place, byte)),
        2 => (place, prop_oneof![prop::collection::vec(any::<u8>(), 1..9), "[0-9]{1,20}".prop_map(String::into_bytes)])
            .prop_map(|(place, bytes)| Change::Insert(place, bytes)),
        1 => (place, 1..20usize).prop_map(|(place, count)| Change::Remove(place, count)),
        1 => place.prop_map(Change::Truncate),
        1 => (place, 1..40usize).prop_map(|(place, count)| Change::Repeat(place, count)),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: Change) {
    let length = bytes.len().max(1);
    match change {
        Change::Set(place, byte) => {
            if let Some(old) = bytes.get_mut(place % length) {
                *old = byte;
            }
        }
        Change::Insert(place, new) => {
            let place = (place % length).min(bytes.len());
            bytes.splice(place..place, new);
        }
        Change::Remove(place, count) => {
            let start = (place % length).min(bytes.len());
            bytes.drain(start..(start + count).min(bytes.len()));
        }
        Change::Truncate(place) => bytes.truncate(place % length),
        Change::Repeat(place, count) => {
            let start = (place % length).min(bytes.len());
            let piece = bytes[start..(start + count).min(bytes.len())].to_vec();
            bytes.splice(start..start, piece);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::with_cases(600) })]

    #[test]
    fn changed_files(seed in any::<prop::sample::Index>(), changes in prop::collection::vec(change(), 1..5)) {
        let seeds = seeds();
        let (extension, mut bytes) = seeds[seed.index(seeds.len())].clone();
        changes.into_iter().for_each(|change| apply(&mut bytes, change));
        check(extension, &bytes)?;
    }

    #[test]
    fn random_bytes(extension in prop::sample::select(&EXTENSIONS[..]), bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(extension, &bytes)?;
    }

    #[test]
    fn random_text(extension in prop::sample::select(&EXTENSIONS[..]), text in "[-0-9.,eE\t\n\" a%]{0,200}") {
        check(extension, text.as_bytes())?;
    }

    /// Inside the checksum of an archive, where changing the file does not reach.
    #[test]
    fn changed_members(member in 0..5usize, form in 0..3usize, changes in prop::collection::vec(change(), 1..4)) {
        let mut members = sparse_members(["csc", "csr", "coo"][form]);
        changes.into_iter().for_each(|change| apply(&mut members[member].1, change));
        check("npz", &zip(&members, false))?;
    }

    /// Inside a compressed variable.
    #[test]
    fn changed_variables(sparse in any::<bool>(), changes in prop::collection::vec(change(), 1..4)) {
        let mut variable = if sparse { mat_sparse("s") } else { mat_variable("x", 6, &[2, 2], &[1.0, 2.0, 3.0, 4.0]) };
        changes.into_iter().for_each(|change| apply(&mut variable, change));
        check("mat", &mat(&[mat_compressed(&variable)]))?;
    }
}
