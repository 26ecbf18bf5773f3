//! Logins, limits and declarations with a broker of a few lines.

use super::*;
use crate::{
    amqp::{
        confirms::tests::closed,
        options::AmqpExchange,
        tests::{say, shared, start, tune},
    },
    testing::runtime,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use transport::amqp::AmqpLogin;

/// Opens a session with a broker that says these things, each after it heard something. Returns the outcome, and what the
/// broker heard.
fn open(says: &[Vec<u8>], change: impl FnOnce(&mut Shared)) -> (String, Vec<u8>) {
    runtime().block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let mut shared = shared(listener.local_addr().expect("an address").port());
        change(&mut shared);
        let serve = async {
            let (mut peer, _) = listener.accept().await.expect("a connection");
            let (mut all, mut heard) = (Vec::new(), [0; 4096]);
            for part in says {
                let size = peer.read(&mut heard).await.unwrap_or_default();
                all.extend_from_slice(&heard[..size]);
                let _ = peer.write_all(part).await;
            }
            // The end of the session, or what it says at last.
            let _ = peer.read_to_end(&mut all).await;
            all
        };
        let open = async {
            match Session::open(&shared).await {
                Ok(session) => format!("{} {:?}", session.frame_bytes, session.heartbeat),
                Err(failure) => format!("{:?}: {}", failure.verdict, failure.answer),
            }
        };
        tokio::join!(open, serve)
    })
}

#[track_caller]
fn check(says: &[Vec<u8>], change: impl FnOnce(&mut Shared), want: &str) {
    assert_eq!(open(says, change).0, want);
}

fn opened() -> Vec<u8> {
    say(0, (10, 41), b"\0")
}

fn channel() -> Vec<u8> {
    say(1, (20, 11), b"\0\0\0\0")
}

fn selected() -> Vec<u8> {
    say(1, (85, 11), b"")
}

fn beats(ours: u16) -> impl FnOnce(&mut Shared) {
    move |shared| shared.heartbeat = ours
}

#[test]
fn both_sides_agree_on_limits() {
    let with =
        |frame_bytes, heartbeat| [start(), tune(frame_bytes, heartbeat), opened(), channel(), selected()];
    check(&with(4096, 0), beats(0), "4096 0ns");
    check(&with(0, 60), beats(0), "131072 0ns");
    check(&with(1 << 20, 60), beats(30), "131072 30s");
    check(&with(131_072, 7), beats(30), "131072 7s");
    check(&with(131_072, 0), beats(30), "131072 30s");
    let small =
        "Later(Reopen): the server breaks its protocol: its frames are smaller than the protocol allows";
    check(&with(4095, 0), beats(0), small);
}

#[test]
fn a_login_that_fails_holds_everything() {
    let login = |says: &[Vec<u8>], want: &str| check(says, |_| {}, want);
    let refused = closed(0, (10, 50), 403, "ACCESS_REFUSED - Login was refused");
    login(&[start(), refused], "Hold(Credentials): 403 ACCESS_REFUSED - Login was refused");
    let missing = closed(0, (10, 50), 530, "NOT_ALLOWED - vhost x not found");
    login(&[start(), tune(4096, 0), missing], "Hold(Access): 530 NOT_ALLOWED - vhost x not found");
    let going = closed(0, (10, 50), 320, "CONNECTION_FORCED");
    login(&[start(), going], "Later(Reopen): 320 CONNECTION_FORCED");
    check(
        &[start()],
        |shared| shared.login = AmqpLogin::External,
        "Hold(Credentials): the broker does not offer the login EXTERNAL, but: AMQPLAIN PLAIN",
    );
    let breach = |what: &str| format!("Later(Reopen): the server breaks its protocol: {what}");
    login(&[selected()], &breach("it does not greet"));
    login(&[start(), selected()], &breach("it does not answer the login"));
    login(&[start(), tune(0, 0), selected()], &breach("it does not open the virtual host"));
    login(&[start(), tune(0, 0), opened(), selected()], &breach("it answers what was not asked"));
    login(&[b"AMQP\0\0\x09\x01".to_vec()], &breach("it speaks another version of AMQP than 0-9-1"));
    login(&[b"HTTP/1.1 400".to_vec()], &breach("this is no broker of AMQP 0-9-1"));
    login(&[vec![1, 0, 0, 0xff, 0, 0, 0]], &breach("a frame is longer than was agreed"));
    login(&[vec![]], "Later(Reopen): the server did not answer within 0.2 seconds");
}

