//! Rows for the words that stand for kinds and states in JSON.

use super::{ClockName, EventQuality, FacetsRequest, HealthStatus, PartReads, SearchRequest};
use crate::{access::accounts::RIGHTS, scope::ScopeKind};
use serde::Serialize;

#[track_caller]
fn check<T: Serialize>(values: &[T], want: &str) {
    assert_eq!(serde_json::to_string(values).unwrap(), want);
}

#[test]
fn words_on_the_wire() {
    check(
        &[ScopeKind::Local, ScopeKind::Filtered, ScopeKind::Multiple],
        r#"["local","filtered","multiple"]"#,
    );
    check(&RIGHTS, r#"["search","export","administer"]"#);
    check(&[ClockName::Received, ClockName::Event], r#"["received","event"]"#);
    check(
        &[HealthStatus::Ok, HealthStatus::Degraded, HealthStatus::Starting],
        r#"["ok","degraded","starting"]"#,
    );
    check(
        &[EventQuality::Known, EventQuality::ZoneGuessed, EventQuality::YearGuessed, EventQuality::Absent],
        r#"["known","zone_guessed","year_guessed","absent"]"#,
    );
    check(
        &[PartReads::Words, PartReads::Columns, PartReads::Text, PartReads::Nothing, PartReads::Parts],
        r#"["words","columns","text","nothing","parts"]"#,
    );
}

#[test]
fn what_a_request_leaves_out_has_its_default() {
    let search: SearchRequest = serde_json::from_str("{}").unwrap();
    assert_eq!((search.limit, search.bars, search.timeout_ms), (200, 30, 30_000));
    let facets: FacetsRequest = serde_json::from_str(r#"{"columns": []}"#).unwrap();
    assert_eq!((facets.limit, facets.timeout_ms), (10, 30_000));
}
