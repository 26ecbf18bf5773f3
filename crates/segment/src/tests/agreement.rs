//! Active, sealed and recoded segments answer as the model does.

use super::{model::Model, *};
use lookup::{Bitmap, Bound, Column, Pattern, Phrase, PhraseAnswer, ReadError, Together};
use proptest::{prelude::*, sample::select};
use std::collections::BTreeMap;

const WORDS: [&str; 28] = [
    "failed",
    "Failed",
    "password",
    "for",
    "root",
    "from",
    "10.1.2.3",
    "10.1.2.30",
    "192.168.0.1",
    "port",
    "22",
    "4711",
    "-17.5",
    "user_x",
    "a-b.c",
    "...",
    "=",
    "é\u{30c6}",
    "Müller",
    "mÜLLER",
    "Ärger",
    "журнал",
    "FAILURE",
    "failure",
    "x",
    "deadbeefcafe4711aa",
    "session-closed",
    "\n",
];
const NAMES: [&str; 4] = ["user", ".SDATA.a@1.b", "port", ".tls.cn"];
const FREQUENT: [&str; 5] = ["failed", "password", "for", "from", "10.1.2.3"];

fn lines() -> impl Strategy<Value = Vec<Line>> {
    let text = || prop::collection::vec(select(&WORDS[..]), 0..8).prop_map(|words| words.join(" "));
    let value =
        (select(&NAMES[..]), select(&WORDS[..]), select(&[ValueKind::String, ValueKind::Integer][..]));
    let value = value.prop_map(|(name, value, kind)| (name.to_owned(), value.to_owned(), kind));
    let header = (
        select(&["web-1", "WEB-1", "db.example", ""][..]),
        select(&["sshd", "CRON", "my app", ""][..]),
        select(&["", "1", "42", "1042"][..]),
        select(&[0u16, 13, 38, 191, 1000][..]),
    );
    let line = (
        header,
        text(),
        prop::option::weighted(0.1, text()),
        prop::collection::vec(value, 0..3),
        select(&["", "", "[a@1 b=\"root 22\"]", "[a@1 b=\"\"][c d=\"x\\\"y\"]"][..]),
        prop::option::weighted(0.2, select(&["mine", "other"][..])),
    );
    let line = line.prop_map(|((host, program, pid, pri), text, rewritten, values, sdata, tag)| Line {
        host: host.into(),
        program: program.into(),
        pid: pid.into(),
        text,
        pri,
        rewritten,
        values,
        tags: tag.into_iter().map(str::to_owned).collect(),
        sdata: sdata.into(),
    });
    prop::collection::vec(line, 0..40)
}

fn patterns() -> impl Strategy<Value = Pattern> {
    let piece = || {
        (select(&WORDS[..]), 0usize..4, 1usize..5).prop_map(|(word, from, length)| {
            word.chars().skip(from).take(length).collect::<String>().to_lowercase()
        })
    };
    let number = || select(&[-20.0, 22.0, 100.0, 5000.0][..]);
    let network = select(&[(96 + 8, [10, 0, 0, 0]), (96 + 31, [10, 1, 2, 2]), (96, [0; 4])][..]);
    prop_oneof![
        select(&WORDS[..]).prop_map(|word| Pattern::Exact(word.to_ascii_lowercase().into())),
        select(&["web-1", "sshd", "app", "s_net", "err", "mine", "1042", "root 22"][..])
            .prop_map(|word| Pattern::Exact(word.into())),
        select(&["web-1", "WEB-1", "Failed", "CRON"][..]).prop_map(|word| Pattern::CaseExact(word.into())),
        piece().prop_map(|text| Pattern::Prefix(text.into())),
        piece().prop_map(|text| Pattern::Wildcard(format!("*{text}*").into())),
        piece().prop_map(|text| Pattern::Wildcard(format!("*{text}").into())),
        (piece(), piece()).prop_map(|(a, b)| Pattern::Wildcard(format!("{a}*?{b}").into())),
        select(&["m[Üü]ller", "[Ää]r*", "*[Üü]l*", "[Жж][Уу][Рр][Нн][Аа][Лл]", "*\u{30c6}*", "[Éé]?"][..])
            .prop_map(|text| Pattern::Wildcard(text.into())),
        (select(&WORDS[..]), 0u8..3)
            .prop_map(|(word, distance)| Pattern::Fuzzy { text: word.to_ascii_lowercase().into(), distance }),
        Just(Pattern::Any),
        (number(), any::<bool>(), number()).prop_map(|(low, inclusive, high)| Pattern::Range {
            lower: Bound::Number { value: low, inclusive },
            upper: Bound::Number { value: high, inclusive: true },
        }),
        (piece(), any::<bool>()).prop_map(|(text, inclusive)| Pattern::Range {
            lower: Bound::Text { value: text.into(), inclusive },
            upper: Bound::Open,
        }),
        network.prop_map(|(bits, v4)| {
            let mut address = [0; 16];
            address[10..12].fill(0xff);
            address[12..].copy_from_slice(&v4);
            Pattern::Network { address, bits }
        }),
    ]
}

