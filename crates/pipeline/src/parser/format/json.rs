//! `json-parser()`: the members of a JSON object.
//!
//! In: a text, after a marker when one is set. Out: a value for each member, nested ones under joined names, with its
//! JSON type; a list for an array of texts, JSON for any other array; `1`, `2` and so on for an array
//! at the top. Messages without JSON are stopped.
//! As lenient as json-c, which senders were tested against: text may be in single quotes, words in any case, a comma
//! after the last member, anything after the value. Bytes that are not UTF-8 stay unchanged.
//! Limits: [`scan::DEPTH_MAX`] levels, deeper texts are stopped; those of [`Writer`].

mod path;
mod scan;
mod text;
mod walk;

pub use path::{ExtractPath, ExtractPathError};

use crate::parser::reader::{JoinedName, Reader, Writer};
use scan::Scan;
use walk::Walk;

/// Reads JSON objects.
#[derive(Clone, Debug)]
pub struct Json {
    /// The text that must come before the JSON.
    pub marker: String,
    /// The member to read, instead of the whole text.
    pub extract: Option<ExtractPath>,
    /// The byte between the names of nested members.
    pub key_delimiter: u8,
}

impl Default for Json {
    fn default() -> Json {
        Json { marker: String::new(), extract: None, key_delimiter: b'.' }
    }
}

impl Reader for Json {
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        self.walk(text, out).is_some()
    }
}

impl Json {
    fn walk(&self, text: &[u8], out: &mut Writer<'_>) -> Option<()> {
        let mut rest = text.strip_prefix(self.marker.as_bytes())?;
        if let Some(extract) = &self.extract {
            // The text must be complete before a part of it is extracted.
            Scan::new(rest).skip(None)?;
            rest = extract.find(rest)?;
        }
        let mut walk = Walk { scan: Scan::new(rest), out };
        walk.scan.blanks();
        match walk.scan.rest.first()? {
            b'{' => walk.object(&mut JoinedName::new(self.key_delimiter), 0),
            b'[' => walk.elements(),
            _ => None,
        }
    }
}
