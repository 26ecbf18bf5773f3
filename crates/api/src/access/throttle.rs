//! Limits attempts to guess a password.
//!
//! In: attempts, with the time as an argument. Out: an attempt, already counted, or how long to wait.
//! Holds: failures by address and user, by address, and by user, under keyed hashes: no name or address is stored.
//! Pairs of an address and a user that logged in before are limited only by their own counter, so that no one can
//! lock a user out of an address where they usually log in.
//! Limits: [`COUNTERS_MAX`] counters, forgotten after [`FORGET_AFTER`] without a failure. When all are in use, new ones
//! share 256 counters by the larger network that they come from. [`KNOWN_MAX`] pairs are remembered.

use aws_lc_rs::hmac;
use message::{masked_address, peer_network};
use std::{
    collections::HashMap,
    net::IpAddr,
    time::{Duration, Instant},
};

/// Most counters at once: three for each address and user that failed within [`FORGET_AFTER`].
const COUNTERS_MAX: usize = 50_000;
/// Failures are forgotten this long after the last one.
const FORGET_AFTER: Duration = Duration::from_secs(900);
/// Most pairs of an address and a user that logged in.
const KNOWN_MAX: usize = 10_000;
/// Time for which a log-in makes an address known for its user.
const KNOWN_FOR: Duration = Duration::from_secs(30 * 86_400);
/// Pause between two searches for counters to forget: each examines all of them.
const SWEEP_PAUSE: Duration = Duration::from_secs(1);

/// Failures that cost nothing, and the longest wait after more of them: each doubles it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) free: u32,
    pub(crate) wait_max: Duration,
}

/// One user from one address: a client that guesses a password.
pub(crate) const PAIR: Rule = Rule { free: 5, wait_max: FORGET_AFTER };
/// All users from one address: a client that tries one password with many names. An office has one address
/// too, so the wait stays short.
pub(crate) const ADDRESS: Rule = Rule { free: 20, wait_max: Duration::from_secs(60) };
/// One user from all addresses where they never logged in: a guess from many machines. It is slowed down, never
/// stopped, as that would lock the user out.
pub(crate) const USER: Rule = Rule { free: 50, wait_max: Duration::from_secs(30) };
/// Everybody of one larger network, when there is no counter left.
pub(crate) const SHARED: Rule = Rule { free: 5, wait_max: Duration::from_secs(10) };

/// A keyed hash of what is counted.
type Tag = [u8; 16];

/// The counter of an attempt: its own, or one shared by a larger network.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Own(Tag),
    Shared(u8),
}

#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    last: Instant,
}

impl Failures {
    fn count(&self, now: Instant) -> u32 {
        if now.saturating_duration_since(self.last) > FORGET_AFTER { 0 } else { self.count }
    }

    fn wait(&self, rule: Rule, now: Instant) -> Option<Duration> {
        let over = self.count(now).checked_sub(rule.free)?;
        let wait = Duration::from_secs(1 << over.min(20)).min(rule.wait_max);
        wait.checked_sub(now.saturating_duration_since(self.last)).filter(|left| !left.is_zero())
    }
}

/// An attempt that counts as failed until it succeeds.
#[derive(Debug)]
pub(crate) struct Attempt {
    pair: Tag,
    slots: Vec<Slot>,
}

/// The counters.
pub(crate) struct Throttle {
    key: hmac::Key,
    failures: HashMap<Tag, Failures>,
    shared: HashMap<u8, Failures>,
    known: HashMap<Tag, Instant>,
    swept: Option<Instant>,
    counters_max: usize,
}

impl Throttle {
    /// Makes a throttle with keyed hashes, so that collisions cannot be planned.
    pub(crate) fn new(key: hmac::Key) -> Throttle {
        Throttle {
            key,
            failures: HashMap::new(),
            shared: HashMap::new(),
            known: HashMap::new(),
            swept: None,
            counters_max: COUNTERS_MAX,
        }
    }

