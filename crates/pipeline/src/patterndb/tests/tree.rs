//! Rows for the parsers of patterns and for the tree.

use super::super::{
    find::{Capture, Finder, find_all},
    scan::Scanner,
    tree::{InsertError, Tree},
};
use proptest::prelude::*;

/// Checks the match of a parser: the value in brackets, then the rest of the text.
#[track_caller]
fn take(parser: &str, text: &str, want: &str) {
    let scanner = Scanner::parse(parser, "").unwrap();
    let shown = match scanner.take(text.as_bytes()) {
        None => "-".to_owned(),
        Some(taken) => format!("[{}]{}", &text[taken.from..taken.to], &text[taken.length..]),
    };
    assert_eq!(shown, want, "{parser} of {text:?}");
}

#[test]
fn words_and_delimiters() {
    take("STRING:x", "abc12-d", "[abc12]-d");
    take("STRING:x:-/", "abc12-d /", "[abc12-d] /");
    take("STRING:x", " a", "-");
    take("ESTRING:x: ", "one two", "[one]two");
    take("ESTRING:x:::", "a::b", "[a]b");
    take("ESTRING:x:=>", "a=b=>c", "[a=b]c");
    take("ESTRING:x: ", "one", "-");
    take("ESTRING:x:", "one two", "[one two]");
    take("NLSTRING:x", "one\r\ntwo", "[one]\r\ntwo");
    take("NLSTRING:x", "one", "-");
    take("ANYSTRING:x", "one\ntwo", "[one\ntwo]");
    take("QSTRING:x:\"", "\"a b\"c", "[a b]c");
    take("QSTRING:x:\"", "\"a b", "-");
    take("QSTRING:x:()", "(a (b) c) d", "[a (b] c) d");
    take("QSTRING:x:()", "a)", "-");
    take("QSTRING:x:()", "((a)", "[(a]");
    take("QSTRING:x:()", "((a", "-");
    take("SET:x:ab", "abac", "[aba]c");
    take("SET:x:ab", "c", "-");
    take("OPTIONALSET:x:ab", "c", "[]c");
    take("PCRE:x:[a-c]+", "abcd", "[abc]d");
    take("PCRE:x:[a-c]+", "dabc", "-");
}

#[test]
fn numbers_and_addresses() {
    for (text, want) in
        [("12a", "[12]a"), ("-7", "[-7]"), ("0x1fg", "[0x1f]g"), ("-", "-"), ("0x", "-"), ("+1", "-")]
    {
        take("NUMBER:n", text, want);
    }
    for (text, want) in [("1.5e-3x", "[1.5e-3]x"), ("-.5", "[-.5]"), (".", "[.]"), ("e5", "-")] {
        take("FLOAT:n", text, want);
        take("DOUBLE:n", text, want);
    }
    for (text, want) in [
        ("10.0.0.1:80", "[10.0.0.1]:80"),
        ("10.0.0.1.2", "[10.0.0.1].2"),
        ("10.0.0.256", "-"),
        ("10.0.0", "-"),
        ("10..0.1", "-"),
    ] {
        take("IPv4:a", text, want);
        take("IPvANY:a", text, want);
    }
    for (text, want) in [
        ("fe80::1%eth0", "[fe80::1]%eth0"),
        ("::", "[::]"),
        ("::1.", "[::1]."),
        ("1:2:3:4:5:6:7:8:9", "[1:2:3:4:5:6:7:8]:9"),
        ("1:2:3:4:5:6:7", "-"),
        ("::ffff:192.0.2.1.", "[::ffff:192.0.2.1]."),
        ("1::2::3", "-"),
        ("12345::", "-"),
        ("a", "-"),
    ] {
        take("IPv6:a", text, want);
        take("IPvANY:a", text, want);
    }
    take("MACADDR:m", "00:1b:63:84:45:e6 x", "[00:1b:63:84:45:e6] x");
    take("MACADDR:m", "00:1b:63:84:45:e6:77", "[00:1b:63:84:45:e6]:77");
    take("MACADDR:m", "0:1b", "-");
    take("LLADDR:m:3", "00:11:22:33", "[00:11:22]:33");
    take("LLADDR:m", "00:1", "[00]:1");
    take("HOSTNAME:h", "www.example.org.", "[www.example.org.]");
    take("HOSTNAME:h", "localhost", "-");
    take("EMAIL:e:<>", "<a.b@example.org> x", "[a.b@example.org] x");
    take("EMAIL:e", ".a@example.org", "-");
    take("EMAIL:e", "a.@example.org", "-");
    take("EMAIL:e", "a@localhost", "-");
}

