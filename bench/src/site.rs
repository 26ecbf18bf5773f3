//! A fictitious site of 2,000 devices: the messages of a mixed site, hard to compress and hard to index.
//!
//! In: a seed. Out: BSD syslog lines of about 190 bytes, any number, the same on every machine; a longer
//! corpus starts with the shorter one. 46 kinds of events run at the same time; a few users, addresses, names
//! and paths are common and many are rare (1/x), one outside address in ten is new, and identifiers never
//! repeat.

mod events;
mod names;
mod pattern;
mod random;
mod run;
mod value;
mod write;

pub(crate) use run::{NEEDLE, Site};

#[cfg(test)]
mod tests;
