//! A server and its client on a socket of the test.

use super::*;
use std::io::{BufRead, BufReader};

/// Counts the answers that were written before it heard so.
#[derive(Default)]
struct Echo(Mutex<Vec<String>>);

impl Commands for Echo {
    type Error = String;

    fn answered(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }

    fn command(&self, line: &str) -> Result<String, String> {
        match line {
            "SLOW" => {
                thread::sleep(Duration::from_millis(100));
                Ok(format!("{} answered before", self.0.lock().unwrap().len()))
            }
            "STATS" => Ok("a;b\nc;d\n".into()),
            other => Err(format!("unknown command {other}")),
        }
    }

    fn stream(&self, line: &str) -> Option<Result<Stream, String>> {
        let text = line.strip_prefix("FOLLOW ")?.to_owned();
        Some(match text.as_str() {
            "nothing" => Err("nothing to follow".into()),
            _ => Ok(Box::new(move |mut peer| writeln!(peer, "one {text}\ntwo {text}"))),
        })
    }
}

#[test]
fn answers_and_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ctl");
    let socket = Socket::open(&path, Arc::new(Echo::default())).unwrap();
    assert_eq!(ask(&path, "STATS", ANSWER_TIMEOUT).unwrap(), Reply::Done("a;b\nc;d\n".into()));
    assert_eq!(ask(&path, "DANCE", ANSWER_TIMEOUT).unwrap(), Reply::Failed("unknown command DANCE\n".into()));
    let mut lines = Vec::new();
    let mut keep = |line: &str| {
        lines.push(line.to_owned());
        Ok(true)
    };
    assert!(matches!(follow(&path, "FOLLOW it", &mut keep).unwrap(), Reply::Done(_)));
    assert_eq!(lines, ["one it", "two it"]);
    let refused = follow(&path, "FOLLOW nothing", &mut |_| Ok(true)).unwrap();
    assert_eq!(refused, Reply::Failed("nothing to follow\n".into()));
    assert!(Socket::open(&path, Arc::new(Echo::default())).is_err(), "two servers on one socket");
    drop(socket);
    assert!(!path.exists());
}

#[test]
fn silent_and_slow_clients_keep_nobody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ctl");
    let socket = Socket::open(&path, Arc::new(Echo::default())).unwrap();
    // More than there is room for: each one beyond replaces the oldest.
    let silent: Vec<UnixStream> = (0..CLIENTS_MAX + 4).map(|_| UnixStream::connect(&path).unwrap()).collect();
    (&silent[CLIENTS_MAX]).write_all(b"STA").unwrap();
    let began = Instant::now();
    for _ in 0..3 {
        assert!(matches!(ask(&path, "STATS", ANSWER_TIMEOUT).unwrap(), Reply::Done(_)));
    }
    assert!(began.elapsed() < CLIENT_TIMEOUT / 2, "{:?}", began.elapsed());
    let mut rest = Vec::new();
    let mut first = &silent[0];
    first.set_read_timeout(Some(CLIENT_TIMEOUT)).unwrap();
    assert_eq!(first.read_to_end(&mut rest).unwrap(), 0, "the oldest is still there");
    drop(socket);
}

#[test]
fn closing_waits_for_the_answer_and_a_command_is_done_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ctl");
    let echo = Arc::new(Echo::default());
    let socket = Socket::open(&path, echo.clone()).unwrap();
    let mut peer = UnixStream::connect(&path).unwrap();
    peer.write_all(b"STATS\nSLOW\n").unwrap();
    let mut answers = BufReader::new(peer).lines().map_while(Result::ok);
    assert_eq!(answers.by_ref().take(3).collect::<Vec<_>>(), ["a;b", "c;d", "."]);
    while echo.0.lock().unwrap().is_empty() {
        thread::yield_now();
    }
    let in_flight = socket.in_flight.clone();
    while *in_flight.count.lock().unwrap() == 0 {
        thread::yield_now();
    }
    drop(socket);
    assert_eq!(*in_flight.count.lock().unwrap(), 0, "closed while an answer was being made");
    assert_eq!(answers.take(2).collect::<Vec<_>>(), ["1 answered before", "."]);
}

