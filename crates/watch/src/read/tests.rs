//! Rows of files of rules with what is wrong in them, and where.

use super::read;

/// Reads a text; shows its rules or its errors.
#[track_caller]
fn check(text: &str, want: &[&str]) {
    let got: Vec<String> = match read(text) {
        Ok(rules) => rules
            .iter()
            .map(|rule| {
                format!("{} {} {} {}", rule.id, rule.kind.name(), rule.severity.name(), rule.query.text())
            })
            .collect(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    };
    assert_eq!(got, want, "{text}");
}

/// Checks a rule in one line, whose text begins at column 4.
#[track_caller]
fn check_rule(rule: &str, want: &[&str]) {
    check(&format!("rules:\n- {{{rule}}}"), want);
}

#[test]
fn yaml_and_json_are_read() {
    check(
        "# comment\nrules:\n  - id: a.b-c_1\n    kind: match\n    severity: crit\n    query: 'program:sshd \"failed password\"'\n  - id: b\n    kind: count\n    query: x\n    more-than: 10\n    within: 1m\n",
        &["a.b-c_1 match crit program:sshd \"failed password\"", "b count warning x"],
    );
    check(
        "{\"rules\": [{\"id\": \"a\", \"kind\": \"absence\", \"query\": \"*\", \"by\": [\"host\"], \"within\": \"1h30m\"}]}",
        &["a absence warning *"],
    );
    check("rules: []", &[]);
    check("rules:\n- id: a\n  kind: match\n  query: |\n    one\n    two\n", &["a match warning one\ntwo\n"]);
}

#[test]
fn a_file_has_one_list_of_rules() {
    let none = "a file of rules has one key, rules, with a list of rules";
    check("", &[&format!("1:1: {none}")]);
    check("- id: a", &[&format!("1:1: {none}")]);
    check("rules: x", &[&format!("1:8: {none}")]);
    check("rule: []", &["1:1: unknown key rule: here are possible rules"]);
    check("rules: []\n---\nrules: []", &["2:1: a file has one document: put all rules in one list"]);
    check("rules:\n- x", &["2:3: a rule is a map, such as id: silent-hosts"]);
    check("rules: [&a {id: x}]", &["1:9: anchors, aliases and tags are not supported: write the value"]);
    check("rules: []\nrules: []", &["2:1: rules is here a second time"]);
    let deep = format!("rules: {}{}", "[".repeat(40), "]".repeat(40));
    check(&deep, &["1:24: the file is nested too deeply or has too many parts"]);
    let Err(errors) = read("rules: [}") else { panic!("it is no YAML") };
    assert!(errors[0].to_string().starts_with("1:9: this is no YAML: "), "{errors:?}");
}

#[test]
fn every_error_of_a_rule_has_its_place() {
    check_rule(
        "id: a b, kind: match, query: x, severity: bad, bye: host",
        &[
            "2:8: an id has up to 128 letters, digits, hyphens, dots and underscores",
            "2:46: no severity is called bad: write emerg, alert, crit, err, warning, notice, info or debug",
            "2:51: unknown key bye: here are possible by, clock, description, for, id, kind, logspace, missing, query, resolve-after, severity, title",
        ],
    );
    check_rule("kind: match, query: x", &["2:3: the key id is missing"]);
    check_rule("id: a, query: x", &["2:3: the key kind is missing"]);
    check_rule("id: a, kind: match", &["2:3: the key query is missing"]);
    check(
        "rules:\n- {id: a, kind: match, query: x}\n- {id: a, kind: match, query: y}",
        &["3:3: another rule has the id a"],
    );
    check_rule(
        "id: a, kind: matches, query: x, within: 3",
        &[
            "2:17: matches is unknown here: write match, count, distinct, sum, avg, min, max, absence, new-value, sequence or not-followed",
        ],
    );
    check_rule(
        "id: a, kind: baseline, query: x, factor: 3",
        &["2:17: rules of the kind baseline are planned and not there yet"],
    );
    check_rule(
        "id: a, kind: match, query: x, clock: event",
        &[
            "2:41: rules on the sender's clock are planned and not there yet: leave out clock, or write received",
        ],
    );
    check_rule(
        "id: a, kind: match, query: x, by: [a, b, c, d, e, f]",
        &["2:38: messages are grouped by at most 5 fields"],
    );
    check_rule(
        "id: a, kind: match, query: x, by: '@received'",
        &["2:38: messages are grouped by fields such as host, program or user"],
    );
    check_rule(
        "id: a, kind: match, query: x, for: 5m",
        &["2:39: this does nothing in a rule of the kind match"],
    );
}

#[test]
fn queries_are_those_of_a_search_at_any_time() {
    check_rule(
        "id: a, kind: match, query: '(a b'",
        &[
            "2:32: in the query, missing closing parenthesis at 1: add ) at the end, or write \\( to search for it",
        ],
    );
    check_rule(
        "id: a, kind: match, query: 'x @received:>now-1h'",
        &["2:34: the query of a rule cannot depend on now: within and for say over which time it looks"],
    );
    check_rule(
        "id: a, kind: match, query: 'x | stats count()'",
        &["2:31: the query of a rule has no pipes: the kind of the rule counts"],
    );
}

#[test]
fn thresholds_and_windows_fit_their_kinds() {
    let one = "one threshold is needed here: at-least, more-than, at-most, less-than, exactly, between";
    check_rule("id: a, kind: count, query: x, within: 1m", &[&format!("2:3: {one}")]);
    check_rule(
        "id: a, kind: count, query: x, within: 1m, at-least: 1, exactly: 1",
        &[&format!("2:3: {one}")],
    );
    check_rule("id: a, kind: count, query: x, at-least: 1", &["2:3: the key within is missing"]);
    let sliding = "a sliding window counts upward, to 1 or more and at most 100000: write at-least or more-than, or window: tumbling";
    check_rule("id: a, kind: count, query: x, within: 1m, at-most: 3", &[&format!("2:3: {sliding}")]);
    check_rule(
        "id: a, kind: count, query: x, within: 1m, at-least: 0, window: sliding",
        &[&format!("2:67: {sliding}")],
    );
    check_rule("id: a, kind: count, query: x, within: 1m, at-least: 100001", &[&format!("2:3: {sliding}")]);
    check_rule(
        "id: a, kind: count, query: x, within: 1m, at-least: many",
        &["2:56: a number is needed here"],
    );
    check_rule(
        "id: a, kind: count, query: x, within: 1m, window: tumbling, between: [3, 1]",
        &["2:73: two numbers are needed here, the smaller one first: [3, 8]"],
    );
    let time = "a length of time from 1s to 400d is needed here, such as 30s, 5m, 1h30m or 7d";
    check_rule("id: a, kind: count, query: x, at-least: 2, within: 1x", &[&format!("2:55: {time}")]);
    check_rule("id: a, kind: count, query: x, at-least: 2, within: 401d", &[&format!("2:55: {time}")]);
    check_rule("id: a, kind: count, query: x, at-least: 2, within: 500ms", &[&format!("2:55: {time}")]);
    check_rule(
        "id: a, kind: count, query: x, at-least: 2, within: 1m, hysteresis: 1.5",
        &["2:71: a share from 0.001 to 1, with at most three digits after the point, is needed here"],
    );
    check_rule(
        "id: a, kind: sum, query: x, field: n, at-least: 2, within: 1m, resolve: {x: 1}",
        &[
            &format!("2:76: {one}"),
            "2:77: unknown key x: here are possible at-least, at-most, between, exactly, less-than, more-than",
        ],
    );
    check_rule(
        "id: a, kind: distinct, query: x, at-least: 2, within: 1m",
        &["2:3: the key field is missing"],
    );
}

#[test]
fn keys_and_second_messages_fit_the_fields() {
    check_rule(
        "id: a, kind: absence, query: x, within: 1m, keys: [a]",
        &["2:54: keys name the values of by, which is missing"],
    );
    check_rule(
        "id: a, kind: absence, query: x, within: 1m, by: [host, user], keys: [a]",
        &["2:72: each key is a text, or a list with a text for each field of by: keys: [gw1, gw2]"],
    );
    check_rule(
        "id: a, kind: absence, query: x, within: 1m, by: [host, user], keys: [[a, b]]",
        &["a absence warning x"],
    );
    check_rule(
        "id: a, kind: sequence, query: x, then: y, within: 1m, by: host, then-by: [a, b]",
        &["2:77: as many fields as in by are needed here"],
    );
    check_rule("id: a, kind: sequence, query: x, within: 1m", &["2:3: the key then is missing"]);
    check_rule(
        "id: a, kind: absence, query: x, within: 1m, learn: 0",
        &["2:55: a whole number from 1 to 1000000 is needed here"],
    );
}
