//! The run folder of `merit factor`: arrays and tables.

use super::shared_results::SharedResults;
use crate::csv::{bounds_csv, csv_field, trace_csv};
use crate::failure::Failure;
use crate::output_folder::OutputFolder;
use merit::factor::Factorization;
use merit_dataset::{write_npy, write_npz_csc};

fn write_weights_and_columns(folder: &OutputFolder, run: &Factorization) -> Result<(), Failure> {
    folder.put("H.npy", |path| write_npy(path, &run.h.h))?;
    if run.search.solution.is_some() {
        let cols = run.columns.original_cols();
        let nnz = (0..cols).map(|l| run.c_nonzeros(l)).sum();
        folder.put("C.npz", |path| write_npz_csc(path, cols, cols, nnz, |l, entries| run.c_column(l, entries)))?;
    }
    Ok(())
}

/// W, H, C, anchors and trace; `shared` where other processes have some of `H` and `C`.
pub fn write_arrays(
    folder: &OutputFolder,
    run: &Factorization,
    shared: Option<&SharedResults>,
    labels: Option<&[String]>,
) -> Result<(), Failure> {
    let search = &run.search;
    folder.put("W.npy", |path| write_npy(path, &run.w))?;
    match shared {
        Some(shared) => shared.write(folder)?,
        None => write_weights_and_columns(folder, run)?,
    }
    let mut anchors = String::from("index,label,row_norm,support,suspected_outlier\n");
    for (&l, users) in search.anchors.iter().zip(&run.support.columns) {
        let label = labels.map_or(String::new(), |labels| csv_field(&labels[l]));
        let norm = search.row_norms.get(l).map_or(String::new(), f64::to_string);
        let suspected = run.support.suspected_outliers.contains(&l);
        anchors += &format!("{l},{label},{norm},{users},{suspected}\n");
    }
    folder.write("anchors.csv", &anchors)?;
    if let Some(certified) = &search.certificate {
        folder.write("bounds.csv", &bounds_csv(&certified.trace))?;
    }
    folder.write("trace.csv", &trace_csv(&search.trace))
}
