//! Rows for the words that stand for kinds and states in JSON.

use super::{ClockName, EventQuality, HealthStatus, PartReads};
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
