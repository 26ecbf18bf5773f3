//! Options as they are written: of a driver, global, and the defaults that the version of the language decides.
//!
//! Begin with `globals` and `driver`; the other files read one group of options each. None of them reports anything.

pub(crate) mod connections;
pub(crate) mod driver;
pub(crate) mod file_text;
pub(crate) mod globals;
pub(crate) mod identity;
pub(crate) mod spelling;
pub(crate) mod values;
pub(crate) mod version;
