//! Errors of librdkafka, and what the health of the server says of them.

use super::*;

#[track_caller]
fn check(errors: &[(Code, &str)], want: Option<&str>) -> Health {
    let health = Health::default();
    for (code, words) in errors {
        health.note(*code, words, &["logs".to_owned(), "more".to_owned()]);
    }
    assert_eq!(health.trouble().as_deref(), want, "{errors:?}");
    health
}

#[test]
fn the_reason_that_explains_the_others_is_shown() {
    let refused = (Code::BrokerTransportFailure, "connection refused");
    let down = (Code::AllBrokersDown, "1/1 brokers are down");
    let denied = (Code::Authentication, "wrong password");
    check(&[refused], None);
    check(&[refused, down], Some("1/1 brokers are down; connection refused"));
    check(&[down, denied], Some("wrong password"));
    check(&[denied, down], Some("wrong password"));
    check(&[(Code::MessageTimedOut, "slow")], None);
    let health = check(&[(Code::Authentication, "a\u{1b}b\nc")], Some("ab"));
    assert!(!health.is_known());
    health.has_reached();
    assert_eq!((health.trouble(), health.is_known()), (None, true));
}

#[test]
fn a_topic_is_missing_until_it_is_there() {
    let missing = (Code::UnknownTopicOrPartition, "Subscribed topic not available: logs: unknown");
    let health = check(&[missing], Some(missing.1));
    assert_eq!(health.missing(), ["logs"]);
    health.has_topic("more");
    assert!(health.trouble().is_some());
    health.has_topic("logs");
    assert_eq!(health.trouble(), None);
    assert!(health.note(missing.0, missing.1, &[]), "it is new");
    assert!(!health.note(missing.0, missing.1, &[]), "it was said");
}
