//! Rows for messages: each is proven once, in order, for its record, with the fields that follow from its
//! bytes.

use super::*;

#[test]
fn messages_are_proven_once_and_in_order() {
    let not_sealed = |record: u64| format!("messages of record {record} are not those that were sealed");
    type Change = fn(&mut Package);
    let rows: Vec<(Change, Vec<String>)> = vec![
        // A message removed, and one with other bytes.
        (
            |made| {
                made.messages.remove(3);
                made.raw.truncate(made.raw.len() - bytes_of(304).len() - 1);
                made.proofs[1]["messages"] = 1.into();
            },
            vec![not_sealed(1), "the manifest speaks of another number of messages".into()],
        ),
        (
            |made| made.messages[3] = message(303),
            vec![
                "a message is not what its received bytes say".into(),
                not_sealed(1),
                "the manifest speaks of another number of messages".into(),
            ],
        ),
        (
            |made| drop(made.messages.pop()),
            vec![
                "messages of record 1 are missing".into(),
                not_sealed(1),
                "there are messages without a proof".into(),
                "the manifest speaks of another number of messages".into(),
            ],
        ),
        (|made| made.raw.push(b'x'), vec!["there are messages without a proof".into()]),
        (|made| made.messages.push(message(304)), vec!["there are messages without a proof".into()]),
        (
            |made| made.proofs[0]["count"] = 4.into(),
            vec!["the proof of record 0 is of other numbers than the record".into()],
        ),
        (
            |made| made.proofs[0]["first"] = 1.into(),
            vec!["the proof of record 0 is of other numbers than the record".into()],
        ),
        (
            |made| made.proofs[1]["proof"][0] = "x".into(),
            vec![not_sealed(1), "the manifest speaks of another number of messages".into()],
        ),
        (
            |made| made.messages[1]["received_us"] = received_us(1).into(),
            vec![
                "event_us of message 2 is not what its received bytes say".into(),
                not_sealed(0),
                "the manifest speaks of another number of messages".into(),
            ],
        ),
        (
            |made| made.messages[0]["host"] = "other".into(),
            vec!["host of message 0 is not what its received bytes say".into()],
        ),
        (
            |made| made.messages[0]["read"] = Value::Null,
            vec!["message 0 does not say how its fields follow from its bytes".into()],
        ),
    ];
    for (change, want) in rows {
        check(change, &want.iter().map(String::as_str).collect::<Vec<_>>());
    }
    // Everything a second time.
    check(
        |made| {
            let (proofs, messages, raw) = (made.proofs.clone(), made.messages.clone(), made.raw.clone());
            made.proofs.extend(proofs);
            made.messages.extend(messages);
            made.raw.extend(raw);
            made.state();
        },
        &["the proof of record 0 comes twice or out of order", "message 0 comes twice or out of order"],
    );
}

#[test]
fn only_the_present_state_of_a_segment_is_proven() {
    let gone = |record: &str| {
        format!("proofs name record {record}, which is not the state of a segment in the chain")
    };
    for (record, shown) in
        [(json!(2), "2"), (json!(3), "3"), (json!(9), "9"), (json!("x"), "18446744073709551615")]
    {
        let mut made = package();
        made.proofs[1]["record"] = record;
        let want = [
            gone(shown),
            "there are messages without a proof".into(),
            "the manifest speaks of another number of messages".into(),
        ];
        assert_eq!(faults(&PackageAudit::default(), &made), want);
    }
    check(
        |made| {
            let key = made.key.clone();
            push(&key, &mut made.chain, SEGMENTS[0], Event::Rewrite);
            made.state();
            made.proofs[0]["record"] = 4.into();
        },
        &[],
    );
}

#[test]
fn messages_are_of_their_record_and_of_the_times_that_were_asked() {
    let outside =
        |number: u64| format!("message {number} was received outside of the time range that was asked for");
    for (from, to, want) in [(0, 305, &[][..]), (1, 305, &[0]), (2, 304, &[0, 304]), (3, 400, &[0, 2])] {
        let mut made = package();
        made.manifest["question"]["from_us"] = received_us(from).into();
        made.manifest["question"]["to_us"] = received_us(to).into();
        let want: Vec<String> = want.iter().map(|number| outside(*number)).collect();
        assert_eq!(faults(&PackageAudit::default(), &made), want);
    }
    // The third message is given to the record before.
    check(
        |made| {
            made.proofs[0]["messages"] = 3.into();
            made.proofs[1]["messages"] = 1.into();
        },
        &[
            "message 6 is not of record 0",
            "messages of record 0 are not those that were sealed",
            "messages of record 1 are not those that were sealed",
            "the manifest speaks of another number of messages",
        ],
    );
}

