//! Words that do not belong in the tree.
//!
//! In: every text file. Out: a finding for each line. Limits: exact text; this file, which holds the words,
//! is exempt.

use super::source::Source;

/// Left behind in code.
const IN_CODE: &[&str] = &["todo!(", "unimplemented!(", "dbg!(", "FIXME", "XXX:", "HACK", "TODO", "#[ignore"];

/// Left behind anywhere: paths on somebody's machine.
const ANYWHERE: &[&str] = &["/work/", "/Users/"];

/// Findings of all files.
pub(crate) fn check(sources: &[Source]) -> Vec<String> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| !source.path.ends_with("tidy/words.rs")) {
        let code = source.path.extension().is_some_and(|e| e == "rs" || e == "ts" || e == "tsx");
        let words = ANYWHERE.iter().chain(if code { IN_CODE } else { &[] });
        for word in words {
            for (index, _) in source.text.lines().enumerate().filter(|(_, line)| line.contains(word)) {
                findings.push(format!(
                    "{}:{}: `{word}` does not belong here",
                    source.path.display(),
                    index + 1
                ));
            }
        }
    }
    findings
}
