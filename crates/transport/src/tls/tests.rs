//! Handshakes in memory between our two sides, with certificates made for each test.

use super::{
    fixtures::{GOOD, pinned_and_named, revoked_clients, wrong_clients, wrong_servers},
    *,
};
use crate::testing::{Pki, params};
use rcgen::{BasicConstraints, IsCa, KeyPair};
use std::fs;

/// Performs a handshake and lets the client send a text; returns the results of server and client.
fn shake(server: &TlsOptions, client: &TlsOptions, host: &str) -> (String, String) {
    let mut server = ServerTls::load(server).unwrap().session().unwrap();
    let mut client = ClientTls::load(client).unwrap().session(host).unwrap();
    let (mut texts, mut results) = ([Vec::new(), Vec::new()], [None, None]);
    let mut note = |side: usize, taken: Result<SessionState, rustls::Error>| match taken {
        Err(error) => results[side] = Some(describe(&error)),
        Ok(SessionState::Over) => drop(results[side].get_or_insert_with(|| "closed".to_owned())),
        Ok(_) => {}
    };
    note(0, client.take(&mut [], &mut texts[0]));
    let mut sent = false;
    for _ in 0..10 {
        let mut bytes = std::mem::take(client.outgoing());
        let taken = server.take(&mut bytes, &mut texts[1]);
        note(1, taken);
        let mut bytes = std::mem::take(server.outgoing());
        let taken = client.take(&mut bytes, &mut texts[0]);
        if taken == Ok(SessionState::Open) && !sent {
            sent = client.encrypt(b"hello").is_ok();
        }
        note(0, taken);
    }
    let shown = |side: usize, text: &[u8]| match &results[side] {
        Some(result) => result.clone(),
        None => format!("open{}", if text.is_empty() { "" } else { " hello" }),
    };
    (shown(1, &texts[1]), shown(0, &texts[0]))
}

#[track_caller]
fn check(server: &TlsOptions, client: &TlsOptions, host: &str, want: (&str, &str)) {
    let (server, client) = shake(server, client, host);
    assert_eq!((server.as_str(), client.as_str()), want);
}

#[test]
fn trusts_both_ways() {
    let pki = Pki::new();
    check(&pki.options("server"), &pki.options("client"), "logs.example", GOOD);
    for versions in [TlsVersions::Only12, TlsVersions::Only13] {
        let client = TlsOptions { versions, ..pki.options("client") };
        check(&pki.options("server"), &client, "logs.example", GOOD);
    }
    let mut suites = CipherSuites::default();
    assert_eq!(suites.add("ECDHE-ECDSA-AES128-GCM-SHA256:RC4-SHA:!aNULL"), ["RC4-SHA"]);
    let client = TlsOptions { suites, versions: TlsVersions::Only12, ..pki.options("client") };
    check(&pki.options("server"), &client, "logs.example", GOOD);
}

#[test]
fn says_what_is_wrong_with_a_client() {
    wrong_clients(shake, "the peer refused: it wants a certificate: set cert-file() and key-file()");
}

#[test]
fn says_what_is_wrong_with_a_server() {
    wrong_servers(shake);
}

#[test]
fn knows_servers_by_their_common_name_and_by_themselves() {
    let pki = Pki::new();
    pki.issue("plain.example", &[], |_| {});
    check(&pki.options("plain.example"), &pki.options("client"), "plain.example", GOOD);
    let (_, said) = shake(&pki.options("plain.example"), &pki.options("client"), "other.example");
    assert!(said.starts_with("the certificate of the peer is not for other.example"), "{said}");
    pki.issue("address", &["192.0.2.7"], |_| {});
    check(&pki.options("address"), &pki.options("client"), "192.0.2.7", GOOD);
    // A self-signed certificate that is trusted as it is.
    let own = KeyPair::generate().unwrap();
    let mut params = params("own", &["own.example"]);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    fs::write(pki.path("own.pem"), params.self_signed(&own).unwrap().pem()).unwrap();
    fs::write(pki.path("own.key"), own.serialize_pem()).unwrap();
    let client = TlsOptions { ca_file: Some(pki.path("own.pem")), ..pki.options("client") };
    check(&pki.options("own"), &client, "own.example", GOOD);
}

