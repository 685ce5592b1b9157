//! The number a command ends with: the one of the standard library cannot be read, but a caller of this library needs to.

/// 0 done, 1 bad data, 2 bad usage, 130 interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitCode(u8);

impl ExitCode {
    /// Done.
    pub const SUCCESS: Self = Self(0);

    /// The number.
    pub fn number(self) -> u8 {
        self.0
    }
}

impl From<u8> for ExitCode {
    fn from(number: u8) -> Self {
        Self(number)
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        code.number().into()
    }
}
