//! `value-pairs()` and similar options: the selection of names and values of a message, and their new names.
//!
//! In: a call with `scope()`, `key()`, `exclude()`, `pair()`, `rekey()`. Out: the selection.
//! Limits: an option that cannot be read is an error with its position.

use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::Diagnostic;
use config::tree::{Arg, Call};
use template::{Rekey, ValuePairs};

/// Names of the changes of `rekey()`.
const CHANGES: &str = "shift, shift-levels, add-prefix, replace-prefix, lower, upper";

/// Options of `value-pairs()`.
const OPTIONS: [&str; 8] =
    ["scope", "key", "exclude", "rekey", "pair", "omit-empty-values", "cast", "include-bytes"];
/// The scopes of `value-pairs()` of destinations unless it is set.
const SCOPES: [&str; 3] = ["selected-macros", "nv-pairs", "sdata"];

impl<'t> Lowering<'t> {
    /// Returns the selection of `value-pairs()` of a destination, or the usual one.
    pub(crate) fn selected_pairs(&mut self, options: &Options<'t>) -> Option<ValuePairs> {
        if let Some(option) = options.own("value-pairs") {
            return self.value_pairs(option);
        }
        let mut pairs = ValuePairs::new(self.definitions.version);
        for scope in SCOPES {
            pairs.scope(scope);
        }
        Some(pairs)
    }

    /// Returns the selection that a call describes.
    pub(crate) fn value_pairs(&mut self, call: &'t Call) -> Option<ValuePairs> {
        let mut pairs = ValuePairs::new(self.definitions.version);
        let mut complete = true;
        for option in call.options() {
            complete &= self.pairs_option(option, &mut pairs).is_some();
        }
        complete.then_some(pairs)
    }

    /// Returns the selection that a call describes, in which `NAME("template")` is a pair as well.
    pub(crate) fn pairs_and_names(&mut self, call: &'t Call) -> Option<ValuePairs> {
        let mut pairs = ValuePairs::new(self.definitions.version);
        for option in call.options() {
            match (OPTIONS.contains(&option.key().as_str()), option.args.as_slice()) {
                (true, _) => self.pairs_option(option, &mut pairs)?,
                (false, [value]) => {
                    let template = self.template_argument(value)?;
                    pairs.pair(&option.name.text, template);
                }
                (false, _) => return self.refuse_option(option, "needs a template"),
            }
        }
        Some(pairs)
    }

    fn pairs_option(&mut self, option: &'t Call, pairs: &mut ValuePairs) -> Option<()> {
        let is_on = |option: &Call| option.args.is_empty() || option.truth() == Some(true);
        match option.key().as_str() {
            "scope" => {
                for arg in option.plain() {
                    for scope in arg.text()?.split([',', ' ']).filter(|scope| !scope.is_empty()) {
                        if !pairs.scope(scope) {
                            let known: Vec<&str> = ValuePairs::scopes().collect();
                            let message = format!("unknown scope `{scope}`");
                            let help = format!("one of {}", known.join(", "));
                            self.report.push(Diagnostic::error(arg.span(), message).help(help));
                            return None;
                        }
                    }
                }
            }
            "exclude" => option.texts().iter().for_each(|glob| pairs.exclude(glob)),
            "key" => {
                let changes = self.rekey_of(option)?;
                option.texts().iter().for_each(|glob| pairs.key(glob, changes.clone()));
            }
            "rekey" => {
                let changes = self.changes(option)?;
                option.texts().iter().for_each(|glob| pairs.rekey(glob, changes.clone()));
            }
            "pair" => {
                let ([name, value], Some(text)) = (option.args.as_slice(), option.text()) else {
                    return self.refuse_option(option, "needs a name and a template");
                };
                debug_assert_eq!(name.text(), Some(text));
                let template = self.template_argument(value)?;
                pairs.pair(text, template);
            }
            "omit-empty-values" if is_on(option) => pairs.omit_empty(),
            "cast" if is_on(option) => pairs.cast_to_strings(),
            "include-bytes" if is_on(option) => pairs.include_bytes(),
            _ => {}
        }
        Some(())
    }

    /// Returns the changes of `rekey()` inside `key()`.
    fn rekey_of(&mut self, key: &'t Call) -> Option<Vec<Rekey>> {
        let mut changes = Vec::new();
        for option in key.options() {
            if option.key() != "rekey" {
                return self.refuse_option(option, "is not known here; rekey() is");
            }
            changes.extend(self.changes(option)?);
        }
        Some(changes)
    }

    fn changes(&mut self, rekey: &'t Call) -> Option<Vec<Rekey>> {
        rekey.options().map(|option| self.change(option)).collect()
    }

    fn change(&mut self, option: &'t Call) -> Option<Rekey> {
        let count = option.number().and_then(|count| usize::try_from(count).ok());
        let texts: Vec<&str> = option.args.iter().filter_map(Arg::text).collect();
        let change = match (option.key().as_str(), count, texts.as_slice()) {
            ("shift", Some(count), _) => Rekey::Shift(count),
            ("shift-levels", Some(levels), _) => Rekey::ShiftLevels(levels),
            ("add-prefix", _, [prefix]) => Rekey::AddPrefix((*prefix).to_owned()),
            ("replace-prefix" | "replace", _, [old, new]) => {
                Rekey::ReplacePrefix((*old).to_owned(), (*new).to_owned())
            }
            ("lower", ..) => Rekey::Lower,
            ("upper", ..) => Rekey::Upper,
            _ => {
                return self
                    .refuse_option(option, &format!("cannot be used so; changes of names are {CHANGES}"));
            }
        };
        Some(change)
    }

    fn refuse_option<T>(&mut self, option: &Call, what: &str) -> Option<T> {
        let message = format!("`{}()` {what}", option.name.text);
        self.report.push(Diagnostic::error(option.span, message));
        None
    }
}
