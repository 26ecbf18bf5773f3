//! `python()` and `python-fetcher()` as sources: messages that a class of the configuration posts.
//!
//! In: messages of the process of a class. Out: batches. Holds: the process. Limits: the window of the source.
//!
//! | module | what it does |
//! |---|---|
//! | `source` | the contract with the set of sources |
//! | `reader` | starts the process, and again; passes its messages on, and acknowledgements back |
//! | `posts` | messages of the process become batches |
//! | `acknowledged` | which messages destinations have |
//! | `options` | what a configuration says |

mod acknowledged;
mod options;
mod posts;
mod reader;
mod source;

pub use options::PythonSource;
