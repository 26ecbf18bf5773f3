//! `cipher-suite()` and `ecdh-curve-list()` in OpenSSL's names.
//!
//! In: lists as OpenSSL takes them. Out: suites and groups that rustls has; names that it does not have.
//! Limits: a list that leaves no suite is refused; exclusions (`!MD5`) of suites that rustls never had are
//! ignored.

use rustls::{
    SupportedCipherSuite,
    crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs},
};

/// Suites by their OpenSSL names.
const SUITES: &[(&str, SupportedCipherSuite)] = {
    use aws_lc_rs::cipher_suite as suite;
    &[
        ("TLS_AES_256_GCM_SHA384", suite::TLS13_AES_256_GCM_SHA384),
        ("TLS_AES_128_GCM_SHA256", suite::TLS13_AES_128_GCM_SHA256),
        ("TLS_CHACHA20_POLY1305_SHA256", suite::TLS13_CHACHA20_POLY1305_SHA256),
        ("ECDHE-ECDSA-AES256-GCM-SHA384", suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384),
        ("ECDHE-ECDSA-AES128-GCM-SHA256", suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256),
        ("ECDHE-ECDSA-CHACHA20-POLY1305", suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256),
        ("ECDHE-RSA-AES256-GCM-SHA384", suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384),
        ("ECDHE-RSA-AES128-GCM-SHA256", suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256),
        ("ECDHE-RSA-CHACHA20-POLY1305", suite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256),
    ]
};

/// Names that a list may exclude without effect: rustls has nothing of the kind.
const NEVER_THERE: &[&str] = &[
    "ANULL",
    "ENULL",
    "NULL",
    "MD5",
    "RC4",
    "DES",
    "3DES",
    "EXP",
    "EXPORT",
    "LOW",
    "MEDIUM",
    "SSLV2",
    "SSLV3",
    "CAMELLIA",
    "SEED",
    "IDEA",
    "ARIA",
    "PSK",
    "SRP",
    "KRSA",
    "RSA",
    "DSS",
    "ADH",
    "AECDH",
    "DH",
    "SHA1",
    "SHA",
    "COMPLEMENTOFDEFAULT",
];

/// Words for many suites.
const ALL: &[&str] = &["DEFAULT", "ALL", "HIGH", "ECDHE", "EECDH", "KEECDH", "AESGCM", "TLSV1.2"];

/// The suites of `cipher-suite()`; empty is all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CipherSuites(Vec<&'static str>);

impl CipherSuites {
    /// Adds the suites of a list such as `ECDHE-RSA-AES128-GCM-SHA256:!aNULL`. Returns the names that rustls does
    /// not have.
    pub fn add(&mut self, list: &str) -> Vec<String> {
        let mut unknown = Vec::new();
        for word in list.split([':', ',', ' ']).filter(|word| !word.is_empty()) {
            let plain = word.to_ascii_uppercase();
            let excluded = plain.strip_prefix(['!', '-']);
            if excluded.is_some_and(|name| NEVER_THERE.contains(&name)) || plain.starts_with('@') {
                continue;
            }
            let is_family = plain.split('+').all(|part| ALL.contains(&part));
            match SUITES.iter().find(|(name, _)| *name == plain) {
                Some((name, _)) => self.0.push(name),
                None if is_family => self.0.extend(SUITES.iter().map(|(name, _)| *name)),
                None => unknown.push(word.to_owned()),
            }
        }
        unknown
    }

    /// Returns whether no suite was chosen.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The suites of TLS 1.2 and DTLS 1.2, as OpenSSL takes them: the chosen ones, or all when none of these was chosen.
    pub(crate) fn list12(&self) -> String {
        let is12 = |name: &&str| !name.starts_with("TLS_");
        let mut chosen: Vec<&str> = self.0.iter().copied().filter(is12).collect();
        if chosen.is_empty() {
            chosen = SUITES.iter().map(|(name, _)| *name).filter(is12).collect();
        }
        chosen.join(":")
    }

    /// When only suites of one version of TLS were chosen, the other keeps its own.
    pub(in super::super) fn apply(&self, provider: &mut CryptoProvider) {
        let chosen = |suite: &SupportedCipherSuite| {
            let name = SUITES.iter().find(|(_, known)| known.suite() == suite.suite()).map(|(name, _)| *name);
            let same_version =
                self.0.iter().any(|known| known.starts_with("TLS_") == suite.tls13().is_some());
            !same_version || name.is_some_and(|name| self.0.contains(&name))
        };
        provider.cipher_suites.retain(chosen);
    }
}

/// Groups by their OpenSSL names; several names may mean the same.
const GROUPS: &[(&str, &dyn SupportedKxGroup)] = &[
    ("X25519", aws_lc_rs::kx_group::X25519),
    ("PRIME256V1", aws_lc_rs::kx_group::SECP256R1),
    ("SECP256R1", aws_lc_rs::kx_group::SECP256R1),
    ("P-256", aws_lc_rs::kx_group::SECP256R1),
    ("SECP384R1", aws_lc_rs::kx_group::SECP384R1),
    ("P-384", aws_lc_rs::kx_group::SECP384R1),
];

/// The groups of `ecdh-curve-list()`, in order of preference; empty is those of rustls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeyExchanges(Vec<&'static str>);

impl KeyExchanges {
    /// Adds the groups of a list such as `prime256v1:X25519`. Returns the names that rustls does not have.
    pub fn add(&mut self, list: &str) -> Vec<String> {
        let mut unknown = Vec::new();
        for word in list.split([':', ',', ' ']).filter(|word| !word.is_empty()) {
            match GROUPS.iter().find(|(name, _)| *name == word.to_ascii_uppercase()) {
                Some((name, _)) => self.0.push(name),
                None => unknown.push(word.to_owned()),
            }
        }
        unknown
    }

    /// Returns whether no group was chosen.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The groups as OpenSSL takes them, each once.
    pub(crate) fn list(&self) -> String {
        const ALL: &[&str] = &["X25519", "P-256", "P-384"];
        let plain = |name: &&'static str| match *name {
            "PRIME256V1" | "SECP256R1" => "P-256",
            "SECP384R1" => "P-384",
            name => name,
        };
        let mut names: Vec<&str> = Vec::new();
        for name in if self.0.is_empty() { ALL } else { &self.0 }.iter().map(plain) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(":")
    }

    pub(in super::super) fn apply(&self, provider: &mut CryptoProvider) {
        if self.0.is_empty() {
            return;
        }
        let mut groups: Vec<&'static dyn SupportedKxGroup> = Vec::new();
        for name in &self.0 {
            let found = GROUPS.iter().find(|(known, _)| known == name).map(|(_, group)| *group);
            groups.extend(found.filter(|group| groups.iter().all(|have| have.name() != group.name())));
        }
        provider.kx_groups = groups;
    }
}
