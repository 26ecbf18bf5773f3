//! Memory of searches: a budget for each, and one for all of them together.
//!
//! In: bytes that an operator is about to use. Out: a permit for them, or a refusal that names the operator.
//! Holds: counts; the bytes of a permit are returned when it is dropped.
//! Limits: both budgets. A search over its own budget is refused at once. When all searches together have used up
//! theirs, a search waits for memory up to [`WAIT_MAX`]; when all of them wait, the last to arrive is refused, so
//! that the others can continue.

mod result_cache;

use lookup::{CancelToken, Document, Stop};
pub use result_cache::{ResultCache, ResultCacheCounters};
use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// Longest time that a search waits for others to release memory.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// Interval at which a waiting search checks whether its client has gone.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Permits grow by steps of at most this, so that a row costs an addition and no lock.
const STEP_BYTES_MAX: u64 = 256 << 10;
/// Steps that a budget has at least.
const STEPS_MIN: u64 = 64;

/// The memory of all searches together.
#[derive(Clone, Debug)]
pub struct MemoryPool(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    total_bytes: u64,
    each_bytes: u64,
    held: Mutex<Held>,
    freed: Condvar,
    /// Total of bytes ever released.
    released_bytes: AtomicU64,
}

#[derive(Debug, Default)]
struct Held {
    bytes: u64,
    peak_bytes: u64,
    /// Budgets that hold memory, and those of them that wait for more.
    holders: usize,
    waiting_holders: usize,
}

/// The memory of one search.
#[derive(Clone, Debug)]
pub struct MemoryBudget(Arc<Budget>);

#[derive(Debug)]
struct Budget {
    pool: MemoryPool,
    cancel: CancelToken,
    /// Changed only under the pool's lock.
    held_bytes: AtomicU64,
}

/// Permission to hold some memory for as long as it lives.
#[derive(Debug)]
pub struct MemoryPermit {
    budget: MemoryBudget,
    stage: &'static str,
    used_bytes: u64,
    granted_bytes: u64,
}

/// A refusal of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OverBudget {
    /// The command, or the part of the answer, that asked for it.
    pub stage: &'static str,
    /// The budget in bytes.
    pub limit_bytes: u64,
    /// The budget that was used up.
    pub of: BudgetOf,
}

/// The reasons why there is no memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryError {
    /// A budget is used up.
    Over(OverBudget),
    /// The search was stopped while it waited.
    Stopped(Stop),
}

/// The two kinds of budgets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BudgetOf {
    /// The budget of one search: trying again would fail too.
    Search,
    /// The budget of all searches together: a later attempt may succeed.
    AllSearches,
}

/// The reaction when all searches together have no memory left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WhenShort {
    Wait,
    Refuse,
}

impl MemoryPool {
    /// A pool of `total_bytes`, of which one search may hold `each_bytes`.
    pub fn new(total_bytes: u64, each_bytes: u64) -> MemoryPool {
        let each_bytes = each_bytes.min(total_bytes);
        let (held, freed) = (Mutex::default(), Condvar::new());
        MemoryPool(Arc::new(Pool { total_bytes, each_bytes, held, freed, released_bytes: AtomicU64::new(0) }))
    }

    /// A pool without limits.
    pub fn unlimited() -> MemoryPool {
        MemoryPool::new(u64::MAX, u64::MAX)
    }

    /// The budget of one search. Its cancel token ends a wait for memory.
    pub fn budget(&self, cancel: &CancelToken) -> MemoryBudget {
        let budget = Budget { pool: self.clone(), cancel: cancel.clone(), held_bytes: AtomicU64::new(0) };
        MemoryBudget(Arc::new(budget))
    }

    /// Bytes that searches may hold now.
    pub fn held_bytes(&self) -> u64 {
        self.held().bytes
    }

    /// Most bytes that searches were ever allowed to hold at once.
    pub fn peak_bytes(&self) -> u64 {
        self.held().peak_bytes
    }

