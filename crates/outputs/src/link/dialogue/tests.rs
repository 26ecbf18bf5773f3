//! Dialogues with a server of a few lines.

use super::*;
use tokio::{
    io::{AsyncWriteExt, DuplexStream, duplex},
    runtime::Builder,
};

/// Waits for lines, and says a word for each `?`.
struct Lines {
    awaited: usize,
    found: Vec<String>,
}

impl Dialogue for Lines {
    fn take(&mut self, received: &[u8], out: &mut Vec<u8>) -> Result<usize, Breach> {
        let mut used = 0;
        while let Some(end) = received[used..].iter().position(|byte| *byte == b'\n') {
            let line = String::from_utf8_lossy(&received[used..used + end]).into_owned();
            used += end + 1;
            match line.as_str() {
                "?" => out.extend_from_slice(b"word"),
                "!" => return Err(Breach("it shouts")),
                _ => {
                    self.awaited = self.awaited.saturating_sub(1);
                    self.found.push(line);
                }
            }
        }
        Ok(used)
    }

    fn awaited(&self) -> usize {
        self.awaited
    }
}

async fn serve(mut peer: DuplexStream, parts: &[&[u8]], asked: usize) {
    for part in parts {
        if peer.write_all(part).await.is_err() {
            return;
        }
    }
    let mut taken = vec![0; asked];
    let _ = peer.read_exact(&mut taken).await;
}

/// Compares the end of a dialogue: two answers that are awaited from a server that says some parts and then reads some bytes.
#[track_caller]
fn check(parts: &[&[u8]], reads: usize, asks: usize, want: &str) {
    check_within(Duration::from_secs(20), parts, (reads, asks), want);
}

#[track_caller]
fn check_within(patience: Duration, parts: &[&[u8]], (reads, asks): (usize, usize), want: &str) {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let found = runtime.block_on(async {
        let said: usize = parts.iter().map(|part| part.len()).sum();
        let (near, far) = duplex(if said > 10_000 { 1 << 16 } else { 64 });
        let mut lines = Lines { awaited: 2, found: Vec::new() };
        let mut link = Link::new(Box::new(near));
        let done = {
            let talk = link.exchange(vec![b'x'; asks], &mut lines, patience);
            let mut talk = std::pin::pin!(talk);
            tokio::select! {
                done = &mut talk => done,
                () = serve(far, parts, reads) => talk.await,
            }
        };
        match done {
            Ok(()) => format!("{:?} rest={}", lines.found, link.has_rest()),
            Err(error) => format!("{error} after {:?}", lines.found),
        }
    });
    assert_eq!(found, want);
}

#[test]
fn answers_come_in_any_pieces_and_while_we_write() {
    check(&[b"one\ntwo\n"], 1000, 1000, "[\"one\", \"two\"] rest=false");
    check(&[b"o", b"ne\nt", b"wo\n"], 10, 10, "[\"one\", \"two\"] rest=false");
    // More than fits between the two: both write at once.
    let long = [b'y'; 500];
    check(
        &[&long, b"\n", &long, b"\n"],
        1000,
        1000,
        &format!("{:?} rest=false", ["y".repeat(500), "y".repeat(500)]),
    );
    check(&[b"one\ntwo\nth"], 1, 1, "[\"one\", \"two\"] rest=true");
}

#[test]
fn what_a_server_does_wrong_ends_the_dialogue() {
    check(&[b"one\n"], 10, 10, "the server closed the connection after [\"one\"]");
    check(&[b"one\n", b"!\n"], 1, 1, "the server breaks its protocol: it shouts after [\"one\"]");
    let endless = vec![b'y'; ANSWER_BYTES_MAX + 1];
    check(&[&endless], 1, 1, "the server breaks its protocol: its answer is too long after []");
    let questions = b"?\n".repeat(REPLIES_BYTES_MAX / 4 + 1);
    check(&[&questions], 1 << 21, 1, "the server breaks its protocol: it asks too much of us after []");
    // The most that is allowed of both.
    let closed = "the server closed the connection after []";
    check(&[&endless[1..]], 1, 1, closed);
    check(&[&questions[2..]], REPLIES_BYTES_MAX + 1, 1, closed);
    let short = Duration::from_millis(50);
    let silent = "the server did not answer within 0.05 seconds after";
    check_within(short, &[b"one\n"], (11, 10), &format!("{silent} [\"one\"]"));
    // Questions are no progress.
    check_within(short, &[&questions[..200]], (1 << 21, 1), &format!("{silent} []"));
}

