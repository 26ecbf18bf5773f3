//! Results of a parser, whole, cut short and impossible.

use super::*;
use message::{Ack, Message};
use proptest::prelude::*;

fn value(name: &str, kind: u8, value: &str) -> Vec<u8> {
    let length = |text: &str| (text.len() as u32).to_le_bytes();
    [&length(name)[..], name.as_bytes(), &[kind], &length(value), value.as_bytes()].concat()
}

fn values(values: &[Vec<u8>]) -> Vec<u8> {
    [&[1, 0][..], &(values.len() as u16).to_le_bytes(), &values.concat()].concat()
}

/// Shows three messages after some frames.
#[track_caller]
fn check(frames: &[Vec<u8>], want: &str) {
    let mut changes = Changes::new(3);
    let is_good = frames.iter().all(|frame| changes.report(b'p', frame).is_ok());
    let mut batch =
        Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::default(), Ack::default());
    batch.messages = vec![Message::default(); 3];
    let mut shown = Vec::new();
    for (index, change) in changes.results().enumerate() {
        let Some(change) = change else {
            shown.push("no".to_owned());
            continue;
        };
        change.apply(&mut batch, index, &|name| name == "MACRO");
        let message = &batch.messages[index];
        let values = batch.values(index).into_iter().rev().map(|(name, value, kind)| {
            let (name, value) = (String::from_utf8_lossy(name), String::from_utf8_lossy(value));
            format!(" {name}={value}:{}", kind as u8)
        });
        let text = String::from_utf8_lossy(batch.fixed(index, Field::Message)).into_owned();
        let (pri, time, peer) = (message.pri.0, message.event.unix_us, batch.origin(index).peer);
        let peer = peer.map(|peer| peer.to_string()).unwrap_or_default();
        let values: String = values.collect();
        shown.push(format!("{text} {pri} {time} {peer}{values}").trim().to_owned());
    }
    let fault = if is_good { "" } else { "; malformed" };
    assert_eq!(format!("{}{fault}", shown.join("; ")), want);
}

#[test]
fn changes_are_those_of_their_message() {
    check(&[], "");
    check(&[vec![0, 1, 0, 0, 0], vec![0]], "no; 13 0; no");
    check(
        &[values(&[value("a", 0, "x"), value("n", 1, "5"), value("MESSAGE", 0, "text")])],
        "text 13 0  a=x:0 n=5:1",
    );
    check(&[values(&[value("MACRO", 0, "x"), value("", 7, "")])], "13 0  =:7");
    let all =
        [&[1, 7][..], &13_u16.to_le_bytes(), &5_i64.to_le_bytes(), &60_i32.to_le_bytes(), b"\x071.2.3.4\0\0"];
    check(&[[&[0][..], &all.concat(), &all.concat()].concat()], "no; 13 5 1.2.3.4:0; 13 5 1.2.3.4:0");
}

#[test]
fn what_is_no_result_is_refused() {
    for frame in [
        vec![2],
        vec![1],
        vec![1, 0, 1, 0],
        vec![0, 0, 0, 0],
        vec![1, 4, 1, b'x', 0, 0],
        values(&[value("a", 8, "")]),
        values(&[value("a", 11, "")]),
    ] {
        check(&[frame], "; malformed");
    }
    assert!(Changes::new(3).report(b'r', b"").is_err());
}

proptest! {
    #[test]
    fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..100), cut in 0..40_usize) {
        let mut changes = Changes::new(3);
        let _ = changes.report(b'p', &bytes);
        let whole = values(&[value("a", 0, "x"), value("n", 1, "5")]);
        let is_whole = cut >= whole.len() || cut == 0;
        prop_assert_eq!(changes.report(b'p', &whole[..cut.min(whole.len())]).is_ok(), is_whole && changes.count() <= 3);
    }
}
