//! The key of a segment.
//!
//! In: chunks and their numbers. Out: the same encrypted, with a tag. The tag covers the segment's id and the
//! chunk's number: a chunk at another position, or from another segment, does not open.
//! Limits: a key seals one segment once, so a chunk's number is its nonce.

use super::recipient::{KEY_BYTES, Recipient};
use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    rand,
};

/// Bytes of a chunk's tag.
pub const TAG_BYTES: usize = 16;

/// Opens and seals the chunks of one segment.
pub struct SegmentKey {
    key: LessSafeKey,
    id: [u8; 16],
}

impl SegmentKey {
    /// The key of a segment; `None` when the bytes are no key.
    pub fn new(key: &[u8], id: [u8; 16]) -> Option<SegmentKey> {
        let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key).ok()?);
        Some(SegmentKey { key, id })
    }

    /// Encrypts a chunk where it is; returns its tag.
    pub fn seal(&self, index: u32, chunk: &mut [u8]) -> Option<[u8; TAG_BYTES]> {
        let tag = self.key.seal_in_place_separate_tag(nonce(index), self.bound(index), chunk).ok()?;
        tag.as_ref().try_into().ok()
    }

    /// Decrypts a chunk; returns false when it is not what was sealed at this position.
    pub fn open(&self, index: u32, sealed: &[u8], tag: &[u8; TAG_BYTES], plain: &mut [u8]) -> bool {
        self.key.open_separate_gather(nonce(index), self.bound(index), sealed, tag, plain).is_ok()
    }

    fn bound(&self, index: u32) -> Aad<[u8; 20]> {
        let mut bound = [0; 20];
        bound[..16].copy_from_slice(&self.id);
        bound[16..].copy_from_slice(&index.to_le_bytes());
        Aad::from(bound)
    }
}

fn nonce(index: u32) -> Nonce {
    let mut nonce = [0; NONCE_LEN];
    nonce[..4].copy_from_slice(&index.to_le_bytes());
    Nonce::assume_unique_for_key(nonce)
}

/// A key that was drawn for one segment, and its wrapped forms.
pub struct Lock {
    key: SegmentKey,
    /// The key, wrapped for each recipient.
    pub envelope: Vec<u8>,
}

impl Lock {
    /// Draws a key; `None` when the system has no randomness or a recipient's key is of no use.
    pub fn draw(id: [u8; 16], recipients: &[Recipient]) -> Option<Lock> {
        debug_assert!(!recipients.is_empty(), "a key that nobody could unwrap");
        let mut key = [0; KEY_BYTES];
        rand::fill(&mut key).ok()?;
        let mut envelope = Vec::new();
        for recipient in recipients {
            envelope.extend_from_slice(recipient.wrap(&key, &id)?.as_bytes());
        }
        let key = SegmentKey::new(&key, id)?;
        Some(Lock { key, envelope })
    }

    /// Encrypts a chunk where it is; returns its tag.
    pub fn seal(&self, index: u32, chunk: &mut [u8]) -> Option<[u8; TAG_BYTES]> {
        self.key.seal(index, chunk)
    }
}