/// Words that are mostly frequent ones, which templates have, otherwise any words.
fn words_of_all_kinds() -> impl Strategy<Value = Pattern> {
    prop_oneof![select(&FREQUENT[..]).prop_map(|word| Pattern::Exact(word.into())), patterns()]
}

fn columns() -> Vec<Column> {
    let fixed = [
        Column::Host,
        Column::Program,
        Column::Pid,
        Column::Msgid,
        Column::Facility,
        Column::Severity,
        Column::Source,
        Column::Peer,
        Column::Tags,
    ];
    fixed.into_iter().chain(NAMES.map(|name| Column::Named(name.into()))).collect()
}

/// The original documents, with their pairs by name as segments return them.
fn model(lines: &[Line]) -> Model {
    let mut documents = Vec::new();
    for (index, lines) in lines.chunks(3).enumerate() {
        let batch = batch(lines, 1_700_000_000_000_000 + index as i64 * 250_000);
        for line in 0..lines.len() {
            let mut document = Document::of(&batch, line, documents.len() as u64);
            crate::answers::words::sort_values(&mut document.values);
            documents.push(document);
        }
    }
    Model { documents }
}

/// Everything but raw bytes is compared as text: easier to read when it differs.
fn shown(documents: &[Document]) -> Vec<String> {
    documents.iter().map(|document| format!("{document:?}")).collect()
}

#[track_caller]
fn check(view: &dyn SegmentView, model: &Model, pattern: &Pattern, among: &Bitmap) -> Result<(), ReadError> {
    let cancel = CancelToken::unlimited();
    assert_eq!(shown(&documents(view)), shown(&model.documents));
    assert_eq!(view.words(pattern, &cancel)?, model.words(pattern), "words {pattern:?}");
    let mut used = Vec::new();
    for column in columns() {
        let found = view.values(&column, pattern, &cancel)?;
        assert_eq!(found, model.values(&column, pattern), "{column:?} {pattern:?}");
        let mut counts: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        view.count_values(&column, among, &cancel, &mut |value, count| {
            *counts.entry(value.to_vec()).or_default() += count;
        })?;
        assert_eq!(counts, model.counts(&column, among), "counts of {column:?}");
        let ids = view.value_ids(&column, among, &cancel)?;
        let ids = ids.map(|of| of.ids.iter().map(|id| (*id > 0).then(|| of.value(*id).to_vec())).collect());
        assert_eq!(ids, model.only_values(&column, among), "values of {column:?}");
        let all = model.values(&column, &Pattern::Any).count();
        let said = view.columns().into_iter().find(|used| used.column == column);
        assert_eq!(said.as_ref().map_or(0, |used| used.documents), all, "documents of {column:?}");
        used.extend(said.filter(|used| used.numeric));
    }
    for used in used {
        let numbers =
            Pattern::Range { lower: Bound::Number { value: f64::MIN, inclusive: true }, upper: Bound::Open };
        assert_eq!(
            view.values(&used.column, &numbers, &cancel)?.count(),
            used.documents,
            "{used:?} is numeric"
        );
    }
    Ok(())
}

