//! A flag on the thread of the test.

use super::*;

#[test]
fn a_stop_shortens_every_wait_to_the_same_end() {
    let far = Instant::now() + Duration::from_secs(60);
    assert_eq!(limit(far), far, "a thread without a flag");
    let flag = Arc::<AtomicBool>::default();
    obey(flag.clone());
    assert_eq!(limit(far), far);
    flag.store(true, Ordering::Relaxed);
    let end = limit(far);
    assert!(end <= Instant::now() + LAST_TRY && patience(far) <= LAST_TRY);
    assert_eq!(limit(far), end, "the next try has what the first one left");
    assert_eq!(limit(end - LAST_TRY), end - LAST_TRY);
}
