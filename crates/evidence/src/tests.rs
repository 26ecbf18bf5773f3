//! Rows for trees and proofs, records, keys and the chain.

use super::{merkle::*, testing::*, *};
use proptest::prelude::*;
use std::path::Path;

fn leaf_of(number: u64) -> Digest {
    leaf(number, 5, b"10.0.0.1", format!("message {number}").as_bytes(), &mut Vec::new())
}

fn tree(count: u64) -> (Digest, Vec<u8>) {
    let mut tree = Tree::default();
    (0..count).for_each(|number| tree.push(leaf_of(number)));
    tree.finish()
}

fn prove(count: u64, stored: &[u8], wanted: &[u64]) -> Vec<Digest> {
    let mut leaves = |node: u64| {
        let first = node * STORED_SPAN as u64;
        Ok::<_, ()>((first..count.min(first + STORED_SPAN as u64)).map(leaf_of).collect())
    };
    Prover { count, stored }.prove(wanted, &mut leaves).unwrap()
}

/// A proof leads to the root, but not when anything is changed.
fn check(count: u64, wanted: &[u64]) {
    let (root, stored) = tree(count);
    let proof = prove(count, &stored, wanted);
    let known: Vec<(u64, Digest)> = wanted.iter().map(|number| (*number, leaf_of(*number))).collect();
    assert_eq!(root_of(count, &known, &proof), Some(root), "{count} {wanted:?}");
    let mut other = known.clone();
    other[0].1.0[7] ^= 1;
    assert_ne!(root_of(count, &other, &proof), Some(root));
    for at in 0..proof.len().min(40) {
        let mut wrong = proof.clone();
        wrong[at].0[31] ^= 0x80;
        assert_ne!(root_of(count, &known, &wrong), Some(root));
    }
    if let Some((_, short)) = proof.split_last() {
        assert_eq!(root_of(count, &known, short), None);
    }
}

#[test]
fn proofs_lead_to_the_root() {
    for count in [1, 2, 15, 16, 17, 255, 256, 257, 4096, 4097, 5000] {
        check(count, &[0]);
        check(count, &[count - 1]);
        check(count, &[count / 2]);
        check(count, &(0..count).collect::<Vec<_>>());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn proofs_of_any_messages_lead_to_the_root(count in 1u64..9000, picks in prop::collection::btree_set(0u64..9000, 1..30)) {
        let wanted: Vec<u64> = picks.into_iter().map(|pick| pick % count).collect::<std::collections::BTreeSet<_>>().into_iter().collect();
        check(count, &wanted);
    }
}

#[test]
fn records_are_read_as_written_and_every_changed_byte_shows() {
    let key = key();
    for event in [
        Event::Seal,
        Event::Rewrite,
        Event::Recode(Digest::of(b"old")),
        Event::Removal("age".into()),
        Event::Archive("sha256:00 /a b".into()),
        Event::Restore,
    ] {
        let mut written = record(&key, &Chain::default(), 5, event);
        assert!(!written.statement().contains("\nledger "), "as older versions wrote it");
        written.ledger = Some(LedgerHead { entries: 12, last: Digest::of(b"entry") });
        let written = sign(&key, written);
        let text = written.print();
        assert_eq!(Record::parse(&text).as_ref(), Some(&written));
        assert!(written.is_signed_by(key.public()));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            assert_eq!(Record::parse(&changed), None, "byte {at}");
        }
        let forged = Record { at_us: 0, ..written };
        assert_eq!(Record::parse(&forged.print()), Some(forged.clone()), "the sum alone proves nothing");
        assert!(!forged.is_signed_by(key.public()), "the signature does");
    }
}

