//! Stand-ins for the world, for tests: a disk that loses power, fills up and fails on command; a network that refuses,
//! delays and cuts; clocks that are set; turns of threads to wait for.
//!
//! In: the faults that a test chooses. Out: implementations of the traits through which the other crates
//! touch the world. Holds: everything in memory; randomness comes from a seed.
//! Limits: tests only.

mod chance;
mod clock;
mod disk;
mod network;
mod turns;

pub use chance::Chance;
pub use clock::SimClock;
pub use disk::SimDisk;
pub use network::{Fault, Peer, SimNetwork};
pub use turns::Turns;
