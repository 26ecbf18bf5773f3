//! People of a directory who come, are renamed, lose rights, and go.

use super::*;
use crate::{
    CredentialId, EVERY_LOGSPACE, RIGHTS, Right,
    accounts::tests::{accounts, new_token},
};

fn search(logspace: &str) -> DirectoryRights {
    DirectoryRights {
        grants: vec![Grant { logspace: logspace.to_owned(), may: vec![Right::Search] }],
        roles: vec![],
    }
}

fn sign_in(
    accounts: &Accounts,
    (subject, name): (&str, &str),
    rights: &DirectoryRights,
) -> Result<(String, AccountChange), AccountError> {
    accounts.signed_in_by_directory(&DirectoryUser { source: "ldap", subject, name, rights }, 1_000)
}

fn credential(accounts: &Accounts, name: &str) -> Option<CredentialId> {
    accounts.credential(name).unwrap()
}

#[test]
fn an_account_stays_that_of_its_person_whatever_they_are_called() {
    let (_folder, accounts) = accounts();
    let rights = search("main");
    assert_eq!(sign_in(&accounts, ("1", "eva"), &rights).unwrap(), ("eva".into(), AccountChange::Added));
    let (id, first) = (accounts.id("eva").unwrap(), credential(&accounts, "eva"));
    assert!(id.is_some() && first.is_some());
    assert_eq!(sign_in(&accounts, ("1", "eva"), &rights).unwrap(), ("eva".into(), AccountChange::None));
    // She marries, and somebody else gets the name.
    assert_eq!(sign_in(&accounts, ("1", "eva.holm"), &rights).unwrap().0, "eva");
    assert_eq!(accounts.directory_account("eva").unwrap().unwrap().name, "eva.holm");
    assert_eq!(sign_in(&accounts, ("2", "Eva"), &rights).unwrap().0, "Eva-2");
    assert_eq!((accounts.id("eva").unwrap(), credential(&accounts, "eva")), (id, first));
    assert_ne!(accounts.id("Eva-2").unwrap(), accounts.id("eva").unwrap());
    // A person of another directory is somebody else, too.
    let other = DirectoryUser { source: "oidc", subject: "1", name: "eva", rights: &rights };
    assert_eq!(accounts.signed_in_by_directory(&other, 1_000).unwrap().0, "eva-3");
    // Somebody who gets the name of an account that was removed has neither its sessions nor its objects.
    let before = (accounts.id("eva").unwrap(), credential(&accounts, "eva"));
    accounts.remove("eva").unwrap();
    assert_eq!(sign_in(&accounts, ("3", "eva"), &rights).unwrap().0, "eva");
    let now = (accounts.id("eva").unwrap(), credential(&accounts, "eva"));
    assert!(now.0 != before.0 && now.1 != before.1);
}

#[test]
fn a_local_user_is_never_taken_over() {
    let (_folder, accounts) = accounts();
    accounts.add("admin", "quite long enough").unwrap();
    for name in ["admin", "ADMIN"] {
        let refused = sign_in(&accounts, ("1", name), &search("main"));
        assert!(matches!(refused, Err(AccountError::Taken(_))), "{refused:?}");
    }
    assert!(accounts.is_local("admin").unwrap() && accounts.directory_accounts().unwrap().is_empty());
    assert!(!accounts.may("admin", "main", Right::Search).unwrap());
    sign_in(&accounts, ("2", "eva"), &search("main")).unwrap();
    assert!(accounts.add("eva", "quite long enough").is_err());
    assert!(!accounts.is_local("eva").unwrap() && !accounts.is_local("nobody").unwrap());
    // Nobody has a password here whom a directory knows.
    for password in ["", "quite long enough"] {
        assert_eq!(accounts.verify("eva", password).unwrap(), None);
    }
    assert!(matches!(accounts.set_password("eva", "quite long enough"), Err(AccountError::OfDirectory)));
    assert!(matches!(accounts.invite("eva", 1_000), Err(AccountError::OfDirectory)));
}

