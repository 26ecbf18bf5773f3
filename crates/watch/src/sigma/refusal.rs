//! The reasons why a Sigma rule is not imported, in words.
//!
//! In: what cannot be expressed. Out: a sentence. Holds nothing.

use query::QueryError;
use std::fmt;

/// The reason why a Sigma rule is not imported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SigmaRefusal {
    /// The text is no YAML with one document.
    Yaml(crate::RuleError),
    /// It is no rule: the part is missing or is something else.
    Malformed {
        /// The part.
        part: &'static str,
    },
    /// It joins several rules.
    Correlation,
    /// A modifier cannot be expressed.
    Modifier {
        /// The modifier.
        name: String,
    },
    /// A value cannot be expressed.
    Value {
        /// The value.
        value: String,
    },
    /// The condition cannot be read.
    Condition {
        /// The part at which it cannot be.
        part: String,
    },
    /// Words are looked for in messages of a source that cannot be told from others.
    Source,
    /// The query is refused.
    Query(QueryError),
}

impl fmt::Display for SigmaRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SigmaRefusal::Yaml(error) => error.fmt(f),
            SigmaRefusal::Malformed { part } => write!(f, "it has no {part} that can be read"),
            SigmaRefusal::Correlation => f.write_str("correlations are not imported"),
            SigmaRefusal::Modifier { name } => write!(f, "the modifier {name} cannot be expressed"),
            SigmaRefusal::Value { value } => write!(f, "the value {value} cannot be expressed"),
            SigmaRefusal::Condition { part } => write!(f, "the condition cannot be read at {part}"),
            SigmaRefusal::Source => {
                f.write_str("it looks for words in messages of a logsource that cannot be told from others")
            }
            SigmaRefusal::Query(error) => write!(f, "its query is refused: {error}"),
        }
    }
}

impl std::error::Error for SigmaRefusal {}