#[test]
fn a_message_has_each_field_once() {
    let strange = [
        "a message is not what its received bytes say",
        "messages of record 0 are not those that were sealed",
    ];
    let mut want = strange.to_vec();
    want.push("the manifest speaks of another number of messages");
    let rows: [fn(&mut Package); 4] = [
        |made| made.messages[0]["more"] = 1.into(),
        |made| drop(made.messages[0].as_object_mut().unwrap().remove("tags")),
        |made| {
            let fields = made.messages[0].as_object_mut().unwrap();
            fields.remove("tags");
            fields.insert("more".into(), 1.into());
        },
        |made| made.raw[0] ^= 1,
    ];
    for change in rows {
        check(change, &want);
    }
    // A name that occurs twice.
    let (dir, mut made) = (tempfile::tempdir().unwrap(), package());
    made.write(dir.path());
    let path = dir.path().join(name::MESSAGES);
    let text = fs::read_to_string(&path).unwrap();
    let twice = text.replacen("\"host\":", "\"host\":\"x\",\"host\":", 1);
    fs::write(&path, &twice).unwrap();
    let digests = [name::CHAIN, name::MESSAGES, name::RAW, name::PROOFS, "key-1.pem"];
    let digest = |name: &str| Digest::of(&fs::read(dir.path().join(name)).unwrap()).to_string();
    made.manifest["files"] =
        digests.iter().map(|name| ((*name).to_owned(), Value::from(digest(name)))).collect();
    seal(dir.path(), &made.key, &made.manifest);
    assert_eq!(PackageAudit::default().run(dir.path()).unwrap().faults, want);
}

#[test]
fn many_faults_are_counted() {
    let mut made = package();
    for index in 0..4 {
        for field in ["host", "program", "pid", "msgid", "message", "priority"] {
            made.messages[index][field] = "other".into();
        }
    }
    let faults = faults(&PackageAudit::default(), &made);
    assert_eq!(faults.len(), 21);
    assert_eq!(faults[20], "and 4 more faults of messages");
}

#[test]
fn fields_of_the_first_version_are_the_word_of_the_maker() {
    let (dir, mut made) = (tempfile::tempdir().unwrap(), package());
    made.manifest["format"] = format::ONE_V1.into();
    made.messages.iter_mut().for_each(|message| drop(message.as_object_mut().unwrap().remove("read")));
    made.messages[0]["host"] = "other".into();
    made.write(dir.path());
    let report = PackageAudit::default().run(dir.path()).unwrap();
    assert_eq!(report.faults, Vec::<String>::new());
    let names =
        ["event_us", "host", "message", "msgid", "pid", "priority", "program", "source", "tags", "values"];
    let word: Vec<(&str, u64)> =
        report.fields.word.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(word, names.map(|name| (name, 4)));
    assert_eq!(report.fields.whole, 0);
}

#[test]
fn unproven_fields_are_counted() {
    let (dir, mut made) = (tempfile::tempdir().unwrap(), package());
    made.messages[0]["host"] = "10.0.0.1".into();
    made.messages[0]["read"] = json!({"as": "rfc5424", "host": "peer", "word": []});
    made.messages[1]["read"] = json!({"as": "rfc5424", "word": ["host", "pid"]});
    made.messages[2]["read"] = json!({"as": "rfc5424", "offset_s": 3600, "word": ["host"]});
    made.write(dir.path());
    let report = PackageAudit::default().run(dir.path()).unwrap();
    assert_eq!(report.faults, Vec::<String>::new());
    let fields = report.fields;
    assert_eq!((fields.whole, fields.host_is_peer), (2, 1));
    assert_eq!(fields.offsets_s.into_iter().collect::<Vec<_>>(), [3600]);
    assert_eq!(fields.word.into_iter().collect::<Vec<_>>(), [("host".to_owned(), 2), ("pid".to_owned(), 1)]);
}
