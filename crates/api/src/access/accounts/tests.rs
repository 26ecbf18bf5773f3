//! Accounts in a temporary file.

use super::*;

fn accounts() -> (tempfile::TempDir, Accounts) {
    let folder = tempfile::tempdir().unwrap();
    let accounts = Accounts::at(&folder.path().join("users.json"));
    (folder, accounts)
}

#[test]
fn the_first_run_makes_admin_once() {
    let (_folder, accounts) = accounts();
    let password = accounts.first_run().unwrap().unwrap();
    assert_eq!(password.len(), PASSWORD_LENGTH);
    assert!(accounts.verify("admin", &password).unwrap().is_some());
    assert!(accounts.verify("admin", "wrong password").unwrap().is_none());
    assert!(accounts.verify("nobody", &password).unwrap().is_none());
    assert_eq!(accounts.first_run().unwrap(), None);
}

#[test]
fn users_come_change_and_go() {
    let (_folder, accounts) = accounts();
    accounts.add("eva", "first password").unwrap();
    assert!(matches!(accounts.add("eva", "other password"), Err(AccountError::Name(_))));
    accounts.set_password("eva", "second password").unwrap();
    assert!(accounts.verify("eva", "first password").unwrap().is_none());
    assert!(accounts.verify("eva", "second password").unwrap().is_some());
    accounts.remove("eva").unwrap();
    assert!(accounts.names().unwrap().is_empty());
}

#[test]
fn bad_names_passwords_and_files_are_refused() {
    let (folder, accounts) = accounts();
    for name in ["", "a b", "../x", &"x".repeat(65)] {
        assert!(matches!(accounts.add(name, "long enough"), Err(AccountError::Name(_))), "{name}");
    }
    assert!(matches!(accounts.add("eva", "short"), Err(AccountError::Password)));
    fs::write(folder.path().join("users.json"), "{").unwrap();
    assert!(matches!(accounts.verify("eva", "long enough"), Err(AccountError::Format { .. })));
}

#[test]
fn only_the_owner_reads_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, accounts) = accounts();
    accounts.add("eva", "long enough").unwrap();
    let mode = fs::metadata(folder.path().join("users.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn grants_come_and_go() {
    let (folder, accounts) = accounts();
    accounts.add("eva", "long enough").unwrap();
    let may = |logspace: &str| -> Vec<&str> {
        let rights = RIGHTS.into_iter().filter(|right| accounts.may("eva", logspace, *right).unwrap());
        rights.map(Right::name).collect()
    };
    assert!(may("fw").is_empty(), "a new user may nothing");
    accounts.grant("eva", "fw", &[Right::Export, Right::Search]).unwrap();
    accounts.grant("eva", "fw", &[Right::Search]).unwrap();
    assert_eq!((may("fw"), may("all")), (vec!["search", "export"], vec![]));
    accounts.revoke("eva", "fw", &[Right::Export]).unwrap();
    assert_eq!(may("fw"), ["search"]);
    accounts.grant("eva", "*", &[Right::Administer]).unwrap();
    assert_eq!((may("fw"), may("new")), (vec!["search", "administer"], vec!["administer"]));
    accounts.revoke("eva", "fw", &RIGHTS).unwrap();
    assert_eq!(accounts.grants("eva").unwrap().len(), 1);
    assert!(matches!(accounts.revoke("eva", "fw", &RIGHTS), Err(AccountError::Name(_))));
    assert!(matches!(accounts.grant("bob", "fw", &RIGHTS), Err(AccountError::Name(_))));
    assert!(matches!(accounts.grant("eva", "a b", &RIGHTS), Err(AccountError::Name(_))));
    assert!(!accounts.may("bob", "fw", Right::Search).unwrap(), "who is not there may nothing");
    accounts.remove("eva").unwrap();
    assert!(may("fw").is_empty());
    let old = r#"{"users":{"eva":{"password":"x"}}}"#;
    fs::write(folder.path().join("users.json"), old).unwrap();
    assert_eq!(may("fw").len(), 3, "a file of before grants");
}

#[test]
fn the_first_user_may_everything() {
    let (_folder, accounts) = accounts();
    accounts.first_run().unwrap();
    assert_eq!(accounts.grants("admin").unwrap(), [Grant::everything()]);
}
