//! Images.

use super::{no_outputs, untyped};
use crate::args::UnmixArgs;
use crate::commands::unmix::{Outcome, Record, unmix_page};
use merit::progress::Observer;
use merit_unmix::abundances::Held;
use merit_unmix::overview::Overview;
use merit_unmix::{Cube, Error, Given, Settings, Unmixing, materials};

/// What was found in an image, and its record.
pub struct UnmixRun {
    args: UnmixArgs,
    /// Always there between calls.
    parts: Option<(Cube, Unmixing, Overview)>,
    held: Held,
    record: Record,
}

impl UnmixRun {
    /// Unmixes `cube` with these settings; abundances are held.
    pub fn of(cube: Cube, settings: Settings, observer: &mut dyn Observer) -> Result<Self, Error> {
        let given = Given::default();
        let found = materials(&cube, given, &settings, observer)?;
        let (mut held, mut overview) = (Held::default(), Overview::new(&cube, found.endmembers.spectra.cols()));
        let found =
            found.with_abundances(&cube, given, settings.abundances, &mut (&mut held, &mut overview), observer)?;
        let args = UnmixArgs {
            input: "image".into(),
            outputs: no_outputs(),
            mask: None,
            spectra: None,
            truth: None,
            reading: untyped(Default::default()),
            flags: untyped(settings),
            threads: None,
        };
        let outcome = Outcome { args: &args, cube, found, overview };
        let record = outcome.record().with_seconds(&outcome.found.seconds);
        let Outcome { cube, found, overview, .. } = outcome;
        Ok(Self { args, parts: Some((cube, found, overview)), held, record })
    }

    /// What was found.
    pub fn found(&self) -> &Unmixing {
        &self.parts.as_ref().expect("there between calls").1
    }

    /// Abundances of all pixels, and what is left of each.
    pub fn held(&self) -> &Held {
        &self.held
    }

    /// `run.json`.
    pub fn json(&mut self) -> String {
        self.record.json()
    }

    /// The page of `merit unmix`.
    pub fn page(&mut self) -> String {
        let (cube, found, overview) = self.parts.take().expect("there between calls");
        let outcome = Outcome { args: &self.args, cube, found, overview };
        let page = unmix_page::of_run(&outcome, &self.record);
        let Outcome { cube, found, overview, .. } = outcome;
        self.parts = Some((cube, found, overview));
        page
    }
}