#[test]
fn parsers_that_cannot_be() {
    for (parser, want) in [
        ("WORD:x", "there is no parser WORD"),
        ("ESTRING:x", "ESTRING needs a parameter: @ESTRING:name:parameter@"),
        ("QSTRING:x:", "QSTRING needs one or two quotes: @QSTRING:name:\"@"),
        ("NLSTRING:x:y", "NLSTRING takes no parameter"),
        ("LLADDR:x:many", "LLADDR takes a number of octets, not many"),
    ] {
        assert_eq!(Scanner::parse(parser, "").unwrap_err().to_string(), want);
    }
    assert!(Scanner::parse("PCRE:x:(", "").unwrap_err().to_string().contains("regular expression is wrong"));
    assert!(
        Scanner::parse(&format!("STRING:{}", "x".repeat(129)), "")
            .unwrap_err()
            .to_string()
            .contains("129 bytes")
    );
}

fn tree(patterns: &[&str]) -> Tree {
    let mut tree = Tree::new();
    for (number, pattern) in patterns.iter().enumerate() {
        tree.insert(pattern, number as u32, "", (0, 0)).unwrap();
    }
    tree
}

/// The matching pattern and its values.
#[track_caller]
fn find(patterns: &[&str], text: &str, want: &str) {
    let tree = tree(patterns);
    let mut finder = Finder::default();
    // Twice, because the state left by a search must not change the next one.
    for _ in 0..2 {
        let shown = match finder.find(&tree, text.as_bytes()) {
            None => "-".to_owned(),
            Some(number) => {
                let value = |capture: &Capture| {
                    let scanner = tree.nodes[capture.node as usize].parser.as_ref().unwrap();
                    format!(" {}={}", scanner.name, &text[capture.from..capture.to])
                };
                let values: String = finder.captures.iter().map(value).collect();
                format!("{}{values}", patterns[number as usize])
            }
        };
        assert_eq!(shown, want, "{text:?}");
    }
}

#[test]
fn the_whole_text_wins_over_its_beginning_and_text_over_parsers() {
    let words = ["in", "inside", "insight", "out", "outer limits", "i"];
    find(&words, "inside", "inside");
    find(&words, "insi", "in");
    find(&words, "insights", "insight");
    find(&words, "ix", "i");
    find(&words, "ou", "-");
    let mixed = ["user @STRING:u@", "user root", "user @STRING:u@ from @IPv4:ip@", "user @ANYSTRING:rest@"];
    find(&mixed, "user root", "user root");
    find(&mixed, "user joe", "user @STRING:u@ u=joe");
    find(&mixed, "user joe from 10.0.0.1", "user @STRING:u@ from @IPv4:ip@ u=joe ip=10.0.0.1");
    find(&mixed, "user joe from home", "user @ANYSTRING:rest@ rest=joe from home");
    find(&mixed, "user root from 10.0.0.1", "user @STRING:u@ from @IPv4:ip@ u=root ip=10.0.0.1");
    // A branch without a match leaves no values behind.
    find(&["a @STRING:x@ b", "a @ESTRING:y: @c"], "a 1 c", "a @ESTRING:y: @c y=1");
    find(&["a @NUMBER:n@"], "a 1 and more", "a @NUMBER:n@ n=1");
    find(&["@NUMBER@ of @NUMBER:n@"], "1 of 2", "@NUMBER@ of @NUMBER:n@ n=2");
    find(&["a@@b", "a@@@NUMBER:n@"], "a@b", "a@@b");
    find(&["a@@b", "a@@@NUMBER:n@"], "a@7", "a@@@NUMBER:n@ n=7");
    find(&["one\ntwo", "n @NUMBER:n@\nx"], "one\r\ntwo", "one\ntwo");
    find(&["one\ntwo", "n @NUMBER:n@\nx"], "n 1\r\nx", "n @NUMBER:n@\nx n=1");
    find(&["", "a"], "b", "");
}

