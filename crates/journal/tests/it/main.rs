//! The guarantees of the journal, on a disk that can lose power, fill up and be damaged.

#![allow(clippy::unwrap_used)]

mod calls;
mod damage;
mod power;
mod rows;
