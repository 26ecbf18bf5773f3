//! Round trips: stored messages are read back unchanged.

use super::*;
use lookup::{Bound, Column, Pattern, WordUse};

fn line(text: &str) -> Line {
    Line {
        host: "web-1".into(),
        program: "sshd".into(),
        pid: "42".into(),
        text: text.into(),
        pri: 38,
        ..Line::default()
    }
}

/// Shows what is stored of the only message of a segment, active and sealed.
#[track_caller]
fn check(line: Line, want: &str) {
    let mut active = Active::new(7, None);
    append(&mut active, &[line]);
    let sealed = Sealed::from_bytes(sealed_bytes(&active)).unwrap();
    let recoded = Sealed::from_bytes(recoded_bytes(&active)).unwrap();
    for view in [&*active.view(), &sealed as &dyn SegmentView, &recoded] {
        let documents = documents(view);
        assert_eq!(documents.len(), 1);
        assert_eq!(show(&documents[0]), want);
    }
}

#[test]
fn keeps_messages_as_they_were() {
    check(
        line("hello world"),
        "7 38 | web-1 sshd 42 | <38>Nov 21 10:00:00 web-1 sshd[42]: hello world | hello world | s_net .source.s_net \
         | .tls.cn=s_net:String",
    );
    check(
        Line { rewritten: Some("changed".into()), ..line("two\nlines") },
        "7 38 | web-1 sshd 42 | <38>Nov 21 10:00:00 web-1 sshd[42]: two\nlines | changed | s_net .source.s_net \
         | .tls.cn=s_net:String",
    );
    let values = vec![("port".into(), "22".into(), ValueKind::Integer)];
    check(
        Line { values, tags: vec!["mine".into()], sdata: "[a@1 b=\"c\\\"d\"]".into(), ..line("") },
        "7 38 | web-1 sshd 42 | <38>Nov 21 10:00:00 web-1 sshd[42]: [a@1 b=\"c\\\"d\"] |  | s_net .source.s_net,mine \
         | .SDATA.a@1.b=c\"d:String .tls.cn=s_net:String port=22:Integer",
    );
}

#[test]
fn set_values_hide_structured_data() {
    let values = vec![(".SDATA.a.b".into(), "new".into(), ValueKind::String)];
    check(
        Line { values, sdata: "[a b=\"old\"]".into(), ..line("x") },
        "7 38 | web-1 sshd 42 | <38>Nov 21 10:00:00 web-1 sshd[42]: [a b=\"old\"]x | x | s_net .source.s_net \
         | .SDATA.a.b=new:String .tls.cn=s_net:String",
    );
}

#[test]
fn every_value_of_a_repeated_name_is_kept() {
    check(
        Line { sdata: "[a b=\"two\" b=\"one\" b=\"two\"]".into(), ..line("x") },
        "7 38 | web-1 sshd 42 | <38>Nov 21 10:00:00 web-1 sshd[42]: [a b=\"two\" b=\"one\" b=\"two\"]x | x | s_net \
         .source.s_net | .SDATA.a.b=two:String .SDATA.a.b=one:String .tls.cn=s_net:String",
    );
    let mut active = Active::new(0, None);
    append(&mut active, &[Line { sdata: "[a b=\"one\" b=\"two\"]".into(), ..line("x") }]);
    let (cancel, column) = (CancelToken::unlimited(), Column::Named(".SDATA.a.b".into()));
    let sealed = Sealed::from_bytes(sealed_bytes(&active)).unwrap();
    for view in [&*active.view(), &sealed as &dyn SegmentView] {
        for (value, want) in [("one", 1), ("two", 1), ("three", 0)] {
            let pattern = Pattern::Exact(value.into());
            assert_eq!(view.words(&pattern, &cancel).unwrap().count(), want, "{value}");
            assert_eq!(view.values(&column, &pattern, &cancel).unwrap().count(), want, "{value}");
        }
        let mut values = Vec::new();
        let all = lookup::Bitmap::all(1);
        view.count_values(&column, &all, &cancel, &mut |value, count| values.push((value.to_vec(), count)))
            .unwrap();
        values.sort();
        assert_eq!(values, [(b"one".to_vec(), 1), (b"two".to_vec(), 1)]);
    }
}

