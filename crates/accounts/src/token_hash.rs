//! The form in which tokens of sessions and of waiting log-ins are kept.
//!
//! In: a token. Out: its hash, and the id of the session. Holds the hash: the token itself is stored nowhere.

use crate::hex;
use aws_lc_rs::digest;

/// Bytes of the hash that make the id of a session: 64 bits.
const ID_BYTES: usize = 8;

/// SHA-256 of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TokenHash(pub [u8; 32]);

impl TokenHash {
    /// Returns the hash of a token.
    pub fn of(token: &str) -> TokenHash {
        let mut hash = [0; 32];
        let digest = digest::digest(&digest::SHA256, token.as_bytes());
        hash.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
        TokenHash(hash)
    }

    /// Returns the id of the session: digits that are no secret, and let nobody in.
    pub fn id(&self) -> String {
        hex(&self.0[..ID_BYTES])
    }
}
