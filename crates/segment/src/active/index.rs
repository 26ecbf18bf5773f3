//! The word index of an active segment: a flat list of (message, token) pairs and templates.
//!
//! In: texts and values, message by message. Out: the terms; the documents with any of a set of them, by linear scan.
//! A frequent token is not in the list: a message's sequence of frequent tokens is its template, of which there are
//! few, and only the template's number is stored. Holds: 8 bytes per pair, including the frequent neighbours of its
//! token, and about 65 per message.
//! Texts are tokenized one after the other and their tokens looked up some texts later, when the slots have been
//! loaded from memory. A reader makes sure that nothing waits, see [`Index::post`].
//! Limits: 2^32 pairs and 65,534 frequent tokens; the builder stops before.

use super::{capacity_hint::CapacityHint, terms::Terms};
use crate::terms::adjacency::{Adjacency, Layout};
use crate::{
    memory::{self, Item, Spares},
    terms::{
        frequent::Frequent,
        templates::{Sequence, Templates},
    },
};
use lookup::tokens::{Hash, Seed, Token, Tokenizer};
use std::sync::Arc;

/// Texts that wait to be looked up together. More would evict each other's slots from the L1 cache.
const TEXTS: usize = 8;

/// A text or value whose tokens are to be looked up.
#[derive(Default)]
struct Waiting {
    tokenizer: Tokenizer,
    /// Tokens to look up, of which only the first `count` are valid.
    tokens: Vec<(Token, Hash)>,
    count: usize,
    /// The frequent words beside each of them.
    adjacency: Vec<Adjacency>,
    document: u32,
    /// The frequent tokens, when this is the text of its document, which it completes.
    sequence: Option<Sequence>,
    /// Positions of the other tokens of the text between them.
    layout: Layout,
}

impl Waiting {
    /// Takes all tokens to be looked up.
    fn take_all(&mut self, seed: Seed) {
        let Waiting { tokenizer, tokens, count, .. } = self;
        tokens.clear();
        tokens.extend(tokenizer.tokens().map(|token| (token, tokenizer.hash(token, seed))));
        *count = tokens.len();
    }

    /// Leaves only the tokens that are not frequent; the numbers of the others are appended, with marks for gaps.
    /// It cannot be predicted whether a token is frequent: so each is written to both lists, and only their lengths
    /// depend on it. Then the processor looks up several at once. The neighbours of a token are written one token
    /// later.
    fn split(&mut self, frequent: &Frequent, numbers: &mut Vec<u16>) {
        let Waiting { tokenizer, tokens, count, adjacency, layout, .. } = self;
        let start = numbers.len();
        // One mark and one number per token.
        numbers.resize(start + *count * 2, 0);
        adjacency.resize(*count + 1, Adjacency::IN_VALUE);
        let (mut others, mut known, mut gap, mut inner) = (0, 0, 0, 0);
        // The position of the previous token, its number, and that of the one before it.
        let (mut position, mut before, mut left) = (0, Frequent::NONE, Frequent::NONE);
        let list = &mut numbers[start..];
        for index in 0..*count {
            let (token, hash) = tokens[index];
            let number = frequent.number_or_none(tokenizer.bytes(token), hash);
            let is_frequent = usize::from(number != Frequent::NONE);
            adjacency[position] = Adjacency::new(left, number);
            (position, left, before) = (others, before, number);
            tokens[others] = (token, hash);
            others += 1 - is_frequent;
            list[known] = Templates::GAP;
            known += gap & is_frequent;
            list[known] = number;
            known += is_frequent;
            gap = 1 - is_frequent;
            inner = if is_frequent > 0 { others } else { inner };
        }
        adjacency[position] = Adjacency::new(left, Frequent::NONE);
        let gaps = known - (*count - others);
        *layout = Layout::new(inner, gaps, others - inner);
        *count = others;
        numbers.truncate(start + known);
    }
}

/// A term that its document had before.
#[derive(Clone, Copy)]
pub(crate) struct Again {
    pub(crate) term: u32,
    pub(crate) adjacency: Adjacency,
}

impl Item for Again {
    fn spares() -> &'static Spares<Again> {
        static SPARES: Spares<Again> = Spares::new();
        &SPARES
    }
}

/// The index being built.
pub(crate) struct Index {
    seed: Seed,
    frequent: Arc<Frequent>,
    pub(crate) terms: Terms,
    pub(crate) templates: Templates,
    /// Ids of the terms of each document, document by document.
    pub(crate) flat: Vec<u32>,
    /// The frequent words next to the first occurrence of each of these in its document.
    pub(crate) adjacency: Vec<Adjacency>,
    /// Terms that occurred in their document before, next to other words.
    pub(crate) again: Vec<Again>,
    /// End of each document's ids in `flat`.
    pub(crate) ends: Vec<u32>,
    /// Template of each document.
    pub(crate) template_of: Vec<u32>,
    /// True when the next document had tokens in name-value pairs.
    has_values: bool,
    waiting: [Waiting; TEXTS],
    waiting_count: usize,
    /// Completed documents, including those that wait.
    documents: u32,
    /// Numbers of the frequent tokens of the texts that wait.
    numbers: Vec<u16>,
}

