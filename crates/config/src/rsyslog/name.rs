//! Names of rsyslog as names of ours.
//!
//! In: a name. Out: a word that is a name in both languages.

/// Returns a word that is a name in both languages.
pub(super) fn identifier(text: &str) -> String {
    let word: String = text.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '_' }).collect();
    let word = word.trim_matches('_');
    match word.starts_with(|first: char| first.is_ascii_alphabetic()) {
        true => word.to_string(),
        false => format!("n{word}"),
    }
}
