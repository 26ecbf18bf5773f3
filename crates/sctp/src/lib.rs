//! An endpoint of SCTP without its sockets: associations that carry messages by their importance over links that lose.
//!
//! The modules, in reading order; each imports only modules below it:
//!
//! | module | what it does |
//! |---|---|
//! | `codec` | bytes <-> chunks, parameters, causes |

pub mod codec;