impl Index {
    /// An empty index that folds these tokens into templates.
    pub(crate) fn new(frequent: Arc<Frequent>, capacity: &CapacityHint) -> Index {
        Index {
            seed: Seed::of_process(),
            frequent,
            terms: Terms::with_capacity(capacity.terms, capacity.term_bytes),
            templates: Templates::new(),
            flat: memory::with_capacity(capacity.pairs),
            adjacency: memory::with_capacity(capacity.pairs),
            again: memory::with_capacity(capacity.pairs_again),
            ends: memory::with_capacity(capacity.documents),
            template_of: memory::with_capacity(capacity.documents),
            has_values: false,
            waiting: Default::default(),
            waiting_count: 0,
            documents: 0,
            numbers: Vec::new(),
        }
    }

    /// The tokens that templates are made of.
    pub(crate) fn frequent(&self) -> &Arc<Frequent> {
        &self.frequent
    }

    /// Adds the tokens of the next document's text and ends the document.
    /// Its other values must have been added before.
    pub(crate) fn add_text(&mut self, text: &[u8]) {
        let waiting = &mut self.waiting[self.waiting_count];
        waiting.document = self.documents;
        waiting.tokenizer.read(text);
        waiting.take_all(self.seed);
        let start = self.numbers.len();
        waiting.split(&self.frequent, &mut self.numbers);
        let sequence = self.templates.sequence_of(&self.numbers, start);
        self.templates.prefetch(&sequence);
        waiting.sequence = Some(sequence);
        self.documents += 1;
        self.end_waiting();
    }

    /// Adds the tokens of a value of the next document.
    pub(crate) fn add_value(&mut self, value: &[u8]) {
        let waiting = &mut self.waiting[self.waiting_count];
        waiting.document = self.documents;
        waiting.sequence = None;
        waiting.tokenizer.read(value);
        waiting.take_all(self.seed);
        waiting.adjacency.clear();
        waiting.adjacency.resize(waiting.count, Adjacency::IN_VALUE);
        self.end_waiting();
    }

    fn end_waiting(&mut self) {
        let Waiting { tokens, count, .. } = &self.waiting[self.waiting_count];
        tokens[..*count].iter().for_each(|(_, hash)| self.terms.prefetch(*hash));
        self.waiting_count += 1;
        if self.waiting_count == TEXTS {
            self.post();
        }
    }

    /// Looks up the waiting tokens.
    pub(crate) fn post(&mut self) {
        let waiting = &self.waiting[..self.waiting_count];
        waiting.iter().flat_map(|one| &one.sequence).for_each(|one| self.templates.prefetch_known(one));
        for Waiting { tokenizer, tokens, count, adjacency, document, sequence, layout } in waiting {
            for ((token, hash), adjacency) in tokens[..*count].iter().zip(adjacency) {
                let (term, is_new) = self.terms.hit(tokenizer.bytes(*token), *hash, *document);
                if is_new {
                    self.flat.push(term);
                    self.adjacency.push(*adjacency);
                } else {
                    self.again.push(Again { term, adjacency: *adjacency });
                }
            }
            if let Some(sequence) = sequence {
                let has_values = std::mem::take(&mut self.has_values);
                let layout = if has_values { layout.with_values() } else { *layout };
                self.template_of.push(self.templates.intern(sequence, &self.numbers, layout));
                self.ends.push(self.flat.len() as u32);
            } else {
                self.has_values = true;
            }
        }
        self.waiting_count = 0;
        self.numbers.clear();
    }

    /// Bytes of memory in use.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.terms.memory_bytes()
            + self.templates.memory_bytes()
            + size_of_val(self.flat.as_slice())
            + size_of_val(self.adjacency.as_slice())
            + size_of_val(self.again.as_slice())
            + size_of_val(self.ends.as_slice())
            + size_of_val(self.template_of.as_slice())
    }

    /// Returns where the ids of a document's terms begin in `flat`.
    pub(crate) fn start(&self, document: u32) -> usize {
        document.checked_sub(1).map_or(0, |before| self.ends[before as usize] as usize)
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        for numbers in [&mut self.flat, &mut self.ends, &mut self.template_of] {
            memory::recycle(std::mem::take(numbers));
        }
        memory::recycle(std::mem::take(&mut self.adjacency));
        memory::recycle(std::mem::take(&mut self.again));
    }
}
