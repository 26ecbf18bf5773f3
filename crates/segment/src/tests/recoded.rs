//! Recoded segments have the contents of the sealed ones, byte for byte, in less space.

use super::*;
use crate::RecodeError;
use evidence::Keys;
use lookup::{Pattern, ReadError, Stop, Together};
use std::sync::{Arc, atomic::AtomicBool};

/// Lines of a few kinds, whose variable parts take every form that a column may have.
fn line(at: usize) -> Line {
    let mixed = at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (a, b, c) = (mixed % 251, mixed >> 13 & 0xff, mixed >> 33);
    let text = match at % 9 {
        0 => format!("connection from 10.{}.{b}.{a} port {} closed", at % 3, c % 60000),
        1 => format!(
            "request {c:016x}{mixed:016x} took {:04} ms at 07:{:02}:{:02}",
            c % 10_000,
            a % 60,
            b % 60
        ),
        2 => format!("queue id {:08X}: counter={}", c as u32, at * 3),
        3 => format!("user u{}@host-{:03} says \"{}\"", a % 7, b % 40, ["yes", "no", "\u{e4}h"][at % 3]),
        4 => format!("two\nlines {a}"),
        5 => format!("\u{11}mark\u{11}\u{1} {a} \u{11}"),
        6 => String::new(),
        7 => format!(
            "{} {} {} unlike any other {}",
            "x".repeat(at % 50),
            "[".repeat(at % 31),
            c,
            "/".repeat(a % 29)
        ),
        _ => format!("same {a} same {a} -{b} +{b} 00{b} {b}.{a} 999999999999999999999999{a}"),
    };
    Line {
        host: format!("host-{}", at % 17),
        program: ["sshd", "my app", "", "postfix/smtpd"][at % 4].into(),
        pid: if at.is_multiple_of(5) { String::new() } else { (mixed % 4000).to_string() },
        text,
        pri: (at % 192) as u16,
        rewritten: at.is_multiple_of(40).then(|| format!("rewritten {a} of\n{b}")),
        ..Line::default()
    }
}

#[test]
fn every_message_is_the_same_in_any_order() {
    let mut active = Active::new(3, Some(learned(&["connection", "from"])));
    let count = 3000;
    append(&mut active, &(0..count).map(line).collect::<Vec<_>>());
    let sealed = Sealed::from_bytes(sealed_bytes(&active)).unwrap();
    let recoded = Sealed::from_bytes(recoded_bytes(&active)).unwrap();
    assert!(recoded.size() * 5 < sealed.size() * 4, "{} of {} bytes", recoded.size(), sealed.size());
    let read = |sealed: &Sealed, which: &mut dyn Iterator<Item = u32>| {
        let mut read = Vec::new();
        sealed
            .read(which, &CancelToken::unlimited(), &mut |_, document| {
                read.push(document.clone());
                true
            })
            .unwrap();
        read
    };
    let all: Vec<u32> = (0..count as u32).collect();
    let backwards: Vec<u32> = all.iter().rev().copied().collect();
    let scattered: Vec<u32> = backwards.iter().step_by(71).copied().collect();
    for order in [all, backwards, scattered] {
        assert_eq!(read(&recoded, &mut order.iter().copied()), read(&sealed, &mut order.iter().copied()));
    }
    let cancel = CancelToken::unlimited();
    for pattern in [Pattern::Any, Pattern::Wildcard("*1*".into()), Pattern::Exact("connection".into())] {
        assert_eq!(recoded.words(&pattern, &cancel).unwrap(), sealed.words(&pattern, &cancel).unwrap());
    }
    assert_eq!(recoded.stored_root().unwrap(), sealed.stored_root().unwrap());
    assert_eq!(recoded.prove(&[7, 2999], &cancel).unwrap(), sealed.prove(&[7, 2999], &cancel).unwrap());
}

