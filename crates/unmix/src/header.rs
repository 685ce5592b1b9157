//! The text of an ENVI header.
//!
//! ```text
//! ENVI
//! ; a comment
//! samples = 95
//! wavelength = {401.0, 404.1,
//!   407.3}
//! ```
//!
//! The first line begins with `ENVI`; lines that begin with `;` are comments, lines without `=` say nothing. A line is cut at its first
//! `=`; keys may be in any case. A value that opens with `{` goes on to the next `}`, over lines.

use crate::error::{Error, Fault};
use merit_dataset::array::{Element, Kind};
use merit_dataset::limits;
use merit_dataset::shown::shown;
use merit_dataset::text::{open_regular, read_regular};
use std::collections::BTreeMap;
use std::path::Path;

/// Bytes of the longest header that is taken for one: some carry histories and thousands of names.
const LONGEST: u64 = 16 << 20;

/// How values of an image follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interleave {
    /// Band after band: (b L + l) S + s.
    Bsq,
    /// Line after line, in each band after band: (l B + b) S + s.
    Bil,
    /// Pixel after pixel: (l S + s) B + b.
    Bip,
}

impl Interleave {
    /// As a header says it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bsq => "bsq",
            Self::Bil => "bil",
            Self::Bip => "bip",
        }
    }
}

/// What a header says.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Columns of the image; for a library, bands of its spectra.
    pub samples: usize,
    /// Rows of the image; for a library, spectra.
    pub lines: usize,
    /// Bands.
    pub bands: usize,
    /// Type and byte order of the values.
    pub element: Element,
    /// Their order.
    pub interleave: Interleave,
    /// Bytes before the first value.
    pub offset: u64,
    /// Whether it is of a spectral library.
    pub library: bool,
    /// The wavelength of each band; not sorted.
    pub wavelengths: Option<Vec<f64>>,
    /// Their unit.
    pub units: Option<String>,
    /// Which bands are good; all, if empty.
    pub good: Vec<bool>,
    /// The value that stands for "no data"; may be NaN.
    pub ignore: Option<f64>,
    /// What values are to be divided by.
    pub scale: Option<f64>,
    /// Three bands to be shown as red, green and blue, from 0.
    pub default_bands: Option<[usize; 3]>,
    /// Names of spectra.
    pub names: Vec<String>,
    /// Where the image lies: keys and values to be copied as they are.
    pub place: Vec<(String, String)>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Keys that are copied to what is written.
const PLACE: [&str; 3] = ["map info", "projection info", "coordinate system string"];

