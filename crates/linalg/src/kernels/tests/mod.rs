//! Every backend that this machine has the instructions for, against naive code.

pub(super) mod faulty;
mod properties;
mod sizes;

use super::proof::{Rejection, prove};
use super::{Backend, Kernel};

fn faulty() -> Kernel {
    Kernel(Backend::Faulty(faulty::Faulty::new()))
}

#[test]
#[cfg_attr(miri, ignore = "minutes there, and the properties run the same code")]
fn every_kernel_of_this_machine_proves_itself() {
    assert_eq!(Kernel::rejected(), []);
    assert_eq!(Kernel::available(), Kernel::found());
    assert_eq!(Kernel::best(), Kernel::found()[0]);
}

#[test]
#[cfg_attr(miri, ignore = "minutes there, and the properties run the same code")]
fn a_faulty_kernel_is_rejected_and_the_next_best_used() {
    let found = Kernel::found();
    let proven = prove(&[&[faulty()], &found[..]].concat());
    assert_eq!(proven.kernels, found);
    assert_eq!(proven.rejected, [Rejection { kernel: "faulty" }]);
    let note = "the faulty kernel of this machine gave other results than the portable one and is not used";
    assert_eq!(proven.rejected[0].to_string(), note);
}

#[test]
#[cfg_attr(miri, ignore = "minutes there, and the properties run the same code")]
fn faulty_kernels_leave_the_portable_one() {
    let portable = *Kernel::found().last().unwrap();
    let proven = prove(&[faulty(), faulty(), portable]);
    assert_eq!((proven.kernels, proven.rejected.len()), (vec![portable], 2));
}
