//! Rows for lists in OpenSSL's syntax.

use super::*;
use rustls::{SignatureScheme, crypto::aws_lc_rs};

const SUITES_12: &str = "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305:\
                         ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-CHACHA20-POLY1305";

/// Checks the unknown names of a list, and the suites that rustls then offers, by their standard names.
#[track_caller]
fn suites(list: &str, unknown: &[&str], offered: &str) {
    let mut suites = CipherSuites::default();
    assert_eq!(suites.add(list), unknown);
    let mut provider = aws_lc_rs::default_provider();
    suites.apply(&mut provider);
    let names: Vec<String> =
        provider.cipher_suites.iter().map(|suite| format!("{:?}", suite.suite())).collect();
    assert_eq!(names.join(" "), offered);
}

const OFFERED_13: &str = "TLS13_AES_256_GCM_SHA384 TLS13_AES_128_GCM_SHA256 TLS13_CHACHA20_POLY1305_SHA256";
const OFFERED_12: &str = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 \
                          TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 \
                          TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256";

#[test]
fn a_list_of_suites_narrows_one_version() {
    let all = format!("{OFFERED_13} {OFFERED_12}");
    suites("", &[], &all);
    suites(
        "ecdhe-rsa-aes128-gcm-sha256",
        &[],
        &format!("{OFFERED_13} TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
    );
    suites("TLS_AES_128_GCM_SHA256", &[], &format!("TLS13_AES_128_GCM_SHA256 {OFFERED_12}"));
    suites(
        "TLS_AES_128_GCM_SHA256, ECDHE-ECDSA-CHACHA20-POLY1305",
        &[],
        "TLS13_AES_128_GCM_SHA256 TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    );
    suites("HIGH:!aNULL:-MD5:@STRENGTH", &[], &all);
    suites("ECDHE+AESGCM::", &[], &all);
    suites("ECDHE+AES:RC4-SHA:!ECDHE:MD5", &["ECDHE+AES", "RC4-SHA", "!ECDHE", "MD5"], &all);
}

#[test]
fn the_suites_of_dtls_are_those_of_version_12() {
    for (list, want) in [
        ("", SUITES_12),
        ("TLS_AES_128_GCM_SHA256", SUITES_12),
        ("ECDHE-RSA-AES128-GCM-SHA256:TLS_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"),
    ] {
        let mut suites = CipherSuites::default();
        assert!(suites.is_empty());
        assert_eq!(suites.add(list), [""; 0]);
        assert_eq!((suites.list12().as_str(), suites.is_empty()), (want, list.is_empty()));
    }
}

#[test]
fn groups_have_several_names() {
    for (list, unknown, openssl, offered) in [
        ("prime256v1:X25519", &[][..], "P-256:X25519", "secp256r1 X25519"),
        ("secp384r1, P-384", &[], "P-384", "secp384r1"),
        ("P-256:secp256r1:brainpoolP256r1", &["brainpoolP256r1"], "P-256", "secp256r1"),
    ] {
        let mut groups = KeyExchanges::default();
        assert_eq!(groups.add(list), unknown);
        assert!(!groups.is_empty());
        assert_eq!(groups.list(), openssl);
        let mut provider = aws_lc_rs::default_provider();
        groups.apply(&mut provider);
        let names: Vec<String> =
            provider.kx_groups.iter().map(|group| format!("{:?}", group.name())).collect();
        assert_eq!(names.join(" "), offered, "{list}");
    }
    let none = KeyExchanges::default();
    assert!(none.is_empty());
    assert_eq!(none.list(), "X25519:P-256:P-384");
    let (mut provider, before) = (aws_lc_rs::default_provider(), aws_lc_rs::default_provider());
    none.apply(&mut provider);
    assert_eq!(provider.kx_groups.len(), before.kx_groups.len());
}

#[test]
fn schemes_have_several_names() {
    let mut schemes = Schemes::default();
    assert!(schemes.is_empty() && schemes.allows(SignatureScheme::ED25519));
    assert_eq!(schemes.add("rsa+sha256:RSA_PSS_RSAE_SHA384,?what ?ED25519:none"), ["none"]);
    assert!(!schemes.is_empty());
    assert_eq!(schemes.list(), "RSA+SHA256:RSA_PSS_RSAE_SHA384:ED25519");
    for (scheme, allowed) in [
        (SignatureScheme::RSA_PKCS1_SHA256, true),
        (SignatureScheme::RSA_PSS_SHA384, true),
        (SignatureScheme::ED25519, true),
        (SignatureScheme::RSA_PKCS1_SHA384, false),
        (SignatureScheme::ECDSA_NISTP256_SHA256, false),
    ] {
        assert_eq!(schemes.allows(scheme), allowed, "{scheme:?}");
    }
}
