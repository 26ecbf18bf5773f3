//! Both directions of an encrypted connection, and its end.

use super::*;
use crate::{
    testing::Pki,
    tls::{PeerVerify, SenderTls, ServerTls, TlsOptions},
};
use std::{future::Future, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    runtime::{Builder, Runtime},
    time::timeout,
};
use tokio_rustls::TlsAcceptor;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// An authority that has issued a certificate for this machine's address.
fn pki() -> Pki {
    let pki = Pki::new();
    pki.issue("local", &["127.0.0.1"], |_| {});
    pki
}

fn client(pki: &Pki) -> SenderTls {
    SenderTls::new(pki.anonymous())
}

/// Shakes hands as the server on this machine's address.
async fn accept(
    pki: &Pki,
    stream: DuplexStream,
) -> io::Result<tokio_rustls::server::TlsStream<DuplexStream>> {
    let options = TlsOptions { peer_verify: PeerVerify::NotAsked, ..pki.options("local") };
    let settings = ServerTls::load(&options).unwrap();
    TlsAcceptor::from(Arc::clone(settings.config())).accept(stream).await
}

/// Waits for what must happen.
async fn soon<T>(step: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(2), step).await.expect("it happens")
}

#[test]
fn every_byte_and_the_end_arrive() {
    let pki = pki();
    let connector = &mut Connector::of(&client(&pki)).unwrap();
    runtime().block_on(async {
        let (near, far) = duplex(64);
        let connect = MakeTlsConnect::<DuplexStream>::make_tls_connect(connector, "127.0.0.1").unwrap();
        let (near, far) = tokio::join!(connect.connect(near), accept(&pki, far));
        let (mut near, mut far) = (near.unwrap(), far.unwrap());
        // More than fits between the two waits to be flushed.
        let long = vec![b'z'; 2_000];
        let write = async {
            near.write_all(&long).await.unwrap();
            near.flush().await.unwrap();
        };
        let mut heard = vec![0; long.len()];
        let (_, read) = soon(async { tokio::join!(write, far.read_exact(&mut heard)) }).await;
        read.unwrap();
        assert!(heard == long);
        let mut answer = [0; 4];
        let (said, read) =
            soon(async { tokio::join!(far.write_all(b"yes!"), near.read_exact(&mut answer)) }).await;
        said.unwrap();
        read.unwrap();
        assert_eq!(&answer, b"yes!");
        let mut rest = Vec::new();
        let (shut, end) = soon(async { tokio::join!(near.shutdown(), far.read_to_end(&mut rest)) }).await;
        shut.unwrap();
        assert_eq!(end.unwrap(), 0);
    });
}

#[test]
fn a_server_of_another_name_is_refused() {
    let pki = pki();
    let connector = &mut Connector::of(&client(&pki)).unwrap();
    runtime().block_on(async {
        let (near, far) = duplex(4096);
        let connect = MakeTlsConnect::<DuplexStream>::make_tls_connect(connector, "logs.example").unwrap();
        let (near, far) = tokio::join!(connect.connect(near), accept(&pki, far));
        assert_eq!(near.err().map(|error| error.kind()), Some(io::ErrorKind::InvalidData));
        assert!(far.is_err());
    });
}
