//! A package holds, and every change to it is found.

mod tampered;
mod unread;

use super::*;
use crate::{
    EVIDENCE_DIR,
    files::{
        chain_file::{CHAIN_NAME, append_record},
        layout::segment_path as segment_file,
    },
};
use evidence::{
    Chain, Digest, Event, Keys, PublicKey, Record, SigningKey,
    package::{PackageAudit, PackageError, PackageReport, Question, View},
};
use lookup::{Bitmap, CancelToken, SegmentView};
use message::{Ack, Batch, Message, Origin, Selection, Span, Stamp};
use segment::{Active, Sealing};
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
        let line = format!("<13>1 - h{0} prog - - - message {number} of user{0}\u{fc}", number % 10);
        text.extend_from_slice(line.as_bytes());
        let raw = Span::received(start, text.len() - start);
        let mut message = Message::default();
        (message.raw, message.text) = (raw, raw.part(22, raw.len()));
        (message.host, message.program) = (raw.part(8, 10), raw.part(11, 15));
        message.pri = message::Priority(13);
        message.event = Stamp::known(START_US + numbers.start as i64 * 1000, 0);
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
        let mut record = Record {
            number,
            logspace: [5; 16],
            previous,
            at_us,
            event,
            segment,
            ledger: None,
            signer,
            signature: vec![],
        };
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
        append_record(&mut chain, &journal::OsDisk, dir.path(), made.into_inner().unwrap()).unwrap();
    }
    let gone = chain.current(700).unwrap().segment.clone();
    let record = sign(&chain, Event::Removal("age".into()), gone);
    append_record(&mut chain, &journal::OsDisk, dir.path(), record).unwrap();
    assert!(dir.path().join(EVIDENCE_DIR).join(CHAIN_NAME).exists());
    (dir, key)
}

/// Every tenth message of a logspace, whose numbers end so.
fn part(local: &str, dir: &Path, key: &SigningKey, view: Option<View>, digit: u64) -> PackagePart<'static> {
    let wanted = move |segment: &dyn SegmentView, _: &CancelToken| {
        let mut found = Bitmap::none(segment.len());
        let numbers =
            (0..segment.len()).filter(|at| (segment.first_sequence() + u64::from(*at)) % 10 == digit);
        numbers.for_each(|at| found.add(at));
        Ok(found)
    };
    let (dir, signer) = (dir.to_path_buf(), key.clone());
    PackagePart { local: local.into(), view, dir, keys: Keys::default(), signer, wanted: Box::new(wanted) }
}

fn package(dir: &Path, key: &SigningKey) -> PathBuf {
    let folder = dir.join("package");
    let question = Question { text: "user3".into(), asked_by: "eva".into(), at_us: 1, ..Question::default() };
    let exported =
        export_package(&folder, &question, vec![part("main", dir, key, None, 3)], &CancelToken::unlimited())
            .unwrap();
    assert_eq!((exported.messages, exported.segments), (140, 2));
    assert!(exported.unread.is_empty() && exported.manifest != Digest::default());
    folder
}

fn verify(folder: &Path, trusted: &[PublicKey]) -> Result<PackageReport, PackageError> {
    PackageAudit { trusted: trusted.to_vec(), ..PackageAudit::default() }.run(folder)
}

fn faults(folder: &Path, trusted: &[PublicKey]) -> Vec<String> {
    verify(folder, trusted).map_or_else(|error| vec![error.to_string()], |report| report.faults)
}

