//! Log paths: their steps, the named objects in them, and labels for tools that watch messages.
//!
//! Begin with `steps`, then `objects`: a step may use an object, which again consists of steps.

mod alert_loops;
pub(crate) mod labels;
pub(crate) mod objects;
pub(crate) mod steps;