#[test]
fn openssl_keys_sign_and_verify() {
    for kind in [
        &["-algorithm", "ED25519"][..],
        &["-algorithm", "RSA"],
        &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let openssl = |words: &[&str]| {
            let done =
                std::process::Command::new("openssl").args(words).current_dir(dir.path()).output().unwrap();
            assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
        };
        openssl(&[&["genpkey"], kind, &["-out", "sign.key"]].concat());
        openssl(&[
            "req", "-new", "-x509", "-key", "sign.key", "-subj", "/CN=log", "-days", "1", "-out", "cert.pem",
        ]);
        openssl(&["pkey", "-in", "sign.key", "-pubout", "-out", "public.pem"]);
        let key = SigningKey::load(&path("sign.key")).unwrap();
        let signature = key.sign(b"statement").unwrap();
        std::fs::write(path("text"), "statement").unwrap();
        std::fs::write(path("signature"), &signature).unwrap();
        for public in ["public.pem", "cert.pem"] {
            let public = PublicKey::load(&path(public)).unwrap();
            assert_eq!(public.fingerprint(), key.public().fingerprint());
            assert!(public.verify(b"statement", &signature) && !public.verify(b"Statement", &signature));
        }
        if kind[1] == "ED25519" {
            openssl(&[
                "pkeyutl",
                "-verify",
                "-rawin",
                "-pubin",
                "-inkey",
                "public.pem",
                "-in",
                "text",
                "-sigfile",
                "signature",
            ]);
        } else {
            openssl(&["dgst", "-sha256", "-verify", "public.pem", "-signature", "signature", "text"]);
        }
    }
}

#[test]
fn a_chain_tells_torn_ends_and_damage() {
    let key = key();
    let mut chain = Chain::default();
    for first in [0, 10, 20] {
        chain.appended(record(&key, &chain, first, Event::Seal));
    }
    chain.appended(record(&key, &chain, 10, Event::Removal("age".into())));
    assert_eq!((chain.current(0).map(Record::end), chain.current(10)), (Some(10), None));
    let whole = chain.records().iter().map(Record::print).collect::<String>().into_bytes();
    assert_eq!(chain.length(), whole.len() as u64);
    for length in 0..whole.len() {
        let mut cut = Chain::parse(&whole[..length]);
        let records = cut.records().len();
        assert_eq!(cut.records(), &chain.records()[..records], "cut at {length}");
        assert!(cut.damages().is_empty());
        assert_eq!(cut.length() + cut.torn_bytes(), length as u64);
        assert_eq!(cut.cut_torn().map_or(0, |torn| torn.bytes), length as u64 - cut.length());
        assert_eq!(cut.torn_bytes(), 0);
    }
    let mut bytes = whole.clone();
    bytes[20] ^= 1;
    let damaged = Chain::parse(&bytes);
    assert_eq!((damaged.records().len(), damaged.damages().len()), (3, 1));
}

#[test]
fn time_stamps_are_asked_for_and_verified() {
    for key in [&["-algorithm", "RSA"][..], &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]] {
        let dir = tempfile::tempdir().unwrap();
        let ask = authority(dir.path(), key);
        let request = StampRequest::new(Digest::of(b"record")).unwrap();
        let answer = ask(&request.encode());
        let stamp = request.check(&answer).unwrap();
        assert_eq!(stamp.digest, Digest::of(b"record"));
        assert!(stamp.at_us > 1_700_000_000_000_000, "{stamp:?}");
        let other = StampRequest::new(Digest::of(b"record")).unwrap();
        assert_eq!(other.check(&answer), Err(StampError::OtherQuestion), "the number that was drawn differs");
        std::fs::write(dir.path().join("stamp.tsr"), &answer).unwrap();
        let digest = Digest::of(b"record").to_string();
        let openssl = std::process::Command::new("openssl")
            .args(["ts", "-verify", "-digest", &digest, "-in", "stamp.tsr", "-CAfile", "ca.pem"])
            .current_dir(dir.path())
            .output()
            .unwrap();
        assert!(openssl.status.success(), "{}", String::from_utf8_lossy(&openssl.stderr));
        // Flipped bits of the signed bytes are found; no bytes make the reader panic.
        let mut found = 0;
        for at in 0..answer.len() {
            let mut bytes = answer.clone();
            bytes[at] ^= 1 << (at % 8);
            match Stamp::read(&bytes) {
                Err(_) => found += 1,
                Ok(read) => {
                    assert_eq!((read.digest, read.at_us), (stamp.digest, stamp.at_us), "flip at {at}")
                }
            }
            let _ = Stamp::read(&answer[..at]);
        }
        assert!(found > answer.len() / 3, "{found} of {}", answer.len());
    }
}

