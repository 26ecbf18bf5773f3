//! Modules that the tests of this crate share.

pub(crate) mod naive;
