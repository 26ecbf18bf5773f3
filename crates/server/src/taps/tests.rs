//! Taps under a batch of the test, with a socket for the client.

use super::*;
use message::{Ack, Field, Message, Origin, Stamp};
use std::io::BufRead;

/// A second of the test's clock, in microseconds.
const SECOND_US: i64 = 1_000_000;

fn batch(texts: &[&str], received_us: i64) -> Batch {
    let received = Stamp::known(received_us, 0);
    let mut batch = Batch::new(Arc::default(), vec![Arc::new(Origin::default())], received, Ack::none());
    for text in texts {
        let span = batch.add_extra(text.as_bytes());
        batch.messages.push(Message::default());
        batch.set_fixed(batch.len() - 1, Field::Message, span);
    }
    batch
}

fn place(kind: &'static str, names: &[&str]) -> TapPlace {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    TapPlace { kind, names, point: Arc::default() }
}

fn places() -> Vec<TapPlace> {
    vec![
        place("source", &["s_net", "s_net#0"]),
        place("log", &["main.conf:3", "3", "both"]),
        place("destination", &["d_file", "d_file#0"]),
        place("destination", &["d_file", "d_file#1"]),
        place("destination", &["both"]),
    ]
}

fn request(place: &str) -> TapRequest {
    TapRequest { place: place.into(), template: "$MSG".into(), ..TapRequest::default() }
}

fn open(taps: &Taps, request: &TapRequest, places: &[TapPlace]) -> Result<Session, OpenTapError> {
    taps.open(request, places, &Definitions::default(), Arc::default())
}

/// Checks which places a name finds, by their order, or the error.
#[track_caller]
fn check_place(name: &str, want: Result<&[usize], &str>) {
    let places = places();
    let found = find(&places, name).map_err(|error| error.to_string());
    let order =
        |point: &Arc<TapPoint>| places.iter().position(|place| Arc::ptr_eq(&place.point, point)).unwrap();
    let found = found.map(|points| points.iter().map(order).collect::<Vec<_>>());
    assert_eq!(found, want.map(<[usize]>::to_vec).map_err(str::to_owned), "{name}");
}

#[test]
fn places_are_found_by_name_and_kind() {
    check_place("s_net", Ok(&[0]));
    check_place("source:s_net#0", Ok(&[0]));
    check_place("3", Ok(&[1]));
    check_place("main.conf:3", Ok(&[1]));
    check_place("log:both", Ok(&[1]));
    check_place("destination:both", Ok(&[4]));
    check_place("d_file", Ok(&[2, 3]));
    check_place("d_file#1", Ok(&[3]));
    check_place(
        "both",
        Err("both is the name of several things: write source:both, log:both or destination:both"),
    );
    let known =
        "there are source s_net, log main.conf:3, destination d_file, destination d_file, destination both";
    check_place("x", Err(&format!("there is no source, log path or destination x: {known}")));
    check_place("log:s_net", Err(&format!("there is no source, log path or destination s_net: {known}")));
    check_place("net:s_net", Err(&format!("there is no source, log path or destination net:s_net: {known}")));
}

#[test]
fn as_many_taps_as_allowed_are_open() {
    let (taps, places) = (Taps::default(), places());
    let mut sessions: Vec<Session> =
        (0..TAPS_MAX).map(|_| open(&taps, &request("s_net"), &places).ok().unwrap()).collect();
    for _ in 0..2 {
        let error = open(&taps, &request("s_net"), &places).err().unwrap();
        assert_eq!(error.to_string(), "16 taps are open already");
    }
    assert!(places[0].point.is_open());
    sessions.pop();
    sessions.push(open(&taps, &request("d_file"), &places).ok().unwrap());
    assert!(places[2].point.is_open() && places[3].point.is_open());
    drop(sessions);
    assert!(places.iter().all(|place| !place.point.is_open()));
    assert_eq!(taps.0.load(Relaxed), 0);
}

#[test]
fn copies_are_bounded_by_second_and_by_what_waits() {
    let (sender, batches) = mpsc::sync_channel(2);
    let sampler = |only_counts| Sampler {
        batches: sender.clone(),
        only_counts,
        seen: AtomicU64::new(0),
        missed: AtomicU64::new(0),
        second: AtomicI64::new(0),
        in_second: AtomicU64::new(0),
    };
    let look = |sampler: &Sampler, count: usize, second: i64| {
        let batch = batch(&vec!["x"; count], second * SECOND_US);
        sampler.look(&batch, &Selection::all(count));
        let copied = batches.try_recv().map_or(0, |batch: Batch| batch.len());
        (copied, sampler.seen.load(Relaxed), sampler.missed.load(Relaxed))
    };
    let limited = sampler(false);
    let most = LOOKED_AT_A_SECOND as usize;
    assert_eq!(look(&limited, most - 5, 1), (most - 5, 19_995, 0));
    assert_eq!(look(&limited, 7, 1), (5, 20_002, 2));
    assert_eq!(look(&limited, 3, 1), (0, 20_005, 5));
    assert_eq!(look(&limited, 3, 2), (3, 20_008, 5));
    for _ in 0..2 {
        limited.look(&batch(&["x"], 3 * SECOND_US), &Selection::all(1));
    }
    limited.look(&batch(&["x"], 3 * SECOND_US), &Selection::all(1));
    assert_eq!(limited.missed.load(Relaxed), 6, "two batches wait, and there is no room for a third");
    let counting = sampler(true);
    while batches.try_recv().is_ok() {}
    assert_eq!(look(&counting, 30_000, 1), (0, 30_000, 0));
}

