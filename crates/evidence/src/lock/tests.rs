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
fn a_chunk_opens_in_its_segment_only() {
    let key = |id| SegmentKey::new(&[7; 32], [id; 16]).unwrap();
    let mut chunk = b"a chunk".to_vec();
    let tag = key(1).seal(7, &mut chunk).unwrap();
    let opens = |id, index| key(id).open(index, &chunk, &tag, &mut [0; 7]);
    assert_eq!((opens(1, 7), opens(2, 7), opens(1, 8)), (true, false, false));
    assert!(SegmentKey::new(&[7; 31], [1; 16]).is_none(), "no key of that size");
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

/// Vectors of BIP 173, and bytes whose bits do not fill the digits.
#[test]
fn bech32_is_that_of_bip_173() {
    let vectors = [
        ("a", "", "a12uel5l"),
        ("?", "", "?1ezyfcl"),
        (
            "abcdef",
            "00443214c74254b635cf84653a56d7c675be77df",
            "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
        ),
        (
            "split",
            "c5f38b70305f519bf66d85fb6cf03058f3dde463ecd7918f2dc743918f2d",
            "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w",
        ),
    ];
    for (prefix, bytes, text) in vectors {
        let bytes = crate::unhex(bytes).unwrap();
        assert_eq!(bech32::encode(prefix, &bytes), text);
        assert_eq!(bech32::decode(text, prefix), Some(bytes.clone()));
        assert_eq!(bech32::decode(&text.to_ascii_uppercase(), prefix), Some(bytes));
        for at in prefix.len() + 1..text.len() {
            let mut other = text.as_bytes().to_vec();
            other[at] = if other[at] == b'q' { b'p' } else { b'q' };
            assert_eq!(bech32::decode(std::str::from_utf8(&other).unwrap(), prefix), None, "{text} {at}");
        }
    }
    for length in 0..40 {
        let bytes: Vec<u8> = (0..length).map(|at: u8| at.wrapping_mul(37) ^ 200).collect();
        assert_eq!(bech32::decode(&bech32::encode("age", &bytes), "age"), Some(bytes));
    }
    // Left-over digits do not make a byte, and the bits that fill the last digit are zero.
    for (numbers, want) in [
        (&[][..], Some(vec![])),
        (&[0], None),
        (&[0, 4], Some(vec![1])),
        (&[0, 5], None),
        (&[0, 6], None),
        (&[0, 4, 0], None),
        (&[0, 4, 0, 16], Some(vec![1, 1])),
        (&[0, 4, 0, 17], None),
    ] {
        let mut digits = numbers.to_vec();
        digits.extend([0; 6]);
        let sum = bech32::checksum("x", &digits) ^ 1;
        let sums = (0..6).rev().map(|at| (sum >> (5 * at) & 31) as u8);
        let letters: String = numbers
            .iter()
            .copied()
            .chain(sums)
            .map(|number| char::from(bech32::DIGITS[usize::from(number)]))
            .collect();
        assert_eq!(bech32::decode(&format!("x1{letters}"), "x"), want, "{numbers:?}");
    }
}

#[test]
fn keys_of_no_use_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    openssl(
        dir.path(),
        &["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024", "-out", "short.key"],
    );
    openssl(dir.path(), &["pkey", "-in", "short.key", "-pubout", "-out", "short.pub"]);
    openssl(dir.path(), &["genpkey", "-algorithm", "ED25519", "-out", "ed.key"]);
    openssl(dir.path(), &["pkey", "-in", "ed.key", "-pubout", "-out", "ed.pub"]);
    std::fs::write(path("text"), "no key").unwrap();
    let zero = bech32::encode("age", &[0; 32]);
    let long = bech32::encode("age", &[9; 33]);
    for text in [path("short.pub"), path("ed.pub"), path("text"), zero, long] {
        let want = format!(
            "{text} is not a recipient: a PEM certificate or public key (RSA from 2048 bits, P-256, P-384, P-521), or age1..."
        );
        assert_eq!(Recipient::load(&text).unwrap_err().to_string(), want);
    }
    let gone = Recipient::load(&path("gone")).unwrap_err().to_string();
    assert_eq!(gone, format!("cannot read {}: No such file or directory (os error 2)", path("gone")));
    let long = bech32::encode("age-secret-key-", &[9; 33]);
    let unusable = "no private key that could open a segment: PKCS#8 in PEM (RSA, P-256, P-384, P-521) or AGE-SECRET-KEY-1...";
    for text in [long.as_str(), "", &std::fs::read_to_string(path("ed.key")).unwrap()] {
        assert_eq!(Identity::parse(text, None).unwrap_err().to_string(), unusable);
    }
    for (error, want) in [
        (IdentityError::Passphrase, "the private key needs its passphrase"),
        (IdentityError::WrongPassphrase, "the passphrase is not that of the private key"),
    ] {
        assert_eq!(error.to_string(), want);
    }
    let gone = Identity::load(Path::new("/gone"), None).unwrap_err().to_string();
    assert_eq!(gone, "cannot read /gone: No such file or directory (os error 2)");
}

#[test]
fn keys_are_added_up_and_do_not_show() {
    let pairs: [(String, String); 2] = std::array::from_fn(|_| Identity::draw().unwrap());
    let identity = |at: usize| Identity::parse(&pairs[at].1, None).unwrap();
    assert_eq!(format!("{:?}", identity(0)), "Identity(hpke-x25519)");
    let (one, other) = (Keys::of(vec![identity(0)]), Keys::of(vec![identity(1)]));
    assert!(Keys::default().is_empty() && !one.is_empty());
    for (public, _) in &pairs {
        let recipient = Recipient::load(public).unwrap();
        assert_eq!(recipient.name(), public);
        let lock = Lock::draw([1; 16], &[recipient]).unwrap();
        let opens = |keys: &Keys| keys.open(&lock.envelope, [1; 16]).is_some();
        assert!(opens(&one.and(&other)) && opens(&other.and(&one)) && opens(&one) != opens(&other));
    }
    for line in ["", "hpke-x25519", "hpke-x25519 !", "rsa AAAA"] {
        assert!(Identity::from_line(line).is_none(), "{line}");
    }
}
