//! What the journal promises, on a disk that can be cut off, filled and damaged.

#![allow(clippy::unwrap_used)]

mod calls;
mod damage;
mod power;
mod rows;
