//! Certificates of a CA that lives as long as a test.
//!
//! In: names. Out: certificates, keys and revocation lists in files, and the options that name them.
//! Holds: a folder, which goes with it. Limits: none.

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

/// Certificates in a folder: `ca`, and what it signs under the names given to `issue`.
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
    /// A new CA, with `server` for `logs.example` and `client` for `client.example`.
    pub fn new() -> Pki {
        let folder = tempfile::tempdir().unwrap();
        let (issuer, text) = authority(&folder.path().display().to_string());
        fs::write(folder.path().join("ca.pem"), text).unwrap();
        let pki = Pki { folder, issuer };
        pki.issue("server", &["logs.example"], |_| {});
        pki.issue("client", &["client.example"], |_| {});
        pki
    }

    /// The path of a file of the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A certificate of the CA and its key: `NAME.pem` and `NAME.key`.
    pub fn issue(&self, name: &str, hosts: &[&str], change: impl Fn(&mut CertificateParams)) {
        let mut params = params(name, hosts);
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        fs::write(self.path(&format!("{name}.pem")), certificate.pem()).unwrap();
        fs::write(self.path(&format!("{name}.key")), key.serialize_pem()).unwrap();
    }

    /// The certificate that the CA makes of some parameters, in PEM.
    pub fn sign(&self, params: &CertificateParams, key: &KeyPair) -> String {
        params.signed_by(key, &self.issuer).unwrap().pem()
    }

    /// A list on which the certificate of that name is revoked.
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

    /// Options of a side that shows the certificate of that name and trusts the CA.
    pub fn options(&self, name: &str) -> TlsOptions {
        TlsOptions {
            cert_file: Some(self.path(&format!("{name}.pem"))),
            key_file: Some(self.path(&format!("{name}.key"))),
            ca_file: Some(self.path("ca.pem")),
            ..TlsOptions::default()
        }
    }

    /// Options of a side that shows none.
    pub fn anonymous(&self) -> TlsOptions {
        TlsOptions { ca_file: Some(self.path("ca.pem")), ..TlsOptions::default() }
    }
}

/// The parameters of a certificate: its common name and the hosts that it is for.
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
