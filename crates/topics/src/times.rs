//! Topics over time: the mean share of each topic in the documents of a day, a month or a year.
//!
//! A time is `2024`, `2024-05`, or `2024-05-17` with anything after it (`2024-05-17T08:30:00Z`, `2024-05-17 08:30`); months and days may be separated by `/` too.
//! The unit is the finest that all times have and that makes [`PERIODS`] periods at most; years if none does. Documents without a time are left out.
//!
//! ```
//! use merit::DenseMatrix;
//! use merit_topics::times::{Unit, over_time};
//! let times = ["2023-12-30", "2024-01-02", "2024-01-09", ""].map(String::from);
//! let shares = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5, 0.0, 1.0, 1.0, 0.0]);
//! let found = over_time(&times, &shares).unwrap();
//! assert_eq!((found.unit, found.periods.len(), found.without), (Unit::Day, 11, 1));
//! assert_eq!((found.periods[3].name.as_str(), found.periods[3].documents), ("2024-01-02", 1));
//! assert!(found.periods[1].shares.is_empty());
//! assert_eq!(over_time(&["soon".to_string()], &shares).unwrap_err().document, 0);
//! ```

use merit::DenseMatrix;

/// Periods at most, unless they are years.
pub const PERIODS: usize = 60;

/// How long a period is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// From midnight to midnight.
    Day,
    /// Of the calendar.
    Month,
    /// Of the calendar.
    Year,
}

/// Topics over time.
#[derive(Clone, Debug, PartialEq)]
pub struct OverTime {
    /// What a period is.
    pub unit: Unit,
    /// One after the other, those without documents too.
    pub periods: Vec<Period>,
    /// Documents without a time.
    pub without: usize,
}

/// A day, a month or a year.
#[derive(Clone, Debug, PartialEq)]
pub struct Period {
    /// `2024-05-17`, `2024-05` or `2024`.
    pub name: String,
    /// Documents of that time.
    pub documents: usize,
    /// Their mean shares of the topics; empty without documents.
    pub shares: Vec<f64>,
}

/// A time that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotATime {
    /// The document that has it.
    pub document: usize,
    /// What it is instead.
    pub found: String,
}

/// A date, as far as it is known.
#[derive(Clone, Copy)]
struct Date {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
}

impl Date {
    /// The whole numbers at the beginning, if they make a date.
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (year, rest) = digits(text, 4)?;
        let mut date = Self { year, month: None, day: None };
        if let Some((month, rest)) = rest.strip_prefix(['-', '/']).and_then(|rest| digits(rest, 2)) {
            date.month = Some(month).filter(|month| (1..=12).contains(month));
            date.month?;
            if let Some((day, rest)) = rest.strip_prefix(['-', '/']).and_then(|rest| digits(rest, 2)) {
                date.day = Some(day).filter(|day| (1..=31).contains(day));
                return (date.day.is_some() && !rest.starts_with(|c: char| c.is_ascii_digit())).then_some(date);
            }
            return rest.is_empty().then_some(date);
        }
        rest.is_empty().then_some(date)
    }

    fn unit(&self) -> Unit {
        match (self.month, self.day) {
            (Some(_), Some(_)) => Unit::Day,
            (Some(_), None) => Unit::Month,
            _ => Unit::Year,
        }
    }

    /// The number of the period that it is in; neighbors differ by 1.
    fn number(&self, unit: Unit) -> i64 {
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        match unit {
            Unit::Year => self.year,
            Unit::Month => 12 * self.year + month - 1,
            Unit::Day => {
                // Years begin in March, so that the leap day is the last of a year.
                let (year, month) = (self.year - i64::from(month < 3), (month + 9) % 12);
                365 * year + year.div_euclid(4) - year.div_euclid(100)
                    + year.div_euclid(400)
                    + (153 * month + 2) / 5
                    + day
                    - 1
            }
        }
    }
}

/// Exactly `count` digits at the beginning, as a number, and what follows.
fn digits(text: &str, count: usize) -> Option<(i64, &str)> {
    let (first, rest) = text.split_at_checked(count)?;
    let number = first.bytes().all(|byte| byte.is_ascii_digit()).then(|| first.parse().ok())??;
    Some((number, rest))
}

/// The name of a period.
fn name(unit: Unit, number: i64) -> String {
    match unit {
        Unit::Year => format!("{number:04}"),
        Unit::Month => format!("{:04}-{:02}", number.div_euclid(12), number.rem_euclid(12) + 1),
        Unit::Day => {
            let days = |year: i64| Date { year, month: Some(1), day: Some(1) }.number(Unit::Day);
            let mut year = number.div_euclid(366);
            while days(year + 1) <= number {
                year += 1;
            }
            let begins = |month: i64| Date { year, month: Some(month), day: Some(1) }.number(Unit::Day);
            let month = (1..=12).rev().find(|&month| begins(month) <= number).unwrap_or(1);
            format!("{year:04}-{month:02}-{:02}", number - begins(month) + 1)
        }
    }
}

