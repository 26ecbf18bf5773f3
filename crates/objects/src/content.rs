//! The content of an object: all that its editors decide.
//!
//! In: texts from outside. Out: a content that is within its limits and whose specification was checked. Holds it.
//! Limits: those of [`limits`](crate::limits).

use crate::{
    kind::{Kind, SpecError, dashboard::Dashboard},
    limits,
};
use serde::Deserialize;
use serde_json::Value;
use std::fmt;

/// The content of an object, checked.
#[derive(Clone, PartialEq, Debug)]
pub struct Content {
    /// The kind.
    pub kind: Kind,
    /// The name; one owner has no two objects of a kind with the same name in a folder.
    pub name: String,
    /// The folder: names with `/` between them; empty for none.
    pub folder: String,
    /// A text about the object.
    pub description: String,
    /// Tags, sorted, each once.
    pub tags: Vec<String>,
    /// The specification, in its one form.
    pub spec: Value,
    /// The version of the form of the specification.
    pub spec_version: u32,
    /// One line that tells objects apart in a list; for a search, its query.
    pub summary: String,
}

/// The reasons why a content is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ContentError {
    /// The name is empty, too long, or has characters that cannot be seen.
    Name,
    /// The folder is too long, has an empty part, or characters that cannot be seen.
    Folder,
    /// The description is too long.
    Description,
    /// A tag is empty or too long, or there are too many.
    Tags,
    /// The specification is too large.
    SpecSize,
    /// The specification was written by a newer program.
    SpecVersion {
        /// The version that it has.
        found: u32,
        /// The newest version that is known here.
        known: u32,
    },
    /// The specification is not one of its kind.
    Spec(SpecError),
}

impl fmt::Display for ContentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContentError::Name => {
                write!(f, "name: 1 to {} characters in one line are needed", limits::NAME_CHARS_MAX)
            }
            ContentError::Folder => write!(
                f,
                "folder: at most {} characters, names with / between them, none empty",
                limits::FOLDER_CHARS_MAX
            ),
            ContentError::Description => {
                write!(f, "description: at most {} characters", limits::DESCRIPTION_CHARS_MAX)
            }
            ContentError::Tags => {
                write!(f, "tags: at most {} of 1 to {} characters", limits::TAGS_MAX, limits::TAG_CHARS_MAX)
            }
            ContentError::SpecSize => write!(f, "spec: at most {} bytes", limits::SPEC_BYTES_MAX),
            ContentError::SpecVersion { found, known } => {
                write!(f, "spec_version: {found} is newer than {known}, the newest that this program knows")
            }
            ContentError::Spec(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ContentError {}

impl ContentError {
    /// The member of an object at fault.
    pub(crate) fn member(&self) -> &'static str {
        match self {
            ContentError::Name => "name",
            ContentError::Folder => "folder",
            ContentError::Description => "description",
            ContentError::Tags => "tags",
            ContentError::SpecVersion { .. } => "spec_version",
            ContentError::SpecSize | ContentError::Spec(_) => "spec",
        }
    }
}

/// A content from outside, not checked.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) folder: String,
    pub(crate) description: String,
    pub(crate) tags: Vec<String>,
    pub(crate) spec: Value,
    pub(crate) spec_version: Option<u32>,
}

impl Content {
    /// Returns the dashboard; none when the object is of another kind.
    pub fn dashboard(&self) -> Option<Dashboard> {
        match self.kind.name {
            "dashboard" => Dashboard::deserialize(&self.spec).ok(),
            _ => None,
        }
    }

    /// Checks a content. The name and the parts of the folder lose blanks around them.
    pub fn new(
        kind: Kind,
        (name, folder): (&str, &str),
        description: &str,
        tags: Vec<String>,
        spec: Value,
    ) -> Result<Content, ContentError> {
        let (name, folder, description) = (name.to_owned(), folder.to_owned(), description.to_owned());
        Draft { kind, name, folder, description, tags, spec, spec_version: None }.checked()
    }
}

impl Draft {
    /// Checks the content.
    pub(crate) fn checked(self) -> Result<Content, ContentError> {
        let name = self.name.trim().to_owned();
        if name.is_empty() || !is_line(&name, limits::NAME_CHARS_MAX) {
            return Err(ContentError::Name);
        }
        let parts: Vec<&str> = match self.folder.trim() {
            "" => Vec::new(),
            folder => folder.split('/').map(str::trim).collect(),
        };
        let folder = parts.join("/");
        if parts.contains(&"") || !is_line(&folder, limits::FOLDER_CHARS_MAX) {
            return Err(ContentError::Folder);
        }
        if self.description.chars().count() > limits::DESCRIPTION_CHARS_MAX {
            return Err(ContentError::Description);
        }
        let mut tags: Vec<String> = self.tags.iter().map(|tag| tag.trim().to_owned()).collect();
        tags.sort_unstable();
        tags.dedup();
        if tags.len() > limits::TAGS_MAX
            || tags.iter().any(|tag| tag.is_empty() || !is_line(tag, limits::TAG_CHARS_MAX))
        {
            return Err(ContentError::Tags);
        }
        let (found, known) = (self.spec_version.unwrap_or(self.kind.spec_version), self.kind.spec_version);
        if found > known {
            return Err(ContentError::SpecVersion { found, known });
        }
        let checked = self.kind.check(&self.spec).map_err(ContentError::Spec)?;
        if checked.spec.to_string().len() > limits::SPEC_BYTES_MAX {
            return Err(ContentError::SpecSize);
        }
        let (spec, summary) = (checked.spec, checked.summary);
        let (kind, description) = (self.kind, self.description);
        Ok(Content { kind, name, folder, description, tags, spec, spec_version: known, summary })
    }
}

/// Returns true for a text of one line that can be read as it is written: no control characters, none that turn the
/// direction of the text around.
fn is_line(text: &str, chars_max: usize) -> bool {
    let turns =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.chars().count() <= chars_max && !text.chars().any(|c| turns(c) || breaks(c))
}
