//! The verbs over files of rules.

use super::*;
use clap::Parser;
use std::fs;

#[derive(Parser)]
struct Words {
    #[command(subcommand)]
    verb: Verb,
}

/// Checks files with these texts; returns true when nothing is wrong, or the reason of a failure.
fn check(texts: &[&[u8]]) -> Result<bool, String> {
    let folder = tempfile::tempdir().unwrap();
    let mut words = vec!["rules".to_owned(), "check".to_owned()];
    for (index, text) in texts.iter().enumerate() {
        let path = folder.path().join(format!("{index}.yaml"));
        fs::write(&path, text).unwrap();
        words.push(path.display().to_string());
    }
    let Verb::Check(options) = Words::try_parse_from(words).unwrap().verb else { panic!("another verb") };
    check::run(&options).map_err(|error| error.to_string())
}

#[test]
fn files_are_good_or_have_errors_or_cannot_be_read() {
    let rule: &[u8] = b"rules: [{id: a, kind: match, query: x}]";
    let other: &[u8] = b"rules: [{id: b, kind: match, query: NOT x}]";
    assert_eq!(check(&[rule, other]), Ok(true));
    assert_eq!(check(&[rule, rule]), Ok(false), "an id is unique among all files");
    assert_eq!(check(&[rule, b"rules: [{id: b}]"]), Ok(false));
    assert!(check(&[b"rules: \xff"]).unwrap_err().ends_with("is not UTF-8"));
    let missing = ["rules", "check", "/nowhere/rules.yaml"];
    let Verb::Check(options) = Words::try_parse_from(missing).unwrap().verb else { panic!("another verb") };
    assert!(check::run(&options).unwrap_err().to_string().starts_with("cannot read /nowhere/rules.yaml: "));
}
