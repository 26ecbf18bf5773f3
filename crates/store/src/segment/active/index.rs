//! The word index of an active segment: a flat list of (message, token) pairs and templates.
//!
//! In: texts and values, message by message. Out: the terms; which documents have a set of them, by linear scan.
//! A frequent token is not in the list: a message's sequence of frequent tokens is its template, of which there are
//! few, and only the template's number is kept. Holds: 4 bytes a pair, about 45 a message.
//! Texts are taken apart one after the other and their tokens looked up some texts later: until then the slots have
//! come from memory. Whoever reads sees to it that nothing waits, see [`Index::post`].
//! Limits: 2^32 pairs and 65,534 frequent tokens; the builder stops before.

use super::{frequent::Frequent, pages, room::Room, templates::Templates, terms::Terms};
use crate::tokens::{Hash, Seed, Token, Tokenizer};
use std::sync::Arc;

/// Texts that wait to be looked up together. More would push each other's slots out of the nearest cache.
const TEXTS: usize = 8;

/// A text or value whose tokens are to be looked up.
#[derive(Default)]
struct Waiting {
    tokenizer: Tokenizer,
    tokens: Vec<(Token, Hash)>,
    document: u32,
    /// Whether it is the last of its document.
    is_last: bool,
}

/// The index being built.
pub(crate) struct Index {
    seed: Seed,
    frequent: Arc<Frequent>,
    pub(crate) terms: Terms,
    pub(crate) templates: Templates,
    /// Ids of the terms of each document, document after document.
    pub(crate) flat: Vec<u32>,
    /// Where each document's ids end in `flat`.
    pub(crate) ends: Vec<u32>,
    /// Template of each document.
    pub(crate) template_of: Vec<u32>,
    waiting: [Waiting; TEXTS],
    waiting_count: usize,
    sequence: Vec<u16>,
}

impl Index {
    /// An empty index that folds these tokens into templates.
    pub(crate) fn new(frequent: Arc<Frequent>, room: &Room) -> Index {
        Index {
            seed: Seed::of_process(),
            frequent,
            terms: Terms::with_room(room.terms, room.term_bytes),
            templates: Templates::new(),
            flat: pages::with_room(room.pairs),
            ends: pages::with_room(room.documents),
            template_of: pages::with_room(room.documents),
            waiting: Default::default(),
            waiting_count: 0,
            sequence: Vec::new(),
        }
    }

    /// The tokens that templates are made of.
    pub(crate) fn frequent(&self) -> &Arc<Frequent> {
        &self.frequent
    }

    /// Adds the tokens of the next document's text and ends the document.
    /// Its other values must have been added before.
    pub(crate) fn add_text(&mut self, text: &[u8]) {
        let Waiting { tokenizer, tokens, document, is_last } = &mut self.waiting[self.waiting_count];
        (*document, *is_last) = (self.template_of.len() as u32, true);
        tokenizer.read(text);
        self.sequence.clear();
        let mut gap = false;
        for token in tokenizer.tokens() {
            let hash = tokenizer.hash(token, self.seed);
            if let Some(number) = self.frequent.number(tokenizer.bytes(token), hash) {
                if gap {
                    self.sequence.push(Templates::GAP);
                    gap = false;
                }
                self.sequence.push(number);
                continue;
            }
            gap = true;
            self.terms.prefetch(hash);
            tokens.push((token, hash));
        }
        self.template_of.push(self.templates.intern(&self.sequence));
        self.end_waiting();
    }

    /// Adds the tokens of a value of the next document.
    pub(crate) fn add_value(&mut self, value: &[u8]) {
        let Waiting { tokenizer, tokens, document, is_last } = &mut self.waiting[self.waiting_count];
        (*document, *is_last) = (self.template_of.len() as u32, false);
        tokenizer.read(value);
        for token in tokenizer.tokens() {
            let hash = tokenizer.hash(token, self.seed);
            self.terms.prefetch(hash);
            tokens.push((token, hash));
        }
        self.end_waiting();
    }

    fn end_waiting(&mut self) {
        self.waiting_count += 1;
        if self.waiting_count == TEXTS {
            self.post();
        }
    }

    /// Looks up the tokens that wait.
    pub(crate) fn post(&mut self) {
        for Waiting { tokenizer, tokens, document, is_last } in &mut self.waiting[..self.waiting_count] {
            for (token, hash) in tokens.drain(..) {
                if let Some(id) = self.terms.hit(tokenizer.bytes(token), hash, *document) {
                    self.flat.push(id);
                }
            }
            if *is_last {
                self.ends.push(self.flat.len() as u32);
            }
        }
        self.waiting_count = 0;
    }

    /// Ids of the terms of a range of documents: where they begin in `flat`.
    pub(crate) fn start(&self, document: u32) -> usize {
        document.checked_sub(1).map_or(0, |before| self.ends[before as usize] as usize)
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        for numbers in [&mut self.flat, &mut self.ends, &mut self.template_of] {
            pages::give_back(std::mem::take(numbers));
        }
    }
}
