//! Tasks on reactors, by the names of their threads.

use super::*;
use std::{sync::mpsc::channel, thread::current};

#[test]
fn tasks_take_turns_and_files_have_a_thread_of_their_own() {
    let reactors = Reactors::start(2).unwrap();
    assert_eq!(reactors.count(), 2);
    let (sender, names) = channel();
    let task = || {
        let sender = sender.clone();
        async move { sender.send(current().name().map(str::to_owned)).unwrap() }
    };
    let ran_on = |spawn: &dyn Fn()| {
        spawn();
        names.recv().unwrap().unwrap()
    };
    let on_sockets = || reactors.spawn(task());
    let turns = [ran_on(&on_sockets), ran_on(&on_sockets), ran_on(&on_sockets)];
    assert_eq!(turns, ["reactor 0", "reactor 1", "reactor 0"]);
    assert_eq!(ran_on(&|| reactors.spawn_on_files(task())), "files");
}

#[test]
fn there_is_one_for_each_core_up_to_a_limit() {
    let cores = std::thread::available_parallelism().unwrap().get();
    assert_eq!(Reactors::start(0).unwrap().count(), cores.min(REACTORS_MAX));
    assert_eq!(Reactors::start(REACTORS_MAX + 1).unwrap().count(), REACTORS_MAX);
}

#[test]
fn their_tasks_are_gone_with_them() {
    let reactors = Reactors::start(1).unwrap();
    let held = Arc::new(());
    let (sender, started) = channel();
    let task = || {
        let (kept, sender) = (held.clone(), sender.clone());
        async move {
            sender.send(()).unwrap();
            std::future::pending::<()>().await;
            drop(kept);
        }
    };
    reactors.spawn(task());
    reactors.spawn_on_files(task());
    (0..2).for_each(|_| started.recv().unwrap());
    drop(reactors);
    assert_eq!(Arc::strong_count(&held), 1);
}

#[test]
fn the_last_owner_may_be_one_of_their_tasks() {
    let reactors = Reactors::start(1).unwrap();
    let (sender, ended) = channel();
    let (release, released) = tokio::sync::oneshot::channel::<()>();
    let last = reactors.clone();
    reactors.spawn(async move {
        released.await.unwrap();
        drop(last);
        sender.send(()).unwrap();
    });
    drop(reactors);
    release.send(()).unwrap();
    ended.recv_timeout(crate::testing::PATIENCE).unwrap();
}
