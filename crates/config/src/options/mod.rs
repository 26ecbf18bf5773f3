//! Every driver and every option that the language knows, one row each.
//!
//! In: nothing. Out: the tables that the check walks and that the reference page is made from.
//! Holds: constants. A row says whether an option is honoured, has no effect here, or is not supported yet.

mod fit;
mod lookup;
mod module;
mod reference;
mod row;
mod tables;

#[cfg(test)]
mod tests;

pub use fit::Misfit;
pub use lookup::{driver, drivers, global, parallelize, row};
pub use module::has_module;
pub use reference::reference;
pub use row::{Driver, Plain, Row, Standing, ValueKind};
pub use tables::later::{instead, later};
