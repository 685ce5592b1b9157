//! From a path to an image: ENVI's pair of files, MATLAB's .mat, NumPy's .npy.

use crate::bands;
use crate::cube::{Cube, Facts, Strides};
use crate::error::Error;
use crate::header::{Header, Interleave};
use crate::settings::Reading;
use merit::words::counted;
use merit_dataset::array::{self, Array, Described, Numbers};
use merit_dataset::error::Place;
use merit_dataset::limits::Room;
use merit_dataset::text::extension;
use std::path::{Path, PathBuf};

/// Endings that the data of a header may have.
const DATA: [&str; 7] = ["img", "dat", "raw", "hyspex", "bsq", "bil", "bip"];

/// Names of variables that are an image, the likeliest first.
const IMAGES: [&str; 10] = ["Y", "V", "X", "cube", "data", "img", "image", "hsi", "HSI", "reflectance"];

/// Reads what there is to know about an image; its values are read later. `mask` is an image of one band that is not zero where pixels count.
pub fn read(path: &Path, mask: Option<&Path>, reading: &Reading) -> Result<Cube, Error> {
    let mut cube = open(path, reading.variable.as_deref())?;
    // A line as it is stored, as numbers, and without what is left out.
    Room::of(path).check((cube.samples as u64 * cube.bands as u64).saturating_mul(24))?;
    bands::choose(&mut cube, reading)?;
    if let Some(mask) = mask {
        cube.mask = read_mask(mask, &cube)?;
    }
    Ok(cube)
}

/// The image of a file, all bands and pixels of it.
pub(crate) fn open(path: &Path, variable: Option<&str>) -> Result<Cube, Error> {
    let refused = |kind| Err(Error::OtherFormat { at: path.into(), kind });
    match extension(path).as_deref() {
        Some("npy") => npy(path),
        Some("mat") => mat(path, variable),
        Some("tif" | "tiff" | "gtiff") => refused("a GeoTIFF"),
        Some("h5" | "hdf5" | "he5" | "hdf" | "nc" | "nc4") => refused("an HDF file"),
        Some("jp2" | "png" | "jpg" | "jpeg" | "ntf" | "nitf" | "pix" | "vrt") => refused("an image of another format"),
        Some("csv" | "tsv" | "txt" | "npz" | "mtx") => refused("a table or matrix without lines and samples"),
        _ => envi(path),
    }
}

/// Header and data of an ENVI image, from either of them.
pub fn envi_pair(path: &Path) -> Result<(PathBuf, PathBuf), Error> {
    let with = |base: &Path, ending: &str| {
        let mut name = base.as_os_str().to_os_string();
        name.push(format!(".{ending}"));
        PathBuf::from(name)
    };
    let is_header = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("hdr"));
    if !is_header {
        let bare = path.with_extension("");
        let tried: Vec<PathBuf> =
            [path, &bare].iter().flat_map(|base| [with(base, "hdr"), with(base, "HDR")]).collect();
        merit_dataset::text::open_regular(path)?;
        let found = tried.iter().find(|header| header.is_file()).cloned();
        let names = || vec![quoted(&tried[0]), quoted(&tried[2])];
        let header = found.ok_or_else(|| Error::NoHeader { at: path.into(), tried: names() })?;
        return Ok((header, path.to_path_buf()));
    }
    merit_dataset::text::open_regular(path)?;
    let base = path.with_extension("");
    let endings = DATA.iter().flat_map(|ending| [ending.to_string(), ending.to_uppercase()]);
    let tried = std::iter::once(base.clone()).chain(endings.map(|ending| with(&base, &ending)));
    let data = tried.into_iter().find(|data| data.is_file());
    let names = || std::iter::once(quoted(&base)).chain(DATA.iter().map(|ending| format!(".{ending}"))).collect();
    Ok((path.to_path_buf(), data.ok_or_else(|| Error::NoData { at: path.into(), tried: names() })?))
}

fn quoted(path: &Path) -> String {
    Place::from(path).to_string()
}

