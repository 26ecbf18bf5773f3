//! The parts of a selection of names and values: scopes, globs, macros.
//!
//! In: names of scopes and macros. Out: the same as types. Holds nothing. Limits: none.

use crate::{
    macros,
    pattern::{Pattern, PatternFlags, PatternKind},
    version::Version,
};
use std::sync::Arc;

/// The byte between the names of nested objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KeyDelimiter(pub(crate) u8);

impl Default for KeyDelimiter {
    fn default() -> KeyDelimiter {
        KeyDelimiter(b'.')
    }
}

/// The effect of a glob on the names that it matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Choice {
    Wanted,
    LeftOut,
}

/// A selected macro or field.
#[derive(Clone, Debug)]
pub(crate) struct SelectedMacro {
    pub(crate) name: &'static str,
    pub(crate) source: macros::Variable,
    /// True when it is left out if empty.
    pub(crate) may_be_absent: bool,
}

impl SelectedMacro {
    pub(crate) fn of(name: &'static str, version: Version) -> SelectedMacro {
        let may_be_absent = matches!(name, "MSGID" | "PID" | "PROGRAM");
        SelectedMacro { name, source: macros::resolve(name, version), may_be_absent }
    }
}

/// A named set of names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PairScope {
    Rfc3164,
    Core,
    Rfc5424,
    SyslogProto,
    AllMacros,
    NvPairs,
    DotNvPairs,
    Sdata,
    SelectedMacros,
    /// For `nv-pairs` and `all-nv-pairs`: the fields of the header, if set, and the last match.
    Fields,
    Everything,
}

/// The names of scopes.
pub(super) const SCOPES: [(&str, PairScope); 11] = [
    ("rfc3164", PairScope::Rfc3164),
    ("core", PairScope::Core),
    ("base", PairScope::Core),
    ("rfc5424", PairScope::Rfc5424),
    ("syslog-proto", PairScope::SyslogProto),
    ("all-macros", PairScope::AllMacros),
    ("selected-macros", PairScope::SelectedMacros),
    ("nv-pairs", PairScope::NvPairs),
    ("dot-nv-pairs", PairScope::DotNvPairs),
    ("sdata", PairScope::Sdata),
    ("everything", PairScope::Everything),
];

/// Fields that every message has.
pub(crate) const FIXED: [&str; 10] = [
    "HOST",
    "HOST_FROM",
    "PROGRAM",
    "PID",
    "MSGID",
    "MESSAGE",
    "LEGACY_MSGHDR",
    "SOURCE",
    "TRANSPORT",
    "FILE_NAME",
];

/// Compiles a glob of names.
pub(crate) fn glob(text: &str) -> Arc<Pattern> {
    let pattern = Pattern::compile(text, PatternKind::Glob, PatternFlags::default());
    // A glob of any text compiles; only its length can be wrong, and templates are shorter than that limit.
    Arc::new(pattern.unwrap_or_else(|_| Pattern::nothing()))
}
