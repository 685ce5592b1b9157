//! Images from files to materials: Samson where it is available, every format and order, sizes that do not fit, samples, libraries.

use merit_unmix::abundances::Held;
use merit_unmix::synthetic::Scene;
use merit_unmix::truth::Truth;
use merit_unmix::unmix::{Given, unmix};
use merit_unmix::{Reading, Settings, read, spectra, write};
use std::path::Path;

#[test]
fn the_default_finds_the_materials_of_samson() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/samson"));
    if !folder.join("samson.mat").exists() {
        println!("skipped: {} is not there", folder.display());
        return;
    }
    let cube = read::read(&folder.join("samson.mat"), None, &Reading::default()).unwrap();
    assert_eq!((cube.lines, cube.samples, cube.bands), (95, 95, 156));
    let truth = Truth::read(&folder.join("samson_truth.mat"), &cube).unwrap();
    assert_eq!(truth.notes, ["true spectra are `M`", "true abundances are `A`"]);
    let given = Given { truth: Some(&truth), ..Given::default() };
    let found = unmix(&cube, given, &Settings::new(3), &mut (), &mut ()).unwrap();
    let scores = found.scores.unwrap();
    println!("{scores:?} {:?} {:?}", found.endmembers.averaged, found.endmembers.purity);
    assert!(scores.sad_degrees.unwrap() <= 2.8, "{scores:?}");
    assert!(scores.abundance_rmse_relative.unwrap() < 0.2, "{scores:?}");
    assert!(found.fit.violation.unwrap() <= 1e-12 && found.fit.unconverged == 0);
}

/// Numbers of a scene that is not square, so that a transpose cannot hide: the value of line l, sample s, band b.
struct Stored {
    sizes: [usize; 3],
    values: Vec<i16>,
}

impl Stored {
    fn new() -> Self {
        let scene = Scene { snr_db: 35.0, sharpness: 5.0, seed: 7, ..Scene::new(23, 31, 20, 3) };
        let drawn = scene.draw().unwrap();
        Self { sizes: [23, 31, 20], values: (0..23).flat_map(|line| drawn.line(line).0).collect() }
    }

    fn at(&self, l: usize, s: usize, b: usize) -> i16 {
        let [_, samples, bands] = self.sizes;
        self.values[(l * samples + s) * bands + b]
    }

    /// All values, the last axis of `order` fastest; 0 is lines, 1 samples, 2 bands.
    fn in_order(&self, order: [usize; 3], big: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        let size = |axis: usize| self.sizes[order[axis]];
        for i in 0..size(0) {
            for j in 0..size(1) {
                for k in 0..size(2) {
                    let mut place = [0; 3];
                    [i, j, k].iter().zip(order).for_each(|(&at, axis)| place[axis] = at);
                    let value = self.at(place[0], place[1], place[2]);
                    bytes.extend(if big { value.to_be_bytes() } else { value.to_le_bytes() });
                }
            }
        }
        bytes
    }
}

/// A variable of a .mat file, as MATLAB 5 stores it.
fn mat_variable(name: &str, dims: &[usize], kind: u32, class: u32, data: &[u8]) -> Vec<u8> {
    let element = |kind: u32, bytes: &[u8]| {
        let mut out = [kind.to_le_bytes(), (bytes.len() as u32).to_le_bytes()].concat();
        out.extend(bytes);
        out.resize(out.len().next_multiple_of(8), 0);
        out
    };
    let dims: Vec<u8> = dims.iter().flat_map(|&size| (size as i32).to_le_bytes()).collect();
    let flags = [class.to_le_bytes(), 0_u32.to_le_bytes()].concat();
    let parts = [element(6, &flags), element(5, &dims), element(1, name.as_bytes()), element(kind, data)].concat();
    element(14, &parts)
}

fn mat_file(variables: &[Vec<u8>]) -> Vec<u8> {
    let mut file = vec![b' '; 124];
    file.extend([0, 1, b'I', b'M']);
    file.extend(variables.concat());
    file
}

