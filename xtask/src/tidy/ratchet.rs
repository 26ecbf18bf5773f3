//! Existing findings, whose number may only go down.
//!
//! In: what a check counts now, by place. Out: a finding where there is more than its file in `xtask/ratchet`
//! allows, and where there is less: the file is then lowered with `cargo xtask tidy --lower`. No tool ever
//! raises it.

use std::{
    collections::BTreeMap,
    fmt::{Display, Write},
    fs, io,
    path::{Path, PathBuf},
};

/// The number of findings of a check in each place (a file, a folder), with an example of each.
#[derive(Default)]
pub(crate) struct Tally(BTreeMap<String, Vec<String>>);

impl Tally {
    /// Counts a finding.
    pub(crate) fn add(&mut self, place: impl Into<String>, finding: impl Display) {
        self.0.entry(place.into()).or_default().push(finding.to_string());
    }

    /// Number of findings in all places.
    pub(crate) fn total(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }
}

/// A check whose findings are on file.
pub(crate) struct Ratchet {
    /// Name of the check, and of its file.
    pub(crate) name: &'static str,
    /// The advice printed with a finding.
    pub(crate) remedy: &'static str,
    /// Today's findings.
    pub(crate) tally: Tally,
}

impl Ratchet {
    /// Compares with the file: one finding for each place whose number is not the allowed one.
    pub(crate) fn check(&self, root: &Path) -> Vec<String> {
        match read(&self.path(root)) {
            Ok(allowed) => self.compare(&allowed),
            Err(error) => vec![format!("{}: {error}", self.path(root).display())],
        }
    }

    /// Lowers the file where it allows more than there is, and creates a missing one; new findings stay new.
    pub(crate) fn lower(&self, root: &Path) -> io::Result<()> {
        let path = self.path(root);
        let allowed = if path.exists() { Some(read(&path)?) } else { None };
        let mut text = String::new();
        for (place, findings) in &self.tally.0 {
            let limit =
                allowed.as_ref().map_or(usize::MAX, |allowed| allowed.get(place).copied().unwrap_or(0));
            let count = findings.len().min(limit);
            if count > 0 {
                let _ = writeln!(text, "{count} {place}");
            }
        }
        fs::create_dir_all(root.join(FOLDER))?;
        fs::write(path, text)
    }

    fn path(&self, root: &Path) -> PathBuf {
        root.join(FOLDER).join(self.name)
    }

    fn compare(&self, allowed: &BTreeMap<String, usize>) -> Vec<String> {
        let none = Vec::new();
        let places =
            self.tally.0.keys().chain(allowed.keys().filter(|place| !self.tally.0.contains_key(*place)));
        let mut findings = Vec::new();
        for place in places {
            let found = self.tally.0.get(place).unwrap_or(&none);
            let limit = allowed.get(place).copied().unwrap_or(0);
            if found.len() > limit {
                let list = found.join(", ");
                findings.push(format!(
                    "{place}: {} of `{}`, at most {limit} ({list}): {}",
                    found.len(),
                    self.name,
                    self.remedy
                ));
            }
            if found.len() < limit {
                findings.push(format!(
                    "{place}: {} of `{}` where {limit} are allowed: lower it with `cargo xtask tidy --lower`",
                    found.len(),
                    self.name
                ));
            }
        }
        findings
    }
}

/// Folder of the files.
const FOLDER: &str = "xtask/ratchet";

/// Reads a file: a number and a place in each line.
fn read(path: &Path) -> io::Result<BTreeMap<String, usize>> {
    let text = fs::read_to_string(path)?;
    let pair = |line: &str| {
        let (count, place) = line.split_once(' ')?;
        Some((place.to_owned(), count.parse().ok()?))
    };
    let bad = |line: &str| io::Error::other(format!("`{line}` is not `NUMBER PLACE`"));
    text.lines().map(|line| pair(line).ok_or_else(|| bad(line))).collect()
}

#[cfg(test)]
mod tests {
    //! Rows for allowed numbers.

    use super::{Ratchet, Tally};
    use std::collections::BTreeMap;

    #[track_caller]
    fn check(found: &[&str], allowed: &[(&str, usize)], want: usize) {
        let mut tally = Tally::default();
        found.iter().for_each(|place| tally.add(*place, "x"));
        let allowed: BTreeMap<String, usize> =
            allowed.iter().map(|(place, count)| ((*place).to_owned(), *count)).collect();
        let ratchet = Ratchet { name: "x", remedy: "mend it", tally };
        assert_eq!(ratchet.compare(&allowed).len(), want);
    }

    #[test]
    fn only_what_is_on_file_may_be_found() {
        check(&["a.rs", "a.rs"], &[("a.rs", 2)], 0);
        check(&["a.rs", "a.rs"], &[("a.rs", 1)], 1);
        check(&["b.rs"], &[("a.rs", 1)], 2);
        check(&[], &[("a.rs", 1)], 1);
    }

    #[test]
    fn a_file_is_lowered_and_never_raised() -> std::io::Result<()> {
        let root = tempfile::tempdir()?;
        let mut ratchet = Ratchet { name: "x", remedy: "mend it", tally: Tally::default() };
        ratchet.tally.add("a.rs", "one");
        ratchet.tally.add("a.rs", "two");
        assert_eq!(ratchet.check(root.path()).len(), 1, "there is no file");
        ratchet.lower(root.path())?;
        assert!(ratchet.check(root.path()).is_empty());
        ratchet.tally.add("b.rs", "three");
        ratchet.lower(root.path())?;
        assert_eq!(ratchet.check(root.path()).len(), 1, "b.rs is new");
        ratchet.tally = Tally::default();
        ratchet.lower(root.path())?;
        assert!(ratchet.check(root.path()).is_empty());
        Ok(())
    }
}
