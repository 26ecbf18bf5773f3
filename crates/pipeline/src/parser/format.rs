//! The formats of texts that parsers read, one file each.
//!
//! In: a text. Out: values, written to a [`super::Writer`]. Holds: options.
//! Limits: those of the writer; each format names its own.

mod csv;
mod event_format;
mod json;
mod kv;
mod linux_audit;
mod regexp;
mod sdata;
mod snmptrap;
mod tags;
mod xml;

pub use csv::{Csv, CsvDialect};
pub use event_format::{Cef, Leef};
pub use json::{ExtractPath, ExtractPathError, Json};
pub use kv::Kv;
pub use regexp::Regexp;
pub use sdata::Sdata;
pub use snmptrap::Snmptrapd;
pub use tags::Tags;
pub use xml::Xml;
