//! Value pairs: which names and values `format-json`, `names` and their kin print.
//!
//! In: `--scope`, `--key`, `--exclude`, `--pair`, `--rekey` and so on, once; a message, often. Out: sorted pairs.
//! Holds: the compiled selection. Limits: none of its own.

use super::{
    Surroundings, Template, arguments::Word, list, macros, parse, parse::TemplateError, render::Renderer,
};
use crate::pattern::{Pattern, PatternFlags, PatternKind};
use message::{Batch, Field, ValueKind, sd_params};
use std::{collections::BTreeMap, sync::Arc};

/// A selection of names and values.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    scopes: Vec<Scope>,
    keys: Vec<Arc<Pattern>>,
    excluded: Vec<Arc<Pattern>>,
    explicit: Vec<(String, Template)>,
    rekeys: Vec<(Arc<Pattern>, Vec<Rekey>)>,
    /// Whose names the next change is for.
    rekeyed: Option<Arc<Pattern>>,
    pub(super) omit_empty: bool,
    pub(super) cast_to_strings: bool,
    pub(super) include_bytes: bool,
    pub(super) leave_dot: bool,
    pub(super) typed: bool,
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
    Everything,
}

/// A change of a name.
#[derive(Clone, Debug)]
enum Rekey {
    Shift(usize),
    ShiftLevels(usize),
    AddPrefix(String),
    ReplacePrefix(String, String),
    Lower,
    Upper,
}

/// Pairs, sorted by name.
pub(super) type Found = BTreeMap<Vec<u8>, Entry>;

/// One value, with its type.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) value: Vec<u8>,
    pub(super) kind: ValueKind,
    /// The value is JSON text that stands as it is.
    pub(super) literal: bool,
}

const SCOPES: [(&str, Scope); 11] = [
    ("rfc3164", Scope::Rfc3164),
    ("core", Scope::Core),
    ("base", Scope::Core),
    ("rfc5424", Scope::Rfc5424),
    ("syslog-proto", Scope::SyslogProto),
    ("all-macros", Scope::AllMacros),
    ("selected-macros", Scope::Core),
    ("nv-pairs", Scope::NvPairs),
    ("dot-nv-pairs", Scope::DotNvPairs),
    ("sdata", Scope::Sdata),
    ("everything", Scope::Everything),
];

/// Names of the options.
const OPTIONS: [&str; 25] = [
    "scope",
    "s",
    "key",
    "k",
    "exclude",
    "x",
    "pair",
    "p",
    "rekey",
    "r",
    "shift",
    "S",
    "shift-levels",
    "L",
    "add-prefix",
    "A",
    "replace-prefix",
    "replace",
    "R",
    "subkeys",
    "omit-empty-values",
    "cast",
    "no-cast",
    "include-bytes",
    "leave-initial-dot",
];

const RFC3164: [&str; 7] = ["FACILITY", "PRIORITY", "HOST", "PROGRAM", "PID", "MESSAGE", "DATE"];

fn glob(text: &str) -> Arc<Pattern> {
    let pattern = Pattern::compile(text, PatternKind::Glob, PatternFlags::default());
    // A glob of any text compiles; only its length can be wrong, and templates are shorter than that limit.
    Arc::new(pattern.unwrap_or_else(|_| Pattern::nothing()))
}

/// Makes one word of `name = value`, `name= value` and `name =value`.
fn joined(words: &[Word]) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    for word in words {
        let is_option = word.text.starts_with("--");
        match found.last_mut().filter(|last| !is_option && !last.text.starts_with("--")) {
            Some(last) if word.text.starts_with('=') && !last.text.contains('=') => {
                last.text.push_str(&word.text);
                last.quoted = word.quoted;
            }
            Some(last) if last.text.ends_with('=') && !last.quoted && !word.text.contains('=') => {
                last.text.push_str(&word.text);
                last.quoted = true;
            }
            _ => found.push(word.clone()),
        }
    }
    found
}

impl Pairs {
    /// The selection of globs: `$(names .unix.*)`.
    pub(super) fn globs(words: &[Word]) -> Pairs {
        Pairs { keys: words.iter().map(|word| glob(&word.text)).collect(), ..Pairs::default() }
    }

