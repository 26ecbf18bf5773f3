//! Slots for long tasks: a total, and a limit for each user.
//!
//! In: the user. Out: a slot, held until it is dropped, or a refusal. Holds: the number of slots of each user.
//! Limits: both numbers; a request without a free slot is refused at once and may be repeated.

use crate::error::ApiError;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Delay before a refused user should try again.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// The slots.
pub(crate) struct Slots {
    most: usize,
    most_per_user: usize,
    taken: Arc<Mutex<HashMap<String, usize>>>,
}

/// A slot in use; dropping it frees it.
pub(crate) struct Slot {
    user: String,
    taken: Arc<Mutex<HashMap<String, usize>>>,
}

impl Slots {
    /// Makes `most` slots, of which one user may have `most_per_user`.
    pub(crate) fn new(most: usize, most_per_user: usize) -> Slots {
        Slots { most, most_per_user, taken: Arc::default() }
    }

    /// Takes a slot for a user; an error when none is free.
    pub(crate) fn take(&self, user: &str) -> Result<Slot, ApiError> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.get(user).copied().unwrap_or_default();
        if own >= self.most_per_user {
            let text = format!(
                "{own} exports of {user} are running, and one user may have {}: wait for one to end",
                self.most_per_user
            );
            return Err(ApiError::busy(text, RETRY_AFTER));
        }
        let all: usize = taken.values().sum();
        if all >= self.most {
            return Err(ApiError::busy(format!("{all} exports are running; try again later"), RETRY_AFTER));
        }
        *taken.entry(user.to_owned()).or_default() += 1;
        Ok(Slot { user: user.to_owned(), taken: Arc::clone(&self.taken) })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = taken.get_mut(&self.user) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    //! Rows for places.

    use super::*;

    #[test]
    fn m7_one_user_leaves_places_for_others() {
        let slots = Slots::new(3, 2);
        let first = slots.take("eva").unwrap();
        let _second = slots.take("eva").unwrap();
        assert!(slots.take("eva").is_err());
        let third = slots.take("bob").unwrap();
        assert!(slots.take("ann").is_err(), "all are taken");
        drop(third);
        assert!(slots.take("ann").is_ok());
        drop(first);
        assert!(slots.take("eva").is_ok());
        assert_eq!(slots.taken.lock().unwrap().len(), 1);
    }
}
