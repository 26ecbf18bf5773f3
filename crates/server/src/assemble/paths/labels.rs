//! Labels of paths and steps, for tools that trace messages.
//!
//! In: positions in the configuration. Out: [`Label`]s; none without such a tool.
//! Limits: words are cut at [`WORDS_MAX`] characters.

use crate::assemble::lowering::Lowering;
use config::Span;
use config::tree::{Call, Condition, Filter as Expression, FilterLeaf, Item, Kind, LogFlag, Path as LogPath};
use pipeline::{
    filter::Anatomy,
    route::{Channel, Label, Step},
};
use std::sync::Arc;

/// Longest text of a label: a whole rule fits, a whole table does not.
const WORDS_MAX: usize = 160;

impl<'t> Lowering<'t> {
    /// Makes a label; none if no tool will watch.
    pub(crate) fn label(&self, what: impl FnOnce(&Self) -> String, span: Span) -> Option<Box<Label>> {
        if !self.environment.labels {
            return None;
        }
        let place = self.tree.texts.location(span);
        let place = format!("{}:{}:{}", place.name, place.line, place.column);
        Some(Box::new(Label { what: what(self), place, test: None }))
    }

    /// Returns the text at a position, on one line.
    pub(crate) fn words(&self, span: Span) -> String {
        let words = self.tree.texts.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
        match words.char_indices().nth(WORDS_MAX) {
            Some((end, _)) => format!("{}...", &words[..end]),
            None => words,
        }
    }

    /// Makes the label of `log`, with its name and flags.
    pub(crate) fn path_label(&self, word: &str, path: &LogPath) -> Option<Box<Label>> {
        let what = |_: &Self| {
            let mut what = word.to_owned();
            if let Some(name) = &path.name {
                what = format!("{what} {}", name.text);
            }
            let word = |flag: LogFlag| LogFlag::ALL.iter().find(|(_, known)| *known == flag);
            let flags: Vec<&str> =
                path.flags.iter().filter_map(|flag| word(flag.flag)).map(|(word, _)| *word).collect();
            if flags.is_empty() { what } else { format!("{what}, flags({})", flags.join(" ")) }
        };
        self.label(what, path.span)
    }

    /// Makes the label of a filter step.
    pub(crate) fn filter_label(&mut self, filter: &Expression) -> Option<Step> {
        let what = |lowering: &Self| match filter {
            Expression::Leaf(FilterLeaf::Named(name), _) => format!("filter({})", name.text),
            filter => format!("filter {}", lowering.words(filter.span())),
        };
        let mut label = self.label(what, filter.span())?;
        label.test = self.anatomy(filter);
        Some(Step::Label(label))
    }

    /// Makes the label of a driver, parser or rewrite of an object.
    pub(crate) fn call_label(&mut self, kind: Kind, name: &str, call: &Call) -> Option<Step> {
        let what = |lowering: &Self| {
            let words = lowering.words(call.span);
            match name.starts_with("anon-") {
                true => format!("{} {words}", kind.word()),
                false => format!("{} {name}: {words}", kind.word()),
            }
        };
        let mut label = self.label(what, call.span)?;
        if let Some(config::tree::Arg::Filter(filter)) =
            call.option("condition").filter(|_| kind == Kind::Rewrite).and_then(|option| option.args.first())
        {
            label.test = self.anatomy(filter);
        }
        Some(Step::Label(label))
    }

    /// Makes the label of a driver of a destination: `d_file#1` is its second one.
    pub(crate) fn driver_label(&mut self, name: &str, id: &str, items: &[Item]) -> Option<Step> {
        let index: usize = id.rsplit_once('#')?.1.parse().ok()?;
        let mut calls = items.iter().filter_map(|item| match item {
            Item::Call(call) => Some(call),
            Item::Step(_) => None,
        });
        self.call_label(Kind::Destination, name, calls.nth(index)?)
    }

    /// Labels the branches of an `if`.
    pub(crate) fn condition_labels(&mut self, condition: &Condition, branches: &mut [Channel]) {
        for (index, (arm, branch)) in condition.arms.iter().zip(branches).enumerate() {
            let word = if index == 0 { "if" } else { "elif" };
            let (span, test) = match &arm.test {
                Some(test) => (test.span(), self.words(test.span())),
                None => (arm.path.span, String::new()),
            };
            let what = if test.is_empty() { word.to_owned() } else { format!("{word} ({test})") };
            branch.label = self.label(|_| what, span);
            if let (Some(label), Some(test)) = (&mut branch.label, &arm.test) {
                label.test = self.anatomy(test);
            }
        }
    }

    /// Splits a filter into its parts, each compiled by itself.
    fn anatomy(&mut self, filter: &Expression) -> Option<Anatomy> {
        Some(match filter {
            Expression::And(parts, _) => Anatomy::All(self.anatomies(parts)?),
            Expression::Or(parts, _) => Anatomy::Any(self.anatomies(parts)?),
            Expression::Not(part, _) => Anatomy::Not(Box::new(self.anatomy(part)?)),
            Expression::Leaf(FilterLeaf::Named(name), _) => {
                Anatomy::Named { name: name.text.clone(), inside: self.named_anatomy(&name.text)? }
            }
            Expression::Leaf(_, span) => {
                Anatomy::Test { text: self.words(*span), filter: self.unnamed_filter(filter)? }
            }
        })
    }

    fn anatomies(&mut self, filters: &[Expression]) -> Option<Vec<Anatomy>> {
        filters.iter().map(|filter| self.anatomy(filter)).collect()
    }

    /// Splits a named filter. Filters that use themselves were refused before, so this ends.
    fn named_anatomy(&mut self, name: &str) -> Option<Arc<Anatomy>> {
        if let Some(anatomy) = self.anatomies.get(name) {
            return Some(anatomy.clone());
        }
        let named = *self.filter_statements.get(name)?;
        let anatomy = Arc::new(self.anatomy(&named.filter)?);
        self.anatomies.insert(name.to_owned(), anatomy.clone());
        Some(anatomy)
    }
}
