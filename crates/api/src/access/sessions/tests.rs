//! Sessions under a clock of the test, in memory and in a file.

use super::*;
use std::{convert::Infallible, fs, time::Duration};

const NOW: u64 = 1_795_233_600;
const HOUR: u64 = 3_600;
const PASSWORD: CredentialId = CredentialId([7; 32]);
const OTHER: CredentialId = CredentialId([8; 32]);

fn policy() -> Policy {
    let hours = |hours| Duration::from_secs(hours * HOUR);
    Policy { session_lifetime: hours(24), session_idle: hours(12), ..Policy::default() }
}

fn opened(tokens: &[(&str, &str)]) -> Sessions {
    let mut sessions = Sessions::default();
    for (token, user) in tokens {
        sessions.open(token, user, PASSWORD, &policy(), NOW);
    }
    sessions
}

/// The name behind a token, whose user has a credential now.
fn name(
    sessions: &mut Sessions,
    token: &str,
    now_s: u64,
    credential: Option<CredentialId>,
) -> Option<String> {
    let user = sessions.user(token, &policy(), now_s, Activity::User, |_| Ok::<_, Infallible>(credential));
    user.unwrap().map(|user| user.name)
}

#[test]
fn a_session_lives_while_it_is_used() {
    let mut sessions = opened(&[("t", "eva"), ("u", "eva")]);
    let alive = Some("eva".to_owned());
    assert_eq!(name(&mut sessions, "t", NOW + 11 * HOUR, Some(PASSWORD)), alive);
    assert_eq!(name(&mut sessions, "t", NOW + 22 * HOUR, Some(PASSWORD)), alive);
    assert_eq!(name(&mut sessions, "u", NOW + 12 * HOUR, Some(PASSWORD)), None, "idle");
    assert_eq!(name(&mut sessions, "x", NOW, Some(PASSWORD)), None);
    let mut sessions = opened(&[("t", "eva")]);
    sessions.close("t");
    assert_eq!(name(&mut sessions, "t", NOW, Some(PASSWORD)), None);
}

#[test]
fn m2_a_session_ends_after_its_lifetime_and_with_its_password() {
    let mut sessions = opened(&[("t", "eva"), ("u", "eva"), ("v", "eva"), ("w", "eva")]);
    for hour in 0..24 {
        assert!(name(&mut sessions, "t", NOW + hour * HOUR, Some(PASSWORD)).is_some());
    }
    assert_eq!(name(&mut sessions, "t", NOW + 24 * HOUR, Some(PASSWORD)), None, "too old");
    assert_eq!(name(&mut sessions, "u", NOW, Some(OTHER)), None, "another password");
    assert_eq!(name(&mut sessions, "u", NOW, Some(PASSWORD)), None, "and the old one again");
    assert_eq!(name(&mut sessions, "v", NOW, None), None, "the user is gone");
    assert_eq!(name(&mut sessions, "w", NOW - 24 * HOUR, Some(PASSWORD)), None, "opened under another clock");
    let sessions = opened(&[("t", "eva")]);
    let is_open = |now_s| sessions.is_open(&TokenHash::of("t"), &policy(), now_s);
    assert_eq!((is_open(NOW + 23 * HOUR), is_open(NOW + 24 * HOUR)), (true, false));
}

#[test]
fn keys_are_a_sessions_own() {
    let mut sessions = opened(&[("t", "eva"), ("u", "eva")]);
    let keys = || Arc::new(Unlocked::with(evidence::Keys::default()));
    assert!(sessions.unlock("t", "audit", keys()) && !sessions.unlock("x", "audit", keys()));
    let count = |sessions: &mut Sessions, token: &str| {
        let user =
            sessions.user(token, &policy(), NOW, Activity::User, |_| Ok::<_, Infallible>(Some(PASSWORD)));
        user.unwrap().unwrap().keyring.len()
    };
    assert_eq!((count(&mut sessions, "t"), count(&mut sessions, "u")), (1, 0));
    sessions.lock("t", "audit");
    assert_eq!(count(&mut sessions, "t"), 0);
}

