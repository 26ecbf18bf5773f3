//! The traffic of a row: connections that send, connections that are held open, the end of a relay.

pub(super) mod held;
pub(super) mod load;
pub(super) mod sink;
