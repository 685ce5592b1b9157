//! The compiled part of the Python package `merit_nmf`: it converts, lets go of the interpreter, calls the libraries and converts
//! back. It holds no numerics and no defaults; what people see is in `python/merit_nmf`.

mod command;
mod communities;
mod errors;
mod factor;
mod files;
mod held;
mod matrices;
mod measures;
mod names;
mod plan;
mod settings;
mod synthetic;
mod threads;
mod topics;
mod unmix;
mod watching;

use pyo3::prelude::*;

/// The module `merit_nmf._merit`.
#[pymodule]
fn _merit(module: &Bound<'_, PyModule>) -> PyResult<()> {
    merit_cli::word_notes(names::in_python);
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<factor::Run>()?;
    module.add_class::<topics::TopicRun>()?;
    module.add_class::<communities::CommunityRun>()?;
    module.add_class::<unmix::ImageRun>()?;
    module.add_function(wrap_pyfunction!(command::run_command, module)?)?;
    module.add_function(wrap_pyfunction!(factor::factor, module)?)?;
    module.add_function(wrap_pyfunction!(factor::select, module)?)?;
    module.add_function(wrap_pyfunction!(factor::weights, module)?)?;
    module.add_function(wrap_pyfunction!(files::read_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(files::read_corpus, module)?)?;
    module.add_function(wrap_pyfunction!(files::read_graph, module)?)?;
    module.add_function(wrap_pyfunction!(files::write_file, module)?)?;
    module.add_function(wrap_pyfunction!(names::python_names, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plan, module)?)?;
    module.add_function(wrap_pyfunction!(settings::declarations, module)?)?;
    module.add_function(wrap_pyfunction!(threads::available_threads, module)?)?;
    module.add_function(wrap_pyfunction!(topics::topics, module)?)?;
    module.add_function(wrap_pyfunction!(topics::topic_weights, module)?)?;
    module.add_function(wrap_pyfunction!(communities::communities, module)?)?;
    module.add_function(wrap_pyfunction!(unmix::unmix, module)?)?;
    module.add_function(wrap_pyfunction!(unmix::abundances, module)?)?;
    measures::add(module)?;
    synthetic::add(module)
}
