//! Names of subjects that can be published to.
//!
//! In: text. Out: whether it can be a name. Holds: nothing. Limits: [`SUBJECT_BYTES_MAX`].
//!
//! A name stands in a line of the protocol, so a blank or the end of a line in it would be a command of who wrote the message;
//! what begins with `$` are commands to the server, such as those that delete a stream.

use std::fmt;

/// Longest name: a server takes lines of 4,096 bytes, and the name of the answer stands in the same line.
const SUBJECT_BYTES_MAX: usize = 2048;

/// The reason why a text is no name of a subject to publish to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubjectError {
    /// It, or a part between its dots, has no characters.
    Empty,
    /// It has too many.
    TooLong,
    /// It is not UTF-8.
    NotText,
    /// A part is `*` or `>`, which stand for many subjects.
    Wildcard,
    /// It has a blank or a control character.
    Blank,
    /// It begins with `$`: those are the server's own.
    Reserved,
}

impl fmt::Display for SubjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SubjectError::Empty => "the subject, or a part of it between dots, is empty",
            SubjectError::TooLong => "the subject has more than 2,048 bytes",
            SubjectError::NotText => "the subject is not UTF-8",
            SubjectError::Wildcard => "the subject has a * or a >, which stand for many subjects",
            SubjectError::Blank => "the subject has a blank or a control character",
            SubjectError::Reserved => "the subject begins with a $, as those of the server do",
        })
    }
}

/// Returns a text that is a name of a subject.
pub fn check(text: &[u8]) -> Result<&str, SubjectError> {
    if text.len() > SUBJECT_BYTES_MAX {
        return Err(SubjectError::TooLong);
    }
    let name = std::str::from_utf8(text).map_err(|_| SubjectError::NotText)?;
    if name.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(SubjectError::Blank);
    }
    if name.starts_with('$') {
        return Err(SubjectError::Reserved);
    }
    if name.contains(['*', '>']) {
        return Err(SubjectError::Wildcard);
    }
    if name.split('.').any(str::is_empty) {
        return Err(SubjectError::Empty);
    }
    Ok(name)
}