/// Values of one name and several types: each is kept under its own, and numbers are found however they are written.
#[test]
fn a_name_may_have_values_of_several_types() {
    let kinds = [
        ("5", ValueKind::Integer),
        ("5", ValueKind::String),
        ("5.0", ValueKind::Double),
        ("5.0", ValueKind::String),
        ("five", ValueKind::String),
        ("50", ValueKind::Integer),
        ("-2.50", ValueKind::Double),
        ("true", ValueKind::Boolean),
    ];
    let of = |(value, kind): &(&str, ValueKind)| Line {
        values: vec![("n".into(), (*value).into(), *kind)],
        ..line("x")
    };
    let mut active = Active::new(0, None);
    append(&mut active, &kinds.iter().map(of).collect::<Vec<_>>());
    let sealed = Sealed::from_bytes(sealed_bytes(&active)).unwrap();
    let recoded = Sealed::from_bytes(recoded_bytes(&active)).unwrap();
    let (cancel, column) = (CancelToken::unlimited(), Column::Named("n".into()));
    let at_least =
        Pattern::Range { lower: Bound::Number { value: 5.0, inclusive: true }, upper: Bound::Open };
    for view in [&*active.view(), &sealed as &dyn SegmentView, &recoded] {
        let find = |pattern: Pattern| -> Vec<u32> {
            view.values(&column, &pattern, &cancel).unwrap().iter().collect()
        };
        assert_eq!(find(Pattern::Number(5.0)), [0, 2]);
        assert_eq!(find(Pattern::Number(-2.5)), [6]);
        assert_eq!(find(Pattern::Number(7.0)), [0; 0]);
        assert_eq!(find(Pattern::Exact("5".into())), [0, 1]);
        assert_eq!(find(at_least.clone()), [0, 1, 2, 3, 5]);
        assert_eq!(find(Pattern::Any).len(), kinds.len());
        assert_eq!(view.values(&Column::Pid, &Pattern::Number(42.0), &cancel).unwrap().count(), 0);
        let uses = view.columns();
        let used = uses.iter().find(|used| used.column == column).unwrap();
        assert_eq!((used.documents, used.numeric), (kinds.len() as u64, false));
    }
}

/// The cost of a look-up and of reading is counted exactly.
#[test]
fn costs_are_counted() {
    let texts = ["alpha beta", "alpha gamma", "delta", "alphabet"];
    let lines: Vec<Line> = (0..4_000).map(|at| line(texts[at % texts.len()])).collect();
    let mut active = Active::new(0, Some(learned(&["alpha"])));
    append(&mut active, &lines);
    let sealed = Sealed::from_bytes(sealed_bytes(&active)).unwrap();
    let recoded = Sealed::from_bytes(recoded_bytes(&active)).unwrap();
    let cancel = CancelToken::unlimited();
    for view in [&*active.view(), &sealed as &dyn SegmentView, &recoded] {
        let used = |pattern| view.word_use(&pattern, &cancel).unwrap().unwrap();
        assert_eq!(used(Pattern::Exact("beta".into())), WordUse { words: 1, postings: 1_000 });
        assert_eq!(used(Pattern::Exact("alpha".into())), WordUse { words: 1, postings: 2_000 });
        assert_eq!(used(Pattern::Prefix("alpha".into())), WordUse { words: 2, postings: 3_000 });
        assert_eq!(used(Pattern::Exact("epsilon".into())), WordUse::default());
        let cost = |documents: &lookup::Bitmap| view.read_cost(documents).unwrap().unwrap();
        let (all, none) = (cost(&lookup::Bitmap::all(4_000)), cost(&lookup::Bitmap::none(4_000)));
        let mut first = lookup::Bitmap::none(4_000);
        first.add(0);
        let one = cost(&first);
        assert_eq!((one.blocks, none.blocks, none.bytes), (1, 0, 0));
        assert!(all.blocks >= one.blocks && all.bytes >= one.bytes && one.bytes > 0, "{all:?} {one:?}");
    }
}

#[test]
fn a_segment_of_nothing_is_a_segment() {
    let active = Active::new(3, None);
    let sealed = Sealed::from_bytes(sealed_bytes(&active)).unwrap();
    for view in [&*active.view(), &sealed as &dyn SegmentView] {
        assert!(view.is_empty());
        assert!(documents(view).is_empty());
        assert!(view.columns().is_empty());
        assert_eq!(view.received_between(0, i64::MAX), 0..0);
        assert!(view.words(&Pattern::Any, &CancelToken::unlimited()).unwrap().is_empty());
        assert!(view.values(&Column::Host, &Pattern::Any, &CancelToken::unlimited()).unwrap().is_empty());
    }
}

