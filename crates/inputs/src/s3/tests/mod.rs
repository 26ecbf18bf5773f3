//! A source that reads a bucket of prepared answers: objects that come late, connections that break, refusals, a stop and a restart.

use super::*;
use intake::{
    SourceDriver, SourceOptions, Sources,
    testing::{Setup, source_options, spec},
};
use services::{S3Bucket, S3Login};
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::{Arc, Mutex, atomic::Ordering},
    time::Duration,
};
use transport::{
    InternalLog, Registry,
    stats::Counters,
    testing::{Collected, PATIENCE, eventually},
    tls::{SenderTls, TlsOptions},
};
use wire::{Framing, ParseFlags};

/// A bucket, as its server sees it.
#[derive(Default)]
struct Bucket {
    /// Contents by name; the ETag is the length and the first byte.
    objects: BTreeMap<String, Vec<u8>>,
    /// Names that are refused, with the status and the code.
    refused: BTreeMap<String, (u16, &'static str)>,
    /// Bytes of an object after which its next connection breaks.
    breaks_after: Option<usize>,
    /// Requests that came: the path with its query, and the range.
    heard: Vec<String>,
    /// Objects of a page.
    page: usize,
}

#[derive(Clone)]
struct Stub {
    port: u16,
    bucket: Arc<Mutex<Bucket>>,
}

fn etag(content: &[u8]) -> String {
    format!("\"{}-{}\"", content.len(), content.first().copied().unwrap_or_default())
}

impl Stub {
    fn new(objects: &[(&str, &[u8])]) -> Stub {
        let objects = objects.iter().map(|(key, content)| ((*key).to_owned(), content.to_vec())).collect();
        let bucket = Arc::new(Mutex::new(Bucket { objects, page: 2, ..Bucket::default() }));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stub = Stub { port: listener.local_addr().unwrap().port(), bucket };
        let served = stub.clone();
        std::thread::spawn(move || {
            for peer in listener.incoming().flatten() {
                let stub = served.clone();
                std::thread::spawn(move || stub.serve(&peer));
            }
        });
        stub
    }

    fn put(&self, key: &str, content: &[u8]) {
        self.bucket.lock().unwrap().objects.insert(key.to_owned(), content.to_vec());
    }

    fn heard(&self, part: &str) -> usize {
        self.bucket.lock().unwrap().heard.iter().filter(|line| line.contains(part)).count()
    }

    fn serve(&self, peer: &TcpStream) -> Option<()> {
        let mut lines = BufReader::new(peer).lines();
        let mut out = peer;
        loop {
            let first = lines.next()?.ok()?;
            let path = first.split(' ').nth(1)?.to_owned();
            let (mut range, mut condition) = (None, String::new());
            loop {
                let line = lines.next()?.ok()?.to_ascii_lowercase();
                if line.is_empty() {
                    break;
                }
                if let Some(from) = line.strip_prefix("range: bytes=") {
                    range = from.trim_end_matches('-').parse::<usize>().ok();
                }
                if let Some(etag) = line.strip_prefix("if-match: ") {
                    condition = etag.to_owned();
                }
            }
            let mut bucket = self.bucket.lock().unwrap();
            bucket.heard.push(format!("{path} {range:?}"));
            let (head, body, cut) = match path.split_once('?') {
                Some((_, query)) => ("HTTP/1.1 200 x".to_owned(), bucket.list(query).into_bytes(), None),
                None => bucket.object(path.strip_prefix("/logs/")?, range, &condition),
            };
            drop(bucket);
            write!(out, "{head}\r\nContent-Length: {}\r\n\r\n", body.len()).ok()?;
            out.write_all(&body[..cut.unwrap_or(body.len()).min(body.len())]).ok()?;
            if cut.is_some() {
                return peer.shutdown(std::net::Shutdown::Both).ok();
            }
        }
    }
}

impl Bucket {
    fn list(&self, query: &str) -> String {
        let value = |name: &str| {
            query
                .split('&')
                .find_map(|pair| pair.strip_prefix(&format!("{name}=")))
                .map(|value| value.replace("%2F", "/"))
        };
        let behind = value("continuation-token").or(value("start-after")).unwrap_or_default();
        let rest: Vec<_> = self.objects.iter().filter(|(key, _)| **key > behind).collect();
        let entry = |(key, content): &(&String, &Vec<u8>)| {
            format!(
                "<Contents><Key>{key}</Key><ETag>{}</ETag><Size>{}</Size></Contents>",
                etag(content).replace('"', "&quot;"),
                content.len()
            )
        };
        let page = &rest[..rest.len().min(self.page)];
        let next = page.last().map_or("", |(key, _)| key);
        let entries: String = page.iter().map(entry).collect();
        let is_cut = rest.len() > page.len();
        format!(
            "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>{is_cut}</IsTruncated><NextContinuationToken>{next}</NextContinuationToken>{entries}</ListBucketResult>"
        )
    }