#[test]
fn patterns_that_do_not_fit() {
    let mut tree = tree(&["a @NUMBER:n@", "b"]);
    let mut insert = |pattern: &str| tree.insert(pattern, 9, "", (0, 0)).unwrap_err();
    assert_eq!(insert("a @NUMBER:n@"), InsertError::Duplicate { value: 0 });
    assert_eq!(insert("b"), InsertError::Duplicate { value: 1 });
    assert_eq!(insert("c @NUMBER"), InsertError::Unpaired { offset: 2 });
    assert_eq!(insert(&"x".repeat(70_000)), InsertError::Long { size: 70_000 });
    assert!(matches!(insert("c @WORD@"), InsertError::Parser { offset: 2, .. }));
}

#[test]
fn trees_are_bounded() {
    let mut tree = Tree::with_nodes_max(5);
    for (pattern, want) in [
        ("a", Ok(())),
        ("b", Ok(())),
        ("@NUMBER:n@", Ok(())),
        ("c", Err(InsertError::Full { nodes_max: 5 })),
        ("", Ok(())),
    ] {
        assert_eq!(tree.insert(pattern, 1, "", (0, 0)), want, "{pattern}");
    }
    assert_eq!(tree.nodes.len(), 4);
    // A node with as many children as bytes finds each of them.
    let many: Vec<String> = ('A'..='z').map(|first| format!("{first}{first}")).collect();
    let patterns: Vec<&str> = many.iter().map(String::as_str).filter(|text| *text != "@@").collect();
    patterns.iter().for_each(|pattern| find(&patterns, pattern, pattern));
    find(&patterns, "!!", "-");
}

#[test]
fn patterns_that_are_not_taken_say_why() {
    for (error, want) in [
        (
            InsertError::Unpaired { offset: 3 },
            "the at sign at byte 3 of the pattern has no partner; @@ stands for an at sign",
        ),
        (InsertError::Duplicate { value: 1 }, "the same pattern is there already"),
        (InsertError::Long { size: 70_000 }, "pattern of 70000 bytes is longer than 65536"),
        (InsertError::Full { nodes_max: 9 }, "more than 9 nodes"),
    ] {
        assert_eq!(error.to_string(), want);
    }
}

#[test]
fn deep_trees_cost_no_stack() {
    let deep: Vec<String> = (1..4000).map(|length| "a".repeat(length)).collect();
    let patterns: Vec<&str> = deep.iter().map(String::as_str).collect();
    let tree = tree(&patterns);
    assert_eq!(Finder::default().find(&tree, "a".repeat(3000).as_bytes()), Some(2999));
    let long = "@NUMBER@ ".repeat(6000);
    let mut tree = Tree::new();
    tree.insert(&long, 0, "", (0, 0)).unwrap();
    assert_eq!(Finder::default().find(&tree, "1 ".repeat(6000).as_bytes()), Some(0));
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ab ]{1,3}".prop_map(String::from),
        1 => Just("@STRING:s@".to_owned()),
        1 => Just("@NUMBER:n@".to_owned()),
        1 => Just("@ESTRING:e: @".to_owned()),
        1 => Just("@@".to_owned()),
    ];
    proptest::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// The patterns that match a whole text are the same whether one tree holds all of them or each has its
    /// own, and the result of a search is one of them.
    #[test]
    fn one_tree_finds_what_many_find(patterns in proptest::collection::vec(pieces(), 1..8), text in "[ab1@ ]{0,8}") {
        let mut shared = Tree::new();
        let mut alone = Vec::new();
        for (number, pattern) in patterns.iter().enumerate() {
            if shared.insert(pattern, number as u32, "", (0, 0)).is_ok() {
                let mut tree = Tree::new();
                tree.insert(pattern, number as u32, "", (0, 0)).unwrap();
                alone.extend(find_all(&tree, text.as_bytes()));
            }
        }
        let mut together = find_all(&shared, text.as_bytes());
        let found = Finder::default().find(&shared, text.as_bytes());
        prop_assert!(together.is_empty() || found == together.first().copied());
        together.sort();
        alone.sort();
        prop_assert_eq!(together, alone);
    }
}