#[test]
fn selections_leave_messages_out() {
    let lines = ["a", "b", "c"].map(line);
    let batch = batch(&lines, 5);
    let mut selection = Selection::all(3);
    selection.remove(1);
    let mut active = Active::new(0, None);
    active.append(&batch, &selection);
    let texts: Vec<Vec<u8>> = documents(&*active.view()).into_iter().map(|document| document.text).collect();
    assert_eq!(texts, [b"a", b"c"]);
}

#[test]
fn a_view_does_not_grow() {
    let mut active = Active::new(0, None);
    append(&mut active, &[line("first")]);
    let view = active.view();
    append(&mut active, &[line("second")]);
    assert_eq!(view.len(), 1);
    assert_eq!(view.words(&Pattern::Exact("web-1".into()), &CancelToken::unlimited()).unwrap().count(), 1);
    assert!(view.words(&Pattern::Exact("second".into()), &CancelToken::unlimited()).unwrap().is_empty());
    assert_eq!(active.view().len(), 2);
}

#[test]
fn views_are_consistent_while_messages_arrive() {
    let mut active = Active::new(0, None);
    active.learn_after(200);
    let (send, views) = std::sync::mpsc::sync_channel::<Arc<dyn SegmentView>>(4);
    let asker = std::thread::spawn(move || {
        for view in views {
            let cancel = CancelToken::unlimited();
            assert_eq!(
                view.words(&Pattern::Exact("always".into()), &cancel).unwrap().count(),
                u64::from(view.len())
            );
            assert_eq!(
                view.words(&Pattern::Wildcard("*lway*".into()), &cancel).unwrap().count(),
                u64::from(view.len())
            );
            let mut last = view.len().checked_sub(1).into_iter();
            view.read(&mut last, &cancel, &mut |at, document| {
                assert!(document.text.starts_with(format!("always {at} ").as_bytes()));
                true
            })
            .unwrap();
        }
    });
    for at in 0..400 {
        append(&mut active, &[line(&format!("always {at} {}", "x".repeat(at * 3)))]);
        send.send(active.view()).unwrap();
    }
    drop(send);
    asker.join().unwrap();
}

#[test]
fn what_was_learned_is_handed_on_until_it_is_old() {
    let mut active = Active::new(0, Some(learned(&["hello"])));
    let mut handed = 0;
    while let Some(learned) = active.learned() {
        active = Active::new(0, Some(learned));
        handed += 1;
    }
    assert_eq!(handed, 15);
    append(&mut active, &[line("hello world")]);
    let found = active.view().words(&Pattern::Exact("hello".into()), &CancelToken::unlimited()).unwrap();
    assert_eq!(found.count(), 1);
}

#[test]
fn a_partly_decompressed_block_reads_like_the_whole() {
    // A few hundred KiB that do not compress away: a few blocks, each in several pieces.
    let mut number = 1u64;
    let mut line = |index: u32| {
        let mut word = || {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            format!("{:012x}", number >> 16)
        };
        let words: Vec<String> = (0..12).map(|_| word()).collect();
        let rewritten = (index >= 2_000 && index.is_multiple_of(100)).then(&mut word);
        let text = format!("message {index}: {}", words.join(" "));
        Line { host: "h".into(), program: "p".into(), pid: "1".into(), text, rewritten, ..Line::default() }
    };
    let lines: Vec<Line> = (0..3_000).map(&mut line).collect();
    let mut active = Active::new(0, Some(learned(&["message"])));
    append(&mut active, &lines);
    let sealed = Sealed::from_bytes(sealed_bytes(&active)).unwrap();
    let all = documents(&sealed);
    let check = |wanted: &[u32]| {
        let mut read = Vec::new();
        // Their number is unknown, so blocks are not kept.
        let mut rest = wanted.iter().copied();
        let mut numbers = std::iter::from_fn(|| rest.next());
        let mut visit = |id: u32, document: &Document| {
            assert_eq!(show(document), show(&all[id as usize]), "{wanted:?}");
            read.push(id);
            true
        };
        sealed.read(&mut numbers, &CancelToken::unlimited(), &mut visit).unwrap();
        assert_eq!(read, wanted);
    };
    let ascending: Vec<u32> = (0..3_000).filter(|id| id % 97 == 5 || id % 1_000 < 3).collect();
    check(&ascending);
    check(&ascending.iter().rev().copied().collect::<Vec<_>>());
    (0..3_000).step_by(61).for_each(|id| check(&[id]));
    check(&[2_999, 0, 700, 10, 699, 701]);
}
