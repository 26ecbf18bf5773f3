//! Rows for names and how they are shown.

use super::*;

#[track_caller]
fn check(name: &str, policy: HostPolicy, want: &str) {
    assert_eq!(shown(name, &policy), want);
}

#[test]
fn names_as_the_options_ask() {
    let fqdn = HostPolicy { fqdn: true, ..HostPolicy::default() };
    check("Web.example.com", HostPolicy::default(), "Web");
    check("Web.example.com", fqdn.clone(), "Web.example.com");
    check("Web.example.com", HostPolicy { normalize: true, ..fqdn.clone() }, "web.example.com");
    check("web.a.b", HostPolicy { custom_domain: "c.d".to_owned(), ..fqdn }, "web.c.d");
}

#[test]
fn without_dns_peers_are_numbers() {
    let names = HostNames::start().unwrap();
    let policy = HostPolicy { use_dns: UseDns::No, ..HostPolicy::default() };
    assert_eq!(names.name("192.0.2.1".parse().unwrap(), &policy), "192.0.2.1");
}

#[test]
fn the_hosts_file_is_asked_in_the_background() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let names = HostNames::start().unwrap();
    let policy = HostPolicy { use_dns: UseDns::PersistOnly, ..HostPolicy::default() };
    let name = runtime.block_on(names.name_soon("127.0.0.1".parse().unwrap(), &policy));
    let known = name_in(Path::new(HOSTS), "127.0.0.1".parse().unwrap());
    assert_eq!(name, known.map_or("127.0.0.1".to_owned(), |name| shown(&name, &policy)));
    let unknown = runtime.block_on(names.name_soon("192.0.2.77".parse().unwrap(), &policy));
    assert_eq!(unknown, "192.0.2.77");
}

#[test]
fn the_hosts_of_the_configuration_come_first() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hosts");
    fs::write(&file, "192.0.2.7 printer.example.com printer\n").unwrap();
    let names = HostNames::start().unwrap();
    let policy = HostPolicy {
        use_dns: UseDns::PersistOnly,
        hosts_file: Some(file.into()),
        fqdn: true,
        ..HostPolicy::default()
    };
    let name = |address: &str| runtime.block_on(names.name_soon(address.parse().unwrap(), &policy));
    assert_eq!(name("192.0.2.7"), "printer.example.com");
    // That file stands in the place of the machine's.
    assert_eq!(name("127.0.0.1"), "127.0.0.1");
}

#[test]
fn reads_a_hosts_file() {
    let lines: Vec<_> = hosts_lines("# none\n127.0.0.1 localhost lo # home\n\nbad line\n::1 six\n").collect();
    assert_eq!(
        lines,
        [("127.0.0.1".parse().unwrap(), vec!["localhost", "lo"]), ("::1".parse().unwrap(), vec!["six"]),]
    );
}
