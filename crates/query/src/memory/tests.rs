//! Budgets: memory that is granted, refused, waited for, returned.

#![expect(clippy::disallowed_methods, reason = "others wait for a budget")]

use super::*;
use std::thread;

fn budget(pool: &MemoryPool) -> MemoryBudget {
    pool.budget(&CancelToken::unlimited())
}

#[track_caller]
fn check_refused(result: Result<(), MemoryError>, of: BudgetOf) {
    match result {
        Err(MemoryError::Over(over)) => assert_eq!(over.of, of),
        other => panic!("{other:?}"),
    }
}

#[test]
fn h5_a_search_has_its_budget_and_no_more() {
    let pool = MemoryPool::new(10 << 20, 1 << 20);
    let search = budget(&pool);
    let (mut sort, mut rows) = (search.permit("sort"), search.permit("rows"));
    sort.grow(600 << 10).unwrap();
    rows.grow(400 << 10).unwrap();
    check_refused(rows.grow(100 << 10), BudgetOf::Search);
    // The rest can be used to the last byte.
    let left = (1 << 20) - (1000 << 10);
    rows.grow(left).unwrap();
    check_refused(sort.grow(1), BudgetOf::Search);
    assert_eq!(pool.held_bytes(), 1 << 20);
    drop((sort, rows));
    assert_eq!((pool.held_bytes(), pool.peak_bytes(), pool.released_bytes()), (0, 1 << 20, 1 << 20));
    let over = OverBudget { stage: "sort", limit_bytes: 1 << 20, of: BudgetOf::Search };
    let text = over.to_string();
    for word in ["sort needs more", "1 MiB", "put head behind it", "search-memory()"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn h5_small_steps_cost_no_lock_each() {
    let pool = MemoryPool::new(64 << 20, 64 << 20);
    let mut permit = budget(&pool).permit("stats");
    permit.grow(1).unwrap();
    let held = pool.held_bytes();
    assert_eq!(held, STEP_BYTES_MAX);
    (1..STEP_BYTES_MAX).for_each(|_| permit.grow(1).unwrap());
    assert_eq!((pool.held_bytes(), permit.used_bytes()), (held, held));
    permit.grow(1).unwrap();
    assert_eq!(pool.held_bytes(), 2 * held);
    permit.grow(10 << 20).unwrap();
    permit.shrink(10 << 20);
    assert!(pool.held_bytes() <= 3 * held, "memory is given back as it is used up");
}

#[test]
fn h5_a_search_without_memory_left_waits_for_others() {
    let pool = MemoryPool::new(1 << 20, 1 << 20);
    let mut first = budget(&pool).permit("sort");
    first.grow(1 << 20).unwrap();
    let mut second = budget(&pool).permit("sort");
    check_refused(second.grow_at_once(1), BudgetOf::AllSearches);
    let waiting = thread::spawn(move || second.grow(1000).map(|()| second));
    drop(first);
    let second = waiting.join().unwrap().unwrap();
    assert!(second.used_bytes() == 1000 && pool.held_bytes() >= 1000);
}

#[test]
fn h5_when_all_wait_the_last_one_is_refused() {
    let pool = MemoryPool::new(1 << 20, 1 << 20);
    let searches = [budget(&pool), budget(&pool)];
    let permits = searches.map(|search| {
        let mut permit = search.permit("sort");
        permit.grow(512 << 10).unwrap();
        permit
    });
    let started = Instant::now();
    let both = permits.map(|mut permit| thread::spawn(move || permit.grow(100 << 10)));
    let refused = both.map(|thread| thread.join().unwrap().is_err()).into_iter().filter(|refused| *refused);
    assert_eq!(refused.count(), 1, "one gives up and the other goes on");
    assert!(started.elapsed() < WAIT_MAX);
}

#[test]
fn h5_a_cancelled_search_waits_no_longer() {
    let pool = MemoryPool::new(1 << 20, 1 << 20);
    let mut first = budget(&pool).permit("sort");
    first.grow(1 << 20).unwrap();
    let cancel = CancelToken::new(Arc::new(true.into()), None);
    let mut second = pool.budget(&cancel).permit("sort");
    assert!(matches!(second.grow(1), Err(MemoryError::Stopped(Stop::Cancelled))));
}

#[test]
fn parts_of_a_search_are_joined() {
    let pool = MemoryPool::new(8 << 20, 8 << 20);
    let search = budget(&pool);
    let (mut sum, mut part) = (search.permit("stats"), search.permit("stats"));
    sum.grow(1000).unwrap();
    part.grow(3000).unwrap();
    sum.absorb(part);
    assert_eq!(sum.used_bytes(), 4000);
    drop(sum);
    assert_eq!(pool.held_bytes(), 0);
}
