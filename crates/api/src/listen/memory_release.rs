//! Returns the memory of finished searches to the system.
//!
//! In: the memory released by searches. Out: a call of the backend when that is much. Holds: a task for as long as
//! the server listens. Limits: checked every [`LOOK_EVERY`]; less than [`WORTH_BYTES`] is kept for the next search.

use crate::state::State;
use std::{sync::Weak, time::Duration};

/// Interval at which the task checks how much memory searches gave back.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Memory that is worth the locks of the allocator.
const WORTH_BYTES: u64 = 16 << 20;

/// Watches over the memory of searches while the state lives.
pub(crate) async fn watch(state: Weak<State>) {
    let mut returned = 0;
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let Some(state) = state.upgrade() else { return };
        let released = state.memory().released_bytes();
        if released - returned < WORTH_BYTES {
            continue;
        }
        returned = released;
        // It is only memory: a task that fails is tried again when more was given back.
        let _ = tokio::task::spawn_blocking(move || state.backend().release_memory()).await;
    }
}
