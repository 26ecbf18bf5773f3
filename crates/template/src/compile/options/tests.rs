//! Rows for options at the start of a function's words.

use super::*;

/// Reads options named `one` and `two`; prints them, and the number of words after them.
fn read(texts: &[&str]) -> String {
    let word = |text: &&str| Word { text: (*text).to_owned(), offset: 7, quoted: false };
    let words: Vec<Word> = texts.iter().map(word).collect();
    let mut options = Options::new(&words, &["one", "two"]);
    let mut shown = Vec::new();
    loop {
        match options.next() {
            Ok(Some((name, value))) => shown.push(format!("{name}={value}")),
            Ok(None) => break,
            Err(error) => return error.to_string(),
        }
    }
    format!("{} +{}", shown.join(" "), options.rest().len())
}

#[test]
fn options_end_at_the_first_other_word() {
    assert_eq!(read(&[]), " +0");
    assert_eq!(read(&["--one", "1", "--two=2", "rest", "--one"]), "one=1 two=2 +2");
    assert_eq!(read(&["--one=a=b"]), "one=a=b +0");
    assert_eq!(read(&["--one", "--two"]), "one=--two +0");
    assert_eq!(read(&["--three", "--one", "1"]), " +3");
    assert_eq!(read(&["-one", "1"]), " +2");
    assert_eq!(read(&["--one"]), "template is wrong at byte 7: missing argument for --one");
}

#[test]
fn yes_and_no() {
    for (text, want) in
        [("yes", Some(true)), ("1", Some(true)), ("off", Some(false)), ("no", Some(false)), ("Yes", None)]
    {
        assert_eq!(truth(text), want, "{text}");
    }
}