/// Words looked up together, compared with each of them alone.
#[track_caller]
fn check_together(
    view: &dyn SegmentView,
    model: &Model,
    any: &[Vec<Pattern>],
    none: &[Pattern],
) -> Result<(), ReadError> {
    let asked = Together {
        any: any.iter().map(|words| words.iter().collect()).collect(),
        none: none.iter().collect(),
    };
    let mut want = Bitmap::all(view.len());
    for words in any {
        let mut one = Bitmap::none(view.len());
        words.iter().for_each(|word| one.or(&model.words(word)));
        want.and(&one);
    }
    none.iter().for_each(|word| want.and_not(&model.words(word)));
    assert_eq!(view.words_together(&asked, &CancelToken::unlimited())?, want, "{any:?} without {none:?}");
    Ok(())
}

/// Orders of reading, times, phrases.
#[track_caller]
fn check_order(
    view: &dyn SegmentView,
    model: &Model,
    phrase: &Phrase,
    among: &Bitmap,
) -> Result<(), ReadError> {
    let cancel = CancelToken::unlimited();
    let mut read = Vec::new();
    view.read(&mut among.iter_rev(), &cancel, &mut |document, message| {
        read.push((document, message.text.clone()));
        true
    })?;
    let want: Vec<_> = among.iter_rev().map(|at| (at, model.documents[at as usize].text.clone())).collect();
    assert_eq!(read, want);
    let found = view.phrase(phrase, &cancel)?;
    let want = model.phrase(phrase);
    let mut missing = want.clone();
    missing.and_not(&found.documents);
    assert!(missing.is_empty(), "{phrase:?} misses {missing:?}");
    let mut wrong = found.sure.unwrap_or(found.documents);
    wrong.and_not(&want);
    assert!(wrong.is_empty(), "{phrase:?} is not in {wrong:?}");
    let edge = |step: i64| 1_700_000_000_000_000 + step * 250_000;
    for (from, to) in [(-1, 3), (0, 1), (2, 2), (5, 100), (3, 1)].map(|(a, b)| (edge(a), edge(b))) {
        let start = model.received_before(from);
        assert_eq!(view.received_between(from, to), start..model.received_before(to).max(start));
        assert_eq!(view.received_edges(&[from, to]), [start, model.received_before(to)]);
        assert_eq!(view.event_between(from, to, &cancel)?, model.event_between(from, to));
    }
    let mut times = Vec::new();
    view.event_times(among, &mut |document, us| times.push((document, us)))?;
    let want: Vec<_> = among.iter().map(|at| (at, model.documents[at as usize].event.unix_us)).collect();
    assert_eq!(times, want);
    Ok(())
}

