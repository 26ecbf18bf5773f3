//! The tree of hashes over a segment's messages.
//!
//! In: messages in order. Out: its root; the nodes of one level (see [`STORED_SPAN`]), which a segment stores; proofs
//! that some messages belong to a root.
//! Holds: while it grows, one unfinished node per level. A node has 16 children, so that hashing the tree costs
//! half a compression of SHA-256 per message instead of two.
//! Limits: a proof that is too short, too long or wrong yields another root, never a panic.

use crate::digest::Digest;

/// Children of a node.
const FAN: usize = 16;
/// Level whose nodes are stored: one for 256 messages. Below it, a proof reads the messages again.
const STORED_LEVEL: u32 = 2;
/// Messages below a stored node.
pub const STORED_SPAN: usize = FAN.pow(STORED_LEVEL);
/// Bytes of a digest.
pub const DIGEST_BYTES: usize = 32;

/// First byte of what a leaf hashes, and of what a node hashes: neither can pass for the other.
const LEAF: u8 = 0;
const NODE: u8 = 1;

/// The leaf of a message: its number, when and from where it was received, and its bytes as received.
/// `buffer` is reused memory.
#[inline]
pub fn leaf(sequence: u64, received_us: i64, peer: &[u8], raw: &[u8], buffer: &mut Vec<u8>) -> Digest {
    let peer = &peer[..peer.len().min(usize::from(u8::MAX))];
    buffer.clear();
    buffer.push(LEAF);
    buffer.extend_from_slice(&sequence.to_le_bytes());
    buffer.extend_from_slice(&received_us.to_le_bytes());
    buffer.push(peer.len() as u8);
    buffer.extend_from_slice(peer);
    buffer.extend_from_slice(raw);
    Digest::of(buffer)
}

/// A tree that grows.
#[derive(Clone)]
pub struct Tree {
    /// For each level below the stored one: the unfinished node, its first byte and the children so far.
    open: [Vec<u8>; STORED_LEVEL as usize],
    /// Nodes of the stored level.
    stored: Vec<u8>,
}

impl Default for Tree {
    /// Returns a tree without messages.
    fn default() -> Tree {
        Tree { open: std::array::from_fn(|_| vec![NODE]), stored: Vec::new() }
    }
}

impl Tree {
    /// Adds the leaf of the next message.
    #[inline]
    pub fn push(&mut self, leaf: Digest) {
        self.add(0, leaf);
    }

    fn add(&mut self, level: usize, digest: Digest) {
        let Some(node) = self.open.get_mut(level) else {
            self.stored.extend_from_slice(&digest.0);
            return;
        };
        node.extend_from_slice(&digest.0);
        if node.len() == 1 + FAN * DIGEST_BYTES {
            let whole = Digest::of(node);
            node.truncate(1);
            self.add(level + 1, whole);
        }
    }

    /// The root, and the nodes of the stored level.
    pub fn finish(&self) -> (Digest, Vec<u8>) {
        let mut whole = self.clone();
        for level in 0..whole.open.len() {
            if whole.open[level].len() > 1 {
                let part = Digest::of(&whole.open[level]);
                whole.open[level].truncate(1);
                whole.add(level + 1, part);
            }
        }
        debug_assert!(whole.open.iter().all(|node| node.len() == 1), "a node was left open");
        debug_assert!(whole.stored.len().is_multiple_of(DIGEST_BYTES), "half a node");
        (root(&whole.stored), whole.stored)
    }
}

/// The root above the nodes of the stored level.
pub fn root(stored: &[u8]) -> Digest {
    let mut level = stored.to_vec();
    while level.len() > DIGEST_BYTES {
        level = level.chunks(FAN * DIGEST_BYTES).flat_map(|children| node_of(children).0).collect();
    }
    level.try_into().map_or(Digest::default(), Digest)
}

fn node_of(children: &[u8]) -> Digest {
    debug_assert!(children.len() <= FAN * DIGEST_BYTES, "{} bytes of children", children.len());
    let mut bytes = Vec::with_capacity(1 + children.len());
    bytes.push(NODE);
    bytes.extend_from_slice(children);
    Digest::of(&bytes)
}

/// Number of the level that the root is on.
fn depth(count: u64) -> u32 {
    let mut depth = STORED_LEVEL;
    while count > (FAN as u64).saturating_pow(depth) {
        depth += 1;
    }
    depth
}

/// Messages below a whole node of a level.
fn span(level: u32) -> u64 {
    (FAN as u64).saturating_pow(level)
}

/// Input of a proof.
pub struct Prover<'a> {
    /// Messages of the segment.
    pub count: u64,
    /// Nodes of the stored level.
    pub stored: &'a [u8],
}

