//! Collects what stands beside the terms of many messages.
//!
//! In: the index of a builder, its terms in order. Out: the section of neighbours. Holds: each neighbourhood about once: what
//! was seen lately is passed over. Limits: none.

use crate::segment::{
    active::{Index, filled, give_back},
    neighbours::{DOCUMENTS_MIN, Encoder, Neighbours},
};

/// Neighbourhoods that are remembered, as a power of two: 512 KiB.
const SEEN_BITS: u32 = 16;
/// A term whose neighbours are not kept.
const RARE: u32 = u32::MAX;

/// What stands beside terms, by the terms' numbers among those that are kept.
struct Found {
    /// Each neighbourhood at a place of its own, the last one of the place. Never 0: no term is [`RARE`].
    seen: Vec<u64>,
    list: Vec<(u32, Neighbours)>,
}

impl Found {
    #[inline]
    fn add(&mut self, rank: u32, neighbours: Neighbours) {
        let key = u64::from(!rank) << 32 | u64::from(neighbours.bits());
        let place = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SEEN_BITS);
        let seen = &mut self.seen[place as usize];
        if *seen != key {
            *seen = key;
            self.list.push((rank, neighbours));
        }
    }
}

/// The section; `order` are all terms in order, `counts` how many documents have each.
pub(super) fn encode(index: &Index, order: &[u32], counts: &[u32]) -> Vec<u8> {
    let mut rank_of = filled(RARE, counts.len());
    let mut terms = Vec::new();
    for (place, id) in (0u32..).zip(order) {
        if counts.get(*id as usize).is_some_and(|count| *count >= DOCUMENTS_MIN) {
            rank_of[*id as usize] = terms.len() as u32;
            terms.push(place);
        }
    }
    let mut found = Found { seen: vec![0; 1 << SEEN_BITS], list: Vec::new() };
    let first = index.flat.iter().copied().zip(index.neighbours.iter().copied());
    for (term, neighbours) in first.chain(index.again.iter().map(|again| (again.term, again.neighbours))) {
        let rank = rank_of[term as usize];
        if rank != RARE {
            found.add(rank, neighbours);
        }
    }
    give_back(rank_of);
    let mut list = found.list;
    list.sort_unstable();
    list.dedup();
    let mut encoder = Encoder::new(index.templates.layouts());
    let mut of_term = Vec::new();
    for found in list.chunk_by(|(a, _), (b, _)| a == b) {
        of_term.clear();
        of_term.extend(found.iter().map(|(_, neighbours)| *neighbours));
        encoder.push(terms[found[0].0 as usize], &of_term);
    }
    encoder.finish()
}
