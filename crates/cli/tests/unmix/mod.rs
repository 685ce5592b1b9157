//! `merit unmix` from a scene to its folder, page and record, and what is said about bad input.

use crate::support::{Sandbox, schema};

fn scene() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.ok("generate cube --lines 20 --samples 30 --bands 24 --endmembers 3 --dead-bands 2 --snr 40 --seed 4 --quiet --output scene");
    sandbox
}

#[test]
fn an_image_becomes_materials_and_maps() {
    let sandbox = scene();
    let said = sandbox.ok("unmix scene/cube.hdr --endmembers 3 --truth scene --output run --report page.html");
    assert!(said.stdout.contains("20 lines, 30 samples, 24 bands, 3 materials"), "{}", said.stdout);
    assert!(
        said.stderr.contains("note: 2 of 24 bands are marked as bad in the header and left out"),
        "{}",
        said.stderr
    );
    let record = sandbox.json("run/run.json");
    schema::check("run/run.json", &record);
    assert!(record["sad_degrees"].as_f64().unwrap() < 5.0, "{}", record["sad_degrees"]);
    assert_eq!(record["input"]["used_bands"].as_array().unwrap().len(), 22);
    assert!(record["fit"]["violation"].as_f64().unwrap() <= 1e-12);
    let files = ["abundances.hdr", "abundances.img", "endmembers.csv", "endmembers.hdr", "endmembers.sli"];
    let more = ["maps/composite.png", "maps/dominant.png", "maps/material_3.png", "residual.hdr", "residual.img"];
    let listed: Vec<&str> = record["files"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    assert!(files.iter().chain(&more).all(|name| listed.contains(name)), "{listed:?}");
    // What was written is an image too: three bands of abundances that add up to one.
    sandbox.ok("unmix run/abundances.hdr --endmembers 2 --quiet --output again");
    assert_eq!(sandbox.json("again/run.json")["input"]["bands"], 3);
    // The spectra that were found, given again, leave the same; pipes get the record.
    let known = sandbox.ok("unmix scene/cube.img --spectra run/endmembers.sli --json --quiet").stdout;
    let known: serde_json::Value = serde_json::from_str(&known).unwrap();
    schema::check("known", &known);
    assert_eq!(known["fit"], record["fit"]);
    assert!(sandbox.text("page.html").contains("id=\"map-dominant\""));
    let guessed = sandbox.ok("unmix scene/cube.hdr --json");
    assert!(guessed.stderr.contains("materials are a guess (HySime says "), "{}", guessed.stderr);
    schema::check("guessed", &serde_json::from_str(&guessed.stdout).unwrap());
}

#[test]
fn what_is_no_image_is_told() {
    let sandbox = scene();
    let header = sandbox.text("scene/cube.hdr");
    sandbox.write("bad.hdr", header.replace("interleave = bil", "interleave = tiled"));
    sandbox.write("bad.img", "short");
    sandbox.write("short.hdr", header).write("short.img", "short");
    sandbox.write("x.tif", "II");
    let cases = [
        ("unmix bad.hdr", 1, "error: `bad.hdr` says `interleave = tiled`, but expected is bsq, bil or bip\n"),
        (
            "unmix short.img",
            1,
            "error: `short.img` has 5 bytes, but its header says 28800: 0 + 20 lines x 30 samples x 24 bands x 2\nhint: was it copied to the end? \
             else samples, lines, bands, data type or header offset are not those of the data\n",
        ),
        (
            "unmix x.tif",
            1,
            "error: `x.tif` is a GeoTIFF, which is not read\nhint: convert it first, as with `gdal_translate -of ENVI INPUT cube.img`\n",
        ),
        (
            "unmix scene/cube.hdr --endmembers 40",
            2,
            "error: 40 endmembers, but with 22 bands at most 23 can be told apart\nhint: give fewer `--endmembers`\n",
        ),
        ("unmix scene/cube.hdr --bands 99", 2, "error: `99` names no band: bands count from 1 to 24\n"),
        (
            "unmix scene/cube.hdr --spectra scene/cube.hdr",
            1,
            "error: `scene/cube.hdr` is of an image, not of a spectral library\nhint: give `--spectra` a library (.sli) or a table (.csv), and the \
             image as the input\n",
        ),
        (
            "unmix scene/cube.hdr --output scene --force",
            2,
            "error: `scene` holds the input `scene/cube.hdr`, so it is not replaced\nhint: choose another name\n",
        ),
        ("generate cube --bands 0 --output s", 2, "error: bands must be a whole number from 1 to 1000000, but is 0\n"),
    ];
    for (typed, code, message) in cases {
        let found = sandbox.run(typed);
        assert_eq!((found.code, found.stderr.ends_with(message)), (Some(code), true), "{typed}: {}", found.stderr);
    }
}