#[test]
fn a_package_proves_itself() {
    let (dir, key) = logspace();
    let folder = package(dir.path(), &key);
    let report = verify(&folder, &[key.public().clone()]).unwrap();
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

/// Two logspaces that are asked as one, each within its filter.
fn packages(dirs: &[&Path], key: &SigningKey, folder: &Path) -> Digest {
    let filters = [Some(vec![vec!["user3".to_owned(), "NOT x".to_owned()], vec!["user4".to_owned()]]), None];
    let part = |(at, dir): (usize, &&Path)| {
        let local = format!("l{at}");
        let view = View { name: "both".into(), logspace: local.clone(), filter: filters[at].clone() };
        let key = if at == 0 { key.clone() } else { key_of(dir) };
        part(&local, dir, &key, Some(view), 3 + at as u64)
    };
    let parts = dirs.iter().enumerate().map(part).collect();
    let question = Question { text: "*".into(), asked_by: "eva".into(), at_us: 1, ..Question::default() };
    let exported = export_package(folder, &question, parts, &CancelToken::unlimited()).unwrap();
    assert_eq!((exported.messages, exported.segments), (280, 4));
    exported.manifest
}

#[test]
fn a_package_of_several_says_what_was_asked_and_proves_each() {
    let (one, key) = logspace();
    let (other, _) = logspace();
    let folder = one.path().join("packages");
    packages(&[one.path(), other.path()], &key, &folder);
    let report = verify(&folder, &[]).unwrap();
    assert_eq!(report.faults, Vec::<String>::new());
    assert_eq!((report.messages, report.segments, report.parts.len()), (280, 4, 2));
    let views: Vec<String> =
        report.parts.iter().filter_map(|(_, part)| Some(part.view.as_ref()?.to_string())).collect();
    assert_eq!(
        views,
        [
            "logspace both as far as it is in l0, only messages that its filter lets see: (user3) AND (NOT x) OR (user4)",
            "logspace both as far as it is in l1",
        ]
    );
    let stated = fs::read_to_string(folder.join("l0/manifest.json")).unwrap();
    assert!(stated.contains("only those that the filter lets see"), "{stated}");
    // A part of another package, whole in itself; one that is missing; one too many; a changed filter.
    type Harm<'a> = (&'a str, &'a dyn Fn(&Path));
    let harms: [Harm<'_>; 4] = [
        ("l1: the manifest is another one", &|folder| {
            fs::remove_dir_all(folder.join("l1")).unwrap();
            fs::rename(package(other.path(), &key_of(other.path())), folder.join("l1")).unwrap();
        }),
        ("l1: ", &|folder| fs::remove_dir_all(folder.join("l1")).unwrap()),
        ("l2 does not belong to the package", &|folder| fs::create_dir(folder.join("l2")).unwrap()),
        ("l0: the signature of the manifest is wrong", &|folder| {
            let path = folder.join("l0/manifest.json");
            let text = fs::read_to_string(&path).unwrap().replace("user4", "user5");
            fs::write(path, text).unwrap();
        }),
    ];
    for (want, harm) in harms {
        fs::remove_dir_all(&folder).unwrap();
        packages(&[one.path(), other.path()], &key, &folder);
        harm(&folder);
        let found = faults(&folder, &[]);
        assert!(found.iter().any(|fault| fault.starts_with(want)), "{want}: {found:?}");
    }
}

fn key_of(dir: &Path) -> SigningKey {
    SigningKey::load(&dir.join(EVIDENCE_DIR).join("sign.key")).unwrap()
}

/// Runs the page's own script as a browser would; returns its output.
fn page_says(dir: &Path, folder: &Path) -> String {
    let page = fs::read_to_string(folder.join("verify.html")).unwrap();
    let script = page.split("<script>").nth(1).unwrap().split("</script>").next().unwrap();
    let runner = format!(
        "globalThis.crypto ??= require('crypto').webcrypto;{script};\nconst fs = require('fs'), root = process.argv[2];\
         const names = fs.readdirSync(root, {{ recursive: true }}).filter(name => fs.statSync(root + '/' + name).isFile());\
         const files = new Map(names.map(name => [name, new Uint8Array(fs.readFileSync(root + '/' + name))]));\
         verifyPackage(files).then(steps => {{ for (const step of steps) console.log(step.good, step.text); }}, error => console.log(false, error));"
    );
    let path = dir.join("run.cjs");
    fs::write(&path, runner).unwrap();
    let output = Command::new("node").arg(&path).arg(folder).output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

fn has_node() -> bool {
    Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn the_page_agrees_on_packages_of_several() {
    if !has_node() {
        return;
    }
    let (one, key) = logspace();
    let (other, _) = logspace();
    let folder = one.path().join("packages");
    packages(&[one.path(), other.path()], &key, &folder);
    let said = page_says(one.path(), &folder);
    let wanted = [
        "true l1: 140 of 140 messages",
        "lets see: (user3) AND (NOT x) OR (user4); sealed",
        "true 280 messages in all",
    ];
    assert!(wanted.iter().all(|want| said.contains(want)) && !said.contains("false"), "{said}");
    fs::write(folder.join("l0/extra"), "x").unwrap();
    assert!(page_says(one.path(), &folder).contains("false l0: do not belong"), "a stranger in a part");
    fs::remove_dir_all(folder.join("l1")).unwrap();
    assert!(
        page_says(one.path(), &folder).contains("false l1: the manifest is another one"),
        "a missing part"
    );
}

#[test]
fn the_page_agrees() {
    if !has_node() {
        return;
    }
    let (dir, key) = logspace();
    let folder = package(dir.path(), &key);
    let run = || page_says(dir.path(), &folder);
    let said = run();
    assert!(said.contains("true 140 of 140 messages") && !said.contains("false"), "{said}");
    let messages = folder.join("messages.ndjson");
    let text = fs::read_to_string(&messages).unwrap();
    fs::write(&messages, text.replacen("10.9.8.7", "10.9.8.6", 1)).unwrap();
    let said = run();
    assert!(said.contains("false messages of record 0"), "{said}");
}
