//! A package holds, and every change to it is found.

use super::*;
use crate::{
    Active, Digest, EVIDENCE_DIR, Event, Keys, PublicKey, Record, Sealing, SigningKey,
    evidence::{CHAIN_NAME, Chain},
    logspace::segment_file,
};
use message::{Ack, Batch, Message, Origin, Selection, Span, Stamp};
use std::{
    cell::RefCell,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

const START_US: i64 = 1_763_000_000_000_000;

fn batch(numbers: std::ops::Range<u64>) -> Batch {
    let (mut text, mut messages) = (Vec::new(), Vec::new());
    for number in numbers.clone() {
        let start = text.len();
        text.extend_from_slice(format!("<13>message {number} of user{}\u{fc}", number % 10).as_bytes());
        let raw = Span::received(start, text.len() - start);
        let mut message = Message::default();
        (message.raw, message.text) = (raw, raw.part(4, raw.len()));
        messages.push(message);
        text.push(b'\n');
    }
    let origin = Origin { peer: "10.9.8.7:514".parse().ok(), ..Origin::default() };
    let received = Stamp::known(START_US + numbers.start as i64 * 1000, 0);
    let mut batch = Batch::new(Arc::new(text), vec![Arc::new(origin)], received, Ack::none());
    batch.messages = messages;
    batch
}

/// A logspace of three segments of 700 messages, of which the second was removed.
fn logspace() -> (tempfile::TempDir, SigningKey) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join(EVIDENCE_DIR)).unwrap();
    let key = SigningKey::load_or_draw(&dir.path().join(EVIDENCE_DIR).join("sign.key")).unwrap();
    fs::write(dir.path().join(EVIDENCE_DIR).join("key-1.pem"), key.public().to_pem()).unwrap();
    let mut chain = Chain::default();
    let sign = |chain: &Chain, event, segment| {
        let (number, previous, at_us) = (chain.next_number(), chain.head(), START_US * 2);
        let signer = key.public().fingerprint();
        let mut record =
            Record { number, logspace: [5; 16], previous, at_us, event, segment, signer, signature: vec![] };
        record.signature = key.sign(record.statement().as_bytes()).unwrap();
        record
    };
    for first in [0, 700, 1400] {
        let mut active = Active::new(first, None);
        (first..first + 700)
            .step_by(100)
            .for_each(|at| active.append(&batch(at..at + 100), &Selection::all(100)));
        let path = dir.path().join(segment_file(active.received_range().0, first));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let made = RefCell::new(None);
        let notary = |facts| {
            let record = sign(&chain, Event::Seal, facts);
            made.replace(Some(record.clone()));
            Some(record.print())
        };
        active.seal_as(&path, &Sealing::default().with_notary(&notary)).unwrap();
        chain.append(&journal::OsDisk, dir.path(), made.into_inner().unwrap()).unwrap();
    }
    let gone = chain.current(700).unwrap().segment.clone();
    let record = sign(&chain, Event::Removal("age".into()), gone);
    chain.append(&journal::OsDisk, dir.path(), record).unwrap();
    assert!(dir.path().join(EVIDENCE_DIR).join(CHAIN_NAME).exists());
    (dir, key)
}

fn package(dir: &Path, key: &SigningKey) -> PathBuf {
    let folder = dir.join("package");
    let question = Question { text: "user3".into(), asked_by: "eva".into(), at_us: 1, ..Question::default() };
    let mut wanted = |document: &crate::Document| document.sequence % 10 == 3;
    let exported = export_package(dir, &folder, &Keys::default(), key, &question, &mut wanted).unwrap();
    assert_eq!((exported.messages, exported.segments), (140, 2));
    assert!(exported.unread.is_empty() && exported.manifest != Digest::default());
    folder
}

fn faults(folder: &Path, trusted: &[PublicKey]) -> Vec<String> {
    verify_package(folder, trusted).map_or_else(|error| vec![error.to_string()], |report| report.faults)
}

#[test]
fn a_package_proves_itself() {
    let (dir, key) = logspace();
    let folder = package(dir.path(), &key);
    let report = verify_package(&folder, &[key.public().clone()]).unwrap();
    assert_eq!(report.faults, Vec::<String>::new());
    assert_eq!((report.messages, report.segments, report.is_trusted), (140, 2, true));
    assert!(faults(&folder, &[]).is_empty());
    let stranger = SigningKey::load_or_draw(&dir.path().join("other.key")).unwrap();
    assert!(!faults(&folder, &[stranger.public().clone()]).is_empty());
    let manifest = fs::read_to_string(folder.join("manifest.json")).unwrap();
    assert!(manifest.contains("removed: age"), "{manifest}");
}

#[test]
fn every_flipped_bit_of_every_file_is_found() {
    let (dir, key) = logspace();
    let folder = package(dir.path(), &key);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let whole = fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(whole.len() / 7 + 1) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 7);
            fs::write(&path, bytes).unwrap();
            assert!(!faults(&folder, &[]).is_empty(), "{} at {at}", path.display());
        }
        fs::remove_file(&path).unwrap();
        assert!(!faults(&folder, &[]).is_empty(), "{} removed", path.display());
        fs::write(&path, whole).unwrap();
    }
    fs::write(folder.join("extra"), "x").unwrap();
    assert_eq!(faults(&folder, &[]), ["extra does not belong to the package"]);
}

/// Somebody with the files but without the key: a changed message with all digests made right again.
#[test]
fn a_changed_message_does_not_lead_to_the_root() {
    let (dir, key) = logspace();
    let folder = package(dir.path(), &key);
    let change = |name: &str, from: &str, to: &str| {
        let text = fs::read_to_string(folder.join(name)).unwrap().replacen(from, to, 1);
        fs::write(folder.join(name), &text).unwrap();
    };
    change("messages.ndjson", "\"peer\":\"10.9.8.7\"", "\"peer\":\"10.9.8.6\"");
    let found = faults(&folder, &[]);
    assert!(found.iter().any(|fault| fault.contains("not those that were sealed")), "{found:?}");
}

/// The page's own script, run as a browser would, says the same.
#[test]
fn the_page_agrees() {
    let node = Command::new("node").arg("--version").output();
    if !node.is_ok_and(|output| output.status.success()) {
        return;
    }
    let (dir, key) = logspace();
    let folder = package(dir.path(), &key);
    let page = fs::read_to_string(folder.join("verify.html")).unwrap();
    let script = page.split("<script>").nth(1).unwrap().split("</script>").next().unwrap();
    let runner = format!(
        "globalThis.crypto ??= require('crypto').webcrypto;{script};\nconst fs = require('fs');\
         const files = new Map(fs.readdirSync(process.argv[2]).map(name => [name, new Uint8Array(fs.readFileSync(process.argv[2] + '/' + name))]));\
         verifyPackage(files).then(steps => {{ for (const step of steps) console.log(step.good, step.text); }}, error => console.log(false, error));"
    );
    let path = dir.path().join("run.cjs");
    fs::write(&path, runner).unwrap();
    let run = || {
        let output = Command::new("node").arg(&path).arg(&folder).output().unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let said = run();
    assert!(said.contains("true 140 of 140 messages") && !said.contains("false"), "{said}");
    let messages = folder.join("messages.ndjson");
    let text = fs::read_to_string(&messages).unwrap();
    fs::write(&messages, text.replacen("10.9.8.7", "10.9.8.6", 1)).unwrap();
    let said = run();
    assert!(said.contains("false messages of record 0"), "{said}");
}
