//! Dead letters: messages that a receiver will never accept, kept until someone replays or removes them.
//!
//! In: messages with the reason of their death. Out: the same, for users and for another attempt. Holds: a journal in a
//! folder of its own for each destination that ever had a dead letter. Limits: see [`DeadLetterOptions`].

mod letter;
mod look;
mod replay;
mod sealed;
mod selection;
mod store;

pub use letter::{ANSWER_BYTES_MAX, Letter, LetterError, LetterHead};
pub use look::{dead_folders, look_at_dead};
pub use replay::replay;
pub use selection::{DeadFilter, LetterSelection};
pub use store::{DeadLetterOptions, DeadLetters, OnFull, StoreError, Unread};

#[cfg(test)]
mod tests;
