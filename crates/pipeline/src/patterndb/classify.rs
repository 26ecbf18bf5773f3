//! Classifies messages: `db-parser()`.
//!
//! In: a batch. Out: class, id of the rule, values and tags of each message; messages that rules made.
//! Values that are in the text unchanged become spans of it; constant texts are written once per batch.
//! Holds: the database, which may be replaced while messages are processed, and the state of its rules.
//! Limits: those of the tree and of the state.

use super::{
    Database, DbState,
    find::{Capture, Finder},
    intern::InternTable,
    rules::Event,
    tree::Tree,
};
use crate::{
    correlation::{Inject, MadeBatches},
    parser::{Input, Parser},
};
use message::{Batch, Field, Selection, Span, ValueKind};
use std::sync::{Arc, PoisonError, RwLock};
use template::Renderer;

const CLASS: &[u8] = b".classifier.class";
const RULE_ID: &[u8] = b".classifier.rule_id";
const UNKNOWN: &[u8] = b"unknown";
const UNKNOWN_TAG: &str = ".classifier.unknown";

/// Options of `db-parser()`.
#[derive(Clone, Debug)]
pub struct DbOptions {
    /// `program-template()`: the text to match with patterns of programs.
    pub program: Input,
    /// `message-template()`: the text to match with patterns of messages.
    pub message: Input,
    /// `drop-unmatched()`: stops what no rule matches.
    pub drop_unmatched: bool,
    /// `inject-mode()`.
    pub inject: Inject,
}

/// A parser that classifies.
pub struct DbParser {
    database: RwLock<Arc<Database>>,
    state: Arc<DbState>,
    options: DbOptions,
}

impl DbParser {
    /// Makes a parser with a database and the state of its rules, which may be that of an earlier parser.
    pub fn new(database: Arc<Database>, state: Arc<DbState>, options: DbOptions) -> DbParser {
        DbParser { database: RwLock::new(database), state, options }
    }

    /// Switches to another database. Contexts continue, each with its own rule.
    pub fn replace(&self, database: Arc<Database>) {
        *self.database.write().unwrap_or_else(PoisonError::into_inner) = database;
    }

    /// Returns the state of its rules.
    pub fn state(&self) -> &Arc<DbState> {
        &self.state
    }

    /// Returns the destination of made messages.
    pub(super) fn inject(&self) -> &Inject {
        &self.options.inject
    }

    fn database(&self) -> Arc<Database> {
        self.database.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The state of classifying one batch.
struct Classifier<'a> {
    database: &'a Arc<Database>,
    received: Arc<Vec<u8>>,
    interned: InternTable,
    finder: Finder,
    copy: Vec<u8>,
}

impl Parser for DbParser {
    fn parse(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
        self.parse_making(batch, within, renderer, &mut Vec::new())
    }

    fn parse_making(
        &self,
        batch: &mut Batch,
        within: &Selection,
        renderer: &mut Renderer,
        made: &mut Vec<Batch>,
    ) -> Selection {
        let database = self.database();
        let mut made = MadeBatches::new(made, &self.options.inject);
        let mut classifier = Classifier {
            database: &database,
            received: batch.received_bytes.clone(),
            interned: InternTable::new(),
            finder: Finder::default(),
            copy: Vec::new(),
        };
        let mut matched = within.clone();
        for index in within.iter() {
            let rule = match database.has_rulesets {
                true => classifier.classify(batch, index, renderer, &self.options),
                false => None,
            };
            if database.correlates {
                self.state.follow(batch, index, renderer, &mut made);
            }
            match rule {
                Some(rule) => {
                    let event = Event { database: &database, rule: rule as usize, batch, index };
                    self.state.apply(event, renderer, &mut made, &mut classifier.interned);
                }
                None if self.options.drop_unmatched => matched.remove(index),
                None => {}
            }
        }
        made.finish();
        match self.options.inject {
            Inject::AggregateOnly => Selection::none(within.batch_len()),
            Inject::PassThrough | Inject::Internal(_) => matched,
        }
    }

    fn consumes(&self) -> bool {
        matches!(self.options.inject, Inject::AggregateOnly)
    }

    fn is_timed(&self) -> bool {
        true
    }

    fn tick(&self, renderer: &mut Renderer, made: &mut Vec<Batch>) {
        let mut made = MadeBatches::new(made, &self.options.inject);
        self.state.tick(renderer, &mut made);
        made.finish();
    }
}

impl Classifier<'_> {
    /// Finds the rule of a message. Sets class, rule id and the values that parsers of patterns found.
    fn classify(
        &mut self,
        batch: &mut Batch,
        index: usize,
        renderer: &mut Renderer,
        options: &DbOptions,
    ) -> Option<u32> {
        let database = self.database.clone();
        let program = options.program.span(batch, index, renderer);
        let rules = self.find(&database.programs, batch, program)?;
        self.keep(&database.programs, batch, index, program);
        let tree = database.rules_of.get(rules as usize)?;
        let text = options.message.span(batch, index, renderer);
        let Some(number) = self.find(tree, batch, text) else {
            self.set(batch, index, CLASS, UNKNOWN);
            let tag = self.interned.span(batch, UNKNOWN_TAG.as_bytes());
            batch.push_value(index, tag, Span::EMPTY, ValueKind::Tag);
            return None;
        };
        let rule = database.rules.get(number as usize)?;
        self.set(batch, index, CLASS, rule.class().as_bytes());
        self.set(batch, index, RULE_ID, rule.id.as_bytes());
        if batch.has_tag(index, UNKNOWN_TAG) {
            batch.clear_tag(index, UNKNOWN_TAG);
        }
        self.keep(tree, batch, index, text);
        Some(number)
    }

    fn find(&mut self, tree: &Tree, batch: &Batch, place: Span) -> Option<u32> {
        let text: &[u8] = if place.is_extra() {
            self.copy.clear();
            self.copy.extend_from_slice(batch.bytes(place));
            &self.copy
        } else {
            self.received.get(place.start()..place.start() + place.len()).unwrap_or_default()
        };
        self.finder.find(tree, text)
    }

    /// Sets the values that the last search found in a text on a message.
    fn keep(&mut self, tree: &Tree, batch: &mut Batch, index: usize, text: Span) {
        let Classifier { finder, interned, .. } = self;
        for Capture { node, from, to } in finder.captures.iter().copied() {
            let Some(scanner) = tree.nodes[node as usize].parser.as_deref() else { continue };
            let value = text.part(from, to);
            match Field::from_name(scanner.name.as_bytes()) {
                Some(field) => batch.set_fixed(index, field, value),
                None => {
                    let name = interned.span(batch, scanner.name.as_bytes());
                    batch.push_value(index, name, value, scanner.kind);
                }
            }
        }
    }

    #[inline]
    fn set(&mut self, batch: &mut Batch, index: usize, name: &'static [u8], value: &[u8]) {
        let name = self.interned.span(batch, name);
        let value = self.interned.span(batch, value);
        batch.push_value(index, name, value, ValueKind::String);
    }
}
