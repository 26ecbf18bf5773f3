//! Parameters of a query: `${name}` in the position of a value.
//!
//! In: a name and its position. Out: the same. Limits: [`NAME_CHARS_MAX`].

use super::TextRange;

/// Longest name of a parameter, in characters.
const NAME_CHARS_MAX: usize = 64;

/// A parameter of a query and its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The range of `${name}` in the text.
    pub range: TextRange,
    /// The positions that a parameter can have.
    pub position: ParameterPosition,
}

/// The positions of parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParameterPosition {
    /// A word, or the value of a field: `*` is possible, too.
    Word,
    /// The value after a comparison or `=`, or the end of a range: it has no wildcards.
    Literal,
}

/// Returns true if a name can be that of a parameter: a letter, then letters, digits and `_`, in lower case.
pub fn is_parameter_name(name: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= NAME_CHARS_MAX
        && name.chars().all(is_inner)
}
