//! The certificate of the page: read at each reload, checked for its expiry.
//!
//! In: `options { page(tls(...)); }`. Out: the TLS settings that new connections get, warnings before the
//! certificate expires and when it has. Holds: the settings. Limits: an expired certificate is not an error:
//! browsers and our log report it.

use crate::assemble::PageSpec;
use api::{Limits, Policy};
use jiff::Timestamp;
use message::Severity;
use rustls::ServerConfig;
use std::{
    net::SocketAddr,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use transport::{
    InternalLog,
    tls::{ServerTls, TlsError, dns_names, lifetime},
};

/// Time before its expiry at which a certificate is first reported.
const WARN_BEFORE_S: i64 = 14 * 86_400;

/// The page's TLS, as it is now.
#[derive(Default)]
pub(crate) struct PageTls(Mutex<Present>);

#[derive(Default)]
struct Present {
    spec: PageSpec,
    config: Option<Arc<ServerConfig>>,
    was_taken: bool,
}

impl PageTls {
    /// Reads certificate and key.
    pub(super) fn load(spec: &PageSpec) -> Result<Option<Arc<ServerConfig>>, TlsError> {
        let Some(options) = &spec.tls else { return Ok(None) };
        let tls = ServerTls::load(options)?;
        let mut config = ServerConfig::clone(tls.config());
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Some(Arc::new(config)))
    }

    /// Takes the settings that new connections get from now on.
    pub(super) fn take(&self, mut spec: PageSpec, config: Option<Arc<ServerConfig>>, log: &InternalLog) {
        if let Some(file) = spec.tls.as_ref().and_then(|tls| tls.cert_file.as_deref()) {
            let mut policy = Policy::clone(&spec.policy);
            // The file was read just now, with its key; without its names callers use the machine's.
            policy.allowed_hosts.extend(dns_names(file).unwrap_or_default());
            spec.policy = Arc::new(policy);
        }
        {
            let mut present = self.present();
            if present.was_taken && present.spec.redirects != spec.redirects {
                log.write(Severity::WARNING, "Addresses in redirect-from() change at the next start;");
            }
            if present.was_taken && present.spec.limits != spec.limits {
                log.write(Severity::WARNING, "Memory and exports of page() change at the next start;");
            }
            *present = Present { spec, config, was_taken: true };
        }
        self.watch(log);
    }

    /// Reports a certificate that has expired or will soon.
    pub(super) fn watch(&self, log: &InternalLog) {
        let file = self.present().spec.tls.as_ref().and_then(|tls| tls.cert_file.clone());
        let Some(file) = file else { return };
        // A file that cannot be read any more is reported at the next reload.
        if let Ok(Some(times)) = lifetime(&file) {
            report(&file, times, Timestamp::now().as_second(), log);
        }
    }

    /// Returns the present TLS settings.
    pub(crate) fn config(&self) -> Option<Arc<ServerConfig>> {
        self.present().config.clone()
    }

    /// Returns the policy for calls.
    pub(crate) fn policy(&self) -> Arc<Policy> {
        self.present().spec.policy.clone()
    }

    /// Returns the limits of searches and exports: as configured, else those of the machine.
    pub(crate) fn limits(&self, machine: Limits) -> Limits {
        self.present().spec.limits.over(machine)
    }

    /// Returns the addresses that redirect callers.
    pub(crate) fn redirects(&self) -> Vec<SocketAddr> {
        self.present().spec.redirects.clone()
    }

    fn present(&self) -> MutexGuard<'_, Present> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn report(file: &Path, (begin, end): (i64, i64), now: i64, log: &InternalLog) {
    let shown = |second: i64| Timestamp::from_second(second).map(|time| time.to_string()).unwrap_or_default();
    let file = file.display();
    if now > end {
        let end = shown(end);
        log.write(
            Severity::ERROR,
            &format!("The certificate of the page has expired; file='{file}', not_after='{end}'"),
        );
    } else if now < begin {
        let begin = shown(begin);
        log.write(
            Severity::ERROR,
            &format!("The certificate of the page is not valid yet; file='{file}', not_before='{begin}'"),
        );
    } else if end - now < WARN_BEFORE_S {
        let (end, days) = (shown(end), (end - now) / 86_400);
        log.write(
            Severity::WARNING,
            &format!(
                "The certificate of the page expires soon; file='{file}', not_after='{end}', days='{days}'"
            ),
        );
    }
}

#[cfg(test)]
mod tests;