fn envi(path: &Path) -> Result<Cube, Error> {
    let (header_path, data) = envi_pair(path)?;
    let header = Header::read(&header_path)?;
    if header.library {
        return Err(Error::header(&header_path, crate::error::Fault::Library));
    }
    let (numbers, mut notes) = envi_numbers(&header, &data)?;
    let [l, s, b] = [header.lines, header.samples, header.bands].map(|size| size as u64);
    let strides = match header.interleave {
        Interleave::Bsq => Strides { line: s, sample: 1, band: l * s },
        Interleave::Bil => Strides { line: b * s, sample: 1, band: s },
        Interleave::Bip => Strides { line: s * b, sample: b, band: 1 },
    };
    let format = format!("ENVI, {}, {}", header.interleave.name(), header.element.name());
    let sizes = [header.lines, header.samples, header.bands];
    let mut cube = Cube::new(path.display().to_string(), format, sizes, numbers, strides);
    notes.splice(0..0, header.notes);
    let bad = header.good.iter().filter(|good| !**good).count();
    if bad > 0 {
        cube.used.retain(|&band| header.good[band]);
        notes.push(format!("{bad} of {} bands are marked as bad in the header and left out", header.bands));
    }
    cube.facts = Facts {
        wavelengths: header.wavelengths,
        units: header.units,
        ignore: header.ignore,
        scale: header.scale,
        default_bands: header.default_bands,
        place: header.place,
    };
    cube.notes = notes;
    Ok(cube)
}

/// The values that a header promises, and what is to be said about the size of their file.
pub(crate) fn envi_numbers(header: &Header, data: &Path) -> Result<(Numbers, Vec<String>), Error> {
    let found = merit_dataset::text::open_regular(data)?.metadata().map_or(0, |facts| facts.len());
    let expected = header.bytes();
    if u128::from(found) < expected {
        let (offset, size) = (header.offset, header.element.size());
        let how =
            format!("{offset} + {} lines x {} samples x {} bands x {size}", header.lines, header.samples, header.bands);
        return Err(Error::Size { at: data.into(), found, expected, how });
    }
    let mut notes = Vec::new();
    if u128::from(found) > expected {
        let more = u128::from(found) - expected;
        notes.push(format!("the data go on for {more} bytes after the {expected} that the header promises"));
    }
    let count = header.lines as u64 * header.samples as u64 * header.bands as u64;
    Ok((Numbers::of_file(data, header.element, header.offset, count)?, notes))
}

/// Lines x samples x bands; a matrix is an image of one band.
fn npy(path: &Path) -> Result<Cube, Error> {
    let array = array::npy(path)?;
    of_array(path, array, "NumPy")
}

fn of_array(path: &Path, array: Array, format: &str) -> Result<Cube, Error> {
    let sizes = match array.shape[..] {
        [lines, samples, bands] => [lines, samples, bands],
        [lines, samples] => [lines, samples, 1],
        _ => return Err(shape_error(path, &array.shape, "an image has 3 axes: lines, samples, bands")),
    };
    if sizes.contains(&0) || sizes.iter().any(|size| *size > u32::MAX.into()) {
        return Err(shape_error(path, &array.shape, "every axis needs at least one value"));
    }
    let [l, s, b] = sizes;
    let strides = match array.fortran_order {
        true => Strides { line: 1, sample: l, band: l * s },
        false => Strides { line: s * b, sample: b, band: 1 },
    };
    let order = if array.fortran_order { "Fortran" } else { "C" };
    let format = format!("{format}, {order} order, {}", array.numbers.element().name());
    let sizes = sizes.map(|size| size as usize);
    Ok(Cube::new(path.display().to_string(), format, sizes, array.numbers, strides))
}

fn shape_error(path: &Path, shape: &[u64], expected: &str) -> Error {
    let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
    Error::Shape { at: path.into(), found: sizes.join(" x "), expected: expected.into() }
}

/// A cube of three axes, or bands x pixels with the numbers of lines and columns beside it; pixels go down the columns.
fn mat(path: &Path, variable: Option<&str>) -> Result<Cube, Error> {
    let variables = array::mat_variables(path)?;
    let size = |names: &[&str]| scalar(path, &variables, names);
    let lines = size(&["nRow", "nrow", "rows", "lines", "H", "nl", "nLines"])?;
    let columns = size(&["nCol", "ncol", "cols", "columns", "samples", "W", "ns", "nSamples"])?;
    let chosen = choose_image(path, &variables, variable, lines, columns)?;
    let array = array::mat(path, &chosen.name)?;
    let mut cube = match (&array.shape[..], lines, columns) {
        (&[rows, pixels], Some(lines), Some(columns)) if lines.checked_mul(columns) == Some(pixels) => {
            if rows == 0 || pixels == 0 || pixels > u32::MAX.into() {
                return Err(shape_error(path, &array.shape, "every axis needs at least one value"));
            }
            let strides = Strides { line: rows, sample: rows * lines, band: 1 };
            let format = format!("MATLAB, bands x pixels, {}", array.numbers.element().name());
            let sizes = [lines as usize, columns as usize, rows as usize];
            Cube::new(path.display().to_string(), format, sizes, array.numbers, strides)
        }
        _ => of_array(path, array, "MATLAB")?,
    };
    cube.notes.push(format!(
        "the image is the variable `{}`: {}, {}, {}",
        merit_dataset::shown::shown(&chosen.name),
        counted(cube.lines, "line", "lines"),
        counted(cube.samples, "sample", "samples"),
        counted(cube.bands, "band", "bands")
    ));
    Ok(cube)
}

