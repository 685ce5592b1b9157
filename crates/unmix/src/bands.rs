//! Which bands are looked at.
//!
//! `12` and `10-20` are bands, counted from 1; `550nm`, `0.4-0.7um` are wavelengths: the nearest band, or all between. With a decimal point
//! and no unit (`400.0-700.0`) the unit is the image's own.

use crate::cube::Cube;
use crate::error::Error;
use crate::settings::Reading;
use merit_dataset::shown::shown;

/// Leaves the bands that `reading` asks for.
pub(crate) fn choose(cube: &mut Cube, reading: &Reading) -> Result<(), Error> {
    let listed = |items: &[String]| -> Result<Vec<usize>, Error> {
        let lists: Result<Vec<_>, Error> = items.iter().map(|item| bands_of(item, cube)).collect();
        Ok(lists?.concat())
    };
    let (kept, dropped) = (listed(&reading.bands)?, listed(&reading.drop_bands)?);
    let before = cube.used.len();
    let bands = cube.bands;
    cube.used.retain(|band| (reading.bands.is_empty() || kept.contains(band)) && !dropped.contains(band));
    if cube.used.is_empty() {
        return Err(Error::NoBands { bands });
    }
    if cube.used.len() < before {
        cube.notes.push(format!("{} of {bands} bands are looked at, as asked", cube.used.len()));
    }
    Ok(())
}

/// Nanometers in a unit, if it is one of length.
pub fn nanometers(unit: &str) -> Option<f64> {
    match unit.trim().to_lowercase().as_str() {
        "nm" | "nanometer" | "nanometers" | "nanometre" | "nanometres" => Some(1.0),
        "um" | "µm" | "μm" | "micron" | "microns" | "micrometer" | "micrometers" | "micrometre" | "micrometres" => {
            Some(1e3)
        }
        "mm" | "millimeter" | "millimeters" => Some(1e6),
        "m" | "meter" | "meters" => Some(1e9),
        _ => None,
    }
}

fn bands_of(item: &str, cube: &Cube) -> Result<Vec<usize>, Error> {
    let wrong = |reason: String| Error::Band { item: shown(item).into_owned(), reason };
    let trimmed = item.trim();
    let digits = trimmed.trim_end_matches(|c: char| c.is_alphabetic());
    let unit = trimmed[digits.len()..].trim();
    let (from, to) = digits.trim().split_once('-').unwrap_or((digits.trim(), digits.trim()));
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
    let (Some(from_value), Some(to_value)) = (number(from), number(to)) else {
        return Err(wrong("expected is a band as 12, a range as 10-20, or wavelengths as 400-700nm".into()));
    };
    if from_value > to_value {
        return Err(wrong("the range ends before it begins".into()));
    }
    if unit.is_empty() && !digits.contains('.') {
        let (from, to) = (from_value as usize, to_value as usize);
        if from < 1 || to > cube.bands {
            return Err(wrong(format!("bands count from 1 to {}", cube.bands)));
        }
        return Ok((from - 1..to).collect());
    }
    let Some(wavelengths) = &cube.facts.wavelengths else {
        return Err(wrong("the image has no wavelengths; give numbers of bands".into()));
    };
    let own = cube.facts.units.as_deref().and_then(nanometers);
    let factor = match (unit, own) {
        ("", _) => 1.0,
        (unit, own) => match (nanometers(unit), own) {
            (None, _) => return Err(wrong(format!("`{}` is no unit; known are nm and um", shown(unit)))),
            (Some(_), None) => {
                return Err(wrong("the image does not say the unit of its wavelengths; give numbers of bands".into()));
            }
            (Some(asked), Some(own)) => asked / own,
        },
    };
    let (from, to) = (from_value * factor, to_value * factor);
    if from == to {
        let distance = |band: &usize| (wavelengths[*band] - from).abs();
        return Ok((0..cube.bands).min_by(|a, b| distance(a).total_cmp(&distance(b))).into_iter().collect());
    }
    // Half a millionth more on either side, because 0.7 um is 700.0000000000001 nm.
    let (low, high) = (from * (1.0 - 5e-7), to * (1.0 + 5e-7));
    let found: Vec<usize> = (0..cube.bands).filter(|&band| (low..=high).contains(&wavelengths[band])).collect();
    match found.is_empty() {
        true => Err(wrong("no wavelength of the image is within".into())),
        false => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::{Facts, Strides};
    use merit_dataset::array::{Element, Kind, Numbers};

    fn cube() -> Cube {
        let numbers = Numbers::of_memory(Element { kind: Kind::U8, big_endian: false }, vec![1; 5]);
        let mut cube = Cube::new("t".into(), "t".into(), [1, 1, 5], numbers, Strides { line: 5, sample: 5, band: 1 });
        let wavelengths = Some(vec![400.0, 500.0, 600.0, 700.0, 2000.0]);
        cube.facts = Facts { wavelengths, units: Some("Nanometers".into()), ..Facts::default() };
        cube
    }

    #[test]
    fn bands_are_numbers_or_wavelengths() {
        for (item, expected) in [
            ("1", vec![0]),
            ("2-4", vec![1, 2, 3]),
            ("450-700nm", vec![1, 2, 3]),
            ("0.5-0.7um", vec![1, 2, 3]),
            ("520 nm", vec![1]),
            ("400.0-600.0", vec![0, 1, 2]),
        ] {
            assert_eq!(bands_of(item, &cube()).unwrap(), expected, "{item}");
        }
        for item in ["0", "6", "4-2", "a", "nm", "1-", "10-20nm", "5 feet", "-1"] {
            assert!(bands_of(item, &cube()).unwrap_err().is_usage(), "{item}");
        }
        let mut image = cube();
        let reading = Reading { bands: vec!["1-4".into()], drop_bands: vec!["500nm".into()], ..Reading::default() };
        choose(&mut image, &reading).unwrap();
        assert_eq!(image.used, [0, 2, 3]);
        let none = Reading { drop_bands: vec!["1-5".into()], ..Reading::default() };
        assert!(matches!(choose(&mut cube(), &none), Err(Error::NoBands { bands: 5 })));
    }
}
