//! Connections of some addresses that come, work and make room.

use super::*;
use futures_util::FutureExt;
use std::time::Duration;

const LIMITS: ConnectionLimits = ConnectionLimits { total: 8, per_address: 4 };
const A: Address = [1; 16];
const B: Address = [2; 16];
const C: Address = [3; 16];

fn is_closed(registration: &Registration) -> bool {
    registration.closed().now_or_never().is_some()
}

/// Connections of an address, a second apart.
fn come(
    table: &Arc<Table>,
    address: Address,
    start: Instant,
    seconds: std::ops::Range<u64>,
) -> Vec<Arc<Registration>> {
    let registration = |second| table.admit(address, Origin::Caller, start + Duration::from_secs(second));
    seconds.map(|second| registration(second).unwrap()).collect()
}

#[test]
fn h6_an_address_with_too_many_loses_its_oldest() {
    let (table, start) = (Table::new(LIMITS), Instant::now());
    let other = come(&table, B, start, 0..1);
    let places = come(&table, A, start, 1..7);
    let closed: Vec<bool> = places.iter().map(|registration| is_closed(registration)).collect();
    assert_eq!(closed, [true, true, false, false, false, false]);
    assert!(!is_closed(&other[0]));
    drop(places);
    assert_eq!(table.open().entries.len(), 1);
}

#[test]
fn h6_the_address_with_the_most_makes_room() {
    let (table, start) = (Table::new(LIMITS), Instant::now());
    let own = come(&table, B, start, 0..1);
    let flood = come(&table, A, start, 1..5);
    let more = come(&table, C, start, 5..8);
    let _late = come(&table, B, start, 9..10);
    let closed = flood.iter().chain(&more).chain(&own).filter(|registration| is_closed(registration));
    assert!(closed.count() == 1 && !is_closed(&flood[1]), "the oldest of A was closed");
    assert_eq!(table.open().entries.len(), 8);
}

#[test]
fn h6_requests_of_users_keep_their_place() {
    let (table, start) = (Table::new(LIMITS), Instant::now());
    let places = come(&table, A, start, 0..4);
    let requests: Vec<Arc<InRequest>> =
        places.iter().map(|registration| registration.request(start)).collect();
    requests.iter().for_each(|request| request.protect());
    requests.iter().for_each(|request| request.protect());
    assert!(table.admit(A, Origin::Caller, start).is_none());
    assert!(table.admit(A, Origin::Proxy, start).is_some(), "a proxy has more than one caller");
    drop(requests);
    assert!(table.admit(A, Origin::Caller, start).is_some());
    assert!(is_closed(&places[0]) || places.iter().any(|registration| is_closed(registration)));
    // A request without a user does not protect, but makes its connection younger.
    let table = Table::new(LIMITS);
    let places = come(&table, A, start, 0..4);
    let _request = places[0].request(start + Duration::from_secs(10));
    let _new = come(&table, A, start, 5..6);
    assert!(!is_closed(&places[0]) && is_closed(&places[1]));
}

#[test]
fn h6_limits_follow_the_descriptors() {
    let of = |descriptors| {
        let limits = ConnectionLimits::of_descriptors(descriptors);
        (limits.total, limits.per_address)
    };
    assert_eq!([of(64), of(1_024), of(1 << 20)], [(32, 16), (256, 128), (4_096, 2_048)]);
    let table = Table::new(LIMITS);
    table.relieve();
    let places = come(&table, A, Instant::now(), 0..2);
    table.relieve();
    assert!(is_closed(&places[0]) && !is_closed(&places[1]));
}
