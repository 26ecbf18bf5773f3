//! Tokens from prepared servers, and signed ones.

use super::{
    jwt::{self, KeyError},
    *,
};
use crate::{
    http::{Authorize, Compression, RequestSettings},
    testing::{requests::answer, runtime},
};
use aws_lc_rs::{
    encoding::AsDer,
    rsa::{KeyPair, KeySize},
    signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey},
};
use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::{fs, path::PathBuf, time::Duration};
use tokio::{io::BufReader, net::TcpListener};
use transport::tls::{SenderTls, TlsOptions};

fn settings() -> RequestSettings {
    RequestSettings {
        method: "POST".to_owned(),
        headers: Vec::new(),
        compression: Compression::None,
        timeout: Duration::from_secs(5),
        follows_redirects: false,
        proxy: None,
        tls: SenderTls::new(TlsOptions::default()),
    }
}

fn client(url: &str, method: ClientAuth) -> CloudAuth {
    CloudAuth::OAuth2(ClientCredentials {
        client_id: "ship".to_owned(),
        client_secret: "late secret".to_owned(),
        token_url: format!("{url}/token"),
        fields: vec![("scope", "https://a/.default b".to_owned())],
        method,
        refresh_offset: Duration::from_secs(60),
    })
}

/// Asks for the header so many times, of a server with these answers. Returns the headers and the requests.
fn asked(
    auth: impl Fn(&str) -> CloudAuth,
    says: &[&str],
    times: usize,
) -> (Vec<String>, Vec<(String, Vec<u8>)>) {
    runtime().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let tokens = Tokens::new(auth(&format!("http://{}", listener.local_addr().unwrap())), settings());
        let (mut says, mut heard) = (says.to_vec(), Vec::new());
        let serve = async {
            while !says.is_empty() {
                let (peer, _) = listener.accept().await.unwrap();
                answer(BufReader::new(peer), &mut says, &mut heard).await;
            }
        };
        let ask = async {
            let mut found = Vec::new();
            for _ in 0..times {
                found.push(match tokens.authorization().await {
                    Ok(value) => value,
                    Err(failure) => format!("{:?} {}", failure.verdict, failure.answer),
                });
            }
            found
        };
        let (found, ()) = tokio::join!(ask, serve);
        assert!(!format!("{tokens:?}").contains("secret"));
        (found, heard)
    })
}

#[test]
fn a_client_gets_a_token_and_keeps_it() {
    let says = [r#"200 {"access_token":"T1","token_type":"Bearer","expires_in":3600}"#];
    let (found, heard) = asked(|url| client(url, ClientAuth::Basic), &says, 3);
    assert_eq!(found, ["Bearer T1"; 3]);
    let (head, body) = &heard[0];
    assert!(head.starts_with("POST /token HTTP/1.1"), "{head}");
    let pair = STANDARD.encode("ship:late%20secret").to_ascii_lowercase();
    assert!(head.contains(&format!("authorization: basic {pair}")), "{head}");
    let want = "grant_type=client_credentials&scope=https%3A%2F%2Fa%2F.default%20b";
    assert_eq!(String::from_utf8_lossy(body), want);
    let (found, heard) = asked(|url| client(url, ClientAuth::PostBody), &says, 1);
    assert_eq!(found, ["Bearer T1"]);
    let (head, body) = &heard[0];
    assert!(!head.contains("authorization"), "{head}");
    assert!(String::from_utf8_lossy(body).ends_with("&client_id=ship&client_secret=late%20secret"));
}

#[test]
fn a_server_without_a_token_holds_or_postpones() {
    let check = |says: &str, want: &str| {
        let (found, _) = asked(|url| client(url, ClientAuth::Basic), &[says], 1);
        assert_eq!(found, [want]);
    };
    check(
        r#"401 {"error":"invalid_client","error_description":"late secret"}"#,
        "Hold(Credentials) the server of tokens answered 401 invalid_client",
    );
    check("503 busy", "Later(Busy) the server of tokens answered 503");
    check("200 {}", "Hold(Credentials) the server of tokens answered with no token");
    check(r#"200 {"access_token":"a\nb"}"#, "Hold(Credentials) the server of tokens answered with no token");
    check("404 <html>", "Hold(Credentials) the server of tokens answered 404");
}

#[test]
fn a_machine_asks_for_its_own_token() {
    let account = |url: &str| {
        CloudAuth::Metadata(MetadataAccount { name: "default".to_owned(), url: format!("{url}/accounts/") })
    };
    let (found, heard) = asked(account, &[r#"200 {"access_token":"M","expires_in":"3599"}"#], 2);
    assert_eq!(found, ["Bearer M"; 2]);
    assert!(heard[0].0.starts_with("GET /accounts/default/token HTTP/1.1"), "{}", heard[0].0);
    assert!(heard[0].0.contains("metadata-flavor: google"), "{}", heard[0].0);
}

#[test]
fn a_refused_token_is_replaced() {
    runtime().block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::new(CloudAuth::ServiceAccount(account(folder.path().join("none"))), settings());
        let failure = tokens.authorization().await.unwrap_err();
        assert!(failure.answer.ends_with("it cannot be opened"), "{failure:?}");
        tokens.forget();
    });
}

fn account(key: PathBuf) -> ServiceAccount {
    ServiceAccount { key, audience: "https://a/".to_owned(), validity: Duration::from_secs(600) }
}

#[test]
fn a_token_is_signed_with_the_key_of_the_account() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key.json");
    let pair = KeyPair::generate(KeySize::Rsa2048).unwrap();
    let der = AsDer::<aws_lc_rs::encoding::Pkcs8V1Der<'_>>::as_der(&pair).unwrap();
    let pem = format!(
        "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        STANDARD.encode(der.as_ref())
    );
    let key = json!({"client_email": "a@b", "private_key_id": "k1", "private_key": pem});
    fs::write(&path, key.to_string()).unwrap();
    let token = jwt::token(&account(path.clone()), Timestamp::from_second(1_000).unwrap()).unwrap();
    let parts: Vec<&str> = token.split('.').collect();
    let part =
        |text: &str| -> Value { serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap() };
    assert_eq!(part(parts[0]), json!({"alg": "RS256", "typ": "JWT", "kid": "k1"}));
    let claims = json!({"iss": "a@b", "sub": "a@b", "aud": "https://a/", "iat": 1_000, "exp": 1_600});
    assert_eq!(part(parts[1]), claims);
    let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, pair.public_key().as_ref());
    let signature = URL_SAFE_NO_PAD.decode(parts[2]).unwrap();
    public.verify(format!("{}.{}", parts[0], parts[1]).as_bytes(), &signature).unwrap();
    for (content, want) in [
        ("[]", KeyError::NoEmail),
        ("{", KeyError::NotJson),
        (r#"{"client_email":"a"}"#, KeyError::NoKey),
        (r#"{"client_email":"a","private_key":"x"}"#, KeyError::NotPem),
    ] {
        fs::write(&path, content).unwrap();
        assert_eq!(jwt::token(&account(path.clone()), Timestamp::UNIX_EPOCH), Err(want));
    }
}
