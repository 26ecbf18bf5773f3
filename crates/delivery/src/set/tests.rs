//! What is checked before a destination starts, how destinations are called, and what their full queues do.

use super::*;
use crate::{
    FileTarget, GelfTarget, MailTarget, Packing, PipeTarget, ProgramTarget, PseudofileTarget, Queueing,
    RelpTarget, SpoofTarget, TerminalTarget, Victim,
    testing::{file_target, spec},
};
use std::fs;
use transport::{
    FilePermissions,
    dtls::SenderDtls,
    shell::Environment,
    testing::{PATIENCE, Pki},
    tls::TlsOptions,
};

fn tcp() -> SocketTarget {
    SocketTarget::new(SocketKind::Tcp("logs.example".to_owned(), 601))
}

fn mail(starttls: Option<SenderTls>, tls: Option<SenderTls>) -> DestinationDriver {
    let socket = SocketTarget { tls, ..tcp() };
    DestinationDriver::Mail(Box::new(MailTarget {
        socket,
        starttls,
        login: None,
        answer_within: PATIENCE,
        retries: 0,
    }))
}

fn encrypted(tls: SenderTls) -> SocketTarget {
    SocketTarget { tls: Some(tls), ..tcp() }
}

fn relp(socket: SocketTarget) -> DestinationDriver {
    DestinationDriver::Relp(RelpTarget { socket, response_within: PATIENCE })
}

fn destinations() -> Destinations {
    Destinations::new(Registry::default(), InternalLog::new("test", None))
}

#[test]
fn certificates_are_read_before_a_destination_starts() {
    let pki = Pki::new();
    let lost = TlsOptions { ca_file: Some(pki.path("none.pem")), ..TlsOptions::default() };
    let tls = |options: &TlsOptions| SenderTls::new(options.clone());
    let drivers = |options: &TlsOptions| {
        let dtls = SocketKind::Dtls("logs.example".to_owned(), 6514, SenderDtls::new(options.clone()));
        [
            DestinationDriver::Socket(encrypted(tls(options))),
            DestinationDriver::Socket(SocketTarget::new(dtls)),
            relp(encrypted(tls(options))),
            mail(Some(tls(options)), None),
            mail(None, Some(tls(options))),
        ]
    };
    for driver in drivers(&lost) {
        let name = driver.instance();
        let staged = destinations().stage(vec![spec(driver, "")]);
        assert!(matches!(&staged, Err(StageError::Tls { id, .. }) if id == "d#0"), "{name}");
    }
    for driver in drivers(&pki.options("client")) {
        assert!(destinations().stage(vec![spec(driver, "")]).is_ok());
    }
}

#[test]
fn a_key_that_waits_for_its_password_holds_up_no_start() {
    let pki = Pki::new();
    let key = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
    fs::write(pki.path("client.key"), key).unwrap();
    let destinations = destinations();
    let tls = SenderTls::new(pki.options("client"));
    let staged = destinations.stage(vec![spec(DestinationDriver::Socket(encrypted(tls)), "")]);
    assert!(staged.is_ok(), "{:?}", staged.err());
    let (said, _) = destinations.log.take(9);
    assert!(said[0].text.starts_with("Encrypted connections must wait; id='d#0'"), "{}", said[0].text);
}

#[test]
fn two_destinations_cannot_have_one_id() {
    let spec = || spec(DestinationDriver::Stdout, "");
    let staged = destinations().stage(vec![spec(), spec()]);
    assert!(matches!(staged, Err(StageError::Twice { id }) if id == "d#0"));
}

#[test]
fn each_kind_has_a_name() {
    let unix = || SocketTarget::new(SocketKind::UnixDatagram("/dev/log".into()));
    let spoof = |socket| SpoofTarget { socket, message_bytes_max: 1024, interface: None };
    let gelf = |socket| GelfTarget { socket, packing: Packing::None, chunk_bytes: 1_420 };
    let udp = || SocketTarget::new(SocketKind::Udp("logs.example".to_owned(), 514));
    let dtls = SocketKind::Dtls("h".to_owned(), 6514, SenderDtls::new(TlsOptions::default()));
    let pipe = PipeTarget { path: "/run/x".into(), permissions: FilePermissions::default(), folders: None };
    let program = ProgramTarget {
        command: "cat >x".to_owned(),
        keep_over_reload: true,
        environment: Environment::Inherited,
    };
    let stream = SocketKind::UnixStream("/dev/log".into());
    for (driver, want) in [
        (DestinationDriver::Socket(tcp()), "tcp,logs.example:601"),
        (DestinationDriver::Socket(udp()), "udp,logs.example:514"),
        (DestinationDriver::Socket(SocketTarget::new(dtls)), "dtls,h:6514"),
        (DestinationDriver::Socket(unix()), "unix-dgram,localhost.afunix:/dev/log"),
        (DestinationDriver::Socket(SocketTarget::new(stream)), "unix-stream,localhost.afunix:/dev/log"),
        (DestinationDriver::Spoof(spoof(udp())), "udp,logs.example:514"),
        (relp(tcp()), "relp,logs.example:601"),
        (mail(None, None), "smtp,logs.example:601"),
        (DestinationDriver::Gelf(gelf(udp())), "gelf,logs.example:514"),
        (DestinationDriver::Gelf(gelf(unix())), "gelf,/dev/log"),
        (DestinationDriver::Pipe(pipe), "/run/x"),
        (DestinationDriver::Pseudofile(PseudofileTarget { path: "/dev/kmsg".into() }), "/dev/kmsg"),
        (DestinationDriver::Program(program), "cat >x"),
        (DestinationDriver::Terminals(TerminalTarget { user: "*".to_owned() }), "*"),
        (DestinationDriver::Stdout, "-"),
    ] {
        assert_eq!(driver.instance(), want);
    }
}

#[test]
fn a_full_queue_does_what_its_option_says() {
    let file = |name: &str| {
        DestinationDriver::File(FileTarget { trusted_prefix: "/logs/".to_owned(), ..file_target(name) })
    };
    assert_eq!(
        (file("/logs/$HOST").instance(), file("/logs/a").instance()),
        ("/logs/".into(), "/logs/a".into())
    );
    let found = |driver: DestinationDriver, on_full: OverflowPolicy| {
        let queueing = Queueing { on_full, ..Queueing::default() };
        DestinationSpec { queueing, ..spec(driver, "") }.when_full()
    };
    let stdout = || DestinationDriver::Stdout;
    assert!(matches!(found(file("a"), OverflowPolicy::ByPath), WhenFull::HoldsBack));
    assert!(matches!(found(stdout(), OverflowPolicy::ByPath), WhenFull::Drops));
    assert!(matches!(found(stdout(), OverflowPolicy::Hold), WhenFull::HoldsBack));
    let dropping = OverflowPolicy::Drop(Victim::Oldest);
    assert!(matches!(found(file("a"), dropping), WhenFull::DropsAll(Victim::Oldest)));
    assert!(matches!(found(stdout(), dropping), WhenFull::DropsAll(Victim::Oldest)));
}