    /// Returns the total of bytes ever released: the difference of two readings shows how much memory became free.
    pub fn released_bytes(&self) -> u64 {
        self.0.released_bytes.load(Relaxed)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step_bytes(&self) -> u64 {
        (self.0.each_bytes / STEPS_MIN).clamp(1, STEP_BYTES_MAX)
    }
}

impl MemoryBudget {
    /// A budget without limits.
    pub fn unlimited() -> MemoryBudget {
        MemoryPool::unlimited().budget(&CancelToken::unlimited())
    }

    /// Returns an empty permit; errors name `stage` when it cannot grow.
    pub fn permit(&self, stage: &'static str) -> MemoryPermit {
        MemoryPermit { budget: self.clone(), stage, used_bytes: 0, granted_bytes: 0 }
    }

    /// Bytes that the search may hold.
    pub fn limit_bytes(&self) -> u64 {
        self.0.pool.0.each_bytes
    }

    /// Takes memory from both budgets.
    fn take(&self, bytes: u64, stage: &'static str, when_short: WhenShort) -> Result<(), MemoryError> {
        let pool = &self.0.pool;
        let refuse = |limit_bytes, of| Err(OverBudget { stage, limit_bytes, of }.into());
        let over_own = || {
            let wanted = self.0.held_bytes.load(Relaxed).checked_add(bytes);
            wanted.is_none_or(|wanted| wanted > pool.0.each_bytes)
        };
        let mut held = pool.held();
        let mut give_up_at = None;
        loop {
            if over_own() {
                return refuse(pool.0.each_bytes, BudgetOf::Search);
            }
            if held.bytes.checked_add(bytes).is_some_and(|all| all <= pool.0.total_bytes) {
                if self.0.held_bytes.fetch_add(bytes, Relaxed) == 0 {
                    held.holders += 1;
                }
                held.bytes += bytes;
                held.peak_bytes = held.peak_bytes.max(held.bytes);
                return Ok(());
            }
            let now = Instant::now();
            let holds = self.0.held_bytes.load(Relaxed) > 0;
            let all_wait = holds && held.waiting_holders + 1 >= held.holders;
            if when_short == WhenShort::Refuse || all_wait || now >= *give_up_at.get_or_insert(now + WAIT_MAX)
            {
                return refuse(pool.0.total_bytes, BudgetOf::AllSearches);
            }
            held.waiting_holders += usize::from(holds);
            // The holders of the memory may need the processor to finish.
            let pace = self.0.cancel.pace();
            if let Some(pace) = pace {
                pace.block();
            }
            held = pool.0.freed.wait_timeout(held, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
            held.waiting_holders -= usize::from(holds);
            drop(held);
            if let Some(pace) = pace {
                pace.unblock();
            }
            self.0.cancel.check()?;
            held = pool.held();
        }
    }

    fn give_back(&self, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let pool = &self.0.pool;
        let mut held = pool.held();
        if self.0.held_bytes.fetch_sub(bytes, Relaxed) == bytes {
            held.holders -= 1;
        }
        held.bytes -= bytes;
        pool.0.released_bytes.fetch_add(bytes, Relaxed);
        drop(held);
        pool.0.freed.notify_all();
    }
}

impl MemoryPermit {
    /// Adds bytes; waits for other searches when they hold all memory.
    #[inline]
    pub fn grow(&mut self, bytes: usize) -> Result<(), MemoryError> {
        let used_bytes = self.used_bytes.saturating_add(bytes as u64);
        if used_bytes > self.granted_bytes {
            self.grant(used_bytes, WhenShort::Wait)?;
        }
        self.used_bytes = used_bytes;
        Ok(())
    }

    /// Like [`Self::grow`], for callers that must not wait, for instance under a lock.
    #[inline]
    pub fn grow_at_once(&mut self, bytes: usize) -> Result<(), MemoryError> {
        let used_bytes = self.used_bytes.saturating_add(bytes as u64);
        if used_bytes > self.granted_bytes {
            self.grant(used_bytes, WhenShort::Refuse)?;
        }
        self.used_bytes = used_bytes;
        Ok(())
    }

