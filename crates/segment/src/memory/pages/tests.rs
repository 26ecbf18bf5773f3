//! Spare vectors come back empty and large enough, and never more of them than allowed.

use super::*;
use std::sync::MutexGuard;

/// The spare vectors belong to the whole process, so one test at a time uses them.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn what_is_given_back_is_used_again() {
    let _alone = alone();
    let large = LARGE_BYTES_MIN / size_of::<i64>();
    let mut items = with_capacity::<i64>(large);
    items.extend([1, 2, 3]);
    recycle(items);
    let again = with_capacity::<i64>(large);
    assert!(again.is_empty() && again.capacity() >= large);
    assert_eq!(filled(7i64, large), vec![7; large]);
    assert!(with_capacity::<u32>(3).capacity() < LARGE_BYTES_MIN);
}

#[test]
fn there_is_a_limit_to_what_is_spare() {
    let _alone = alone();
    let each = SPARE_BYTES_MAX / 4;
    let all: Vec<Vec<u8>> = (0..6).map(|_| with_capacity(each)).collect();
    all.into_iter().for_each(recycle);
    assert!(
        SPARE_BYTES.load(Relaxed) <= SPARE_BYTES_MAX + each,
        "{} bytes are spare",
        SPARE_BYTES.load(Relaxed)
    );
    release_spare_memory();
}

#[test]
fn unused_memory_is_returned_to_the_system() {
    let _alone = alone();
    // No other test uses vectors of this size; tests that run in parallel may take and return others.
    let odd = 77 << 20;
    let is_kept =
        || i64::spares().change(|spares| spares.iter().any(|spare| spare.items.capacity() == odd / 8));
    recycle::<i64>(Vec::with_capacity(odd / 8));
    assert!(is_kept());
    (0..=SPARE_SEGMENTS).for_each(|_| end_segment());
    assert!(!is_kept());
}
