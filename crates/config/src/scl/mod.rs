//! The blocks that ship inside the program, written in the language itself.
//!
//! In: nothing. Out: texts by the name they are included under, and which blocks they define.

mod set;

pub(crate) use set::{SETS, Set, set_with};