#[test]
fn aged_segments_answer_the_same() {
    let mut active = Active::new(3, Some(learned(&["connection", "from"])));
    let value = |at: usize| vec![("n".to_owned(), format!("v{} connection", at % 90), ValueKind::String)];
    let line =
        |at: usize| Line { values: if at.is_multiple_of(3) { value(at) } else { Vec::new() }, ..line(at) };
    append(&mut active, &(0..3000).map(line).collect::<Vec<_>>());
    let recoded = Sealed::from_bytes(recoded_bytes(&active)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("aged");
    let (keys, cancel) = (Keys::default(), CancelToken::unlimited());
    let mut recoding = Recoding { recipients: &[], keys: &keys, cancel: &cancel, pace: &mut || () };
    recoded.age(&path, &mut recoding).unwrap().finish(&|_| Some(String::new())).unwrap();
    let aged = Sealed::open(&path).unwrap();
    assert!(aged.size() < recoded.size(), "{} of {}", aged.size(), recoded.size());
    let exact =
        ["connection", "u3", "10.0.7.9", "v17", "x", "nothing"].map(|text| Pattern::Exact(text.into()));
    let others = [Pattern::Any, Pattern::Wildcard("*13*".into()), Pattern::Prefix("v1".into())];
    for pattern in exact.iter().chain(&others) {
        let (found, want) = (aged.words(pattern, &cancel).unwrap(), recoded.words(pattern, &cancel).unwrap());
        assert_eq!(found, want, "{pattern:?}");
        for other in &exact {
            let both = Together { any: vec![vec![pattern], vec![other, &exact[1]]], none: Vec::new() };
            let one = Together { any: vec![vec![pattern]], none: vec![other] };
            for asked in [both, one] {
                let want = recoded.words_together(&asked, &cancel).unwrap();
                assert_eq!(aged.words_together(&asked, &cancel).unwrap(), want, "{asked:?}");
            }
        }
    }
    assert_eq!(documents(&aged), documents(&recoded));
    aged.verify(&cancel).unwrap();
    for at in (512..std::fs::metadata(&path).unwrap().len() as usize).step_by(4001) {
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[at] ^= 1;
        assert!(Sealed::from_bytes(bytes).and_then(|sealed| sealed.verify(&cancel)).is_err());
    }
}

#[test]
fn a_single_word_is_next_to_others_of_its_header() {
    let text = |at: usize| match at % 3 {
        // The template recognizes all of these lines; it is the same as that of a recognized header.
        0 => format!("ab{:x}", at * 7919),
        // No other line has the form of these, so only their header is recognized.
        _ => format!("{}unlike any other {at}", "[".repeat(at)),
    };
    let line =
        |at: usize| Line { program: "sshd".into(), pid: "1".into(), text: text(at), ..Line::default() };
    let mut active = Active::new(0, Some(learned(&["unlike"])));
    append(&mut active, &(0..60).map(line).collect::<Vec<_>>());
    let recoded = Sealed::from_bytes(recoded_bytes(&active)).unwrap();
    assert_eq!(documents(&recoded), documents(&Sealed::from_bytes(sealed_bytes(&active)).unwrap()));
}

#[test]
fn groups_follow_each_other() {
    let line = |at: usize| Line { text: format!("event {} of day", at * 7), pri: 13, ..Line::default() };
    let mut active = Active::new(0, Some(learned(&["event"])));
    append(&mut active, &(0..(1 << 14) + 100).map(line).collect::<Vec<_>>());
    let recoded = Sealed::from_bytes(recoded_bytes(&active)).unwrap();
    let mut which = [0, (1 << 14) - 1, 1 << 14, (1 << 14) + 99].into_iter();
    recoded
        .read(&mut which, &CancelToken::unlimited(), &mut |number, document| {
            assert_eq!(document.text, format!("event {} of day", number * 7).into_bytes());
            true
        })
        .unwrap();
    assert_eq!(recoded.verify(&CancelToken::unlimited()).unwrap().blocks, 2);
}

#[test]
fn work_that_is_stopped_leaves_the_old_file() {
    let mut active = Active::new(0, None);
    append(&mut active, &(0..50).map(line).collect::<Vec<_>>());
    let sealed = Sealed::from_bytes(sealed_bytes(&active)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let cancel = CancelToken::new(Arc::new(AtomicBool::new(true)), None);
    let keys = Keys::default();
    let mut recoding = Recoding { recipients: &[], keys: &keys, cancel: &cancel, pace: &mut || () };
    let stopped = sealed.recode(&dir.path().join("new"), &mut recoding).map(|_| ());
    assert!(matches!(stopped, Err(RecodeError::Read(ReadError::Stopped(Stop::Cancelled)))));
}
