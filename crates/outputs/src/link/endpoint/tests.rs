//! Connections to servers of the test: in the clear, encrypted, refused, and in no time.

use super::*;
use crate::testing::{accept, client, closed_port, pki, runtime};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, UnixListener},
};
use transport::{
    testing::Pki,
    tls::{SenderTls, TlsOptions},
};

/// Shows what comes back over a new connection, or why there is none.
async fn spoken(endpoint: &Endpoint) -> String {
    match open(endpoint).await {
        Ok(mut stream) => {
            let mut text = String::new();
            stream.write_all(b"hi\n").await.unwrap();
            stream.flush().await.unwrap();
            stream.read_to_string(&mut text).await.unwrap();
            text
        }
        Err(failure) => format!("{:?}: {}", failure.verdict, failure.answer),
    }
}

/// Says a thing again.
async fn echo(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let mut text = [0; 3];
    stream.read_exact(&mut text).await.unwrap();
    stream.write_all(&text).await.unwrap();
    stream.shutdown().await.unwrap();
}

/// The acts of a server.
enum Act<'a> {
    Echo,
    Encrypt(&'a Pki),
    Nonsense,
    Leave,
}

/// Compares what a client with these settings gets of a server that acts so.
#[track_caller]
fn check(tls: Option<SenderTls>, act: Act<'_>, want: &str) {
    let found = runtime().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint =
            Endpoint { host: "127.0.0.1".to_owned(), port: listener.local_addr().unwrap().port(), tls };
        let serve = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            match act {
                Act::Echo => echo(stream).await,
                Act::Encrypt(pki) => {
                    if let Ok(stream) = accept(pki, stream).await {
                        echo(stream).await;
                    }
                }
                Act::Nonsense => {
                    stream.write_all(b"220 mail\r\n").await.unwrap();
                    let _ = stream.read_to_end(&mut Vec::new()).await;
                }
                Act::Leave => {
                    let _ = stream.read(&mut [0; 4096]).await;
                }
            }
        };
        tokio::join!(spoken(&endpoint), serve).0
    });
    assert!(found.starts_with(want), "{found}");
}

#[test]
fn a_server_is_spoken_to_as_it_is_configured() {
    let (pki, others) = (pki(), Pki::new());
    check(None, Act::Echo, "hi\n");
    check(Some(client(&pki)), Act::Encrypt(&pki), "hi\n");
    check(Some(client(&others)), Act::Encrypt(&pki), "Hold(Credentials): TLS: ");
    check(Some(client(&pki)), Act::Nonsense, "Hold(Credentials): TLS: ");
    check(Some(client(&pki)), Act::Leave, "Later(Reopen): TLS: ");
    let lost = TlsOptions { ca_file: Some(pki.path("none.pem")), ..TlsOptions::default() };
    check(Some(SenderTls::new(lost)), Act::Leave, "Hold(Credentials): ");
}

#[test]
fn a_host_with_a_slash_is_a_unix_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let endpoint = Endpoint { host: path.display().to_string(), port: 1, tls: None };
    runtime().block_on(async {
        assert!(spoken(&endpoint).await.starts_with("Later(Reopen): No such file"));
        let listener = UnixListener::bind(&path).unwrap();
        let serve = async { echo(listener.accept().await.unwrap().0).await };
        assert_eq!(tokio::join!(spoken(&endpoint), serve).0, "hi\n");
        // A folder is no name of a host that a certificate could be for.
        let pki = pki();
        let endpoint = Endpoint { tls: Some(client(&pki)), ..endpoint };
        let serve = async { drop(listener.accept().await.unwrap()) };
        let found = tokio::join!(spoken(&endpoint), serve).0;
        assert_eq!(found, "Later(Reopen): TLS: this is no name of a host");
    });
}

#[test]
fn nobody_who_listens_is_tried_again() {
    let endpoint = Endpoint { host: "127.0.0.1".to_owned(), port: closed_port(), tls: None };
    let found = runtime().block_on(spoken(&endpoint));
    assert!(found.starts_with("Later(Reopen): Connection refused"), "{found}");
}
