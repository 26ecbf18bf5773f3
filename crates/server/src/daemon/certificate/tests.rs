//! Certificates of the page under a clock of the test.

use super::*;
use transport::testing::Pki;

/// Keeps what is written to a log.
fn log() -> (InternalLog, Arc<Mutex<Vec<String>>>) {
    let said: Arc<Mutex<Vec<String>>> = Arc::default();
    let echo = said.clone();
    let note = move |severity: Severity, text: &str| {
        echo.lock().unwrap().push(format!("{} {text}", severity.0));
    };
    (InternalLog::new("test", Some(Box::new(note))), said)
}

/// Checks what is said of a certificate that lasts from 1,000,000 to 9,000,000 s.
#[track_caller]
fn check(now: i64, want: &[&str]) {
    let (log, said) = log();
    report(Path::new("/c.pem"), (1_000_000, 9_000_000), now, &log);
    assert_eq!(*said.lock().unwrap(), want, "{now}");
}

#[test]
fn a_certificate_is_reported_before_it_ends_and_after() {
    let early =
        "3 The certificate of the page is not valid yet; file='/c.pem', not_before='1970-01-12T13:46:40Z'";
    let late = "3 The certificate of the page has expired; file='/c.pem', not_after='1970-04-15T04:00:00Z'";
    let soon = |days: i64| {
        format!(
            "4 The certificate of the page expires soon; file='/c.pem', not_after='1970-04-15T04:00:00Z', days='{days}'"
        )
    };
    check(999_999, &[early]);
    check(1_000_000, &[]);
    check(9_000_000 - WARN_BEFORE_S, &[]);
    check(9_000_000 - WARN_BEFORE_S + 1, &[&soon(13)]);
    check(9_000_000 - 86_400, &[&soon(1)]);
    check(9_000_000, &[&soon(0)]);
    check(9_000_001, &[late]);
}

#[test]
fn settings_are_taken_and_changes_that_wait_are_told() {
    let (log, said) = log();
    let page = PageTls::default();
    assert!(page.config().is_none() && page.redirects().is_empty());
    let pki = Pki::new();
    let _ = &pki;
    let spec = |port: u16| PageSpec { redirects: vec![([127, 0, 0, 1], port).into()], ..PageSpec::default() };
    assert!(PageTls::load(&spec(1)).unwrap().is_none());
    page.take(spec(1), None, &log);
    page.take(spec(1), None, &log);
    assert_eq!(*said.lock().unwrap(), Vec::<String>::new());
    page.take(spec(2), None, &log);
    let want = "4 Addresses in redirect-from() change at the next start;";
    assert_eq!(std::mem::take(&mut *said.lock().unwrap()), [want]);
    assert_eq!(page.redirects(), [([127, 0, 0, 1], 2).into()]);
    assert_eq!(*page.policy(), Policy::default());
    let machine = Limits::default();
    assert_eq!(page.limits(machine), machine);
}
