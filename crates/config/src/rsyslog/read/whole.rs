//! Reads a whole configuration, or one string.
//!
//! In: a path, a text. Out: statements, a value. Holds: nothing.

use std::path::Path;
use std::sync::Arc;

use super::cursor::Cursor;
use super::reader::{End, Reader};
use crate::rsyslog::file::{self, ReadError};
use crate::rsyslog::syntax::Statement;
use crate::surroundings::Surroundings;

/// Reads a file and what it includes.
pub(crate) fn read(path: &Path, surroundings: &dyn Surroundings) -> Result<Vec<Statement>, ReadError> {
    let text = file::text(path, surroundings)?;
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut count = 0;
    let name: Arc<str> = path.display().to_string().into();
    Ok(Reader::new(&text, name, surroundings, folder, 0, &mut count).statements(End::File))
}

/// Reads a string in double quotes at the start of a text. Returns it and the rest.
pub(crate) fn quoted(text: &str) -> Option<(String, &str)> {
    let mut cursor = Cursor::new(text.trim_start());
    let value = cursor.string().ok()?;
    Some((value, cursor.rest()))
}
