//! The right of a user to a long answer, checked while it is sent: an export, a package, a live tail.
//!
//! In: the user and the rights with which the answer was begun. Out: whether they still exist. Holds: when they were
//! last checked.
//! Limits: if the file of users cannot be read, there are no rights. Checked every [`CHECK_EVERY`], so a user who was
//! removed, lost a grant or whose session ended gets at most the data of this time and of the buffers.

use crate::{
    access::{accounts::Right, sessions::User},
    state::State,
};
use std::{sync::Arc, time::Duration};
use tokio::time::{Interval, MissedTickBehavior, interval};

/// Time between two checks.
pub(crate) const CHECK_EVERY: Duration = Duration::from_secs(1);

/// A user, and the rights that an answer needs.
pub(crate) struct Access {
    state: Arc<State>,
    user: User,
    /// Logspaces, and the rights used there.
    rights: Vec<(String, Right)>,
}

impl Access {
    /// The access of a user who has these rights now.
    pub(crate) fn new(state: Arc<State>, user: User, rights: Vec<(String, Right)>) -> Access {
        Access { state, user, rights }
    }

    /// Returns true while the user is logged in and has all rights.
    pub(crate) fn is_granted(&self) -> bool {
        let has = |(logspace, right): &(String, Right)| {
            self.state.may(&self.user, logspace, *right).unwrap_or(false)
        };
        self.state.is_current(&self.user).unwrap_or(false) && self.rights.iter().all(has)
    }

    /// Looks from time to time. Inside of the runtime.
    pub(crate) fn watched(self) -> WatchedAccess {
        let mut looks = interval(CHECK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        WatchedAccess { access: self, looks }
    }
}

/// An access that is checked repeatedly.
pub(crate) struct WatchedAccess {
    access: Access,
    looks: Interval,
}

impl WatchedAccess {
    /// The user whose access it is.
    pub(crate) fn into_user(self) -> User {
        self.access.user
    }

    /// Ends when the access is lost. Cancel safe.
    pub(crate) async fn lost(&mut self) {
        loop {
            self.looks.tick().await;
            if !self.access.is_granted() {
                return;
            }
        }
    }
}
