//! Costs of what is kept, and the answer to a peer that needs too much.
//!
//! In: nothing. Out: the same. Limits: see `inbound`.

/// A piece of a message costs this much besides its bytes.
pub(super) const PIECE_COST: usize = 96;

/// The peer breaks the rules, or needs more memory than it may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Violation;
