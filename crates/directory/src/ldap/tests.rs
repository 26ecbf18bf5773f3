//! Conditions of searches, the order of servers, and servers that are not there.

use super::*;
use crate::{options::*, rules::GroupRules};
use std::net::TcpListener;
use transport::tls::TlsOptions;

pub(crate) fn options() -> LdapOptions {
    LdapOptions {
        servers: Vec::new(),
        tls: TlsOptions::default(),
        allows_plain: true,
        bind_dn: String::new(),
        password_file: None,
        base: "dc=x".to_owned(),
        filter: "(objectClass=person)".to_owned(),
        name_attributes: vec!["uid".to_owned(), "mail".to_owned()],
        id_attribute: "entryUUID".to_owned(),
        groups: GroupSearch { membership: Membership::Member, base: String::new(), is_nested: false },
        rules: GroupRules::default(),
        timeout: Duration::from_secs(5),
        recheck: Duration::from_secs(900),
        keep_rights: Duration::from_secs(3_600),
    }
}

#[test]
fn no_character_of_a_name_has_a_meaning_in_a_filter() {
    let rows = [
        ("eva", "(|(uid=eva)(mail=eva))"),
        ("*)(uid=*", "(|(uid=\\2a\\29\\28uid=\\2a)(mail=\\2a\\29\\28uid=\\2a))"),
        ("a\\b\0", "(|(uid=a\\5cb\\00)(mail=a\\5cb\\00))"),
    ];
    for (name, want) in rows {
        let got = condition(&options(), PersonKey::Name(name));
        assert_eq!(got, want);
        assert!(check_filter(&format!("(&(a=b){got})")).is_ok(), "{got}");
    }
    assert_eq!(condition(&options(), PersonKey::Id("5f-*")), "(entryUUID=5f-\\2a)");
    let active = LdapOptions { id_attribute: "objectGUID".to_owned(), ..options() };
    assert_eq!(condition(&active, PersonKey::Id("00ff2a")), "(objectGUID=\\00\\ff\\2a)");
}

fn block<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

#[test]
fn servers_that_failed_are_tried_last_and_each_says_why() {
    // A port that nobody listens on.
    let closed = |_| TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ports: Vec<_> = (0..2).map(closed).collect();
    let servers = ports.iter().map(|address| format!("ldap://{address}").parse().unwrap()).collect();
    let ldap = Ldap::new(LdapOptions { servers, ..options() }).unwrap();
    assert_eq!(ldap.order(Instant::now()), [0, 1]);
    let error = block(ldap.look_up(PersonKey::Name("eva"))).unwrap_err();
    let DirectoryError::NoServer(errors) = &error else { panic!("{error}") };
    assert_eq!(errors.len(), 2);
    assert!(error.to_string().contains("refused"), "{error}");
    ldap.note(1, None);
    assert_eq!(ldap.order(Instant::now()), [1, 0]);
    assert_eq!(ldap.order(Instant::now() + AVOID_FOR), [0, 1]);
}

#[test]
fn an_empty_password_and_impossible_names_are_refused_before_anything_is_sent() {
    let ldap = Ldap::new(options()).unwrap();
    for (name, password) in [("eva", ""), ("*)(uid=*", "secret"), ("", "secret")] {
        let outcome = block(ldap.sign_in(name, password));
        assert!(matches!(outcome, Err(SignInError::Wrong { .. })), "{name}: {outcome:?}");
    }
    // Only somebody who could be there is looked for.
    assert!(matches!(block(ldap.sign_in("eva", "secret")), Err(SignInError::Unavailable(_))));
}

#[test]
fn a_server_that_says_nothing_costs_its_time_limit() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("ldap://{}", silent.local_addr().unwrap()).parse().unwrap();
    let timeout = Duration::from_millis(200);
    let ldap = Ldap::new(LdapOptions { servers: vec![server], timeout, ..options() }).unwrap();
    let error = block(ldap.look_up(PersonKey::Name("eva"))).unwrap_err();
    assert!(error.to_string().contains("no answer in time"), "{error}");
}
