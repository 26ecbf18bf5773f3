//! Rows about the entries written, the failures counted, and the messages sent.

use super::{repeated::LISTED_MAX, *};
use std::net::IpAddr;

struct Kept {
    keeper: LedgerKeeper,
    said: Arc<Mutex<Vec<String>>>,
    key: SigningKey,
    dir: tempfile::TempDir,
}

fn kept() -> Kept {
    let dir = tempfile::tempdir().unwrap();
    let said: Arc<Mutex<Vec<String>>> = Arc::default();
    let echo = said.clone();
    let log =
        InternalLog::new("test", Some(Box::new(move |_, text| echo.lock().unwrap().push(text.to_owned()))));
    let key = SigningKey::load_or_draw(&dir.path().join("sign.key")).unwrap();
    let keeper = LedgerKeeper::new(Ledger::at(&dir.path().join("searches.ledger")), log);
    Kept { keeper, said, key, dir }
}

impl Kept {
    fn tick(&self) {
        let key = self.key.clone();
        self.keeper.tick(&(Box::new(move || Some(key.clone())) as KeyOf), Tick::Last, &mut None);
    }

    fn said(&self) -> Vec<String> {
        std::mem::take(&mut *self.said.lock().unwrap())
    }
}

fn failed(user: &str, last: u8) -> SecurityEvent {
    SecurityEvent::Failed { user: user.into(), address: IpAddr::from([10, 0, 0, last]) }
}

#[test]
fn e5_failures_are_counted_and_cannot_fill_the_disk() {
    let kept = kept();
    for number in 0..1000 {
        kept.keeper.security(&failed(&"x".repeat(1_000_000), (number % 40) as u8)).unwrap();
    }
    kept.tick();
    let size = std::fs::metadata(kept.keeper.ledger.path()).unwrap().len();
    assert!(size < 4000, "{size} bytes for 1000 failures");
    let said = kept.said();
    assert_eq!(said.len() as u32, LISTED_MAX + 1, "{said:?}");
    assert!(said[0].contains("Log-in failed") && said[0].contains("address='10.0.0.0'"), "{said:?}");
    assert!(said[5].contains("count='995'"), "{said:?}");
    assert!(said.iter().all(|line| line.len() < 300), "{said:?}");
}

#[test]
fn e5_names_cannot_forge_lines() {
    let kept = kept();
    kept.keeper.security(&failed("a', user='root\n\u{1b}[2Jb\u{202e}", 1)).unwrap();
    kept.tick();
    assert_eq!(
        kept.said(),
        [
            "Log-in failed: wrong user or password; entry='0', user='a\\', user=\\'root\\n\\x1b[2Jb\\u{202e}', address='10.0.0.1'"
        ]
    );
}

#[test]
fn e5_what_commands_wrote_is_said_and_searches_are_not() {
    let kept = kept();
    let user = SecurityEvent::LoggedIn { user: "eva".into(), address: IpAddr::from([10, 0, 0, 1]) };
    kept.keeper.security(&user).unwrap();
    let search = LedgerEntry { action: "search", user: "eva".into(), ..LedgerEntry::default() };
    kept.keeper.note(&search).unwrap();
    let other = Ledger::at(&kept.dir.path().join("searches.ledger"));
    let details = json!({"user": "bob", "rights": ["search", "export"]});
    let grant =
        LedgerEntry { action: "grant", user: "root".into(), logspace: "audit".into(), details, ..search };
    other.append(&grant).unwrap();
    kept.tick();
    let said = kept.said();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("User logged in; entry='0', user='eva'"), "{said:?}");
    let want = r#"Rights granted to a user; entry='2', user='root', account='bob', logspace='audit', rights='["search","export"]'"#;
    assert_eq!(said[1], want);
    kept.tick();
    assert_eq!(kept.said(), Vec::<String>::new(), "each is said once");
    assert_eq!(other.signed_head().unwrap().unwrap().head.entries, 3);
}

#[test]
fn e5_a_cut_ledger_is_told_once() {
    let kept = kept();
    (0..3).for_each(|_| kept.keeper.append("eva", "login", "", Value::Null).unwrap());
    kept.tick();
    kept.said();
    let path = kept.keeper.ledger.path();
    let whole = std::fs::read_to_string(path).unwrap();
    std::fs::write(path, whole.split_inclusive('\n').take(2).collect::<String>()).unwrap();
    let (mut reported, key) = (None, kept.key.clone());
    let key_of: KeyOf = Box::new(move || Some(key.clone()));
    (0..3).for_each(|_| kept.keeper.tick(&key_of, Tick::Regular, &mut reported));
    let said = kept.said();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("first 3 entries are not those that were signed"), "{said:?}");
}

#[test]
fn calls_with_a_password_are_listed_once_an_hour() {
    let kept = kept();
    let address = IpAddr::from([10, 0, 0, 1]);
    let call = SecurityEvent::Authenticated { user: "eva".into(), address };
    (0..50).for_each(|_| kept.keeper.security(&call).unwrap());
    kept.tick();
    assert_eq!(kept.said().len(), 1);
}