#[test]
fn rights_are_those_that_were_read_last_and_those_granted_here() {
    let (_folder, accounts) = accounts();
    sign_in(&accounts, ("1", "eva"), &search("main")).unwrap();
    accounts.grant("eva", "own", &[Right::Search]).unwrap();
    let may = |logspace: &str| accounts.may("eva", logspace, Right::Search).unwrap();
    assert!(may("main") && may("own") && !may("fire"));
    let check = |rights: &DirectoryRights| {
        let person = DirectoryUser { source: "ldap", subject: "1", name: "eva", rights };
        accounts.checked_by_directory(&person, 2_000).unwrap()
    };
    let before = credential(&accounts, "eva");
    assert_eq!(check(&search("main")), AccountChange::None);
    assert_eq!(check(&search("fire")), AccountChange::Rights);
    assert!(!may("main") && may("own") && may("fire"));
    assert_eq!(credential(&accounts, "eva"), before, "the session stays");
    assert_eq!(accounts.directory_account("eva").unwrap().unwrap().checked_s, 2_000);
    accounts.remove("eva").unwrap();
    check(&search("main"));
    assert!(!accounts.exists("eva"), "a removed account is made by a sign-in only");
}

#[test]
fn who_is_suspended_has_neither_sessions_nor_tokens_until_they_sign_in_again() {
    let (_folder, accounts) = accounts();
    sign_in(&accounts, ("1", "eva"), &search("main")).unwrap();
    let issued = new_token().issue(1_000).unwrap();
    let (id, hash) = (issued.token.id.clone(), issued.text.hash());
    accounts.add_token("eva", issued.token).unwrap();
    let before = credential(&accounts, "eva");
    for state in [DirectoryState::Gone, DirectoryState::NoGroup, DirectoryState::Unchecked] {
        accounts.suspend_by_directory("eva", state).unwrap();
        assert_eq!(credential(&accounts, "eva"), None);
        assert!(accounts.token(&hash).unwrap().is_none() && !accounts.has_token("eva", &id).unwrap());
        assert!(!accounts.may("eva", "main", Right::Search).unwrap());
        assert_eq!(sign_in(&accounts, ("1", "eva"), &search("main")).unwrap().1, AccountChange::Rights);
        assert!(accounts.token(&hash).unwrap().is_some() && accounts.has_token("eva", &id).unwrap());
        let after = credential(&accounts, "eva");
        assert!(after.is_some() && after != before, "sessions from before stay ended");
    }
    // A lock of an administrator holds whatever the directory says.
    accounts.lock("eva").unwrap();
    sign_in(&accounts, ("1", "eva"), &search("main")).unwrap();
    assert_eq!(credential(&accounts, "eva"), None);
    accounts.add("bob", "quite long enough").unwrap();
    accounts.suspend_by_directory("bob", DirectoryState::Gone).unwrap();
    assert!(credential(&accounts, "bob").is_some(), "a local user is not the directory's");
}

#[test]
fn the_last_administrator_is_a_local_one() {
    let (_folder, accounts) = accounts();
    let accounts = accounts.with_administrator();
    accounts.add("admin", "quite long enough").unwrap();
    accounts.grant("admin", EVERY_LOGSPACE, &RIGHTS).unwrap();
    let all = DirectoryRights { grants: vec![Grant::everything()], roles: vec![] };
    sign_in(&accounts, ("1", "eva"), &all).unwrap();
    assert!(accounts.may("eva", EVERY_LOGSPACE, Right::Administer).unwrap());
    // Without them nobody could get in while the directory is away.
    assert!(matches!(accounts.remove("admin"), Err(AccountError::LastAdministrator)));
    accounts.remove("eva").unwrap();
}

#[test]
fn a_second_factor_does_not_depend_on_the_length_of_a_password_that_is_kept_elsewhere() {
    let (_folder, accounts) = accounts();
    sign_in(&accounts, ("1", "eva"), &search("main")).unwrap();
    assert!(matches!(accounts.give_up_factor("eva", "short"), Err(AccountError::NoFactor)));
}

#[test]
fn roles_of_the_directory_count_as_long_as_they_are_there() {
    let (_folder, accounts) = accounts();
    let rights = DirectoryRights { grants: vec![], roles: vec!["analyst".to_owned(), "gone".to_owned()] };
    sign_in(&accounts, ("1", "eva"), &rights).unwrap();
    let may = || accounts.may("eva", "main", Right::Search).unwrap();
    assert!(!may());
    accounts.add_role("analyst").unwrap();
    accounts.grant_role("analyst", "main", &[Right::Search]).unwrap();
    assert!(may());
    assert!(accounts.roles_of("eva").unwrap().is_empty(), "they are not hers to keep");
    let sourced = accounts.sourced_grants("eva").unwrap();
    assert_eq!(sourced.len(), 1);
    assert!(sourced[0].is_of_directory && sourced[0].role.as_deref() == Some("analyst"));
    accounts.remove_role("analyst").unwrap();
    assert!(!may());
}
