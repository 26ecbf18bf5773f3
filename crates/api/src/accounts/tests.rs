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
    assert!(accounts.verify("admin", &password).unwrap());
    assert!(!accounts.verify("admin", "wrong password").unwrap());
    assert!(!accounts.verify("nobody", &password).unwrap());
    assert_eq!(accounts.first_run().unwrap(), None);
}

#[test]
fn users_come_change_and_go() {
    let (_folder, accounts) = accounts();
    accounts.add("eva", "first password").unwrap();
    assert!(matches!(accounts.add("eva", "other password"), Err(AccountError::Name(_))));
    accounts.set_password("eva", "second password").unwrap();
    assert!(!accounts.verify("eva", "first password").unwrap());
    assert!(accounts.verify("eva", "second password").unwrap());
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
