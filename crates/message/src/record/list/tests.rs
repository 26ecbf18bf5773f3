//! Rows for lists: how elements are quoted, and that they are read back.

use super::*;

/// Checks a list of elements, and that they are read back.
#[track_caller]
fn check(elements_in: &[&str], want: &str) {
    let mut out = b"x,".to_vec();
    let start = out.len();
    elements_in.iter().for_each(|element| append_after(element.as_bytes(), start, &mut out));
    assert_eq!(String::from_utf8_lossy(&out[start..]), want);
    let read: Vec<String> =
        elements(want.as_bytes()).into_iter().map(|element| String::from_utf8(element).unwrap()).collect();
    assert_eq!(read, elements_in);
}

#[test]
fn elements_are_quoted_where_they_must_be() {
    check(&[], "");
    check(&["a", "b"], "a,b");
    check(&["a,b", "c"], "\"a,b\",c");
    check(&["", "a"], "\"\",a");
    check(&["a b"], "\"a b\"");
    check(&["it's"], "\"it's\"");
    check(&["say \"x\""], "'say \"x\"'");
    check(&["'\""], "\"'\\\"\"");
    check(&["back\\slash"], "\"back\\\\slash\"");
    check(&["a\tb\nc\rd"], "\"a\\tb\\nc\\rd\"");
}

/// Checks the elements read from a list that was not written by us.
#[track_caller]
fn reads(list: &str, want: &[&str]) {
    let read: Vec<String> = elements(list.as_bytes())
        .iter()
        .map(|element| String::from_utf8_lossy(element).into_owned())
        .collect();
    assert_eq!(read, want, "{list}");
}

#[test]
fn lists_of_others_are_read() {
    reads("a,,b", &["a", "b"]);
    reads(" a , b ", &["a", "b"]);
    reads("'a\\n','b'", &["a\\n", "b"]);
    reads("\"a", &["a"]);
    reads("\"a\\", &["a"]);
    reads("\"\\x\"", &["x"]);
    reads(",", &[]);
}
