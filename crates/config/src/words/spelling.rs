//! How words are spelt.
//!
//! In: words as written. Out: keywords, yes or no.

/// A keyword in the one spelling used inside: with `-`.
pub(crate) fn keyword(word: &str) -> String {
    word.replace('_', "-")
}

/// The words for yes and no.
pub(crate) fn truth(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "yes" | "on" | "true" => Some(true),
        "no" | "off" | "false" => Some(false),
        _ => None,
    }
}
