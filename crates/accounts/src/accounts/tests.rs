//! Accounts in a temporary file.

use super::*;
use crate::password::PASSWORD_BYTES_MAX;

pub(super) fn accounts() -> (tempfile::TempDir, Accounts) {
    let folder = tempfile::tempdir().unwrap();
    let accounts = Accounts::at(&folder.path().join("users.json"));
    (folder, accounts)
}

/// An API token that searches everything.
pub(super) fn new_token() -> crate::NewToken {
    crate::NewToken {
        name: "t".to_owned(),
        scopes: vec![crate::TokenScope::Search],
        logspaces: vec!["*".to_owned()],
        networks: Vec::new(),
        days: 1,
    }
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
    accounts.add("eva", "the first of them all").unwrap();
    assert!(matches!(accounts.add("eva", "some other password"), Err(AccountError::Taken(_))));
    accounts.set_password("eva", "second password").unwrap();
    assert!(accounts.verify("eva", "the first of them all").unwrap().is_none());
    assert!(accounts.verify("eva", "second password").unwrap().is_some());
    accounts.remove("eva").unwrap();
    assert!(accounts.names().unwrap().is_empty());
}

#[test]
fn bad_names_passwords_and_files_are_refused() {
    let (folder, accounts) = accounts();
    for name in ["", "a b", "../x", &"x".repeat(65)] {
        assert!(matches!(accounts.add(name, "quite long enough"), Err(AccountError::Refused(_))), "{name}");
    }
    assert!(matches!(accounts.add("eva", "short"), Err(AccountError::Password(_))));
    assert!(matches!(accounts.add("eva", "just too short"), Err(AccountError::Password(_))));
    let longest = "pine and oak, ".repeat(80)[..PASSWORD_BYTES_MAX].to_owned();
    assert!(matches!(accounts.add("eva", &format!("{longest}x")), Err(AccountError::Password(_))));
    for (name, password) in [("eva", "is long enough."), (&"x".repeat(64), &longest)] {
        accounts.add(name, password).unwrap();
        assert!(accounts.exists(name) && accounts.verify(name, password).unwrap().is_some(), "{name}");
    }
    assert!(!accounts.exists("bob"));
    fs::write(folder.path().join("users.json"), "{").unwrap();
    assert!(matches!(accounts.verify("eva", "quite long enough"), Err(AccountError::Format { .. })));
}

