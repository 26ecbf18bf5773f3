//! A server with prepared answers, and what becomes of the messages.

mod acks;
mod cuts;
mod items;

use crate::http::{
    Compression, HttpReceiver, HttpTarget, IndexSetup, ItemIds, ItemResults, RequestSettings, ResponseAction,
};
use crate::testing::{Timed, row, sent_and_closed};
use delivery::{
    Batches, DeadLetterOptions, DestinationDriver, DestinationSpec, Destinations, LetterSelection, Queueing,
    Receiver, Rendering, RequestLimits, Row,
};
use message::{Ack, Outcome, Outlet, RecordId, WriteBudget};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    sync::{Arc, Mutex, atomic::Ordering},
    time::Duration,
};
use transport::{
    InternalLog, Registry,
    testing::{Text, delivery, eventually, token},
};

/// A server and the requests that came: first line, headers, body.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

type Request = (String, String, Vec<u8>);

/// Gives status and body of the answer to a request; with status 0 the connection is closed instead.
type Answers = dyn FnMut(&Request) -> (u16, String) + Send;

fn serve(
    mut stream: BufReader<std::net::TcpStream>,
    kept: &Mutex<Vec<Request>>,
    answers: &Mutex<Box<Answers>>,
) {
    while let Some(request) = read(&mut stream) {
        let (status, body) = (answers.lock().unwrap())(&request);
        kept.lock().unwrap().push(request);
        if status == 0 {
            return;
        }
        let size = body.len();
        let answer =
            format!("HTTP/1.1 {status} x\r\nLocation: /moved\r\nContent-Length: {size}\r\n\r\n{body}");
        stream.get_mut().write_all(answer.as_bytes()).unwrap();
    }
}

impl Server {
    /// Answers with each status once, the last one forever. 0 closes the connection instead.
    fn answering(statuses: &[u16]) -> Server {
        let mut left = statuses.to_vec();
        Server::speaking(move |_| {
            let status = if left.len() > 1 { left.remove(0) } else { left[0] };
            (status, "ok".to_owned())
        })
    }

    fn speaking(answers: impl FnMut(&Request) -> (u16, String) + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::<Mutex<Vec<_>>>::default();
        let boxed: Box<Answers> = Box::new(answers);
        let (kept, answers) = (requests.clone(), Arc::new(Mutex::new(boxed)));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (kept, answers) = (kept.clone(), answers.clone());
                std::thread::spawn(move || serve(BufReader::new(stream.unwrap()), &kept, &answers));
            }
        });
        Server { port, requests }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/in", self.port)
    }

    #[track_caller]
    fn wait(&self, count: usize) -> Vec<Request> {
        eventually("enough requests", || self.requests.lock().unwrap().len() >= count);
        self.requests.lock().unwrap().clone()
    }

    #[track_caller]
    fn check_bodies(&self, want: &[&str]) {
        let got = self.wait(want.len());
        let bodies: Vec<_> =
            got.iter().map(|(_, _, body)| String::from_utf8_lossy(body).into_owned()).collect();
        assert_eq!(bodies, want);
    }
}

fn read(stream: &mut BufReader<std::net::TcpStream>) -> Option<Request> {
    let (mut first, mut headers) = (String::new(), String::new());
    stream.read_line(&mut first).ok().filter(|size| *size > 0)?;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok().filter(|size| *size > 0)?;
        if line == "\r\n" {
            break;
        }
        headers += &line.to_ascii_lowercase();
    }
    let size =
        headers.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; size];
    stream.read_exact(&mut body).ok()?;
    Some((first.trim_end().to_owned(), headers, body))
}

