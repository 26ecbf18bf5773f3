//! Connections that arrive, prove themselves and give way to others; handshakes that wait for a permit.

use super::*;
use std::{
    future::Future,
    net::Ipv4Addr,
    pin::pin,
    task::{Context, Poll, Waker},
};

/// A future that is polled once.
trait FutureNow: Future + Sized {
    fn now(self) -> Option<Self::Output> {
        match pin!(self).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }
}

impl<F: Future> FutureNow for F {}

fn peer(number: u8) -> PeerKey {
    PeerKey::of(Ipv4Addr::new(192, 0, 2, number).into())
}

fn limits(total: usize, per_peer: Option<usize>) -> CountLimits {
    CountLimits { total, per_peer }
}

fn listener(budget: usize) -> (Arc<Admission>, ConnectionBudget) {
    let all = ConnectionBudget::default();
    all.set_max(budget);
    (Admission::new(all.clone()), all)
}

const MANY: CountLimits = CountLimits { total: 1_000, per_peer: None };

#[test]
fn an_ipv6_site_is_one_peer_and_a_mapped_address_is_ipv4() {
    let of = |text: &str| PeerKey::of(text.parse().unwrap());
    assert_eq!(of("2001:db8:0:1::1"), of("2001:db8:0:1:ffff::2"));
    assert_ne!(of("2001:db8:0:1::1"), of("2001:db8:0:2::1"));
    assert_eq!(of("::ffff:192.0.2.1"), peer(1));
    assert_ne!(peer(1), peer(2));
}

#[test]
fn a_listener_has_its_limits_and_gives_places_back() {
    let (listener, _) = listener(100);
    let now = Instant::now();
    let limits = limits(4, Some(2));
    let admit = |number| listener.admit(peer(number), limits, now);
    let first: Vec<_> = (0..2).map(|_| admit(1).ok().unwrap()).collect();
    assert_eq!(admit(1).err(), Some(RefusalReason::PerAddress));
    let others: Vec<_> = (2..4).map(|number| admit(number).ok().unwrap()).collect();
    assert_eq!(admit(4).err(), Some(RefusalReason::MaxConnections));
    drop(first);
    assert!(admit(1).is_ok() && others.iter().all(|permit| permit.displaced().now().is_none()));
}

#[test]
fn an_old_handshake_gives_way_and_an_open_session_does_not() {
    let (listener, _) = listener(100);
    let start = Instant::now();
    let limits = limits(3, Some(2));
    let permits: Vec<_> =
        [1, 1, 2].map(|number| listener.admit(peer(number), limits, start).ok().unwrap()).into();
    permits[1].handshake_begins();
    let (young, old) = (start + YOUNG_FOR / 2, Instant::now() + 2 * YOUNG_FOR);
    assert_eq!(listener.admit(peer(3), limits, young).err(), Some(RefusalReason::MaxConnections));
    assert_eq!(listener.admit(peer(1), limits, young).err(), Some(RefusalReason::PerAddress));
    let late = listener.admit(peer(1), limits, old).ok().unwrap();
    assert_eq!(permits[1].displaced().now(), Some(RefusalReason::PerAddress));
    assert!(permits[0].displaced().now().is_none() && permits[2].displaced().now().is_none());
    // A finished handshake is not a candidate.
    late.handshake_begins();
    late.handshake_ends();
    assert!(listener.admit(peer(1), limits, old).is_err());
}

#[test]
fn the_address_with_the_most_silent_connections_gives_way_to_others() {
    let (listener, budget) = listener(SILENT_MIN + 3);
    let start = Instant::now();
    let admit = |number, now| listener.admit(peer(number), MANY, now);
    let good = admit(9, start).ok().unwrap();
    good.prove();
    let idle: Vec<_> = (0..2).map(|number| admit(number, start).ok().unwrap()).collect();
    let flood: Vec<_> = (0..SILENT_MIN).map(|_| admit(7, start).ok().unwrap()).collect();
    assert_eq!(admit(3, start).err(), Some(RefusalReason::OpenFiles), "all of them are young");
    let late = start + 2 * YOUNG_FOR;
    let new = admit(3, late).ok().unwrap();
    assert_eq!(flood[0].displaced().now(), Some(RefusalReason::OpenFiles));
    let stay = flood[1..].iter().chain(&idle).chain([&good, &new]);
    assert_eq!(stay.filter(|permit| permit.displaced().now().is_some()).count(), 0);
    assert_eq!(admit(4, late).err(), Some(RefusalReason::OpenFiles), "who has few of them is left alone");
    // Without free descriptors the busiest address gives way, whatever its age.
    budget.relieve(start);
    assert_eq!(flood[1].displaced().now(), Some(RefusalReason::OpenFiles));
    drop((good, idle, flood, new));
    let counts = budget.lock();
    assert!(counts.count == 0 && counts.silent.busiest(1).is_none(), "all is given back");
}

