//! The verdict on a line.
//!
//! In: nothing. Out: whether the lines before it are a complete message, and what happens to the line.

/// The lines before the one that is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preceding {
    /// They belong to messages that have ended, or there are none.
    Nothing,
    /// They begin a message that is still open.
    OpenMessage,
}

/// The use of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineUse {
    /// It belongs to a message that may continue.
    Open,
    /// The message ends after the first `n` bytes of it.
    Ends(usize),
    /// It belongs to no message.
    Skipped,
}

/// The verdict on a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Joined {
    /// True when the lines before it are a complete message.
    pub closes: bool,
    /// The use of the line itself.
    pub line: LineUse,
}