fn target(urls: &[String]) -> HttpTarget {
    HttpTarget {
        urls: urls.iter().map(|url| Text::boxed(url)).collect(),
        body: Text::boxed("$MSG"),
        body_prefix: String::new(),
        body_suffix: String::new(),
        delimiter: ",".to_owned(),
        batches: Batches { lines: 1, bytes: 0, wait: None, workers: 1, retries: None },
        recovery: Duration::from_millis(100),
        actions: Vec::new(),
        item_results: ItemResults::ByAddress,
        item_ids: ItemIds::OfMessages,
        times: None,
        auth: None,
        header_class: None,
        indexes: IndexSetup::default(),
        acks: None,
        settings: Arc::new(RequestSettings {
            method: "POST".to_owned(),
            headers: vec![("X-Own".to_owned(), "yes".to_owned())],
            compression: Compression::None,
            timeout: Duration::from_secs(5),
            follows_redirects: false,
            proxy: None,
            tls: transport::tls::SenderTls::new(transport::tls::TlsOptions::default()),
        }),
    }
}

struct Setup {
    destinations: Destinations,
    _folder: tempfile::TempDir,
    outlet: Arc<dyn Outlet>,
    registry: Registry,
}

impl Setup {
    fn new(target: HttpTarget) -> Setup {
        let folder = tempfile::tempdir().unwrap();
        let letters = DeadLetterOptions::new(folder.path().join("dead"));
        let spec = DestinationSpec {
            id: "d#0".to_owned(),
            component: "http".to_owned(),
            driver: DestinationDriver::Receiver(Box::new(HttpReceiver::new(target))),
            queueing: Queueing {
                reopen_after: Duration::from_millis(10),
                dead_letters: Some(letters),
                ..Queueing::default()
            },
            rendering: Rendering { template: Text::boxed("") },
        };
        let registry = Registry::default();
        let mut destinations = Destinations::new(registry.clone(), InternalLog::new("test", None));
        let staged = destinations.stage(vec![spec]).unwrap();
        let outlet = staged.outlets()["d#0"].clone();
        destinations.commit(staged);
        Setup { destinations, _folder: folder, outlet, registry }
    }

    fn send(&self, messages: &[&str]) {
        self.outlet.deliver(delivery(messages, Ack::none(), true), &WriteBudget::none());
    }

    /// Messages that are written, dead, dropped.
    fn counts(&self) -> (u64, u64, u64) {
        let counters = &self.registry.list()[0];
        (counters.written.load(Ordering::Relaxed), counters.dead.total(), counters.dropped())
    }

    #[track_caller]
    fn check_counts(&self, written: u64, dead: u64) {
        eventually("all is settled", || self.counts() == (written, dead, 0));
    }
}

#[test]
fn one_message_is_one_request() {
    let server = Server::answering(&[200]);
    let setup = Setup::new(target(&[server.url()]));
    setup.send(&["h|one", "h|two"]);
    server.check_bodies(&["one", "two"]);
    setup.check_counts(2, 0);
    let (first, headers, _) = server.wait(2)[0].clone();
    assert_eq!(first, "POST /in HTTP/1.1");
    let wanted = [
        "x-own: yes",
        "x-syslog-host: h",
        "x-syslog-level: notice",
        "content-type: text/plain",
        "user-agent: duramen/",
    ];
    assert!(wanted.iter().all(|header| headers.contains(header)), "{headers}");
}

/// A target behind the proxy that a server plays.
fn behind(proxy: &Server, url: &str) -> HttpTarget {
    let mut target = target(&[url.to_owned()]);
    let server = delivery::Server { host: "127.0.0.1".to_owned(), port: proxy.port };
    Arc::get_mut(&mut target.settings).unwrap().proxy = Some(server);
    target
}

#[test]
fn a_proxy_is_told_the_whole_address() {
    let proxy = Server::answering(&[200]);
    let setup = Setup::new(behind(&proxy, "http://logs.example/in?x=1"));
    setup.send(&["h|one"]);
    setup.check_counts(1, 0);
    let (first, headers, body) = proxy.wait(1)[0].clone();
    assert_eq!(
        (first.as_str(), body.as_slice()),
        ("POST http://logs.example:80/in?x=1 HTTP/1.1", &b"one"[..])
    );
    assert!(headers.contains("host: logs.example\r\n"), "{headers}");
}

