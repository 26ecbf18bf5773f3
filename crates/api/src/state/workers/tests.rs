//! Searches of the test, which begin, take long, wait and end as it says.

use super::*;
use std::sync::{
    atomic::AtomicUsize,
    mpsc::{Receiver, SyncSender, channel, sync_channel},
};

/// Work that says what it got, and ends when its sender is dropped.
fn held(said: SyncSender<SearchResources>) -> (SyncSender<()>, Work) {
    let (end, ended) = sync_channel::<()>(0);
    let work = move |turn: SearchResources| {
        said.send(turn).unwrap();
        let _ = ended.recv();
    };
    (end, Box::new(work))
}

fn begun(said: &Receiver<SearchResources>) -> SearchResources {
    said.recv_timeout(Duration::from_secs(10)).unwrap()
}

/// Begins as many searches as one user may; each ends when its sender is dropped.
fn all_of_one(
    workers: &Workers,
    say: &SyncSender<SearchResources>,
    said: &Receiver<SearchResources>,
) -> Vec<SyncSender<()>> {
    let begin = |_| {
        let (end, work) = held(say.clone());
        workers.push("eva", work).unwrap();
        begun(said);
        end
    };
    (0..6).map(begin).collect()
}

#[test]
fn searches_share_the_cores_and_their_threads_end_with_the_server() {
    let workers = Workers::with_cores(8);
    let shared = Arc::clone(&workers.0);
    let (say, said) = sync_channel(1);
    let mut ends = Vec::new();
    for cores in [8, 4, 2, 2, 1] {
        let (end, work) = held(say.clone());
        workers.push("eva", work).unwrap();
        assert_eq!(begun(&said).cores, cores);
        ends.push(end);
    }
    drop(ends);
    drop(workers);
    while Arc::strong_count(&shared) > 1 {
        thread::yield_now();
    }
    let state = shared.locked();
    assert_eq!((state.threads, state.idle), (0, 0));
}

#[test]
fn a_search_whose_client_has_gone_does_not_begin() {
    let workers = Workers::with_cores(1);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (say, said) = sync_channel(1);
    let ends = all_of_one(&workers, &say, &said);
    let count = Arc::new(AtomicUsize::new(0));
    let counted = |by: usize| {
        let count = Arc::clone(&count);
        move |_: SearchResources| count.fetch_add(by, Relaxed)
    };
    // The caller of the first one goes away while it waits.
    runtime.block_on(async {
        let gone = tokio::select! {
            biased;
            done = workers.run("eva", counted(1)) => Some(done.is_ok()),
            () = std::future::ready(()) => None,
        };
        assert_eq!(gone, None, "it waits");
    });
    drop(ends);
    assert!(runtime.block_on(workers.run("eva", counted(10))).is_ok());
    assert_eq!(count.load(Relaxed), 10);
}

#[test]
fn a_bug_in_one_search_is_reported_to_its_caller_alone() {
    let workers = Workers::with_cores(1);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let run = |is_bug: bool| runtime.block_on(workers.run("eva", move |_| assert!(!is_bug, "a bug")));
    assert_eq!(run(true).unwrap_err().to_string(), "the search ended by a bug");
    assert!(run(false).is_ok());
}

#[test]
fn too_many_searches_of_a_user_are_refused_for_now() {
    let workers = Workers::with_cores(1);
    let (say, said) = sync_channel(1);
    let ends = all_of_one(&workers, &say, &said);
    let refused = std::iter::repeat_with(|| workers.push("eva", Box::new(|_| {}))).find_map(Result::err);
    assert_eq!(refused.unwrap().to_string(), "too many searches of eva wait for their turn");
    assert!(workers.push("bob", Box::new(|_| {})).is_ok());
    drop(ends);
}

/// Searches that have begun, without threads: the shared state, and the pace of each.
fn paces(count: usize, ends: Instant) -> (Arc<Shared>, Vec<Slice>) {
    let state = State { turns: Turns::new(1), threads: BEGUN_MAX, idle: 0, is_over: false };
    let (startable, released) = (Condvar::new(), Condvar::new());
    let shared = Arc::new(Shared { state: Mutex::new(state), startable, released, cores: 1 });
    let paces = (0..count).map(|number| {
        let mut state = shared.locked();
        // Another user each: one alone may not begin so many.
        assert!(state.turns.push(&format!("user {number}"), Box::new(|_| {})).is_ok());
        let Start { id, is_held, .. } = state.turns.start().unwrap();
        drop(state);
        let pace = Slice { id, shared: Arc::clone(&shared), ends, is_long: AtomicBool::new(false), is_held };
        // Its first slice is used up; if it is held now, its client is gone.
        let _ = pace.pause(&|| Err(Stop::Cancelled));
        pace
    });
    let paces = paces.collect();
    (shared, paces)
}

fn held_of(paces: &[Slice]) -> Vec<bool> {
    paces.iter().map(|pace| pace.is_held.load(Relaxed)).collect()
}

#[test]
fn a_search_counts_as_long_after_its_first_slice() {
    let (_, short) = paces(8, Instant::now() + Duration::from_secs(3600));
    assert_eq!(held_of(&short), [false; 8]);
    assert!(short.iter().all(|pace| !pace.is_long.load(Relaxed)));
    let (_, long) = paces(8, Instant::now());
    assert!(long.iter().all(|pace| pace.is_long.load(Relaxed)));
    assert_eq!(held_of(&long), [false, false, false, false, false, false, true, true], "six go on at once");
    assert_eq!(format!("{:?}", long[7]), "Slice(7)");
}

#[test]
fn a_search_that_is_not_held_does_not_look() {
    let (_, paces) = paces(8, Instant::now());
    assert_eq!(paces[0].pause(&|| Err(Stop::TimedOut)), Ok(()));
}

#[test]
fn a_held_search_stops_when_its_client_goes_away() {
    let (_, paces) = paces(8, Instant::now());
    let looks = AtomicUsize::new(0);
    let gone = || if looks.fetch_add(1, Relaxed) < 2 { Ok(()) } else { Err(Stop::Cancelled) };
    assert_eq!(paces[7].pause(&gone), Err(Stop::Cancelled));
    assert_eq!(looks.load(Relaxed), 3);
}

/// Lets a held search wait, changes something, and returns once the search goes on.
#[track_caller]
fn goes_on_after(change: impl FnOnce(&Shared, &[Slice])) {
    let (shared, paces) = paces(7, Instant::now());
    assert_eq!(held_of(&paces), [false, false, false, false, false, false, true]);
    let (waits, waiting) = channel();
    thread::scope(|scope| {
        let held = &paces[6];
        let paused = scope.spawn(move || held.pause(&|| waits.send(()).map_err(|_| Stop::Cancelled)));
        waiting.recv_timeout(Duration::from_secs(10)).unwrap();
        change(&shared, &paces);
        assert_eq!(paused.join().unwrap(), Ok(()));
    });
}

#[test]
fn a_held_search_goes_on_when_there_is_room() {
    goes_on_after(|shared, paces| {
        shared.locked().turns.end(paces[0].id);
        shared.released.notify_all();
    });
    goes_on_after(|_, paces| paces[0].block());
    goes_on_after(|shared, _| shared.locked().is_over = true);
}

#[test]
fn a_search_that_waits_for_memory_lets_another_run() {
    let (_, paces) = paces(7, Instant::now());
    paces[2].block();
    assert!(!paces[6].is_held.load(Relaxed));
    paces[2].unblock();
    assert_eq!(held_of(&paces), [false, false, false, false, false, false, true]);
}
