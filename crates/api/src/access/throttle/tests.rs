//! Attempts under a clock of the test.

use super::*;

fn throttle() -> Throttle {
    Throttle::new(hmac::Key::new(hmac::HMAC_SHA256, b"a key of the test"))
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// Returns how many of some attempts are let through at one moment.
fn passed(throttle: &mut Throttle, now: Instant, attempts: impl Iterator<Item = (IpAddr, String)>) -> usize {
    attempts.filter(|(client, user)| throttle.begin(*client, user, now).is_ok()).count()
}

#[test]
fn h4_attempts_count_before_the_check() {
    let (mut throttle, now) = (throttle(), Instant::now());
    let same = |count| (0..count).map(|_| (ip("10.0.0.1"), "eva".to_owned()));
    assert_eq!(passed(&mut throttle, now, same(400)), 5, "none of them has an answer yet");
    let wait = |throttle: &mut Throttle, now| throttle.begin(ip("10.0.0.1"), "eva", now).err();
    assert_eq!(wait(&mut throttle, now), Some(Duration::from_secs(1)));
    let later = now + Duration::from_secs(1);
    assert_eq!(wait(&mut throttle, later), None);
    assert_eq!(wait(&mut throttle, later), Some(Duration::from_secs(2)), "twice as long");
    let mut at = later;
    for _ in 0..30 {
        at += FORGET_AFTER;
        assert_eq!(wait(&mut throttle, at), None);
    }
    assert_eq!(wait(&mut throttle, at), Some(FORGET_AFTER));
    assert_eq!(passed(&mut throttle, at + 2 * FORGET_AFTER, same(400)), 5, "forgotten");
}

#[test]
fn m3_right_passwords_are_not_counted() {
    let (mut throttle, now) = (throttle(), Instant::now());
    for _ in 0..200 {
        let attempt = throttle.begin(ip("10.0.0.1"), "eva", now).unwrap();
        throttle.succeeded(&attempt, now);
        let attempt = throttle.begin(ip("10.0.0.2"), "bob", now).unwrap();
        throttle.forgive(&attempt);
    }
}

#[test]
fn m3_one_address_locks_no_user_out() {
    let (mut throttle, now) = (throttle(), Instant::now());
    let attack = (0..400).map(|_| (ip("10.0.0.1"), "admin".to_owned()));
    assert_eq!(passed(&mut throttle, now, attack), 5);
    assert!(throttle.begin(ip("10.0.0.2"), "admin", now).is_ok(), "from elsewhere");
    assert!(throttle.begin(ip("10.0.0.1"), "eva", now).is_ok(), "somebody else from there");
}

#[test]
fn m3_many_addresses_do_not_lock_out_where_the_user_logs_in() {
    let (mut throttle, now) = (throttle(), Instant::now());
    let home = throttle.begin(ip("192.0.2.9"), "admin", now).unwrap();
    throttle.succeeded(&home, now);
    let attack = (0..10_000).map(|n: u32| (IpAddr::from(n.to_be_bytes()), "admin".to_owned()));
    assert_eq!(passed(&mut throttle, now, attack), 50, "the guess is slowed down");
    assert!(throttle.begin(ip("192.0.2.9"), "admin", now).is_ok());
    let wait = throttle.begin(ip("192.0.2.10"), "admin", now).unwrap_err();
    assert!(wait <= USER.wait_max, "from a new place it takes a while: {wait:?}");
    let gone = now + KNOWN_FOR;
    let attack = (0..60).map(|n: u32| (IpAddr::from(n.to_be_bytes()), "admin".to_owned()));
    passed(&mut throttle, gone, attack);
    assert!(throttle.begin(ip("192.0.2.9"), "admin", gone).is_err(), "not for ever");
}

#[test]
fn m3_one_address_cannot_try_all_names() {
    let (mut throttle, now) = (throttle(), Instant::now());
    let spray = (0..400).map(|n| (ip("10.0.0.1"), format!("user{n}")));
    assert_eq!(passed(&mut throttle, now, spray), 20);
    let wait = throttle.begin(ip("10.0.0.1"), "eva", now).unwrap_err();
    assert!(wait <= ADDRESS.wait_max, "an office that shares the address: {wait:?}");
}

#[test]
fn m3_an_ipv6_site_is_one_address() {
    let (mut throttle, now) = (throttle(), Instant::now());
    let site = (0..400).map(|n| (ip(&format!("2001:db8:0:1::{n:x}")), "eva".to_owned()));
    assert_eq!(passed(&mut throttle, now, site), 5);
    assert!(throttle.begin(ip("2001:db8:0:2::1"), "eva", now).is_ok());
    assert_eq!(peer_network(ip("::ffff:10.0.0.1")), peer_network(ip("10.0.0.1")));
    assert_ne!(peer_network(ip("10.0.0.1")), peer_network(ip("10.0.0.2")));
    assert_eq!(network(ip("10.0.7.1")), network(ip("10.0.0.2")));
    assert_ne!(network(ip("10.1.0.1")), network(ip("10.0.0.1")));
}

#[test]
fn m3_full_counters_fail_closed_and_lock_nobody_out() {
    let (mut throttle, now) = (throttle(), Instant::now());
    throttle.counters_max = 3_000;
    let home = throttle.begin(ip("192.0.2.9"), "eva", now).unwrap();
    throttle.succeeded(&home, now);
    // Every attempt has an address and a name of its own, all of one large network.
    let flood =
        (0..100_000_u32).map(|n| (IpAddr::from((0x0a00_0000 | (n & 0xffff)).to_be_bytes()), format!("u{n}")));
    let count = passed(&mut throttle, now, flood);
    assert!((900..1_100).contains(&count), "{count} of 100,000 are tried, then they share");
    assert!(throttle.failures.len() <= 3_000, "{}", throttle.failures.len());
    assert!(throttle.begin(ip("192.0.2.9"), "eva", now).is_ok(), "who is known is not touched");
    let others = (0..40).filter(|n| throttle.begin(ip(&format!("{}.7.0.1", n + 20)), "bob", now).is_ok());
    assert!(others.count() > 20, "nor are most other networks");
    let later = now + FORGET_AFTER + SWEEP_PAUSE;
    assert!(throttle.begin(ip("10.0.0.1"), "new", later).is_ok());
    assert!(throttle.failures.len() < 10, "old failures are forgotten: {}", throttle.failures.len());
}

#[test]
fn a_log_in_makes_nobody_else_unknown() {
    let (mut throttle, now) = (throttle(), Instant::now());
    let log_in = |throttle: &mut Throttle, client: &str, second| {
        let at = now + Duration::from_secs(second);
        let attempt = throttle.begin(ip(client), "eva", at).unwrap();
        throttle.succeeded(&attempt, at);
    };
    log_in(&mut throttle, "192.0.2.9", 0);
    log_in(&mut throttle, "192.0.2.10", 1);
    log_in(&mut throttle, "192.0.2.10", 2);
    let later = now + Duration::from_secs(3);
    let attack = (0..1_000).map(|n: u32| (IpAddr::from(n.to_be_bytes()), "eva".to_owned()));
    assert_eq!(passed(&mut throttle, later, attack), 50);
    for known in ["192.0.2.9", "192.0.2.10"] {
        assert!(throttle.begin(ip(known), "eva", later).is_ok(), "{known}");
    }
    assert!(throttle.begin(ip("192.0.2.11"), "eva", later).is_err(), "from there nobody logged in");
}

#[test]
fn waits_end_when_they_are_over() {
    let now = Instant::now();
    let rule = Rule { free: 2, wait_max: Duration::from_secs(5) };
    let wait = |count, after_ms| {
        let wait = Failures { count, last: now }.wait(rule, now + Duration::from_millis(after_ms));
        wait.map(|wait| wait.as_millis())
    };
    assert_eq!(
        [wait(1, 0), wait(2, 0), wait(3, 0), wait(4, 0)],
        [None, Some(1_000), Some(2_000), Some(4_000)]
    );
    assert_eq!([wait(5, 0), wait(60, 0)], [Some(5_000); 2], "the longest wait");
    assert_eq!([wait(2, 999), wait(2, 1_000), wait(2, 1_001)], [Some(1), None, None]);
    let forgotten = FORGET_AFTER.as_millis() as u64;
    let long = Rule { free: 2, wait_max: FORGET_AFTER * 4 };
    let left = |after_ms| {
        Failures { count: 20, last: now }.wait(long, now + Duration::from_millis(after_ms)).is_some()
    };
    assert_eq!([left(forgotten), left(forgotten + 1)], [true, false]);
}

/// An attempt of a user, each from an address of their own network.
fn log_in(throttle: &mut Throttle, number: u32, now: Instant) {
    let client = IpAddr::from((0x0a00_0000 + number).to_be_bytes());
    let attempt = throttle.begin(client, &format!("u{number}"), now).unwrap();
    throttle.succeeded(&attempt, now);
}

#[test]
fn a_bounded_number_of_log_ins_is_known() {
    let (mut throttle, now) = (throttle(), Instant::now());
    let at = |number: u32| now + Duration::from_millis(u64::from(number));
    let most = KNOWN_MAX as u32;
    (0..most).for_each(|number| log_in(&mut throttle, number, at(number)));
    log_in(&mut throttle, 5, at(most));
    assert_eq!(throttle.known.len(), KNOWN_MAX, "who is known takes no other's place");
    let of = |throttle: &Throttle, number: u32| {
        let client = IpAddr::from((0x0a00_0000 + number).to_be_bytes());
        let user = format!("u{number}");
        let pair = throttle.tag(&[b"pair", &peer_network(client), user.as_bytes()]);
        throttle.known.contains_key(&pair)
    };
    assert!(of(&throttle, 0));
    log_in(&mut throttle, most, at(most));
    assert_eq!(throttle.known.len(), KNOWN_MAX);
    assert_eq!(
        [0, 1, 5, most].map(|number| of(&throttle, number)),
        [false, true, true, true],
        "the oldest went"
    );
}

#[test]
fn a_log_in_is_known_for_thirty_days() {
    let (mut throttle, now) = (throttle(), Instant::now());
    log_in(&mut throttle, 1, now);
    let mut from_home = |seconds| {
        let at = now + Duration::from_secs(seconds);
        let attack = (100..200).map(|n: u32| (IpAddr::from(n.to_be_bytes()), "u1".to_owned()));
        passed(&mut throttle, at, attack);
        throttle.begin(IpAddr::from(0x0a00_0001_u32.to_be_bytes()), "u1", at).is_ok()
    };
    assert_eq!((from_home(2_591_999), from_home(2_592_000)), (true, false));
}

#[test]
fn counters_make_room_only_when_they_are_all_in_use() {
    let second = Duration::from_secs(1);
    // Three counters an attempt; how many may be, how many are left after two old attempts and a new one.
    for (counters_max, want) in [(6, 3), (8, 3), (9, 9)] {
        let (mut throttle, now) = (throttle(), Instant::now());
        throttle.counters_max = counters_max;
        assert!(throttle.begin(ip("10.0.0.1"), "eva", now).is_ok());
        assert!(throttle.begin(ip("10.1.0.1"), "bob", now).is_ok());
        let later = now + FORGET_AFTER + second;
        assert!(throttle.begin(ip("10.2.0.1"), "ann", later).is_ok());
        assert_eq!(throttle.failures.len(), want, "{counters_max}");
    }
    // Young entries stay, and the table is cleaned once a second at most.
    let (mut throttle, now) = (throttle(), Instant::now());
    throttle.counters_max = 6;
    let mut begin = |client: &str, user: &str, at: Duration| {
        assert!(throttle.begin(ip(client), user, now + at).is_ok());
        (throttle.failures.len(), throttle.shared.values().map(|failures| failures.count).sum::<u32>())
    };
    assert_eq!(begin("10.0.0.1", "eva", Duration::ZERO), (3, 0));
    assert_eq!(begin("10.1.0.1", "bob", 2 * second), (6, 0));
    assert_eq!(begin("10.2.0.1", "ann", FORGET_AFTER), (6, 1), "nothing is old: new ones share");
    assert_eq!(begin("10.2.0.1", "ann", FORGET_AFTER + second / 2), (6, 2), "looked for a moment ago");
    assert_eq!(begin("10.2.0.1", "ann", FORGET_AFTER + second + second / 2), (6, 2), "one was old");
}

#[test]
fn shared_failures_are_forgiven() {
    let (mut throttle, now) = (throttle(), Instant::now());
    throttle.counters_max = 0;
    for number in 0..100 {
        let attempt = throttle.begin(ip("10.0.0.1"), &format!("u{number}"), now).unwrap();
        throttle.forgive(&attempt);
    }
    let same = (0..100).map(|number| (ip("10.0.0.1"), format!("u{number}")));
    assert_eq!(passed(&mut throttle, now, same), SHARED.free as usize);
}