#[test]
fn encrypted_requests_want_a_tunnel() {
    let proxy = Server::answering(&[403]);
    let setup = Setup::new(behind(&proxy, "https://logs.example/in"));
    setup.send(&["h|one"]);
    let (first, ..) = proxy.wait(1)[0].clone();
    assert_eq!(first, "CONNECT logs.example:443 HTTP/1.1");
    assert_eq!(setup.counts(), (0, 0, 0), "it is tried again");
}

#[test]
fn a_batch_is_one_request() {
    let server = Server::answering(&[200]);
    let mut target = target(&[server.url()]);
    (target.batches.lines, target.body_prefix, target.body_suffix) = (3, "[".to_owned(), "]".to_owned());
    let setup = Setup::new(target);
    setup.send(&["h|1", "h|2", "h|3", "h|4"]);
    server.check_bodies(&["[1,2,3]", "[4]"]);
    setup.check_counts(4, 0);
}

#[test]
fn bytes_bound_a_batch() {
    let server = Server::answering(&[200]);
    let mut target = target(&[server.url()]);
    (target.batches.lines, target.batches.bytes) = (100, 7);
    let setup = Setup::new(target);
    setup.send(&["h|123", "h|456", "h|789", "h|longer than all", "h|x"]);
    server.check_bodies(&["123,456", "789", "longer than all", "x"]);
}

#[test]
fn what_stands_around_the_messages_counts() {
    let server = Server::answering(&[200]);
    let mut target = target(&[server.url()]);
    (target.batches.lines, target.batches.bytes) = (100, 11);
    (target.body_prefix, target.body_suffix) = ("[".to_owned(), "]]]".to_owned());
    let setup = Setup::new(target);
    // The first two fill a request to its last byte, the others exceed it by one.
    setup.send(&["h|123", "h|456", "h|789", "h|1234", "h|x"]);
    server.check_bodies(&["[123,456]]]", "[789]]]", "[1234,x]]]"]);
}

#[test]
fn a_batch_waits_to_become_full() {
    let server = Server::answering(&[200]);
    let mut target = target(&[server.url()]);
    (target.batches.lines, target.batches.wait) = (3, Some(Duration::from_millis(150)));
    let setup = Setup::new(target);
    setup.send(&["h|1"]);
    setup.send(&["h|2"]);
    setup.send(&["h|3"]);
    server.check_bodies(&["1,2,3"]);
    setup.send(&["h|4"]);
    server.check_bodies(&["1,2,3", "4"]);
}

/// Sends a message to a server with these answers, the last one for ever: how many requests come, and if it is written or
/// dead.
#[track_caller]
fn check_status(retries: Option<u32>, statuses: &[u16], requests: usize, written: u64, dead: u64) {
    let server = Server::answering(statuses);
    let mut target = target(&[server.url()]);
    target.batches.retries = retries;
    let setup = Setup::new(target);
    let (ack, seen) = token();
    setup.outlet.deliver(delivery(&["h|m"], ack, true), &WriteBudget::none());
    eventually("the token comes back", || *seen.lock().unwrap() == Some(Outcome::Done));
    setup.check_counts(written, dead);
    assert_eq!(server.wait(requests).len(), requests, "{statuses:?}");
}

#[test]
fn statuses_mean_something() {
    check_status(None, &[204], 1, 1, 0);
    check_status(None, &[400], 1, 0, 1);
    check_status(None, &[413], 1, 0, 1);
    // Someone mends it.
    check_status(None, &[401, 403, 404, 302, 407, 200], 6, 1, 0);
    check_status(None, &[500, 200], 2, 1, 0);
    check_status(Some(0), &[500], 1, 0, 1);
    check_status(Some(1), &[500], 2, 0, 1);
    check_status(Some(0), &[429, 200], 2, 1, 0);
    // A connection that was cut is a repeat at once, and one after a pause.
    check_status(Some(0), &[0, 200], 2, 1, 0);
    check_status(None, &[0, 0, 200], 3, 1, 0);
}

