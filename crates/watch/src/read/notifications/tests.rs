//! Rows of files of channels and routes with what is wrong in them, and where.

use super::read_notifications;

/// Reads a text; shows its channels and routes or its errors.
#[track_caller]
fn check(text: &str, want: &[&str]) {
    let got: Vec<String> = match read_notifications(text) {
        Ok(read) => {
            let channels = read.channels.iter().map(|one| format!("{} {}", one.id, one.kind.name()));
            let routes = read.routes.iter().map(|one| {
                let times =
                    [one.wait_us, one.interval_us, one.repeat_us.unwrap_or(0)].map(|us| us / 1_000_000);
                format!("{} {:?} {:?} {}", one.id, one.channels, times, one.hourly_max)
            });
            channels.chain(routes).collect()
        }
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    };
    assert_eq!(got, want, "{text}");
}

#[track_caller]
fn check_channel(channel: &str, want: &[&str]) {
    check(&format!("channels:\n- {{{channel}}}"), want);
}

#[track_caller]
fn check_route(route: &str, want: &[&str]) {
    check(&format!("channels: [{{id: a, kind: webhook, url: 'http://h/'}}]\nroutes:\n- {{{route}}}"), want);
}

#[test]
fn channels_and_routes_are_read() {
    check("channels: []", &[]);
    check_channel(
        "id: a, kind: webhook, url: 'https://h/p?q=1', secret-file: /s, addresses: any",
        &["a webhook"],
    );
    check_channel("id: a, kind: webhook, url-env: HOOK", &["a webhook"]);
    check_channel("id: a, kind: slack, url-file: /s", &["a slack"]);
    check_channel("id: a, kind: teams, url-file: /s", &["a teams"]);
    check_channel("id: a, kind: telegram, token-file: /s, chat: -100", &["a telegram"]);
    check_channel("id: a, kind: pagerduty, routing-key-env: KEY", &["a pagerduty"]);
    check_channel("id: a, kind: matrix, url: 'https://h', token-env: T, room: '!r:h'", &["a matrix"]);
    check_channel(
        "id: m, kind: mail, server: mail, from: a@b, to: [c@d, 'e@f'], user: u, password-env: P",
        &["m mail"],
    );
    check_route("id: r, channels: a", &["a webhook", "r [\"a\"] [30, 300, 14400] 60"]);
    check_route(
        "id: r, alerts: 'severity:err rule:disk', channels: [a], group-by: [rule, host], wait: 0, interval: 1m, repeat: 0, hourly-max: 5, heartbeat: 5m",
        &["a webhook", "r [\"a\"] [0, 60, 0] 5"],
    );
}

#[test]
fn every_error_has_its_place() {
    check("rules: []", &["1:1: unknown key rules: here are possible channels, routes"]);
    check(
        "channels: x",
        &["1:11: a file of notifications has two keys, channels and routes, with a list each"],
    );
    check_channel(
        "id: a, kind: fax",
        &["2:17: fax is unknown here: write mail, webhook, slack, teams, telegram, matrix or pagerduty"],
    );
    check_channel("id: a", &["2:3: the key kind is missing"]);
    check_channel("id: a, kind: slack", &["2:3: the key url is missing"]);
    check_channel(
        "id: a, kind: telegram",
        &["2:3: the key token-file is missing", "2:3: the key chat is missing"],
    );
    check_channel(
        "id: a, kind: matrix, url: 'https://h', token-env: T, room: '#r:h'",
        &["2:63: the id of a room is needed here, which begins with an exclamation mark, not its name"],
    );
    check_channel("id: a, kind: webhook", &["2:3: the key url is missing"]);
    check_channel(
        "id: a, kind: webhook, url: ftp://x",
        &["2:31: a URL is needed here, such as https://example.com/hook, without user and fragment"],
    );
    check_channel(
        "id: a, kind: webhook, url: 'http://u@h/', secret: x",
        &[
            "2:31: a URL is needed here, such as https://example.com/hook, without user and fragment",
            "2:46: unknown key secret: here are possible addresses, ca-file, id, kind, secret-env, secret-file, url, url-env, url-file",
        ],
    );
    check_channel(
        "id: a, kind: webhook, url: 'http://h/', url-env: X",
        &["2:53: one of these can be there: url, url-file, url-env"],
    );
    check_channel(
        "id: a, kind: webhook, url: 'http://h/', secret-file: x, addresses: some",
        &[
            "2:57: a path is needed here that begins with a slash",
            "2:71: some is unknown here: write public or any",
        ],
    );
    check_channel(
        "id: m, kind: mail, server: s, from: x, to: ['a b@c']",
        &[
            "2:40: the address of a mailbox is needed here, such as ops@example.com",
            "2:47: the address of a mailbox is needed here, such as ops@example.com",
        ],
    );
    check_channel(
        "id: m, kind: mail, server: s, from: a@b, to: a@b, user: u",
        &["2:60: the key password-file is missing"],
    );
    check_channel(
        "id: m, kind: mail, server: s, from: a@b, to: a@b, user: u, password-env: P, encryption: none",
        &["2:92: the password would be sent in the clear: write starttls or tls"],
    );
    check_route("id: r, channels: b", &["3:21: there is no channel b in this file"]);
    check_route("id: r", &["3:3: the key channels is missing"]);
    check_route(
        "id: r, channels: a, wait: soon, hourly-max: 0, alerts: 'a | stats count()'",
        &[
            "3:30: a length of time from 1s to 400d is needed here, such as 30s, 5m, 1h30m or 7d",
            "3:48: a whole number from 1 to 3600 is needed here",
            "3:59: the query of a rule has no pipes: the kind of the rule counts",
        ],
    );
    check(
        "channels:\n- {id: a, kind: webhook, url: 'http://h/'}\n- {id: a, kind: webhook, url: 'http://h/'}",
        &["3:3: a is here a second time"],
    );
}