    /// Counts an attempt before it is made; fails with the time to wait first.
    pub(crate) fn begin(&mut self, client: IpAddr, user: &str, now: Instant) -> Result<Attempt, Duration> {
        let (prefix, network) = (peer_network(client), network(client));
        let pair = self.tag(&[b"pair", &prefix, user.as_bytes()]);
        let is_known = self.known.get(&pair).is_some_and(|at| now.saturating_duration_since(*at) < KNOWN_FOR);
        let mut keys = vec![(pair, PAIR)];
        if !is_known {
            keys.push((self.tag(&[b"address", &prefix]), ADDRESS));
            keys.push((self.tag(&[b"user", user.as_bytes()]), USER));
        }
        self.sweep(now);
        let shared = self.tag(&[b"network", &network])[0];
        let free = self.counters_max.saturating_sub(self.failures.len());
        let has_room = free >= keys.iter().filter(|(tag, _)| !self.failures.contains_key(tag)).count();
        // Known pairs always have a slot: there are few.
        let slot = |tag: Tag| match has_room || is_known || self.failures.contains_key(&tag) {
            true => Slot::Own(tag),
            false => Slot::Shared(shared),
        };
        let slots: Vec<(Slot, Rule)> = keys.iter().map(|(tag, rule)| (slot(*tag), *rule)).collect();
        let wait = slots.iter().filter_map(|(slot, rule)| match slot {
            Slot::Own(tag) => self.failures.get(tag)?.wait(*rule, now),
            Slot::Shared(number) => self.shared.get(number)?.wait(SHARED, now),
        });
        if let Some(wait) = wait.max() {
            return Err(wait);
        }
        let mut slots: Vec<Slot> = slots.into_iter().map(|(slot, _)| slot).collect();
        // One attempt counts once in the shared counters.
        let mut is_first = true;
        slots.retain(|slot| matches!(slot, Slot::Own(_)) || std::mem::take(&mut is_first));
        for slot in &slots {
            let none = Failures { count: 0, last: now };
            let failures = match slot {
                Slot::Own(tag) => self.failures.entry(*tag).or_insert(none),
                Slot::Shared(number) => self.shared.entry(*number).or_insert(none),
            };
            *failures = Failures { count: failures.count(now).saturating_add(1), last: now };
        }
        Ok(Attempt { pair, slots })
    }

    /// Takes an attempt back: the password was right. The pair's failures are forgotten; those of others at the same
    /// address or with the same name are not, or one right password would pay for many wrong ones.
    pub(crate) fn succeeded(&mut self, attempt: &Attempt, now: Instant) {
        self.forgive(attempt);
        self.failures.remove(&attempt.pair);
        if self.known.len() >= KNOWN_MAX && !self.known.contains_key(&attempt.pair) {
            let oldest = self.known.iter().min_by_key(|(_, at)| **at).map(|(tag, _)| *tag);
            oldest.map(|tag| self.known.remove(&tag));
        }
        self.known.insert(attempt.pair, now);
    }

    /// Takes an attempt back: no password was checked.
    pub(crate) fn forgive(&mut self, attempt: &Attempt) {
        for slot in &attempt.slots {
            let failures = match slot {
                Slot::Own(tag) => self.failures.get_mut(tag),
                Slot::Shared(number) => self.shared.get_mut(number),
            };
            if let Some(failures) = failures {
                failures.count = failures.count.saturating_sub(1);
            }
        }
    }

    /// Removes old counters when all are in use.
    fn sweep(&mut self, now: Instant) {
        let is_due = self.swept.is_none_or(|at| now.saturating_duration_since(at) >= SWEEP_PAUSE);
        if is_due && self.failures.len() + 3 > self.counters_max {
            self.swept = Some(now);
            self.failures.retain(|_, failures| failures.count(now) > 0);
        }
    }

    fn tag(&self, parts: &[&[u8]]) -> Tag {
        keyed_tag(&self.key, parts)
    }
}

/// Returns the first `N` bytes, 32 at most, of the keyed hash of parts, each with its length: no two lists of parts
/// yield the same input.
pub(crate) fn keyed_tag<const N: usize>(key: &hmac::Key, parts: &[&[u8]]) -> [u8; N] {
    let mut context = hmac::Context::with_key(key);
    for part in parts {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part);
    }
    let mut tag = [0; N];
    tag.iter_mut().zip(context.sign().as_ref()).for_each(|(to, from)| *to = *from);
    tag
}

/// The larger network of an address: 16 bits of IPv4, 32 of IPv6.
fn network(client: IpAddr) -> [u8; 16] {
    match client.to_canonical() {
        IpAddr::V4(_) => masked_address(client, 96 + 16),
        IpAddr::V6(_) => masked_address(client, 32),
    }
}

#[cfg(test)]
mod tests;
