//! The pairs that a selection finds in a message, for `value-pairs()` and `$(format-json ...)`.
//!
//! In: a compiled selection, a message. Out: names with their values and types, sorted by name. Holds nothing.
//! Limits: none of its own.

use crate::{
    macros,
    renderer::Renderer,
    template::{Choice, FIXED, KeyDelimiter, Listed, PairScope, SelectedMacro, Template, ValuePairs},
    value::{TypeHint, list_append},
};
use message::{Batch, ValueKind, sd_params};
use std::collections::BTreeMap;

/// Macros that no scope and no glob finds: others say the same.
const HIDDEN: [&str; 2] = ["*", "STRUCTURED_DATA"];

/// The macros that `selected-macros` adds to the fields of RFC 3164.
const SELECTED: [&str; 3] = ["TAGS", "SOURCEIP", "SEQNUM"];

const RFC3164: [&str; 7] = ["FACILITY", "PRIORITY", "HOST", "PROGRAM", "PID", "MESSAGE", "DATE"];

/// Pairs, sorted by name.
pub(super) type Pairs = BTreeMap<Vec<u8>, Entry>;

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

impl Entry {
    /// Returns its type in the output.
    pub(super) fn shown_kind(&self, pairs: &ValuePairs) -> ValueKind {
        if pairs.cast_to_strings && !self.hinted { ValueKind::String } else { self.kind }
    }
}

impl ValuePairs {
    /// Returns true when a dot at the start of a name stays in JSON: with `--leave-initial-dot`, or when dots do not nest
    /// objects.
    pub(crate) fn keeps_dot(&self) -> bool {
        self.leave_dot || self.key_delimiter != KeyDelimiter::default()
    }

    /// Returns the pairs of a message, sorted by name.
    pub(super) fn collect(&self, batch: &Batch, index: usize, renderer: &mut Renderer) -> Pairs {
        let mut found = BTreeMap::new();
        self.collect_values(batch, index, &mut found);
        self.collect_macros(batch, index, renderer, &mut found);
        let mut renamed: Pairs = match self.rekeys.is_empty() {
            true => found,
            false => found.into_iter().map(|(name, entry)| (self.renamed(name), entry)).collect(),
        };
        for (name, template) in &self.explicit {
            let mut entry =
                Entry { value: Vec::new(), kind: ValueKind::String, literal: false, hinted: false };
            self.render_explicit(template, (batch, index), renderer, &mut entry);
            renamed.insert(self.renamed(name.as_bytes().to_vec()), entry);
        }
        renamed.retain(|_, entry| !self.leaves_out(entry));
        renamed
    }

    /// Puts the value that a template makes into an entry, whose memory is used again.
    pub(super) fn render_explicit(
        &self,
        template: &Template,
        (batch, index): (&Batch, usize),
        renderer: &mut Renderer,
        entry: &mut Entry,
    ) {
        entry.value.clear();
        let kind = template.render_typed(batch, index, renderer, &mut entry.value);
        let untyped = !self.version.is_typed() && template.hint().is_none();
        entry.kind = if untyped { ValueKind::String } else { kind };
        entry.literal = template.hint() == Some(TypeHint::Literal);
        entry.hinted = template.hint().is_some();
    }

    /// Returns true for a value that is not a part of the output.
    pub(super) fn leaves_out(&self, entry: &Entry) -> bool {
        let are_bytes_left_out = entry.kind == ValueKind::Bytes && !self.include_bytes;
        are_bytes_left_out || self.omit_empty && entry.value.is_empty()
    }

    fn renamed(&self, mut name: Vec<u8>) -> Vec<u8> {
        for (glob, changes) in &self.rekeys {
            if glob.is_match(&name) {
                changes.iter().for_each(|change| change.apply(&mut name));
            }
        }
        name
    }

    fn collect_values(&self, batch: &Batch, index: usize, found: &mut BTreeMap<Vec<u8>, Entry>) {
        let wants = |name: &[u8]| {
            let scopes = match name {
                _ if name.starts_with(b".SDATA.") => &[
                    PairScope::Everything,
                    PairScope::Sdata,
                    PairScope::Rfc5424,
                    PairScope::SyslogProto,
                    PairScope::DotNvPairs,
                ][..],
                [b'.', ..] => &[PairScope::Everything, PairScope::DotNvPairs],
                [b'0'..=b'9', ..] => &[PairScope::Fields],
                _ => &[PairScope::Everything, PairScope::NvPairs],
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

    fn collect_macros(&self, batch: &Batch, index: usize, renderer: &mut Renderer, found: &mut Pairs) {
        for selected in self.macros.get_or_init(|| self.selected_macros()) {
            let mut value = Vec::new();
            let kind = match &selected.source {
                macros::Variable::Macro(id) => macros::append(*id, batch, index, renderer, &mut value),
                macros::Variable::Field(field) => {
                    let (bytes, kind) = batch.typed_field(index, field).unwrap_or_default();
                    value.extend_from_slice(&bytes);
                    kind
                }
            };
            if !(selected.may_be_absent && value.is_empty()) {
                found.insert(
                    selected.name.as_bytes().to_vec(),
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
    fn selected_macros(&self) -> Vec<SelectedMacro> {
        let has = |scopes: &[PairScope]| self.scopes.iter().any(|scope| scopes.contains(scope));
        let everything = has(&[PairScope::Everything, PairScope::AllMacros]);
        let five = everything || has(&[PairScope::Rfc5424, PairScope::SyslogProto]);
        let selected = everything || has(&[PairScope::SelectedMacros]);
        let core = five || selected || has(&[PairScope::Rfc3164, PairScope::Core]);
        let fields = has(&[PairScope::Fields]);
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
            let selected = SelectedMacro::of(name, self.version);
            let may_be_absent = selected.may_be_absent || fields && field(name);
            SelectedMacro { may_be_absent, ..selected }
        };
        named.filter(|name| asked(name)).map(of).collect()
    }

    /// Appends the names or the values as a list.
    pub(super) fn append_list(
        &self,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
        listed: Listed,
        out: &mut Vec<u8>,
    ) -> ValueKind {
        let start = out.len();
        for (name, entry) in self.collect(batch, index, renderer) {
            let element = match listed {
                Listed::Names => &name,
                Listed::Values => &entry.value,
            };
            list_append(element, start, out);
        }
        ValueKind::List
    }

    /// Returns the pairs of a message, sorted by name.
    pub fn pairs(
        &self,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
    ) -> impl Iterator<Item = (String, Vec<u8>, ValueKind)> + use<> {
        let cast = self.cast_to_strings;
        self.collect(batch, index, renderer).into_iter().map(move |(name, entry)| {
            let kind = if cast && !entry.hinted { ValueKind::String } else { entry.kind };
            (String::from_utf8_lossy(&name).into_owned(), entry.value, kind)
        })
    }
}
