//! Packages that somebody with the key that signs changed, with all digests and signatures made right again: both verifiers
//! find it.

use super::*;
use serde_json::{Value, json};

/// The parts of a package that are changed.
struct Opened {
    messages: Vec<Value>,
    proofs: Vec<Value>,
    manifest: Value,
}

fn lines(folder: &Path, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Changes a package and signs it again.
fn tamper(folder: &Path, key: &SigningKey, change: &dyn Fn(&mut Opened)) {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let manifest = serde_json::from_str(&fs::read_to_string(folder.join("manifest.json")).unwrap()).unwrap();
    let mut opened = Opened {
        messages: lines(folder, "messages.ndjson"),
        proofs: lines(folder, "proofs.ndjson"),
        manifest,
    };
    change(&mut opened);
    let text = |values: &[Value]| values.iter().map(|value| format!("{value}\n")).collect::<String>();
    let raw: Vec<u8> = opened
        .messages
        .iter()
        .flat_map(|message| {
            let mut bytes = STANDARD.decode(message["raw"].as_str().unwrap()).unwrap();
            bytes.push(b'\n');
            bytes
        })
        .collect();
    fs::write(folder.join("messages.ndjson"), text(&opened.messages)).unwrap();
    fs::write(folder.join("proofs.ndjson"), text(&opened.proofs)).unwrap();
    fs::write(folder.join("messages.raw"), raw).unwrap();
    sign_again(folder, key, opened.manifest);
}

fn sign_again(folder: &Path, key: &SigningKey, mut manifest: Value) {
    for (name, digest) in manifest["files"].as_object_mut().unwrap() {
        *digest = Digest::of(&fs::read(folder.join(name)).unwrap()).to_string().into();
    }
    let text = format!("{manifest:#}\n");
    fs::write(folder.join("manifest.sig"), key.sign(text.as_bytes()).unwrap()).unwrap();
    fs::write(folder.join("manifest.json"), text).unwrap();
}

type Change = fn(&mut Opened);

/// Changes, and what verification says of them.
const CHANGES: [(Change, &str); 15] = [
    (
        |p| {
            p.messages.insert(5, p.messages[5].clone());
            p.proofs[0]["messages"] = 71.into();
            p.manifest["messages"] = 141.into();
        },
        "comes twice or out of order",
    ),
    (
        |p| {
            let again: Vec<Value> = p.messages[..70].to_vec();
            p.messages.splice(70..70, again);
            p.proofs.insert(1, p.proofs[0].clone());
            p.manifest["messages"] = 210.into();
        },
        "the proof of record 0 comes twice or out of order",
    ),
    (|p| p.messages.swap(3, 4), "comes twice or out of order"),
    (
        |p| {
            p.messages.remove(3);
            p.proofs[0]["messages"] = 69.into();
            p.manifest["messages"] = 139.into();
        },
        "messages of record 0 are not those that were sealed",
    ),
    (|p| drop(p.messages.pop()), "messages of record 2 are missing"),
    (|p| p.messages[7]["host"] = "another".into(), "host of message 73 is not what its received bytes say"),
    (|p| p.messages[7]["message"] = "another".into(), "message of message 73 is not"),
    (|p| p.messages[7]["priority"] = 3.into(), "priority of message 73 is not"),
    (|p| p.messages[7]["event_us"] = 3.into(), "event_us of message 73 is not"),
    (|p| p.messages[7]["values"] = json!({".SDATA.a.b": "c"}), "values..SDATA.a.b of message 73 is not"),
    (|p| p.messages[7]["hostname"] = "another".into(), "a message is not what its received bytes say"),
    (
        |p| drop(p.messages[7].as_object_mut().unwrap().remove("read")),
        "a message is not what its received bytes say",
    ),
    (
        |p| drop(p.proofs[0]["proof"].as_array_mut().unwrap().pop()),
        "messages of record 0 are not those that were sealed",
    ),
    (|p| p.proofs[0]["record"] = 1.into(), "proofs name record 1, which is not the state of a segment"),
    (|p| p.manifest["question"]["from_us"] = (START_US + 60_000).into(), "outside of the time range"),
];

#[test]
fn e4_what_the_holder_of_the_key_changes_is_found_by_both() {
    for (change, want) in CHANGES {
        let (dir, key) = logspace();
        let folder = package(dir.path(), &key);
        tamper(&folder, &key, &change);
        let found = faults(&folder, &[]);
        assert!(found.iter().any(|fault| fault.contains(want)), "{want}: {found:?}");
        if has_node() {
            let said = page_says(dir.path(), &folder);
            assert!(
                said.lines().any(|line| line.starts_with("false") && line.contains(want)),
                "{want}: {said}"
            );
        }
    }
}

#[test]
fn e4_a_field_that_comes_twice_is_found_by_both() {
    let (dir, key) = logspace();
    let folder = package(dir.path(), &key);
    let path = folder.join("messages.ndjson");
    let text = fs::read_to_string(&path).unwrap().replacen("\"host\":", "\"host\":\"another\",\"host\":", 1);
    fs::write(&path, text).unwrap();
    let manifest = serde_json::from_str(&fs::read_to_string(folder.join("manifest.json")).unwrap()).unwrap();
    sign_again(&folder, &key, manifest);
    let want = "a message is not what its received bytes say";
    assert!(faults(&folder, &[]).iter().any(|fault| fault == want));
    if has_node() {
        assert!(page_says(dir.path(), &folder).contains(&format!("false {want}")));
    }
}

#[test]
fn e4_a_stranger_cannot_sign_a_package_again() {
    let (dir, key) = logspace();
    let folder = package(dir.path(), &key);
    let stranger = SigningKey::load_or_draw(&dir.path().join("other.key")).unwrap();
    fs::write(folder.join("key-2.pem"), stranger.public().to_pem()).unwrap();
    let mut manifest: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("manifest.json")).unwrap()).unwrap();
    manifest["question"]["text"] = "another".into();
    manifest["signer"] = stranger.public().fingerprint().into();
    manifest["files"]["key-2.pem"] = "".into();
    sign_again(&folder, &stranger, manifest);
    let want = "who signed no record of the chain";
    let found = faults(&folder, &[]);
    assert!(found.len() == 1 && found[0].contains(want), "{found:?}");
    assert_eq!(faults(&folder, &[stranger.public().clone(), key.public().clone()]), Vec::<String>::new());
    if has_node() {
        let said = page_says(dir.path(), &folder);
        assert!(said.lines().any(|line| line.starts_with("false") && line.contains(want)), "{said}");
    }
}

