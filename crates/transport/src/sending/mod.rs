//! What threads of destinations share: rendered messages on their way, encrypted streams, the end of waiting at a stop.
//!
//! Begin with `output`; `stream` writes it.

pub mod output;
pub mod stopping;
pub mod stream;