#[test]
fn one_user_cannot_take_all_sessions() {
    let mut sessions = opened(&[("t", "bob")]);
    for n in 0..SESSIONS_MAX {
        sessions.open(&format!("eva {n}"), "eva", PASSWORD, &policy(), NOW + 1);
    }
    assert_eq!(sessions.open.len(), USER_SESSIONS_MAX + 1);
    assert!(name(&mut sessions, "t", NOW, Some(PASSWORD)).is_some());
}

#[test]
fn m2_sessions_survive_in_a_file_that_lets_nobody_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.json");
    assert!(Sessions::load(&path).unwrap().open.is_empty());
    let token = "0123456789abcdef0123456789abcdef";
    let mut sessions = opened(&[(token, "eva"), ("u", "bob")]);
    assert!(name(&mut sessions, token, NOW + HOUR, Some(PASSWORD)).is_some());
    sessions.close("u");
    Sessions::save(&path, &sessions.encode().unwrap()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains(token) && !text.contains("bob"), "{text}");
    let mut sessions = Sessions::load(&path).unwrap();
    assert!(name(&mut sessions, token, NOW + 12 * HOUR, Some(PASSWORD)).is_some());
    assert_eq!(name(&mut sessions, "u", NOW, Some(PASSWORD)), None);
    assert_eq!(name(&mut sessions, token, NOW + 24 * HOUR, Some(PASSWORD)), None);
    let hash = text.split('"').find(|part| part.len() == 64).unwrap();
    assert_eq!(name(&mut Sessions::load(&path).unwrap(), hash, NOW, Some(PASSWORD)), None);
    for damaged in [&text[..text.len() / 2], "", "{}", &text.replace("\"version\":1", "\"version\":2"), "[1]"]
    {
        fs::write(&path, damaged).unwrap();
        assert!(Sessions::load(&path).is_err(), "{damaged}");
    }
    for wrong in ["xyz", &format!("+f{}", &hash[2..])] {
        fs::write(&path, text.replacen(hash, wrong, 1)).unwrap();
        assert!(matches!(Sessions::load(&path), Err(SessionFileError::Format)), "{wrong}");
    }
    assert!(Sessions::save(&folder.path().join("none/\0"), b"").is_err());
}

#[test]
fn clocks_may_differ_a_little() {
    for (early, want) in [(0, true), (300, true), (301, false)] {
        let mut sessions = opened(&[("t", "eva")]);
        assert_eq!(name(&mut sessions, "t", NOW - early, Some(PASSWORD)).is_some(), want, "{early} s");
    }
}

#[test]
fn last_uses_are_written_every_five_minutes() {
    let mut sessions = Sessions::default();
    let rows =
        [(NOW, true), (NOW, false), (NOW + 299, false), (NOW + 300, true), (NOW + 599, false), (NOW, true)];
    for (now_s, want) in rows {
        assert_eq!(sessions.take_due(now_s), want, "{}", now_s - NOW);
    }
}

/// A file of sessions of a version, each with its hash.
fn file(version: u32, hashes: impl Iterator<Item = String>) -> Vec<u8> {
    let session = |token_sha256| SavedSession {
        token_sha256,
        user: "eva".to_owned(),
        credential: hex(&PASSWORD.0),
        opened_s: NOW,
        used_s: NOW,
        address: None,
        agent: String::new(),
    };
    serde_json::to_vec(&Saved { version, sessions: hashes.map(session).collect() }).unwrap()
}

