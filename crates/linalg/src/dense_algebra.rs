//! The door to faer: the only files of this crate that compute with it.
//!
//! faer left to itself splits sums by the number of threads, so its bits depend on the machine's settings. Everything here
//! either runs on one thread, or is cut into blocks by the sizes of the matrices alone; blocks run side by side and are put
//! together in their order. A test below keeps other files out. One function is exempt, and its name says so.

mod factorizations;
mod gram;
mod krylov;
mod products;

pub(crate) use factorizations::{qr_triangle, singular_values, symmetric_eigen};
pub(crate) use gram::{SLAB as GRAM_SLAB, gram, gram_of_shared};
pub(crate) use krylov::leading_left_vectors;
pub(crate) use products::{Block, all_threads_f32_product_not_reproducible, product, subtract_product};

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
    }

    /// The lines of a file that are not comments.
    fn code(path: &Path) -> String {
        let text = fs::read_to_string(path).unwrap();
        text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn faer_is_named_behind_the_door_only() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let all = files(&sources);
        assert!(all.len() > 15, "the source tree was not found");
        for path in all {
            let place = path.strip_prefix(&sources).unwrap();
            let text = code(&path);
            if place.starts_with("dense_algebra") || place == Path::new("dense_algebra.rs") {
                let threads = text.matches("Par::rayon").count() + text.matches("global_parallelism").count();
                let allowed = match place.file_name().and_then(|name| name.to_str()) {
                    Some("products.rs") => 1,       // the yardstick
                    Some("dense_algebra.rs") => 99, // these very words
                    _ => 0,
                };
                assert!(threads <= allowed, "{} computes on faer's threads", place.display());
            } else if place == Path::new("conversions.rs") {
                assert!(!text.contains("faer::"), "the conversions of faer stand in conversions/faer.rs");
            } else if place == Path::new("conversions/faer.rs") {
                let computes = ["linalg", "Par", "qr(", "svd(", "eigen(", "matmul", "solve"];
                let found = computes.iter().find(|word| text.contains(**word));
                assert_eq!(found, None, "{} is for types only", place.display());
            } else {
                assert!(!text.contains("faer"), "{} names faer; use crate::dense_algebra", place.display());
            }
        }
    }
}