#[test]
fn only_the_owner_may_use_the_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/ctl");
    let socket = Socket::open(&path, Arc::new(Echo::default())).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let error = Socket::open(&path, Arc::new(Echo::default())).err().unwrap().to_string();
    assert_eq!(error, format!("cannot open control socket {}: another server answers there", path.display()));
    drop(socket);
    // What a server leaves that was killed is replaced.
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    let _socket = Socket::open(&path, Arc::new(Echo::default())).unwrap();
    assert!(matches!(ask(&path, "STATS", ANSWER_TIMEOUT).unwrap(), Reply::Done(_)));
}

#[test]
fn the_reserve_is_released_once() {
    let mut reserve = Reserve::default();
    assert!(!reserve.release(), "there is none yet");
    reserve.fill();
    reserve.fill();
    assert_eq!(reserve.0.len(), RESERVE);
    assert!(reserve.release());
    assert!(reserve.0.is_empty() && !reserve.release());
}

/// Returns what the lines of a client are, if it sends `bytes` and hangs up.
fn lines_of(bytes: &[u8]) -> Vec<Result<String, io::ErrorKind>> {
    let (mut client, server) = UnixStream::pair().unwrap();
    let bytes = bytes.to_vec();
    let sender = thread::spawn(move || {
        // Nobody reads the rest of a line that is too long.
        let _ = client.write_all(&bytes);
    });
    let mut lines = Lines { peer: &server, read: Vec::new() };
    let mut found = Vec::new();
    loop {
        match lines.next(Instant::now() + CLIENT_TIMEOUT) {
            Ok(None) => break,
            Ok(Some(line)) => found.push(Ok(line)),
            Err(error) => {
                found.push(Err(error.kind()));
                break;
            }
        }
    }
    drop(server);
    sender.join().unwrap();
    found
}

#[test]
fn commands_are_whole_lines_within_their_limits() {
    let line = |text: &str| Ok(format!("{text}\n"));
    assert_eq!(lines_of(b"a\n\nbc\nd"), [line("a"), line(""), line("bc")]);
    assert_eq!(lines_of(b"\xff\nb\n"), [Err(io::ErrorKind::InvalidData)]);
    let longest = "x".repeat(COMMAND_BYTES_MAX - 1);
    assert_eq!(lines_of(format!("{longest}\n").as_bytes()), [line(&longest)]);
    assert_eq!(lines_of("x".repeat(COMMAND_BYTES_MAX + 5000).as_bytes()), [Err(io::ErrorKind::InvalidData)]);
    let (_client, server) = UnixStream::pair().unwrap();
    let mut lines = Lines { peer: &server, read: Vec::new() };
    let late = lines.next(Instant::now()).unwrap_err();
    assert_eq!(late.kind(), io::ErrorKind::TimedOut);
}

#[test]
fn clients_at_work_keep_their_place() {
    let clients = Arc::new(Clients::new(2));
    let mut peers = Vec::new();
    let mut admit = || {
        let (peer, server) = UnixStream::pair().unwrap();
        peer.set_read_timeout(Some(CLIENT_TIMEOUT)).unwrap();
        peers.push(peer);
        clients.admit(server)
    };
    let first = admit().unwrap();
    let second = admit().unwrap();
    first.set_busy();
    let third = admit().expect("the second one waits, and goes");
    third.set_busy();
    assert!(admit().is_none(), "all are at work");
    first.set_waiting();
    let fifth = admit().expect("the first one waits, and goes");
    fifth.set_busy();
    drop(third);
    let sixth = admit().expect("there is a place");
    sixth.set_busy();
    assert!(admit().is_none());
    // Those that lost their place find their connection closed.
    for closed in [0, 1] {
        assert_eq!(peers[closed].read(&mut [0]).unwrap(), 0);
    }
    drop((second, sixth));
}
