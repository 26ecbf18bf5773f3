//! Objects of several parts at a server that loses requests and answers, while we crash at every request: every message is in one
//! object, once, and nothing is left behind.

mod bucket;
mod life;

use bucket::Fault;
use life::{Life, MESSAGES, World};

/// Runs until everything is stored, with one fault at one request, and checks what the bucket has. Returns the number of requests.
#[track_caller]
fn check(fault: Fault, at: usize, crashes: bool) -> usize {
    let world = World::new();
    world.bucket.lock().unwrap().plan(fault, at);
    let mut life = Life::begin(&world, 1);
    let survived = life.run(&world);
    assert!(survived != crashes || !world.bucket.lock().unwrap().was_reached(), "{fault:?} {at}");
    drop(life);
    if !survived {
        assert!(Life::begin(&world, 1).run(&world));
    }
    // Without parts in the configuration, what was begun ends.
    let mut life = Life::begin(&world, 0);
    assert!(life.run(&world), "{fault:?} {at}");
    let bucket = world.bucket.lock().unwrap();
    let mut numbers = bucket.lines();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..MESSAGES).collect::<Vec<_>>(), "{fault:?} at {at}: {:?}", bucket.log);
    assert_eq!(bucket.uploads_left(), ["foreign"], "{fault:?} at {at}: {:?}", bucket.log);
    bucket.log.len()
}

#[test]
fn without_faults_every_message_is_stored_once() {
    let world = World::new();
    let mut life = Life::begin(&world, 1);
    assert!(life.run(&world));
    let bucket = world.bucket.lock().unwrap();
    assert!(bucket.log.iter().any(|line| line.starts_with("POST complete")), "{:?}", bucket.log);
    assert!(bucket.objects.values().all(|object| object.len() <= life::OBJECT_BYTES), "{:?}", bucket.log);
    drop(bucket);
    assert!(check(Fault::None, 0, false) > 10);
}

#[test]
fn a_lost_request_or_answer_doubles_and_loses_nothing() {
    let requests = check(Fault::None, 0, false);
    for at in 0..requests {
        check(Fault::LostAnswer, at, false);
        check(Fault::LostRequest, at, false);
        check(Fault::Busy, at, false);
    }
}

#[test]
fn a_crash_at_any_request_doubles_and_loses_nothing() {
    let requests = check(Fault::None, 0, false);
    for at in 0..requests {
        check(Fault::CrashBefore, at, true);
        check(Fault::CrashAfter, at, true);
    }
}

#[test]
fn an_error_behind_a_status_of_success_is_no_success() {
    let requests = check(Fault::None, 0, false);
    for at in 0..requests {
        check(Fault::ErrorInBody, at, false);
    }
}

#[test]
fn an_upload_that_is_gone_or_broken_begins_again() {
    let requests = check(Fault::None, 0, false);
    for at in 0..requests {
        check(Fault::Gone, at, false);
        check(Fault::BrokenParts, at, false);
    }
}
