//! Each kind of rule, by hand: what fires when, at the edges of its windows.

use super::site::{events, rules, run, show};

/// Runs one rule, whose text follows `- id: r`, over events; compares its transitions.
#[track_caller]
fn check(rule: &str, lines: &[&str], want: &[&str]) {
    let text = format!("rules:\n- {{id: r, {rule}}}\n");
    let got: Vec<String> = run(&rules(&text), &events(lines)).iter().map(show).collect();
    assert_eq!(got, want);
}

#[test]
fn a_match_occurs_each_time_or_once_until_it_is_quiet() {
    let lines = ["0 a bad", "1 a bad", "2 b good", "3 b bad", "100 a x"];
    check(
        "kind: match, query: bad, by: host",
        &lines,
        &["[a] occurred #0 @m0", "[a] occurred #1 @m1", "[b] occurred #2 @m3"],
    );
    check(
        "kind: match, query: bad, by: host, resolve-after: 10s",
        &lines,
        &["[a] fired #0 @m0", "[b] fired #1 @m3", "[a] resolved #0 @t11", "[b] resolved #1 @t13"],
    );
    // The tick stands before a message of the same time.
    check(
        "kind: match, query: bad, resolve-after: 10s",
        &["0 a bad", "10 a bad"],
        &["[] fired #0 @m0", "[] resolved #0 @t10", "[] fired #1 @m1"],
    );
}

#[test]
fn eleven_rules_match_one_message() {
    let texts: Vec<String> =
        (0..11).map(|n| format!("- {{id: r{n}, kind: match, query: 'user:eva bad'}}")).collect();
    let text = format!("rules:\n{}\n", texts.join("\n"));
    let found = run(&rules(&text), &events(&["0 a bad user=eva"]));
    assert_eq!(found.len(), 11);
    let ids: std::collections::HashSet<_> = found.iter().map(|transition| transition.id).collect();
    assert_eq!(ids.len(), 11);
}

#[test]
fn more_than_ten_in_a_minute_is_the_eleventh_by_the_received_clock() {
    let lines: Vec<String> = (0..12).map(|second| format!("{second} a x")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).chain(["3600 mark"]).collect();
    // Fewer than 11 x 0.8 = 8.8 are left when the ninth newest, received at 3, is a minute old.
    check(
        "kind: count, query: x, more-than: 10, within: 1m",
        &lines,
        &["[] fired #0 @m10 =11", "[] resolved #0 @t63 =8"],
    );
    // Five in two seconds never are among six in six seconds.
    let slow = ["0 a x", "1 a x", "2 a x", "3 a x", "4 a x", "5 a x", "60 mark"];
    check("kind: count, query: x, at-least: 5, within: 2s", &slow, &[]);
}

#[test]
fn a_sliding_count_excludes_what_is_exactly_as_old_as_the_window() {
    let rule = "kind: count, query: x, at-least: 2, within: 10s, hysteresis: 1, by: host";
    check(rule, &["0 a x", "10 a x", "100 mark"], &[]);
    check(
        rule,
        &["0 a x", "9.999999 a x", "9.999999 b x", "100 mark"],
        &["[a] fired #0 @m1 =2", "[a] resolved #0 @t10 =1"],
    );
    // One message is enough: fires at the first, resolved when the window is empty.
    check(
        "kind: count, query: x, at-least: 1, within: 10s",
        &["0 a x", "5 a x", "20 a x", "99 mark"],
        &["[] fired #0 @m0 =1", "[] resolved #0 @t15 =0", "[] fired #1 @m2 =1", "[] resolved #1 @t30 =0"],
    );
}

#[test]
fn a_condition_must_last() {
    let rule = "kind: count, query: x, at-least: 2, within: 10s, for: 15s, hysteresis: 1";
    // Two in ten seconds, for nine seconds only; then for twenty.
    check(rule, &["0 a x", "1 a x", "60 mark"], &[]);
    check(
        rule,
        &["0 a x", "1 a x", "9 a x", "10 a x", "18 a x", "60 mark"],
        &["[] fired #0 @t16 =2", "[] resolved #0 @t20 =1"],
    );
}

