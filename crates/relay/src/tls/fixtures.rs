//! Certificates for the tests of TLS and DTLS, and what both must say of peers.
//!
//! In: how one of them shakes hands. Out: rows that hold for it. Holds: certificates in a folder, made for each test.
//! Limits: none.

use super::*;
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, IsCa, Issuer, KeyIdMethod, KeyPair, KeyUsagePurpose, RevokedCertParams,
    SerialNumber, date_time_ymd,
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// What a server and a client say of a handshake, and of a text that the client sends to a host.
pub(crate) type Shake = fn(&TlsOptions, &TlsOptions, &str) -> (String, String);

pub(crate) const GOOD: (&str, &str) = ("open hello", "open");
pub(crate) const UNKNOWN_CA: &str =
    "the certificate of the peer is not signed by a CA in ca-file() or ca-dir()";

/// Certificates in a folder: `ca`, and what it signs under the names given to `issue`.
pub(crate) struct Pki {
    pub(crate) folder: TempDir,
    issuer: Issuer<'static, KeyPair>,
}

impl Pki {
    pub(crate) fn new() -> Pki {
        let folder = tempfile::tempdir().unwrap();
        let (issuer, text) = authority(&folder.path().display().to_string());
        fs::write(folder.path().join("ca.pem"), text).unwrap();
        let pki = Pki { folder, issuer };
        pki.issue("server", &["logs.example"], |_| {});
        pki.issue("client", &["client.example"], |_| {});
        pki
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A certificate of the CA and its key: `NAME.pem` and `NAME.key`.
    pub(crate) fn issue(&self, name: &str, hosts: &[&str], change: impl Fn(&mut CertificateParams)) {
        let mut params = params(name, hosts);
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        fs::write(self.path(&format!("{name}.pem")), certificate.pem()).unwrap();
        fs::write(self.path(&format!("{name}.key")), key.serialize_pem()).unwrap();
    }

    /// The certificate that the CA makes of some parameters, in PEM.
    pub(crate) fn sign(&self, params: &CertificateParams, key: &KeyPair) -> String {
        params.signed_by(key, &self.issuer).unwrap().pem()
    }

    /// A list on which the certificate of that name is revoked.
    pub(crate) fn revoke(&self, name: &str, path: &Path) {
        let list = CertificateRevocationListParams {
            this_update: date_time_ymd(2024, 1, 1),
            next_update: date_time_ymd(4000, 1, 1),
            crl_number: SerialNumber::from(1),
            issuing_distribution_point: None,
            revoked_certs: vec![RevokedCertParams {
                serial_number: SerialNumber::from_slice(name.as_bytes()),
                revocation_time: date_time_ymd(2024, 1, 1),
                reason_code: None,
                invalidity_date: None,
            }],
            key_identifier_method: KeyIdMethod::Sha256,
        };
        fs::write(path, list.signed_by(&self.issuer).unwrap().pem().unwrap()).unwrap();
    }

    pub(crate) fn options(&self, name: &str) -> TlsOptions {
        TlsOptions {
            cert_file: Some(self.path(&format!("{name}.pem"))),
            key_file: Some(self.path(&format!("{name}.key"))),
            ca_file: Some(self.path("ca.pem")),
            ..TlsOptions::default()
        }
    }

    pub(crate) fn anonymous(&self) -> TlsOptions {
        TlsOptions { ca_file: Some(self.path("ca.pem")), ..TlsOptions::default() }
    }
}

pub(super) fn params(name: &str, hosts: &[&str]) -> CertificateParams {
    let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
    let mut params = CertificateParams::new(hosts).unwrap();
    let mut dn = DistinguishedName::new();
    dn.push(DnType::CountryName, "HU");
    dn.push(DnType::OrganizationName, "Example, Inc");
    dn.push(DnType::OrganizationalUnitName, "Logs");
    dn.push(DnType::CommonName, name);
    params.distinguished_name = dn;
    params.serial_number = Some(SerialNumber::from_slice(name.as_bytes()));
    params
}

fn authority(name: &str) -> (Issuer<'static, KeyPair>, String) {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let key = KeyPair::generate().unwrap();
    let text = params.self_signed(&key).unwrap().pem();
    (Issuer::new(params, key), text)
}

#[track_caller]
fn check(shake: Shake, server: &TlsOptions, client: &TlsOptions, host: &str, want: (&str, &str)) {
    let (server, client) = shake(server, client, host);
    assert_eq!((server.as_str(), client.as_str()), want);
}

/// Clients that are not trusted, and those that need not be. `wants` is what a client without a certificate is told.
pub(crate) fn wrong_clients(shake: Shake, wants: &str) {
    let pki = Pki::new();
    let server = pki.options("server");
    let check = |server: &TlsOptions, client: &TlsOptions, want| {
        check(shake, server, client, "logs.example", want);
    };
    let none = "the peer shows no certificate, and peer-verify() requires one";
    check(&server, &pki.anonymous(), (none, wants));
    let optional = TlsOptions { peer_verify: PeerVerify::OptionalTrusted, ..server.clone() };
    check(&optional, &pki.anonymous(), GOOD);
    let stranger = Pki::new();
    let foreign = TlsOptions { ca_file: Some(pki.path("ca.pem")), ..stranger.options("client") };
    let unknown = (UNKNOWN_CA, "the peer refused: it does not know the CA of our certificate");
    check(&server, &foreign, unknown);
    check(&optional, &foreign, unknown);
    for mode in [PeerVerify::RequiredUntrusted, PeerVerify::OptionalUntrusted] {
        check(&TlsOptions { peer_verify: mode, ..server.clone() }, &foreign, GOOD);
    }
    let required = TlsOptions { peer_verify: PeerVerify::RequiredUntrusted, ..server.clone() };
    check(&required, &pki.anonymous(), (none, wants));
    pki.issue("old", &["x"], |params| params.not_after = date_time_ymd(2020, 1, 1));
    let expired =
        ("the certificate of the peer has expired", "the peer refused: our certificate has expired");
    check(&server, &pki.options("old"), expired);
    pki.issue("web", &["x"], |params| params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth]);
    check(&server, &pki.options("web"), GOOD);
    let strict = TlsOptions { checks_key_usage: true, ..server };
    let (said, _) = shake(&strict, &pki.options("web"), "logs.example");
    assert_eq!(said, "the certificate of the peer is meant for another use (extended key usage)");
}

