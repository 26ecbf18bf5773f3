//! Cookies: a peer proves that it receives packets at the address from which it sends.
//!
//! In: address and random number of a hello. Out: its cookie, and whether a cookie is one of ours.
//! Holds: a key of this process, nothing about peers. Limits: a cookie is valid for [`GOOD_FOR_S`] to twice as long.

use aws_lc_rs::hmac;
use std::{
    net::{IpAddr, SocketAddr},
    time::Instant,
};

/// Long enough for a lost hello and its repetitions, short enough that old hellos cannot be said again.
const GOOD_FOR_S: u64 = 60;
/// Half of a hash: it cannot be guessed within a minute.
const HASH_BYTES: usize = 16;

/// A maker of cookies.
pub struct Cookies {
    key: hmac::Key,
    start: Instant,
}

/// A cookie.
pub(super) type Cookie = [u8; HASH_BYTES];

impl Cookies {
    /// Cookies under a fresh secret. Fails when the machine has no random bytes.
    pub fn new(now: Instant) -> Result<Cookies, aws_lc_rs::error::Unspecified> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &aws_lc_rs::rand::SystemRandom::new())?;
        Ok(Cookies { key, start: now })
    }

    /// The cookie of a hello.
    pub fn cookie(&self, peer: SocketAddr, random: &[u8], now: Instant) -> Cookie {
        self.of_minute(peer, random, self.minute(now))
    }

    /// Returns whether a cookie was made for this peer and hello, in this minute or the last one.
    pub fn fits(&self, cookie: &[u8], peer: SocketAddr, random: &[u8], now: Instant) -> bool {
        let minute = self.minute(now);
        [Some(minute), minute.checked_sub(1)].into_iter().flatten().any(|minute| {
            bool::from(subtle::ConstantTimeEq::ct_eq(&self.of_minute(peer, random, minute)[..], cookie))
        })
    }

    fn minute(&self, now: Instant) -> u64 {
        now.duration_since(self.start).as_secs() / GOOD_FOR_S
    }

    fn of_minute(&self, peer: SocketAddr, random: &[u8], minute: u64) -> Cookie {
        let mut context = hmac::Context::with_key(&self.key);
        context.update(&minute.to_be_bytes());
        context.update(&peer.port().to_be_bytes());
        match peer.ip() {
            IpAddr::V4(ip) => context.update(&ip.octets()),
            IpAddr::V6(ip) => context.update(&ip.octets()),
        }
        context.update(random);
        let mut cookie = Cookie::default();
        cookie.copy_from_slice(&context.sign().as_ref()[..HASH_BYTES]);
        cookie
    }
}
