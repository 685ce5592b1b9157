//! Numbers and strings as people read them.

/// `text` with the five characters that mean something in HTML and SVG replaced; control characters, which XML
/// forbids, become spaces.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push_str("&#10;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// `text` as HTML, escaped, with what stands between two backquotes as code.
pub fn with_code(text: &str) -> String {
    let pieces: Vec<&str> = text.split('`').collect();
    let (pairs, rest) = pieces.split_at(pieces.len() - 1 + pieces.len() % 2);
    let mut html = String::new();
    for (i, piece) in pairs.iter().enumerate() {
        html += &if i % 2 == 1 { format!("<code>{}</code>", escape(piece)) } else { escape(piece) };
    }
    rest.iter().for_each(|piece| html += &format!("`{}", escape(piece)));
    html
}

/// `text`, at most `limit` characters long; an ellipsis says when it was cut.
pub fn shorten(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_string();
    }
    let head: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{}…", head.trim_end())
}

/// `text` as JSON within HTML, its quotes included: safe as the text of an element, where quotes need no escape and most
/// of the characters of such data are quotes. Control characters become spaces.
pub(crate) fn json_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out + "\""
}

/// A number with four significant digits: `0.1235`, `12,346`, `3.1×10⁻⁵`; "not a number" stays in words.
pub fn number(x: f64) -> String {
    significant(x, 4)
}

/// A number with `digits` significant digits and without trailing zeros.
pub fn significant(x: f64, digits: usize) -> String {
    if x.is_nan() {
        return "not a number".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "∞" } else { "−∞" }.into();
    }
    if x == 0.0 {
        return "0".into();
    }
    // Round first: 9.9996 has exponent 0 before and 1 after.
    let rounded = format!("{:.*e}", digits.max(1) - 1, x.abs());
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if x < 0.0 { "−" } else { "" };
    if (-4..7).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        let value: f64 = rounded.parse().unwrap_or(0.0);
        format!("{sign}{}", group(trim_zeros(&format!("{value:.decimals$}"))))
    } else {
        format!("{sign}{}×{}", trim_zeros(mantissa), power_of_ten(exponent))
    }
}

/// A count with separators: `1,048,576`.
pub fn count(n: impl Into<u128>) -> String {
    group(&n.into().to_string())
}

/// The count of a `usize`.
pub fn size(n: usize) -> String {
    count(n as u128)
}

/// "1 column", "12 columns".
pub fn plural(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{} {}", size(n), plural_word(word)) }
}

/// The plural of a word: "columns", "classes", "communities".
pub fn plural_word(word: &str) -> String {
    let consonant_y = word.ends_with('y') && !word.ends_with(['a', 'e', 'i', 'o', 'u']) && {
        let before = word.chars().rev().nth(1).unwrap_or('a');
        !"aeiou".contains(before)
    };
    if consonant_y {
        format!("{}ies", &word[..word.len() - 1])
    } else if word.ends_with('s') || word.ends_with('x') || word.ends_with("ch") {
        format!("{word}es")
    } else {
        format!("{word}s")
    }
}

/// `10⁻³`.
pub fn power_of_ten(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let mut out = String::from("10");
    for c in exponent.to_string().chars() {
        out.push(c.to_digit(10).map_or('⁻', |d| DIGITS[d as usize]));
    }
    out
}

/// Bytes in units of 1000, as the command line prints them: `1.5 GB`.
pub fn bytes(n: u128) -> String {
    const UNITS: [&str; 7] = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{} {}", significant(value, 3), UNITS[unit])
}

