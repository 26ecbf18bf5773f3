//! What is printed about the page, and the folder for packages.

use super::*;
use crate::terminal::testing::Tape;
use std::os::unix::fs::PermissionsExt;

fn settings(quickstart: &str) -> Settings {
    Settings { quickstart: !quickstart.is_empty(), ..Settings::below(Path::new("/d")) }
}

#[test]
fn addresses_are_those_for_a_browser() {
    let rows = [
        ("http", "0.0.0.0:8080", "http://127.0.0.1:8080/"),
        ("https", "[::]:443", "https://127.0.0.1:443/"),
        ("http", "192.0.2.1:80", "http://192.0.2.1:80/"),
        ("https", "[2001:db8::1]:8443", "https://[2001:db8::1]:8443/"),
    ];
    for (scheme, address, want) in rows {
        let address = address.parse().unwrap();
        assert_eq!(greeting(scheme, address, &settings("")), format!("The page: {want}"));
        let steps = greeting(scheme, address, &settings("quickstart"));
        assert!(steps.starts_with(&format!("\nThe page: {want}\nSend something:   logger ")), "{steps}");
        let end = "Configuration:    /d/conf\nData:             /d/data\nStop:             Ctrl-C\n";
        assert!(steps.ends_with(end), "{steps}");
    }
}

/// Returns what is printed of a first password.
fn printed(data: &Path, journal: Option<&str>) -> String {
    let tape = Tape::default();
    tape.record(|| print_password("secret", data, journal.map(OsStr::new)));
    String::from_utf8(tape.printed().output).unwrap()
}

#[test]
fn the_first_password_is_not_written_into_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let another = format!("`duramen user --data {} password admin` sets another", data.display());
    assert_eq!(
        printed(data, None),
        format!(
            "First run: the page's user is `admin`, the password: secret\nWrite it down, it is shown only once; {another}.\n"
        )
    );
    let file = data.join("first-password");
    assert!(!file.exists());
    fs::write(&file, "a longer one of an earlier run").unwrap();
    assert_eq!(
        printed(data, Some("8:1")),
        format!(
            "First run: the page's user is `admin`, the password is in {}: remove the file when you have read it; {another}.\n",
            file.display()
        )
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "secret\n");
    fs::remove_file(&file).unwrap();
    printed(data, Some("8:1"));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let nowhere = printed(&data.join("nowhere"), Some("8:1"));
    assert!(nowhere.starts_with("First run: cannot write ") && !nowhere.contains("secret"), "{nowhere}");
}

#[test]
fn packages_of_an_earlier_run_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let scratch = folder.path().join("scratch");
    fs::create_dir(&scratch).unwrap();
    fs::write(scratch.join("package"), "x").unwrap();
    for _ in 0..2 {
        empty(&scratch).unwrap();
        assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0);
        assert_eq!(fs::metadata(&scratch).unwrap().permissions().mode() & 0o777, 0o700);
    }
    fs::remove_dir(&scratch).unwrap();
    fs::write(&scratch, "no folder").unwrap();
    assert!(empty(&scratch).is_err());
    assert!(empty(&folder.path().join("nowhere/scratch")).is_err());
}

#[test]
fn errors_say_what_is_wrong() {
    let error = || io::Error::other("why");
    let rows = [
        (OpenPageError::Ledger(error()), "cannot write the ledger: why"),
        (OpenPageError::Data { path: "/x".into(), source: error() }, "cannot use /x: why"),
        (OpenPageError::Threads(error()), "cannot start the threads of the page: why"),
        (OpenPageError::Listen(error()), "why"),
    ];
    for (error, want) in rows {
        assert_eq!(error.to_string(), want);
    }
}
