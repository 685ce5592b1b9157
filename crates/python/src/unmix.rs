//! Images to materials and abundances.

use crate::errors::{of_unmixing, wrong};
use crate::held::Held;
use crate::matrices::{Columns, Matrix, rows_of_columns};
use crate::settings::{Given, with};
use crate::watching::{Watch, Watched, trace_dict, whole};
use merit::progress::Interrupt;
use merit::{DataMatrix, DenseMatrix};
use merit_cli::runs::UnmixRun;
use merit_dataset::array::{Element, Kind, Numbers};
use merit_unmix::abundances::of_spectra;
use merit_unmix::cube::{Cube, Facts, Strides};
use merit_unmix::{Error, Settings};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Materials that were found. They cannot be changed.
#[pyclass(frozen, module = "merit_nmf._merit")]
pub struct ImageRun {
    run: Held<UnmixRun>,
    #[pyo3(get)]
    json: String,
}

#[pymethods]
impl ImageRun {
    /// A material per row: its spectrum.
    fn spectra<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows_of_columns(py, self.run.get().found().endmembers.spectra.clone())
    }

    /// A pixel per row: its abundances.
    fn abundances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let run = self.run.get();
        let rank = run.found().endmembers.spectra.cols();
        let values = run.held().abundances.clone();
        let pixels = values.len() / rank.max(1);
        PyArray1::from_vec(py, values).reshape([pixels, rank])
    }

    /// What is left of each pixel.
    fn residuals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        PyArray1::from_slice(py, &self.run.get().held().residuals)
    }

    fn trace<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let run = self.run.get();
        trace_dict(py, run.found().endmembers.search.as_ref().map_or(&[], |search| &search.trace))
    }

    /// The page of `merit unmix`.
    fn page(&self, py: Python<'_>, watch: Watch) -> PyResult<String> {
        whole(watch.run(py, |_| self.run.get().page()))
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }
}

/// An image as Python gives it: `merit_nmf._unmix.Image`.
#[derive(FromPyObject)]
pub struct Image {
    /// Lines, samples and bands.
    shape: (usize, usize, usize),
    /// Its numbers in C order, in the byte order of the machine.
    data: Vec<u8>,
    /// NumPy's name of their type.
    kind: String,
    /// Which pixels count; all, if empty.
    mask: Vec<bool>,
    wavelengths: Option<Vec<f64>>,
    units: Option<String>,
}

impl Image {
    fn cube(self) -> PyResult<Cube> {
        let kind = match self.kind.as_str() {
            "uint8" => Kind::U8,
            "int16" => Kind::I16,
            "uint16" => Kind::U16,
            "int32" => Kind::I32,
            "float32" => Kind::F32,
            _ => Kind::F64,
        };
        let (lines, samples, bands) = self.shape;
        let numbers = Numbers::of_memory(Element { kind, big_endian: cfg!(target_endian = "big") }, self.data);
        if numbers.count() != lines as u64 * samples as u64 * bands as u64 || numbers.count() == 0 {
            return Err(wrong(format!("an image of {lines} x {samples} x {bands} has as many numbers, and some")));
        }
        let strides = Strides { line: (samples * bands) as u64, sample: bands as u64, band: 1 };
        let mut cube = Cube::new("image".into(), "in memory".into(), [lines, samples, bands], numbers, strides);
        let fits = |length: usize, expected: usize| length == 0 || length == expected;
        if !fits(self.mask.len(), lines * samples) || !fits(self.wavelengths.as_ref().map_or(0, Vec::len), bands) {
            return Err(wrong("the mask has an entry for each pixel, and wavelengths one for each band"));
        }
        cube.mask = self.mask;
        cube.facts = Facts { wavelengths: self.wavelengths, units: self.units, ..Facts::default() };
        Ok(cube)
    }
}

/// Materials and abundances of an image.
#[pyfunction]
pub fn unmix(
    py: Python<'_>,
    watch: Watch,
    image: Image,
    settings: Given,
) -> PyResult<(Option<ImageRun>, Option<PyErr>)> {
    let settings: Settings = with(&settings)?;
    let cube = image.cube()?;
    let Watched { result, raised } = watch.run(py, |observer| {
        let mut run = UnmixRun::of(cube, settings, observer)?;
        let json = run.json();
        Ok(ImageRun { run: Held::new(run), json })
    })?;
    match (result, raised) {
        (Ok(run), raised) => Ok((Some(run), raised)),
        (Err(Error::Merit(merit::Error::Interrupted)), Some(error)) => Ok((None, Some(error))),
        (Err(error), _) => Err(of_unmixing(error)),
    }
}

/// Abundances of pixels (rows of `x`), given the spectra of materials (rows too).
#[pyfunction]
pub fn abundances<'py>(
    py: Python<'py>,
    watch: Watch,
    x: Matrix<'py>,
    spectra: Matrix<'py>,
    settings: Given,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let settings: Settings = with(&settings)?;
    let (x, spectra) = (dense(x.data(Columns::Rows)?)?, dense(spectra.data(Columns::Rows)?)?);
    if x.rows() != spectra.rows() {
        return Err(wrong(format!("pixels have {} bands, but the spectra {}", x.rows(), spectra.rows())));
    }
    let found = watch.run(py, |_| of_spectra(&x, &spectra, settings.abundances, &Interrupt::never()).0);
    rows_of_columns(py, whole(found)?)
}

fn dense(matrix: DataMatrix) -> PyResult<DenseMatrix> {
    match matrix {
        DataMatrix::Dense(matrix) => Ok(matrix),
        DataMatrix::Single(matrix) => Ok(matrix.to_dense()),
        DataMatrix::Sparse(_) => Err(wrong("pixels are dense arrays")),
    }
}
