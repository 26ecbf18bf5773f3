//! Errors in grok patterns.
//!
//! In: the fault of a pattern. Out: text for users. Holds: names. Limits: those of patterns.

use std::fmt;

/// Deepest nesting of patterns.
pub const DEPTH_MAX: usize = 64;
/// Longest pattern with all that it names: the largest of the library has 30 KiB.
pub const EXPANDED_BYTES_MAX: usize = 512 << 10;

/// Error in a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GrokError {
    /// A pattern of that name does not exist.
    Unknown {
        /// Its name.
        name: String,
    },
    /// Patterns are nested deeper than [`DEPTH_MAX`], or one names itself.
    Depth {
        /// The one that is too deep.
        name: String,
    },
    /// It is longer than [`EXPANDED_BYTES_MAX`].
    Long,
    /// A type that does not exist.
    Kind {
        /// Its name.
        name: String,
    },
    /// It is not a regular expression.
    Syntax {
        /// The error of PCRE2.
        reason: String,
    },
}

impl fmt::Display for GrokError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GrokError::Unknown { name } => write!(f, "there is no pattern {name}"),
            GrokError::Depth { name } => {
                write!(
                    f,
                    "patterns are nested deeper than {DEPTH_MAX} levels at {name}, which may name itself"
                )
            }
            GrokError::Long => {
                write!(f, "with all that it names it is longer than {EXPANDED_BYTES_MAX} bytes")
            }
            GrokError::Kind { name } => {
                write!(f, "unknown type {name}: known are int, long, float, double, boolean and string")
            }
            GrokError::Syntax { reason } => write!(f, "with all that it names it is wrong: {reason}"),
        }
    }
}

impl std::error::Error for GrokError {}