    fn object(
        &mut self,
        key: &str,
        range: Option<usize>,
        condition: &str,
    ) -> (String, Vec<u8>, Option<usize>) {
        let refuse = |status: u16, code: &str| {
            (format!("HTTP/1.1 {status} x"), format!("<Error><Code>{code}</Code></Error>").into_bytes(), None)
        };
        if let Some((status, code)) = self.refused.get(key) {
            return refuse(*status, code);
        }
        let Some(content) = self.objects.get(key) else { return refuse(404, "NoSuchKey") };
        if etag(content) != condition {
            return refuse(412, "PreconditionFailed");
        }
        let head = match range {
            Some(from) => format!(
                "HTTP/1.1 206 x\r\nContent-Range: bytes {from}-{}/{}",
                content.len() - 1,
                content.len()
            ),
            None => "HTTP/1.1 200 x".to_owned(),
        };
        (head, content[range.unwrap_or(0)..].to_vec(), self.breaks_after.take())
    }
}

fn options() -> SourceOptions {
    let mut options = source_options();
    options.framing = Framing::Newline;
    options.decode.flags = options.decode.flags.with(ParseFlags::NO_PARSE);
    options
}

fn source(port: u16) -> S3Source {
    S3Source {
        bucket: S3Bucket {
            address: format!("http://127.0.0.1:{port}/logs"),
            region: "us-east-1".to_owned(),
            login: S3Login {
                access_key: "id".to_owned(),
                secret_key: "hidden".to_owned(),
                session_token: None,
            },
            timeout: Duration::from_secs(5),
            tls: SenderTls::new(TlsOptions::default()),
        },
        name: "logs".to_owned(),
        prefix: "a/".to_owned(),
        follow_every: Duration::from_millis(20),
        full_list_every: Duration::ZERO,
        workers: 1,
        old: OldObjects::Read,
        reopen_after: Duration::from_millis(300),
        persist_name: None,
    }
}

fn started(source: S3Source) -> Setup {
    Setup::new(|_| SourceDriver::Input(Arc::new(source)), options())
}

fn health(setup: &Setup) -> Option<String> {
    setup.registry.list().iter().find_map(|counters| counters.trouble())
}

fn texts(collected: &Collected, count: usize) -> Vec<String> {
    collected.wait(count).iter().map(|line| line.rsplit('|').next().unwrap().to_owned()).collect()
}

#[test]
fn objects_are_read_once_and_those_before_them_as_well() {
    let stub =
        Stub::new(&[("a/2", b"three\nfour"), ("a/1", b"one\ntwo\n"), ("a/3", b"five\n"), ("a/4/", b"")]);
    let mut setup = started(source(stub.port));
    assert_eq!(texts(&setup.collected, 5), ["one", "two", "three", "four", "five"]);
    stub.put("a/0", b"before\n");
    assert_eq!(texts(&setup.collected, 6)[5], "before");
    stub.put("a/1", b"one\ntwo\nmore\n");
    assert_eq!(texts(&setup.collected, 9)[6..], ["one", "two", "more"]);
    setup.sources.stop(PATIENCE);
    assert_eq!(setup.collected.count(), 9);
    assert_eq!((stub.heard("a/2 "), stub.heard("a/4/")), (1, 0));
    assert!(stub.heard("/logs?encoding-type=url&list-type=2&max-keys=1000&prefix=a%2F ") > 1);
    let origin = setup.collected.batches(|batches| batches[0].origins[0].file_name.clone());
    assert_eq!(origin, "a/1");
}

#[test]
fn between_looks_at_the_whole_list_only_names_behind_the_last_are_asked_for() {
    let stub = Stub::new(&[("a/1", b"one\n")]);
    let mut setup = started(S3Source { full_list_every: Duration::from_secs(3600), ..source(stub.port) });
    setup.collected.wait(1);
    stub.put("a/2", b"two\n");
    assert_eq!(texts(&setup.collected, 2), ["one", "two"]);
    eventually("the end of the list is asked for", || stub.heard("&start-after=a%2F2") > 0);
    setup.sources.stop(PATIENCE);
    assert_eq!(stub.heard("&prefix=a%2F None"), 1);
}

#[test]
fn a_connection_that_breaks_doubles_nothing() {
    let text: String = (0..20_000).map(|number| format!("line {number}\n")).collect();
    for content in [text.as_bytes().to_vec(), ::zstd::bulk::compress(text.as_bytes(), 1).unwrap()] {
        let is_plain = content.starts_with(b"line");
        let stub = Stub::new(&[("a/1", &content)]);
        stub.bucket.lock().unwrap().breaks_after = Some(content.len() / 2 + 3);
        let mut setup = started(source(stub.port));
        let found = texts(&setup.collected, 20_000);
        setup.sources.stop(PATIENCE);
        assert!(found.iter().enumerate().all(|(number, line)| *line == format!("line {number}")));
        assert_eq!((found.len(), stub.heard("a/1 "), stub.heard("a/1 Some(") == 1), (20_000, 2, is_plain));
    }
}

#[test]
fn a_restart_continues_behind_what_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let stub = Stub::new(&[("a/1", b"one\n"), ("a/2", b"two\n")]);
    let run = |want: usize, holds: bool, collected: &Arc<Collected>| {
        let driver = SourceDriver::Input(Arc::new(source(stub.port)));
        let mut sources = start(folder.path(), driver, collected);
        if holds {
            collected.hold();
        }
        collected.wait(want);
        sources.stop(PATIENCE);
    };
    let collected = Collected::new();
    run(2, false, &collected);
    stub.put("a/3", b"three\n");
    // Nobody acknowledges it, so it comes again.
    let held = Collected::new();
    held.hold();
    run(1, true, &held);
    assert_eq!(texts(&held, 1), ["three"]);
    let last = Collected::new();
    run(1, false, &last);
    assert_eq!(texts(&last, 1), ["three"]);
    stub.put("a/4", b"four\n");
    let later = Collected::new();
    run(1, false, &later);
    assert_eq!(texts(&later, 1), ["four"]);
}

