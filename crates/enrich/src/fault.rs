//! Failures of a server, whatever the key.
//!
//! In: words of a server. Out: the cause in one word, for messages, and words for our log. Holds: those. Limits: none.

/// The cause of a failure, in one word for messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    /// The server cannot be reached, or says that it cannot answer at present.
    Server,
    /// It did not answer in time.
    Timeout,
    /// It is left alone after failures.
    Paused,
    /// It refuses the key, or its answer cannot be read.
    Refused,
}

impl Cause {
    /// Returns the word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Cause::Server => "server",
            Cause::Timeout => "timeout",
            Cause::Paused => "paused",
            Cause::Refused => "refused",
        }
    }
}

/// A failure of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    pub(crate) cause: Cause,
    /// Words for our log, which have nothing of the key.
    pub(crate) words: String,
}

impl Fault {
    /// A failure that the server or the way to it explains.
    pub(crate) fn server(words: impl Into<String>) -> Fault {
        Fault { cause: Cause::Server, words: words.into() }
    }

    /// A server that does not answer in time.
    pub(crate) fn timeout() -> Fault {
        Fault { cause: Cause::Timeout, words: "the server did not answer in time".to_owned() }
    }
}
