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
    // That file replaces the machine's.
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

/// Names as a hosts file of the test lists them.
struct Hosts {
    names: HostNames,
    runtime: tokio::runtime::Runtime,
    file: tempfile::NamedTempFile,
    policy: HostPolicy,
}

impl Hosts {
    fn new(dns_cache: Option<Duration>) -> Hosts {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        let policy = HostPolicy {
            use_dns: UseDns::PersistOnly,
            dns_cache,
            hosts_file: Some(file.path().into()),
            ..HostPolicy::default()
        };
        Hosts { names: HostNames::start().unwrap(), runtime, file, policy }
    }

    /// Replaces the file atomically, because it may be read at any time.
    fn list(&self, hosts: &str) {
        let fresh = self.file.path().with_extension("new");
        fs::write(&fresh, hosts).unwrap();
        fs::rename(fresh, self.file.path()).unwrap();
    }

    fn name_soon(&self, address: &str) -> String {
        self.runtime.block_on(self.names.name_soon(address.parse().unwrap(), &self.policy))
    }

    fn name(&self, address: &str) -> String {
        self.names.name(address.parse().unwrap(), &self.policy)
    }
}

#[test]
fn a_name_is_kept_as_long_as_the_cache_says() {
    let kept = Hosts::new(Some(Duration::from_secs(3600)));
    kept.list("192.0.2.7 first\n");
    assert_eq!(kept.name_soon("192.0.2.7"), "first");
    kept.list("192.0.2.7 second\n192.0.2.8 other\n");
    assert_eq!(
        (kept.name_soon("192.0.2.7"), kept.name("192.0.2.7")),
        ("first".to_owned(), "first".to_owned())
    );
    assert_eq!(kept.name_soon("192.0.2.8"), "other");
    // Too old at once: the old name is used until the new one arrives.
    let brief = Hosts::new(Some(Duration::ZERO));
    brief.list("192.0.2.7 first\n");
    assert_eq!(brief.name_soon("192.0.2.7"), "first");
    brief.list("192.0.2.7 second\n");
    crate::testing::eventually("the new name", || {
        let name = brief.name("192.0.2.7");
        assert!(name == "first" || name == "second", "{name}");
        name == "second"
    });
}

#[test]
fn an_address_without_a_name_is_kept_as_well() {
    let hosts = Hosts::new(Some(Duration::ZERO));
    hosts.list("192.0.2.8 other\n");
    assert_eq!(hosts.name_soon("192.0.2.7"), "192.0.2.7");
    // A failure has its own, longer time.
    hosts.list("192.0.2.7 late\n");
    let shown = [hosts.name_soon("192.0.2.7"), hosts.name_soon("192.0.2.7")];
    assert_eq!(shown, ["192.0.2.7", "192.0.2.7"]);
}

#[test]
fn a_datagram_does_not_wait_for_its_name() {
    let hosts = Hosts::new(None);
    hosts.list("192.0.2.7 first\n");
    assert_eq!(hosts.name("192.0.2.7"), "192.0.2.7");
    crate::testing::eventually("the name", || hosts.name("192.0.2.7") == "first");
}

#[test]
fn more_names_than_it_keeps_are_asked_again() {
    let hosts = Hosts::new(Some(Duration::from_secs(3600)));
    hosts.list("192.0.2.7 first\n");
    assert_eq!(hosts.name_soon("192.0.2.7"), "first");
    hosts.list("192.0.2.7 second\n");
    let full = |count: u32| {
        let mut known = hosts.names.0.lock();
        for number in 0..count {
            let known_name = Known { name: Some("x".to_owned()), at: Some(Instant::now()) };
            known.insert((IpAddr::from(number.to_be_bytes()), true), known_name);
        }
        known.len()
    };
    assert_eq!(full(CACHED_MAX as u32 - 2), CACHED_MAX - 1);
    assert_eq!(hosts.name_soon("192.0.2.8"), "192.0.2.8");
    assert_eq!(hosts.name("192.0.2.7"), "first", "there was just room");
    hosts.name_soon("192.0.2.9");
    assert_eq!(hosts.name_soon("192.0.2.7"), "second");
    assert!(hosts.names.0.lock().len() <= 3);
}

#[test]
fn messages_without_a_host_carry_the_name_of_this_machine() {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let name = name.trim();
    let short = name.split('.').next().unwrap();
    let policy = HostPolicy::default();
    assert_eq!(own_name(&policy), if short.is_empty() { "localhost" } else { short });
    let full = HostPolicy { fqdn: true, ..policy };
    let shown = own_name(&full);
    assert!(shown == name || shown.starts_with(&format!("{short}.")), "{shown}");
}

#[test]
fn the_machine_is_asked_by_default() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let names = HostNames::start().unwrap();
    let address = "127.0.0.1".parse().unwrap();
    let policy = HostPolicy { fqdn: true, ..HostPolicy::default() };
    let want = sys::name_of(address).unwrap_or_else(|| "127.0.0.1".to_owned());
    assert_eq!(runtime.block_on(names.name_soon(address, &policy)), want);
}
