//! A live tail that is given messages by hand.

use super::*;
use crate::tests::{
    Server,
    scopes::{member, open, seal, store},
};
use axum::{body::to_bytes, response::IntoResponse};
use logspace::Logspace;
use message::{Ack, Batch, Message, Origin, Selection, Stamp};
use query::ParseOptions;
use std::task::Waker;

/// A server with one logspace, and followers of it.
struct Bench {
    server: Server,
    logspace: Arc<Logspace>,
    _folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let logspace = open(folder.path(), "all", Vec::new());
        let server = Server::with(vec![Arc::new(Scope::local("all", logspace.clone()))]);
        Bench { server, logspace, _folder: folder }
    }

    /// A follower of a query in logspaces that are the same one, each with a filter.
    fn follower(&self, text: &str, filters: &[Option<&str>]) -> Follower {
        let members = filters.iter().map(|filter| member("all", &self.logspace, *filter)).collect();
        let scope = Scope { name: "all".to_owned(), kind: crate::ScopeKind::Local, members };
        let query = Query::parse(text, &ParseOptions::default()).unwrap();
        let state = self.server.state.clone();
        let permit = state.tails.clone().try_acquire_owned().unwrap();
        Follower::new(state, self.server.user("eva"), Arc::new(scope), query, permit)
    }

    /// The next event as the client gets it.
    fn event(&self, follower: &mut Follower) -> Option<String> {
        self.server.runtime.block_on(async { follower.next().await.map(shown) })
    }
}

