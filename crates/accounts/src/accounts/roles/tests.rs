//! Roles in a file of users.

use crate::{AccountError, Accounts, EVERY_LOGSPACE, Grant, RIGHTS, Right};
use std::fs;

fn accounts() -> (tempfile::TempDir, Accounts) {
    let folder = tempfile::tempdir().unwrap();
    let accounts = Accounts::at(&folder.path().join("users.json"));
    accounts.add("eva", "quite long enough").unwrap();
    (folder, accounts)
}

fn may(accounts: &Accounts, logspace: &str) -> Vec<&'static str> {
    let has = |right: &Right| accounts.may("eva", logspace, *right).unwrap();
    RIGHTS.into_iter().filter(has).map(Right::name).collect()
}

fn grant(logspace: &str, may: &[Right]) -> Grant {
    Grant { logspace: logspace.to_owned(), may: may.to_vec() }
}

#[test]
fn a_role_gives_its_users_what_it_has_until_it_is_removed() {
    let (folder, accounts) = accounts();
    accounts.add_role("analyst").unwrap();
    accounts.assign_role("eva", "analyst").unwrap();
    assert!(may(&accounts, "fw").is_empty(), "a new role gives nothing");
    accounts.grant_role("analyst", "fw", &[Right::Search, Right::Export]).unwrap();
    accounts.grant("eva", "mail", &[Right::Search]).unwrap();
    assert_eq!((may(&accounts, "fw"), may(&accounts, "mail")), (vec!["search", "export"], vec!["search"]));
    let again = Accounts::at(&folder.path().join("users.json"));
    let sourced = again.sourced_grants("eva").unwrap();
    let shown: Vec<(&str, Option<&str>)> =
        sourced.iter().map(|one| (one.grant.logspace.as_str(), one.role.as_deref())).collect();
    assert_eq!(shown, [("mail", None), ("fw", Some("analyst"))]);
    accounts.revoke_role("analyst", "fw", &[Right::Export]).unwrap();
    assert_eq!(may(&accounts, "fw"), ["search"]);
    accounts.unassign_role("eva", "analyst").unwrap();
    assert!(may(&accounts, "fw").is_empty());
    accounts.assign_role("eva", "analyst").unwrap();
    accounts.remove_role("analyst").unwrap();
    assert!(may(&accounts, "fw").is_empty() && accounts.roles_of("eva").unwrap().is_empty());
    accounts.set_role("analyst", &[grant("fw", &[Right::Search])]).unwrap();
    assert!(may(&accounts, "fw").is_empty(), "another role of that name is given to nobody");
}

#[test]
fn a_grant_may_name_the_beginning_of_names() {
    let (_folder, accounts) = accounts();
    accounts.set_role("analyst", &[grant("firewall-*", &[Right::Search])]).unwrap();
    accounts.set_roles("eva", &["analyst".to_owned()]).unwrap();
    for (logspace, want) in
        [("firewall-a", 1), ("firewall-", 1), ("firewall", 0), ("xfirewall-a", 0), ("*", 0)]
    {
        assert_eq!(may(&accounts, logspace).len(), want, "{logspace}");
    }
    accounts.grant("eva", "mail-*", &[Right::Export]).unwrap();
    assert_eq!(may(&accounts, "mail-in"), ["export"]);
    accounts.revoke("eva", "mail-*", &RIGHTS).unwrap();
    assert!(may(&accounts, "mail-in").is_empty());
}

#[test]
fn grants_from_outside_are_merged_and_checked() {
    let (_folder, accounts) = accounts();
    let given =
        [grant("fw", &[Right::Export, Right::Search]), grant("fw", &[Right::Search]), grant("empty", &[])];
    accounts.set_role("analyst", &given).unwrap();
    assert_eq!(accounts.roles().unwrap()[0].grants, [grant("fw", &[Right::Search, Right::Export])]);
    for wrong in ["", "a b", "a*b", "**", "a**"] {
        let refused = accounts.set_role("analyst", &[grant(wrong, &[Right::Search])]).unwrap_err();
        assert!(matches!(refused, AccountError::Refused(_)), "{wrong}");
    }
    let many: Vec<Grant> = (0..1_001).map(|number| grant(&format!("n{number}"), &[Right::Search])).collect();
    assert!(matches!(accounts.set_access("eva", &many, &[]), Err(AccountError::Refused(_))));
    accounts.set_access("eva", &many[1..], &[]).unwrap();
}

#[test]
fn what_is_not_there_or_not_allowed_is_named() {
    let (_folder, accounts) = accounts();
    let rows = [
        (accounts.add_role("a b"), "the name of a role has 1 to 64 of the characters A-Z a-z 0-9 . _ @ -"),
        (accounts.assign_role("eva", "none"), "there is no role none"),
        (accounts.set_access("eva", &[], &["none".to_owned()]), "there is no role none"),
        (accounts.remove_role("none"), "there is no role none"),
        (accounts.grant_role("none", "fw", &RIGHTS), "there is no role none"),
        (accounts.assign_role("bob", "none"), "there is no user of that name"),
        (accounts.unassign_role("eva", "none"), "the user does not have that role"),
    ];
    for (outcome, want) in rows {
        assert_eq!(outcome.unwrap_err().to_string(), want);
    }
    accounts.add_role("analyst").unwrap();
    assert!(matches!(accounts.add_role("analyst"), Err(AccountError::Taken(_))));
    let mut file = accounts.read().unwrap();
    (1..999).for_each(|number| file.add_role(&format!("n{number}")).map(|_| ()).unwrap());
    accounts.write(&file).unwrap();
    accounts.add_role("n999").unwrap();
    assert!(matches!(accounts.add_role("n1000"), Err(AccountError::Taken(_))));
}

#[test]
fn the_last_administrator_stays_also_when_they_are_one_by_a_role() {
    let (_folder, accounts) = accounts();
    let accounts = accounts.with_administrator();
    accounts.set_role("operators", &[Grant::everything()]).unwrap();
    accounts.assign_role("eva", "operators").unwrap();
    for refused in [
        accounts.remove_role("operators"),
        accounts.unassign_role("eva", "operators"),
        accounts.set_role("operators", &[grant("fw", &RIGHTS)]),
        accounts.revoke_role("operators", EVERY_LOGSPACE, &[Right::Administer]),
        accounts.set_access("eva", &[], &[]),
        accounts.lock("eva"),
        accounts.remove("eva"),
    ] {
        assert!(matches!(refused, Err(AccountError::LastAdministrator)), "{refused:?}");
    }
    assert!(accounts.may("eva", EVERY_LOGSPACE, Right::Administer).unwrap());
    accounts.set_access("eva", &[Grant::everything()], &["operators".to_owned()]).unwrap();
    accounts.remove_role("operators").unwrap();
}

#[test]
fn files_of_before_roles_are_read_and_written_as_they_were() {
    let (folder, accounts) = accounts();
    let path = folder.path().join("users.json");
    let old = r#"{"users":{"eva":{"id":"abc","password":"x","grants":[{"logspace":"fw","may":["search"]}]},"old":{"password":"x"}}}"#;
    fs::write(&path, old).unwrap();
    assert!(accounts.roles().unwrap().is_empty() && accounts.roles_of("eva").unwrap().is_empty());
    assert_eq!(may(&accounts, "fw"), ["search"]);
    accounts.grant("eva", "fw", &[Right::Export]).unwrap();
    let written = fs::read_to_string(&path).unwrap();
    assert!(!written.contains("roles"), "earlier versions can still read it: {written}");
    assert_eq!(accounts.sourced_grants("old").unwrap().len(), 1);
}
