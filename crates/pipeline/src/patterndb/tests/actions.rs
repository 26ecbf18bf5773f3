//! Rows for the contexts of rules and for their actions: when they run, how often, and what they generate.

use super::*;

#[test]
fn actions_of_matches_and_timeouts() {
    let rules = format!(
        "{LOGIN}<actions>\
         <action trigger='match' condition='\"${{seen}}\" == \"2\"'><message><values><value name='MESSAGE'>twice ${{user}}@1 ${{count}}@2</value></values><tags><tag>made</tag></tags></message></action>\
         <action trigger='timeout'><message inherit-mode='context'><values><value name='MESSAGE'>gone $user $(context-values $count) ${{CONTEXT_ID}}</value></values></message></action>\
         </actions></rule></rules>"
    );
    check(
        &rules,
        "$HOST $PROGRAM $PID $PRI [$TAGS] $MSG",
        &[
            "1 h gate[1]: in ann 5",
            "2 h gate[2]: in ann 6",
            "3 i gate[3]: in ann 7",
            "12 h gate: other",
            "13 h gate: other",
            "20 tick",
            "26 tick",
        ],
        &[
            "h gate 1 13 [.classifier.security,entry] in ann 5",
            "h   13 [made] twice ann 5",
            "h gate 2 13 [.classifier.security,entry] in ann 6",
            "i gate 3 13 [.classifier.security,entry] in ann 7",
            "h gate  13 [.classifier.unknown] other",
            "h gate 2 13 [.classifier.security,entry] gone ann 5,6,6 ann",
            "h gate  13 [.classifier.unknown] other",
            "i gate 3 13 [.classifier.security,entry] gone ann 7,7 ann",
        ],
    );
}

#[test]
fn rates_and_made_contexts() {
    let action = |rate: &str, content: &str| format!("<actions><action {rate}>{content}</action></actions>");
    let rule = |actions: &str| {
        format!(
            "<rules><rule id='r' context-scope='global'><patterns><pattern>x</pattern></patterns>{actions}</rule></rules>"
        )
    };
    let message = "<message><values><value name='MESSAGE'>made ${MESSAGE}@1</value></values></message>";
    check(
        &rule(&action("rate='2/10'", message)),
        "$MSG",
        &["1 h a: x", "2 h a: x", "3 h a: x", "5 h a: x", "7 h a: x"],
        &["made x", "x", "made x", "x", "x", "x", "made x", "x"],
    );
    let create = "<create-context context-id='c' context-timeout='3' context-scope='host'>\
        <message inherit-mode='last-message'><values><value name='from'>${HOST}@1</value></values></message>\
        </create-context></action><action trigger='timeout'><message inherit-mode='last-message'><values>\
        <value name='MESSAGE'>over $from $(context-length)</value></values></message>";
    check(
        &rule(&action("", create)),
        "$MSG",
        &["1 h a: x", "4 h a: y", "5 h a: y"],
        &["x", "y", "over h 2", "y"],
    );
}

#[test]
fn contexts_are_bounded_and_end_early() {
    let rules = format!(
        "{LOGIN}<actions><action trigger='timeout'><message><values><value name='MESSAGE'>gone $(context-length)</value></values></message></action></actions></rule></rules>"
    );
    let limits = Limits { contexts: 32, messages: 3, ..Limits::default() };
    let mut bench = Bench::new(database(&rules), Inject::AggregateOnly, limits, "$MSG");
    let lines: Vec<String> = (0..1000).map(|user| format!("1 h gate: in u{user} 1")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let out = bench.run(&lines);
    let state = bench.parser.state().clone();
    assert!(state.contexts() <= 64, "{}", state.contexts());
    assert_eq!((out.len() + state.contexts(), out.len() as u64), (1000, state.early()));
    assert!(out.iter().all(|text| text == "gone 2"));
    let before = state.early();
    assert_eq!(bench.run(&["1 h gate: in same 1"; 4]).last().map(String::as_str), Some("gone 5"));
    assert!(state.early() > before);
}

#[test]
fn contexts_may_be_ended_at_once() {
    let rules = format!(
        "{LOGIN}<actions><action trigger='timeout'><message><values><value name='MESSAGE'>gone $(context-length)</value></values></message></action></actions></rule></rules>"
    );
    let mut bench = Bench::new(database(&rules), Inject::AggregateOnly, Limits::default(), "$MSG");
    assert!(bench.run(&["1 h gate: in ann 1", "1 h gate: in ann 2"]).is_empty());
    let mut made = Vec::new();
    bench.parser.end_contexts(&mut bench.renderer, &mut made);
    let mut out = Vec::new();
    made.iter().for_each(|made| bench.show(made, &Selection::all(made.len()), &mut out));
    assert_eq!((out, bench.parser.state().contexts()), (vec!["gone 3".to_owned()], 0));
}

#[test]
fn the_last_rule_of_a_context_decides() {
    let rule = |id: &str| {
        format!(
            "<rule id='{id}' context-id='c' context-timeout='5' context-scope='global'>\
             <patterns><pattern>{id}</pattern></patterns><actions><action trigger='timeout'><message><values>\
             <value name='MESSAGE'>{id} ends $(context-length)</value></values></message></action>\
             <action trigger='timeout'/></actions></rule>"
        )
    };
    let rules = format!("<rules>{}{}</rules>", rule("one"), rule("two"));
    check(&rules, "$MSG", &["1 h a: one", "2 h a: two", "9 h a: x"], &["one", "two", "two ends 3", "x"]);
    check(&rules, "$MSG", &["1 h a: two", "2 h a: one", "9 h a: x"], &["two", "one", "one ends 3", "x"]);
}

#[test]
fn counts_of_rates_are_bounded() {
    let message = "<message><values><value name='MESSAGE'>made</value></values></message>";
    let rules = format!(
        "<rules><rule id='r' context-scope='host'><patterns><pattern>x</pattern></patterns>\
         <actions><action rate='1/10'>{message}</action></actions></rule></rules>"
    );
    let limits = Limits { rates: 10, ..Limits::default() };
    let mut bench = Bench::new(database(&rules), Inject::AggregateOnly, limits, "$MSG");
    let mut run = |second: i64, host: &str| bench.run(&[format!("{second} {host} a: x").as_str()]).len();
    // Ten hosts are counted, each may run the action once in ten seconds.
    for host in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] {
        let second = if host < "c" { 1 } else { 5 };
        assert_eq!((run(second, host), run(second, host)), (1, 0), "{host}");
    }
    // Space for one more: the time of the first two has passed, those of the others are kept.
    assert_eq!((run(12, "k"), run(12, "j"), run(12, "c")), (1, 0, 0));
    assert_eq!((run(12, "l"), run(12, "j")), (1, 0));
    // No space for another, and the time of none has passed: all are dropped.
    assert_eq!((run(12, "m"), run(12, "j"), run(12, "j")), (1, 1, 0));
}
