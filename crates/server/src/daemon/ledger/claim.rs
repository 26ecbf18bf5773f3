//! Names that callers claim, for entries and messages.
//!
//! In: text from a caller. Out: the same, shortened and without control characters. Holds nothing.
//! Limits: [`NAME_CHARS_MAX`] characters.

use crate::terminal;

/// Most characters of a claimed name: a name is a word, and failures must not fill the disk.
pub(super) const NAME_CHARS_MAX: usize = 64;

/// Returns a claimed name, shortened and without control characters.
pub(super) fn bounded(name: &str) -> String {
    let short: String = name.chars().take(NAME_CHARS_MAX).collect();
    let shown = terminal::line(&short).into_owned();
    if short.len() < name.len() { shown + "..." } else { shown }
}
