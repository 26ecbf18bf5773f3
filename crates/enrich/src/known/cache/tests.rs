//! What is held, and for how long.

use super::*;
use crate::values::{Gathering, Naming};
use message::ValueKind;

const SECOND: Duration = Duration::from_secs(1);

fn limits(bytes_max: usize) -> CacheLimits {
    CacheLimits { bytes_max, expire: 10 * SECOND, expire_missing: 5 * SECOND, expire_stale: 30 * SECOND }
}

fn values(size: usize) -> Answer {
    let naming = Naming { prefix: String::new(), single: "value".to_owned() };
    let mut gathering = Gathering::new(&naming);
    gathering.set(b"a", &vec![b'x'; size], ValueKind::String);
    Answer::Values(Arc::new(gathering.finish()))
}

#[test]
fn what_is_used_stays_and_memory_is_bounded() {
    let (mut cache, limits, now) = (Cache::default(), limits(20_000), Instant::now());
    for number in 0..10_000_u32 {
        cache.put(&number.to_le_bytes(), Entry { found: values(100), at: now }, &limits);
        assert!(cache.get(&0_u32.to_le_bytes(), &limits).is_some(), "{number}");
        assert!(cache.bytes() <= limits.bytes_max);
    }
    assert!(cache.get(&9_999_u32.to_le_bytes(), &limits).is_some());
    assert!(cache.get(&5_000_u32.to_le_bytes(), &limits).is_none());
    // The sums are those of what is there.
    let sum: usize = cache.young.iter().chain(&cache.old).map(|(key, entry)| entry.bytes(key)).sum();
    assert_eq!(cache.bytes(), sum);
}

#[test]
fn an_answer_replaces_an_older_one() {
    let (mut cache, limits, now) = (Cache::default(), limits(1000), Instant::now());
    for found in [values(1), Answer::Missing, Answer::Refused, values(2)] {
        cache.put(b"k", Entry { found: found.clone(), at: now }, &limits);
        assert_eq!(cache.get(b"k", &limits).map(|entry| entry.found), Some(found));
        assert_eq!(cache.young.len() + cache.old.len(), 1);
    }
    // One that is larger than half of all is not held, and neither is what it replaces.
    cache.put(b"k", Entry { found: values(600), at: now }, &limits);
    assert!(cache.get(b"k", &limits).is_none() && cache.bytes() == 0);
}

#[track_caller]
fn check_age(found: Answer, seconds: u32, fresh: bool, usable: bool) {
    let (limits, at) = (limits(1000), Instant::now());
    let (entry, now) = (Entry { found, at }, at + seconds * SECOND);
    assert_eq!((entry.is_fresh(&limits, now), entry.is_usable(&limits, now)), (fresh, usable));
}

#[test]
fn answers_grow_old() {
    check_age(values(1), 9, true, true);
    check_age(values(1), 10, false, true);
    check_age(values(1), 29, false, true);
    check_age(values(1), 30, false, false);
    check_age(Answer::Missing, 4, true, true);
    check_age(Answer::Missing, 5, false, true);
    check_age(Answer::Refused, 4, true, false);
    check_age(Answer::Refused, 5, false, false);
}
