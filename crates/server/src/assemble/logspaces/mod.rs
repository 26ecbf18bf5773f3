//! Logspaces: those that destinations write to, and those defined on others.

pub(crate) mod local;
pub(crate) mod names;
pub(crate) mod views;