#[test]
fn a_message_that_is_refused_costs_itself_only() {
    let server = Server::speaking(|(_, _, body)| {
        let body = String::from_utf8_lossy(body);
        if body.contains("poison") { (400, format!("cannot read {body}")) } else { (200, String::new()) }
    });
    let mut target = target(&[server.url()]);
    target.batches.lines = 100;
    let setup = Setup::new(target);
    let messages: Vec<String> =
        (0..64).map(|number| format!("h|{}{number}", if number == 41 { "poison" } else { "" })).collect();
    setup.send(&messages.iter().map(String::as_str).collect::<Vec<_>>());
    setup.check_counts(63, 1);
    assert_eq!(server.wait(9).len(), 9, "fewer than two for each of six halvings, and the whole");
    let (letters, _) = setup.destinations.dead_letters("d#0").unwrap();
    let mut answers = Vec::new();
    let read = letters.read(&LetterSelection::default(), &mut |_, letter| {
        answers.push(letter.answer);
        true
    });
    assert!(read.is_ok());
    assert_eq!(answers, ["the server answered 400\ncannot read poison41"]);
}

#[test]
fn the_configuration_says_what_a_status_means() {
    let server = Server::answering(&[404, 410, 500, 500, 502, 200]);
    let mut target = target(&[server.url()]);
    target.actions = vec![
        (404, ResponseAction::Success),
        (410, ResponseAction::Drop),
        (500, ResponseAction::Retry),
        (502, ResponseAction::Disconnect),
    ];
    target.batches.retries = Some(1);
    let setup = Setup::new(target);
    setup.send(&["h|1", "h|2", "h|3", "h|4"]);
    server.check_bodies(&["1", "2", "3", "3", "4", "4"]);
    eventually("all is settled", || setup.counts() == (2, 1, 1));
}

#[test]
fn redirections_are_followed_when_allowed() {
    let server = Server::answering(&[307, 200]);
    let mut target = target(&[server.url()]);
    Arc::make_mut(&mut target.settings).follows_redirects = true;
    let setup = Setup::new(target);
    setup.send(&["h|m"]);
    server.check_bodies(&["m", "m"]);
    setup.check_counts(1, 0);
    assert_eq!(server.wait(2)[1].0, "POST /moved HTTP/1.1");
}

#[test]
fn addresses_may_come_from_messages() {
    let server = Server::answering(&[200]);
    let mut target = target(&[server.url() + "/$HOST"]);
    target.batches.lines = 10;
    let setup = Setup::new(target);
    setup.send(&["a|1", "b c\n|2", "a|3"]);
    let mut got: Vec<_> = server.wait(2).into_iter().map(|(first, _, body)| (first, body)).collect();
    got.sort();
    let want = [("POST /in/a HTTP/1.1", b"1,3".to_vec()), ("POST /in/b%20c HTTP/1.1", b"2".to_vec())];
    assert_eq!(got, want.map(|(first, body)| (first.to_owned(), body)));
}

#[test]
fn servers_take_turns_and_stand_in_for_each_other() {
    let (one, two) = (Server::answering(&[200]), Server::answering(&[200]));
    let setup = Setup::new(target(&[one.url(), two.url()]));
    setup.send(&["h|1", "h|2", "h|3", "h|4"]);
    one.check_bodies(&["1", "3"]);
    two.check_bodies(&["2", "4"]);
    setup.check_counts(4, 0);
    let dead = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let alive = Server::answering(&[200]);
    let setup = Setup::new(target(&[format!("http://127.0.0.1:{dead}/"), alive.url()]));
    setup.send(&["h|1", "h|2", "h|3"]);
    alive.wait(3);
    setup.check_counts(3, 0);
}

#[test]
fn bodies_are_packed_when_asked() {
    let server = Server::answering(&[200]);
    let mut target = target(&[server.url()]);
    Arc::make_mut(&mut target.settings).compression = Compression::Gzip;
    let setup = Setup::new(target);
    setup.send(&["h|packed"]);
    let (_, headers, body) = server.wait(1)[0].clone();
    let mut text = String::new();
    flate2::read::GzDecoder::new(&body[..]).read_to_string(&mut text).unwrap();
    assert!(text == "packed" && headers.contains("content-encoding: gzip"), "{text} {headers}");
}

