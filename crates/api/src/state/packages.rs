//! Evidence packages that were made and not downloaded yet.
//!
//! In: folders with packages. Out: the same, to whom made them. Holds: their folders on disk, which go with them.
//! Limits: [`PACKAGES_MAX`], each for [`KEPT`].

use crate::access::accounts::Right;
use std::{collections::VecDeque, io, path::PathBuf, sync::Arc, time::Duration};
use tempfile::TempDir;

/// Most packages kept; the oldest is removed.
const PACKAGES_MAX: usize = 16;
/// Time for which a package is kept for its download.
pub(crate) const KEPT: Duration = Duration::from_secs(3600);

/// A package on disk.
pub(crate) struct Package {
    /// Identifier under which it is downloaded.
    pub(crate) id: String,
    /// The user who made it.
    pub(crate) user: String,
    /// The logspace of its messages, and those whose chains are in it.
    pub(crate) rights: Vec<(String, Right)>,
    /// Name of its folder, also in the archive.
    pub(crate) name: String,
    /// Removed when the last reference is dropped.
    pub(crate) folder: TempDir,
}

impl Package {
    /// Returns the path of its files.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Writes it as one tar archive.
    pub(crate) fn write(&self, out: impl io::Write) -> io::Result<()> {
        let mut archive = tar::Builder::new(out);
        // Neither owners nor times of the server's files.
        archive.mode(tar::HeaderMode::Deterministic);
        archive.append_dir_all(&self.name, self.path())?;
        archive.into_inner()?.flush()
    }
}

/// The packages that wait.
#[derive(Default)]
pub(crate) struct Packages {
    kept: VecDeque<Arc<Package>>,
}

impl Packages {
    /// Adds a package.
    pub(crate) fn keep(&mut self, package: Package) {
        if self.kept.len() >= PACKAGES_MAX {
            self.kept.pop_front();
        }
        self.kept.push_back(Arc::new(package));
    }

    /// A user's package.
    pub(crate) fn find(&self, id: &str, user: &str) -> Option<Arc<Package>> {
        self.kept.iter().find(|known| known.id == id && known.user == user).cloned()
    }

    /// Removes a package.
    pub(crate) fn forget(&mut self, id: &str) {
        self.kept.retain(|known| known.id != id);
    }
}

#[cfg(test)]
mod tests {
    //! Rows for packages.

    use super::*;
    use std::fs;

    fn package(id: &str) -> Package {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("case")).unwrap();
        fs::write(folder.path().join("case/manifest.json"), "{}").unwrap();
        Package { id: id.into(), user: "eva".into(), rights: Vec::new(), name: "case".into(), folder }
    }

    #[test]
    fn packages_are_for_whom_they_are_and_leave_nothing() {
        let mut packages = Packages::default();
        packages.keep(package("0"));
        assert!(packages.find("0", "bob").is_none());
        let mut bytes = Vec::new();
        packages.find("0", "eva").unwrap().write(&mut bytes).unwrap();
        let mut archive = tar::Archive::new(bytes.as_slice());
        let names: Vec<_> =
            archive.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().into_owned()).collect();
        assert_eq!(names, [PathBuf::from("case"), PathBuf::from("case/manifest.json")]);
        let first = packages.find("0", "eva").unwrap().path();
        (1..=PACKAGES_MAX).for_each(|id| packages.keep(package(&id.to_string())));
        assert!(packages.find("0", "eva").is_none() && !first.exists(), "the oldest made room");
        let second = packages.find("1", "eva").unwrap().path();
        packages.forget("1");
        assert!(!second.exists());
    }
}
