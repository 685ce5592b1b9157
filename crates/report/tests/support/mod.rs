//! What the tests of pages share.

/// The SVG of one chart.
pub fn chart<'a>(html: &'a str, id: &str) -> Option<&'a str> {
    let start = html.find(&format!("<svg id=\"{id}\""))?;
    Some(&html[start..start + html[start..].find("</svg>")?])
}

/// No drawing holds anything but finite numbers, nothing is loaded, the one script is ours, and every id is there once.
#[track_caller]
pub fn assert_sound(html: &str) {
    for svg in html.split("<svg").skip(1) {
        let svg = svg.split("</svg>").next().unwrap();
        for bad in ["NaN", "\"inf", "\"-inf", " inf", "Infinity"] {
            assert!(!svg.contains(bad), "{bad}");
        }
    }
    assert_eq!(html.matches("<script").count(), 1);
    let body = &html[html.find("<body").unwrap()..html.rfind("<script").unwrap()];
    for outside in ["http://", "https://", "src=\""] {
        assert!(!body.contains(outside), "{outside}");
    }
    let ids: Vec<&str> = body.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(ids.len(), unique.len(), "{ids:?}");
}