#[test]
fn e4_the_report_says_what_was_asked_and_what_is_not_there() {
    let (dir, key) = logspace();
    let folder = package(dir.path(), &key);
    let report = verify(&folder, &[]).unwrap();
    let question = report.question.unwrap();
    assert_eq!((question.text.as_str(), question.asked_by.as_str()), ("user3", "eva"));
    assert_eq!(report.gaps, [(700..1400, "removed: age".to_owned())]);
    assert_eq!((report.sealed_to, report.unread.len()), (2100, 0));
    assert_eq!((report.fields.whole, report.fields.word.len()), (140, 0), "{:?}", report.fields);
    let audit = |known_head| PackageAudit { known_head: Some(known_head), ..PackageAudit::default() };
    assert!(audit(report.head).run(&folder).unwrap().faults.is_empty());
    let found = audit(Digest::of(b"another")).run(&folder).unwrap().faults;
    assert_eq!(found, ["the record that was kept elsewhere is not in the chain"]);
    if has_node() {
        let said = page_says(dir.path(), &folder);
        assert!(
            said.contains("true eva asked for user3") && said.contains("700 to 1400 (removed: age)"),
            "{said}"
        );
        assert!(
            said.contains("true fields that follow from the received bytes: all of 140 messages"),
            "{said}"
        );
    }
}
