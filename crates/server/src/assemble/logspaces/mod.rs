//! Logspaces: those that destinations write to, and those that are made of others.

pub(crate) mod local;
pub(crate) mod views;
