//! Which positions belong to a source that follows files.
//!
//! In: the sources of a configuration, in its order. Out: a claim for each that follows files. Holds: nothing. Limits: none.

use crate::{
    file::looks_for,
    positions::{Claim, FilesRead, Owners, PositionOwner},
    source::{SourceDriver, SourceSpec},
};
use std::path::Path;

/// Returns the claim of the next source; `None` when it follows no files.
pub(super) fn claim(owners: &mut Owners, spec: &SourceSpec) -> Option<Claim> {
    let source = &spec.options.source;
    match &spec.driver {
        SourceDriver::File(options) => {
            let owner = owners.owner(FilesRead::One(&options.path), options.persist_name.as_deref(), source);
            let own = options.path.display().to_string();
            Some(Claim { owner, reads: Box::new(move |path: &Path| path.display().to_string() == own) })
        }
        SourceDriver::Wildcard(options) => {
            let paths = options.folder.join(&options.pattern);
            let owner = owners.owner(FilesRead::Many(&paths), options.persist_name.as_deref(), source);
            let options = options.clone();
            Some(Claim { owner, reads: Box::new(move |path| looks_for(&options, path)) })
        }
        _ => None,
    }
}

/// Returns the key of a source: what it reads from, and for whom. Positions are those of their owner, so that another source cannot
/// continue in its place.
pub(super) fn key(owner: Option<&PositionOwner>, identity: String) -> String {
    match owner {
        Some(owner) => owner.position_name(Path::new(&identity)),
        None => identity,
    }
}

#[cfg(test)]
mod tests;
