//! Codes of RFC 6238, of the past and the future, used ones, and recovery codes.

use super::{totp::Code, *};

/// The secret of RFC 6238, appendix B.
const RFC_SECRET: &[u8] = b"12345678901234567890";
const NOW_S: u64 = 1_800_000_015;

fn key() -> (tempfile::TempDir, FactorKey) {
    let folder = tempfile::tempdir().unwrap();
    let key = FactorKey::load_or_draw(&folder.path().join("factors.key")).unwrap();
    (folder, key)
}

#[test]
fn codes_are_those_of_the_specification() {
    let secret = Secret::of(RFC_SECRET);
    // The appendix has eight digits, of which apps show the last six.
    let rows = [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_111_111_111, "050471"),
        (1_234_567_890, "005924"),
        (2_000_000_000, "279037"),
        (20_000_000_000, "353130"),
    ];
    for (at_s, code) in rows {
        assert_eq!(secret.shown_at(at_s), code, "{at_s}");
        assert_eq!(secret.step_of(Code::parse(code).unwrap(), at_s, 0), Ok(at_s / 30));
    }
}

#[test]
fn a_secret_is_written_in_base_32_and_in_an_address() {
    let secret = Secret::of(RFC_SECRET);
    assert_eq!(secret.text(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    // The vectors of RFC 4648, without padding.
    for (bytes, text) in
        [("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB")]
    {
        assert_eq!(Secret::of(bytes.as_bytes()).text(), text);
    }
    assert_eq!(
        secret.address("eva@x", "log host"),
        "otpauth://totp/Duramen%20log%20host:eva%40x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\
         &issuer=Duramen%20log%20host&algorithm=SHA1&digits=6&period=30"
    );
    assert_eq!(format!("{secret:?}"), "Secret(...)");
    assert_ne!(Secret::draw().unwrap().text(), Secret::draw().unwrap().text());
}

#[test]
fn a_code_is_accepted_once_and_one_step_early_or_late() {
    let secret = Secret::of(RFC_SECRET);
    let code = |offset_s: i64| Code::parse(&secret.shown_at(NOW_S.wrapping_add_signed(offset_s))).unwrap();
    let present = NOW_S / 30;
    let step = |offset_s, last| secret.step_of(code(offset_s), NOW_S, last);
    assert_eq!(step(0, 0), Ok(present));
    assert_eq!(step(-30, 0), Ok(present - 1));
    assert_eq!(step(30, 0), Ok(present + 1));
    assert_eq!(step(0, present), Err(CodeFault::Used));
    assert_eq!(step(-30, present), Err(CodeFault::Used), "an earlier one is used up by a later one");
    assert_eq!(step(30, present), Ok(present + 1));
    assert_eq!(step(-60, 0), Err(CodeFault::Early { seconds: 60 }));
    assert_eq!(step(300, 0), Err(CodeFault::Late { seconds: 300 }));
    assert_eq!(step(3_600, 0), Err(CodeFault::Wrong));
}

#[test]
fn faults_say_what_to_do() {
    for (fault, want) in [
        (CodeFault::Form, "six digits"),
        (CodeFault::Wrong, "that the app shows now"),
        (CodeFault::Used, "wait until the app shows the next"),
        (CodeFault::Early { seconds: 90 }, "the code of 90 s ago: set the clock"),
        (CodeFault::Late { seconds: 60 }, "the code of 60 s from now: set the clock"),
    ] {
        assert!(fault.to_string().contains(want), "{fault}");
    }
}

#[test]
fn what_is_stored_opens_with_its_key_and_for_its_account() {
    let (_folder, key) = key();
    let secret = Secret::draw().unwrap();
    let (mut factor, codes) = StoredFactor::new(&key, "eva#a", &secret, 5, NOW_S).unwrap();
    assert_eq!(factor.facts(), FactorFacts { since_s: NOW_S, recovery_left: RECOVERY_CODES });
    let text = serde_json::to_string(&factor).unwrap();
    assert!(!text.contains(&crate::hex(secret.bytes())) && !text.contains(&codes[0].replace('-', "")));
    let shown = secret.shown_at(NOW_S);
    let spaced = format!(" {} {}", &shown[..3], &shown[3..]);
    assert_eq!(factor.accept(&key, "eva#a", &spaced, NOW_S).unwrap(), Ok(AcceptedCode::Totp));
    assert_eq!(factor.accept(&key, "eva#a", &shown, NOW_S).unwrap(), Err(CodeFault::Used));
    let (_other_folder, other) = super::tests::key();
    assert!(matches!(factor.accept(&other, "eva#a", &shown, NOW_S), Err(FactorKeyError::Foreign)));
    assert!(matches!(factor.accept(&key, "bob#b", &shown, NOW_S), Err(FactorKeyError::Foreign)));
    for odd in ["", "12345", "1234567", "12345x", "abc", "\u{664}\u{665}\u{666}\u{664}\u{665}\u{666}"] {
        assert_eq!(factor.accept(&key, "eva#a", odd, NOW_S).unwrap(), Err(CodeFault::Form), "{odd}");
    }
}

#[test]
fn recovery_codes_work_once_however_they_are_typed() {
    let (_folder, key) = key();
    let secret = Secret::draw().unwrap();
    let (mut factor, codes) = StoredFactor::new(&key, "eva#a", &secret, 5, NOW_S).unwrap();
    assert_eq!(codes.len(), RECOVERY_CODES);
    assert!(codes.iter().all(|code| code.len() == 19 && code.split('-').all(|group| group.len() == 4)));
    let typed = codes[3].to_uppercase().replace('-', " ");
    let left = AcceptedCode::Recovery { left: 9 };
    assert_eq!(factor.accept(&key, "eva#a", &typed, NOW_S).unwrap(), Ok(left));
    assert_eq!(factor.accept(&key, "eva#a", &codes[3], NOW_S).unwrap(), Err(CodeFault::Wrong));
    let fresh = factor.renew_recovery(&key, "eva#a").unwrap();
    assert_eq!(factor.accept(&key, "eva#a", &codes[4], NOW_S).unwrap(), Err(CodeFault::Wrong), "replaced");
    assert_eq!(factor.accept(&key, "eva#a", &fresh[0], NOW_S).unwrap(), Ok(left));
}

#[test]
fn the_key_is_private_stays_and_is_checked() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("factors.key");
    let sealed = FactorKey::load_or_draw(&path).unwrap().seal("eva#a", b"secret").unwrap();
    assert_eq!(FactorKey::load_or_draw(&path).unwrap().open("eva#a", &sealed).unwrap(), b"secret");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    for odd in ["", "zz", "00", &sealed[2..], &"0".repeat(sealed.len())] {
        let opened = FactorKey::load_or_draw(&path).unwrap().open("eva#a", odd);
        assert!(matches!(opened, Err(FactorKeyError::Foreign)), "{odd}");
    }
    std::fs::write(&path, "too short").unwrap();
    assert!(matches!(FactorKey::load_or_draw(&path), Err(FactorKeyError::Format)));
}
