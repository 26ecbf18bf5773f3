//! Writes words to disk: terms sorted, their documents gathered and packed, templates.
//!
//! In: the index of a builder. Out: dictionary, postings, templates. Holds: the flat list in term order while it works.
//! Limits: 2^32 pairs.

use super::adjacency;
use crate::{
    active::{Index, Terms},
    format::{dictionary, postings, put_bytes, put_varint},
    memory::{Item, Spares, filled, prefetch, recycle, with_capacity},
    terms::{char_filters, templates::Templates},
};
use std::collections::HashMap;

/// Level of compression of the templates' sequences.
const LEVEL: i32 = 3;

/// The sections of words.
#[derive(Default)]
pub(super) struct Words {
    /// The dictionary's pieces.
    pub(super) dictionary: [Vec<u8>; 4],
    pub(super) postings: Vec<u8>,
    pub(super) templates: Vec<u8>,
    pub(super) filters: Vec<u8>,
    pub(super) adjacency: Vec<u8>,
}

impl Drop for Words {
    fn drop(&mut self) {
        recycle(std::mem::take(&mut self.postings));
        self.dictionary.iter_mut().for_each(|piece| recycle(std::mem::take(piece)));
    }
}

/// Reserved bytes for a pair of a term and a document, and for a term: rather too many, which costs nothing.
const PAIR_BYTES: usize = 2;
const TERM_BYTES: usize = 16;

/// All terms in order. A number below the number of terms is a term's id; others are frequent tokens that are not
/// terms, numbered after the terms.
struct Sorted {
    order: Vec<u32>,
    /// Frequent tokens that are terms as well, by the term's id: name-value pairs have them.
    both: HashMap<u32, u16>,
}

/// Encodes the words of `length` documents.
pub(super) fn encode(index: &Index, length: u32) -> Words {
    let mut words = Words::default();
    let counts = index.terms.documents();
    let templates_of = templates_of(index);
    let Sorted { order, both } = sorted(index);
    let flat = gather(index, &order, &counts);
    words.postings = with_capacity(flat.len() * PAIR_BYTES);
    let mut dictionary = dictionary::Encoder::with(with_capacity(order.len() * TERM_BYTES));
    let mut filters = char_filters::Encoder::new(dictionary::BLOCK);
    let document_bytes = document_bytes(length);
    let mut start = 0;
    for (ordinal, at) in order.iter().copied().enumerate() {
        prefetch_terms(&index.terms, &order[ordinal..]);
        let text = text_at(&index.terms, index.frequent().tokens(), at);
        filters.push(text);
        if dictionary.push(text) {
            put_varint(&mut dictionary.data, words.postings.len() as u64);
        }
        let (count, frequent) = match at.checked_sub(index.terms.len()) {
            Some(number) => (0, Some(number as u16)),
            None => (counts[at as usize] as usize, both.get(&at).copied()),
        };
        let documents = &flat[start..start + count];
        start += count;
        put_varint(&mut dictionary.data, (count as u64) << 1 | u64::from(frequent.is_some()));
        match documents {
            [] => {}
            [one] => dictionary.data.extend_from_slice(&one.to_le_bytes()[..document_bytes]),
            _ => {
                let before = words.postings.len();
                postings::encode(documents, length, &mut words.postings);
                put_varint(&mut dictionary.data, (words.postings.len() - before) as u64);
            }
        }
        if let Some(number) = frequent {
            let before = words.postings.len();
            put_ascending(&mut words.postings, &templates_of[usize::from(number)]);
            put_varint(&mut dictionary.data, (words.postings.len() - before) as u64);
        }
    }
    assert_eq!(start, flat.len(), "every document of a term was written");
    words.adjacency = adjacency::encode(index, &order, &counts);
    [flat, order, counts].into_iter().for_each(recycle);
    words.dictionary = dictionary.finish();
    words.filters = filters.finish();
    encode_templates(index, length, &mut words);
    words
}

/// Bytes that a document's number needs.
pub(crate) fn document_bytes(length: u32) -> usize {
    (32 - length.saturating_sub(1).leading_zeros()).div_ceil(8).max(1) as usize
}

/// All terms and frequent tokens in order.
fn sorted(index: &Index) -> Sorted {
    let (terms, tokens) = (&index.terms, index.frequent().tokens());
    let mut order: Vec<TermSortKey> = with_capacity(terms.len() as usize + tokens.len());
    order.extend((0..terms.len()).map(|id| TermSortKey { prefix: prefix(terms.string(id)), at: id }));
    let mut both: HashMap<u32, u16> = HashMap::new();
    for (number, token) in (0..).zip(tokens) {
        match terms.find(token) {
            Some(id) => {
                both.insert(id, number);
            }
            None => order.push(TermSortKey { prefix: prefix(token), at: terms.len() + u32::from(number) }),
        }
    }
    // The first 16 bytes nearly always decide, without reading the text.
    order.sort_unstable_by_key(|key| key.prefix);
    for equal in order.chunk_by_mut(|a, b| a.prefix == b.prefix).filter(|equal| equal.len() > 1) {
        equal.sort_unstable_by(|a, b| text_at(terms, tokens, a.at).cmp(text_at(terms, tokens, b.at)));
    }
    let mut sorted = with_capacity(order.len());
    sorted.extend(order.iter().map(|key| key.at));
    recycle(order);
    Sorted { order: sorted, both }
}

/// The sort key of a term: its first bytes, and its number.
#[derive(Clone, Copy)]
pub(crate) struct TermSortKey {
    prefix: u128,
    at: u32,
}

impl Item for TermSortKey {
    fn spares() -> &'static Spares<TermSortKey> {
        static SPARES: Spares<TermSortKey> = Spares::new();
        &SPARES
    }
}