fn shown(event: Event) -> String {
    let events = futures_util::stream::iter([Ok::<_, Infallible>(event)]);
    let body = Sse::new(events).into_response().into_body();
    let bytes = futures_util::FutureExt::now_or_never(to_bytes(body, usize::MAX)).unwrap().unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Messages of the host a or b in turn, the first with a sequence number.
fn messages(count: usize, bytes: usize, first_sequence: u64) -> Live {
    let received = Stamp::known(4_000_000_000_000_000, 0);
    let mut batch = Batch::new(Arc::default(), vec![Arc::new(Origin::default())], received, Ack::none());
    for number in 0..count {
        let mut message = Message::default();
        message.raw = batch.add_extra("x".repeat(bytes).as_bytes());
        message.text = message.raw;
        message.host = batch.add_extra(if number % 2 == 0 { b"a" } else { b"b" });
        batch.messages.push(message);
    }
    let selection = Selection::all(batch.len());
    Live::Messages { batch: Arc::new(batch), selection, first_sequence }
}

/// How many messages matched and were shown, and where a follower is.
fn counts(follower: &Follower) -> (u64, u64, Vec<u64>) {
    let status = &follower.status;
    (status.matched, status.shown, follower.sources.iter().map(|source| source.next).collect())
}

#[test]
fn messages_are_compared_once_and_within_the_boundary() {
    let bench = Bench::new();
    for (query, filter, want) in [
        ("", None, (6, 6, vec![11])),
        ("host:a", None, (3, 3, vec![11])),
        ("", Some("host:b"), (3, 3, vec![11])),
        ("host:a", Some("host:b"), (0, 0, vec![11])),
    ] {
        let mut follower = bench.follower(query, &[filter]);
        follower.take(0, messages(4, 10, 5));
        // The first two are known.
        follower.take(0, messages(4, 10, 7));
        assert_eq!(counts(&follower), want, "{query} {filter:?}");
    }
}

#[test]
fn rows_carry_the_place_that_their_stream_had_reached() {
    let bench = Bench::new();
    let mut follower = bench.follower("", &[None]);
    follower.take(0, messages(3, 10, 5));
    for want in ["id: 6\n", "id: 7\n", "id: 8\n"] {
        let event = bench.event(&mut follower).unwrap();
        assert!(event.contains("event: row\n") && event.contains(want), "{event}");
    }
    let second = Duration::from_secs(1);
    follower.second = Instant::now().checked_sub(second).unwrap();
    follower.shown_in_second = 400;
    let status = bench.event(&mut follower).unwrap();
    assert!(status.contains("event: status\n"), "{status}");
    assert!(status.contains(r#"{"matched":3,"shown":3,"missed":0,"sequence":8}"#), "{status}");
    assert_eq!(follower.shown_in_second, 0, "a second has begun");
    assert_eq!(follower.memory.used_bytes(), 0, "what was taken is given back");
}

#[test]
fn a_second_shows_five_hundred_rows_and_counts_all() {
    let bench = Bench::new();
    let mut follower = bench.follower("", &[None]);
    follower.take(0, messages(499, 1, 0));
    assert_eq!(counts(&follower), (499, 499, vec![499]));
    follower.take(0, messages(10, 1, 499));
    assert_eq!(counts(&follower), (509, 500, vec![509]));
    follower.shown_in_second = 0;
    follower.take(0, messages(10, 1, 509));
    assert_eq!(counts(&follower), (519, 510, vec![519]));
}

#[test]
fn what_a_tail_was_too_slow_for_is_counted() {
    let bench = Bench::new();
    for (filter, want) in [(None, 12), (Some("host:a"), 2)] {
        let mut follower = bench.follower("", &[filter]);
        follower.take(0, Live::Lagged { messages: 5 });
        follower.take(0, Live::Lagged { messages: 7 });
        assert_eq!(follower.status.missed, want, "{filter:?}: numbers of hidden messages say something");
    }
}

#[test]
fn rows_that_wait_take_a_bounded_memory() {
    let bench = Bench::new();
    let mut follower = bench.follower("", &[None]);
    let document = Document { text: vec![b'x'; 1 << 20], ..Document::default() };
    (0..6).for_each(|_| follower.show(&document));
    assert_eq!((follower.waiting.len(), follower.status.shown), (3, 3), "a fourth would be more than 4 MiB");
    let waiting = follower.memory.used_bytes();
    let sizes: usize = follower.waiting.iter().map(|(_, bytes)| bytes).sum();
    assert_eq!(waiting, sizes as u64);
    // Exactly as much as may wait does.
    let empty = sizes / 3 - (1 << 20);
    let left = WAITING_BYTES_MAX - sizes - empty;
    follower.show(&Document { text: vec![b'x'; left + 1], ..Document::default() });
    assert_eq!(follower.waiting.len(), 3);
    follower.show(&Document { text: vec![b'x'; left], ..Document::default() });
    assert_eq!((follower.waiting.len(), follower.memory.used_bytes()), (4, WAITING_BYTES_MAX as u64));
    // When the searches have taken all memory, rows are left out before that.
    let mut late = bench.follower("", &[None]);
    let pool = bench.server.state.memory();
    let mut taken = Vec::new();
    loop {
        let mut permit = pool.budget(&CancelToken::unlimited()).permit("sort");
        if permit.grow_at_once(16 << 20).is_err() {
            break;
        }
        taken.push(permit);
    }
    loop {
        let mut permit = pool.budget(&CancelToken::unlimited()).permit("sort");
        if permit.grow_at_once(1 << 10).is_err() {
            break;
        }
        taken.push(permit);
    }
    late.show(&document);
    assert_eq!((late.waiting.len(), late.status.shown), (0, 0));
}

#[test]
fn a_tail_begins_behind_what_its_client_has() {
    let bench = Bench::new();
    let mut follower = bench.follower("", &[None, Some("host:a")]);
    let row =
        |member: usize, sequence| Document { sequence: row_number(member, sequence), ..Document::default() };
    // Newest first, as a search has them; of the first member below 5 and of the second below 8 the client has all.
    let rows = [row(1, 9), row(0, 6), row(1, 8), row(0, 5), row(1, 7), row(0, 4), row(7, 50)];
    follower.begin(&[5, 8], &[12, 3], &rows);
    let got = (follower.status.matched, follower.status.shown, counts(&follower).2);
    assert_eq!(got, (4, 4, vec![12, 10]));
    let mut ids = Vec::new();
    while let Some((event, _)) = follower.waiting.pop_front() {
        let text = shown(event);
        let id = text.lines().find_map(|line| line.strip_prefix("id: ")).unwrap().to_owned();
        ids.push(follower.state.ids().ends(&follower.scope, &Id::parse(&id)).ok().unwrap());
    }
    assert_eq!(ids, [[6, 8], [6, 9], [7, 9], [7, 10]], "oldest first");
}

#[test]
fn the_newest_rows_are_sent_again_as_far_as_they_fit() {
    let bench = Bench::new();
    let live = |count, bytes| match messages(count, bytes, 0) {
        Live::Messages { batch, selection, .. } => {
            message::Delivery { batch, selection, ack: Ack::none(), controlled: true, first: None }
        }
        Live::Lagged { .. } => unreachable!(),
    };
    let deliver = |count, bytes| {
        let want = bench.logspace.stats().messages_stored_total + count as u64;
        message::Outlet::deliver(&*bench.logspace, live(count, bytes), &message::WriteBudget::none());
        while bench.logspace.stats().messages_stored_total < want {
            std::thread::yield_now();
        }
        seal(&bench.logspace);
    };
    let found = |limit| {
        let space = Scope::local("all", bench.logspace.clone()).space(&crate::scope::Keyring::new());
        let query = Query::parse("", &ParseOptions::default()).unwrap();
        let search = Search { limit, buckets: 0, ..Search::default() };
        newest(&space, &query, &search).unwrap().1.len()
    };
    // A frame and its text are both counted: 512 KiB each, of 4 MiB.
    deliver(6, 512 << 10);
    assert_eq!((found(10), found(3)), (4, 3));
    deliver(1, 1);
    assert_eq!(found(10), 4, "the small one takes the place of a large one");
}

#[test]
fn sources_take_turns() {
    let bench = Bench::new();
    let mut follower = bench.follower("", &[None, None]);
    store(&bench.logspace, "all", 0, 1);
    let mut context = Context::from_waker(Waker::noop());
    let mut next = |follower: &Follower, turn| {
        loop {
            match poll(&follower.sources, turn, &mut context) {
                Poll::Ready((member, live)) => return (member, live.is_some()),
                Poll::Pending => std::thread::yield_now(),
            }
        }
    };
    // Both have it before anything is asked.
    seal(&bench.logspace);
    assert_eq!(next(&follower, 1), (1, true));
    assert_eq!(next(&follower, 1), (0, true), "the other one's turn comes after the last");
    for (member, want) in [(0, 1), (1, 2)] {
        follower.take(member, messages(1, 1, 50));
        assert_eq!(follower.turn, want);
    }
    store(&bench.logspace, "all", 1, 2);
    seal(&bench.logspace);
    assert_eq!(next(&follower, 2), (0, true));
}

#[test]
fn a_tail_ends_with_the_right_to_it() {
    let bench = Bench::new();
    let second = Duration::from_secs(1);
    let mut follower = bench.follower("", &[None]);
    follower.take(0, messages(3, 1, 0));
    assert!(follower.is_granted().is_ok_and(|is_granted| is_granted));
    bench.server.accounts.revoke("eva", "*", &[Right::Search]).unwrap();
    assert!(bench.event(&mut follower).is_some(), "not checked for every row");
    follower.checked = Instant::now().checked_sub(second).unwrap();
    assert!(bench.event(&mut follower).is_none());
    bench.server.accounts.grant("eva", "*", &[Right::Search]).unwrap();
    assert!(bench.event(&mut follower).is_some());
    assert!(follower.checked.elapsed() < second, "and then not for every row either");
    bench.server.accounts.set_password("eva", "another password").unwrap();
    assert!(follower.is_granted().is_ok_and(|is_granted| !is_granted));
}

#[test]
fn events_have_their_name_and_their_data() {
    let event = shown(json_event("status", &Status::default()));
    assert_eq!(event, "event: status\ndata: {\"matched\":0,\"shown\":0,\"missed\":0,\"sequence\":null}\n\n");
}
