//! Value pairs as a configuration's `value-pairs()` builds them.
//!
//! In: options one by one. Out: a selection of names and values. Holds nothing. Limits: none of its own.

use super::{
    rekey::Rekey,
    selection::{Choice, PairScope, SCOPES, glob},
    tree::{Template, ValuePairs},
};
use crate::version::Version;

impl ValuePairs {
    /// Makes an empty selection. The version of the configuration decides whether values keep their types.
    pub fn new(version: Version) -> ValuePairs {
        ValuePairs { version, cast_to_strings: !version.is_typed(), ..ValuePairs::default() }
    }

    /// Adds all names of a scope; `none` takes away what scopes gave. Returns false when there is no such scope.
    pub fn scope(&mut self, name: &str) -> bool {
        let name = name.replace('_', "-");
        match (name.as_str(), SCOPES.iter().find(|(known, _)| *known == name)) {
            ("none", _) => self.scopes.clear(),
            ("nv-pairs", _) => self.scopes.extend([PairScope::NvPairs, PairScope::Fields]),
            ("all-nv-pairs", _) => {
                self.scopes.extend([PairScope::NvPairs, PairScope::DotNvPairs, PairScope::Fields]);
            }
            (_, Some((_, scope))) => self.scopes.push(*scope),
            (_, None) => return false,
        }
        true
    }

    /// Returns the names of all scopes.
    pub fn scopes() -> impl Iterator<Item = &'static str> {
        SCOPES.iter().map(|(known, _)| *known).chain(["none", "all-nv-pairs"])
    }

    /// Adds the names that match a glob, with changes of these names.
    pub fn key(&mut self, text: &str, changes: Vec<Rekey>) {
        let pattern = glob(text);
        self.globs.push((pattern.clone(), Choice::Wanted));
        if !changes.is_empty() {
            self.rekeys.push((pattern, changes));
        }
    }

    /// Changes the names that match a glob.
    pub fn rekey(&mut self, text: &str, changes: Vec<Rekey>) {
        self.rekeys.push((glob(text), changes));
    }

    /// Leaves out the names that match a glob, unless a later one adds them again.
    pub fn exclude(&mut self, text: &str) {
        self.globs.push((glob(text), Choice::LeftOut));
    }

    /// Adds a value that a template makes.
    pub fn pair(&mut self, name: &str, template: Template) {
        self.explicit.push((name.to_owned(), template));
    }

    /// Leaves out values without content.
    pub fn omit_empty(&mut self) {
        self.omit_empty = true;
    }

    /// Makes every value text, whatever its type.
    pub fn cast_to_strings(&mut self) {
        self.cast_to_strings = true;
    }

    /// Includes values of type bytes, too.
    pub fn include_bytes(&mut self) {
        self.include_bytes = true;
    }
}
