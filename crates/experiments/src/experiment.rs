//! An experiment is a list of cases (a data set at a setting) times trials; a trial's data depend on its seed alone.
//!
//! ```text
//! seed(trial) = mix(experiment seed, dataset, setting, trial)     (53 bits, so that it survives as a float)
//! ```
//!
//! So any trial can be run alone and gives the line it has in the whole, whatever else runs, in whatever order; and two
//! experiments with the same data set and setting see the same data.
//!
//! ```
//! use merit_experiments::experiment::trial_seed;
//! assert_eq!(trial_seed(0, "dirichlet", "40", 17), trial_seed(0, "dirichlet", "40", 17));
//! assert_ne!(trial_seed(0, "dirichlet", "40", 17), trial_seed(0, "dirichlet", "40", 18));
//! ```

use crate::communities::{Network, NetworkTrial};
use crate::method::{Instance, Method, Outcome};
use crate::topics::{Data, TopicData, TopicTrial};
use crate::{Failure, memory, recipes};
use merit::synthetic::{Dirichlet, Midpoints, Synthetic, SyntheticError};
use merit_report::chart::Stretch;
use std::path::{Path, PathBuf};

/// One figure or table of the paper.
pub struct Experiment {
    /// As typed and as in files: `fig2`, `table1`.
    pub name: &'static str,
    /// A heading.
    pub title: &'static str,
    /// The recipe in a few sentences.
    pub recipe: &'static str,
    /// What the paper says about it, where that is words.
    pub claims: &'static [&'static str],
    /// Goes up whenever older results must not be mixed with new ones.
    pub revision: u32,
    /// Trials for each case, as in the paper.
    pub trials: usize,
    /// What is run.
    pub cases: Vec<Case>,
    /// Which numbers the tables show.
    pub metrics: &'static [&'static str],
    /// The panels of the figure; none for a table.
    pub panels: Vec<Panel>,
    /// Name of the column of settings.
    pub setting_name: &'static str,
}

impl Experiment {
    /// All methods, in order of their first appearance.
    pub fn methods(&self) -> Vec<Method> {
        let mut methods: Vec<Method> = Vec::new();
        for method in self.cases.iter().flat_map(|case| &case.methods) {
            if !methods.contains(method) {
                methods.push(*method);
            }
        }
        methods
    }
}

/// One panel of a figure: a metric over the settings of a data set.
pub struct Panel {
    /// Heading.
    pub title: &'static str,
    /// Which cases.
    pub dataset: &'static str,
    /// Which number of the summary.
    pub metric: &'static str,
    /// Name of the horizontal axis.
    pub x_name: &'static str,
    /// Name of the vertical axis.
    pub y_name: &'static str,
    /// Linear or logarithmic.
    pub x_stretch: Stretch,
    /// Linear or logarithmic.
    pub y_stretch: Stretch,
}

impl Panel {
    /// Success rate over SNR.
    pub fn success(title: &'static str, dataset: &'static str) -> Self {
        Self {
            title,
            dataset,
            metric: "success_rate",
            x_name: "SNR (dB)",
            y_name: "success rate",
            x_stretch: Stretch::Linear,
            y_stretch: Stretch::Linear,
        }
    }
}

/// One data set at one setting.
pub struct Case {
    /// Name of the data.
    pub dataset: &'static str,
    /// The SNR, K or N, as in files.
    pub setting: String,
    /// The same as a number, for the axis.
    pub x: f64,
    /// What a trial does.
    pub work: Work,
    /// Who takes part.
    pub methods: Vec<Method>,
}

/// What a trial does.
#[derive(Clone, Debug)]
pub enum Work {
    /// Make data, select anchors, compare with the truth.
    Select(Design),
    /// Make data and select anchors in a process of its own, whose peak memory is the result.
    Memory(memory::Subject),
    /// Find topics in a trial's documents and measure them.
    Topics {
        /// Which corpus.
        data: TopicData,
        /// `K`.
        topics: usize,
    },
    /// Find memberships in a network and measure them.
    Communities(Network),
}

impl Work {
    /// The files that a trial needs within the data folder.
    pub fn files(&self, data_folder: &Path, trial: usize) -> Vec<PathBuf> {
        match self {
            Self::Topics { data, topics } | Self::Memory(memory::Subject::Topics { data, topics }) => {
                vec![data.file(data_folder), data.trial_file(data_folder, *topics, trial)]
            }
            Self::Communities(network) | Self::Memory(memory::Subject::Communities(network)) => {
                network.files(data_folder).into()
            }
            Self::Select(_) | Self::Memory(memory::Subject::Dirichlet(_)) => Vec::new(),
        }
    }

    /// Whether it needs a data folder.
    pub fn needs_data(&self) -> bool {
        !matches!(self, Self::Select(_) | Self::Memory(memory::Subject::Dirichlet(_)))
    }

    /// Whether `method` takes part in a trial after the first: not where the data are the same and it draws no numbers.
    pub fn repeats(&self, method: Method) -> bool {
        !matches!(self, Self::Communities(_)) || method == Method::GeoNmf
    }
}

