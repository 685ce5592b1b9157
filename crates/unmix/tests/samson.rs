//! The Samson scene, where it is at hand.

use merit_unmix::truth::Truth;
use merit_unmix::unmix::{Given, unmix};
use merit_unmix::{Reading, Settings, read};
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
