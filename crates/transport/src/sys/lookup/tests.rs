//! Names that the hosts file of any machine has.

use super::*;

#[test]
fn the_resolver_knows_this_machine() {
    // The resolver reads that file first.
    let hosts = std::fs::read_to_string("/etc/hosts").unwrap();
    let listed = hosts.lines().find_map(|line| line.strip_prefix("127.0.0.1")?.split_whitespace().next());
    assert_eq!(name_of(IpAddr::from([127, 0, 0, 1])).as_deref(), listed);
}