/// Serves one tap of a batch and returns what its client reads.
fn served(request: &TapRequest, texts: &[&str]) -> String {
    let places = places();
    let session = open(&Taps::default(), request, &places).ok().unwrap();
    let (client, peer) = UnixStream::pair().unwrap();
    let batch = batch(texts, SECOND_US);
    places[0].point.pass(&batch, &Selection::all(batch.len()));
    session.serve(peer).unwrap();
    let lines = io::BufReader::new(client).lines();
    lines.map(|line| line.unwrap() + "\n").collect()
}

#[test]
fn a_client_gets_the_lines_that_it_asked_for() {
    let texts = ["one", "two\nlines\n\n", "three", "four"];
    let with = |filter: Option<&str>, template: &str, count| TapRequest {
        filter: filter.map(str::to_owned),
        template: template.to_owned(),
        count: Some(count),
        ..request("s_net")
    };
    assert_eq!(served(&with(None, "$MSG", 3), &texts), "NOK\nMone\nMtwo lines\nMthree\nNend\n");
    assert_eq!(served(&with(None, "\n\n", 1), &texts), "NOK\nM\nNend\n");
    assert_eq!(served(&with(Some("message('r')"), "<$MSG>", 2), &texts), "NOK\nM<three>\nM<four>\nNend\n");
    assert_eq!(served(&with(None, "$MSG", 0), &texts), "NOK\nNend\n");
}

#[test]
fn rates_are_of_the_time_that_passed() {
    let ask = |filter: Option<&str>| TapRequest {
        filter: filter.map(str::to_owned),
        count: Some(1),
        rate: true,
        ..request("s_net")
    };
    // What passed before a long second began.
    let shown = |filter: Option<&str>, missed: u64| {
        let places = places();
        let session = open(&Taps::default(), &ask(filter), &places).ok().unwrap();
        session.sampler.seen.store(500, Relaxed);
        session.sampler.missed.store(missed, Relaxed);
        let second = Instant::now().checked_sub(Duration::from_secs(100)).unwrap();
        let mut progress = Progress {
            shown: 4,
            matched: 300,
            missed: 100,
            looked: second,
            second,
            seen_then: 100,
            matched_then: 100,
        };
        let mut out = Vec::new();
        session.write_rate(&mut progress, &mut out).unwrap();
        let then = (progress.shown, progress.seen_then, progress.matched_then, progress.missed);
        assert_eq!(then, (5, 500, 300, missed));
        assert!(progress.second > second);
        session.write_missed(&mut progress, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(shown(None, 100), "R4 messages/s\n");
    assert_eq!(shown(Some("host(x)"), 100), "R4 messages/s, the filter holds for 2/s\n");
    let besides = "R4 messages/s, the filter holds for 2/s of those that were looked at; 1/s were not\n";
    assert_eq!(shown(Some("host(x)"), 200), besides);
}

#[test]
fn what_was_missed_is_said_once() {
    let places = places();
    let session = open(&Taps::default(), &request("s_net"), &places).ok().unwrap();
    let now = Instant::now();
    let mut progress =
        Progress { shown: 0, matched: 0, missed: 0, looked: now, second: now, seen_then: 0, matched_then: 0 };
    let mut said = || {
        let mut out = Vec::new();
        session.write_missed(&mut progress, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(said(), "");
    session.sampler.missed.store(7, Relaxed);
    assert_eq!(said(), "N7 messages passed that were not looked at\n");
    assert_eq!(said(), "");
    session.sampler.missed.store(9, Relaxed);
    assert_eq!(said(), "N2 messages passed that were not looked at\n");
}

#[test]
fn a_client_that_hung_up_is_gone() {
    let (client, mut peer) = UnixStream::pair().unwrap();
    peer.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    assert!(!is_gone(&mut peer));
    let mut talking = &client;
    talking.write_all(b"x").unwrap();
    assert!(!is_gone(&mut peer));
    drop(client);
    assert!(is_gone(&mut peer));
}
