//! The commands of the control socket, and why they fail.

mod control;
mod dead_letters;
mod error;

pub(crate) use control::Control;
