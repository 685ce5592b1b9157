//! A color for each community or material, and for every mixture of them.
//!
//! ```text
//! color of a node = sum_k share_k color_k     in OKLab, where equal steps look equal
//! ```
//!
//! All colors have a contrast of at least 2.2, and the first ten of 3, against the light page and the dark one, so one
//! mixture serves both. Reference: B. Ottosson, "A perceptual color space for image processing", 2020.

/// The colors of the communities 0, 1, ...; ten clearly different ones first, then neighbors of those, then what lies farthest from all before.
const PALETTE: [u32; 50] = [
    0x3883d1, 0xd67523, 0x3b9555, 0x9565c7, 0xd24c50, 0x229c9c, 0xae931d, 0xd06b9e, 0x6a7587, 0x8f5c2f, 0x6db3e4,
    0xa54a28, 0x7db85a, 0x6358ba, 0xe78d9b, 0x147175, 0x6d7529, 0xa44393, 0x9b998b, 0xc2a276, 0xff11ff, 0x121cff,
    0xca87ff, 0x9108fe, 0x0e5f03, 0x6d4269, 0xce00d1, 0x8403b2, 0x075198, 0xff01a9, 0xa5014e, 0x285eff, 0x8286fe,
    0x13af00, 0xff64d3, 0x614f2b, 0xc057fe, 0xff565d, 0xfe8c08, 0x620ce8, 0xd9047b, 0x09bdad, 0xa47662, 0xac94ca,
    0x047900, 0x019ff6, 0x795dfe, 0x8a84ab, 0xc9043c, 0x0252d1,
];

/// How many communities have a color of their own.
pub(crate) const DISTINCT: usize = PALETTE.len();

/// The class that carries the color of community `k`.
pub(crate) fn class(k: usize) -> String {
    format!("c{}", k % DISTINCT)
}

/// The style of the classes of `count` communities.
pub(crate) fn style(count: usize) -> String {
    let rule = |k: usize| format!(".c{k} {{ --c: {}; }}\n", hex(PALETTE[k]));
    (0..count.min(DISTINCT)).map(rule).collect()
}

/// The color of a mixture; that of no mixture at all is gray.
pub(crate) fn mixture(shares: impl Iterator<Item = f64>) -> String {
    let (mut mixed, mut total) = ([0.0; 3], 0.0);
    for (k, share) in shares.enumerate().filter(|(_, share)| share.is_finite() && *share > 0.0) {
        let color = oklab(PALETTE[k % DISTINCT]);
        mixed.iter_mut().zip(color).for_each(|(m, c)| *m += share * c);
        total += share;
    }
    if total > 0.0 { hex(from_oklab(mixed.map(|m| m / total))) } else { hex(0x888888) }
}

/// Red, green and blue of material `k`.
pub fn rgb(k: usize) -> [u8; 3] {
    let [_, red, green, blue] = PALETTE[k % DISTINCT].to_be_bytes();
    [red, green, blue]
}

/// The same as it is written in styles.
pub(crate) fn hex_of(k: usize) -> String {
    hex(PALETTE[k % DISTINCT])
}

fn hex(color: u32) -> String {
    format!("#{color:06x}")
}

fn oklab(color: u32) -> [f64; 3] {
    let linear = |shift: u32| {
        let value = f64::from(color >> shift & 0xff) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let (r, g, b) = (linear(16), linear(8), linear(0));
    let l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b).cbrt();
    let m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b).cbrt();
    let s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b).cbrt();
    [
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    ]
}

fn from_oklab([l, a, b]: [f64; 3]) -> u32 {
    let long = (l + 0.3963377774 * a + 0.2158037573 * b).powi(3);
    let middle = (l - 0.1055613458 * a - 0.0638541728 * b).powi(3);
    let short = (l - 0.0894841775 * a - 1.2914855480 * b).powi(3);
    let linear = [
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    ];
    linear.into_iter().fold(0, |color, value| {
        let value = if value <= 0.0031308 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        color << 8 | (value.clamp(0.0, 1.0) * 255.0).round() as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pure_node_has_its_communitys_color() {
        for (k, &color) in PALETTE.iter().enumerate() {
            assert_eq!(mixture((0..DISTINCT).map(|i| if i == k { 1.0 } else { 0.0 })), hex(color));
            assert!(style(DISTINCT).contains(&format!(".c{k} {{ --c: {}; }}", hex(color))));
        }
        assert_eq!(mixture([f64::NAN, 0.0].into_iter()), "#888888");
    }

    #[test]
    fn every_color_can_be_told_from_both_pages() {
        let luminance = |color: u32| {
            let linear = |shift: u32| {
                let value = f64::from(color >> shift & 0xff) / 255.0;
                if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0) + 0.05
        };
        for (k, &color) in PALETTE.iter().enumerate() {
            let (light, dark) = (luminance(0xfcfcfa) / luminance(color), luminance(color) / luminance(0x15171b));
            let least = if k < 10 { 2.9 } else { 2.2 };
            assert!(light >= least && dark >= least, "{k}: {light} {dark}");
        }
    }
}
