//! Drivers that run a class in Python: `python()`.
//!
//! `program` reads the options that all of them have, `values` renders what the class asks of a message, `destination` makes the
//! receiver, `parser` the step of a log path, `source` the options of a source.

mod destination;
mod parser;
mod program;
mod source;
mod values;