/// A duration: `0.8 ms`, `3.21 s`, `2 min 05 s`, `3 h 12 min`.
pub fn seconds(s: f64) -> String {
    if !s.is_finite() || s < 0.0 {
        return "unknown".into();
    }
    if s < 1.0 {
        return if s == 0.0 { "0 s".into() } else { format!("{} ms", significant(s * 1e3, 3)) };
    }
    if s < 119.5 {
        return format!("{} s", significant(s, 3));
    }
    let whole = s.round() as u64;
    if whole < 7200 {
        format!("{} min {:02} s", whole / 60, whole % 60)
    } else {
        format!("{} h {:02} min", count(whole / 3600), whole % 3600 / 60)
    }
}

/// A ratio as a percentage: `0.3 %`.
pub fn percent(ratio: f64) -> String {
    format!("{} %", significant(ratio * 100.0, 2))
}

/// A coordinate in the drawing: one decimal, no trailing zero. Non-finite numbers never get here, but if one does it
/// must not reach the SVG.
pub(crate) fn px(x: f64) -> String {
    if !x.is_finite() {
        return "0".into();
    }
    let text = format!("{x:.1}");
    let text = trim_zeros(&text);
    if text == "-0" { "0".into() } else { text.to_string() }
}

fn trim_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

fn group(text: &str) -> String {
    let (whole, fraction) = text.split_once('.').map_or((text, ""), |(w, f)| (w, f));
    let mut out = String::new();
    for (i, c) in whole.chars().enumerate() {
        // Four digits read well without a separator, and years and indices look like themselves.
        if i > 0 && whole.len() > 4 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// Bytes as text, for what a page carries within it.
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, i| bits << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize] as char;
            out.push(if place <= three.len() { letter } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backquotes_are_code() {
        assert_eq!(with_code("try `--rank <3>` & more"), "try <code>--rank &lt;3&gt;</code> &amp; more");
        assert_eq!(with_code("`a` and `b`"), "<code>a</code> and <code>b</code>");
        assert_eq!(with_code("a ` alone <b>"), "a ` alone &lt;b&gt;");
        assert_eq!(with_code("`x` and ` alone"), "<code>x</code> and ` alone");
        assert_eq!(with_code(""), "");
    }

    #[test]
    fn numbers_read_well() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (0.5, "0.5"),
            (-0.123456, "−0.1235"),
            (1234.0, "1234"),
            (12345.6, "12,350"),
            (9.99996, "10"),
            (3.1e-5, "3.1×10⁻⁵"),
            (1e12, "1×10¹²"),
            (f64::NAN, "not a number"),
            (f64::NEG_INFINITY, "−∞"),
        ];
        for (x, expected) in cases {
            assert_eq!(number(x), expected, "{x}");
        }
    }

    #[test]
    fn units_read_well() {
        assert_eq!(bytes(512), "512 bytes");
        assert_eq!(bytes(8 * 1_000_000 * 1_000_000), "8 TB");
        assert_eq!(seconds(0.0123), "12.3 ms");
        assert_eq!(seconds(3.214), "3.21 s");
        assert_eq!(seconds(125.0), "2 min 05 s");
        assert_eq!(seconds(f64::NAN), "unknown");
        assert_eq!(percent(0.00312), "0.31 %");
        assert_eq!(plural(1, "column"), "1 column");
        assert_eq!(plural(12345, "community"), "12,345 communities");
        assert_eq!(count(1_048_576u64), "1,048,576");
    }

    #[test]
    fn text_is_escaped_and_cut_between_characters() {
        assert_eq!(escape("<script>\"a&b'\u{0}"), "&lt;script&gt;&quot;a&amp;b&#39; ");
        assert_eq!(shorten("Überraschung", 6), "Überr…");
        assert_eq!(shorten("kurz", 6), "kurz");
    }

    #[test]
    fn coordinates_are_never_nan() {
        assert_eq!(px(f64::NAN), "0");
        assert_eq!(px(-0.04), "0");
        assert_eq!(px(12.30), "12.3");
    }

    #[test]
    fn bytes_become_letters() {
        for (bytes, expected) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
            assert_eq!(base64(bytes.as_bytes()), expected);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0x3f]), "//4/");
    }
}
