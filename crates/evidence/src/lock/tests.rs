//! Rows for keys of every kind, with keys that openssl made.

use super::*;
use std::{path::Path, process::Command};

fn openssl(dir: &Path, words: &[&str]) {
    let done = Command::new("openssl").args(words).current_dir(dir).output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A lock for one recipient opens with its identity and with no other.
#[track_caller]
fn check(recipient: &Recipient, identity: Identity, other: Identity) {
    let id = [3; 16];
    let lock = Lock::draw(id, std::slice::from_ref(recipient)).unwrap();
    let mut chunk = b"a chunk of a segment".to_vec();
    let tag = lock.seal(7, &mut chunk).unwrap();
    assert!(Keys::of(vec![other]).open(&lock.envelope, id).is_none());
    let keys = Keys::of(vec![identity]);
    assert!(keys.open(&lock.envelope, [4; 16]).is_none(), "bound to the segment");
    let key = keys.open(&lock.envelope, id).unwrap();
    let mut plain = vec![0; chunk.len()];
    assert!(!key.open(8, &chunk, &tag, &mut plain), "bound to the place");
    assert!(key.open(7, &chunk, &tag, &mut plain));
    assert_eq!(plain, b"a chunk of a segment");
    chunk[3] ^= 1;
    assert!(!key.open(7, &chunk, &tag, &mut plain));
}

#[test]
fn age_keys_open_what_is_sealed_for_them() {
    let ((recipient, identity), (_, other)) = (Identity::draw().unwrap(), Identity::draw().unwrap());
    let text = format!("# created: now\n# public key: {recipient}\n{identity}\n");
    let other = Identity::parse(&other, None).unwrap();
    check(&Recipient::load(&recipient).unwrap(), Identity::parse(&text, None).unwrap(), other);
}

/// Vectors that age itself prints.
#[test]
fn age_spelling() {
    let zero = bech32::encode("age", &[0; 32]);
    assert_eq!(bech32::decode(&zero, "age"), Some(vec![0; 32]));
    assert_eq!(bech32::decode("a12uel5l", "a"), Some(vec![]));
    for wrong in ["a12uel5m", "A12uel5l", "a1", "b12uel5l", "a12uel5"] {
        assert_eq!(bech32::decode(wrong, "a"), None, "{wrong}");
    }
    assert!(Recipient::load("age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq").is_err());
}

#[test]
fn certificates_and_public_keys_seal() {
    let kinds: [&[&str]; 4] = [
        &["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
        &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
        &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
        &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"],
    ];
    for kind in kinds {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let run = |words: &[&str]| openssl(dir.path(), words);
        run(&[&["genpkey"], kind, &["-out", "a.key"]].concat());
        run(&[&["genpkey"], kind, &["-out", "b.key"]].concat());
        run(&["req", "-new", "-x509", "-key", "a.key", "-subj", "/CN=log", "-days", "1", "-out", "a.pem"]);
        run(&["pkey", "-in", "a.key", "-pubout", "-out", "a.pub"]);
        run(&["pkcs8", "-topk8", "-in", "a.key", "-passout", "pass:geheim", "-out", "a.enc"]);
        let of = |name: &str| Recipient::load(path(name).to_str().unwrap()).unwrap();
        assert_eq!(of("a.pem"), of("a.pub"));
        let load = |name: &str, passphrase| Identity::load(&path(name), passphrase);
        check(&of("a.pem"), load("a.key", None).unwrap(), load("b.key", None).unwrap());
        let sent = Identity::from_line(&load("a.key", None).unwrap().to_line()).unwrap();
        check(&of("a.pem"), sent, load("b.key", None).unwrap());
        check(&of("a.pub"), load("a.enc", Some("geheim")).unwrap(), load("b.key", None).unwrap());
        assert!(matches!(load("a.enc", None), Err(IdentityError::Passphrase)));
        assert!(matches!(load("a.enc", Some("falsch")), Err(IdentityError::WrongPassphrase)));
        assert!(matches!(load("a.pub", None), Err(IdentityError::Unusable)));
    }
}

#[test]
fn any_recipient_opens() {
    let pairs: Vec<(String, String)> = (0..3).map(|_| Identity::draw().unwrap()).collect();
    let recipients: Vec<Recipient> =
        pairs.iter().map(|(public, _)| Recipient::load(public).unwrap()).collect();
    let lock = Lock::draw([1; 16], &recipients).unwrap();
    for (_, private) in &pairs {
        assert!(
            Keys::of(vec![Identity::parse(private, None).unwrap()]).open(&lock.envelope, [1; 16]).is_some()
        );
    }
}
