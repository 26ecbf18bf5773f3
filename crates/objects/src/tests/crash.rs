//! Processes that are killed while they write.

use super::*;
use std::{
    env,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

/// Names the database of the process that is going to be killed.
const CHILD: &str = "DURAMEN_TEST_OBJECTS";

/// Writes until it is killed, and prints each object once it is durable. Does nothing as a test of its own.
#[test]
fn child_writes_until_it_is_killed() {
    let Some(path) = env::var_os(CHILD) else { return };
    let store = Store::open(path.as_ref());
    let request = Request { caller: &caller("eva"), now_us: NOW_US, record: &|_| Ok(()) };
    let first = store.list(&caller("eva"), &Filter::default()).unwrap().len();
    for number in first.. {
        let made = store.create(&request, content(&format!("n{number}"), "x"), "").unwrap();
        let id = &made.summary.id;
        store.change(&request, &at(id, 1), content(&format!("n{number}"), "changed"), "").unwrap();
        let mut out = std::io::stdout();
        writeln!(out, "durable {id}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn what_was_answered_is_there_after_a_kill() {
    let site = Site::new();
    let mut durable = Vec::new();
    for round in 1..=4 {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "tests::crash::child_writes_until_it_is_killed", "--nocapture"])
            .env(CHILD, site.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let ids = lines.by_ref().filter_map(|line| Some(line.split_once("durable ")?.1.to_owned()));
        durable.extend(ids.take(3 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        // Lines that were printed before the kill count as well.
        durable.extend(lines.filter_map(|line| Some(line.split_once("durable ")?.1.to_owned())));
        let store = Store::open(&site.path());
        assert!(store.troubles().is_empty(), "{:?}", store.troubles());
        for id in &durable {
            let object = store.object(&caller("eva"), &id.parse().unwrap()).unwrap();
            assert_eq!((object.summary.revision, &object.content.spec["query"]), (2, &json!("changed")));
        }
        let all = store.list(&caller("eva"), &Filter::default()).unwrap();
        assert!(all.len() >= durable.len() && all.len() <= durable.len() + round, "at most one more a kill");
    }
}
