//! The lists of names in `names.txt`.
//!
//! In: the file. Out: lists by name.

use std::{collections::HashMap, io};

/// All lists.
pub(super) struct Names(HashMap<&'static str, &'static [&'static str]>);

impl Names {
    pub(super) fn read() -> Names {
        let mut lists: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
        let mut name = "";
        for line in
            include_str!("names.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            // An entry may contain brackets; a line that is all in brackets names a list.
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(next) => name = next,
                None => lists.entry(name).or_default().extend(line.split(" | ")),
            }
        }
        // The lists live as long as the program: patterns and values keep them.
        Names(lists.into_iter().map(|(name, list)| (name, &*list.leak())).collect())
    }

    /// A list that must be there.
    pub(super) fn list(&self, name: &str) -> io::Result<&'static [&'static str]> {
        self.0.get(name).copied().ok_or_else(|| io::Error::other(format!("names.txt has no list [{name}]")))
    }
}
