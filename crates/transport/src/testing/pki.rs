//! A certificate authority for tests.
//!
//! In: names. Out: certificates, keys and revocation lists in files, and the options that name them.
//! Holds: a temporary folder, which is removed with it. Limits: none.

use crate::tls::TlsOptions;
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, DistinguishedName, DnType, IsCa,
    Issuer, KeyIdMethod, KeyPair, KeyUsagePurpose, RevokedCertParams, SerialNumber, date_time_ymd,
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A CA with its certificate `ca.pem` in a folder, and the certificates that it has issued.
pub struct Pki {
    /// The folder that holds them.
    pub folder: TempDir,
    issuer: Issuer<'static, KeyPair>,
}

impl Default for Pki {
    fn default() -> Pki {
        Pki::new()
    }
}

impl Pki {
    /// Makes a CA, and certificates `server` for the host `logs.example` and `client` for `client.example`.
    pub fn new() -> Pki {
        let folder = tempfile::tempdir().unwrap();
        let (issuer, text) = authority(&folder.path().display().to_string());
        fs::write(folder.path().join("ca.pem"), text).unwrap();
        let pki = Pki { folder, issuer };
        pki.issue("server", &["logs.example"], |_| {});
        pki.issue("client", &["client.example"], |_| {});
        pki
    }

    /// Returns the path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Issues a certificate and its key: `NAME.pem` and `NAME.key`.
    pub fn issue(&self, name: &str, hosts: &[&str], change: impl Fn(&mut CertificateParams)) {
        let mut params = params(name, hosts);
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        fs::write(self.path(&format!("{name}.pem")), certificate.pem()).unwrap();
        fs::write(self.path(&format!("{name}.key")), key.serialize_pem()).unwrap();
    }

    /// Returns a certificate with these parameters, signed by the CA, in PEM.
    pub fn sign(&self, params: &CertificateParams, key: &KeyPair) -> String {
        params.signed_by(key, &self.issuer).unwrap().pem()
    }

    /// Writes a revocation list that revokes the certificate of that name.
    pub fn revoke(&self, name: &str, path: &Path) {
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

    /// Returns the options of a side that sends the certificate of that name and trusts the CA.
    pub fn options(&self, name: &str) -> TlsOptions {
        TlsOptions {
            cert_file: Some(self.path(&format!("{name}.pem"))),
            key_file: Some(self.path(&format!("{name}.key"))),
            ca_file: Some(self.path("ca.pem")),
            ..TlsOptions::default()
        }
    }

    /// Returns the options of a side that sends no certificate and trusts the CA.
    pub fn anonymous(&self) -> TlsOptions {
        TlsOptions { ca_file: Some(self.path("ca.pem")), ..TlsOptions::default() }
    }
}

/// Returns the parameters of a certificate with a common name, for some hosts.
pub fn params(name: &str, hosts: &[&str]) -> CertificateParams {
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
