//! Acknowledgements of indexers, by an imitation of Splunk's collector.

use super::{Request, Server, Setup, target};
use crate::http::{AckOptions, HttpTarget};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use transport::testing::eventually;

/// Longer than any of these tests takes.
const LONG: Duration = Duration::from_secs(60);

/// A collector whose answers to events and to questions are prepared; the last ones are given forever.
struct Collector {
    server: Server,
    state: Arc<Mutex<Prepared>>,
}

struct Prepared {
    events: Vec<(u16, String)>,
    questions: Vec<(u16, String)>,
}

fn next(answers: &mut Vec<(u16, String)>) -> (u16, String) {
    if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() }
}

fn is_question(request: &Request) -> bool {
    request.0.starts_with("POST /services/collector/ack?channel=")
}

fn channel(request: &Request) -> String {
    let named = request.1.lines().find_map(|line| line.strip_prefix("x-splunk-request-channel: "));
    named.expect("a channel").trim().to_owned()
}

impl Collector {
    /// The first question of a channel, whether the token has acknowledgements at all, is answered by `first`.
    fn new(events: &[(u16, &str)], first: (u16, &'static str), questions: &[(u16, &str)]) -> Collector {
        let owned = |answers: &[(u16, &str)]| {
            answers.iter().map(|(status, body)| (*status, (*body).to_owned())).collect::<Vec<_>>()
        };
        let state = Arc::new(Mutex::new(Prepared { events: owned(events), questions: owned(questions) }));
        let prepared = state.clone();
        let server = Server::speaking(move |request| {
            let mut prepared = prepared.lock().unwrap();
            match is_question(request) {
                true if request.2 == br#"{"acks":[0]}"# => (first.0, first.1.to_owned()),
                true => next(&mut prepared.questions),
                false => next(&mut prepared.events),
            }
        });
        Collector { server, state }
    }

    fn setup(&self, within: Duration) -> Setup {
        let url = format!("http://127.0.0.1:{}/services/collector/event?channel=&a=b", self.server.port);
        let mut target = HttpTarget {
            acks: Some(AckOptions { within, asked_after: Duration::from_millis(10) }),
            ..target(&[url])
        };
        target.batches.lines = 100;
        Setup::new(target)
    }

    /// Returns the requests with events, and the questions about them.
    fn requests(&self) -> (Vec<Request>, Vec<Request>) {
        let all = self.server.requests.lock().unwrap().clone();
        let all = all.into_iter().filter(|request| request.2 != br#"{"acks":[0]}"#);
        all.partition(|request| !is_question(request))
    }

    fn question(&self, answers: &[(u16, &str)]) {
        self.state.lock().unwrap().questions =
            answers.iter().map(|(status, body)| (*status, (*body).to_owned())).collect();
    }
}

const UNKNOWN: (u16, &str) = (200, r#"{"acks":{"0":false}}"#);
const TAKEN: (u16, &str) = (200, r#"{"text":"Success","code":0,"ackId":7}"#);
const PENDING: (u16, &str) = (200, r#"{"acks":{"7":false}}"#);
const INDEXED: (u16, &str) = (200, r#"{"acks":{"7":true}}"#);

#[test]
fn events_are_written_when_they_are_indexed() {
    let collector = Collector::new(&[TAKEN], UNKNOWN, &[PENDING]);
    let setup = collector.setup(LONG);
    setup.send(&["h|one", "h|two"]);
    eventually("the question", || !collector.requests().1.is_empty());
    assert_eq!(setup.counts(), (0, 0, 0), "it is not indexed yet");
    // The server is busy, closes the connection, knows only other numbers, and says nothing of use.
    collector.question(&[
        (503, r#"{"text":"Server is busy","code":9}"#),
        (0, ""),
        (200, r#"{"acks":{"6":true}}"#),
        (200, r#"{"acks":{"7":"true"}}"#),
        INDEXED,
    ]);
    setup.check_counts(2, 0);
    let (events, questions) = collector.requests();
    let [(first, _, body)] = events.as_slice() else { panic!("{} requests", events.len()) };
    assert_eq!(
        (first.as_str(), body.as_slice()),
        ("POST /services/collector/event?a=b HTTP/1.1", &b"one,two"[..])
    );
    for question in &questions {
        assert_eq!(question.2, br#"{"acks":[7]}"#);
        assert_eq!(channel(question), channel(&events[0]));
        let address = question.0.to_ascii_lowercase();
        assert!(address.contains(&format!("?channel={} ", channel(&events[0]))), "{address}");
    }
    // The next events are of the same channel.
    setup.send(&["h|three"]);
    setup.check_counts(3, 0);
    assert_eq!(channel(&collector.requests().0[1]), channel(&events[0]));
}

#[test]
fn events_that_are_never_indexed_are_sent_again_over_another_channel() {
    let collector = Collector::new(&[TAKEN], UNKNOWN, &[PENDING]);
    let setup = collector.setup(Duration::from_millis(300));
    setup.send(&["h|one"]);
    eventually("they are sent again", || collector.requests().0.len() >= 2);
    assert_eq!(setup.counts(), (0, 0, 0));
    let (events, _) = collector.requests();
    assert_eq!(events[0].2, events[1].2);
    assert_ne!(channel(&events[0]), channel(&events[1]));
    collector.question(&[INDEXED]);
    setup.check_counts(1, 0);
}

#[test]
fn no_events_are_sent_to_a_token_without_acknowledgements() {
    let collector = Collector::new(&[TAKEN], (400, r#"{"text":"ACK is disabled","code":14}"#), &[INDEXED]);
    let setup = collector.setup(LONG);
    setup.send(&["h|one"]);
    collector.server.wait(3);
    assert_eq!((setup.counts(), collector.requests().0.len()), ((0, 0, 0), 0));
}

#[track_caller]
fn check_held(answer: (u16, &str)) {
    let collector = Collector::new(&[answer, answer, TAKEN], UNKNOWN, &[INDEXED]);
    let setup = collector.setup(LONG);
    setup.send(&["h|one"]);
    setup.check_counts(1, 0);
    assert_eq!(collector.requests().0.len(), 3);
}

#[test]
fn what_has_no_number_or_channel_waits() {
    check_held((200, r#"{"text":"Success","code":0}"#));
    check_held((400, r#"{"text":"Data channel is missing","code":10}"#));
    check_held((503, r#"{"text":"Server is busy","code":9}"#));
    // That acknowledgements cannot be asked for is a reason to wait, too, and a number that is no longer known one to send again.
    let collector = Collector::new(
        &[TAKEN],
        UNKNOWN,
        &[
            (403, r#"{"text":"Invalid token","code":4}"#),
            (400, r#"{"text":"ACK is disabled","code":14}"#),
            INDEXED,
        ],
    );
    let setup = collector.setup(LONG);
    setup.send(&["h|one"]);
    setup.check_counts(1, 0);
    assert_eq!(collector.requests().0.len(), 3);
}

#[test]
fn events_before_a_refused_one_have_no_number_and_are_sent_again() {
    let refused = (400, r#"{"text":"Invalid data format","code":6,"invalid-event-number":1}"#);
    let collector = Collector::new(&[refused, TAKEN], UNKNOWN, &[INDEXED]);
    let setup = collector.setup(LONG);
    setup.send(&["h|one", "h|poison", "h|three"]);
    setup.check_counts(2, 1);
    let (events, _) = collector.requests();
    let bodies: Vec<_> =
        events.iter().map(|(_, _, body)| String::from_utf8_lossy(body).into_owned()).collect();
    assert_eq!(bodies[0], "one,poison,three");
    assert!(
        bodies[1..].iter().any(|body| body.contains("one")) && !bodies[1..].concat().contains("poison"),
        "{bodies:?}"
    );
}