fn start(folder: &Path, driver: SourceDriver, collected: &Arc<Collected>) -> Sources {
    let log = InternalLog::new("test", None);
    let mut sources = Sources::start(Registry::default(), log, 1, Some(&folder.join("positions"))).unwrap();
    let staged = sources.stage(vec![spec(driver, options(), collected.clone())]).unwrap();
    sources.commit(staged);
    sources
}

#[test]
fn an_object_that_is_refused_does_not_stop_the_others() {
    let stub = Stub::new(&[("a/1", b"one\n"), ("a/2", b"two\n"), ("a/3", b"three\n")]);
    stub.bucket.lock().unwrap().refused.insert("a/1".to_owned(), (403, "AccessDenied"));
    let mut setup = started(source(stub.port));
    assert_eq!(texts(&setup.collected, 2), ["two", "three"]);
    let want = "an object is not readable: the server answered 403 AccessDenied; object='a/1'";
    eventually("the refusal shows", || health(&setup).as_deref() == Some(want));
    stub.bucket.lock().unwrap().refused.clear();
    assert_eq!(texts(&setup.collected, 3)[2], "one");
    eventually("it is over", || health(&setup).is_none());
    setup.sources.stop(PATIENCE);
}

#[test]
fn an_object_that_goes_or_is_damaged_is_reported_and_left() {
    let cut = ::zstd::bulk::compress(b"whole\n", 1).unwrap();
    let stub = Stub::new(&[("a/1", b"PAR1 is no text"), ("a/2", &cut[..cut.len() - 1]), ("a/3", b"three\n")]);
    stub.bucket.lock().unwrap().refused.insert("a/3".to_owned(), (404, "NoSuchKey"));
    let mut setup = started(source(stub.port));
    eventually("three objects are left", || {
        let odd = |counters: &Arc<Counters>| counters.frame_errors.load(Ordering::Relaxed);
        setup.registry.list().iter().map(odd).sum::<u64>() >= 3
    });
    stub.bucket.lock().unwrap().refused.clear();
    // The lines before the damaged place are read.
    assert_eq!(texts(&setup.collected, 2), ["whole", "three"]);
    setup.sources.stop(PATIENCE);
    assert_eq!((stub.heard("a/1 "), stub.heard("a/2 ")), (1, 1));
}

#[test]
fn an_identity_tells_every_option_that_needs_a_new_start() {
    use intake::Input;
    let base = source(1);
    let mut others = vec![base.clone(); 8];
    others[0].bucket.login.secret_key = "other".to_owned();
    others[1].prefix = "b/".to_owned();
    others[2].workers = 2;
    others[3].follow_every = Duration::from_secs(1);
    others[4].full_list_every = Duration::from_secs(1);
    others[5].old = OldObjects::Skipped;
    others[6].persist_name = Some("n".to_owned());
    others[7].bucket.region = "eu-1".to_owned();
    for (number, other) in others.iter().enumerate() {
        assert_ne!(base.identity(), other.identity(), "{number}");
        assert!(!other.identity().contains("other") && !base.identity().contains("hidden"));
    }
    assert_eq!((base.identity(), Input::instance(&base)), (base.clone().identity(), "logs,a/".to_owned()));
}
