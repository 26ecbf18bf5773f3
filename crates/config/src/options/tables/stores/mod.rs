//! The tables of destinations that store messages.

pub(super) mod logspace;