    /// Reads options, names and `name=template` pairs.
    pub(super) fn parse(
        words: &[Word],
        around: &dyn Surroundings,
        depth: usize,
    ) -> Result<Pairs, TemplateError> {
        let mut pairs = Pairs { typed: around.version().is_typed(), ..Pairs::default() };
        pairs.cast_to_strings = !pairs.typed;
        let words = joined(words);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.text.strip_prefix("--") {
                Some(option) => pairs.option(option, word, &mut words, around, depth)?,
                None => {
                    pairs.pair(word, around, depth)?;
                    if !word.text.contains('=') {
                        pairs.rekeyed = pairs.keys.last().cloned();
                    }
                }
            }
        }
        Ok(pairs)
    }

    fn option(
        &mut self,
        option: &str,
        word: &Word,
        words: &mut std::slice::Iter<'_, Word>,
        around: &dyn Surroundings,
        depth: usize,
    ) -> Result<(), TemplateError> {
        let (name, inline) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option, None),
        };
        match name {
            "omit-empty-values" => self.omit_empty = true,
            "cast" => self.cast_to_strings = true,
            "no-cast" | "auto-cast" => self.cast_to_strings = !self.typed,
            "include-bytes" => self.include_bytes = true,
            "leave-initial-dot" => self.leave_dot = true,
            "lower" => self.rekey(word, Rekey::Lower)?,
            "upper" => self.rekey(word, Rekey::Upper)?,
            _ if !OPTIONS.contains(&name) => {
                return Err(TemplateError::unknown(word.offset, "option", name, OPTIONS.into_iter()));
            }
            _ => {
                let Some(value) = inline.or_else(|| words.next().map(|word| word.text.clone())) else {
                    return Err(TemplateError::at(word.offset, format!("missing argument for --{name}")));
                };
                if matches!(name, "pair" | "p") {
                    return self.pair(&Word { text: value, ..word.clone() }, around, depth);
                }
                self.option_with(name, value, word)?;
            }
        }
        Ok(())
    }

    /// Reads an option that has a value.
    fn option_with(&mut self, name: &str, value: String, word: &Word) -> Result<(), TemplateError> {
        let wrong = |reason: String| Err(TemplateError::at(word.offset, reason));
        match name {
            "scope" | "s" => {
                for scope in value.split([',', ' ']).filter(|scope| !scope.is_empty()) {
                    self.scope(&scope.replace('_', "-"), word)?;
                }
            }
            "key" | "k" => {
                self.keys.extend(value.split(',').map(glob));
                self.rekeyed = self.keys.last().cloned();
            }
            "exclude" | "x" => self.excluded.extend(value.split(',').map(glob)),
            "rekey" | "r" => self.rekeyed = Some(glob(&value)),
            "shift" | "S" | "shift-levels" | "L" => {
                let Ok(count) = value.parse() else { return wrong(format!("{value} is not a count")) };
                let levels = matches!(name, "shift-levels" | "L");
                self.rekey(word, if levels { Rekey::ShiftLevels(count) } else { Rekey::Shift(count) })?;
            }
            "add-prefix" | "A" => self.rekey(word, Rekey::AddPrefix(value))?,
            "replace-prefix" | "replace" | "R" => {
                let Some((from, to)) = value.split_once('=') else {
                    return wrong(format!("--{name} needs OLD=NEW"));
                };
                self.rekey(word, Rekey::ReplacePrefix(from.to_owned(), to.to_owned()))?;
            }
            _ if value.is_empty() => return wrong("--subkeys requires a non-empty argument".to_owned()),
            _ => {
                let below = glob(&format!("{value}*"));
                self.keys.push(below.clone());
                self.rekeys.push((below, vec![Rekey::ReplacePrefix(value, String::new())]));
            }
        }
        Ok(())
    }

    fn scope(&mut self, name: &str, word: &Word) -> Result<(), TemplateError> {
        match (name, SCOPES.iter().find(|(known, _)| *known == name)) {
            ("none", _) => self.scopes.clear(),
            ("all-nv-pairs", _) => self.scopes.extend([Scope::NvPairs, Scope::DotNvPairs, Scope::Sdata]),
            (_, Some((_, scope))) => self.scopes.push(*scope),
            (_, None) => {
                let known = SCOPES.iter().map(|(known, _)| *known).chain(["none", "all-nv-pairs"]);
                return Err(TemplateError::unknown(word.offset, "scope", name, known));
            }
        }
        Ok(())
    }

    /// Adds a change of the names that the last `--rekey` or `--key` selects.
    fn rekey(&mut self, word: &Word, change: Rekey) -> Result<(), TemplateError> {
        let Some(glob) = &self.rekeyed else {
            let reason = "this option changes names and needs --rekey or --key before it";
            return Err(TemplateError::at(word.offset, reason));
        };
        match self.rekeys.last_mut() {
            Some((last, changes)) if Arc::ptr_eq(last, glob) => changes.push(change),
            _ => self.rekeys.push((glob.clone(), vec![change])),
        }
        Ok(())
    }

    /// Reads `name=template`, or a name alone: the value of that name.
    fn pair(&mut self, word: &Word, around: &dyn Surroundings, depth: usize) -> Result<(), TemplateError> {
        match word.text.split_once('=') {
            Some((name, text)) => {
                let template = parse::maybe_hinted(text, around, depth);
                let template = template.map_err(|error| error.shifted(word.offset + name.len() + 1))?;
                self.explicit.push((name.to_owned(), template));
            }
            None => {
                self.keys.extend(word.text.split(',').map(glob));
                self.rekeyed = self.keys.last().cloned();
            }
        }
        Ok(())
    }

    /// The pairs of a message, sorted by name.
    pub(super) fn collect(&self, batch: &Batch, index: usize, renderer: &mut Renderer) -> Found {
        let mut found = BTreeMap::new();
        self.collect_values(batch, index, &mut found);
        self.collect_macros(batch, index, renderer, &mut found);
        let mut renamed = BTreeMap::new();
        for (name, entry) in found {
            if !self.excluded.iter().any(|glob| glob.is_match(&name)) {
                renamed.insert(self.renamed(name), entry);
            }
        }
        for (name, template) in &self.explicit {
            let mut value = Vec::new();
            let kind = template.render_typed(batch, index, renderer, &mut value);
            let literal = template.hint() == Some(super::TypeHint::Literal);
            let untyped = !self.typed && template.hint().is_none();
            let kind = if untyped { ValueKind::String } else { kind };
            renamed.insert(self.renamed(name.as_bytes().to_vec()), Entry { value, kind, literal });
        }
        renamed.retain(|_, entry| {
            let bytes_left_out = entry.kind == ValueKind::Bytes && !self.include_bytes;
            !(bytes_left_out || self.omit_empty && entry.value.is_empty())
        });
        renamed
    }

    fn collect_values(&self, batch: &Batch, index: usize, found: &mut BTreeMap<Vec<u8>, Entry>) {
        let everything = self.scopes.contains(&Scope::Everything);
        let wants = |name: &[u8]| {
            let scope = match name {
                _ if name.starts_with(b".SDATA.") => &[Scope::Sdata, Scope::Rfc5424, Scope::SyslogProto][..],
                [b'.', ..] => &[Scope::DotNvPairs],
                [b'0'..=b'9', ..] => &[],
                _ => &[Scope::NvPairs],
            };
            everything && !scope.is_empty()
                || scope.iter().any(|scope| self.scopes.contains(scope))
                || self.keys.iter().any(|glob| glob.is_match(name))
        };
        let mut add = |name: &[u8], value: &[u8], kind: ValueKind| {
            if wants(name) {
                let entry = Entry { value: value.to_vec(), kind, literal: false };
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

    fn collect_macros(
        &self,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
        found: &mut BTreeMap<Vec<u8>, Entry>,
    ) {
        let everything =
            self.scopes.iter().any(|scope| matches!(scope, Scope::Everything | Scope::AllMacros));
        let core = everything
            || self.scopes.iter().any(|scope| {
                matches!(scope, Scope::Rfc3164 | Scope::Core | Scope::Rfc5424 | Scope::SyslogProto)
            });
        let five = everything
            || self.scopes.iter().any(|scope| matches!(scope, Scope::Rfc5424 | Scope::SyslogProto));
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
        let hidden = ["*", "MSGHDR", "STRUCTURED_DATA"];
        for name in macros::names().filter(|name| !hidden.contains(name)).chain(FIXED) {
            let wanted = everything && !matches!(name, "LEGACY_MSGHDR")
                || core && RFC3164.contains(&name)
                || five && matches!(name, "MSGID")
                || self.keys.iter().any(|glob| glob.is_match(name.as_bytes()));
            if !wanted {
                continue;
            }
            let mut value = Vec::new();
            let kind = match macros::resolve(name) {
                macros::Named::Macro(id) => macros::append(id, batch, index, renderer, &mut value),
                macros::Named::Field(field) => {
                    value.extend_from_slice(&batch.field(index, &field).unwrap_or_default());
                    ValueKind::String
                }
            };
            let absent = matches!(name, "MSGID" | "PID" | "PROGRAM") && value.is_empty();
            if !absent {
                found.insert(name.as_bytes().to_vec(), Entry { value, kind, literal: false });
            }
        }
        let message = batch.fixed(index, Field::Message);
        if self.keys.iter().any(|glob| glob.is_match(b"MSG") && !glob.text().contains(['*', '?'])) {
            let entry = Entry { value: message.to_vec(), kind: ValueKind::String, literal: false };
            found.insert(b"MSG".to_vec(), entry);
        }
    }

    fn renamed(&self, mut name: Vec<u8>) -> Vec<u8> {
        for (glob, changes) in &self.rekeys {
            if !glob.is_match(&name) {
                continue;
            }
            for change in changes {
                match change {
                    Rekey::Shift(count) => drop(name.drain(..(*count).min(name.len()))),
                    Rekey::ShiftLevels(levels) => {
                        let dots = memchr::memchr_iter(b'.', &name).nth(levels.saturating_sub(1));
                        // A leading dot opens a level of its own.
                        drop(name.drain(..dots.map_or(0, |dot| dot + 1)));
                    }
                    Rekey::AddPrefix(prefix) => drop(name.splice(0..0, prefix.bytes())),
                    Rekey::ReplacePrefix(from, to) => {
                        if name.starts_with(from.as_bytes()) {
                            name.splice(..from.len(), to.bytes());
                        }
                    }
                    Rekey::Lower => name.make_ascii_lowercase(),
                    Rekey::Upper => name.make_ascii_uppercase(),
                }
            }
        }
        name
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
