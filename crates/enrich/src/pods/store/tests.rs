//! Pods that come and go, waits, and bounds.

use super::*;
use serde_json::json;
use std::thread;

const LIMIT: usize = 1 << 20;

fn pod(name: &str, uid: &str, container: &str, note: usize) -> Pod {
    let object = json!({
        "metadata": {"namespace": "n", "name": name, "uid": uid, "annotations": {"note": "x".repeat(note)}},
        "status": {"containerStatuses": [{"name": "c", "containerID": format!("containerd://{container}")}]},
    });
    Pod::read(&object).unwrap()
}

fn link<'p>(pod: &'p str, id: &'p str) -> LogFile<'p> {
    LogFile { namespace: "n", pod, container: "c", instance: Instance::Container(id) }
}

fn folder<'p>(pod: &'p str, uuid: &'p str) -> LogFile<'p> {
    LogFile { namespace: "n", pod, container: "c", instance: Instance::Pod(uuid) }
}

#[track_caller]
fn check(store: &PodStore, file: LogFile<'_>, want: &str) {
    let shown = match store.find(&file, Duration::ZERO) {
        PodLookup::Known(pod) => pod.uid.clone(),
        PodLookup::Missing => "missing".to_owned(),
        PodLookup::Failed => "failed".to_owned(),
    };
    assert_eq!(shown, want, "{file:?}");
}

fn uids(list: &[&str]) -> HashSet<String> {
    list.iter().map(|uid| (*uid).to_owned()).collect()
}

#[test]
fn pods_that_are_gone_stay_for_their_files() {
    let store = PodStore::default();
    check(&store, link("a", "1"), "failed");
    store.put(pod("a", "u1", "1", 0), LIMIT);
    store.listed(&uids(&["u1"]));
    check(&store, link("a", "1"), "u1");
    check(&store, link("b", "1"), "missing");
    // A container whose status is not known yet.
    check(&store, link("a", "2"), "u1");
    check(&store, folder("a", "u2"), "missing");
    store.delete(pod("a", "u1", "1", 0), LIMIT);
    check(&store, link("a", "1"), "u1");
    // The next pod of the name is not there yet: it is not the one before.
    check(&store, link("a", "9"), "missing");
    store.put(pod("a", "u2", "2", 0), LIMIT);
    check(&store, link("a", "1"), "u1");
    check(&store, link("a", "2"), "u2");
    check(&store, link("a", "9"), "u2");
    check(&store, folder("a", "u1"), "u1");
    // Another list without them.
    store.listed(&uids(&[]));
    check(&store, link("a", "2"), "u2");
    let mut inner = store.inner();
    let now = Instant::now() + GONE_KEPT;
    inner.forget_unused(now);
    assert_eq!((inner.bytes, inner.pods.len(), inner.names.len()), (0, 0, 0));
}

#[test]
fn what_does_not_fit_is_left_out_and_pods_that_are_gone_go_first() {
    let store = PodStore::default();
    let bytes = pod("u1", "u1", "u1", 1000).bytes();
    let limit = 3 * bytes;
    for uid in ["u1", "u2", "u3"] {
        assert!(store.put(pod(uid, uid, uid, 1000), limit));
    }
    assert!(!store.put(pod("u4", "u4", "u4", 1000), limit), "all others are there");
    store.delete(pod("u2", "u2", "u2", 1000), limit);
    store.delete(pod("u1", "u1", "u1", 1000), limit);
    // The one that was used last stays.
    check(&store, link("u1", "u1"), "u1");
    check(&store, link("u2", "u2"), "u2");
    check(&store, link("u1", "u1"), "u1");
    assert!(store.put(pod("u4", "u4", "u4", 1000), limit));
    store.listed(&uids(&["u3", "u4"]));
    for (uid, want) in [("u1", "u1"), ("u2", "missing"), ("u3", "u3"), ("u4", "u4")] {
        check(&store, link(uid, uid), want);
    }
    // One that grows beyond the limit is forgotten: what was known of it would be wrong.
    assert!(!store.put(pod("u3", "u3", "u3", 9000), limit));
    check(&store, link("u3", "u3"), "missing");
    assert_eq!(store.lookups.counts().cache_bytes, store.inner().bytes as u64);
    assert!(store.inner().bytes <= limit);
}

#[test]
fn a_wait_ends_when_the_pod_comes_or_the_server_fails() {
    let store = Arc::new(PodStore::default());
    let find = |name: &'static str| {
        let store = store.clone();
        thread::spawn(move || store.find(&link(name, "1"), Duration::from_secs(60)))
    };
    let waiting = find("a");
    store.put(pod("a", "u1", "1", 0), LIMIT);
    assert!(matches!(waiting.join().unwrap(), PodLookup::Known(_)));
    let waiting = find("b");
    let fault = Fault::server("down");
    store.failed(&fault, Duration::from_secs(1));
    assert_eq!(waiting.join().unwrap(), PodLookup::Failed);
    // While it fails nobody waits.
    assert_eq!(store.find(&link("c", "1"), Duration::from_secs(60)), PodLookup::Failed);
    assert!(!store.works(), "one failure is none that leaves it alone");
    let pauses: Vec<bool> = (0..3).map(|_| store.failed(&fault, Duration::from_secs(1)).is_some()).collect();
    assert_eq!(pauses, [false, false, true], "a pause begins with the third failure");
    assert!(store.works());
}

#[test]
fn after_a_wait_in_vain_nobody_waits_for_a_while() {
    let store = PodStore::default();
    store.listed(&HashSet::new());
    let patience = Duration::from_millis(50);
    let start = Instant::now();
    assert_eq!(store.find(&link("a", "1"), patience), PodLookup::Missing);
    assert!(start.elapsed() >= patience);
    let rests_until = store.inner().rests_until.unwrap();
    assert!(rests_until >= start + patience * REST_FACTOR);
    assert_eq!(store.find(&link("b", "1"), Duration::from_secs(600)), PodLookup::Missing);
    store.put(pod("b", "u", "1", 0), LIMIT);
    check(&store, link("b", "1"), "u");
}
