//! Rows for host and program by the options.

use super::*;
use transport::{HostPolicy, testing::batch};

struct Row {
    keep: bool,
    chain: bool,
    host_override: Option<&'static str>,
    transport: Transport,
}

const PLAIN: Row = Row { keep: false, chain: false, host_override: None, transport: Transport::Tcp };

#[track_caller]
fn check(row: Row, host: &str, want: &str) {
    let mut options = SourceOptions::new("src");
    options.hosts = HostPolicy {
        keep: row.keep,
        chain: row.chain,
        host_override: row.host_override.map(str::to_owned),
        ..HostPolicy::default()
    };
    let origin = Origin {
        source: "src".to_owned(),
        host_from: "hop".to_owned(),
        transport: row.transport,
        ..Origin::default()
    };
    let mut batch = batch(&[&format!("{host}|text")]);
    apply(&mut batch, 0..1, &origin, &options);
    assert_eq!(String::from_utf8_lossy(batch.fixed(0, Field::Host)), want);
}

#[test]
fn hosts() {
    check(PLAIN, "web", "hop");
    check(PLAIN, "", "hop");
    check(Row { keep: true, ..PLAIN }, "web", "web");
    check(Row { keep: true, ..PLAIN }, "", "hop");
    check(Row { chain: true, ..PLAIN }, "web", "web/hop");
    check(Row { chain: true, ..PLAIN }, "", "hop/hop");
    check(Row { chain: true, transport: Transport::UnixDgram, ..PLAIN }, "web", "src@hop");
    check(Row { chain: true, keep: true, ..PLAIN }, "web", "web");
    check(Row { host_override: Some("fixed"), keep: true, ..PLAIN }, "web", "fixed");
    check(Row { chain: true, ..PLAIN }, &"x".repeat(300), &"x".repeat(255));
}

#[test]
fn an_overridden_program_drops_the_tag() {
    let mut options = SourceOptions::new("src");
    options.program_override = Some("cron".to_owned());
    let mut batch = batch(&["h|text"]);
    batch.messages[0].msghdr = batch.add_extra(b"su[1]: ");
    apply(&mut batch, 0..1, &Origin::default(), &options);
    assert_eq!(
        (batch.fixed(0, Field::Program), batch.fixed(0, Field::LegacyMsghdr)),
        (&b"cron"[..], &b""[..])
    );
}
