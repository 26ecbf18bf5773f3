//! Rows for the reasons to stop a scan, and for its pace.

use super::*;
use std::{sync::atomic::AtomicUsize, time::Duration};

fn token(is_cancelled: bool, deadline: Option<Instant>) -> CancelToken {
    CancelToken::new(Arc::new(AtomicBool::new(is_cancelled)), deadline)
}

#[track_caller]
fn check(token: &CancelToken, want: Result<(), Stop>) {
    assert_eq!(token.check(), want);
}

#[test]
fn a_flag_and_a_deadline_stop_a_walk() {
    let now = Instant::now();
    let later = now + Duration::from_secs(3600);
    check(&token(false, None), Ok(()));
    check(&token(false, Some(later)), Ok(()));
    check(&token(false, Some(now)), Err(Stop::TimedOut));
    check(&token(true, None), Err(Stop::Cancelled));
    check(&token(true, Some(now)), Err(Stop::Cancelled));
    check(&token(false, Some(now)).without_deadline(), Ok(()));
    check(&token(true, Some(later)).without_deadline(), Err(Stop::Cancelled));
    check(&CancelToken::unlimited(), Ok(()));
}

/// Counts the pauses, and cancels the scan in the middle of one.
#[derive(Debug)]
struct Cancelling {
    pauses: AtomicUsize,
    flag: Arc<AtomicBool>,
}

impl Pace for Cancelling {
    fn pause(&self, check: &dyn Fn() -> Result<(), Stop>) -> Result<(), Stop> {
        self.pauses.fetch_add(1, Ordering::Relaxed);
        check()?;
        self.flag.store(true, Ordering::Relaxed);
        check()
    }

    fn block(&self) {}

    fn unblock(&self) {}
}

#[test]
fn a_paced_walk_pauses_and_may_be_stopped_meanwhile() {
    let flag = Arc::new(AtomicBool::new(false));
    let pace = Arc::new(Cancelling { pauses: AtomicUsize::new(0), flag: flag.clone() });
    let token = CancelToken::new(flag, None).paced(pace.clone());
    assert!(token.pace().is_some() && CancelToken::unlimited().pace().is_none());
    check(&token, Err(Stop::Cancelled));
    assert_eq!(pace.pauses.load(Ordering::Relaxed), 1);
    check(&token.without_deadline(), Err(Stop::Cancelled));
    assert_eq!(pace.pauses.load(Ordering::Relaxed), 1, "a walk that is stopped does not wait for its turn");
}
