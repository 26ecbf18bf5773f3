//! Logspaces as they are searched: local, filtered, multiple.
//!
//! In: open logspaces, boundaries. Out: what a question is asked of. Holds: both.
//! Limits: a scope has at most [`query::MEMBERS_MAX`] members; the server refuses more in the configuration.

use query::{Boundary, Member, Space};
use std::{collections::HashMap, sync::Arc};
use store::{Logspace, Unlocked};

/// What a logspace is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScopeKind {
    /// One that messages are written to.
    Local,
    /// A part of another one.
    Filtered,
    /// Several at once.
    Multiple,
}

impl ScopeKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            ScopeKind::Local => "local",
            ScopeKind::Filtered => "filtered",
            ScopeKind::Multiple => "multiple",
        }
    }
}

/// A logspace by the name that it is searched by.
pub struct Scope {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: ScopeKind,
    /// What is searched: one, or for multiple ones each that they come to.
    pub members: Vec<ScopeMember>,
}

/// A local logspace of a scope.
pub struct ScopeMember {
    /// The name that its rows are shown under.
    pub shown: Arc<str>,
    /// The name of the local logspace.
    pub base: String,
    /// The local logspace.
    pub logspace: Arc<Logspace>,
    /// What may be seen of it; none: all.
    pub boundary: Option<Arc<Boundary>>,
}

/// What a session's keys opened, by local logspace.
pub(crate) type Keyring = HashMap<String, Arc<Unlocked>>;

impl Scope {
    /// A local logspace.
    pub fn local(name: &str, logspace: Arc<Logspace>) -> Scope {
        let member = ScopeMember { shown: name.into(), base: name.to_owned(), logspace, boundary: None };
        Scope { name: name.to_owned(), kind: ScopeKind::Local, members: vec![member] }
    }

    /// Whether sequence numbers of it may be shown.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.members.as_slice(), [member] if member.boundary.is_none())
    }

    /// What is searched now, by somebody with these keys.
    pub(crate) fn space(&self, keyring: &Keyring) -> Space {
        let member = |member: &ScopeMember| {
            let whole = match keyring.get(&member.base) {
                Some(unlocked) => member.logspace.snapshot_for(unlocked),
                None => member.logspace.snapshot(),
            };
            let snapshot = match &member.boundary {
                Some(boundary) => Arc::new(boundary.apply(&whole)),
                None => whole,
            };
            Member { name: member.shown.clone(), snapshot, is_bounded: member.boundary.is_some() }
        };
        Space { members: self.members.iter().map(member).collect() }
    }
}
