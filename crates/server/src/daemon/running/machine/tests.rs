//! Rows for entries of databases, and names of this machine.

use super::*;

const USERS: &str = "root:x:0:0:The Root:/root:/bin/sh\nanna:x:1000:100::/home/anna:/bin/false\nshort:x:7\n";
const GROUPS: &str = "root:x:0:\nlog:x:5:anna,bob\n";
const SERVICES: &str =
    "# comment\ndomain 53/tcp\ndomain 53/udp # names\nntp 123/udp time clock\nword\nsyslog-tls 6514/tcp\n";
const PROTOCOLS: &str = "ip 0 IP\ntcp 6 TCP # transmission\n";

/// A machine with those databases.
fn machine() -> (ThisMachine, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in
        [("passwd", USERS), ("group", GROUPS), ("services", SERVICES), ("protocols", PROTOCOLS)]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    (ThisMachine::with_databases(folder.path()).unwrap(), folder)
}

#[test]
fn finds_entries() {
    let (machine, _folder) = machine();
    let rows = [
        (Database::Passwd, "root", "", Some("0")),
        (Database::Passwd, "1000", "", Some("anna")),
        (Database::Passwd, "anna", "name", Some("anna")),
        (Database::Passwd, "anna", "uid", Some("1000")),
        (Database::Passwd, "anna", "gid", Some("100")),
        (Database::Passwd, "0", "gecos", Some("The Root")),
        (Database::Passwd, "anna", "gecos", Some("")),
        (Database::Passwd, "anna", "dir", Some("/home/anna")),
        (Database::Passwd, "anna", "shell", Some("/bin/false")),
        (Database::Passwd, "short", "shell", None),
        (Database::Passwd, "bob", "", None),
        (Database::Passwd, "1", "", None),
        (Database::Group, "log", "", Some("5")),
        (Database::Group, "5", "", Some("log")),
        (Database::Group, "5", "name", Some("log")),
        (Database::Group, "log", "gid", Some("5")),
        (Database::Group, "log", "members", Some("anna,bob")),
        (Database::Group, "wheel", "", None),
        (Database::Services, "domain", "", Some("53")),
        (Database::Services, "53/udp", "", Some("domain")),
        (Database::Services, "time", "", Some("123")),
        (Database::Services, "clock/udp", "", Some("123")),
        (Database::Services, "6514", "", Some("syslog-tls")),
        (Database::Services, "ntp/tcp", "", None),
        (Database::Services, "names", "", None),
        (Database::Services, "#", "", None),
        (Database::Services, "word", "", None),
        (Database::Protocols, "tcp", "", Some("6")),
        (Database::Protocols, "6", "", Some("tcp")),
        (Database::Protocols, "udp", "", None),
    ];
    for (database, key, member, want) in rows {
        let found = machine.entry(database, key, member);
        assert_eq!(found.as_deref(), want, "{database:?} {key} {member}");
    }
}

#[test]
fn databases_are_read_again_after_a_while() {
    let (machine, folder) = machine();
    let start = Instant::now();
    let is_new = |after| machine.text("group", start + after).contains("new");
    assert!(!is_new(Duration::ZERO));
    fs::write(folder.path().join("group"), "new:x:9:\n").unwrap();
    assert!(!is_new(KEPT - Duration::from_nanos(1)));
    assert!(is_new(KEPT));
    fs::remove_file(folder.path().join("group")).unwrap();
    assert!(is_new(KEPT * 2 - Duration::from_nanos(1)));
    assert_eq!(&*machine.text("group", start + KEPT * 2), "", "a database that is gone has no entries");
}

#[test]
fn random_numbers_differ() {
    let (machine, _folder) = machine();
    let draw = || {
        let mut bytes = [0; 16];
        machine.fill_random(&mut bytes);
        bytes
    };
    let (one, two) = (draw(), draw());
    assert!(one != two && one != [0; 16]);
}

#[test]
fn an_address_without_a_name_stays_an_address() {
    let (machine, _folder) = machine();
    // Of a network for documentation (RFC 5737): no file of hosts names it.
    let address = "192.0.2.77".parse().unwrap();
    let lookup = NameLookup { hosts_only: true, cached: true, full: true, lower: true };
    assert_eq!(machine.host_name(address, lookup).as_deref(), Some("192.0.2.77"));
}