#[test]
fn only_the_owner_reads_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, accounts) = accounts();
    accounts.add("eva", "quite long enough").unwrap();
    let mode = fs::metadata(folder.path().join("users.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn grants_come_and_go() {
    let (folder, accounts) = accounts();
    accounts.add("eva", "quite long enough").unwrap();
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
    assert!(matches!(accounts.grant("eva", "a b", &RIGHTS), Err(AccountError::Refused(_))));
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

#[test]
fn passwords_have_every_letter_equally_often() {
    let bytes: Vec<u8> = (0..=u8::MAX).collect();
    let drawn: Vec<char> = letters(&bytes).collect();
    for letter in PASSWORD_ALPHABET {
        assert_eq!(drawn.iter().filter(|drawn| **drawn == char::from(*letter)).count(), 4, "{letter}");
    }
}

#[test]
fn the_file_is_read_again_only_when_it_has_changed() {
    let (_folder, accounts) = accounts();
    accounts.add("eva", "quite long enough").unwrap();
    let known = accounts.known().unwrap();
    assert!(Arc::ptr_eq(&known, &accounts.known().unwrap()));
    accounts.add("bob", "quite long enough").unwrap();
    assert!(!Arc::ptr_eq(&known, &accounts.known().unwrap()));
}

#[test]
fn a_file_that_cannot_be_read_is_not_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let accounts = Accounts::at(folder.path());
    assert!(matches!(accounts.first_run(), Err(AccountError::Io { .. })));
    assert!(accounts.credential("eva").is_err() && !accounts.exists("eva"));
}

#[test]
fn a_user_has_so_many_grants_and_no_more() {
    let (_folder, accounts) = accounts();
    accounts.add("eva", "quite long enough").unwrap();
    let mut file = accounts.read().unwrap();
    let grants = (1..1_000).map(|number| Grant { logspace: format!("n{number}"), may: RIGHTS.to_vec() });
    file.users.get_mut("eva").unwrap().grants = Some(grants.collect());
    accounts.write(&file).unwrap();
    accounts.grant("eva", "one-thousand", &[Right::Search]).unwrap();
    let refused = accounts.grant("eva", "one-more", &[Right::Search]).unwrap_err();
    assert_eq!(refused.to_string(), "a user or a role has 1,000 grants at most");
    assert_eq!(accounts.grants("eva").unwrap().len(), 1_000);
    assert!(!accounts.may("eva", "one-more", Right::Search).unwrap());
}

#[test]
fn a_file_has_so_many_users_and_no_more() {
    let (_folder, accounts) = accounts();
    let user = |_| User::new(String::new(), String::new());
    let users = (0..9_999).map(|number| (format!("n{number}"), user(number))).collect();
    let mut file = File { users, ..File::default() };
    accounts.write(&file).unwrap();
    accounts.add("eva", "quite long enough").unwrap();
    let refused = accounts.add("bob", "quite long enough").unwrap_err();
    assert_eq!(refused.to_string(), "there are 10,000 users already");
    file.users.clear();
    accounts.write(&file).unwrap();
    assert!(accounts.add("bob", "quite long enough").is_ok());
}

#[test]
fn rights_are_named() {
    let rows = [("search", Right::Search), ("export", Right::Export), ("administer", Right::Administer)];
    for (name, right) in rows {
        assert_eq!((Right::parse(name), right.to_string().as_str()), (Some(right), name));
    }
    for name in ["", "Search", "sear", "*"] {
        assert_eq!(Right::parse(name), None, "{name}");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let path = PathBuf::from("/users.json");
    let rows = [
        (
            AccountError::Io { path: path.clone(), source: io::Error::other("no disk") },
            "cannot use /users.json: no disk",
        ),
        (
            AccountError::Format { path, what: "no number".to_owned() },
            "/users.json is not a users file: no number",
        ),
        (AccountError::Name("taken"), "taken"),
        (
            AccountError::Password(PasswordFault::TooLong),
            "a password has at most 1024 bytes: choose a shorter one",
        ),
        (AccountError::Random, "the system gives no random numbers"),
    ];
    for (error, want) in rows {
        assert_eq!(error.to_string(), want);
    }
}

#[test]
fn an_account_has_an_id_that_no_other_one_gets() {
    let (folder, accounts) = accounts();
    let path = folder.path().join("users.json");
    // An account from before there were ids.
    fs::write(&path, r#"{"users": {"eva": {"password": "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$aGFzaA"}}}"#)
        .unwrap();
    let id = |name: &str| accounts.id(name).unwrap().map(|id| id.as_str().to_owned());
    assert_eq!(id("eva").as_deref(), Some("eva"));
    accounts.set_password("eva", "quite long enough").unwrap();
    accounts.grant("eva", "main", &[Right::Search]).unwrap();
    assert_eq!(id("eva").as_deref(), Some("eva"), "it keeps what it owns");
    accounts.add("bob", "quite long enough").unwrap();
    let first = id("bob").unwrap();
    assert!(first.starts_with("bob#") && first.len() == 20, "{first}");
    accounts.set_password("bob", "another one of those").unwrap();
    assert_eq!(id("bob"), Some(first.clone()));
    for name in ["eva", "bob"] {
        let before = id(name);
        accounts.remove(name).unwrap();
        assert_eq!((id(name), accounts.id_of(name)), (None, None));
        accounts.add(name, "quite long enough").unwrap();
        assert!(id(name) != before && id(name).unwrap().contains('#'), "{before:?}");
    }
    fs::write(&path, r#"{"users": {"eva": {"id": "a#b", "password": "x"}}}"#).unwrap();
    assert!(matches!(accounts.id("eva"), Err(AccountError::Format { .. })));
    assert_eq!(accounts.id_of("eva"), None);
}

/// A file with the user `eva`, whose password is hashed with the parameters of an earlier version.
fn earlier(folder: &Path, password: &str) -> Accounts {
    let params = Params::new(8_192, 1, 1, None).unwrap();
    let old = Argon2::new(argon2::Algorithm::Argon2id, Version::V0x13, params);
    let salt = SaltString::encode_b64(b"some salt or other").unwrap();
    let hash = old.hash_password(password.as_bytes(), &salt).unwrap().to_string();
    let path = folder.join("users.json");
    fs::write(&path, serde_json::json!({"users": {"eva": {"password": hash}}}).to_string()).unwrap();
    Accounts::at(&path)
}

#[test]
fn a_password_of_earlier_parameters_works_and_is_hashed_again_at_a_log_in() {
    let folder = tempfile::tempdir().unwrap();
    // It is shorter than one that is set today.
    let accounts = earlier(folder.path(), "old one");
    let text = || fs::read_to_string(folder.path().join("users.json")).unwrap();
    let before = accounts.credential("eva").unwrap();
    assert!(accounts.verify("eva", "wrong").unwrap().is_none());
    assert!(text().contains("m=8192,t=1"), "a wrong password changes nothing");
    assert_eq!(accounts.verify("eva", "old one").unwrap(), before);
    assert!(text().contains("m=19456,t=2,p=1") && !text().contains("m=8192"), "{}", text());
    assert_eq!(accounts.credential("eva").unwrap(), before, "open sessions stay");
    let after_one = text();
    assert_eq!(accounts.verify("eva", "old one").unwrap(), before);
    assert_eq!(text(), after_one, "it is hashed once");
    accounts.end_sessions("eva").unwrap();
    let ended = accounts.credential("eva").unwrap();
    assert_ne!(ended, before);
    accounts.set_password("eva", "quite long enough").unwrap();
    assert!(![before, ended].contains(&accounts.credential("eva").unwrap()));
}

#[test]
fn the_same_letters_are_the_same_password_however_they_were_typed() {
    let (composed, decomposed) =
        ("caf\u{e9} and cr\u{ea}pes at nine", "cafe\u{301} and cre\u{302}pes at nine");
    let (_folder, accounts) = accounts();
    accounts.add("eva", decomposed).unwrap();
    for typed in [composed, decomposed] {
        assert!(accounts.verify("eva", typed).unwrap().is_some(), "{typed}");
    }
    // Earlier versions hashed what was typed.
    let folder = tempfile::tempdir().unwrap();
    let accounts = earlier(folder.path(), decomposed);
    assert!(accounts.verify("eva", composed).unwrap().is_none());
    assert!(accounts.verify("eva", decomposed).unwrap().is_some());
    assert!(accounts.verify("eva", composed).unwrap().is_some(), "it was hashed again in its normal form");
}

#[test]
fn a_new_password_is_neither_short_nor_made_of_names() {
    let folder = tempfile::tempdir().unwrap();
    let accounts = Accounts::at(&folder.path().join("users.json")).on_host("loghost7.example");
    let refused = |outcome: Result<(), AccountError>| match outcome {
        Err(AccountError::Password(fault)) => fault,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(accounts.add("eva.holm", "eva.holm@loghost7.example")), PasswordFault::Guessable);
    accounts.add("eva.holm", "quite long enough").unwrap();
    let fault = refused(accounts.set_password("eva.holm", "fourteen chars"));
    assert_eq!(fault, PasswordFault::TooShort { chars: 14, chars_min: 15 });
    assert!(accounts.verify("eva.holm", "quite long enough").unwrap().is_some());
}

#[test]
fn a_locked_user_has_neither_password_nor_token_nor_rights() {
    let (_folder, accounts) = accounts();
    accounts.add("eva", "quite long enough").unwrap();
    accounts.grant("eva", "main", &RIGHTS).unwrap();
    let issued = new_token().issue(1_000).unwrap();
    let (id, hash) = (issued.token.id.clone(), issued.text.hash());
    accounts.add_token("eva", issued.token).unwrap();
    let credential = accounts.credential("eva").unwrap();
    accounts.lock("eva").unwrap();
    assert!(accounts.is_locked("eva").unwrap() && accounts.exists("eva"));
    assert_eq!(accounts.verify("eva", "quite long enough").unwrap(), None);
    assert_eq!(accounts.credential("eva").unwrap(), None);
    assert!(accounts.token(&hash).unwrap().is_none() && !accounts.has_token("eva", &id).unwrap());
    assert!(!accounts.may("eva", "main", Right::Search).unwrap());
    accounts.unlock("eva").unwrap();
    assert!(accounts.verify("eva", "quite long enough").unwrap().is_some());
    assert!(accounts.token(&hash).unwrap().is_some() && accounts.may("eva", "main", Right::Search).unwrap());
    assert_ne!(accounts.credential("eva").unwrap(), credential, "sessions from before stay ended");
    assert!(accounts.lock("nobody").is_err() && accounts.unlock("nobody").is_err());
}

#[test]
fn the_last_administrator_stays() {
    let (_folder, accounts) = accounts();
    let accounts = accounts.with_administrator();
    accounts.add("eva", "quite long enough").unwrap();
    accounts.add("bob", "quite long enough").unwrap();
    // Nobody administers yet: then every change is allowed.
    accounts.remove("bob").unwrap();
    accounts.grant("eva", EVERY_LOGSPACE, &RIGHTS).unwrap();
    accounts.add("bob", "quite long enough").unwrap();
    accounts.grant("bob", "main", &RIGHTS).unwrap();
    let refused = |outcome| assert!(matches!(outcome, Err(AccountError::LastAdministrator)), "{outcome:?}");
    refused(accounts.lock("eva"));
    refused(accounts.remove("eva"));
    refused(accounts.revoke("eva", EVERY_LOGSPACE, &[Right::Administer]));
    assert!(accounts.may("eva", EVERY_LOGSPACE, Right::Administer).unwrap());
    accounts.revoke("eva", EVERY_LOGSPACE, &[Right::Export]).unwrap();
    accounts.grant("bob", EVERY_LOGSPACE, &RIGHTS).unwrap();
    accounts.lock("bob").unwrap();
    refused(accounts.remove("eva"));
    accounts.unlock("bob").unwrap();
    accounts.remove("eva").unwrap();
    refused(accounts.lock("bob"));
}