/// The first 16 bytes as a number that sorts as they do.
fn prefix(text: &[u8]) -> u128 {
    let mut prefix = [0; 16];
    let size = text.len().min(16);
    prefix[..size].copy_from_slice(&text[..size]);
    u128::from_be_bytes(prefix)
}

/// Distances at which texts of sorted terms, and the positions of these texts, are prefetched: they are spread over
/// memory.
const AHEAD: (usize, usize) = (8, 16);

fn prefetch_terms(terms: &Terms, next: &[u32]) {
    if let Some(at) = next.get(AHEAD.1).filter(|at| **at < terms.len()) {
        terms.prefetch_position(*at);
    }
    if let Some(at) = next.get(AHEAD.0).filter(|at| **at < terms.len()) {
        terms.prefetch_string(*at);
    }
}

/// The same for pairs: the target of their documents, and the number that determines it.
const PAIRS_AHEAD: (usize, usize) = (24, 48);

/// Returns the text of a term or, after the terms, of a frequent token.
fn text_at<'a>(terms: &'a Terms, frequent: &'a [Vec<u8>], at: u32) -> &'a [u8] {
    match at.checked_sub(terms.len()) {
        Some(number) => &frequent[number as usize],
        None => terms.string(at),
    }
}

/// The documents of all terms, term by term in the given order.
fn gather(index: &Index, order: &[u32], counts: &[u32]) -> Vec<u32> {
    let mut next = filled(0u32, counts.len());
    let mut sum = 0;
    for id in order.iter().filter(|at| **at < index.terms.len()) {
        next[*id as usize] = sum;
        sum += counts[*id as usize];
    }
    assert_eq!(sum as usize, index.flat.len(), "every pair belongs to a term");
    // Written in random order: huge pages save a TLB miss for nearly every pair, and coming targets are prefetched.
    let mut gathered = filled(0, index.flat.len());
    let (near, far) = PAIRS_AHEAD;
    let mut at = 0;
    for (document, end) in index.ends.iter().enumerate() {
        for (pair, id) in (at..).zip(&index.flat[at..*end as usize]) {
            if let Some(soon) = index.flat.get(pair + far) {
                prefetch(&next, *soon as usize);
                prefetch(&gathered, next[index.flat[pair + near] as usize] as usize);
            }
            let slot = &mut next[*id as usize];
            gathered[*slot as usize] = document as u32;
            *slot += 1;
        }
        at = *end as usize;
    }
    recycle(next);
    gathered
}

/// For each frequent token the templates that have it.
fn templates_of(index: &Index) -> Vec<Vec<u32>> {
    let mut templates: Vec<Vec<u32>> = vec![Vec::new(); index.frequent().tokens().len()];
    for template in 0..index.templates.len() {
        for number in index.templates.sequence(template).iter().filter(|number| **number != Templates::GAP) {
            let list = &mut templates[usize::from(*number)];
            if list.last() != Some(&template) {
                list.push(template);
            }
        }
    }
    templates
}

fn put_ascending(out: &mut Vec<u8>, numbers: &[u32]) {
    debug_assert!(numbers.is_sorted(), "numbers in order");
    let mut before = 0;
    for number in numbers {
        put_varint(out, u64::from(number - before));
        before = *number;
    }
}

/// The documents of each template, template by template, and where those of each end.
fn documents_of(template_of: &[u32], count: u32) -> (Vec<u32>, Vec<u32>) {
    debug_assert!(template_of.iter().all(|template| *template < count), "a template without a number");
    let mut next = vec![0u32; count as usize + 1];
    template_of.iter().for_each(|template| next[*template as usize + 1] += 1);
    for template in 1..next.len() {
        next[template] += next[template - 1];
    }
    let mut documents = vec![0; template_of.len()];
    for (document, template) in template_of.iter().enumerate() {
        let slot = &mut next[*template as usize];
        documents[*slot as usize] = document as u32;
        *slot += 1;
    }
    // Each is now where the next one began.
    next.truncate(count as usize);
    (documents, next)
}

/// Frequent tokens; sequences; where the documents of each template are.
fn encode_templates(index: &Index, length: u32, words: &mut Words) {
    let Words { postings, templates: out, .. } = words;
    put_varint(out, index.frequent().tokens().len() as u64);
    index.frequent().tokens().iter().for_each(|token| put_bytes(out, token));
    let count = index.templates.len();
    let mut sequences = Vec::new();
    for template in 0..count {
        let sequence = index.templates.sequence(template);
        put_varint(&mut sequences, sequence.len() as u64);
        sequence.iter().for_each(|number| sequences.extend_from_slice(&number.to_le_bytes()));
    }
    let packed = zstd::bulk::compress(&sequences, LEVEL).expect("compressing memory works");
    put_varint(out, u64::from(count));
    put_varint(out, sequences.len() as u64);
    put_bytes(out, &packed);
    let (documents, ends) = documents_of(&index.template_of, count);
    put_varint(out, postings.len() as u64);
    let mut start = 0;
    for (template, end) in ends.iter().enumerate() {
        let documents = &documents[start..*end as usize];
        start = *end as usize;
        // A message without frequent tokens is never searched by them.
        if index.templates.sequence(template as u32).iter().all(|number| *number == Templates::GAP) {
            put_varint(out, 0);
            continue;
        }
        put_varint(out, documents.len() as u64);
        if let [one] = documents {
            put_varint(out, u64::from(*one));
        } else {
            let before = postings.len();
            postings::encode(documents, length, postings);
            put_varint(out, (postings.len() - before) as u64);
        }
    }
}
