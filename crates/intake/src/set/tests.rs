//! Rows for the identity of sources and the options that they get from their driver.

use super::*;
use crate::{
    PipeSource, ProgramSource, WildcardSource,
    options::{Encryption, Form, ProxyHeader},
    source::Input,
    testing::{Setup, free_port, here, source_options, spec},
};
use std::{
    io::{Read, Write},
    net::{Ipv4Addr, TcpStream},
    os::unix::net::UnixStream,
};
use transport::{
    RefusalReason,
    dtls::ListenerDtls,
    shell::Environment,
    testing::{Collected, PATIENCE, Pki, eventually},
    tls::{ListenerTls, TlsOptions},
};

fn unix() -> ListenAddress {
    ListenAddress::Unix("/run/x".into())
}

fn stream(address: ListenAddress, change: impl Fn(&mut StreamListener)) -> SourceDriver {
    let mut listener = StreamListener::new(address);
    change(&mut listener);
    SourceDriver::Stream(listener)
}

fn datagram(address: ListenAddress, change: impl Fn(&mut DatagramListener)) -> SourceDriver {
    let mut listener = DatagramListener::new(address);
    change(&mut listener);
    SourceDriver::Datagram(listener)
}

fn wildcard() -> SourceDriver {
    SourceDriver::Wildcard(WildcardSource {
        folder: "/var/log".into(),
        pattern: "*.log".to_owned(),
        excluded: None,
        recursive: false,
        files_max: 1,
        from_start: true,
        poll_every: Duration::from_secs(1),
        persist_name: None,
    })
}

fn pipe() -> SourceDriver {
    let path = "/run/pipe".into();
    SourceDriver::Pipe(PipeSource { path, permissions: transport::FilePermissions::default(), folders: None })
}

fn program() -> SourceDriver {
    SourceDriver::Program(ProgramSource {
        command: "tail -f x".to_owned(),
        restart_after: Duration::from_secs(1),
        environment: Environment::Inherited,
    })
}

fn file() -> SourceDriver {
    let poll_every = Duration::from_secs(1);
    SourceDriver::File(FileSource {
        path: "/var/log/x".into(),
        poll_every,
        from_start: true,
        persist_name: None,
    })
}

