//! Changes of names: `rekey()`.
//!
//! In: a name. Out: the name under which its value continues. Holds nothing. Limits: none.

/// A change of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rekey {
    /// Removes this number of bytes from its start.
    Shift(usize),
    /// Removes this number of levels from its start: the parts before dots.
    ShiftLevels(usize),
    /// Puts something before it.
    AddPrefix(String),
    /// Replaces its start: from, to.
    ReplacePrefix(String, String),
    /// In lower case.
    Lower,
    /// In upper case.
    Upper,
}

impl Rekey {
    /// Changes a name.
    pub(crate) fn apply(&self, name: &mut Vec<u8>) {
        match self {
            Rekey::Shift(count) => drop(name.drain(..(*count).min(name.len()))),
            Rekey::ShiftLevels(levels) => {
                let dots = memchr::memchr_iter(b'.', name).nth(levels.saturating_sub(1));
                // A leading dot opens a level of its own.
                drop(name.drain(..dots.map_or(0, |dot| dot + 1)));
            }
            Rekey::AddPrefix(prefix) => drop(name.splice(0..0, prefix.bytes())),
            Rekey::ReplacePrefix(from, to) => {
                if name.starts_with(from.as_bytes()) {
                    name.splice(..from.len(), to.bytes());
                }
            }
            Rekey::Lower => name.make_ascii_lowercase(),
            Rekey::Upper => name.make_ascii_uppercase(),
        }
    }
}

#[cfg(test)]
mod tests;