#[test]
fn workers_send_side_by_side() {
    let server = Server::answering(&[200]);
    let mut target = target(&[server.url()]);
    target.batches.workers = 4;
    let setup = Setup::new(target);
    let messages: Vec<String> = (0..40).map(|number| format!("h|{number}")).collect();
    setup.send(&messages.iter().map(String::as_str).collect::<Vec<_>>());
    setup.check_counts(40, 0);
    assert_eq!(server.wait(40).len(), 40);
}

#[test]
fn what_gives_nothing_is_not_sent() {
    let server = Server::answering(&[200]);
    let mut target = target(&[server.url()]);
    target.batches.lines = 3;
    let setup = Setup::new(target);
    setup.send(&["h|1", "h|", "h|2"]);
    server.check_bodies(&["1,2"]);
    setup.check_counts(2, 1);
}

#[test]
fn a_connection_is_used_until_it_is_closed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/in", listener.local_addr().unwrap());
    let mut connection = HttpReceiver::new(target(std::slice::from_ref(&url))).connection();
    let cells = crate::http::body::cells(b"x".to_vec(), None, None);
    let rows = [Row { id: RecordId { incarnation: 1, sequence: 1 }, cells }];
    let says: [&[u8]; 1] = [b"HTTP/1.1 200 x\r\nContent-Length: 0\r\n\r\n"];
    let found = sent_and_closed(listener, &says, &mut *connection, (&url, &rows));
    assert_eq!(found, ("1 Delivered ".to_owned(), true));
}

#[test]
fn a_row_has_addresses_and_a_body() {
    let timed = || Box::<Timed>::default();
    let mut timed_target = HttpTarget { body: timed(), ..target(&["http://a/x".to_owned()]) };
    timed_target.batches.lines = 2;
    let mut receiver = HttpReceiver::new(timed_target);
    assert!(row(&mut receiver, "h|m").starts_with("http://a/x: t77n9,"), "{}", row(&mut receiver, "h|m"));
    let of = |url: &str| HttpReceiver::new(target(&["http://b/".to_owned(), url.to_owned()]));
    assert!(row(&mut of("http://$HOST/$MSG"), "a|x y\n").starts_with("http://b/ http://a/x%20y: "));
    let why = "BadName: the template of url() gives no address";
    for (url, message) in [("http://$HOST", "|x"), ("http://$HOST", "a b|x"), ("/$MSG", "h|x")] {
        assert_eq!(row(&mut of(url), message), why);
    }
    assert_eq!(row(&mut of("http://c/"), "h|"), "Cast: the template of the body gives nothing");
    let mut target = target(&[]);
    target.urls = vec![timed()];
    assert!(row(&mut HttpReceiver::new(target), "h|x").starts_with("t77n9: x,"));
}

#[test]
fn the_configuration_is_kept() {
    let mut target = target(&["http://a/x".to_owned(), "http://$HOST/".to_owned()]);
    (target.batches.lines, target.batches.bytes, target.batches.workers, target.batches.retries) =
        (5, 100, 0, Some(7));
    target.batches.wait = Some(Duration::from_secs(3));
    (target.body_prefix, target.body_suffix) = ("[".to_owned(), "]\n".to_owned());
    let mut receiver = HttpReceiver::new(target);
    // The delimiter behind the last row is not sent.
    let limits = RequestLimits { rows: 5, bytes: 98, wait: Some(Duration::from_secs(3)) };
    assert_eq!((receiver.limits(), receiver.workers(), receiver.batches().retries), (limits, 1, Some(8)));
    assert_eq!(
        (receiver.instance(), receiver.describe("http://a/x", &[])),
        ("http,http://a/x".into(), "http http://a/x".into())
    );
    let settings = receiver.settings();
    assert_eq!(settings[0], "[Some(\"http://a/x\"), None]");
    assert_eq!(settings[1], "\"[\" \"]\\n\" \",\"");
    assert!(
        settings[2] == "0 Some(7) 100ms" && settings[4].starts_with("\"POST\" [(\"X-Own\""),
        "{settings:?}"
    );
    assert_eq!((settings.len(), row(&mut receiver, "h|m").is_empty()), (7, false));
}
