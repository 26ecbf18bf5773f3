//! Options as they are written: those of a driver, the global ones, defaults by version.

pub(crate) mod driver;
pub(crate) mod globals;
pub(crate) mod identity;
pub(crate) mod version;