#[test]
fn a_connection_is_given_back_while_nothing_was_said() {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        for (said, want) in
            [("one\n", Ok(())), ("one\ntwo", Err(Breach("it speaks before the connection is encrypted")))]
        {
            let (near, mut far) = duplex(64);
            let mut link = Link::new(Box::new(near));
            let mut lines = Lines { awaited: 1, found: Vec::new() };
            far.write_all(said.as_bytes()).await.expect("it fits");
            link.exchange(Vec::new(), &mut lines, Duration::from_secs(5)).await.expect("a line");
            let given = link.into_stream();
            assert_eq!(given.as_ref().map(drop).map_err(|breach| *breach), want);
            if let Ok(mut stream) = given {
                stream.write_all(b"x").await.expect("it is open");
                assert_eq!(far.read_u8().await.expect("a byte"), b'x');
            }
        }
    });
}

#[test]
fn errors_have_words() {
    let reset: LinkError = io::Error::from(io::ErrorKind::ConnectionReset).into();
    assert_eq!(reset.to_string(), "connection reset");
    let failure = Failure::from(LinkError::Breach(Breach("x")));
    assert_eq!(failure, Failure::unreachable("the server breaks its protocol: x"));
    assert!(failure.is_of_connection());
}

/// A connection to a peer, and a dialogue that awaits some lines.
fn pair(room: usize, awaited: usize) -> (Link, DuplexStream, Lines) {
    let (near, far) = duplex(room);
    (Link::new(Box::new(near)), far, Lines { awaited, found: Vec::new() })
}

#[test]
fn what_a_slow_server_did_not_take_is_sent_first() {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (mut link, mut far, mut lines) = pair(4, 1);
        let short = Duration::from_millis(20);
        let silent = link.exchange(b"abcdefgh".to_vec(), &mut lines, short).await;
        assert!(matches!(silent, Err(LinkError::Silent(_))) && link.unsent() == 4);
        let mut taken = [0; 10];
        let answer = async {
            far.read_exact(&mut taken).await.expect("all of it");
            far.write_all(b"one\n").await.expect("it fits");
        };
        let patience = Duration::from_secs(5);
        let (done, ()) = tokio::join!(link.exchange(b"ij".to_vec(), &mut lines, patience), answer);
        assert!(done.is_ok() && link.unsent() == 0);
        assert_eq!((&taken, lines.found), (b"abcdefghij", vec!["one".to_owned()]));
    });
}

#[test]
fn signs_of_life_are_sent_while_a_dialogue_waits() {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (mut link, mut far, mut lines) = pair(64, 1);
        link.set_pulse(Some(Pulse { every: Duration::from_millis(5), bytes: b"." }));
        let answer = async {
            let mut taken = [0; 4];
            far.read_exact(&mut taken).await.expect("two signs of life");
            far.write_all(b"one\n").await.expect("it fits");
            taken
        };
        let patience = Duration::from_secs(5);
        let (done, taken) = tokio::join!(link.exchange(b"ab".to_vec(), &mut lines, patience), answer);
        assert!(done.is_ok());
        assert_eq!(&taken, b"ab..");
        // They do not make a silent server one that answers.
        lines.awaited = 1;
        let silent = link.exchange(Vec::new(), &mut lines, Duration::from_millis(50)).await;
        assert!(matches!(silent, Err(LinkError::Silent(_))));
    });
}

#[test]
fn what_has_arrived_is_read_without_waiting() {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (mut link, mut far, mut lines) = pair(64, 2);
        link.read_arrived(&mut lines).await.expect("nothing");
        far.write_all(b"one\ntw").await.expect("it fits");
        link.read_arrived(&mut lines).await.expect("a line");
        assert_eq!((lines.found.as_slice(), link.has_rest()), (&["one".to_owned()][..], true));
        far.write_all(b"o\n").await.expect("it fits");
        drop(far);
        let closed = link.read_arrived(&mut lines).await;
        assert!(matches!(closed, Err(LinkError::Io(_))) && lines.found.len() == 2);
    });
}
