//! Reads a pattern database from XML.
//!
//! In: the text of a file, versions 2 to 6. Out: a [`Database`], or the fault, with line and column. What
//! syslog-ng refuses is refused; what it leaves out with a complaint (a pattern with an unknown parser, a pattern that
//! exists already) is left out and listed in [`Database::findings`].
//! Holds: the elements that are open. Limits: [`FILE_BYTES_MAX`] bytes; the elements of the format bound the depth.

mod element;
mod loader;
mod pattern;

use super::{
    markup::{LoadError, Mark, Markup},
    model::Database,
};
use crate::Definitions;
use loader::Loader;

/// Largest file: the largest known databases have 20 MB.
pub const FILE_BYTES_MAX: usize = 256 << 20;

impl Database {
    /// Reads a database. The names of its values start with the prefix; its templates and conditions may use the
    /// templates and filters of a configuration.
    pub fn load(text: &[u8], prefix: &str, around: &Definitions) -> Result<Database, LoadError> {
        if text.len() > FILE_BYTES_MAX {
            let reason = format!("file of {} bytes is larger than {FILE_BYTES_MAX}", text.len());
            return Err(LoadError { line: 1, column: 1, reason });
        }
        let text = std::str::from_utf8(text).map_err(|error| {
            let before = &text[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1) + 1;
            LoadError { line, column, reason: "text is no UTF-8".to_owned() }
        })?;
        let mut loader = Loader::new(Markup::new(text), prefix, around);
        while let Some(mark) = loader.markup.next()? {
            match mark {
                Mark::Start { name, attributes } => loader.start(&name, &attributes)?,
                Mark::Text(text) => loader.text(&text)?,
                Mark::End { .. } => loader.end()?,
            }
        }
        loader.finish()
    }
}
