//! Logspaces.

pub(crate) mod views;