#[test]
fn narrows_down_who_is_trusted() {
    pinned_and_named(shake);
    let pki = Pki::new();
    let leaf = super::material::certificates(&pki.path("client.pem")).unwrap().remove(0);
    let fingerprint = Fingerprint::of(&leaf);
    assert_eq!(fingerprint.to_string().parse::<Fingerprint>().unwrap(), fingerprint);
    assert_ne!(fingerprint, Fingerprint::of(b"x"));
    let identity = Identity::of(&leaf);
    assert_eq!(identity.distinguished_name(), "CN=client, OU=Logs, O=Example\\, Inc, C=HU");
}

#[test]
fn obeys_revocation_lists() {
    revoked_clients(shake);
}

#[track_caller]
fn refuses(options: &TlsOptions, want: &str) {
    let error = ServerTls::load(options).unwrap_err().to_string();
    assert!(error.contains(want), "{error}");
}

#[test]
fn says_what_is_wrong_with_files() {
    let pki = Pki::new();
    let good = pki.options("server");
    refuses(&pki.anonymous(), "needs its certificate and key");
    refuses(&TlsOptions { key_file: None, ..good.clone() }, "cert-file() needs its key");
    refuses(&TlsOptions { cert_file: Some(pki.path("none")), ..good.clone() }, "cannot read");
    refuses(
        &TlsOptions { cert_file: Some(pki.path("server.key")), ..good.clone() },
        "there is no certificate",
    );
    refuses(
        &TlsOptions { key_file: Some(pki.path("server.pem")), ..good.clone() },
        "there is no private key",
    );
    refuses(&TlsOptions { key_file: Some(pki.path("client.key")), ..good.clone() }, "do not fit");
    refuses(&TlsOptions { ca_file: Some(pki.path("server.key")), ..good }, "there is no certificate");
}

/// Schemes of a list without unknown names.
fn schemes(list: &str) -> Schemes {
    let mut schemes = Schemes::default();
    assert_eq!(schemes.add(list), [""; 0], "{list}");
    schemes
}

#[test]
fn signs_as_both_sides_allow() {
    let pki = Pki::new();
    let (server, client) = (pki.options("server"), pki.options("client"));
    let p256 = "RSA+SHA256:ecdsa_secp256r1_sha256:?rsa_sha3_256";
    let others = "RSA-PSS+SHA256:ed25519:ECDSA+SHA384";
    let with = |options: &TlsOptions, list: &str, client_list: &str| TlsOptions {
        schemes: schemes(list),
        client_schemes: schemes(client_list),
        ..options.clone()
    };
    // The keys of these certificates sign with ECDSA over P-256 only.
    for versions in [TlsVersions::Only12, TlsVersions::Only13] {
        let client = TlsOptions { versions, ..client.clone() };
        let opens = |server: &TlsOptions, client: &TlsOptions| {
            let (at_server, at_client) = shake(server, client, "logs.example");
            (at_server.as_str(), at_client.as_str()) == GOOD
        };
        assert!(opens(&with(&server, p256, p256), &with(&client, p256, p256)));
        assert!(!opens(&with(&server, others, ""), &client));
        assert!(!opens(&server, &with(&client, others, "")));
        assert!(!opens(&with(&server, "", others), &client));
        assert!(!opens(&server, &with(&client, "", others)));
    }
    assert_eq!(Schemes::default().add("RSA+SHA1:DSA+SHA256:ED25519"), ["RSA+SHA1", "DSA+SHA256"]);
}

/// Made with `openssl pkcs8 -topk8 -v2 aes-256-cbc` from a new P-256 key, for this test only; its password is `oak`.
const SEALED_KEY: &str = include_str!("../../testdata/sealed-key.pem");

