//! Drivers that run a class in Python: `python()`.
//!
//! `program` reads the options that all of them have, `values` renders what the class asks of a message, `destination` makes the
//! receiver, `parser` the step of a log path, `source` the options of a source, `http_header`
//! the headers of requests.

mod destination;
mod http_header;
mod parser;
mod program;
mod source;
mod values;
