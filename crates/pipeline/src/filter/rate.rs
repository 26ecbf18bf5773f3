//! `rate-limit()`: limits the messages per second, for each value of a template.
//!
//! In: messages and the time they were received. Out: those within the rate. Holds: a bucket of tokens for each value.
//! Limits: [`KEYS_MAX`] values; when there are more, all buckets are dropped and start full.

use message::Batch;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use template::{Renderer, Template};

/// Most values with a bucket of their own.
pub(super) const KEYS_MAX: usize = 65_536;

/// The limit and its buckets.
#[derive(Debug)]
pub struct RateLimit {
    key: Arc<Template>,
    per_second: u32,
    buckets: Mutex<HashMap<Vec<u8>, Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    /// Millionths of a message that may pass.
    tokens: u64,
    filled_us: i64,
}

const WHOLE: u64 = 1_000_000;

impl RateLimit {
    /// Makes a limit of `per_second` messages for each value of the template.
    pub fn new(key: Arc<Template>, per_second: u32) -> RateLimit {
        RateLimit { key, per_second, buckets: Mutex::default() }
    }

    /// Returns true when one more message may pass, and takes its token.
    pub(super) fn passes(&self, batch: &Batch, index: usize, renderer: &mut Renderer) -> bool {
        let key = self.key.value(batch, index, renderer);
        let now_us = batch.received.unix_us;
        let full = u64::from(self.per_second) * WHOLE;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= KEYS_MAX && !buckets.contains_key(&*key) {
            buckets.clear();
        }
        let bucket = buckets.entry(key.into_owned()).or_insert(Bucket { tokens: full, filled_us: now_us });
        let passed_us = now_us.saturating_sub(bucket.filled_us).max(0) as u64;
        let fresh = passed_us.saturating_mul(u64::from(self.per_second));
        bucket.tokens = bucket.tokens.saturating_add(fresh).min(full);
        bucket.filled_us = bucket.filled_us.max(now_us);
        let passes = bucket.tokens >= WHOLE;
        if passes {
            bucket.tokens -= WHOLE;
        }
        passes
    }
}