#[test]
fn an_exchange_is_made_as_it_is() {
    let topic = |shared: &mut Shared| {
        shared.exchange = AmqpExchange { name: "logs".to_owned(), declared_as: Some("topic".to_owned()) };
    };
    let begin = [start(), tune(4096, 0), opened(), channel()];
    let declared = say(1, (40, 11), b"");
    check(&[&begin[..], &[declared.clone(), selected()]].concat(), topic, "4096 0ns");
    let other =
        |arg: &str| closed(1, (20, 40), 406, &format!("PRECONDITION_FAILED - inequivalent arg '{arg}'"));
    let again = [&begin[..], &[other("durable"), channel(), declared, selected()]].concat();
    let (found, heard) = open(&again, topic);
    assert_eq!(found, "4096 0ns");
    let made = |bits: &[u8]| [&b"\0\x28\0\x0a\0\0\x04logs\x05topic"[..], bits].concat();
    let has = |bits: &[u8]| heard.windows(made(bits).len()).any(|bytes| bytes == made(bits));
    assert!(has(b"\x02") && has(b"\0"), "durable, then not");
    check(
        &[&begin[..], &[other("type")]].concat(),
        topic,
        "Hold(Schema): 406 PRECONDITION_FAILED - inequivalent arg 'type'",
    );
    let twice = [&begin[..], &[other("durable"), channel(), other("type")]].concat();
    check(&twice, topic, "Hold(Schema): 406 PRECONDITION_FAILED - inequivalent arg 'type'");
}

#[test]
fn a_login_says_who_we_are() {
    let (_, heard) = open(&[start(), tune(4096, 0), opened(), channel(), selected()], |_| {});
    let has = |bytes: &[u8]| heard.windows(bytes.len()).any(|part| part == bytes);
    assert!(heard.starts_with(b"AMQP\0\0\x09\x01"));
    assert!(has(b"\x05PLAIN\0\0\0\x0a\0me\0secret\x05en_US"));
    assert!(has(b"\x12connection.blockedt\x01"));
    assert!(has(b"\0\x0a\0\x1f\0\x01\0\0\x10\0\0\0\xce"), "one channel, frames of 4096 bytes, no heartbeat");
}

#[test]
fn a_session_that_rests_shows_that_it_lives() {
    runtime().block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let mut shared = shared(listener.local_addr().expect("an address").port());
        shared.heartbeat = 10;
        let says = [start(), tune(4096, 10), opened(), channel(), selected()];
        let serve = async {
            let (mut peer, _) = listener.accept().await.expect("a connection");
            peer.set_nodelay(true).expect("an option");
            let mut heard = [0; 4096];
            for part in says {
                let _ = peer.read(&mut heard).await;
                let _ = peer.write_all(&part).await;
            }
            peer
        };
        let (session, mut peer) = tokio::join!(Session::open(&shared), serve);
        let Ok(session) = session else { panic!("a session") };
        let due = session.next_heartbeat().expect("a heartbeat");
        assert!(due > Instant::now() + Duration::from_secs(4));
        peer.write_all(HEARTBEAT).await.expect("it fits");
        let mut session = session.beat().await.expect("a session");
        let mut heard = [0; HEARTBEAT.len()];
        peer.read_exact(&mut heard).await.expect("a heartbeat");
        assert_eq!((heard.as_slice(), session.heard.1), (HEARTBEAT, 1));
        assert!(session.next_heartbeat().is_some_and(|next| next > due));
        // It has heard nothing for more than two heartbeats.
        session.heard.0 = Instant::now().checked_sub(Duration::from_secs(21)).expect("a time");
        assert!(session.beat().await.is_none());
    });
}