    fn grant(&mut self, used_bytes: u64, when_short: WhenShort) -> Result<(), MemoryError> {
        let missing = used_bytes - self.granted_bytes;
        let step = missing.max(self.budget.0.pool.step_bytes());
        // A whole step keeps locking rare; near the limit the last bytes are taken exactly.
        let taken = match self.budget.take(step, self.stage, WhenShort::Refuse) {
            Ok(()) => step,
            Err(_) => {
                self.budget.take(missing, self.stage, when_short)?;
                missing
            }
        };
        self.granted_bytes += taken;
        Ok(())
    }

    /// Removes bytes; they are released when there are enough of them.
    pub fn shrink(&mut self, bytes: usize) {
        self.used_bytes = self.used_bytes.saturating_sub(bytes as u64);
        let spare = self.granted_bytes - self.used_bytes;
        if spare > 2 * STEP_BYTES_MAX {
            let given = spare - STEP_BYTES_MAX;
            self.granted_bytes -= given;
            self.budget.give_back(given);
        }
    }

    /// Takes over the bytes of another permit of the same search.
    pub fn absorb(&mut self, mut other: MemoryPermit) {
        debug_assert!(Arc::ptr_eq(&self.budget.0, &other.budget.0), "permits of one search");
        self.used_bytes += std::mem::take(&mut other.used_bytes);
        self.granted_bytes += std::mem::take(&mut other.granted_bytes);
    }

    /// Bytes in use.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        self.budget.give_back(self.granted_bytes);
    }
}

impl OverBudget {
    /// Returns advice for the user: how to make the search smaller.
    fn remedy(&self) -> &'static str {
        match self.stage {
            "sort" => {
                "put head behind it, leave out long fields with `fields` before it, or narrow the search"
            }
            "stats" | "top" | "timechart" | "facets" => {
                "group by fewer fields or fields with fewer values, or ask for a shorter time range"
            }
            "dedup" => "name fewer fields, use stats, or ask for a shorter time range",
            "patterns" => "narrow the search, or ask for a shorter time range",
            "diff" => "compare fewer groups: narrow the search",
            "context" => "ask for fewer messages around each",
            "rows" => "ask for fewer rows, choose fields with `fields`, or export instead",
            _ => "narrow the search, or ask for a shorter time range",
        }
    }
}

impl std::fmt::Display for OverBudget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (stage, limit) = (self.stage, shown(self.limit_bytes));
        match self.of {
            BudgetOf::Search => write!(
                f,
                "{stage} needs more than the {limit} of memory that one search may use: {}; the limit is the \
                 option page(search-memory())",
                self.remedy()
            ),
            BudgetOf::AllSearches => write!(
                f,
                "{stage} found no memory: the searches that run now use the {limit} that they may use together \
                 (page(searches-memory())); try again in a moment"
            ),
        }
    }
}

impl From<OverBudget> for MemoryError {
    fn from(over: OverBudget) -> MemoryError {
        MemoryError::Over(over)
    }
}

impl From<Stop> for MemoryError {
    fn from(stop: Stop) -> MemoryError {
        MemoryError::Stopped(stop)
    }
}

/// Estimates the memory of a row: its contents, and the overhead of the allocator.
pub(crate) fn document_bytes(document: &Document) -> usize {
    /// Overhead of an allocated block: its header and the rounding.
    const BLOCK_BYTES: usize = 24;
    let fixed =
        [&document.raw, &document.text, &document.host, &document.program, &document.pid, &document.msgid];
    let fixed: usize = fixed.iter().map(|field| field.len() + BLOCK_BYTES).sum();
    let texts = document.source.len() + document.peer.len() + 2 * BLOCK_BYTES;
    let tags: usize = document.tags.iter().map(|tag| size_of::<String>() + tag.len() + BLOCK_BYTES).sum();
    let pair = size_of_val(document.values.as_slice()) + BLOCK_BYTES;
    let values: usize =
        document.values.iter().map(|(name, value, _)| name.len() + value.len() + 2 * BLOCK_BYTES).sum();
    size_of::<Document>() + fixed + texts + tags + pair + values
}

/// Formats a number of bytes for people.
fn shown(bytes: u64) -> String {
    match bytes {
        0..0x400 => format!("{bytes} bytes"),
        0x400..0x10_0000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

#[cfg(test)]
mod tests;