#[test]
fn an_authority_must_lead_to_a_trusted_certificate_for_time_stamps() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let keys = &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];
    let (ask, _) = (authority(dir.path(), keys), authority(other.path(), keys));
    let answer = ask(&StampRequest::new(Digest::of(b"record")).unwrap().encode());
    let under = |dir: &Path, name: &str| {
        let roots = StampRoots::load(&dir.join(name)).unwrap();
        Stamp::read_under(&answer, Some(&roots)).map(|stamp| stamp.digest)
    };
    assert_eq!(under(dir.path(), "ca.pem"), Ok(Digest::of(b"record")));
    assert_eq!(under(other.path(), "ca.pem"), Err(StampError::Untrusted), "another root of the same name");
    let both = ["ca.pem"; 2].map(|name| std::fs::read_to_string(other.path().join(name)).unwrap());
    let mine = std::fs::read_to_string(dir.path().join("ca.pem")).unwrap();
    let roots = StampRoots::parse(&(both.concat() + &mine)).unwrap();
    assert!(Stamp::read_under(&answer, Some(&roots)).is_ok(), "one of several");
    assert!(StampRoots::load(&dir.path().join("ca.key")).is_err() && StampRoots::parse("").is_none());
    assert!(Stamp::read(&answer).is_ok(), "without roots any authority counts");
}

#[test]
fn refusals_are_reported() {
    assert_eq!(Stamp::read(&[0x30, 5, 0x30, 3, 2, 1, 2]), Err(StampError::Refused));
    assert_eq!(Stamp::read(b""), Err(StampError::Malformed));
}

#[test]
fn e7_keys_drawn_by_earlier_versions_are_read() {
    use aws_lc_rs::{rand::SystemRandom, signature::Ed25519KeyPair};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sign.key");
    let second_version = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    std::fs::write(&path, crate::der::to_pem("PRIVATE KEY", second_version.as_ref())).unwrap();
    let key = SigningKey::load_or_draw(&path).unwrap();
    let signature = key.sign(b"text").unwrap();
    assert!(key.public().verify(b"text", &signature) && !key.public().verify(b"other", &signature));
}

#[test]
fn leaves_and_nodes_are_hashed_as_described() {
    let message = |number: u64, peer: &[u8], raw: &[u8]| {
        let head = [&[0][..], &number.to_le_bytes(), &(-5_i64).to_le_bytes(), &[peer.len() as u8], peer, raw]
            .concat();
        Digest::of(&head)
    };
    assert_eq!(leaf(7, -5, b"10.0.0.1", b"raw", &mut vec![9; 9]), message(7, b"10.0.0.1", b"raw"));
    assert_eq!(leaf(7, -5, &[b'p'; 300], b"", &mut Vec::new()), message(7, &[b'p'; 255], b""));
    let node = |children: &[Digest]| {
        Digest::of(&[&[1][..], &children.iter().flat_map(|child| child.0).collect::<Vec<u8>>()].concat())
    };
    // A node has sixteen children; the nodes of the second level are kept.
    let leaves: Vec<Digest> = (0..300).map(leaf_of).collect();
    let second = |leaves: &[Digest]| node(&leaves.chunks(16).map(node).collect::<Vec<_>>());
    let stored: Vec<Digest> = leaves.chunks(256).map(second).collect();
    let (root, kept) = tree(300);
    assert_eq!(kept, stored.iter().flat_map(|node| node.0).collect::<Vec<u8>>());
    assert_eq!((root, merkle::root(&kept)), (node(&stored), root));
    assert_eq!(tree(20), (second(&leaves[..20]), second(&leaves[..20]).0.to_vec()));
    assert_eq!(tree(0), (Digest::default(), Vec::new()));
}

