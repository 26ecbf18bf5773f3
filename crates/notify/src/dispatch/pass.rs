//! A pass over what is to be decided.
//!
//! In: routes, the time. Out: the same. Holds nothing.

use crate::setup::Routes;

/// The parts that a pass works with.
pub(crate) struct Pass<'a> {
    pub(crate) routes: &'a mut Routes,
    /// The name of this server, for receivers.
    pub(crate) server: &'a str,
    pub(crate) now_us: i64,
    pub(crate) follow_up: FollowUp,
}

/// Says if a pass looks for what no transition says; once a second is enough, because it reads all alerts that fire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FollowUp {
    Due,
    NotDue,
}

/// The next step after a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// There is more to route.
    More,
    /// All is decided.
    Idle,
}
