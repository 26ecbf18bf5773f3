//! The spelling of words.
//!
//! In: words as written. Out: keywords, yes or no.

/// Returns a keyword in the one spelling used inside: with `-`.
pub(crate) fn keyword(word: &str) -> String {
    word.replace('_', "-")
}

/// Returns the seconds of `90d`, `12h`, `3600`.
pub(crate) fn age(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches(|last: char| last.is_ascii_alphabetic());
    let factor = match &word[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        "y" => 365 * 86_400,
        _ => return None,
    };
    digits.trim_end().parse::<u64>().ok()?.checked_mul(factor)
}

/// Reads a word for yes or no.
pub(crate) fn truth(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "yes" | "on" | "true" => Some(true),
        "no" | "off" | "false" => Some(false),
        _ => None,
    }
}