#[test]
fn a_proof_is_of_messages_in_order() {
    let (root, stored) = tree(300);
    let proof = prove(300, &stored, &[3, 290]);
    let known =
        |numbers: &[u64]| numbers.iter().map(|number| (*number, leaf_of(*number))).collect::<Vec<_>>();
    assert_eq!(root_of(300, &known(&[3, 290]), &proof), Some(root));
    for wrong in [&[290, 3][..], &[3, 3], &[3, 290, 290], &[300], &[3, 300], &[]] {
        assert_eq!(root_of(300, &known(wrong), &proof), None, "{wrong:?}");
    }
    assert_ne!(root_of(301, &known(&[3, 290]), &proof), Some(root));
    let longer = [proof.as_slice(), &[Digest::default()]].concat();
    assert_eq!(root_of(300, &known(&[3, 290]), &longer), None);
    // One digest for each group of sixteen without a wanted message, and for each of the others beside one.
    assert_eq!(proof.len(), 15 + 15 + 2 + 11);
}

#[test]
fn errors_of_keys_and_stamps_say_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key");
    let gone = "No such file or directory (os error 2)";
    assert_eq!(
        SigningKey::load(&path).unwrap_err().to_string(),
        format!("cannot use {}: {gone}", path.display())
    );
    assert_eq!(
        PublicKey::load(&path).unwrap_err().to_string(),
        format!("cannot use {}: {gone}", path.display())
    );
    let nobody = dir.path().join("no/folder");
    assert!(SigningKey::load_or_draw(&nobody).unwrap_err().to_string().starts_with("cannot use "));
    std::fs::write(&path, crate::der::to_pem("PRIVATE KEY", b"x")).unwrap();
    let want = format!(
        "{} does not hold an unencrypted PKCS#8 private key: Ed25519, RSA or ECDSA P-256",
        path.display()
    );
    assert_eq!(SigningKey::load_or_draw(&path).unwrap_err().to_string(), want);
    let want = format!(
        "{} does not hold a public key or a certificate: Ed25519, RSA or ECDSA P-256",
        path.display()
    );
    assert_eq!(PublicKey::load(&path).unwrap_err().to_string(), want);
    let key = key();
    assert_eq!(format!("{key:?}"), format!("SigningKey({})", key.public().fingerprint()));
    assert_eq!(PublicKey::from_pem(&key.public().to_pem()).as_ref(), Some(key.public()));
    assert_eq!(
        StampRoots::load(&path).unwrap_err().to_string(),
        "there is no certificate in PEM that can be trusted"
    );
    assert_eq!(StampRoots::load(&nobody).unwrap_err().to_string(), gone);
    for (error, want) in [
        (StampError::Refused, "the time-stamping authority refused"),
        (StampError::Malformed, "the answer of the time-stamping authority is not understood"),
        (StampError::OtherQuestion, "the time-stamp is for something else"),
        (StampError::BadSignature, "the signature of the time-stamp is wrong"),
        (
            StampError::Untrusted,
            "the certificate of the time-stamping authority is not one that is trusted for time-stamps",
        ),
    ] {
        assert_eq!(error.to_string(), want);
    }
}

#[test]
fn stamps_of_every_algorithm_are_read() {
    let rsa = &["-algorithm", "RSA"][..];
    let p256 = &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];
    let p384 = &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"];
    for (key, digests, unknown) in [
        (rsa, &["sha384", "sha512"][..], None),
        (p256, &["sha384"], Some("sha512")),
        (p384, &["sha256", "sha384"], Some("sha512")),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let ask = authority(dir.path(), key);
        let conf = std::fs::read_to_string(dir.path().join("conf")).unwrap();
        for digest in digests.iter().copied().chain(unknown) {
            let other = conf.replace("signer_digest=sha256", &format!("signer_digest={digest}"));
            std::fs::write(dir.path().join("conf"), other).unwrap();
            let request = StampRequest::new(Digest::of(b"record")).unwrap();
            let answer = ask(&request.encode());
            let want = if unknown == Some(digest) {
                Err(StampError::BadSignature)
            } else {
                Ok(Digest::of(b"record"))
            };
            assert_eq!(request.check(&answer).map(|stamp| stamp.digest), want, "{digest}");
            let another = StampRequest::new(Digest::of(b"another")).unwrap();
            assert!(another.check(&answer).is_err());
        }
    }
}
