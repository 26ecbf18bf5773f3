//! What goes in comes out again, as it was.

use super::*;
use crate::{Column, Pattern};

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
fn the_first_of_a_name_stands_and_only_its_words_are_found() {
    let mut active = Active::new(0, None);
    append(&mut active, &[Line { sdata: "[a b=\"one\" b=\"two\"]".into(), ..line("x") }]);
    let view = active.view();
    let count = |word: &str| view.words(&Pattern::Exact(word.into()), &Watch::unlimited()).unwrap().count();
    assert_eq!((count("one"), count("two")), (1, 0));
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
        assert!(view.words(&Pattern::Any, &Watch::unlimited()).unwrap().is_empty());
        assert!(view.values(&Column::Host, &Pattern::Any, &Watch::unlimited()).unwrap().is_empty());
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
    assert_eq!(view.words(&Pattern::Exact("web-1".into()), &Watch::unlimited()).unwrap().count(), 1);
    assert!(view.words(&Pattern::Exact("second".into()), &Watch::unlimited()).unwrap().is_empty());
    assert_eq!(active.view().len(), 2);
}

#[test]
fn views_are_whole_while_messages_come() {
    let mut active = Active::new(0, None);
    active.learn_after(200);
    let (send, views) = std::sync::mpsc::sync_channel::<Arc<dyn SegmentView>>(4);
    let asker = std::thread::spawn(move || {
        for view in views {
            let watch = Watch::unlimited();
            assert_eq!(
                view.words(&Pattern::Exact("always".into()), &watch).unwrap().count(),
                u64::from(view.len())
            );
            assert_eq!(
                view.words(&Pattern::Wildcard("*lway*".into()), &watch).unwrap().count(),
                u64::from(view.len())
            );
            let mut last = view.len().checked_sub(1).into_iter();
            view.read(&mut last, &watch, &mut |at, document| {
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
    let found = active.view().words(&Pattern::Exact("hello".into()), &Watch::unlimited()).unwrap();
    assert_eq!(found.count(), 1);
}
