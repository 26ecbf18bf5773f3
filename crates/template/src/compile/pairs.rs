//! Value pairs as the words of a template function say them.
//!
//! In: `--scope`, `--key`, `--exclude`, `--pair`, `--rekey` and so on, names, `name=template`. Out: the selection.
//! Holds nothing. Limits: none of its own.

use super::{arguments::Word, error::TemplateError};
use crate::template::{Choice, KeyDelimiter, Rekey, Surroundings, Template, ValuePairs, glob};
use std::sync::Arc;

/// Names of the options.
const OPTIONS: [&str; 26] = [
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
    "key-delimiter",
];

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

impl ValuePairs {
    /// Reads options, names and `name=template` pairs.
    pub(super) fn parse(
        words: &[Word],
        around: &dyn Surroundings,
        depth: usize,
    ) -> Result<ValuePairs, TemplateError> {
        let mut pairs = ValuePairs { version: around.version(), ..ValuePairs::default() };
        pairs.cast_to_strings = !pairs.version.is_typed();
        let words = joined(words);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.text.strip_prefix("--") {
                Some(option) => pairs.option(option, word, &mut words, around, depth)?,
                None => pairs.pair_of(word, around, depth)?,
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
            "no-cast" | "auto-cast" => self.cast_to_strings = !self.version.is_typed(),
            "include-bytes" => self.include_bytes = true,
            "leave-initial-dot" => self.leave_dot = true,
            "lower" => self.change(word, Rekey::Lower)?,
            "upper" => self.change(word, Rekey::Upper)?,
            _ if !OPTIONS.contains(&name) => {
                return Err(TemplateError::unknown(word.offset, "option", name, OPTIONS.into_iter()));
            }
            _ => {
                let Some(value) = inline.or_else(|| words.next().map(|word| word.text.clone())) else {
                    return Err(TemplateError::at(word.offset, format!("missing argument for --{name}")));
                };
                if matches!(name, "pair" | "p") {
                    return self.pair_of(&Word { text: value, ..word.clone() }, around, depth);
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
                    if !self.scope(scope) {
                        let known = ValuePairs::scopes();
                        return Err(TemplateError::unknown(word.offset, "scope", scope, known));
                    }
                }
            }
            "key" | "k" => self.globs(&value, Choice::Wanted),
            "exclude" | "x" => self.globs(&value, Choice::LeftOut),
            "rekey" | "r" => self.rekeyed = Some(glob(&value)),
            "shift" | "S" | "shift-levels" | "L" => {
                let Ok(count) = value.parse() else { return wrong(format!("{value} is not a count")) };
                let levels = matches!(name, "shift-levels" | "L");
                self.change(word, if levels { Rekey::ShiftLevels(count) } else { Rekey::Shift(count) })?;
            }
            "add-prefix" | "A" => self.change(word, Rekey::AddPrefix(value))?,
            "key-delimiter" => {
                let [delimiter] = *value.as_bytes() else {
                    return wrong(format!("--key-delimiter needs one character, not `{value}`"));
                };
                self.key_delimiter = KeyDelimiter(delimiter);
            }
            "replace-prefix" | "replace" | "R" => {
                let Some((from, to)) = value.split_once('=') else {
                    return wrong(format!("--{name} needs OLD=NEW"));
                };
                self.change(word, Rekey::ReplacePrefix(from.to_owned(), to.to_owned()))?;
            }
            _ if value.is_empty() => return wrong("--subkeys requires a non-empty argument".to_owned()),
            _ => {
                let below = glob(&format!("{value}*"));
                self.globs.push((below.clone(), Choice::Wanted));
                self.rekeys.push((below, vec![Rekey::ReplacePrefix(value, String::new())]));
            }
        }
        Ok(())
    }

    /// Adds globs; later changes of names apply to the names of the last included one.
    fn globs(&mut self, texts: &str, choice: Choice) {
        for text in texts.split(',') {
            let glob = glob(text);
            if choice == Choice::Wanted {
                self.rekeyed = Some(glob.clone());
            }
            self.globs.push((glob, choice));
        }
    }

    /// Adds a change of the names that the last `--rekey` or `--key` selects.
    fn change(&mut self, word: &Word, change: Rekey) -> Result<(), TemplateError> {
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
    fn pair_of(&mut self, word: &Word, around: &dyn Surroundings, depth: usize) -> Result<(), TemplateError> {
        match word.text.split_once('=') {
            Some((name, text)) => {
                let template = Template::maybe_hinted(text, around, depth);
                let template = template.map_err(|error| error.shifted(word.offset + name.len() + 1))?;
                self.explicit.push((name.to_owned(), template));
            }
            None => self.globs(&word.text, Choice::Wanted),
        }
        Ok(())
    }
}
