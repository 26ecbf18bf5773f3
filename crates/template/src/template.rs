//! Templates: text with macros and functions, rendered for a message.
//!
//! In: `$HOST`, `${NAME:-default}`, `$(function arguments)`, compiled. Out: the tree that rendering walks
//! through.
//! Holds: the parts of the text. Rendering never fails: unknown values are empty.
//! Limits: those of compiling.

mod condition;
mod json_form;
mod pairs;
mod rekey;
mod selection;
mod surroundings;
mod tree;

pub use condition::{Condition, ConditionError};
pub(crate) use json_form::{JsonForm, JsonMember};
pub use rekey::Rekey;
pub(crate) use selection::{Choice, FIXED, KeyDelimiter, PairScope, SelectedMacro, glob};
pub use surroundings::Surroundings;
pub(crate) use tree::{
    AddressFact, Call, ListFunction, Listed, MachineFunction, PairsFormat, TemplatePart, TimeFunction,
};
pub use tree::{Template, ValuePairs};
