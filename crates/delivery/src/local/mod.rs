//! Targets on this machine other than files of messages: pipes, programs, terminals.
//!
//! In: rendered messages. Out: bytes. Holds: those that are open. Limits: see each.

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
