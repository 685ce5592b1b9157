//! `merit generate cube`: a scene, written as it is drawn.

use super::finish;
use crate::ExitCode;
use crate::args::CubeArgs;
use crate::failure::Failure;
use crate::output_folder::OutputFolder;
use crate::progress::while_working;
use crate::terminal::print;
use merit::words::counted;
use merit_dataset::shown::shown_path;
use merit_dataset::write_file;
use merit_unmix::header::Interleave;
use merit_unmix::synthetic::{Drawn, Scene};
use merit_unmix::write::{Written, names};
use rayon::prelude::*;
use serde_json::json;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};

/// Numbers of the lines that are drawn together.
const TOGETHER: usize = 1 << 22;

pub fn run(args: &CubeArgs) -> Result<ExitCode, Failure> {
    let scene = Scene {
        lines: args.lines,
        samples: args.samples,
        bands: args.bands,
        endmembers: args.endmembers,
        snr_db: args.snr,
        sharpness: args.sharpness,
        waves: args.waves,
        brightness: args.brightness,
        dead_bands: args.dead_bands,
        seed: args.common.seed,
    };
    let interleave = match args.interleave.as_str() {
        "bsq" => Interleave::Bsq,
        "bip" => Interleave::Bip,
        _ => Interleave::Bil,
    };
    let drawn = scene.draw()?;
    let folder = OutputFolder::create(&args.common.output, args.common.force, &[])?;
    while_working(args.common.quiet, "drawing the scene".into(), || {
        folder.put("cube.img", |path| {
            write_file(path, |image| {
                write_file(&path.with_file_name("abundances.img"), |shares| {
                    draw(&scene, &drawn, interleave, image, shares)
                })
                .map_err(io::Error::other)
            })
        })
    })?;
    folder.write("cube.hdr", &drawn.header(interleave))?;
    let abundances = Written {
        description: "True abundances of a scene, by merit generate cube",
        sizes: [scene.lines, scene.samples, scene.endmembers],
        data_type: 4,
        interleave: Interleave::Bip,
        names: &names(scene.endmembers),
        more: Vec::new(),
    };
    folder.write("abundances.hdr", &abundances.header())?;
    folder.write("endmembers.csv", &spectra(&drawn))?;
    let mut truth = json!(scene);
    truth["model"] = json!("cube");
    finish(folder, truth)?;
    if !args.common.quiet {
        print(&format!(
            "{}: {}, {}, {}, {}\n",
            shown_path(&args.common.output),
            counted(scene.lines, "line", "lines"),
            counted(scene.samples, "sample", "samples"),
            counted(scene.bands, "band", "bands"),
            counted(scene.endmembers, "material", "materials")
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Draws line after line, some at a time, into the two files.
fn draw(scene: &Scene, drawn: &Drawn, interleave: Interleave, image: &mut File, shares: &mut File) -> io::Result<()> {
    let together = (TOGETHER / (scene.samples * scene.bands)).clamp(1, scene.lines);
    let (mut image, mut shares) = (BufWriter::new(image), BufWriter::new(shares));
    let lines: Vec<usize> = (0..scene.lines).collect();
    for group in lines.chunks(together) {
        let made: Vec<(Vec<i16>, Vec<f32>)> = group.par_iter().map(|&line| drawn.line(line)).collect();
        let (samples, bands) = (scene.samples, scene.bands);
        match interleave {
            Interleave::Bip => {
                made.iter().try_for_each(|(values, _)| put(&mut image, values.iter().copied()))?;
            }
            Interleave::Bil => {
                for (values, _) in &made {
                    (0..bands).try_for_each(|b| put(&mut image, values.iter().skip(b).step_by(bands).copied()))?;
                }
            }
            Interleave::Bsq => {
                for b in 0..bands {
                    let place = 2 * (b * scene.lines + group[0]) as u64 * samples as u64;
                    image.seek(SeekFrom::Start(place))?;
                    for (values, _) in &made {
                        put(&mut image, values.iter().skip(b).step_by(bands).copied())?;
                    }
                }
            }
        }
        for (_, abundances) in &made {
            abundances.iter().try_for_each(|share| shares.write_all(&share.to_le_bytes()))?;
        }
    }
    image.flush()?;
    shares.flush()
}

fn put(out: &mut impl Write, values: impl Iterator<Item = i16>) -> io::Result<()> {
    let bytes: Vec<u8> = values.flat_map(i16::to_le_bytes).collect();
    out.write_all(&bytes)
}

/// The true spectra, one material per line.
fn spectra(drawn: &Drawn) -> String {
    let mut text = String::from("material");
    drawn.wavelengths.iter().for_each(|wavelength| _ = write!(text, ",{wavelength}"));
    text.push('\n');
    for k in 0..drawn.spectra.cols() {
        _ = write!(text, "material_{}", k + 1);
        drawn.spectra.col(k).iter().for_each(|value| _ = write!(text, ",{value}"));
        text.push('\n');
    }
    text
}