fn npy_file(shape: &str, fortran: bool, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let mut header = format!("{{'descr': '<i2', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    header += &" ".repeat(64 - (10 + header.len() + 1) % 64);
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

#[test]
fn every_format_and_order_gives_the_same_bits() {
    let stored = Stored::new();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, bytes: &[u8]| std::fs::write(path(name), bytes).unwrap();
    let mut files = Vec::new();
    for (interleave, order) in [("bsq", [2, 0, 1]), ("BIL", [0, 2, 1]), ("bip", [0, 1, 2])] {
        for (big, ending) in [(false, "img"), (true, "DAT")] {
            let header = format!(
                "ENVI\nsamples = 31\nlines = 23\nbands = 20\nheader offset = 5\ndata type = 2\ninterleave = {interleave}\nbyte order = {}\n",
                u8::from(big)
            );
            let name = format!("{interleave}{}", u8::from(big));
            write(&format!("{name}.hdr"), header.as_bytes());
            write(&format!("{name}.{ending}"), &[b"12345".to_vec(), stored.in_order(order, big)].concat());
            files.extend([format!("{name}.hdr"), format!("{name}.{ending}")]);
        }
    }
    write("c.npy", &npy_file("(23, 31, 20)", false, &stored.in_order([0, 1, 2], false)));
    write("f.npy", &npy_file("(23, 31, 20)", true, &stored.in_order([2, 1, 0], false)));
    let scalar = |name: &str, value: f64| mat_variable(name, &[1, 1], 9, 6, &value.to_le_bytes());
    // Bands x pixels, and pixels go down the columns of the image.
    let flat = mat_variable("Y", &[20, 23 * 31], 3, 10, &stored.in_order([1, 0, 2], false));
    write("flat.mat", &mat_file(&[scalar("nRow", 23.0), scalar("nCol", 31.0), flat]));
    write("cube.mat", &mat_file(&[mat_variable("cube", &[23, 31, 20], 3, 10, &stored.in_order([2, 1, 0], false))]));
    files.extend(["c.npy", "f.npy", "flat.mat", "cube.mat"].map(String::from));
    let mut first = None;
    let settings = Settings::new(3);
    for (i, file) in files.iter().enumerate() {
        let cube = read::read(&path(file), None, &Reading::default()).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!((cube.lines, cube.samples, cube.bands), (23, 31, 20), "{file}");
        let mut held = Held::default();
        // Another number of threads each time.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1 + i % 3).build().unwrap();
        let found = pool.install(|| unmix(&cube, Given::default(), &settings, &mut held, &mut ())).unwrap();
        let result =
            (found.endmembers.pixels, found.endmembers.spectra.values().to_vec(), held.abundances, held.residuals);
        match &first {
            None => first = Some(result),
            Some(first) => assert!(*first == result, "{file} gives another result"),
        }
    }
}

#[test]
fn the_size_of_the_data_must_be_what_the_header_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let header = "ENVI\nsamples = 2\nlines = 3\nbands = 4\nheader offset = 1\ndata type = 12\ninterleave = bsq\nbyte order = 0\n";
    std::fs::write(path("a.hdr"), header).unwrap();
    let told = |name: &str| read::read(&path(name), None, &Reading::default()).unwrap_err().to_string();
    assert!(told("a.hdr").contains("has no data beside it: no file"), "{}", told("a.hdr"));
    std::fs::write(path("a.img"), [1; 48]).unwrap();
    let expected = "has 48 bytes, but its header says 49: 1 + 3 lines x 2 samples x 4 bands x 2";
    assert!(told("a.hdr").ends_with(expected) && told("a.img").ends_with(expected), "{}", told("a.hdr"));
    std::fs::write(path("a.img"), [1; 50]).unwrap();
    let cube = read::read(&path("a.img"), None, &Reading::default()).unwrap();
    assert_eq!(cube.notes, ["the data go on for 1 bytes after the 49 that the header promises"]);
    std::fs::write(path("b.img"), [1; 50]).unwrap();
    assert!(told("b.img").contains("has no header beside it"), "{}", told("b.img"));
    assert!(told("b.tif").contains("is a GeoTIFF, which is not read"));
    assert!(told("none.img").contains("does not exist"));
    // A mask of another shape, and one that leaves nothing.
    std::fs::write(path("mask.npy"), npy_file("(2, 3)", false, &[0; 12])).unwrap();
    let masked = |mask: &str| read::read(&path("a.img"), Some(&path(mask)), &Reading::default());
    assert!(masked("mask.npy").unwrap_err().to_string().contains("is 2 x 3, but the image is 3 x 2"));
    std::fs::write(path("mask.npy"), npy_file("(3, 2)", false, &[0; 12])).unwrap();
    let nothing = unmix(&masked("mask.npy").unwrap(), Given::default(), &Settings::new(1), &mut (), &mut ());
    assert_eq!(nothing.unwrap_err().to_string(), "no pixel of 6 is left: 6 masked");
}

/// What is in the sample of a large image is enough: the materials are those of the whole.
#[test]
fn a_large_image_is_searched_by_a_sample() {
    let scene = Scene { snr_db: 40.0, sharpness: 6.0, seed: 3, ..Scene::new(60, 70, 16, 3) };
    let (cube, truth) = (scene.cube().unwrap(), scene.draw().unwrap().spectra);
    for search_pixels in [10_000, 500] {
        let settings = Settings { search_pixels, ..Settings::new(3) };
        let truth = Truth { spectra: Some(truth.clone()), abundances: None, notes: Vec::new() };
        let given = Given { truth: Some(&truth), ..Given::default() };
        let found = unmix(&cube, given, &settings, &mut (), &mut ()).unwrap();
        assert!(found.sample.even <= search_pixels && found.sample.pixels.len() <= search_pixels + 300);
        assert_eq!(found.notes.iter().any(|note| note.contains("pixels were searched")), search_pixels == 500);
        let sad = found.scores.unwrap().sad_degrees.unwrap();
        assert!(sad < 2.0, "{search_pixels}: {sad}");
    }
}

/// Spectra that are written are read again, bit by bit, and give the same abundances.
#[test]
fn a_library_gives_the_same_abundances() {
    let scene = Scene { dead_bands: 2, seed: 5, ..Scene::new(11, 13, 15, 3) };
    let cube = scene.cube().unwrap();
    assert_eq!(cube.used.len(), 13);
    let mut first = Held::default();
    let found = unmix(&cube, Given::default(), &Settings::new(3), &mut first, &mut ()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (header, bytes) = write::library(&cube, &found.endmembers.spectra);
    std::fs::write(path("e.hdr"), header).unwrap();
    std::fs::write(path("e.sli"), bytes).unwrap();
    std::fs::write(path("e.csv"), write::endmembers_csv(&cube, &found.endmembers)).unwrap();
    for file in ["e.hdr", "e.sli", "e.csv"] {
        let known = spectra::read(&path(file), &cube).unwrap();
        let mut again = Held::default();
        let given = Given { spectra: Some(&known), ..Given::default() };
        let same = unmix(&cube, given, &Settings::default(), &mut again, &mut ()).unwrap();
        assert!(same.endmembers.pixels.is_empty() && same.endmembers.search.is_none());
        assert!(first.abundances == again.abundances && first.residuals == again.residuals, "{file}");
    }
    let refused = |text: &str| {
        std::fs::write(path("x.csv"), text).unwrap();
        spectra::read(&path("x.csv"), &cube).unwrap_err().to_string()
    };
    assert!(refused("a,b\n1,2\n").contains("has 1 row and 2 columns, but one of them must be the bands: 15, or 13"));
    assert!(refused("a,b\n1\n").contains("has 1 fields in line 2, but 2 names in its first"));
    assert!(read::read(&path("e.hdr"), None, &Reading::default()).is_err());
}
