//! A server of the language, and how much a request to it holds.
//!
//! In: options of a driver. Out: where the server is, encryption, limits. Holds: nothing.
//! Limits: a unix socket is not encrypted.

use crate::{
    assemble::{lowering::Lowering, options::driver::Options},
    authorities,
};
use config::{Diagnostic, tree::Call};
use outputs::Endpoint;
use std::time::Duration;
use transport::tls::{SenderTls, TlsOptions};

/// Most bytes of a batch unless `batch-bytes()` says otherwise.
const BATCH_BYTES: usize = 8 << 20;

/// How messages are gathered, and how long they are tried.
pub(crate) struct Batches {
    pub(crate) lines: usize,
    pub(crate) bytes: usize,
    pub(crate) wait: Option<Duration>,
    pub(crate) workers: usize,
    pub(crate) retries: Option<u32>,
}

impl<'t> Lowering<'t> {
    /// Returns the server that `host()` and `port()` name.
    pub(crate) fn endpoint(&mut self, options: &Options<'t>, port: u16) -> Option<Endpoint> {
        let host = options.own_text("host").filter(|host| !host.is_empty());
        let host = host.unwrap_or_else(|| "127.0.0.1".to_owned());
        Some(Endpoint {
            tls: self.encryption(options, &host)?,
            port: options.port(["port", "port"], port),
            host,
        })
    }

    /// Parses `tls()`: without authorities of its own it trusts those of the machine, as `http()` does. The name of the
    /// server is always sent (SNI).
    pub(crate) fn encryption(&mut self, options: &Options<'t>, host: &str) -> Option<Option<SenderTls>> {
        let Some(call) = options.own("tls") else { return Some(None) };
        if host.starts_with('/') {
            let message = format!("`tls()` needs a `host()`: {host} is a unix socket of this machine");
            self.report.push(Diagnostic::error(call.span, message));
            return None;
        }
        let tls = self.tls_of(call)?;
        let has_none = tls.ca_file.is_none() && tls.ca_dir.is_none() && tls.pkcs12_file.is_none();
        let ca_file = tls.ca_file.or_else(|| has_none.then(authorities::system).flatten());
        Some(Some(SenderTls::new(TlsOptions { ca_file, sni: true, ..tls })))
    }
}

/// Returns the encryption of an address that asks for it, without `tls()`: the authorities of the machine are trusted.
pub(crate) fn machine_tls() -> SenderTls {
    SenderTls::new(TlsOptions { ca_file: authorities::system(), sni: true, ..TlsOptions::default() })
}

/// Returns how messages are gathered.
pub(crate) fn batches(options: &Options<'_>, lines: usize) -> Batches {
    let number = |name: &str| options.own(name).and_then(Call::number);
    let size =
        |name: &str, default| number(name).and_then(|size| usize::try_from(size).ok()).unwrap_or(default);
    let wait = number("batch-timeout").filter(|ms| *ms > 0);
    Batches {
        lines: size("batch-lines", lines).max(1),
        bytes: size("batch-bytes", BATCH_BYTES),
        wait: wait.map(|ms| Duration::from_millis(ms.unsigned_abs())),
        workers: size("workers", 1).max(1),
        retries: number("retries").and_then(|count| u32::try_from(count).ok()),
    }
}

/// Returns `timeout()`.
pub(crate) fn answer_within(options: &Options<'_>, default: Duration) -> Duration {
    options.seconds("timeout").filter(|wait| !wait.is_zero()).unwrap_or(default)
}