/// The whole number in the first of these variables that is there.
fn scalar(path: &Path, variables: &[Described], names: &[&str]) -> Result<Option<u64>, Error> {
    let one = |name: &&&str| variables.iter().any(|v| v.name == ***name && v.shape.iter().all(|&size| size == 1));
    let Some(name) = names.iter().find(one) else { return Ok(None) };
    let mut value = [0.0];
    array::mat(path, name)?.numbers.read(0, &mut value)?;
    Ok(Some(value[0]).filter(|v| *v >= 1.0 && v.fract() == 0.0 && *v < 4e9).map(|v| v as u64))
}

fn choose_image<'v>(
    path: &Path,
    variables: &'v [Described],
    asked: Option<&str>,
    lines: Option<u64>,
    columns: Option<u64>,
) -> Result<&'v Described, Error> {
    let is_image = |v: &&Described| match v.shape[..] {
        [_, _, _] => true,
        [rows, pixels] => rows > 1 && lines.zip(columns).is_some_and(|(l, c)| l.checked_mul(c) == Some(pixels)),
        _ => false,
    };
    let label = |v: &Described| {
        let sizes: Vec<String> = v.shape.iter().map(u64::to_string).collect();
        format!("`{}` ({})", merit_dataset::shown::shown(&v.name), sizes.join(" x "))
    };
    let all = || variables.iter().map(label).collect::<Vec<_>>().join(", ");
    if let Some(name) = asked {
        let none = || Error::NoImage { at: path.into(), reason: format!("no variable `{name}`, but {}", all()) };
        return variables.iter().find(|v| v.name == name).ok_or_else(none);
    }
    let images: Vec<&Described> = variables.iter().filter(is_image).collect();
    let known = IMAGES.iter().find_map(|name| images.iter().find(|v| v.name == *name));
    match (known, &images[..]) {
        (Some(image), _) | (None, [image]) => Ok(image),
        (None, []) => Err(Error::NoImage {
            at: path.into(),
            reason: format!(
                "expected is a variable of 3 axes, or one of bands x pixels with nRow and nCol beside it; there are {}",
                if variables.is_empty() { "none".into() } else { all() }
            ),
        }),
        (None, several) => Err(Error::NoImage {
            at: path.into(),
            reason: format!(
                "several variables could be one: {}; choose with `variable`",
                several.iter().map(|v| label(v)).collect::<Vec<_>>().join(", ")
            ),
        }),
    }
}

/// Which pixels count: an image of one band, not zero where they do.
fn read_mask(path: &Path, cube: &Cube) -> Result<Vec<bool>, Error> {
    let mask = match extension(path).as_deref() {
        Some("mat") => {
            let variables = array::mat_variables(path)?;
            let fits = |v: &&Described| v.shape == [cube.lines as u64, cube.samples as u64];
            let none = || Error::NoImage {
                at: path.into(),
                reason: format!("no variable is {} x {}, as the image is", cube.lines, cube.samples),
            };
            let name = variables.iter().find(fits).map(|v| v.name.clone()).ok_or_else(none)?;
            of_array(path, array::mat(path, &name)?, "MATLAB")?
        }
        _ => open(path, None)?,
    };
    if (mask.lines, mask.samples) != (cube.lines, cube.samples) {
        let (lines, samples, of_lines, of_samples) = (mask.lines, mask.samples, cube.lines, cube.samples);
        return Err(Error::MaskShape { at: path.into(), lines, samples, of_lines, of_samples });
    }
    if mask.bands != 1 {
        let found = format!("{} x {} x {}", mask.lines, mask.samples, mask.bands);
        return Err(Error::Shape { at: path.into(), found, expected: "a mask has one band".into() });
    }
    let mut kept = Vec::with_capacity(cube.pixels());
    for lines in mask.blocks() {
        kept.extend(mask.raw(lines)?.iter().map(|value| *value != 0.0 && !value.is_nan()));
    }
    Ok(kept)
}
