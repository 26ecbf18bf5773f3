//! Rows for the statements of a manifest: views, queries, ranges, gaps.

use super::*;
use crate::testing::{key, record};

#[test]
fn a_view_is_read_as_it_was_written() {
    let view = |filter: Option<&[&[&str]]>| View {
        name: "all".into(),
        logspace: "main".into(),
        filter: filter
            .map(|ways| ways.iter().map(|way| way.iter().map(|text| (*text).to_owned()).collect()).collect()),
    };
    let rows = [
        (view(None), "logspace all as far as it is in main"),
        (
            view(Some(&[&["a", "b"], &["c"]])),
            "logspace all as far as it is in main, only messages that its filter lets see: (a) AND (b) OR (c)",
        ),
    ];
    for (view, want) in rows {
        assert_eq!((View::of_json(&view.to_json()), view.to_string().as_str()), (Some(view.clone()), want));
    }
    for wrong in [
        json!({"name": "a"}),
        json!({"logspace": "a"}),
        json!({"name": "a", "logspace": "b", "filter": "c"}),
        json!({"name": "a", "logspace": "b", "filter": ["c"]}),
        json!({"name": "a", "logspace": "b", "filter": [[1]]}),
    ] {
        assert_eq!(View::of_json(&wrong), None, "{wrong}");
    }
}

#[test]
fn a_question_has_all_its_parts() {
    let whole = json!({"text": "a", "from_us": -1, "to_us": 2, "asked_by": "eva", "at_us": 3});
    assert_eq!(Question::of_json(&whole).map(|question| question.to_json()), Some(whole.clone()));
    for (name, other, is_good) in [
        ("text", Value::Null, false),
        ("from_us", Value::Null, true),
        ("from_us", "x".into(), false),
        ("to_us", Value::Null, true),
        ("to_us", 0.5.into(), false),
        ("asked_by", Value::Null, false),
        ("at_us", Value::Null, false),
    ] {
        let mut changed = whole.clone();
        changed[name] = other;
        assert_eq!(Question::of_json(&changed).is_some(), is_good, "{changed}");
    }
}

#[test]
fn gaps_are_numbers_that_no_segment_has() {
    let key = key();
    let mut chain = Chain::default();
    for (first, event) in [
        (10, Event::Seal),
        (30, Event::Seal),
        (20, Event::Seal),
        (30, Event::Removal("size".into())),
        (60, Event::Seal),
    ] {
        chain.appended(record(&key, &chain, first, event));
    }
    let want = [(0..10, "never sealed"), (30..40, "removed: size"), (40..60, "never sealed")];
    assert_eq!(gaps(&chain), want.map(|(range, why)| (range, why.to_owned())));
    let unread = [(12..14, "locked".to_owned())];
    let stated = completeness(&chain, None, &unread);
    assert_eq!((stated["sequence_from"].as_u64(), stated["sequence_to"].as_u64()), (Some(0), Some(70)));
    assert_eq!(
        (ranges(&stated["gaps"]), ranges(&stated["unread"])),
        (Some(gaps(&chain)), Some(unread.to_vec()))
    );
    assert!(stated["view"].is_null());
    let view = View { filter: Some(Vec::new()), ..View::default() };
    let filtered = completeness(&chain, Some(&view), &[]);
    assert_eq!(filtered["view"], view.to_json());
    assert!(filtered["note"].as_str() > stated["note"].as_str(), "it says what was asked");
    assert_eq!(completeness(&chain, Some(&View::default()), &[])["note"], stated["note"]);
    assert_eq!(gaps(&Chain::default()), []);
    for wrong in
        [json!(null), json!([{}]), json!([{"from": 1, "to": 2}]), json!([{"from": -1, "to": 2, "why": ""}])]
    {
        assert_eq!(ranges(&wrong), None, "{wrong}");
    }
}
