//! Proofs that messages are those that were sealed.
//!
//! In: documents. Out: the hashes that lead from them to the root; the root, recomputed from the messages.
//! Limits: reads the 256 messages around each.

use super::Sealed;
use crate::format::{Damage, file::Section};
use evidence::{
    Digest,
    merkle::{self, Prover, STORED_SPAN, Tree},
};
use lookup::{CancelToken, Document, ReadError, SegmentView};

/// The leaf of a message as it was read back.
pub(crate) fn leaf_of(document: &Document, buffer: &mut Vec<u8>) -> Digest {
    merkle::leaf(document.sequence, document.received_us, document.peer.as_bytes(), &document.raw, buffer)
}

impl Sealed {
    /// The root over the messages, computed from the messages themselves.
    pub fn root(&self, cancel: &CancelToken) -> Result<Digest, ReadError> {
        let (mut tree, mut buffer) = (Tree::default(), Vec::new());
        self.read(&mut (0..self.len()), cancel, &mut |_, document| {
            tree.push(leaf_of(document, &mut buffer));
            true
        })?;
        Ok(tree.finish().0)
    }

    /// Returns the root whose nodes the segment stores; `None` in the first version of the format.
    pub fn stored_root(&self) -> Result<Option<Digest>, ReadError> {
        let _pin = self.file.pin();
        let nodes = self.file.section(Section::Hashes).map_err(|damage| self.corrupt(damage))?;
        Ok(self.file.has_facts().then(|| merkle::root(nodes.bytes)))
    }

    /// The hashes that lead from some documents, ascending, to the root.
    pub fn prove(&self, documents: &[u32], cancel: &CancelToken) -> Result<Vec<Digest>, ReadError> {
        let _pin = self.file.pin();
        let nodes = self.file.section(Section::Hashes).map_err(|damage| self.corrupt(damage))?;
        let count = u64::from(self.len());
        if nodes.bytes.len() as u64 != count.div_ceil(STORED_SPAN as u64) * merkle::DIGEST_BYTES as u64 {
            let damage = Damage { offset: nodes.offset, what: "wrong number of hashes" };
            return Err(self.corrupt(damage));
        }
        let mut buffer = Vec::new();
        let mut leaves = |node: u64| {
            let first = node as u32 * STORED_SPAN as u32;
            let mut leaves = Vec::with_capacity(STORED_SPAN);
            let mut group = first..self.len().min(first.saturating_add(STORED_SPAN as u32));
            self.read(&mut group, cancel, &mut |_, document| {
                leaves.push(leaf_of(document, &mut buffer));
                true
            })?;
            Ok(leaves)
        };
        let wanted: Vec<u64> = documents.iter().map(|document| u64::from(*document)).collect();
        Prover { count, stored: nodes.bytes }.prove(&wanted, &mut leaves)
    }
}
