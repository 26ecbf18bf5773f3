//! The bytes on the pipes between us and the process, and what they mean.
//!
//! | module | what it does |
//! |---|---|
//! | `outcome` | what became of the messages of a batch that a destination got |
//! | `changes` | what became of those that a parser got |
//! | `hello` | the class with its options, for the process |
//! | `message` | messages as bytes |
//! | `frame` | frames on the pipes |

pub(crate) mod changes;
pub(crate) mod frame;
pub(crate) mod hello;
pub(crate) mod message;
pub(crate) mod outcome;
