//! The tree of a configuration.
//!
//! In: built by the parser. Out: read by the check and by the server, which turns it into running parts.
//! Holds: every statement in written order, with the position of every word. Blocks are expanded, in-place objects
//! are not named.

mod block;
mod call;
mod name;
mod path;
mod pattern;
mod statement;
mod tags;
mod version;

pub use block::{Block, Parameter, Raw};
pub use call::{Arg, Call, Comparison, FacilitySet, Filter, FilterLeaf, Operand, SeveritySet};
pub use name::{Kind, Name};
pub use path::{Arm, Branch, Condition, Flag, Item, Junction, LogFlag, Path, Reference, Step};
pub use pattern::{Match, MatchFlag, MatchTarget, MatchType};
pub use statement::{
    Application, Later, LogspaceView, Module, NamedFilter, Object, PythonCode, Statement, Template, Tree,
    Unread,
};
pub use version::Version;