impl Header {
    /// Reads the header `path`.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let length = open_regular(path)?.metadata().map_or(0, |facts| facts.len());
        if length > LONGEST {
            return Err(Error::header(path, Fault::Long(length, LONGEST)));
        }
        let bytes = read_regular(path, limits::memory(), 4)?;
        Self::parse(&String::from_utf8_lossy(&bytes)).map_err(|fault| Error::header(path, fault))
    }

    /// From its text.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let fields = Fields::of(text)?;
        let file_type = fields.text("file type").unwrap_or_default().to_lowercase();
        if file_type.contains("mosaic") || file_type.contains("meta file") {
            return Err(Fault::Mosaic(shown(fields.text("file type").unwrap_or_default()).into_owned()));
        }
        if fields.text("file compression").is_some_and(|value| value != "0") {
            return Err(Fault::Compressed);
        }
        for key in ["major frame offsets", "minor frame offsets"] {
            if fields.list(key).iter().flatten().any(|value| value.parse() != Ok(0.0)) {
                return Err(Fault::FrameOffsets(key));
            }
        }
        let mut notes = Vec::new();
        let (samples, lines, bands) = (fields.size("samples")?, fields.size("lines")?, fields.size("bands")?);
        let (Ok(s), Ok(l), Ok(b)) = (usize::try_from(samples), usize::try_from(lines), usize::try_from(bands)) else {
            return Err(Fault::TooLarge { lines, samples, bands });
        };
        let values = [lines, samples, bands, 8].into_iter().try_fold(1_u64, u64::checked_mul);
        if values.is_none_or(|bytes| bytes > isize::MAX as u64) || s.max(l).max(b) > u32::MAX as usize {
            return Err(Fault::TooLarge { lines, samples, bands });
        }
        let kind = data_type(fields.whole("data type")?.ok_or(Fault::Missing("data type"))?)?;
        let interleave = fields.text("interleave").ok_or(Fault::Missing("interleave"))?;
        let interleave = match interleave.to_lowercase().as_str() {
            "bsq" => Interleave::Bsq,
            "bil" => Interleave::Bil,
            "bip" => Interleave::Bip,
            _ => return Err(value_fault("interleave", interleave, "bsq, bil or bip")),
        };
        let order = fields.whole("byte order")?;
        if order.is_none() && !matches!(kind, Kind::U8) {
            notes.push("the header says no byte order: the lowest byte was taken to be the first".to_string());
        }
        let big_endian = match order.unwrap_or(0) {
            0 => false,
            1 => true,
            other => return Err(value_fault("byte order", &other.to_string(), "0 or 1")),
        };
        let offset = fields.whole("header offset")?;
        if offset.is_none() {
            notes.push("the header says no header offset: the data were taken to begin at the first byte".to_string());
        }
        let library = file_type.contains("spectral library");
        let per_band = if library { s } else { b };
        let good = fields.numbers("bbl", per_band)?.unwrap_or_default();
        let scale = fields.number("reflectance scale factor")?;
        if let Some(scale) = scale.filter(|scale| !(scale.is_finite() && *scale > 0.0)) {
            return Err(value_fault("reflectance scale factor", &scale.to_string(), "a number greater than 0"));
        }
        let wavelengths = fields.numbers("wavelength", per_band)?;
        if let Some(wrong) = wavelengths.iter().flatten().find(|value| !value.is_finite()) {
            return Err(value_fault("wavelength", &wrong.to_string(), "finite numbers"));
        }
        let default_bands = fields.default_bands(b, &mut notes);
        let names = fields.list("spectra names").unwrap_or_default();
        Ok(Self {
            samples: s,
            lines: l,
            bands: b,
            element: Element { kind, big_endian },
            interleave,
            offset: offset.unwrap_or(0),
            library,
            wavelengths,
            units: fields.text("wavelength units").map(String::from),
            good: good.iter().map(|&value| value != 0.0).collect(),
            ignore: fields.number("data ignore value")?,
            scale,
            default_bands,
            names: names.into_iter().map(String::from).collect(),
            place: PLACE
                .iter()
                .filter_map(|key| fields.values.get(*key).map(|value| (key.to_string(), value.clone())))
                .collect(),
            notes,
        })
    }

    /// Bytes that the data must have: offset + lines x samples x bands x size.
    pub fn bytes(&self) -> u128 {
        let values = self.lines as u128 * self.samples as u128 * self.bands as u128;
        u128::from(self.offset) + values * self.element.size() as u128
    }
}

fn value_fault(key: &'static str, found: &str, expected: &'static str) -> Fault {
    let short: String = found.chars().take(60).collect();
    Fault::Value { key, found: shown(&short).into_owned(), expected }
}

fn data_type(number: u64) -> Result<Kind, Fault> {
    Ok(match number {
        1 => Kind::U8,
        2 => Kind::I16,
        3 => Kind::I32,
        4 => Kind::F32,
        5 => Kind::F64,
        12 => Kind::U16,
        13 => Kind::U32,
        14 => Kind::I64,
        15 => Kind::U64,
        6 | 9 => return Err(Fault::Complex(number)),
        other => return Err(Fault::DataType(other)),
    })
}

/// Keys in lower case, and their values; those in braces with them.
struct Fields {
    values: BTreeMap<String, String>,
}

