//! Going through an image once: blocks side by side, what comes of them in their order.

use crate::cube::{Block, Cube};
use crate::error::Error;
use merit::progress::{Stage, Stages, StopReason};
use rayon::prelude::*;
use std::ops::Range;

/// Blocks that are worked on before the flag is looked at; fixed, so that memory does not depend on the threads.
const TOGETHER: usize = 8;

/// Hands every block to `work`, on all threads, and what it makes of it to `take`, in order. `Ok(Some(line))` is where it was interrupted.
pub(crate) fn pass<T: Send>(
    cube: &Cube,
    stages: &mut Stages,
    stage: Stage,
    work: impl Fn(usize, Block) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), Error>,
) -> Result<Option<usize>, Error> {
    let blocks: Vec<(usize, Range<usize>)> = cube.blocks().into_iter().enumerate().collect();
    let stage = Stage { steps: Some(blocks.len()), ..stage };
    stages.run(stage, |stages| {
        let interrupt = stages.interrupt();
        for group in blocks.chunks(TOGETHER) {
            if interrupt.asked() {
                stages.ended(StopReason::Interrupted);
                return Ok(Some(group[0].1.start));
            }
            let made: Vec<Result<T, Error>> =
                group.par_iter().map(|(number, lines)| Ok(work(*number, cube.block(lines.clone())?))).collect();
            made.into_iter().try_for_each(|part| take(part?))?;
            let done = group[group.len() - 1].0 + 1;
            // A time limit is for the search: there is no result without the passes.
            _ = stages.step(done);
        }
        cube.check_unchanged()?;
        Ok(None)
    })
}

/// The same for work that is of use only as a whole.
pub(crate) fn whole<T: Send>(
    cube: &Cube,
    stages: &mut Stages,
    stage: Stage,
    work: impl Fn(usize, Block) -> T + Sync,
    take: impl FnMut(T) -> Result<(), Error>,
) -> Result<(), Error> {
    match pass(cube, stages, stage, work, take)? {
        None => Ok(()),
        Some(_) => Err(merit::Error::Interrupted.into()),
    }
}