/// A system that is read.
struct Topics(&'static str);

impl Input for Topics {
    fn identity(&self) -> String {
        format!("topics {}", self.0)
    }

    fn instance(&self) -> String {
        "topics".to_owned()
    }

    fn start(&self, _: InputTask) {}
}

fn topics(password: &'static str) -> SourceDriver {
    SourceDriver::Input(Arc::new(Topics(password)))
}

fn journal(namespace: Option<&str>, folder: Option<&str>) -> SourceDriver {
    SourceDriver::Journal(JournalSource {
        namespace: namespace.map(str::to_owned),
        folder: folder.map(PathBuf::from),
        ..JournalSource::default()
    })
}

/// Checks the beginning of its identity, its third column, and whether it listens to this machine only.
#[track_caller]
fn check(driver: &SourceDriver, identity: &str, instance: &str, is_local: bool) {
    let got = driver.identity();
    assert!(got.starts_with(identity), "{got}");
    assert_eq!((driver.instance().as_str(), driver.is_local()), (instance, is_local), "{identity}");
    let path = matches!(driver, SourceDriver::Stream(_) | SourceDriver::Datagram(_)) && is_local;
    assert_eq!(driver.socket_path(), path.then_some(Path::new("/run/x")));
}

#[test]
fn every_kind_is_known_by_what_it_reads_from() {
    let tcp = "afsocket_sd.(stream,AF_INET(127.0.0.1:5))";
    let udp = "afsocket_sd.(dgram,AF_INET(127.0.0.1:5))";
    check(&stream(here(5), |_| {}), "stream 127.0.0.1:5", tcp, false);
    check(&stream(here(5), |of| of.dialogue = Dialogue::Relp), "relp 127.0.0.1:5", tcp, false);
    let http = Arc::new(crate::HttpOptions::new(1));
    check(&stream(here(5), |of| of.dialogue = Dialogue::Http(http.clone())), "http 127.0.0.1:5", tcp, false);
    check(&stream(unix(), |_| {}), "stream /run/x", "/run/x", true);
    check(&datagram(here(5), |_| {}), "datagram 127.0.0.1:5", udp, false);
    let dtls = ListenerDtls::new(TlsOptions::default());
    check(&datagram(here(5), |of| of.dtls = Some(dtls.clone())), "dtls 127.0.0.1:5", udp, false);
    check(&datagram(unix(), |_| {}), "datagram /run/x", "/run/x", true);
    check(&file(), "file ", "/var/log/x", true);
    check(&wildcard(), "wildcard-file ", "/var/log/*.log", true);
    check(&pipe(), "pipe /run/pipe", "/run/pipe", true);
    check(&program(), "program tail -f x", "tail -f x", true);
    check(&SourceDriver::Stdin, "stdin", "-", true);
    check(&SourceDriver::Internal, "internal", "", true);
    check(&journal(None, None), "journal ", "journal", true);
    check(&journal(Some("app"), None), "journal ", "app", true);
    check(&journal(Some("app"), Some("/j")), "journal ", "/j", true);
    check(&topics("one"), "topics one", "topics", false);
    assert_ne!(topics("one").identity(), topics("two").identity(), "a password was changed");
    check(&SourceDriver::System { with_kernel: true }, "system", "", true);
    check(&SourceDriver::System { with_kernel: false }, "system without the kernel", "", true);
}

/// Checks whether connections continue when one setting of their listener changes.
#[track_caller]
fn check_protocol(change: impl Fn(&mut StreamListener, &mut SourceOptions), want: bool) {
    let tls = Some(ListenerTls::new(TlsOptions::default()));
    let (mut listener, mut options) = (StreamListener::new(here(1)), source_options());
    listener.tls = tls.clone();
    let old = Settings {
        id: "s#0".to_owned(),
        component: "network".to_owned(),
        driver: SourceDriver::Stream(listener.clone()),
        options: Arc::new(options.clone()),
        intake: Collected::new(),
        counters: Registry::default().register("src.network", "s#0", ""),
    };
    change(&mut listener, &mut options);
    assert_eq!(is_same_protocol(&old, &listener, &options), want);
    let other = Settings { driver: SourceDriver::Stdin, ..old };
    assert!(!is_same_protocol(&other, &listener, &options));
}

#[test]
fn connections_go_on_while_their_protocol_stays() {
    check_protocol(|_, _| {}, true);
    check_protocol(|_, options| options.tags.push("x".to_owned()), true);
    check_protocol(|listener, _| listener.idle_timeout = Some(Duration::from_secs(1)), true);
    check_protocol(|listener, _| listener.tls = None, false);
    check_protocol(|listener, _| listener.encryption = Encryption::Detected, false);
    check_protocol(|listener, _| listener.proxy = ProxyHeader::First, false);
    check_protocol(|_, options| options.framing = Framing::OctetCounted, false);
    check_protocol(|_, options| options.form = Form::Gelf, false);
}

#[test]
fn messages_of_this_machine_are_read_as_such() {
    let settings = |driver| {
        let options = SourceOptions { framing: Framing::Auto, ..source_options() };
        settings_of(&Registry::default(), spec(driver, options, Collected::new()))
    };
    for (driver, local, expects_host, framing) in [
        (stream(here(1), |_| {}), false, true, Framing::Auto),
        (stream(unix(), |_| {}), true, true, Framing::Auto),
        (SourceDriver::Stdin, true, true, Framing::Auto),
        (SourceDriver::System { with_kernel: false }, true, false, Framing::Newline),
    ] {
        let settings = settings(driver);
        let plain = source_options().decode.flags;
        let mut want = if local { plain.with(ParseFlags::LOCAL) } else { plain };
        if !expects_host {
            want = want.without(ParseFlags::EXPECT_HOSTNAME);
        }
        assert_eq!((settings.options.decode.flags, settings.options.framing), (want, framing));
        assert_eq!(settings.counters.hears_machine.load(Ordering::Relaxed), local);
        assert_eq!(settings.counters.component, "src.network");
    }
}

#[test]
fn certificates_are_read_before_anything_changes() {
    let pki = Pki::new();
    let missing = || TlsOptions { cert_file: Some(pki.path("none.pem")), ..pki.options("server") };
    let sources = Sources::start(Registry::default(), InternalLog::new("test", None), 1, None).unwrap();
    let stage = |driver| sources.stage(vec![spec(driver, source_options(), Collected::new())]);
    let tls = |options| {
        stream(here(free_port()), |of| of.tls = Some(ListenerTls::new(TlsOptions::clone(&options))))
    };
    let dtls = |options| {
        datagram(here(free_port()), |of| of.dtls = Some(ListenerDtls::new(TlsOptions::clone(&options))))
    };
    assert!(stage(tls(pki.options("server"))).is_ok() && stage(dtls(pki.options("server"))).is_ok());
    for driver in [tls(missing()), dtls(missing())] {
        assert!(matches!(stage(driver).err().unwrap(), StageError::Tls { .. }));
    }
}

#[test]
fn all_listeners_together_have_a_limit() {
    let setup = Setup::tcp(source_options());
    setup.sources.limit_connections(1);
    let mut first = setup.connect();
    first.write_all(b"<13>su: a\n").unwrap();
    setup.collected.wait(1);
    let mut second = setup.connect();
    second.set_read_timeout(Some(PATIENCE)).unwrap();
    assert!(matches!(second.read(&mut [0]), Ok(0) | Err(_)));
    let counters = setup.registry.list().remove(0);
    eventually("refused", || counters.refusals.count(RefusalReason::OpenFiles) == 1);
}

#[test]
fn a_source_that_is_listed_twice_is_read_twice() {
    let generator = || {
        SourceDriver::Generator(crate::Generator {
            count: 1,
            every: Duration::ZERO,
            template: None,
            values: Vec::new(),
        })
    };
    let collected = Collected::new();
    let mut sources = Sources::start(Registry::default(), InternalLog::new("test", None), 1, None).unwrap();
    let specs = || (0..2).map(|_| spec(generator(), source_options(), collected.clone())).collect();
    let staged = sources.stage(specs()).unwrap();
    sources.commit(staged);
    assert_eq!(collected.wait(2).len(), 2);
    // A reload starts them again.
    let staged = sources.stage(specs()).unwrap();
    sources.commit(staged);
    assert_eq!(collected.wait(4).len(), 4);
}

#[test]
fn a_name_in_the_file_system_survives_a_restart_of_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let listener = || {
        let address = ListenAddress::Unix(path.clone());
        SourceDriver::Stream(StreamListener { keep_over_reload: false, ..StreamListener::new(address) })
    };
    let mut setup = Setup::new(|_| listener(), source_options());
    for round in 1..4 {
        UnixStream::connect(&path).unwrap().write_all(b"<13>su: a\n").unwrap();
        setup.collected.wait(round);
        let specs = vec![spec(listener(), source_options(), setup.collected.clone())];
        let staged = setup.sources.stage(specs).unwrap();
        setup.sources.commit(staged);
    }
}

#[test]
fn a_missing_optional_source_is_reported() {
    let log = InternalLog::new("test", None);
    let sources = Sources::start(Registry::default(), log.clone(), 1, None).unwrap();
    let taken = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let driver = stream(here(taken.local_addr().unwrap().port()), |_| {});
    let optional = SourceOptions { optional: true, ..source_options() };
    sources.stage(vec![spec(driver, optional, Collected::new())]).unwrap();
    let text = log.take(9).0.remove(0).text;
    assert!(
        text.starts_with("Cannot open a source, continuing without it; id='s#0', what='afsocket_sd"),
        "{text}"
    );
    assert!(TcpStream::connect(taken.local_addr().unwrap()).is_ok());
}
