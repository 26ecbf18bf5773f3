//! Columns with many values, more names than there are columns for, and phrases with gaps.

use super::*;
use lookup::{Bitmap, Column, Pattern, Phrase};

/// The views of a segment: active, sealed, recoded.
fn views(active: &Active) -> [Arc<dyn SegmentView>; 3] {
    let sealed = Sealed::from_bytes(sealed_bytes(active)).unwrap();
    let recoded = Sealed::from_bytes(recoded_bytes(active)).unwrap();
    [active.view(), Arc::new(sealed), Arc::new(recoded)]
}

fn segment(lines: &[Line]) -> Active {
    let mut active = Active::new(0, Some(learned(&["failed"])));
    append(&mut active, lines);
    active
}

fn counts(view: &dyn SegmentView, column: &Column, documents: &[u32]) -> Vec<(String, u64)> {
    let mut wanted = Bitmap::none(view.len());
    documents.iter().for_each(|document| wanted.add(*document));
    let mut counted = Vec::new();
    let mut add =
        |value: &[u8], count: u64| counted.push((String::from_utf8_lossy(value).into_owned(), count));
    view.count_values(column, &wanted, &CancelToken::unlimited(), &mut add).unwrap();
    counted.sort();
    counted
}

#[test]
fn few_of_many_values_are_counted_one_by_one() {
    let line = |at: usize| Line { pid: (at % 700).to_string(), text: "x".into(), ..Line::default() };
    let active = segment(&(0..1_000).map(line).collect::<Vec<_>>());
    for view in views(&active) {
        assert_eq!(
            counts(&*view, &Column::Pid, &[3, 703, 999]),
            [("299".to_owned(), 1), ("3".to_owned(), 2)]
        );
        assert_eq!(counts(&*view, &Column::Pid, &[]), []);
        let all: Vec<u32> = (0..1_000).collect();
        let counted = counts(&*view, &Column::Pid, &all);
        assert_eq!((counted.len(), counted.iter().map(|(_, count)| count).sum::<u64>()), (700, 1_000));
        assert_eq!(counts(&*view, &Column::Severity, &[1, 2]), [("emerg".to_owned(), 2)]);
    }
}

#[test]
fn names_beyond_the_columns_are_still_found() {
    // Those that were set last have the columns.
    let mut values = vec![
        ("first".to_owned(), "7".to_owned(), ValueKind::Integer),
        ("second".to_owned(), "8.0".to_owned(), ValueKind::Double),
        ("third".to_owned(), "7".to_owned(), ValueKind::String),
    ];
    values.extend((0..crate::NAMED_MAX).map(|at| (format!("n{at}"), "7".to_owned(), ValueKind::String)));
    let plain = Line { text: "no values".into(), ..Line::default() };
    let active = segment(&[plain.clone(), Line { values, ..plain }]);
    let views = views(&active);
    assert!(active.values_without_column() >= 3, "{}", active.values_without_column());
    for view in views {
        let find = |name: &str, pattern: Pattern| -> Vec<u32> {
            let column = Column::Named(name.into());
            view.values(&column, &pattern, &CancelToken::unlimited()).unwrap().iter().collect()
        };
        assert_eq!(find("first", Pattern::Number(7.0)), [1]);
        assert_eq!(find("second", Pattern::Number(8.0)), [1]);
        assert_eq!(find("second", Pattern::Number(7.0)), [0; 0]);
        assert_eq!(find("third", Pattern::Number(7.0)), [0; 0], "a text is no number");
        assert_eq!(find("third", Pattern::Exact("7".into())), [1]);
        assert_eq!(find("fourth", Pattern::Any), [0; 0]);
        assert_eq!(find("n999", Pattern::Exact("7".into())), [1]);
    }
}

#[test]
fn stamps_keep_their_quality() {
    use message::ZoneQuality::*;
    let mut batch = batch(&["a", "b", "c", "d"].map(|text| Line { text: text.into(), ..Line::default() }), 5);
    let events = [(Absent, 0), (Known, -3_600), (ZoneGuessed, 19_800), (YearGuessed, 7_200)]
        .map(|(quality, offset_s)| Stamp { unix_us: -7, offset_s, quality });
    for (message, event) in batch.messages.iter_mut().zip(events) {
        message.event = event;
    }
    let mut active = Active::new(0, None);
    active.append(&batch, &Selection::all(4));
    for view in views(&active) {
        let read: Vec<Stamp> = documents(&*view).iter().map(|document| document.event).collect();
        assert_eq!(read, events);
    }
}

#[test]
fn a_gap_in_a_phrase_is_any_word() {
    let texts = ["failed password for", "failed for", "password failed for root", "failed login for"];
    let active = segment(&texts.map(|text| Line { text: text.into(), ..Line::default() }));
    let word = |text: &str| Pattern::Exact(text.into());
    let phrase = Phrase { words: vec![word("failed"), Pattern::Any, word("for")], slop: 0 };
    for view in views(&active) {
        let answer = view.phrase(&phrase, &CancelToken::unlimited()).unwrap();
        for (document, is_wanted) in (0..).zip([true, false, false, true]) {
            let (may, is_sure) =
                (answer.documents.has(document), answer.sure.as_ref().is_none_or(|sure| sure.has(document)));
            assert!(may || !is_wanted, "{}", texts[document as usize]);
            assert!(is_wanted || !(may && is_sure), "{}", texts[document as usize]);
        }
    }
}

#[test]
fn a_segment_learns_when_it_has_seen_enough() {
    let line = |at: usize| Line { text: format!("often {at}"), ..Line::default() };
    let lines: Vec<Line> = (0..200).map(line).collect();
    let mut active = Active::new(0, None);
    active.learn_after(200);
    append(&mut active, &lines[..198]);
    assert!(active.learned().is_none());
    append(&mut active, &lines[198..]);
    let learned = active.learned().expect("something to learn from");
    assert!(learned.frequent.find(b"often").is_some() && learned.frequent.find(b"7").is_none());
    // A few large messages are enough, too.
    let large = Line { text: "x".repeat(1 << 20), ..Line::default() };
    let mut active = Active::new(0, None);
    append(&mut active, &vec![large.clone(); 15]);
    assert!(active.learned().is_none());
    append(&mut active, &[large]);
    assert!(active.learned().is_some());
    assert_eq!(documents(&*active.view()).len(), 16);
}