#[test]
fn tumbling_windows_are_judged_at_their_ends() {
    let lines = ["3 a x", "4 a x", "5 b x", "12 a x", "35 b x", "60 mark"];
    check(
        "kind: count, query: x, at-least: 2, within: 10s, window: tumbling, by: host",
        &lines,
        &["[a] fired #0 @t10 =2", "[a] resolved #0 @t20 =1"],
    );
    // The window that began before the rule is not judged by what it lacks.
    check(
        "kind: count, query: x, less-than: 1, within: 10s, window: tumbling",
        &lines,
        &["[] fired #0 @t30 =0", "[] resolved #0 @t40 =1", "[] fired #1 @t50 =0"],
    );
    check(
        "kind: count, query: x, between: [1, 2], within: 10s, window: tumbling, for: 10s, by: host",
        &["0 a x", "12 a x", "22 a x", "60 mark"],
        &["[a] fired #0 @t20 =1", "[a] resolved #0 @t40 =0"],
    );
}

#[test]
fn distinct_values_are_counted_once() {
    let rule = "kind: distinct, query: login, field: user, at-least: 3, within: 10s, by: host";
    check(
        rule,
        &[
            "0 a login user=u1",
            "1 a login user=u2",
            "2 a login user=u1",
            "3 a login",
            "9 a login user=u3",
            "11.5 a login user=u4",
            "99 mark",
        ],
        // u1 was last seen at 2; at 11 u2 leaves, two of three are below 2.4.
        &["[a] fired #0 @m4 =3", "[a] resolved #0 @t11 =2", "[a] fired #1 @m5 =3", "[a] resolved #1 @t12 =2"],
    );
    check(
        "kind: distinct, query: login, field: user, exactly: 2, within: 10s, window: tumbling",
        &["0 a login user=u1", "1 a login user=u2", "11 a login user=u1", "99 mark"],
        &["[] fired #0 @t10 =2", "[] resolved #0 @t20 =1"],
    );
}

#[test]
fn figures_of_numbers() {
    let lines = ["0 a n=5", "20 a n=90", "30 a n=x", "65 a n=1", "200 mark"];
    check(
        "kind: max, query: '*', field: n, at-least: 50, within: 1m",
        &lines,
        &["[] fired #0 @m1 =90", "[] resolved #0 @t81 =1"],
    );
    check(
        "kind: sum, query: '*', field: n, more-than: 90, within: 1m, resolve: {at-most: 1}",
        &lines,
        &["[] fired #0 @m1 =95", "[] resolved #0 @t81 =1"],
    );
    check(
        "kind: avg, query: '*', field: n, less-than: 6, within: 1m, window: tumbling",
        &["0 a n=5", "20 a n=6", "60 a n=50", "200 mark"],
        &["[] fired #0 @t60 =5.5", "[] resolved #0 @t120 =50"],
    );
    check(
        "kind: min, query: '*', field: n, at-most: 1, within: 1m",
        &lines,
        &["[] fired #0 @m3 =1", "[] resolved #0 @t126"],
    );
}

