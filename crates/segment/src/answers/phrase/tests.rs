//! Rows for the verdicts of templates on phrases.

use super::*;

const GAP: u16 = Templates::GAP;
const NONE: u16 = Adjacency::OTHER;

/// Frequent words have one letter; their position in the alphabet is their number.
fn number(word: &[u8]) -> Option<u16> {
    match word {
        [letter @ b'a'..=b'z'] => Some(u16::from(letter - b'a')),
        _ => None,
    }
}

/// Each word as a pattern.
fn words(text: &str) -> Vec<Pattern> {
    text.split(' ').map(|word| Pattern::Exact(word.into())).collect()
}

/// The phrase, a template with its layout, the neighbours of `bob` and `eve`; the verdict.
type Row<'a> = (&'a str, &'a [u16], Layout, &'a [Adjacency], &'a [Adjacency], Verdict);

#[test]
fn neighbours_decide_templates() {
    let [a, b, c] = [0, 1, 2];
    let at = Adjacency::new;
    let value = Adjacency::IN_VALUE;
    let (yes, no, perhaps) = (Verdict::Yes, Verdict::No, Verdict::Perhaps);
    let tight = Layout::new(1, 1, 0);
    let (loose, tail, long) = (Layout::new(2, 1, 0), Layout::new(1, 1, 1), Layout::new(1, 1, 2));
    let values = tight.with_values();
    let rows: [Row<'_>; 32] = [
        ("a bob b", &[a, GAP, b], tight, &[at(a, b)], &[], yes),
        ("a bob b", &[a, GAP, b], tight, &[at(a, NONE)], &[], no),
        ("a bob b", &[a, GAP, b], tight, &[], &[], no),
        ("a bob b", &[a, b], tail, &[at(a, b)], &[], no),
        ("a bob b", &[a, GAP, b], tight, &[at(a, b), at(a, NONE), at(NONE, NONE), at(c, b)], &[], yes),
        ("a bob b", &[a, GAP, b], loose, &[at(a, b), at(c, b)], &[], yes),
        ("a bob b", &[a, GAP, b], loose, &[at(a, b), at(a, NONE)], &[], perhaps),
        ("a bob b", &[a, GAP, b], loose, &[at(a, b), at(NONE, NONE)], &[], perhaps),
        ("a bob b", &[a, GAP, b], tail, &[at(a, b), at(NONE, NONE)], &[], yes),
        ("a bob b", &[a, GAP, b], tail, &[at(a, b), at(b, NONE)], &[], perhaps),
        ("a bob b", &[a, GAP, b], long, &[at(a, b), at(NONE, NONE)], &[], perhaps),
        ("a bob b", &[a, GAP, b, GAP, c], tight, &[at(a, b), at(b, c)], &[], perhaps),
        ("a bob b", &[a, GAP, b], tight, &[at(a, b), value], &[], yes),
        ("a bob b", &[a, GAP, b], values, &[at(a, b), value], &[], perhaps),
        ("a bob b", &[a, GAP, b], values, &[at(a, b)], &[], yes),
        ("a bob b", &[a, GAP, b], values, &[value], &[], no),
        ("a bob b", &[a, GAP, b, c, a, GAP, b], tight, &[at(a, b)], &[], yes),
        ("c a bob b", &[c, a, GAP, b], tight, &[at(a, b)], &[], yes),
        ("c a bob b", &[a, GAP, b, c, a, GAP, b], tight, &[at(a, b)], &[], perhaps),
        ("c a bob b", &[a, GAP, b, a, GAP, b], tight, &[at(a, b)], &[], no),
        ("bob b", &[GAP, b], tight, &[at(NONE, b)], &[], yes),
        ("bob b", &[GAP, b], loose, &[at(NONE, b), at(NONE, NONE)], &[], perhaps),
        ("bob b", &[a, GAP, b, GAP, b, c], tight, &[at(a, b), at(b, b)], &[], yes),
        ("a bob", &[b, a], tail, &[at(a, NONE)], &[], yes),
        ("a bob", &[b, a], long, &[at(a, NONE)], &[], yes),
        ("a bob", &[b, a], tight, &[at(a, NONE)], &[], no),
        ("a bob", &[b, a, c], tight, &[at(a, c)], &[], no),
        ("a bob eve", &[a], long, &[at(a, NONE)], &[at(NONE, NONE)], perhaps),
        ("a bob b eve c", &[a, GAP, b, GAP, c], tight, &[at(a, b)], &[at(b, c)], yes),
        ("a bob b eve c", &[a, GAP, b, GAP, c, a, GAP, b, GAP, c], tight, &[at(a, b)], &[at(b, c)], perhaps),
        ("a bob b mallory c", &[a, GAP, b, GAP, c], tight, &[at(a, b)], &[], perhaps),
        ("a bob b mallory c", &[a, GAP, b, GAP, c], tight, &[at(b, c)], &[], no),
    ];
    for (text, template, layout, bob, eve, want) in rows {
        let beside = |word: &[u8]| match word {
            b"bob" => Ok(Some(bob.to_vec())),
            b"eve" => Ok(Some(eve.to_vec())),
            _ => Ok::<_, ReadError>(None),
        };
        let phrase = Phrase { words: words(text), slop: 0 };
        let judge = Judge::new(&phrase, number, beside).ok().flatten().expect(text);
        assert_eq!(
            judge.verdict(template, layout),
            want,
            "{text} in {template:?} {layout:?} {bob:?} {eve:?}"
        );
    }
}

#[test]
fn templates_tell_nothing_of_some_phrases() {
    let rows = [
        (words("bob"), 0, false),
        (words("bob eve"), 0, false),
        (words("a bob"), 1, false),
        (vec![Pattern::Exact("a".into()), Pattern::Any], 0, false),
        (words("a bob"), 0, true),
    ];
    for (words, slop, want) in rows {
        let phrase = Phrase { words, slop };
        let judge = Judge::new(&phrase, number, |_| Ok::<_, ReadError>(None));
        assert_eq!(judge.ok().flatten().is_some(), want, "{phrase:?}");
    }
}
