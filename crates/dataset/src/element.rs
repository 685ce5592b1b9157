//! One number in a binary file: its kind, its byte order, and its value as `f64`.

/// The real types that NumPy and MATLAB store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // as they are called
pub enum Kind {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

/// A kind of number in a byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// What number it is.
    pub kind: Kind,
    /// Whether its first byte is the highest.
    pub big_endian: bool,
}

impl Element {
    /// Bytes of one number.
    pub fn size(self) -> usize {
        match self.kind {
            Kind::Bool | Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 | Kind::F16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::I64 | Kind::U64 | Kind::F64 => 8,
        }
    }

    /// Whether its bytes are a number of this kind as this machine stores it.
    pub fn is_native(self, kind: Kind) -> bool {
        self.kind == kind && self.big_endian == cfg!(target_endian = "big")
    }

    /// The name NumPy gives it.
    pub fn name(self) -> &'static str {
        match self.kind {
            Kind::Bool => "bool",
            Kind::I8 => "int8",
            Kind::I16 => "int16",
            Kind::I32 => "int32",
            Kind::I64 => "int64",
            Kind::U8 => "uint8",
            Kind::U16 => "uint16",
            Kind::U32 => "uint32",
            Kind::U64 => "uint64",
            Kind::F16 => "float16",
            Kind::F32 => "float32",
            Kind::F64 => "float64",
        }
    }

    /// The numbers in `bytes`, one for each of `values`.
    pub fn decode(self, bytes: &[u8], values: &mut [f64]) {
        macro_rules! decode {
            ($number:ty, $convert:expr) => {{
                let numbers = values.iter_mut().zip(bytes.as_chunks().0);
                if self.big_endian {
                    numbers.for_each(|(value, &raw)| *value = $convert(<$number>::from_be_bytes(raw)));
                } else {
                    numbers.for_each(|(value, &raw)| *value = $convert(<$number>::from_le_bytes(raw)));
                }
            }};
        }
        match self.kind {
            Kind::Bool => decode!(u8, |v| f64::from(v != 0)),
            Kind::I8 => decode!(i8, f64::from),
            Kind::I16 => decode!(i16, f64::from),
            Kind::I32 => decode!(i32, f64::from),
            Kind::I64 => decode!(i64, |v| v as f64),
            Kind::U8 => decode!(u8, f64::from),
            Kind::U16 => decode!(u16, f64::from),
            Kind::U32 => decode!(u32, f64::from),
            Kind::U64 => decode!(u64, |v| v as f64),
            Kind::F16 => decode!(u16, half),
            Kind::F32 => decode!(f32, f64::from),
            Kind::F64 => decode!(f64, |v| v),
        }
    }
}

impl Element {
    /// How many of the numbers in `bytes` no `f64` is equal to.
    pub(crate) fn rounded(self, bytes: &[u8]) -> u64 {
        let (numbers, _) = bytes.as_chunks::<8>();
        let raw =
            |bytes: &[u8; 8]| if self.big_endian { u64::from_be_bytes(*bytes) } else { u64::from_le_bytes(*bytes) };
        // Significant bits beyond 53: those between the first one and the last one.
        let wide = |number: u64| number.leading_zeros() + number.trailing_zeros() < 64 - 53;
        let count = match self.kind {
            Kind::U64 => numbers.iter().filter(|&bytes| wide(raw(bytes))).count(),
            Kind::I64 => numbers.iter().filter(|&bytes| wide(raw(bytes).cast_signed().unsigned_abs())).count(),
            _ => 0,
        };
        count as u64
    }
}

/// A half precision number from its bits: sign, 5 bits of exponent, 10 bits of fraction.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match (bits >> 10) & 0x1f {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision() {
        let cases =
            [(0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x0001, 2f64.powi(-24)), (0x3555, 0.333251953125)];
        cases.iter().for_each(|&(bits, value)| assert_eq!(half(bits), value));
        assert_eq!(half(0xfc00), f64::NEG_INFINITY);
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn numbers_that_need_more_than_53_bits_are_counted() {
        let exact = [0, 1, -1, 1 << 53, (1 << 53) + 2, -(1 << 60), i64::MIN];
        let rounded = [(1 << 53) + 1, -(1 << 53) - 1, i64::MAX, i64::MIN + 1];
        for (numbers, expected) in [(&exact[..], 0), (&rounded[..], 4)] {
            assert!(numbers.iter().all(|&number| (number as f64 as i128 == number.into()) == (expected == 0)));
            let little: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            let big: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
            assert_eq!(Element { kind: Kind::I64, big_endian: false }.rounded(&little), expected);
            assert_eq!(Element { kind: Kind::I64, big_endian: true }.rounded(&big), expected);
            assert_eq!(Element { kind: Kind::F64, big_endian: false }.rounded(&little), 0);
        }
        assert_eq!(Element { kind: Kind::U64, big_endian: false }.rounded(&u64::MAX.to_le_bytes()), 1);
    }

    #[test]
    fn both_byte_orders() {
        let mut value = [0.0];
        Element { kind: Kind::I16, big_endian: true }.decode(&[0xff, 0xfe], &mut value);
        assert_eq!(value, [-2.0]);
        Element { kind: Kind::I16, big_endian: false }.decode(&[0xfe, 0xff], &mut value);
        assert_eq!(value, [-2.0]);
    }
}
