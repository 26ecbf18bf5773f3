//! The commands of the control socket, and why they fail.

mod control;
mod error;

pub(crate) use control::Control;