#[test]
fn only_files_of_this_version_and_size_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.json");
    let hash = |number: usize| format!("{number:064x}");
    let rows: [(&str, Vec<u8>, Option<usize>); 8] = [
        ("none", file(1, (0..0).map(hash)), Some(0)),
        ("as many as there may be", file(1, (0..SESSIONS_MAX).map(hash)), Some(SESSIONS_MAX)),
        ("one more", file(1, (0..=SESSIONS_MAX).map(hash)), None),
        ("another version", file(2, (0..1).map(hash)), None),
        ("a hash that is too long", file(1, std::iter::once(hash(7) + "00")), None),
        ("one that is too short", file(1, std::iter::once(hash(7)[2..].to_owned())), None),
        (
            "one with other letters",
            file(1, std::iter::once(hash(7).replacen('0', "\u{fc}", 1)[..64].to_owned())),
            None,
        ),
        ("no number", file(1, std::iter::once(hash(7).replacen('0', "g", 1))), None),
    ];
    for (what, bytes, want) in rows {
        fs::write(&path, bytes).unwrap();
        assert_eq!(Sessions::load(&path).ok().map(|sessions| sessions.open.len()), want, "{what}");
    }
    let unread = Sessions::load(folder.path()).err().unwrap();
    assert!(matches!(unread, SessionFileError::Io(_)) && !unread.to_string().is_empty(), "a folder");
    fs::write(&path, "[]").unwrap();
    let strange = Sessions::load(&path).err().unwrap().to_string();
    assert_eq!(strange, "it is not a file of sessions of this version");
}

#[test]
fn a_timer_does_not_keep_a_session() {
    let mut sessions = opened(&[("t", "eva")]);
    let mut by = |activity, hour| {
        let user = sessions
            .user("t", &policy(), NOW + hour * HOUR, activity, |_| Ok::<_, Infallible>(Some(PASSWORD)));
        user.unwrap().is_some()
    };
    assert!(by(Activity::Timer, 6) && by(Activity::Timer, 11));
    assert!(!by(Activity::Timer, 12), "nobody was there for twelve hours");
    let mut sessions = opened(&[("t", "eva")]);
    let mut by = |activity, hour| {
        let user = sessions
            .user("t", &policy(), NOW + hour * HOUR, activity, |_| Ok::<_, Infallible>(Some(PASSWORD)));
        user.unwrap().is_some()
    };
    assert!(by(Activity::User, 6) && by(Activity::Timer, 17), "a person was there eleven hours ago");
}

#[test]
fn sessions_are_listed_and_ended() {
    let mut sessions = opened(&[("t", "eva"), ("b", "bob")]);
    sessions.open("u", "eva", PASSWORD, &policy(), NOW + HOUR);
    let address: IpAddr = "192.0.2.7".parse().unwrap();
    sessions.set_client("u", SessionClient::new(address, &format!("Browser\n{}", "x".repeat(500))));
    let listed = sessions.of_user("eva", &policy(), NOW + HOUR);
    assert_eq!(listed.iter().map(|one| one.opened_s).collect::<Vec<_>>(), [NOW + HOUR, NOW]);
    assert_eq!(listed[0].client.address, Some(address));
    assert!(listed[0].client.agent.starts_with("Browserx") && listed[0].client.agent.len() == 200);
    assert_eq!((listed[1].ends_s, listed[1].id.len()), (NOW + 12 * HOUR, 16));
    assert_eq!(sessions.of_user("eva", &policy(), NOW + 12 * HOUR).len(), 1, "what is over is not listed");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.json");
    Sessions::save(&path, &sessions.encode().unwrap()).unwrap();
    let mut sessions = Sessions::load(&path).unwrap();
    assert_eq!(sessions.of_user("eva", &policy(), NOW + HOUR), listed);
    assert_eq!(sessions.owner(&listed[1].id).as_deref(), Some("eva"));
    assert_eq!(sessions.owner("0000000000000000"), None);
    assert_eq!(sessions.end("bob", |hash| hash.id() == listed[1].id), 0, "it is not a session of bob");
    assert_eq!(sessions.end("eva", |hash| hash.id() == listed[1].id), 1);
    assert_eq!(name(&mut sessions, "t", NOW, Some(PASSWORD)), None);
    assert_eq!(sessions.end("eva", |_| true), 1);
    assert!(name(&mut sessions, "b", NOW, Some(PASSWORD)).is_some());
}