/// One trial's data.
pub(crate) enum Trial {
    /// Synthetic, with its truth.
    Synthetic(Box<Instance>),
    /// Documents.
    Topics(Box<TopicTrial>),
    /// A network.
    Communities(Box<NetworkTrial>),
}

impl Trial {
    /// What `method` finds.
    pub(crate) fn run(&self, method: Method) -> Result<Outcome, Failure> {
        match self {
            Self::Synthetic(instance) => instance.run(method),
            Self::Topics(documents) => documents.run(method),
            Self::Communities(network) => network.run(method),
        }
    }
}

/// Where the data come from; the seed is the trial's.
#[derive(Clone, Debug)]
pub enum Design {
    /// Anchors and Dirichlet mixtures.
    Dirichlet(Dirichlet),
    /// Anchors and the midpoints of all pairs.
    Midpoints(Midpoints),
}

impl Design {
    /// The data of this seed.
    pub fn generate(&self, seed: u64) -> Result<Synthetic, SyntheticError> {
        match self {
            Self::Dirichlet(model) => Dirichlet { seed, ..model.clone() }.generate(),
            Self::Midpoints(model) => Midpoints { seed, ..model.clone() }.generate(),
        }
    }
}

impl Case {
    /// A case that selects anchors.
    pub fn new(dataset: &'static str, setting: f64, design: Design, methods: &[Method]) -> Self {
        let work = Work::Select(design);
        Self { dataset, setting: setting.to_string(), x: setting, work, methods: methods.to_vec() }
    }

    /// The seed of a trial.
    pub fn seed(&self, base: u64, trial: usize) -> u64 {
        trial_seed(base, self.dataset, &self.setting, trial)
    }

    /// Data for a trial; none for a point of peak memory, which is made elsewhere.
    pub(crate) fn data(&self, seed: u64, trial: usize, data: &Data) -> Result<Option<Trial>, Failure> {
        Ok(match &self.work {
            Work::Select(design) => Some(Trial::Synthetic(Box::new(Instance::new(design.generate(seed)?, seed)))),
            Work::Topics { data: which, topics } => {
                Some(Trial::Topics(Box::new(data.trial(*which, *topics, trial, seed)?)))
            }
            Work::Communities(network) => Some(Trial::Communities(Box::new(network.read(data.folder(), seed)?))),
            Work::Memory(_) => None,
        })
    }
}

/// The seed of a trial, below 2^53.
pub fn trial_seed(base: u64, dataset: &str, setting: &str, trial: usize) -> u64 {
    // FNV-1a over the words, then the finalizer of splitmix64, which spreads neighbors over all bits.
    let words = format!("{base}/{dataset}/{setting}/{trial}");
    let mut hash = words
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (hash ^ (hash >> 31)) >> 11
}

/// Every experiment, in the paper's order.
pub fn all() -> Vec<Experiment> {
    vec![
        recipes::fig2::experiment(),
        recipes::fig3::experiment(),
        recipes::fig4a::experiment(),
        recipes::fig4b::experiment(),
        recipes::table1::experiment(),
        recipes::fig5::experiment(),
        recipes::table2::experiment(),
        recipes::fig6::experiment(),
        recipes::table4::experiment(),
        recipes::fig7::experiment(),
        recipes::auto::experiment(),
        recipes::outliers::experiment(),
    ]
}

/// The experiment of this name.
pub fn named(name: &str) -> Option<Experiment> {
    all().into_iter().find(|experiment| experiment.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn seeds_differ_and_stay_below_two_to_the_53() {
        let mut seen = BTreeSet::new();
        for base in 0..3 {
            for setting in ["7", "8", "10"] {
                for trial in 0..100 {
                    let seed = trial_seed(base, "dirichlet", setting, trial);
                    assert!(seed < 1 << 53 && seen.insert(seed));
                }
            }
        }
    }

    #[test]
    fn names_in_files_are_unique_and_need_no_quotes() {
        let experiments = all();
        let names: BTreeSet<_> = experiments.iter().map(|e| e.name).collect();
        assert_eq!(names.len(), experiments.len());
        for experiment in &experiments {
            let mut cases = BTreeSet::new();
            for case in &experiment.cases {
                assert!(cases.insert((case.dataset, case.setting.clone())), "{} twice", case.setting);
                for method in &case.methods {
                    let words = format!("{}{}{}{}", experiment.name, case.dataset, case.setting, method.name());
                    assert!(!words.contains([',', '"', '\n']), "{words}");
                }
            }
            let names: BTreeSet<_> = experiment.methods().iter().map(|m| m.name()).collect();
            assert_eq!(names.len(), experiment.methods().len());
            for panel in &experiment.panels {
                assert!(experiment.cases.iter().any(|case| case.dataset == panel.dataset), "{}", panel.dataset);
                assert!(experiment.metrics.contains(&panel.metric), "{}", panel.metric);
            }
        }
    }
}
