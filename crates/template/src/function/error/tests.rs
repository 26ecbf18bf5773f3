//! Rows for the errors of functions about wrong arguments.

#[track_caller]
fn check(name: &str, words: &[&str], want: &str) {
    let compiled = crate::function::compile(name, words).expect("a function");
    assert_eq!(
        compiled.map(|(_, used)| used).map_err(|error| error.to_string()),
        Err(want.to_owned()),
        "{name}"
    );
}

/// Checks how many words are options.
#[track_caller]
fn takes(name: &str, words: &[&str], used: usize) {
    let compiled = crate::function::compile(name, words).expect("a function");
    assert_eq!(compiled.map(|(_, used)| used).map_err(|error| error.to_string()), Ok(used), "{name}");
}

#[test]
fn arguments_are_counted() {
    check("substr", &["a"], "2 to 3 arguments expected, 1 given");
    check("substr", &["a", "1", "2", "3"], "2 to 3 arguments expected, 4 given");
    takes("substr", &["a", "1"], 0);
    takes("substr", &["a", "1", "2"], 0);
    check("dirname", &[], "1 argument expected, 0 given");
    check("+", &["1"], "2 arguments expected, 1 given");
    check("implode", &[], "at least 1 argument expected, 0 given");
    takes("implode", &["x"], 0);
    check("sha1", &[], "at least 1 argument expected, 0 given");
    check("sha1", &["--length", "3"], "at least 1 argument expected, 0 given");
}

#[test]
fn options_are_read() {
    takes("sha1", &["--length=3", "a"], 1);
    takes("sha1", &["-l", "3", "a"], 2);
    takes("sha1", &["a"], 0);
    check("md5", &["--length"], "--length needs a number of digits");
    check("md5", &["--length", "x", "a"], "x is not a number of digits");
    takes("list-slice", &["1:", "a"], 1);
    check("list-slice", &["1", "a"], "a range like 1:3, :3, 1: or -2: expected");
    check("list-slice", &["x:", "a"], "a range like 1:3, :3, 1: or -2: expected");
    takes("list-search", &["--mode", "glob", "--start-index", "2", "a*", "list"], 5);
    check("list-search", &["--start-index", "-1", "a"], "-1 is not an index");
    check(
        "list-search",
        &["--mode", "x", "a"],
        "unknown mode x; known are literal, prefix, substring, glob, pcre",
    );
    check("list-search", &[], "a pattern expected");
    check(
        "list-search",
        &["--mode", "pcre", "("],
        "regular expression is wrong at byte 1: missing closing parenthesis",
    );
    takes("extract", &["--match", "9999", "--group", "1", "--ignore-case", "a", "text"], 6);
    check("extract", &["--match", "10000", "a", "text"], "at most 10000 matches are looked through");
    check("extract", &["--group", "x"], "--group needs a number");
    check("extract", &["a"], "1 to 2 arguments expected, 0 given");
    takes("binary", &["255", "0xff", "0377", "0"], 4);
    check("binary", &["256"], "256 is not a byte: 0 to 255, 0xff or 0377");
    takes("sanitize", &["-i", "/", "-C", "--replacement", "x", "text"], 5);
    takes("sanitize", &["text", "-C"], 0);
}
