//! Names of topics that can be produced to.
//!
//! In: text. Out: whether it can be a name. Holds: nothing. Limits: [`NAME_BYTES_MAX`].

use std::fmt;

/// Longest name that a broker takes.
const NAME_BYTES_MAX: usize = 249;

/// The reason why a text is no name of a topic to produce to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TopicNameError {
    /// It has no characters.
    Empty,
    /// It has too many.
    TooLong,
    /// It has a character that no name has.
    Character,
    /// It is `.` or `..`.
    Dots,
    /// It begins with `__`: those are Kafka's own.
    Reserved,
}

impl fmt::Display for TopicNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TopicNameError::Empty => "the name of the topic is empty",
            TopicNameError::TooLong => "the name of the topic has more than 249 characters",
            TopicNameError::Character => {
                "the name of the topic has other characters than letters, digits, '.', '_' and '-'"
            }
            TopicNameError::Dots => "the name of the topic is . or ..",
            TopicNameError::Reserved => "the name of the topic begins with __, as those of Kafka itself do",
        })
    }
}

/// Returns a text that is a name of a topic.
pub fn check(text: &[u8]) -> Result<&str, TopicNameError> {
    let name = std::str::from_utf8(text).map_err(|_| TopicNameError::Character)?;
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if name.is_empty() {
        return Err(TopicNameError::Empty);
    }
    if name.len() > NAME_BYTES_MAX {
        return Err(TopicNameError::TooLong);
    }
    if !name.bytes().all(is_legal) {
        return Err(TopicNameError::Character);
    }
    match name {
        "." | ".." => Err(TopicNameError::Dots),
        _ if name.starts_with("__") => Err(TopicNameError::Reserved),
        _ => Ok(name),
    }
}
