//! The surroundings of a configuration: the files and variables that it may read.
//!
//! In: paths and names. Out: contents. [`Disk`] is this machine, [`Memory`] is for tests and previews.
//! Holds: the include path.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Files and environment variables, as the language sees them.
pub trait Surroundings {
    /// Returns the content of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Returns true when a path is a folder.
    fn is_folder(&self, path: &Path) -> bool;
    /// Returns true when a path exists.
    fn exists(&self, path: &Path) -> bool;
    /// Returns the names in a folder, sorted.
    fn folder(&self, path: &Path) -> io::Result<Vec<String>>;
    /// Returns the paths that a pattern with `*`, `?` or `[…]` matches, sorted.
    fn glob(&self, pattern: &str) -> Vec<PathBuf>;
    /// Returns the value of an environment variable.
    fn variable(&self, name: &str) -> Option<String>;
    /// Folders searched for included files whose path is relative, after the folder of the configuration itself.
    fn include_path(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// This machine.
#[derive(Default)]
pub struct Disk {
    /// Folders searched after the configuration's own.
    pub include_path: Vec<PathBuf>,
}

#[expect(clippy::disallowed_methods, reason = "this is the machine, for those who own files")]
impl Surroundings for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn folder(&self, path: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(path)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }

    fn glob(&self, pattern: &str) -> Vec<PathBuf> {
        glob::glob(pattern).map(|paths| paths.flatten().collect()).unwrap_or_default()
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn include_path(&self) -> Vec<PathBuf> {
        self.include_path.clone()
    }
}

/// Files and variables that exist only in memory.
#[derive(Default, Clone)]
pub struct Memory {
    files: BTreeMap<PathBuf, Vec<u8>>,
    variables: BTreeMap<String, String>,
}

impl Memory {
    /// Adds a file.
    pub fn file(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(PathBuf::from(path), content.into());
        self
    }

    /// Adds a variable.
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_string(), value.to_string());
        self
    }
}

impl Surroundings for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.files.keys().any(|file| file != path && file.starts_with(path))
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.contains_key(path) || self.is_folder(path)
    }

    fn folder(&self, path: &Path) -> io::Result<Vec<String>> {
        let inside = self.files.keys().filter(|file| file.parent() == Some(path));
        Ok(inside
            .filter_map(|file| file.file_name())
            .map(|name| name.to_string_lossy().into_owned())
            .collect())
    }

    fn glob(&self, pattern: &str) -> Vec<PathBuf> {
        let Ok(pattern) = glob::Pattern::new(pattern) else { return Vec::new() };
        // A `*` ends at the next `/`, as on a disk.
        let options = glob::MatchOptions { require_literal_separator: true, ..Default::default() };
        self.files.keys().filter(|file| pattern.matches_path_with(file, options)).cloned().collect()
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }
}

#[cfg(test)]
mod tests;
