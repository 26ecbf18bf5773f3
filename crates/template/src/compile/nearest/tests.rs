//! Rows for the nearest name.

use super::nearest;

#[track_caller]
fn check(name: &str, want: Option<&str>) {
    let known = ["HOST", "PROGRAM", "format-json", "format-date"];
    assert_eq!(nearest(name, known.into_iter()), want, "{name}");
}

#[test]
fn one_error_in_three_letters() {
    check("HOST", Some("HOST"));
    check("host", Some("HOST"));
    check("HOTS", None);
    check("HOSST", Some("HOST"));
    check("HST", Some("HOST"));
    check("H", None);
    check("XHOSX", None);
    check("XHOST", Some("HOST"));
    check("PROGRMA", Some("PROGRAM"));
    check("PRGRMA", None);
    check("format-jsn", Some("format-json"));
    check("format_data", Some("format-date"));
    check("", None);
}