impl Fields {
    fn of(text: &str) -> Result<Self, Fault> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = text.lines();
        if !lines.next().is_some_and(|first| first.trim_start().starts_with("ENVI")) {
            return Err(Fault::NotEnvi);
        }
        let mut lines = lines.filter(|line| !line.trim_start().starts_with(';'));
        let mut values = BTreeMap::new();
        while let Some(line) = lines.next() {
            let Some((key, value)) = line.split_once('=') else { continue };
            let key = key.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            let mut value = value.trim().to_string();
            if value.starts_with('{') {
                while !value.contains('}') {
                    let Some(more) = lines.next() else { return Err(Fault::Unclosed(shown(&key).into_owned())) };
                    value.push('\n');
                    value += more.trim();
                }
                value.truncate(value.find('}').map_or(value.len(), |end| end + 1));
            }
            if values.get(&key).is_some_and(|before| *before != value) {
                return Err(Fault::Twice(shown(&key).into_owned()));
            }
            values.insert(key, value);
        }
        Ok(Self { values })
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(|value| value.trim_matches(['{', '}']).trim())
    }

    /// The values in braces, or the one that has none; a line break may stand before a comma.
    fn list(&self, key: &str) -> Option<Vec<&str>> {
        let text = self.text(key)?;
        let mut items: Vec<&str> = text.split(',').map(str::trim).collect();
        if items.last() == Some(&"") {
            items.pop();
        }
        Some(items)
    }

    fn size(&self, key: &'static str) -> Result<u64, Fault> {
        match self.whole(key)? {
            None => Err(Fault::Missing(key)),
            Some(0) => Err(value_fault(key, "0", "a whole number, at least 1")),
            Some(size) => Ok(size),
        }
    }

    fn whole(&self, key: &'static str) -> Result<Option<u64>, Fault> {
        let Some(text) = self.text(key) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| value_fault(key, text, "a whole number"))
    }

    fn number(&self, key: &'static str) -> Result<Option<f64>, Fault> {
        let Some(text) = self.text(key) else { return Ok(None) };
        if text.trim_start_matches(['-', '+']).to_lowercase().starts_with("nan") {
            return Ok(Some(f64::NAN));
        }
        text.parse().map(Some).map_err(|_| value_fault(key, text, "a number"))
    }

    /// One number for each of `bands`.
    fn numbers(&self, key: &'static str, bands: usize) -> Result<Option<Vec<f64>>, Fault> {
        let Some(items) = self.list(key) else { return Ok(None) };
        if items.len() != bands {
            return Err(Fault::Count { key, found: items.len(), bands });
        }
        let number =
            |item: &&str| item.parse().map_err(|_| value_fault(key, item, "numbers, with commas between them"));
        items.iter().map(number).collect::<Result<_, _>>().map(Some)
    }

    /// Bands for red, green and blue; anything else is noted and ignored, because they are not needed.
    fn default_bands(&self, bands: usize, notes: &mut Vec<String>) -> Option<[usize; 3]> {
        let items = self.list("default bands")?;
        // Some programs write `1.0`.
        let from_one = |item: &&str| item.parse::<f64>().ok().filter(|band| *band >= 1.0 && *band <= bands as f64);
        let found: Option<Vec<usize>> = items.iter().map(|item| from_one(item).map(|band| band as usize - 1)).collect();
        match found.as_deref() {
            Some(&[r, g, b]) => Some([r, g, b]),
            Some(&[one]) => Some([one; 3]),
            _ => {
                notes.push(format!(
                    "the header's default bands are not three numbers from 1 to {bands}, so they are not used"
                ));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "ENVI\n; made by hand\ndescription = {\n  two = lines }\nsamples = 3\nlines   = 2\nbands = 4\n\
        header offset = 0\ndata type = 4\nInterleave = BIL\nbyte order = 1\nno value here\nwavelength units = Nanometers\n\
        wavelength = {400.5, 500,\n 600\n , 550}\nbbl = {1, 1.0, 0, 1}\ndata ignore value = NaN\ndefault bands = {1, 2.0, 4}\n\
        map info = {UTM, 1, 1,\n 5, 5}\nreflectance scale factor = 10000\n";

    #[test]
    fn a_header_is_read() {
        let header = Header::parse(GOOD).unwrap();
        assert_eq!((header.samples, header.lines, header.bands), (3, 2, 4));
        assert_eq!(header.element, Element { kind: Kind::F32, big_endian: true });
        assert_eq!((header.interleave, header.offset), (Interleave::Bil, 0));
        assert_eq!(header.wavelengths.unwrap(), [400.5, 500.0, 600.0, 550.0]);
        assert_eq!(header.good, [true, true, false, true]);
        assert!(header.ignore.unwrap().is_nan() && header.scale == Some(10000.0));
        assert_eq!(header.default_bands, Some([0, 1, 3]));
        assert_eq!(header.place, [("map info".to_string(), "{UTM, 1, 1,\n5, 5}".to_string())]);
        assert!(header.notes.is_empty(), "{:?}", header.notes);
    }

    /// What is changed in a good header, and what is said about it.
    #[test]
    fn every_mutation_has_its_message() {
        let cases: [(&str, &str, &str); 30] = [
            ("ENVI\n", "", "is no ENVI header: its first line does not start with `ENVI`"),
            ("ENVI\n", "\nENVI\n", "is no ENVI header: its first line does not start with `ENVI`"),
            ("samples = 3\n", "", "has no `samples`"),
            ("lines   = 2\n", "", "has no `lines`"),
            ("bands = 4\n", "", "has no `bands`"),
            ("data type = 4\n", "", "has no `data type`"),
            ("Interleave = BIL\n", "", "has no `interleave`"),
            ("samples = 3", "samples = 0", "says `samples = 0`, but expected is a whole number, at least 1"),
            ("samples = 3", "samples = -3", "says `samples = -3`, but expected is a whole number"),
            ("samples = 3", "samples = 3.5", "says `samples = 3.5`, but expected is a whole number"),
            ("samples = 3", "samples =", "says `samples = `, but expected is a whole number"),
            ("samples = 3", "samples = 3\nsamples = 4", "says `samples` twice, with different values"),
            (
                "samples = 3",
                "samples = 99999999999",
                "says 2 lines x 99999999999 samples x 4 bands, more than can be counted",
            ),
            (
                "samples = 3",
                "samples = 99999999999999999999999",
                "says `samples = 99999999999999999999999`, but expected is a whole number",
            ),
            (
                "data type = 4",
                "data type = 6",
                "says `data type = 6`, which is complex; keep the real part or the magnitude",
            ),
            (
                "data type = 4",
                "data type = 9",
                "says `data type = 9`, which is complex; keep the real part or the magnitude",
            ),
            ("data type = 4", "data type = 7", "says `data type = 7`, but known are 1, 2, 3, 4, 5, 12, 13, 14 and 15"),
            ("data type = 4", "data type = float", "says `data type = float`, but expected is a whole number"),
            ("= BIL", "= tiled", "says `interleave = tiled`, but expected is bsq, bil or bip"),
            ("byte order = 1", "byte order = 2", "says `byte order = 2`, but expected is 0 or 1"),
            ("byte order = 1", "byte order = IEEE", "says `byte order = IEEE`, but expected is a whole number"),
            ("header offset = 0", "header offset = -1", "says `header offset = -1`, but expected is a whole number"),
            ("600\n , 550}", "600}", "has 3 values of `wavelength`, but 4 bands"),
            (
                "600\n , 550}",
                "green, 550}",
                "says `wavelength = green`, but expected is numbers, with commas between them",
            ),
            ("600\n , 550}", "inf, 550}", "says `wavelength = inf`, but expected is finite numbers"),
            ("{1, 1.0, 0, 1}", "{1, 1}", "has 2 values of `bbl`, but 4 bands"),
            ("value = NaN", "value = none", "says `data ignore value = none`, but expected is a number"),
            (
                "factor = 10000",
                "factor = 0",
                "says `reflectance scale factor = 0`, but expected is a number greater than 0",
            ),
            (
                "samples = 3",
                "file compression = 1\nsamples = 3",
                "says `file compression = 1`: the data are packed with gzip, and only unpacked ones are read",
            ),
            (
                "samples = 3",
                "major frame offsets = {0, 16}\nsamples = 3",
                "has `major frame offsets`, and data with gaps between their frames are not read",
            ),
        ];
        for (from, to, message) in cases {
            assert_eq!(GOOD.matches(from).count(), 1, "{from}");
            let found = Header::parse(&GOOD.replace(from, to));
            let Err(fault) = found else { panic!("{from} -> {to} is taken") };
            assert_eq!(fault.to_string(), message, "{from} -> {to}");
        }
        let kind =
            |text: &str| Header::parse(&GOOD.replace("samples = 3", &format!("file type = {text}\nsamples = 3")));
        assert!(matches!(kind("ENVI Virtual Mosaic"), Err(Fault::Mosaic(_))));
        assert!(matches!(kind("ENVI Meta File"), Err(Fault::Mosaic(_))));
        assert!(kind("ENVI Standard").is_ok());
        let open = GOOD.replace("{UTM, 1, 1,\n 5, 5}", "{UTM, 1, 1,\n 5, 5");
        assert_eq!(Header::parse(&open), Err(Fault::Unclosed("map info".into())));
    }

    #[test]
    fn what_is_not_said_is_told() {
        let bare = GOOD.replace("byte order = 1\n", "").replace("header offset = 0\n", "");
        let header = Header::parse(&bare.replace("{1, 2.0, 4}", "{1, 9, 4}")).unwrap();
        assert_eq!(header.notes.len(), 3, "{:?}", header.notes);
        assert!(!header.element.big_endian && header.offset == 0 && header.default_bands.is_none());
    }
}