impl Prover<'_> {
    /// The hashes that lead from some messages, ascending, to the root. `leaves` returns those of a stored node.
    pub fn prove<E>(
        &self,
        wanted: &[u64],
        leaves: &mut dyn FnMut(u64) -> Result<Vec<Digest>, E>,
    ) -> Result<Vec<Digest>, E> {
        debug_assert!(wanted.is_sorted(), "messages in order");
        debug_assert!(wanted.last().is_none_or(|last| *last < self.count), "a message beyond the last");
        let mut proof = Vec::new();
        self.walk(depth(self.count), 0, wanted, leaves, &mut proof)?;
        Ok(proof)
    }

    fn walk<E>(
        &self,
        level: u32,
        index: u64,
        wanted: &[u64],
        leaves: &mut dyn FnMut(u64) -> Result<Vec<Digest>, E>,
        proof: &mut Vec<Digest>,
    ) -> Result<(), E> {
        if wanted.is_empty() {
            proof.push(self.stored_node(level, index));
            return Ok(());
        }
        if level == STORED_LEVEL {
            let leaves: Vec<u8> = leaves(index)?.iter().flat_map(|leaf| leaf.0).collect();
            walk_leaves(&leaves, index * STORED_SPAN as u64, wanted, proof);
            return Ok(());
        }
        each_child(level, index, self.count, wanted, |child, wanted| {
            self.walk(level - 1, child, wanted, leaves, proof)
        })
    }

    /// Returns a node on or above the stored level.
    fn stored_node(&self, level: u32, index: u64) -> Digest {
        let size = FAN.pow(level - STORED_LEVEL) * DIGEST_BYTES;
        let start = (index as usize).saturating_mul(size).min(self.stored.len());
        let below = &self.stored[start..self.stored.len().min(start + size)];
        (STORED_LEVEL..level)
            .fold(below.to_vec(), |level, _| {
                level.chunks(FAN * DIGEST_BYTES).flat_map(|children| node_of(children).0).collect()
            })
            .try_into()
            .map_or(Digest::default(), Digest)
    }
}

/// The part of a proof below a stored node: the messages from `first` on have these leaves.
fn walk_leaves(leaves: &[u8], first: u64, wanted: &[u64], proof: &mut Vec<Digest>) {
    for (group, children) in leaves.chunks(FAN * DIGEST_BYTES).enumerate() {
        let start = first + (group * FAN) as u64;
        let inside = |number: u64| (start..start + FAN as u64).contains(&number);
        if !wanted.iter().any(|number| inside(*number)) {
            proof.push(node_of(children));
            continue;
        }
        for (number, leaf) in (start..).zip(children.chunks_exact(DIGEST_BYTES)) {
            if wanted.binary_search(&number).is_err() {
                proof.extend(leaf.try_into().ok().map(Digest));
            }
        }
    }
}

/// The root that messages and a proof lead to; `None` when the proof has not the right length. `known` are numbers
/// from 0, ascending, and leaves.
pub fn root_of(count: u64, known: &[(u64, Digest)], proof: &[Digest]) -> Option<Digest> {
    let numbers: Vec<u64> = known.iter().map(|(number, _)| *number).collect();
    let ordered = numbers.windows(2).all(|pair| pair[0] < pair[1]);
    if !ordered || numbers.last().is_none_or(|last| *last >= count) {
        return None;
    }
    let mut walk = Walk { count, known, proof: proof.iter() };
    let root = walk.node(depth(count), 0, &numbers)?;
    walk.proof.next().is_none().then_some(root)
}

struct Walk<'a> {
    count: u64,
    known: &'a [(u64, Digest)],
    proof: std::slice::Iter<'a, Digest>,
}

impl Walk<'_> {
    fn node(&mut self, level: u32, index: u64, wanted: &[u64]) -> Option<Digest> {
        if wanted.is_empty() {
            return self.proof.next().copied();
        }
        if level == 0 {
            let at = self.known.binary_search_by_key(&index, |(number, _)| *number).ok()?;
            return Some(self.known[at].1);
        }
        let mut children = Vec::with_capacity(FAN * DIGEST_BYTES);
        let count = self.count;
        each_child(level, index, count, wanted, |child, wanted| {
            let digest = self.node(level - 1, child, wanted).ok_or(())?;
            children.extend_from_slice(&digest.0);
            Ok::<(), ()>(())
        })
        .ok()?;
        Some(node_of(&children))
    }
}

/// Calls `visit` with every child of a node and the wanted messages below it.
fn each_child<E>(
    level: u32,
    index: u64,
    count: u64,
    wanted: &[u64],
    mut visit: impl FnMut(u64, &[u64]) -> Result<(), E>,
) -> Result<(), E> {
    let below = span(level - 1);
    let first = index * FAN as u64;
    for child in first..first + FAN as u64 {
        let start = child.saturating_mul(below);
        if start >= count {
            break;
        }
        let from = wanted.partition_point(|number| *number < start);
        let to = wanted.partition_point(|number| *number < start.saturating_add(below));
        visit(child, &wanted[from..to])?;
    }
    Ok(())
}
