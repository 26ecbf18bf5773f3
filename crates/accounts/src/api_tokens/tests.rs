//! Tokens: their texts, their records, the file of their uses.

use super::*;
use std::collections::HashSet;

const YEAR: Duration = Duration::from_secs(366 * DAY_S);

fn new(name: &str) -> NewToken {
    let logspaces = vec!["*".to_owned()];
    NewToken {
        name: name.to_owned(),
        scopes: vec![TokenScope::Search],
        logspaces,
        networks: vec![],
        days: 90,
    }
}

#[test]
fn a_text_has_a_prefix_a_kind_and_a_checksum() {
    let mut texts = HashSet::new();
    for _ in 0..200 {
        let text = TokenText::draw().unwrap();
        let shown = text.reveal().to_owned();
        assert!(shown.len() == 41 && shown.starts_with("dmn_u"), "{shown}");
        assert!(shown[5..].bytes().all(|byte| byte.is_ascii_alphanumeric()), "{shown}");
        assert_eq!(text.last_four(), &shown[37..]);
        assert_eq!(TokenText::parse(&shown).unwrap().hash(), text.hash());
        assert_eq!(format!("{text:?}"), "TokenText(...)");
        texts.insert(shown);
    }
    assert_eq!(texts.len(), 200);
}

#[test]
fn every_changed_character_is_noticed() {
    let text = TokenText::draw().unwrap().reveal().to_owned();
    for at in 0..text.len() {
        let mut other = text.clone().into_bytes();
        other[at] = if other[at] == b'x' { b'y' } else { b'x' };
        assert!(TokenText::parse(&String::from_utf8(other).unwrap()).is_none(), "{at}");
    }
    let wide = format!("dmn_u{}", "\u{e4}".repeat(18));
    for wrong in ["", "dmn_u", &text[..40], &format!("{text}0"), &text.to_uppercase(), &wide] {
        assert!(TokenText::parse(wrong).is_none(), "{wrong}");
    }
}

#[test]
fn the_checksum_is_that_of_crc_32_in_base_62() {
    // Computed with Python's zlib.crc32 and digits 0-9 A-Z a-z.
    let text = "dmn_u000000000000000000000000000000";
    assert!(TokenText::parse(&format!("{text}0pPte6")).is_none());
    assert!(TokenText::parse(&format!("{text}2pPte6")).is_some());
}

#[test]
fn records_have_limits() {
    let with = |change: fn(&mut NewToken)| {
        let mut token = new("grafana");
        change(&mut token);
        token.issue(1_000).err()
    };
    assert_eq!(with(|_| ()), None);
    assert_eq!(with(|token| token.name = String::new()), Some(TokenError::Name));
    assert_eq!(with(|token| token.name = "a\nb".to_owned()), Some(TokenError::Name));
    assert_eq!(with(|token| token.name = "ä".repeat(100)), None);
    assert_eq!(with(|token| token.name = "x".repeat(101)), Some(TokenError::Name));
    assert_eq!(with(|token| token.scopes.clear()), Some(TokenError::NoScope));
    assert_eq!(with(|token| token.logspaces.clear()), Some(TokenError::Logspaces));
    assert_eq!(with(|token| token.logspaces = vec!["a".to_owned(); 101]), Some(TokenError::Logspaces));
    assert_eq!(with(|token| token.networks = vec!["::1".parse().unwrap(); 33]), Some(TokenError::Networks));
    assert_eq!(with(|token| token.days = 0), Some(TokenError::Days));
    assert_eq!(with(|token| token.days = 366), None);
    assert_eq!(with(|token| token.days = 367), Some(TokenError::Days));
    for error in [TokenError::Name, TokenError::NoScope, TokenError::TooMany { most: 3 }, TokenError::Random]
    {
        assert!(error.to_string().len() > 20);
    }
}

#[test]
fn a_token_has_its_time_and_its_networks() {
    let token = NewToken { networks: vec!["10.0.0.0/8".parse().unwrap()], ..new("x") };
    let token = token.issue(1_000_000).unwrap().token;
    let inside: IpAddr = "10.1.2.3".parse().unwrap();
    let check = |lifetime, now_s, client| token.check(lifetime, now_s, client);
    let end = 1_000_000 + 90 * DAY_S;
    assert_eq!(check(YEAR, 1_000_000, inside), Ok(()));
    assert_eq!(check(YEAR, 1_000_000, "::ffff:10.9.9.9".parse().unwrap()), Ok(()));
    assert_eq!(check(YEAR, 1_000_000, "11.0.0.1".parse().unwrap()), Err(TokenRefusal::Network));
    assert_eq!(check(YEAR, end - 1, inside), Ok(()));
    assert_eq!(check(YEAR, end, inside), Err(TokenRefusal::Expired));
    // A server that allows less time ends tokens that were made for more.
    let hour = Duration::from_secs(3_600);
    assert_eq!(check(hour, 1_003_599, inside), Ok(()));
    assert_eq!(check(hour, 1_003_600, inside), Err(TokenRefusal::Expired));
    // Clocks jump: a little back is normal, a token of a far future would last for too long.
    assert_eq!(check(YEAR, 1_000_000 - 300, inside), Ok(()));
    assert_eq!(check(YEAR, 1_000_000 - 301, inside), Err(TokenRefusal::Expired));
    assert_eq!(check(YEAR, 0, inside), Err(TokenRefusal::Expired));
}

#[test]
fn a_record_does_not_have_the_text() {
    let issued = new("x").issue(1).unwrap();
    let (kept, noted) =
        (serde_json::to_string(&issued.token).unwrap(), issued.token.described("eva").to_string());
    let secret = &issued.text.reveal()[5..35];
    assert!(!kept.contains(secret) && !noted.contains(secret));
    assert!(
        !noted.contains(&issued.token.sha256),
        "the ledger is read by more people than the file of users"
    );
    assert!(kept.contains(&issued.token.sha256));
    let read: ApiToken = serde_json::from_str(&kept).unwrap();
    assert_eq!(read, issued.token);
}

#[test]
fn uses_are_kept_in_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token-uses.json");
    let client: IpAddr = "192.0.2.7".parse().unwrap();
    let mut uses = TokenUses::load(&path).unwrap();
    assert!(uses.record("a", client, 1_000), "the first use is written at once");
    assert!(uses.record("b", client, 1_001), "that of each token");
    assert!(!uses.record("b", client, 1_059));
    assert!(uses.record("gone", client, 1_060));
    assert!(uses.record("a", client, 900), "a clock that was set back does not keep the file old");
    TokenUses::save(&path, &uses.encode(|id| id != "gone").unwrap()).unwrap();
    let read = TokenUses::load(&path).unwrap();
    assert_eq!(read.last("a"), Some(TokenUse { at_s: 900, address: client }));
    assert_eq!(read.last("b").map(|used| used.at_s), Some(1_059));
    assert_eq!((read.last("gone"), read.last("c")), (None, None));
    for bad in ["", "{", r#"{"version":2,"uses":{}}"#] {
        std::fs::write(&path, bad).unwrap();
        assert!(matches!(TokenUses::load(&path), Err(TokenUsesError::Format)), "{bad}");
    }
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert!(matches!(TokenUses::load(&path), Err(TokenUsesError::Io(_))));
}