/// The three lives of a segment.
fn lives(lines: &[Line], learned: Option<Learned>, learn_after: u32) -> [Arc<dyn SegmentView>; 4] {
    let mut active = Active::new(0, learned);
    active.learn_after(learn_after);
    append(&mut active, lines);
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    active.seal(&path("sealed")).unwrap();
    let sealed = Sealed::open(&path("sealed")).unwrap();
    let report = sealed.verify(&CancelToken::unlimited()).unwrap();
    assert_eq!(report.documents, lines.len() as u64);
    recode_to(&sealed, &path("recoded"), &[], &evidence::Keys::default());
    let recoded = Sealed::open(&path("recoded")).unwrap();
    assert_eq!(recoded.verify(&CancelToken::unlimited()).unwrap().messages, report.messages);
    recoded.rebuild(&path("rebuilt"), &Sealing::default(), &CancelToken::unlimited()).unwrap();
    let rebuilt = Sealed::open(&path("rebuilt")).unwrap();
    [active.view(), Arc::new(sealed), Arc::new(recoded), Arc::new(rebuilt)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn segments_agree_with_the_model(
        lines in lines(),
        pattern in patterns(),
        words in prop::collection::vec(select(&WORDS[..]), 1..4),
        any in prop::collection::vec(prop::collection::vec(words_of_all_kinds(), 1..4), 0..4),
        none in prop::collection::vec(words_of_all_kinds(), 0..3),
        seed in any::<u64>(),
        how in 0..3,
    ) {
        let model = model(&lines);
        let mut among = Bitmap::none(lines.len() as u32);
        (0..lines.len() as u32).filter(|at| seed >> (at % 64) & 1 == 1).for_each(|at| among.add(at));
        let words = words.iter().flat_map(|word| model::tokens(word.as_bytes())).map(Pattern::Exact).collect();
        let phrase = Phrase { words, slop: 0 };
        let (learned, after) = match how {
            0 => (None, u32::MAX),
            1 => (None, 10),
            _ => (Some(learned(&FREQUENT)), u32::MAX),
        };
        for view in lives(&lines, learned, after) {
            check(&*view, &model, &pattern, &among).unwrap();
            check_together(&*view, &model, &any, &none).unwrap();
            if !phrase.words.is_empty() {
                check_order(&*view, &model, &phrase, &among).unwrap();
            }
        }
    }
}

const PHRASED: [&str; 7] = ["failed", "for", "from", "bob", "eve", "root", "22"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Few words in many orders: neighbours that decide a template, and those that do not.
    #[test]
    fn phrases_agree_with_the_model(
        texts in prop::collection::vec(prop::collection::vec(select(&PHRASED[..]), 1..7), 8..60),
        values in prop::collection::vec(prop::option::weighted(0.05, select(&PHRASED[..])), 60),
        phrases in prop::collection::vec(prop::collection::vec(select(&PHRASED[..]), 2..6), 12),
    ) {
        let line = |(words, value): (&Vec<&str>, &Option<&str>)| Line {
            host: "web-1".into(),
            text: words.join(" "),
            values: value.iter().map(|value| ("v".into(), (*value).into(), ValueKind::String)).collect(),
            ..Line::default()
        };
        let lines: Vec<Line> = texts.iter().zip(&values).map(line).collect();
        let model = model(&lines);
        let none = Bitmap::none(lines.len() as u32);
        // Pieces of texts as well, because other phrases rarely match.
        let pieces = texts.iter().take(12).map(|words| &words[words.len() / 3..]);
        let phrases: Vec<&[&str]> = phrases.iter().map(Vec::as_slice).chain(pieces).collect();
        for view in lives(&lines, Some(learned(&FREQUENT)), u32::MAX) {
            for words in &phrases {
                let words = words.iter().map(|word| Pattern::Exact((*word).into())).collect();
                check_order(&*view, &model, &Phrase { words, slop: 0 }, &none).unwrap();
            }
        }
    }
}

/// Returns the answer of a segment to a phrase of these words.
fn phrase_of(view: &dyn SegmentView, words: &[&str], slop: u32) -> PhraseAnswer {
    let words = words.iter().map(|word| Pattern::Exact((*word).into())).collect();
    view.phrase(&Phrase { words, slop }, &CancelToken::unlimited()).unwrap()
}

#[test]
fn neighbours_answer_phrases_exactly() {
    let line = |text: &str| Line { text: text.into(), ..Line::default() };
    let lines = [
        "failed password for bob from 10.9.9.9",
        "failed x bob from 10.9.9.9",
        "failed password for eve from 10.9.9.9",
        "failed password for bob from 10.9.9.8",
        "bob failed",
    ];
    let mut lines = lines.map(line);
    // A host of that name is not in the text.
    lines[2].host = "bob".into();
    for view in &lives(&lines, Some(learned(&FREQUENT)), u32::MAX)[1..3] {
        let rows: [(&[&str], &[u32]); 4] = [
            (&["for", "bob", "from"], &[0, 3]),
            (&["bob", "from"], &[0, 1, 3]),
            (&["password", "for", "bob"], &[0, 3]),
            (&["bob", "failed"], &[4]),
        ];
        for (words, want) in rows {
            let answer = phrase_of(&**view, words, 0);
            assert_eq!(answer.documents.iter().collect::<Vec<_>>(), want);
            assert!(answer.sure.is_none_or(|sure| sure == answer.documents), "{want:?}: nothing is read");
        }
    }
}

/// Returns enough lines for dictionaries of many blocks and columns of whole groups.
fn many_lines() -> Vec<Line> {
    let line = |at: u32| {
        let id = at.wrapping_mul(2_654_435_761);
        let host = ["web-1", "WEB-1", "db.example", "mail.example"][(id >> 7) as usize % 4];
        Line {
            host: host.into(),
            program: ["sshd", "CRON", "sendmail", "app-3"][(at / 100) as usize % 4].into(),
            text: format!("failed for user{} id {id:x} trace {id:08x}{:08x}", at % 37, !id),
            pri: (at % 190) as u16,
            ..Line::default()
        }
    };
    (0..700).map(line).collect()
}

#[test]
fn many_terms_agree_with_the_model() {
    let lines = many_lines();
    let model = model(&lines);
    let mut among = Bitmap::none(lines.len() as u32);
    among.add_range(50..300);
    (300..700).step_by(3).for_each(|at| among.add(at));
    let wild = |text: &str| Pattern::Wildcard(text.into());
    let near = |text: &str, distance| Pattern::Fuzzy { text: text.into(), distance };
    let patterns = [
        wild("*a*"),
        wild("*ser3*"),
        wild("*mail*"),
        wild("*e7"),
        wild("*9e37*"),
        wild("*f"),
        wild("u*r?"),
        near("user7", 1),
        near("usre7", 1),
        near("faield", 2),
        near("9e3779b1", 2),
        near("7", 2),
        Pattern::Prefix("user1".into()),
        Pattern::Prefix("web".into()),
        Pattern::Prefix("se".into()),
        Pattern::Prefix("mail.".into()),
        Pattern::Exact("db".into()),
        Pattern::Exact("user12".into()),
    ];
    for view in lives(&lines, Some(learned(&FREQUENT)), u32::MAX) {
        for pattern in &patterns {
            check(&*view, &model, pattern, &among).unwrap();
        }
        let word = |text: &str| Pattern::Exact(text.into());
        // Frequent ones alone, which templates decide; with rare ones, values and programs, which are listed.
        let (failed, from, user, mail) = (word("failed"), word("for"), word("user3"), word("sendmail"));
        for (any, none) in [
            (vec![vec![failed.clone()], vec![from.clone()]], vec![]),
            (vec![vec![failed.clone()]], vec![from.clone()]),
            (vec![vec![failed.clone()]], vec![user.clone()]),
            (vec![vec![failed.clone()]], vec![mail.clone(), user.clone()]),
            (vec![vec![user.clone()], vec![failed.clone()]], vec![from.clone()]),
            (vec![vec![failed.clone()], vec![mail.clone(), user.clone()]], vec![]),
            (vec![vec![mail.clone()]], vec![failed.clone()]),
            (vec![vec![word("nothing")], vec![failed.clone()]], vec![]),
            (vec![vec![failed.clone(), mail, word("nothing")]], vec![]),
            (vec![], vec![failed, user]),
            (vec![], vec![]),
        ] {
            check_together(&*view, &model, &any, &none).unwrap();
        }
    }
}

#[test]
fn frequent_words_narrow_other_phrases() {
    let line = |text: &str| Line { text: text.into(), ..Line::default() };
    let lines = [
        "failed password for root from 10.9.9.9",
        "failed password for bob root from 10.9.9.9",
        "root failed password for bob from 10.9.9.9",
        "root failed for from password",
    ];
    let lines = lines.map(line);
    for view in &lives(&lines, Some(learned(&FREQUENT)), u32::MAX)[..3] {
        let rows: [(&[&str], u32, &[u32]); 5] = [
            (&["for", "root", "from"], 0, &[0, 1, 2]),
            (&["for", "bob", "root", "from"], 0, &[1, 2]),
            (&["root", "failed"], 0, &[2, 3]),
            (&["from", "10.9.9.9"], 0, &[0, 1, 2]),
            (&["for", "root", "from"], 1, &[0, 1, 2, 3]),
        ];
        for (words, slop, may) in rows {
            let answer = phrase_of(&**view, words, slop);
            let may_not_be = answer.documents.iter().filter(|document| !may.contains(document));
            assert_eq!(may_not_be.count(), 0, "{slop}");
        }
    }
}

#[test]
fn frequent_words_answer_phrases_exactly() {
    let line = |text: &str| Line { text: text.into(), ..Line::default() };
    let lines =
        ["failed password for root", "failed x password", "password failed", "failed password from x"];
    let lines = lines.map(line);
    for view in &lives(&lines, Some(learned(&FREQUENT)), u32::MAX)[..3] {
        let answer = phrase_of(&**view, &["failed", "password"], 0);
        assert!(answer.sure.is_none());
        assert_eq!(answer.documents.iter().collect::<Vec<_>>(), [0, 3]);
    }
}

#[test]
fn many_names_go_to_lists_and_are_found() {
    let values = |line: usize| {
        (0..400).map(|at| (format!("n{}", line * 400 + at), format!("v{at}"), ValueKind::String)).collect()
    };
    let lines: Vec<Line> = (0..4).map(|line| Line { values: values(line), ..Line::default() }).collect();
    for view in lives(&lines, None, 3) {
        let cancel = CancelToken::unlimited();
        for (name, document) in [("n7", 0), ("n1599", 3)] {
            let found = view.values(&Column::Named(name.into()), &Pattern::Any, &cancel).unwrap();
            assert_eq!(found.iter().collect::<Vec<_>>(), [document]);
        }
        assert_eq!(view.words(&Pattern::Exact("v399".into()), &cancel).unwrap().count(), 4);
        assert_eq!(documents(&*view)[3].values.len(), 401);
    }
}

#[test]
fn blocks_end_and_are_found_again() {
    let filler = "0123456789abcdef ".repeat(200);
    let line = |at: usize| Line { text: format!("{filler}{at} end"), ..Line::default() };
    let lines: Vec<Line> = (0..300).map(line).collect();
    for (learned, after) in [(None, 100), (Some(learned(&["end"])), u32::MAX)] {
        for view in lives(&lines, learned, after) {
            for at in [0u32, 38, 39, 40, 150, 299] {
                let found =
                    view.words(&Pattern::Exact(at.to_string().into()), &CancelToken::unlimited()).unwrap();
                assert_eq!(found.iter().collect::<Vec<_>>(), [at]);
                // A scan, then the shown messages, which may be cached the second time.
                let shown = || Box::new([at].into_iter()) as Box<dyn Iterator<Item = u32>>;
                for mut documents in
                    [Box::new(found.iter()) as Box<dyn Iterator<Item = u32>>, shown(), shown()]
                {
                    view.read(&mut documents, &CancelToken::unlimited(), &mut |_, document| {
                        assert!(document.text.ends_with(format!("{at} end").as_bytes()));
                        true
                    })
                    .unwrap();
                }
            }
        }
    }
}
