//! Rows for the path and the headers of a request.

use super::*;

fn parts(path: &str, header: Option<&str>) -> Parts {
    let mut request = Request::builder().uri(path);
    if let Some(value) = header {
        request = request.header("X-Splunk-Request-Channel", value);
    }
    request.body(()).unwrap().into_parts().0
}

#[test]
fn a_channel_is_named_in_a_header_or_in_the_query() {
    let long = "c".repeat(128);
    for (query, header, want) in [
        ("", None, None),
        ("?channel=a", None, Some("a")),
        ("?x=y&channel=a%20b&z", None, Some("a b")),
        ("?channel=a", Some("b"), Some("b")),
        ("?channel=", None, None),
        ("", Some(""), None),
        ("", Some(long.as_str()), Some(long.as_str())),
        ("", Some(&format!("{long}c")), None),
    ] {
        let got = channel(&parts(&format!("/services/collector{query}"), header));
        assert_eq!(got.as_deref(), want, "{query} {header:?}");
    }
}

#[test]
fn a_query_says_what_holds_for_every_event() {
    let got = meta("host=h&time=1.5&source=%2fvar&sourcetype=s+t&index=i&other=x&broken");
    assert_eq!((got.host.as_deref(), got.time.as_deref()), (Some("h"), Some("1.5")));
    let values: Vec<(&str, &str)> = got.values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(values, [("source", "/var"), ("sourcetype", "s t"), ("index", "i")]);
    assert!(meta("").host.is_none());
}