#[test]
fn silence_fires_and_the_next_message_resolves_it() {
    check(
        "kind: absence, query: '*', by: host, within: 10s",
        &["0 a x", "4 b x", "9 a x", "14 mark", "20 b x", "25 mark"],
        &["[b] fired #0 @t14", "[a] fired #1 @t19", "[b] resolved #0 @m3"],
    );
    // Nothing at all arrives: the rule without fields expects something from its start.
    check("kind: absence, query: x, within: 10s", &["0 mark", "9 mark", "11 mark"], &["[] fired #0 @t10"]);
    // A key is expected by name, or after it was seen twice.
    check(
        "kind: absence, query: '*', by: host, within: 10s, learn: 2, keys: [gw]",
        &["0 a x", "1 b x", "2 b x", "30 mark"],
        &["[gw] fired #0 @t10", "[b] fired #1 @t12"],
    );
    check(
        "kind: absence, query: '*', by: host, within: 10s, forget-after: 1m, keys: [gw]",
        &["0 a x", "69 a x", "200 mark"],
        &[
            "[a] fired #0 @t10",
            "[gw] fired #1 @t10",
            "[a] resolved #0 @m1",
            "[a] fired #2 @t79",
            "[a] forgotten #2 @t139",
        ],
    );
}

#[test]
fn only_listening_counts_as_silence() {
    check(
        "kind: absence, query: '*', by: host, within: 10s",
        &["0 a x", "5 stop", "100 start", "104 mark", "105 mark"],
        &["[a] fired #0 @t105"],
    );
}

#[test]
fn a_clock_that_is_set_back_alarms_nobody() {
    // Received times never decrease: the message counts as received at 100.
    check(
        "kind: absence, query: '*', by: host, within: 1h",
        &["100 a x", "-3500 a x", "101 a x", "3700 mark"],
        &[],
    );
}

#[test]
fn new_values_are_those_not_seen_for_a_time() {
    check(
        "kind: new-value, query: '*', field: user, by: host, learn-for: 10s, remember-for: 100s",
        &["0 a user=u1", "20 a user=u1", "21 a user=u2", "22 b user=u1", "121 a user=u2", "120 a user=u1"],
        &[
            "[a,u2] occurred #0 @m2",
            "[b,u1] occurred #1 @m3",
            "[a,u2] occurred #2 @m4",
            "[a,u1] occurred #3 @m5",
        ],
    );
}

#[test]
fn a_sequence_is_a_first_and_then_a_second_message() {
    let rule = "kind: sequence, query: open, then: shut, within: 10s, by: host, then-by: peerhost";
    check(
        rule,
        &[
            "0 a open",
            "1 z shut peerhost=a",
            "2 z shut peerhost=a",
            "3 a open",
            "13 z shut peerhost=a",
            "14 a open shut peerhost=a",
            "15 a open shut peerhost=a",
        ],
        &["[a] occurred #0 @m1 <m0", "[a] occurred #1 @m6 <m5"],
    );
}

#[test]
fn a_first_message_that_nothing_follows_fires_when_its_time_is_over() {
    let rule = "kind: not-followed, query: begin, then: done, within: 10s, by: host, forget-after: 1h";
    check(
        rule,
        &[
            "0 a begin",
            "1 b begin",
            "5 a begin",
            "9 a done",
            "11 b done",
            "12 b begin",
            "30 b begin",
            "4000 mark",
        ],
        &[
            "[b] fired #0 @t11 <m1",
            "[b] resolved #0 @m4 <m1",
            "[b] fired #1 @t22 <m5",
            "[b] forgotten #1 @t3622 <m5",
        ],
    );
}

#[test]
fn a_message_without_a_field_belongs_to_no_group() {
    let lines = ["0 - x", "1 a x user=eva"];
    check("kind: match, query: x, by: [host, user]", &lines, &["[a,eva] occurred #0 @m1"]);
    check(
        "kind: match, query: x, by: [host, user], missing: none",
        &lines,
        &["[none,none] occurred #0 @m0", "[a,eva] occurred #1 @m1"],
    );
}

#[test]
fn long_values_are_keys_that_differ() {
    let long = "v".repeat(300);
    let lines = [format!("0 a x user={long}1"), format!("1 a x user={long}2")];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let rules = rules("rules: [{id: r, kind: match, query: x, by: user, resolve-after: 1m}]");
    let found = run(&rules, &events(&lines));
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|transition| transition.key[0].len() < 256));
}
