//! `tls()` of sources, destinations and the page.
//!
//! In: the option. Out: [`TlsOptions`]. Holds: nothing. Limits: options that rustls lacks are an error at its place;
//! names of a list that it lacks are a warning as long as others of the list remain.

use super::{lowering::Lowering, options::driver::Options};
use crate::authorities;
use config::Diagnostic;
use config::tree::{Arg, Call};
use std::path::PathBuf;
use transport::tls::{CipherSuites, Fingerprint, KeyExchanges, PeerVerify, Schemes, TlsOptions, TlsVersions};

impl<'t> Lowering<'t> {
    /// Parses `tls()`. None after an error, which is in the report.
    pub(crate) fn tls(&mut self, options: &Options<'t>) -> Option<TlsOptions> {
        let Some(call) = options.own("tls") else {
            let message = "an encrypted transport needs tls() with the certificates";
            self.report.push(Diagnostic::error(options.call.name.span, message));
            return None;
        };
        self.tls_of(call)
    }

    /// Parses `tls()` of a source: clients have no stapled answer of their CA.
    pub(crate) fn listener_tls(&mut self, options: &Options<'t>) -> Option<TlsOptions> {
        let tls = self.tls(options)?;
        if tls.checks_stapled {
            let written = options.own("tls").and_then(|call| call.option("ocsp-stapling-verify"));
            let span = written.map_or(options.call.span, |option| option.span);
            let message =
                "`ocsp-stapling-verify()` has no effect in a source: servers show OCSP answers, not clients";
            self.report.push(Diagnostic::warning(span, message));
        }
        Some(tls)
    }

    /// The options inside of `tls()`.
    pub(crate) fn tls_of(&mut self, call: &Call) -> Option<TlsOptions> {
        let inside = |name: &str| call.options().filter(|option| option.key() == name).last();
        let path =
            |name: &str| inside(name).and_then(text).filter(|path| !path.is_empty()).map(PathBuf::from);
        let yes = |name: &str| inside(name).and_then(Call::truth).unwrap_or(false);
        let suites = self.suites(inside("cipher-suite"))?;
        let key_exchanges = self.key_exchanges(inside("ecdh-curve-list").or_else(|| inside("curve-list")))?;
        Some(TlsOptions {
            peer_verify: peer_verify(inside("peer-verify").and_then(text).as_deref()),
            ca_file: path("ca-file")
                .or_else(|| yes("use-system-cert-store").then(authorities::system).flatten()),
            ca_dir: path("ca-dir"),
            crl_dir: path("crl-dir"),
            cert_file: path("cert-file"),
            key_file: path("key-file"),
            pkcs12_file: path("pkcs12-file"),
            trusted_dn: inside("trusted-dn").map(Call::texts).unwrap_or_default(),
            fingerprints: self.fingerprints(call)?,
            sni: yes("sni"),
            suites,
            key_exchanges,
            schemes: self.schemes(inside("sigalgs"))?,
            client_schemes: self.schemes(inside("client-sigalgs"))?,
            checks_stapled: yes("ocsp-stapling-verify"),
            versions: match inside("ssl-version").and_then(text).and_then(|word| only_version(&word)) {
                Some(versions) => versions,
                None => self.versions(inside("ssl-options"))?,
            },
            checks_key_usage: yes("extended-key-usage-verify"),
            protocols: Vec::new(),
            keylog_file: path("keylog-file"),
            passwords: self.environment.passwords.clone(),
        })
    }

    /// Parses `tls()` of `transport(dtls)`: the same options with the same meaning, except those that DTLS
    /// does not have.
    pub(crate) fn dtls(&mut self, options: &Options<'t>) -> Option<TlsOptions> {
        let tls = self.tls(options)?;
        if tls.versions == TlsVersions::Only13 {
            let written = options
                .own("tls")
                .and_then(|call| call.options().find(|option| option.key() == "ssl-options"));
            let span = written.map_or(options.call.span, |option| option.span);
            let message = "no version of DTLS is left: only 1.2 is spoken";
            self.report.push(Diagnostic::error(span, message).help("take no-tlsv12 out"));
            return None;
        }
        let inside = |name: &str| options.own("tls").and_then(|call| call.option(name));
        if !tls.client_schemes.is_empty() || tls.checks_stapled {
            let name = if tls.checks_stapled { "ocsp-stapling-verify" } else { "client-sigalgs" };
            let span = inside(name).map_or(options.call.span, |option| option.span);
            let message = format!("`{name}()` is for TLS: DTLS has no such setting here");
            self.report.push(Diagnostic::error(span, message));
            return None;
        }
        let failback =
            options.own("failover").and_then(|call| call.options().find(|option| option.key() == "failback"));
        if let Some(failback) = failback {
            let message =
                "`failback()` looks for the first receiver over TCP: it cannot be used with transport(dtls)";
            self.report.push(Diagnostic::error(failback.span, message));
            return None;
        }
        Some(tls)
    }

