//! Names of topics that a broker can have, and filters of them (MQTT 3.1.1, sections 1.5.3 and 4.7).
//!
//! In: text. Out: whether it can be a name or a filter. Holds: nothing. Limits: [`TOPIC_BYTES_MAX`].

use std::fmt;

/// Longest name that a packet can hold.
pub const TOPIC_BYTES_MAX: usize = 65_535;

/// The reason why a text is no name of a topic to publish to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TopicError {
    /// It has no characters.
    Empty,
    /// It has too many.
    TooLong,
    /// It is not UTF-8.
    NotText,
    /// It has `+` or `#`, which stand for many topics.
    Wildcard,
    /// It has `+` beside other characters of a level, or `#` elsewhere than alone at its end.
    Misplaced,
    /// It has a character that brokers may refuse: they end the connection then.
    Control,
}

impl fmt::Display for TopicError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TopicError::Empty => "the name of the topic is empty",
            TopicError::TooLong => "the name of the topic has more than 65,535 bytes",
            TopicError::NotText => "the name of the topic is not UTF-8",
            TopicError::Wildcard => "the name of the topic has a + or a #, which stand for many topics",
            TopicError::Misplaced => {
                "a + stands for a whole level of topics, and a # for all levels at the end"
            }
            TopicError::Control => "the name of the topic has a control character",
        })
    }
}

/// Returns a text that is a name of a topic.
pub fn check(text: &[u8]) -> Result<&str, TopicError> {
    let name = plain(text)?;
    if name.contains(['+', '#']) {
        return Err(TopicError::Wildcard);
    }
    Ok(name)
}

/// Returns a text that is a filter of topics: names, in which `+` is any level and `#` all levels that follow.
pub fn check_filter(text: &[u8]) -> Result<&str, TopicError> {
    let filter = plain(text)?;
    let mut levels = filter.split('/').peekable();
    while let Some(level) = levels.next() {
        let is_whole = level.len() == 1 && (level == "+" || levels.peek().is_none());
        if level.contains(['+', '#']) && !is_whole {
            return Err(TopicError::Misplaced);
        }
    }
    Ok(filter)
}

/// Returns a text without what no broker takes.
fn plain(text: &[u8]) -> Result<&str, TopicError> {
    if text.is_empty() {
        return Err(TopicError::Empty);
    }
    if text.len() > TOPIC_BYTES_MAX {
        return Err(TopicError::TooLong);
    }
    let name = std::str::from_utf8(text).map_err(|_| TopicError::NotText)?;
    // Brokers end the connection for these, and with it that of all other messages.
    let is_odd = |c: char| {
        c.is_control()
            || matches!(u32::from(c) & 0xffff, 0xfffe | 0xffff)
            || matches!(u32::from(c), 0xfdd0..=0xfdef)
    };
    if name.contains(is_odd) {
        return Err(TopicError::Control);
    }
    Ok(name)
}
