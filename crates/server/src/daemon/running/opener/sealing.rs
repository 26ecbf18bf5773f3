//! Turns the options of a logspace into those of the `logspace` crate; keys are read here.
//!
//! In: the configuration. Out: options of a logspace. Limits: a logspace whose key cannot be used does not
//! open: nothing is stored differently than configured.

use super::super::super::memory;
use crate::{
    assemble::LogspaceSpec,
    authorities::{self, TrustError},
};
use evidence::{Identity, IdentityError, Keys, Recipient, RecipientError};
use logspace::{Authority, AuthorityError, LogspaceOptions};
use std::{
    fmt,
    path::{self, Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use ureq::Agent;

/// Longest wait for a time-stamp.
const STAMP_TIMEOUT: Duration = Duration::from_secs(30);
/// Largest answer of a time-stamping authority, its certificates included.
const STAMP_BYTES_MAX: u64 = 64 << 10;

/// Fraction of the memory that a segment being built takes at most, unless the configuration sets it: one in
/// this number.
const SEGMENT_SHARE: u64 = 16;
/// Least memory of a segment being built, in bytes: smaller segments compress and search worse.
const SEGMENT_MEMORY_MIN: u64 = 64 << 20;

/// The reasons why the options of a logspace cannot be used.
#[derive(Debug)]
pub(crate) enum SealingError {
    /// A recipient cannot be read.
    Recipient(RecipientError),
    /// The key that opens segments cannot be read.
    DecryptKey { path: PathBuf, source: IdentityError },
    /// The certificates of this machine, which the time-stamping authority's must lead to, cannot be read.
    Trust(TrustError),
}

impl fmt::Display for SealingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SealingError::Recipient(error) => error.fmt(f),
            SealingError::DecryptKey { path, source } => write!(f, "{}: {source}", path.display()),
            SealingError::Trust(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SealingError {}

/// Returns the store's options.
pub(super) fn options(spec: &LogspaceSpec) -> Result<LogspaceOptions, SealingError> {
    let sealing = &spec.sealing;
    let load = |text: &String| Recipient::load(text).map_err(SealingError::Recipient);
    let authority: Option<Arc<dyn Authority>> = match &sealing.timestamp_url {
        Some(url) => Some(Arc::new(Remote::new(url).map_err(SealingError::Trust)?)),
        None => None,
    };
    let defaults = LogspaceOptions::default();
    let keys = match &sealing.decrypt_key {
        Some(path) => {
            let unusable = |source| SealingError::DecryptKey { path: path.clone(), source };
            Keys::of(vec![Identity::load(path, None).map_err(unusable)?])
        }
        None => Keys::default(),
    };
    Ok(LogspaceOptions {
        retention_age: spec.retention_age,
        retention_bytes: spec.retention_bytes,
        legal_hold: spec.legal_hold,
        clock_wait: spec.clock_wait.unwrap_or(defaults.clock_wait),
        segment_memory_max: spec
            .segment_memory
            .unwrap_or_else(|| segment_memory(defaults.segment_memory_max)),
        archive_to: sealing.archive_to.as_deref().map(whole),
        archive_after: sealing.archive_after,
        recipients: sealing.recipients.iter().map(load).collect::<Result<_, _>>()?,
        keys,
        sign_key: sealing.sign_key.as_deref().map(whole),
        authority,
        timestamp_gap: sealing.timestamp_gap,
        recode: sealing.recode,
        recode_after: sealing.recode_after.unwrap_or(defaults.recode_after),
        age_after: sealing.age_after,
        scrub_bytes_a_second: sealing.scrub_bytes_a_second.unwrap_or(defaults.scrub_bytes_a_second),
        ..defaults
    })
}

/// Makes a path absolute, so that it does not depend on the current folder.
fn whole(path: &Path) -> PathBuf {
    // An empty path is an error where it is used.
    path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns the default memory of a segment being built, in bytes.
fn segment_memory(usual: u64) -> u64 {
    let share = memory::usable_bytes().map(|bytes| bytes / SEGMENT_SHARE);
    share.map_or(usual, |share| share.clamp(SEGMENT_MEMORY_MIN, usual))
}

/// A time-stamping authority at an HTTP address.
#[derive(Debug)]
struct Remote {
    agent: Agent,
    url: String,
}

impl Remote {
    fn new(url: &str) -> Result<Remote, TrustError> {
        let tls = authorities::trusted(None)?;
        let config = Agent::config_builder().timeout_global(Some(STAMP_TIMEOUT)).tls_config(tls);
        Ok(Remote { agent: config.build().into(), url: url.to_owned() })
    }
}

impl Authority for Remote {
    fn ask(&self, request: &[u8]) -> Result<Vec<u8>, AuthorityError> {
        let failed = |error: ureq::Error| AuthorityError { url: self.url.clone(), source: error.into() };
        let post = self.agent.post(&self.url).header("content-type", "application/timestamp-query");
        let mut answer = post.send(request).map_err(failed)?;
        answer.body_mut().with_config().limit(STAMP_BYTES_MAX).read_to_vec().map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    //! Tests that a request goes out over HTTP, and that the answer comes back unchanged.

    use super::*;
    use std::{
        io::{Read, Write},
        net::TcpListener,
        thread,
    };

    #[test]
    fn authorities_are_asked_over_http() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            let (mut peer, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\x30\x01\x02") {
                let mut bytes = [0; 512];
                let count = peer.read(&mut bytes).unwrap();
                assert!(count > 0, "the request is too short");
                request.extend_from_slice(&bytes[..count]);
            }
            peer.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\n\0\xffok")
                .unwrap();
            String::from_utf8_lossy(&request).to_lowercase()
        });
        let authority = Remote::new(&format!("http://{address}/tsr")).unwrap();
        assert_eq!(authority.ask(b"\x30\x01\x02").unwrap(), b"\0\xffok");
        let request = server.join().unwrap();
        assert!(
            request.starts_with("post /tsr") && request.contains("application/timestamp-query"),
            "{request}"
        );
        assert!(authority.ask(b"x").is_err(), "nobody listens any more");
    }
}
