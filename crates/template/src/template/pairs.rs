//! Value pairs: a selection of the names and values of a message, as `value-pairs()` and `$(format-json ...)` ask.
//!
//! In: scopes, globs, pairs of its own and changes of names, once; a message, often. Out: sorted pairs.
//! Holds: the compiled selection. Limits: none of its own.

mod build;
mod rekey;
mod words;

pub use rekey::Rekey;

use super::{Template, list, macros, render::Renderer};
use crate::Version;
use crate::pattern::{Pattern, PatternFlags, PatternKind};
use message::{Batch, ValueKind, sd_params};
use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

/// A selection of names and values.
#[derive(Clone, Debug, Default)]
pub struct ValuePairs {
    scopes: Vec<Scope>,
    /// Globs of names that are wanted, or left out: the last that matches a name decides.
    globs: Vec<(Arc<Pattern>, Choice)>,
    explicit: Vec<(String, Template)>,
    rekeys: Vec<(Arc<Pattern>, Vec<Rekey>)>,
    /// The glob of the names that the next change applies to.
    rekeyed: Option<Arc<Pattern>>,
    omit_empty: bool,
    pub(super) cast_to_strings: bool,
    include_bytes: bool,
    leave_dot: bool,
    /// `--key-delimiter` of JSON.
    pub(super) key_delimiter: KeyDelimiter,
    version: Version,
    /// The macros it asks for, found once.
    wanted: OnceLock<Vec<Wanted>>,
}

/// The byte between the names of nested objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct KeyDelimiter(pub(super) u8);

impl Default for KeyDelimiter {
    fn default() -> KeyDelimiter {
        KeyDelimiter(b'.')
    }
}

/// The effect of a glob on the names that it matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Choice {
    Wanted,
    LeftOut,
}

/// A macro or a field that is asked for.
#[derive(Clone, Debug)]
struct Wanted {
    name: &'static str,
    source: macros::Named,
    /// Not there when it is empty.
    may_be_absent: bool,
}

impl Wanted {
    fn of(name: &'static str, version: Version) -> Wanted {
        let may_be_absent = matches!(name, "MSGID" | "PID" | "PROGRAM");
        Wanted { name, source: macros::resolve(name, version), may_be_absent }
    }
}

/// A named set of names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scope {
    Rfc3164,
    Core,
    Rfc5424,
    SyslogProto,
    AllMacros,
    NvPairs,
    DotNvPairs,
    Sdata,
    SelectedMacros,
    /// Of `nv-pairs` and `all-nv-pairs`: the fields of the header, where they are set, and the last match.
    Fields,
    Everything,
}

/// Pairs, sorted by name.
pub(super) type Found = BTreeMap<Vec<u8>, Entry>;

/// One value, with its type.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) value: Vec<u8>,
    pub(super) kind: ValueKind,
    /// The value is JSON text that is printed unchanged.
    pub(super) literal: bool,
    /// The configuration names the type, which then stays when others are cast to text.
    pub(super) hinted: bool,
}

const SCOPES: [(&str, Scope); 11] = [
    ("rfc3164", Scope::Rfc3164),
    ("core", Scope::Core),
    ("base", Scope::Core),
    ("rfc5424", Scope::Rfc5424),
    ("syslog-proto", Scope::SyslogProto),
    ("all-macros", Scope::AllMacros),
    ("selected-macros", Scope::SelectedMacros),
    ("nv-pairs", Scope::NvPairs),
    ("dot-nv-pairs", Scope::DotNvPairs),
    ("sdata", Scope::Sdata),
    ("everything", Scope::Everything),
];

/// Macros that no scope and no glob finds: others say the same.
const HIDDEN: [&str; 2] = ["*", "STRUCTURED_DATA"];

/// The macros that `selected-macros` adds to the fields of RFC 3164.
const SELECTED: [&str; 3] = ["TAGS", "SOURCEIP", "SEQNUM"];

