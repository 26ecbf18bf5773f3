//! Words of the manual, of comments and of messages that a native reader stumbles over.
//!
//! In: Rust, TypeScript and Markdown files. Out: a tally by file of dated words, and of doc comments that
//! begin with neither a noun nor a verb. Limits: whole words, any case; code counts too, because it has
//! messages.

use super::{ratchet::Tally, source::Source};

/// Words and phrases to replace; the style guide names better ones.
const WORDS: &[&str] = &[
    "anew",
    "whence",
    "whoever",
    "shall",
    "may everything",
    "stands beside",
    "stand beside",
    "is told",
    "are told",
];

/// Beginnings of doc comments that name neither what is returned nor what a thing is.
const BEGINNINGS: &[&str] = &["What ", "Whether ", "Where ", "Whence ", "Whoever ", "So many ", "So long "];

/// Files that list the words.
const LISTS: &[&str] = &["tidy/english.rs", "STYLE.md"];

/// Words of all files.
pub(crate) fn words(sources: &[Source]) -> Tally {
    let mut tally = Tally::default();
    for source in sources.iter().filter(|source| is_read(source)) {
        let text = source.text.to_lowercase();
        for word in WORDS {
            for _ in 0..count(&text, word) {
                tally.add(source.path.to_string_lossy(), word);
            }
        }
    }
    tally
}

/// Doc comments of all files.
pub(crate) fn beginnings(sources: &[Source]) -> Tally {
    let mut tally = Tally::default();
    for source in sources.iter().filter(|source| source.path.extension().is_some_and(|ending| ending == "rs"))
    {
        let mut is_inside = false;
        for line in source.text.lines().map(str::trim_start) {
            let doc = line.strip_prefix("/// ");
            if let Some(doc) = doc.filter(|_| !is_inside)
                && let Some(beginning) = BEGINNINGS.iter().find(|beginning| doc.starts_with(*beginning))
            {
                tally.add(source.path.to_string_lossy(), beginning.trim_end());
            }
            is_inside = line.starts_with("///");
        }
    }
    tally
}

fn is_read(source: &Source) -> bool {
    let is_text = source
        .path
        .extension()
        .is_some_and(|ending| ["rs", "ts", "tsx", "md", "py"].iter().any(|known| ending == *known));
    is_text && !LISTS.iter().any(|list| source.path.ends_with(list))
}

/// Counts the occurrences of a phrase as whole words.
fn count(text: &str, phrase: &str) -> usize {
    let is_letter =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    let is_whole = |at: &usize| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        !is_letter(before) && !is_letter(bytes.get(at + phrase.len()))
    };
    text.match_indices(phrase).map(|(at, _)| at).filter(is_whole).count()
}

#[cfg(test)]
mod tests {
    //! Rows for words.

    use super::{Source, beginnings, words};

    #[track_caller]
    fn row(text: &str, want: (usize, usize)) {
        let sources = [Source { path: "a.rs".into(), text: text.into() }];
        assert_eq!((words(&sources).total(), beginnings(&sources).total()), want, "{text}");
    }

    #[test]
    fn finds_words() {
        row("// It is made anew. Shall it?", (2, 0));
        row("fn marshall() {}", (0, 0));
        row("/// What it is.\n/// Where it goes on.\nfn f() {}\n/// Returns it.\n", (0, 1));
    }
}
