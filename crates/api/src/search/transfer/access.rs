//! The right of a user to a long answer, looked at while it is given: an export, a package, a live tail.
//!
//! In: the user and the rights that the answer was begun with. Out: whether they are still there. Holds: when it was
//! looked last.
//! Limits: what cannot be read, the file of users, is no right. Looked at each [`CHECK_EVERY`], so a user who was removed,
//! lost a grant or whose session ended gets at most what this time and the buffers on the way hold.

use crate::{
    access::{accounts::Right, sessions::User},
    state::State,
};
use std::{sync::Arc, time::Duration};
use tokio::time::{Interval, MissedTickBehavior, interval};

/// Time between two looks.
pub(crate) const CHECK_EVERY: Duration = Duration::from_secs(1);

/// A user, and the rights that an answer needs.
pub(crate) struct Access {
    state: Arc<State>,
    user: User,
    /// Logspaces, and what is done there.
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

/// An access that is looked at again and again.
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