    fn fingerprints(&mut self, call: &Call) -> Option<Vec<Fingerprint>> {
        let named = |option: &&Call| matches!(option.key().as_str(), "trusted-keys" | "trusted-fingerprints");
        let mut list = Vec::new();
        for option in call.options().filter(named) {
            for text in option.texts() {
                match text.parse::<Fingerprint>() {
                    Ok(fingerprint) => list.push(fingerprint),
                    Err(error) => {
                        self.report.push(Diagnostic::error(option.span, error.to_string()));
                        return None;
                    }
                }
            }
        }
        Some(list)
    }

    /// `cipher-suite("...")`, `cipher-suite(tls12-and-older("...") tls13("..."))`
    fn suites(&mut self, option: Option<&Call>) -> Option<CipherSuites> {
        let mut suites = CipherSuites::default();
        let Some(option) = option else { return Some(suites) };
        let lists = option.options().flat_map(Call::texts);
        let own = option.plain().filter_map(|arg| arg.text().map(str::to_owned));
        let unknown: Vec<String> = lists.chain(own).flat_map(|list| suites.add(&list)).collect();
        self.known_names(option, &unknown, suites, CipherSuites::is_empty)
    }

    fn key_exchanges(&mut self, option: Option<&Call>) -> Option<KeyExchanges> {
        let mut groups = KeyExchanges::default();
        let Some(option) = option else { return Some(groups) };
        let unknown = groups.add(&text(option).unwrap_or_default());
        self.known_names(option, &unknown, groups, KeyExchanges::is_empty)
    }

    fn schemes(&mut self, option: Option<&Call>) -> Option<Schemes> {
        let mut schemes = Schemes::default();
        let Some(option) = option else { return Some(schemes) };
        let unknown = schemes.add(&text(option).unwrap_or_default());
        self.known_names(option, &unknown, schemes, Schemes::is_empty)
    }

    /// Reports names that rustls does not have. Returns the list of the others, unless there is none.
    fn known_names<T>(
        &mut self,
        option: &Call,
        unknown: &[String],
        known: T,
        is_empty: fn(&T) -> bool,
    ) -> Option<T> {
        if unknown.is_empty() {
            return Some(known);
        }
        let message = format!("`{}()`: not supported here: {}", option.name.text, unknown.join(", "));
        if is_empty(&known) {
            self.report.push(Diagnostic::error(option.span, message));
            return None;
        }
        self.report.push(Diagnostic::warning(option.span, message));
        Some(known)
    }

    fn versions(&mut self, option: Option<&Call>) -> Option<TlsVersions> {
        let words = option.map(Call::texts).unwrap_or_default();
        let has = |wanted: &str| words.iter().any(|word| word.replace('_', "-").eq_ignore_ascii_case(wanted));
        match (has("no-tlsv12"), has("no-tlsv13")) {
            (false, false) => Some(TlsVersions::Both),
            (true, false) => Some(TlsVersions::Only13),
            (false, true) => Some(TlsVersions::Only12),
            (true, true) => {
                let span = option.map(|option| option.span).unwrap_or_default();
                self.report
                    .push(Diagnostic::error(span, "no version of TLS is left: only 1.2 and 1.3 are spoken"));
                None
            }
        }
    }
}

fn text(option: &Call) -> Option<String> {
    option.args.first().and_then(Arg::text).map(str::to_owned)
}

/// Parses `ssl-version()`: versions before 1.2 are not supported.
fn only_version(word: &str) -> Option<TlsVersions> {
    match word.replace('_', "-").to_ascii_lowercase().as_str() {
        "default" => None,
        "tlsv1-3" => Some(TlsVersions::Only13),
        _ => Some(TlsVersions::Only12),
    }
}

fn peer_verify(word: Option<&str>) -> PeerVerify {
    match word.map(|word| word.replace('_', "-").to_ascii_lowercase()).as_deref() {
        Some("required-untrusted") => PeerVerify::RequiredUntrusted,
        Some("optional-trusted") => PeerVerify::OptionalTrusted,
        Some("optional-untrusted" | "no") => PeerVerify::OptionalUntrusted,
        _ => PeerVerify::RequiredTrusted,
    }
}
