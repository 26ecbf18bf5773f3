//! The golden files: files of every version stay readable. `UPDATE=1` writes those of the newest version
//! again.

use super::*;
use evidence::{Identity, Keys, Recipient};
use lookup::{Column, Pattern};
use std::path::PathBuf;

/// The key pair with which the encrypted golden file was made.
const RECIPIENT: &str = "age1qfg8hv4gaecdreld20jrpx4dc3dtgk09zkw4s6hj4dueyfnaa9ascfd8m8";
const IDENTITY: &str = "AGE-SECRET-KEY-1JUC5JJG8J9QNHL45P0S4KQDNL9NE3RAD68UP002N762PT2WQUZZSV36AA3";

fn golden(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata")).join(name)
}

fn lines() -> Vec<Line> {
    let line = |at: usize| Line {
        host: ["web-1", "db.example", ""][at % 3].into(),
        program: ["sshd", "CRON"][at % 2].into(),
        pid: (1000 + at * 7).to_string(),
        text: format!("Failed password for user{} from 10.0.{}.{}", at % 11, at % 5, at),
        pri: (at * 3 % 192) as u16,
        rewritten: (at == 17).then(|| "changed by processing".into()),
        values: if at.is_multiple_of(40) {
            vec![("port".into(), at.to_string(), ValueKind::Integer)]
        } else {
            Vec::new()
        },
        tags: if at == 3 { vec!["mine".into()] } else { Vec::new() },
        sdata: if at.is_multiple_of(9) { "[a@1 b=\"c d\"]".into() } else { String::new() },
    };
    (0..400).map(line).collect()
}

fn active() -> Active {
    let mut active = Active::new(5000, Some(learned(&["failed", "password", "for", "from"])));
    append(&mut active, &lines());
    active
}

/// A golden file holds the messages, and finds them.
fn check(name: &str, keys: &Keys) {
    let sealed = Sealed::unlock(&golden(name), keys).unwrap();
    let cancel = CancelToken::unlimited();
    assert_eq!(sealed.verify(&cancel).unwrap().documents, 400);
    assert_eq!(sealed.first_sequence(), 5000);
    for (read, written) in documents(&sealed).iter().zip(documents(&*active().view())) {
        assert_eq!(show(read), show(&written));
        assert_eq!((read.received_us, read.event), (written.received_us, written.event));
    }
    let count = |pattern| sealed.words(&pattern, &cancel).unwrap().count();
    assert_eq!(count(Pattern::Exact("failed".into())), 399);
    assert_eq!(count(Pattern::Exact("user3".into())), 37);
    assert_eq!(count(Pattern::Exact("10.0.2.17".into())), 0);
    assert_eq!(count(Pattern::Exact("changed".into())), 1);
    let values =
        |column, text: &str| sealed.values(&column, &Pattern::Exact(text.into()), &cancel).unwrap().count();
    assert_eq!(values(Column::Host, "web-1"), 134);
    assert_eq!(values(Column::Named("port".into()), "360"), 1);
    assert_eq!(values(Column::Tags, "mine"), 1);
}

#[test]
fn version_3_is_read() {
    let identity = Identity::parse(IDENTITY, None).unwrap();
    let keys = Keys::of(vec![identity]);
    let names = ["segment-v3.segment", "segment-v3-encrypted.segment"];
    if std::env::var_os("UPDATE").is_some() {
        let recipients = [Recipient::load(RECIPIENT).unwrap()];
        for (name, recipients) in names.into_iter().zip([&[][..], &recipients]) {
            let _ = std::fs::remove_file(golden(name));
            let sealed = Sealed::unlock(&golden(&name.replace("v3", "v2")), &keys).unwrap();
            recode_to(&sealed, &golden(name), recipients, &keys);
        }
    }
    check(names[0], &Keys::default());
    check(names[1], &keys);
    assert!(matches!(Sealed::open(&golden(names[1])), Err(lookup::ReadError::Locked { .. })));
}

#[test]
fn version_1_is_read() {
    check("segment-v1.segment", &Keys::default());
}

#[test]
fn version_2_is_read() {
    let identity = Identity::parse(IDENTITY, None).unwrap();
    let names = ["segment-v2.segment", "segment-v2-encrypted.segment"];
    if std::env::var_os("UPDATE").is_some() {
        let recipients = [Recipient::load(RECIPIENT).unwrap()];
        for (name, recipients) in names.into_iter().zip([&[][..], &recipients]) {
            let _ = std::fs::remove_file(golden(name));
            active().seal_as(&golden(name), &Sealing::for_recipients(recipients)).unwrap();
        }
    }
    check(names[0], &Keys::default());
    check(names[1], &Keys::of(vec![identity]));
    assert!(matches!(Sealed::open(&golden(names[1])), Err(lookup::ReadError::Locked { .. })));
}