/// Fields that every message has.
const FIXED: [&str; 10] = [
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

const RFC3164: [&str; 7] = ["FACILITY", "PRIORITY", "HOST", "PROGRAM", "PID", "MESSAGE", "DATE"];

fn glob(text: &str) -> Arc<Pattern> {
    let pattern = Pattern::compile(text, PatternKind::Glob, PatternFlags::default());
    // A glob of any text compiles; only its length can be wrong, and templates are shorter than that limit.
    Arc::new(pattern.unwrap_or_else(|_| Pattern::nothing()))
}

impl ValuePairs {
    /// Returns true when a dot at the start of a name stays in JSON: with `--leave-initial-dot`, or when dots do not nest
    /// objects.
    pub(super) fn keeps_dot(&self) -> bool {
        self.leave_dot || self.key_delimiter != KeyDelimiter::default()
    }

    /// Returns the pairs of a message, sorted by name.
    pub(super) fn collect(&self, batch: &Batch, index: usize, renderer: &mut Renderer) -> Found {
        let mut found = BTreeMap::new();
        self.collect_values(batch, index, &mut found);
        self.collect_macros(batch, index, renderer, &mut found);
        let mut renamed = BTreeMap::new();
        for (name, entry) in found {
            renamed.insert(self.renamed(name), entry);
        }
        for (name, template) in &self.explicit {
            let mut value = Vec::new();
            let kind = template.render_typed(batch, index, renderer, &mut value);
            let literal = template.hint() == Some(super::TypeHint::Literal);
            let untyped = !self.version.is_typed() && template.hint().is_none();
            let kind = if untyped { ValueKind::String } else { kind };
            let hinted = template.hint().is_some();
            renamed.insert(self.renamed(name.as_bytes().to_vec()), Entry { value, kind, literal, hinted });
        }
        renamed.retain(|_, entry| {
            let bytes_left_out = entry.kind == ValueKind::Bytes && !self.include_bytes;
            !(bytes_left_out || self.omit_empty && entry.value.is_empty())
        });
        renamed
    }

    fn collect_values(&self, batch: &Batch, index: usize, found: &mut BTreeMap<Vec<u8>, Entry>) {
        let wants = |name: &[u8]| {
            let scopes = match name {
                _ if name.starts_with(b".SDATA.") => {
                    &[Scope::Everything, Scope::Sdata, Scope::Rfc5424, Scope::SyslogProto, Scope::DotNvPairs]
                        [..]
                }
                [b'.', ..] => &[Scope::Everything, Scope::DotNvPairs],
                [b'0'..=b'9', ..] => &[Scope::Fields],
                _ => &[Scope::Everything, Scope::NvPairs],
            };
            match self.choice(name) {
                Some(choice) => choice == Choice::Wanted,
                None => scopes.iter().any(|scope| self.scopes.contains(scope)),
            }
        };
        let mut add = |name: &[u8], value: &[u8], kind: ValueKind| {
            if wants(name) {
                let entry = Entry { value: value.to_vec(), kind, literal: false, hinted: false };
                found.insert(name.to_vec(), entry);
            }
        };
        for param in sd_params(batch.bytes(batch.messages[index].sdata)) {
            if !param.name.is_empty() {
                let name = [b".SDATA.", param.id, b".", param.name].concat();
                add(&name, &param.value(), ValueKind::String);
            }
        }
        for (name, value) in &batch.origin(index).values {
            add(name.as_bytes(), value, ValueKind::String);
        }
        for (name, value, kind) in batch.values(index) {
            add(name, value, kind);
        }
    }

    fn collect_macros(&self, batch: &Batch, index: usize, renderer: &mut Renderer, found: &mut Found) {
        for wanted in self.wanted.get_or_init(|| self.wanted()) {
            let mut value = Vec::new();
            let kind = match &wanted.source {
                macros::Named::Macro(id) => macros::append(*id, batch, index, renderer, &mut value),
                macros::Named::Field(field) => {
                    let (bytes, kind) = batch.typed_field(index, field).unwrap_or_default();
                    value.extend_from_slice(&bytes);
                    kind
                }
            };
            if !(wanted.may_be_absent && value.is_empty()) {
                found.insert(
                    wanted.name.as_bytes().to_vec(),
                    Entry { value, kind, literal: false, hinted: false },
                );
            }
        }
    }

    /// Returns the choice of the last glob that matches a name.
    fn choice(&self, name: &[u8]) -> Option<Choice> {
        self.globs.iter().rev().find(|(glob, _)| glob.is_match(name)).map(|(_, choice)| *choice)
    }

    /// Returns the macros and fields that scopes and globs ask for: no message changes that.
    fn wanted(&self) -> Vec<Wanted> {
        let has = |scopes: &[Scope]| self.scopes.iter().any(|scope| scopes.contains(scope));
        let everything = has(&[Scope::Everything, Scope::AllMacros]);
        let five = everything || has(&[Scope::Rfc5424, Scope::SyslogProto]);
        let selected = everything || has(&[Scope::SelectedMacros]);
        let core = five || selected || has(&[Scope::Rfc3164, Scope::Core]);
        let fields = has(&[Scope::Fields]);
        let field = |name: &str| FIXED.contains(&name) || name == "MSGFORMAT";
        let asked = |name: &str| match self.choice(name.as_bytes()) {
            Some(choice) => choice == Choice::Wanted,
            None => {
                everything && !matches!(name, "LEGACY_MSGHDR")
                    || core && RFC3164.contains(&name)
                    || selected && SELECTED.contains(&name)
                    || five && name == "MSGID"
                    || fields && field(name)
            }
        };
        let named = macros::names().filter(|name| !HIDDEN.contains(name)).chain(FIXED).chain(["MSG"]);
        let of = |name| {
            let wanted = Wanted::of(name, self.version);
            let may_be_absent = wanted.may_be_absent || fields && field(name);
            Wanted { may_be_absent, ..wanted }
        };
        named.filter(|name| asked(name)).map(of).collect()
    }

    /// Appends the names or the values as a list.
    pub(super) fn append_list(
        &self,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
        values: bool,
        out: &mut Vec<u8>,
    ) -> ValueKind {
        let start = out.len();
        for (name, entry) in self.collect(batch, index, renderer) {
            list::append_after(if values { &entry.value } else { &name }, start, out);
        }
        ValueKind::List
    }
}
