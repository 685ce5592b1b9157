//! What can be asked of a run: how a file is read, and how its materials are found.

use merit::Method;
use merit::search::{self, Certificate};
use merit::settings::Declaration;

merit::choices! {
    /// What abundances must satisfy ([`abundances`](mod@crate::abundances)).
    pub enum Rule {
        /// At least 0, and their sum is 1.
        #[default]
        Fcls = "fcls",
        /// At least 0.
        Nonnegative = "nonnegative",
        /// At least 0, of spectra whose maximum is 1, divided by their sum.
        Relative = "relative",
        /// Anything.
        Unconstrained = "unconstrained",
    }
}

merit::settings! {
    /// How materials are found.
    pub struct Settings {
        /// Number of materials (K)
        endmembers: Option<usize> = None, Declaration::new("K").at_least_one().or("estimated").short('k');
        /// How pure pixels are found
        method: Method = Method::Merit, Declaration::new("NAME");
        /// Pixels whose mean is a spectrum; auto stops where mixtures begin, 1 is the pure pixel itself
        average: Option<usize> = None, Declaration::new("N").at_least_one().or("auto");
        /// What abundances satisfy: fcls (at least 0, sum 1), nonnegative, relative (divided by their sum), unconstrained
        abundances: Rule = Rule::Fcls, Declaration::new("RULE");
        /// Pixels that are searched at most: of larger images an even sample, and the outermost
        search_pixels: usize = 10_000, Declaration::new("N").within(100.0, 1e7, "a whole number from 100 to 10000000");
        groups {
            /// How pure pixels are searched.
            search: search::Settings = of_pixels();
        }
    }
}

/// No bound on the optimum unless it is asked for: pixels fit almost exactly in so few dimensions, so the optimum is near zero, `C` is not
/// sparse there, and the bound would take most of the time and memory. The duality gap is computed anyway.
fn of_pixels() -> search::Settings {
    search::Settings { certificate: Certificate::Off, ..Default::default() }
}

impl Settings {
    /// This many materials, and defaults for everything else.
    pub fn new(endmembers: usize) -> Self {
        Self { endmembers: Some(endmembers), ..Default::default() }
    }
}

merit::settings! {
    /// How a file is to be understood.
    pub struct Reading {
        /// Bands to look at, from 1, as 1-100,120; or wavelengths, as 400-700nm
        bands: Vec<String> = Vec::new(), Declaration::new("BANDS");
        /// Bands to leave out, in the same way
        drop_bands: Vec<String> = Vec::new(), Declaration::new("BANDS");
        /// Which variable of a .mat is the image; auto takes the one that can be
        variable: Option<String> = None, Declaration::new("NAME").or("auto");
    }
}
