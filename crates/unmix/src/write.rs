//! What others read: images and spectral libraries as ENVI has them, and the table of spectra.

use crate::abundances::{Part, Sink};
use crate::cube::Cube;
use crate::endmembers::Endmembers;
use crate::error::Error;
use crate::header::Interleave;
use merit_linalg::DenseMatrix;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

/// What the header of an image says.
#[derive(Clone, Debug)]
pub struct Written<'w> {
    /// One line about it.
    pub description: &'w str,
    /// Lines, samples and bands.
    pub sizes: [usize; 3],
    /// ENVI's number of the type of its values.
    pub data_type: u8,
    /// Their order.
    pub interleave: Interleave,
    /// Names of its bands; none, or one for each.
    pub names: &'w [String],
    /// More keys with their values, as they are to be written.
    pub more: Vec<(String, String)>,
}

impl Written<'_> {
    /// The text of the header.
    pub fn header(&self) -> String {
        let [lines, samples, bands] = self.sizes;
        let mut text = format!(
            "ENVI\ndescription = {{{}}}\nsamples = {samples}\nlines = {lines}\nbands = {bands}\nheader offset = 0\n\
             file type = ENVI Standard\ndata type = {}\ninterleave = {}\nbyte order = 0\n",
            self.description,
            self.data_type,
            self.interleave.name()
        );
        if !self.names.is_empty() {
            _ = writeln!(text, "band names = {{{}}}", self.names.join(", "));
        }
        self.more.iter().for_each(|(key, value)| _ = writeln!(text, "{key} = {value}"));
        text
    }
}

/// What materials are called in files.
pub fn names(rank: usize) -> Vec<String> {
    (1..=rank).map(|k| format!("material_{k}")).collect()
}

/// The headers of the abundances and of what is left.
pub fn map_headers(cube: &Cube, rank: usize) -> [String; 2] {
    let mut more = vec![("data ignore value".to_string(), "NaN".to_string())];
    more.extend(cube.facts.place.iter().cloned());
    let names = names(rank);
    let header = |description, bands, names| Written {
        description,
        sizes: [cube.lines, cube.samples, bands],
        data_type: 4,
        interleave: Interleave::Bil,
        names,
        more: more.clone(),
    };
    [
        header("Abundances, by merit unmix", rank, &names).header(),
        header("Root of the mean square of what the materials do not explain, by merit unmix", 1, &[]).header(),
    ]
}

/// Writes abundances and what is left as they come: line by line, one band after another (BIL), as f32.
pub struct MapFiles<W: Write> {
    abundances: BufWriter<W>,
    residuals: BufWriter<W>,
    samples: usize,
    rank: usize,
}

impl<W: Write> MapFiles<W> {
    /// Into these two.
    pub fn new(abundances: W, residuals: W, cube: &Cube, rank: usize) -> Self {
        let (abundances, residuals) = (BufWriter::new(abundances), BufWriter::new(residuals));
        Self { abundances, residuals, samples: cube.samples, rank }
    }

    /// Writes everything to the last byte.
    pub fn finish(mut self) -> io::Result<()> {
        self.abundances.flush()?;
        self.residuals.flush()
    }

    fn put(&mut self, part: &Part) -> io::Result<()> {
        for line in part.abundances.chunks_exact(self.samples * self.rank) {
            for k in 0..self.rank {
                for share in line.iter().skip(k).step_by(self.rank) {
                    self.abundances.write_all(&share.to_le_bytes())?;
                }
            }
        }
        part.residuals.iter().try_for_each(|left| self.residuals.write_all(&left.to_le_bytes()))
    }
}

/// A failure is kept where it happened, for the writer to find.
impl<W: Write> MapFiles<W> {
    /// As a sink, whose failures go to `failed`.
    pub fn sink<'s>(&'s mut self, failed: &'s mut Option<io::Error>) -> impl Sink + 's {
        FileSink { files: self, failed }
    }
}

struct FileSink<'s, W: Write> {
    files: &'s mut MapFiles<W>,
    failed: &'s mut Option<io::Error>,
}

impl<W: Write> Sink for FileSink<'_, W> {
    fn lines(&mut self, part: &Part) -> Result<(), Error> {
        if self.failed.is_none() {
            *self.failed = self.files.put(part).err();
        }
        Ok(())
    }
}

/// Two that both take the lines.
impl<A: Sink + ?Sized, B: Sink + ?Sized> Sink for (&mut A, &mut B) {
    fn lines(&mut self, part: &Part) -> Result<(), Error> {
        self.0.lines(part)?;
        self.1.lines(part)
    }
}

/// `endmembers.csv`: one material per line, with its pure pixel (from 0), how many pixels were averaged and how pure they were, and its spectrum; columns
/// are named by wavelengths, or by numbers of bands from 1.
pub fn endmembers_csv(cube: &Cube, endmembers: &Endmembers) -> String {
    let mut text = String::from("material,line,sample,averaged,purity");
    match cube.used_wavelengths() {
        Some(wavelengths) => wavelengths.iter().for_each(|w| _ = write!(text, ",{w}")),
        None => cube.used.iter().for_each(|band| _ = write!(text, ",band_{}", band + 1)),
    }
    text.push('\n');
    for k in 0..endmembers.spectra.cols() {
        let pixel = endmembers.pixels.get(k).map(|pixel| (pixel / cube.samples, pixel % cube.samples));
        let (line, sample) = pixel.map_or((String::new(), String::new()), |(l, s)| (l.to_string(), s.to_string()));
        let averaged = endmembers.averaged.get(k).map_or(String::new(), usize::to_string);
        let purity = endmembers.purity.get(k).map_or(String::new(), |purity| format!("{purity:.4}"));
        _ = write!(text, "material_{},{line},{sample},{averaged},{purity}", k + 1);
        endmembers.spectra.col(k).iter().for_each(|value| _ = write!(text, ",{value}"));
        text.push('\n');
    }
    text
}

/// The header and the bytes of a spectral library.
pub fn library(cube: &Cube, spectra: &DenseMatrix) -> (String, Vec<u8>) {
    let (bands, rank) = (spectra.rows(), spectra.cols());
    let mut header = format!(
        "ENVI\ndescription = {{Spectra of materials, by merit unmix}}\nsamples = {bands}\nlines = {rank}\nbands = 1\nheader offset = 0\n\
         file type = ENVI Spectral Library\ndata type = 5\ninterleave = bsq\nbyte order = 0\nspectra names = {{{}}}\n",
        names(rank).join(", ")
    );
    if let Some(wavelengths) = cube.used_wavelengths() {
        let list: Vec<String> = wavelengths.iter().map(f64::to_string).collect();
        _ = writeln!(header, "wavelength = {{{}}}", list.join(", "));
        cube.facts.units.iter().for_each(|units| _ = writeln!(header, "wavelength units = {units}"));
    }
    (header, spectra.values().iter().flat_map(|value| value.to_le_bytes()).collect())
}
