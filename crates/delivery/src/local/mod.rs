//! Targets on this machine that are no files of messages: pipes, programs, terminals.
//!
//! In: rendered messages. Out: bytes. Holds: what is open of them. Limits: see each.

mod pipe;
mod program;
mod pseudofile;
mod stdout;
mod terminal;

pub(crate) use pipe::Pipe;
pub(crate) use program::Program;
pub(crate) use pseudofile::Pseudofile;
pub(crate) use stdout::Stdout;
pub(crate) use terminal::Terminals;

#[cfg(test)]
mod tests;
