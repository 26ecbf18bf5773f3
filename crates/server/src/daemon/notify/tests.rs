//! Messages to a service manager of the test.

use super::*;

fn notifier(name: &OsStr) -> Notifier {
    Notifier { socket: Some(Arc::new(connect(name).unwrap())), ..Notifier::default() }
}

/// Returns the messages that a manager gets.
fn heard(manager: &UnixDatagram) -> Vec<String> {
    manager.set_nonblocking(true).unwrap();
    let mut bytes = [0; 500];
    let mut next =
        || manager.recv(&mut bytes).ok().map(|count| String::from_utf8_lossy(&bytes[..count]).into_owned());
    std::iter::from_fn(&mut next).collect()
}

#[test]
fn states_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    let notifier = notifier(path.as_os_str());
    notifier.ready("Running");
    notifier.stopping();
    assert_eq!(heard(&manager), ["READY=1\nSTATUS=Running\n", "STOPPING=1\nSTATUS=Shutting down\n"]);
    let clock = || {
        let now = clock_gettime(ClockId::Monotonic);
        i128::from(now.tv_sec) * 1_000_000 + i128::from(now.tv_nsec) / 1_000
    };
    let before = clock();
    notifier.reloading();
    let [text] = heard(&manager).try_into().unwrap();
    let (head, rest) = text.split_once("MONOTONIC_USEC=").unwrap();
    let (time, status) = rest.split_once('\n').unwrap();
    assert_eq!((head, status), ("RELOADING=1\n", "STATUS=Reloading the configuration\n"));
    assert!((before..=clock()).contains(&time.parse().unwrap()), "{time}");
}

#[test]
fn addresses_are_paths_or_abstract_names() {
    let name = format!("duramen-test-{}", process::id());
    let manager = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    notifier(OsStr::new(&format!("@{name}"))).ready("x");
    assert_eq!(heard(&manager), ["READY=1\nSTATUS=x\n"]);
    assert_eq!(connect(OsStr::new("relative")).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    assert!(connect(OsStr::new("/nowhere/socket")).is_err());
    Notifier::default().ready("nobody listens");
}

#[test]
fn a_loop_that_stands_still_is_not_alive() {
    let notifier = Notifier::default();
    assert!(!notifier.is_alive());
    notifier.alive();
    assert!(notifier.is_alive());
    let seen = |ago: Duration| {
        *notifier.last_seen_alive.lock().unwrap() = Instant::now().checked_sub(ago);
        notifier.is_alive()
    };
    assert!(seen(STANDSTILL - Duration::from_secs(5)));
    assert!(!seen(STANDSTILL));
}
