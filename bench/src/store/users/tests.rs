//! Tests of the queries of users, and of verdicts on trials.

use super::{
    plot,
    trial::{Case, Trial, query},
};
use std::collections::HashSet;

fn trial(late_ms: u64, behind: u64) -> Trial {
    Trial {
        case: Case::Tokens,
        users: 4,
        searches: 10,
        p50_ms: 5.0,
        p95_ms: 9.0,
        max_ms: 12.0,
        rate: 990.0,
        late_ms,
        behind,
        cores: 0.5,
    }
}

#[test]
fn hardly_any_question_comes_twice() {
    let queries = (0..29).flat_map(|user| (0..500).map(move |turn| query(Case::Tokens, user, turn)));
    let different: HashSet<String> = queries.collect();
    assert!(different.len() > 29 * 500 * 9 / 10, "{} different", different.len());
    assert!(query(Case::Wildcard, 3, 4).starts_with("*bound OR "));
}

#[test]
fn a_sender_that_is_held_back_is_seen() {
    for (late_ms, behind, want) in [(60, 100, true), (5_000, 100, false), (60, 3_000, false)] {
        assert_eq!(trial(late_ms, behind).keeps_up(1000.0), want);
    }
}

#[test]
fn the_plot_has_a_bar_for_each_trial_and_figure() {
    let svg = plot::draw(&[trial(1, 1), Trial { case: Case::Wildcard, ..trial(1, 1) }], 1000.0, 3);
    assert_eq!(svg.matches("<rect").count(), 1 + 2 * 2 + 2, "{svg}");
    assert!(svg.contains("4 users") && svg.ends_with("</svg>\n"));
}