/// Fails, with what `error` makes of it, for the first document whose time is none.
pub fn check_times<E>(times: &[String], error: impl FnOnce(usize) -> E) -> Result<(), E> {
    dates(times).map_or_else(|found| Err(error(found.document)), |_| Ok(()))
}

/// The dates of the documents that have one.
fn dates(times: &[String]) -> Result<Vec<(usize, Date)>, NotATime> {
    let mut dates: Vec<(usize, Date)> = Vec::new();
    for (document, time) in times.iter().enumerate().filter(|(_, time)| !matches!(time.trim(), "" | "null")) {
        let date = Date::parse(time).ok_or_else(|| NotATime { document, found: time.clone() })?;
        dates.push((document, date));
    }
    Ok(dates)
}

/// The mean shares (topics x documents) over time, by the documents' times; fails where one is not a time.
pub fn over_time(times: &[String], shares: &DenseMatrix) -> Result<OverTime, NotATime> {
    let dates = dates(times)?;
    let without = times.len() - dates.len();
    let span = |unit: Unit| {
        let numbers = || dates.iter().map(|(_, date)| date.number(unit));
        numbers().min().zip(numbers().max())
    };
    let known = dates.iter().map(|(_, date)| date.unit()).max().unwrap_or(Unit::Year);
    let fits = |unit: &Unit| *unit >= known && span(*unit).is_none_or(|(first, last)| last - first < PERIODS as i64);
    let unit = [Unit::Day, Unit::Month, Unit::Year].into_iter().find(fits).unwrap_or(Unit::Year);
    let Some((first, last)) = span(unit) else { return Ok(OverTime { unit, periods: Vec::new(), without }) };
    let empty = |number| Period { name: name(unit, number), documents: 0, shares: Vec::new() };
    let mut periods: Vec<Period> = (first..=last).map(empty).collect();
    for (document, date) in dates {
        let period = &mut periods[(date.number(unit) - first) as usize];
        period.documents += 1;
        period.shares.resize(shares.rows(), 0.0);
        period.shares.iter_mut().zip(shares.col(document)).for_each(|(sum, share)| *sum += share);
    }
    for period in &mut periods {
        period.shares.iter_mut().for_each(|sum| *sum /= period.documents as f64);
    }
    Ok(OverTime { unit, periods, without })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: &[&str]) -> Result<OverTime, NotATime> {
        let times: Vec<String> = times.iter().map(|time| time.to_string()).collect();
        over_time(&times, &DenseMatrix::from_fn(1, times.len(), |_, d| d as f64))
    }

    #[test]
    fn every_day_has_its_name() {
        for (first, last, count) in
            [("1999-12-30", "2000-03-02", 64), ("2023-02-27", "2023-03-02", 4), ("1900-02-28", "1900-03-01", 2)]
        {
            let date = |text: &str| Date::parse(text).unwrap().number(Unit::Day);
            assert_eq!(date(last) - date(first) + 1, count, "{first}");
            for number in date(first)..=date(last) {
                assert_eq!(date(&name(Unit::Day, number)), number);
            }
        }
        assert_eq!(name(Unit::Day, Date::parse("2024-02-29 08:00").unwrap().number(Unit::Day)), "2024-02-29");
    }

    #[test]
    fn the_unit_is_the_finest_that_fits() {
        let found = of(&["2024-01-31", "2024-03", "2024-03-05T10:00:00Z"]).unwrap();
        assert_eq!((found.unit, found.periods.len()), (Unit::Month, 3), "one has no day");
        assert_eq!(found.periods[2], Period { name: "2024-03".into(), documents: 2, shares: vec![1.5] });
        assert_eq!(of(&["2024-01-31", "2024-06-30"]).unwrap().unit, Unit::Month, "151 days are too many");
        assert_eq!(of(&["1950/01/31", "2024/06/30"]).unwrap().periods.len(), 75, "years may be more");
        assert_eq!(of(&["", "null", " "]).unwrap().periods, []);
        for bad in ["yesterday", "24-01-01", "2024-13-01", "2024-1-1", "2024-05-171", "1716000000", "17.05.2024"] {
            assert_eq!(of(&["2024", bad]), Err(NotATime { document: 1, found: bad.into() }), "{bad}");
        }
    }
}