/// Servers that are not trusted, and one that need not be.
pub(crate) fn wrong_servers(shake: Shake) {
    let pki = Pki::new();
    let client = pki.options("client");
    let (_, said) = shake(&pki.options("server"), &client, "other.example");
    assert!(said.starts_with("the certificate of the peer is not for other.example, but for "), "{said}");
    pki.issue("old", &["logs.example"], |params| params.not_after = date_time_ymd(2020, 1, 1));
    let (_, said) = shake(&pki.options("old"), &client, "logs.example");
    assert_eq!(said, "the certificate of the peer has expired");
    let stranger = Pki::new();
    let foreign = TlsOptions { ca_file: Some(pki.path("ca.pem")), ..stranger.options("server") };
    assert_eq!(shake(&foreign, &client, "logs.example").1, UNKNOWN_CA);
    let careless = TlsOptions { peer_verify: PeerVerify::RequiredUntrusted, ..client };
    check(shake, &foreign, &careless, "another.example", GOOD);
}

/// Peers that are known by their certificate or its name.
pub(crate) fn pinned_and_named(shake: Shake) {
    let pki = Pki::new();
    let client = pki.options("client");
    let leaf = material::certificates(&pki.path("client.pem")).unwrap().remove(0);
    let pinned = TlsOptions {
        peer_verify: PeerVerify::RequiredUntrusted,
        fingerprints: vec![Fingerprint::of(&leaf)],
        ..pki.options("server")
    };
    check(shake, &pinned, &client, "logs.example", GOOD);
    let (said, refused) = shake(&pinned, &pki.options("server"), "logs.example");
    assert!(
        said.starts_with("the certificate of the peer is none of trusted-fingerprints(): SHA256:"),
        "{said}"
    );
    assert!(refused.starts_with("the peer refused: "), "{refused}");
    for (pattern, good) in [("*, O=Example\\, Inc, C=*", true), ("CN=client*", true), ("CN=other*", false)] {
        let named = TlsOptions { trusted_dn: vec![pattern.to_owned()], ..pki.options("server") };
        let (said, _) = shake(&named, &client, "logs.example");
        let refusal = "the name of the peer's certificate is none of trusted-dn(): CN=client, OU=Logs, O=Example\\, Inc, C=HU";
        assert_eq!(said, if good { "open hello" } else { refusal });
    }
}

/// Clients on a revocation list, and beside it.
pub(crate) fn revoked_clients(shake: Shake) {
    let pki = Pki::new();
    let folder = pki.path("crl");
    fs::create_dir(&folder).unwrap();
    let server = TlsOptions { crl_dir: Some(folder.clone()), ..pki.options("server") };
    check(shake, &server, &pki.options("client"), "logs.example", GOOD);
    pki.revoke("client", &folder.join("ca.r0"));
    let revoked =
        ("the certificate of the peer was revoked", "the peer refused: our certificate was revoked");
    check(shake, &server, &pki.options("client"), "logs.example", revoked);
    pki.issue("fresh", &["x"], |_| {});
    check(shake, &server, &pki.options("fresh"), "logs.example", GOOD);
    let hashed = TlsOptions { ca_file: None, ca_dir: Some(pki.folder.path().to_owned()), ..server };
    check(shake, &hashed, &pki.options("fresh"), "logs.example", GOOD);
}
