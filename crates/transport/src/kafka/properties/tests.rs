//! Settings that are taken, refused, and kept secret.

use super::*;

#[track_caller]
fn check(role: ClientRole, settings: &[(&str, &str)], want: &str) {
    let mut properties = Properties::new(role, "h:1");
    let set = settings.iter().try_for_each(|(name, value)| properties.set(name, value));
    let found = match set.err().or_else(|| properties.contradiction()) {
        Some(error) => error.to_string(),
        None => settings.last().and_then(|(name, _)| properties.get(name)).unwrap_or("").to_owned(),
    };
    assert!(found.starts_with(want), "{settings:?}: {found}");
    assert!(want.is_empty() == found.is_empty(), "{settings:?}: {found}");
}

fn check_settings(settings: &[(&str, &str)], want: &str) {
    check(ClientRole::Producer, settings, want);
}

#[test]
fn settings_that_break_a_promise_are_refused() {
    check_settings(&[("linger.ms", "7")], "7");
    check_settings(&[("LINGER.MS", "7"), ("linger.ms", "8")], "8");
    for codec in ["none", "snappy", "lz4", "zstd"] {
        check_settings(&[("compression.codec", codec)], codec);
    }
    check_settings(&[("sasl.mechanism", "PLAIN"), ("security.protocol", "sasl_ssl")], "sasl_ssl");
    check_settings(&[("security.protocol", "sasl_ssl")], "`security.protocol` cannot be set here: it needs");
    check_settings(&[("sasl.mechanism", "GSSAPI")], "`sasl.mechanisms` cannot be set here: it is PLAIN");
    check_settings(&[("compression.codec", "gzip")], "`compression.codec` is refused by librdkafka: ");
    check_settings(&[("sasl.mechanisms", "SCRAM-SHA-512")], "SCRAM-SHA-512");
    check_settings(&[("message.timeout.ms", "30000")], "30000");
    check_settings(&[("acks", "0")], "`acks` cannot be set here: without acknowledgements");
    check_settings(&[("request.required.acks", "0")], "`acks` cannot be set here");
    check_settings(&[("acks", "1")], "`acks` cannot be set here: `enable.idempotence` needs");
    check_settings(&[("enable.idempotence", "false"), ("acks", "1")], "1");
    check_settings(&[("acks", "all")], "all");
    check_settings(&[("max.in.flight", "6")], "`max.in.flight.requests.per.connection` cannot");
    check_settings(&[("retries", "0")], "`retries` cannot");
    check_settings(&[("metadata.broker.list", "h")], "`bootstrap.servers` cannot be set here");
    check_settings(&[("transactional.id", "x")], "x");
    check_settings(&[("plugin.library.paths", "/tmp/x.so")], "`plugin.library.paths` cannot be set here");
    check_settings(&[("dr_msg_cb", "x")], "`dr_msg_cb` cannot be set here");
    check_settings(&[("test.mock.num.brokers", "3")], "`test.mock.num.brokers` cannot be set here");
    check_settings(&[("linger.ms", "soon")], "`linger.ms` is refused by librdkafka: ");
    check_settings(&[("linger", "1")], "`linger` is refused by librdkafka: ");
    check_settings(&[("sasl.kerberos.keytab", "/x")], "`sasl.kerberos.keytab` cannot be set here");
}

#[test]
fn a_transaction_outlives_its_records_and_requests() {
    let check = |settings: &[(&str, &str)], want: &str| {
        let mut properties = Properties::new(ClientRole::Producer, "h:1");
        settings.iter().for_each(|(name, value)| properties.set(name, value).expect("librdkafka knows it"));
        let found = properties.contradiction_of_transactions().map(|error| error.to_string());
        assert_eq!(found.unwrap_or_default(), want);
    };
    let longer = |name: &str| {
        format!("`{name}` cannot be set here: `transaction.timeout.ms` has to be as long, or longer")
    };
    check(&[], "");
    check(&[("message.timeout.ms", "60000"), ("socket.timeout.ms", "60100")], "");
    check(&[("message.timeout.ms", "60001")], &longer("message.timeout.ms"));
    check(&[("message.timeout.ms", "60001"), ("transaction.timeout.ms", "90000")], "");
    check(
        &[("socket.timeout.ms", "60000"), ("transaction.timeout.ms", "5000")],
        &longer("socket.timeout.ms"),
    );
    check(
        &[("enable.idempotence", "false")],
        "`enable.idempotence` cannot be set here: transactions need it",
    );
}

#[test]
fn positions_are_committed_by_acknowledgements_alone() {
    let check = |settings: &[(&str, &str)], want: &str| check(ClientRole::Consumer, settings, want);
    check(&[("group.id", "g"), ("group.instance.id", "a")], "a");
    check(&[("auto.offset.reset", "latest")], "latest");
    check(&[("auto.offset.reset", "error")], "`auto.offset.reset` cannot be set here: a partition");
    check(&[("group.id", " ")], "`group.id` cannot be set here: the group");
    for name in [
        "enable.auto.commit",
        "enable.auto.offset.store",
        "offset.store.path",
        "group.protocol",
        "transactional.id",
    ] {
        check(&[(name, "x")], &format!("`{name}` cannot be set here: "));
    }
    check(&[("security.protocol", "sasl_plaintext")], "`security.protocol` cannot be set here: it needs");
    check(&[("acks", "1")], "1");
    check(&[("plugin.library.paths", "/tmp/x.so")], "`plugin.library.paths` cannot be set here");
}

#[test]
fn a_changed_secret_is_a_change() {
    let of = |password: &str| {
        let mut properties = Properties::new(ClientRole::Consumer, "h:1");
        properties.set("sasl.password", password).expect("librdkafka knows it");
        properties.fingerprint()
    };
    assert_eq!(of("one"), of("one"));
    assert_ne!(of("one"), of("two"));
}

#[test]
fn what_is_shown_has_no_secret() {
    let mut properties = Properties::new(ClientRole::Producer, "h:1");
    for name in ["sasl.password", "ssl.key.password", "ssl.keystore.password"] {
        properties.set(name, "hidden-word").expect("librdkafka knows it");
    }
    assert!(!properties.shown().contains("hidden-word"), "{}", properties.shown());
    assert!(!format!("{properties:?}").contains("hidden-word"));
}