#[test]
fn traditional_encrypted_keys_are_read() {
    use openssl::{
        ec::{EcGroup, EcKey},
        nid::Nid,
        rsa::Rsa,
        symm::Cipher,
    };
    let curve = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
    let elliptic = EcKey::generate(&curve).unwrap();
    let rsa = Rsa::generate(2048).unwrap();
    let texts = [
        elliptic.private_key_to_pem_passphrase(Cipher::aes_256_cbc(), b"oak").unwrap(),
        rsa.private_key_to_pem_passphrase(Cipher::aes_128_cbc(), b"oak").unwrap(),
        rsa.private_key_to_pem_passphrase(Cipher::des_ede3_cbc(), b"oak").unwrap(),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (number, text) in texts.iter().enumerate() {
        assert!(String::from_utf8_lossy(text).contains("Proc-Type: 4,ENCRYPTED"));
        let path = folder.path().join(number.to_string());
        fs::write(&path, text).unwrap();
        let passwords = Passwords::default();
        let read = || super::keys::key::read(&path, &passwords);
        assert!(matches!(read(), Err(TlsError::Locked { .. })));
        passwords.add(&path, "elm");
        assert!(read().unwrap_err().to_string().contains("the password is wrong"));
        passwords.add(&path, "oak");
        let key = read().unwrap();
        rustls::crypto::aws_lc_rs::sign::any_supported_type(&key).unwrap();
    }
}

#[test]
fn waits_for_the_password_of_a_key() {
    let pki = Pki::new();
    let path = pki.path("sealed.key");
    fs::write(&path, SEALED_KEY).unwrap();
    let passwords = Passwords::default();
    let read = || super::keys::key::read(&path, &passwords).map(drop).map_err(|error| error.to_string());
    assert!(read().unwrap_err().contains("has a password, to be given with duramen ctl credentials add"));
    assert_eq!(passwords.list(), [(path.clone(), false)]);
    passwords.add(&path, "elm");
    assert!(read().unwrap_err().contains("the password is wrong"));
    assert_eq!(passwords.list(), [(path.clone(), false)]);
    passwords.add(&path, "oak");
    assert_eq!(read(), Ok(()));
    assert_eq!(passwords.list(), [(path.clone(), true)]);
}

#[test]
fn takes_all_of_one_file() {
    let pki = Pki::new();
    for (name, password) in [("server", ""), ("client", "oak")] {
        let read = |end: &str| fs::read(pki.path(&format!("{name}.{end}"))).unwrap();
        let mut authorities = openssl::stack::Stack::new().unwrap();
        let ca = openssl::x509::X509::from_pem(&fs::read(pki.path("ca.pem")).unwrap()).unwrap();
        authorities.push(ca).unwrap();
        let bundle = openssl::pkcs12::Pkcs12::builder()
            .pkey(&openssl::pkey::PKey::private_key_from_pem(&read("key")).unwrap())
            .cert(&openssl::x509::X509::from_pem(&read("pem")).unwrap())
            .ca(authorities)
            .build2(password)
            .unwrap();
        fs::write(pki.path(&format!("{name}.p12")), bundle.to_der().unwrap()).unwrap();
    }
    let options = |name: &str| TlsOptions { pkcs12_file: Some(pki.path(name)), ..TlsOptions::default() };
    let client = options("client.p12");
    let locked = ClientTls::load(&client).unwrap_err().to_string();
    assert!(locked.contains("has a password, to be given with duramen ctl credentials add"), "{locked}");
    client.passwords.add(&pki.path("client.p12"), "elm");
    assert!(ClientTls::load(&client).unwrap_err().to_string().contains("the password is wrong"));
    client.passwords.add(&pki.path("client.p12"), "oak");
    check(&options("server.p12"), &client, "logs.example", GOOD);
    refuses(&options("server.pem"), "it is not PKCS #12");
    refuses(&options("none.p12"), "cannot read");
}

#[test]
fn survives_any_bytes() {
    let pki = Pki::new();
    for bytes in [&b""[..], b"<13>hello\n", &[0x16; 200], &[0x16, 3, 1, 0xff, 0xff], &[0xff; 100_000]] {
        let mut session = ServerTls::load(&pki.options("server")).unwrap().session().unwrap();
        let mut received = bytes.to_vec();
        let mut text = Vec::new();
        let taken = session.take(&mut received, &mut text);
        assert!(text.is_empty() && !matches!(taken, Ok(SessionState::Open)), "{bytes:?} {taken:?}");
    }
    let leaf = super::material::certificates(&pki.path("client.pem")).unwrap().remove(0);
    for size in 0..leaf.len() {
        Identity::of(&leaf[..size]);
        let mut changed = leaf.to_vec();
        changed[size] ^= 0xff;
        Identity::of(&changed);
    }
}
