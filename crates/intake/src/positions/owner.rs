//! Who keeps a position: names of positions of files, and which source takes over the position of another.
//!
//! In: sources that follow files, in the order of a configuration. Out: an owner for each, and names of positions `file[OWNER] PATH`,
//! so that two sources over one file do not share its position.
//! Holds: nothing. Limits: positions that earlier versions wrote, `file PATH`, have no owner; each goes to the first
//! source that reads the file, and others begin as their options say.

use std::{collections::HashMap, path::Path};

/// The owner of positions: a source that follows files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PositionOwner {
    kind: &'static str,
    /// Between the brackets, escaped.
    text: String,
    naming: Naming,
}

/// Who has named an owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Naming {
    /// The configuration, with `persist-name()`: its positions are under this name and nowhere else.
    Given,
    /// This program, after the source statement and what it reads: a source that was renamed keeps its positions.
    Made,
}

/// How names of sources begin that the configuration gave none.
const ANONYMOUS: &str = "anon-source";
/// The driver of a source that follows files, as names of positions have it.
const FILE: &str = "file";
/// The same for the files of a folder.
const WILDCARD: &str = "wildcard-file";

/// The files that a source reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FilesRead<'p> {
    /// One file, by its path.
    One(&'p Path),
    /// Those of a folder that fit a pattern: both as one path.
    Many(&'p Path),
}

/// A name of a position, taken apart.
#[derive(PartialEq, Eq, Debug)]
struct PositionName<'n> {
    kind: &'static str,
    /// `None` for one that an earlier version wrote.
    owner: Option<&'n str>,
    path: &'n str,
}

impl PositionOwner {
    /// Returns the name under which the owner keeps its position in a file.
    pub(crate) fn position_name(&self, path: &Path) -> String {
        format!("{}[{}] {}", self.kind, self.text, path.display())
    }

    fn owns(&self, name: &PositionName<'_>) -> bool {
        (self.kind, Some(&*self.text)) == (name.kind, name.owner)
    }
}

/// Makes the owners of the sources of one configuration.
#[derive(Default)]
pub(crate) struct Owners {
    /// Owners of equal texts so far.
    equal: HashMap<(&'static str, String), usize>,
}

impl Owners {
    /// Returns the owner of the next source, by its `persist-name()` or else its statement. Equal sources of one statement get a
    /// number.
    pub(crate) fn owner(
        &mut self,
        files: FilesRead<'_>,
        persist_name: Option<&str>,
        source: &str,
    ) -> PositionOwner {
        let (kind, reads) = match files {
            FilesRead::One(path) => (FILE, path),
            FilesRead::Many(paths) => (WILDCARD, paths),
        };
        if let Some(name) = persist_name {
            let text = format!("\"{}\"", escaped(name));
            return PositionOwner { kind, text, naming: Naming::Given };
        }
        // Sources within a log path are numbered all together, whatever they read: their names say nothing.
        let statement = message::source_name(source);
        let statement = escaped(if statement.starts_with(ANONYMOUS) { "" } else { statement });
        // The path of a file is in each name anyway; two wildcards of one statement may find the same file.
        let whole = format!("{statement} {}", escaped(&reads.display().to_string()));
        let count = self.equal.entry((kind, whole.clone())).or_default();
        *count += 1;
        let text = if kind == FILE { statement } else { whole };
        let text = if *count == 1 { text } else { format!("{text} #{count}") };
        PositionOwner { kind, text, naming: Naming::Made }
    }
}

/// A source of the configuration, as far as positions are concerned.
pub(crate) struct Claim {
    pub(crate) owner: PositionOwner,
    /// Tells whether the source would read a file with this path if it existed.
    pub(crate) reads: Box<dyn Fn(&Path) -> bool + Send + Sync>,
}

impl Claim {
    /// Returns whether the source may take over a position that nobody owns now.
    fn may_inherit(&self, name: &PositionName<'_>) -> bool {
        let by_naming = name.owner.is_none_or(|owner| {
            // Another `persist-name()` is how a user has files read again.
            !owner.starts_with('"') && self.owner.naming == Naming::Made
        });
        self.owner.kind == name.kind && by_naming && (self.reads)(Path::new(name.path))
    }
}

/// Returns the new name of a position whose owner is not among the sources: that of the first source, in the order of the
/// configuration, that reads the file and has no position in it. `None` when the position stays as it is.
pub(super) fn heir(name: &str, claims: &[Claim], is_taken: impl Fn(&str) -> bool) -> Option<String> {
    let name = PositionName::parse(name)?;
    let path = Path::new(name.path);
    if claims.iter().any(|claim| claim.owner.owns(&name) && (claim.reads)(path)) {
        return None;
    }
    let heirs = claims.iter().filter(|claim| claim.may_inherit(&name));
    heirs.map(|claim| claim.owner.position_name(path)).find(|name| !is_taken(name))
}

impl<'n> PositionName<'n> {
    fn parse(name: &'n str) -> Option<PositionName<'n>> {
        let of_kind = |kind: &'static str| {
            let rest = name.strip_prefix(kind)?;
            if let Some(path) = rest.strip_prefix(' ') {
                return Some(PositionName { kind, owner: None, path });
            }
            let (owner, path) = rest.strip_prefix('[')?.split_once("] ")?;
            Some(PositionName { kind, owner: Some(owner), path })
        };
        of_kind(FILE).or_else(|| of_kind(WILDCARD))
    }
}

/// Keeps a text from ending the brackets and from looking like one that the configuration gave.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace(']', "%5D").replace('"', "%22")
}