#[test]
fn a_connection_gives_way_after_a_second() {
    for (age, want) in [(YOUNG_FOR - Duration::from_nanos(1), false), (YOUNG_FOR, true)] {
        let (listener, _) = listener(SILENT_MIN);
        let start = Instant::now();
        let old: Vec<_> =
            (0..SILENT_MIN).map(|_| listener.admit(peer(1), MANY, start).ok().unwrap()).collect();
        assert_eq!(listener.admit(peer(2), MANY, start + age).is_ok(), want, "{age:?}");
        assert_eq!(old[0].displaced().now().is_some(), want);
    }
}

#[test]
fn a_connection_that_is_reported_twice_counts_once() {
    let (listener, budget) = listener(100);
    let permits: Vec<_> =
        [1, 1, 2].map(|number| listener.admit(peer(number), MANY, Instant::now()).ok().unwrap()).into();
    permits.iter().chain(&permits).for_each(|permit| permit.handshake_begins());
    assert_eq!(listener.handshaking().busiest(2), Some(peer(1)));
    assert_eq!(listener.handshaking().busiest(3), None);
    permits.iter().chain(&permits).for_each(|permit| permit.handshake_ends());
    assert_eq!(listener.handshaking().busiest(1), None);
    assert_eq!(permits[0].peer(), peer(1));
    assert_eq!(budget.max(), 100);
}

#[test]
fn a_flood_exceeds_the_budget_only_slightly() {
    let (listener, budget) = listener(200);
    let start = Instant::now();
    let late = start + 2 * YOUNG_FOR;
    let old: Vec<_> = (0..200).map(|_| listener.admit(peer(1), MANY, start).ok().unwrap()).collect();
    // None of the connections asked to leave has left yet.
    let new: Vec<_> = (0..200).filter_map(|_| listener.admit(peer(1), MANY, late).ok()).collect();
    assert_eq!(new.len(), LEAVING_MAX);
    assert_eq!(budget.lock().count, old.len() + LEAVING_MAX);
}

#[test]
fn turns_are_limited_by_peer_and_given_in_rotation() {
    let permits = HandshakePermits::default();
    let limits = limits(3, Some(2));
    let first: Vec<_> = (0..2).map(|_| permits.take(peer(1), limits).now().unwrap()).collect();
    let mut third = pin!(permits.take(peer(1), limits));
    let mut fourth = pin!(permits.take(peer(1), limits));
    assert!(third.as_mut().now().is_none() && fourth.as_mut().now().is_none());
    let other = permits.take(peer(2), limits).now();
    assert!(other.is_some(), "another peer does not wait for the first one");
    let mut last = pin!(permits.take(peer(3), limits));
    assert!(last.as_mut().now().is_none(), "three are at work");
    drop(first);
    let given = third.as_mut().now();
    assert!(given.is_some());
    let rotated = last.as_mut().now();
    assert!(rotated.is_some(), "peers take turns");
    assert!(fourth.as_mut().now().is_none());
    drop(given);
    assert!(fourth.as_mut().now().is_some());
}

#[test]
fn connections_that_gave_up_waiting_are_skipped() {
    let permits = HandshakePermits::default();
    let limits = limits(1, Some(1));
    let first = permits.take(peer(1), limits).now().unwrap();
    {
        let mut gone = pin!(permits.take(peer(1), limits));
        assert!(gone.as_mut().now().is_none());
    }
    let mut waiting = pin!(permits.take(peer(1), limits));
    assert!(waiting.as_mut().now().is_none());
    drop(first);
    assert!(waiting.as_mut().now().is_some());
    assert!(permits.take(peer(1), limits).now().is_some(), "the permit came back");
}

#[test]
fn a_long_handshake_is_wanted_when_somebody_of_the_peer_waits_or_all_are_in_use() {
    let permits = HandshakePermits::default();
    let limits = limits(3, Some(2));
    let taken: Vec<_> = (0..2).map(|_| permits.take(peer(1), limits).now().unwrap()).collect();
    assert!(!permits.is_wanted(peer(1)), "nobody waits");
    let mut same = pin!(permits.take(peer(1), limits));
    assert!(same.as_mut().now().is_none() && permits.is_wanted(peer(1)));
    let other = permits.take(peer(2), limits).now();
    assert!(other.is_some());
    // All three are in use, and the first peer has one waiting, but the second has nothing waiting that could
    // use a permit.
    let mut last = pin!(permits.take(peer(3), limits));
    assert!(
        last.as_mut().now().is_none() && permits.is_wanted(peer(2)),
        "the third peer waits for any of them"
    );
    drop(taken);
    assert!(same.as_mut().now().is_some() && last.as_mut().now().is_some());
}
