//! Both ends of an encrypted connection: how it begins, the data that comes with its end, and how it breaks.

use super::*;
use std::{future::poll_fn, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use transport::{
    testing::Pki,
    tls::{ClientTls, TlsOptions, TlsVersions},
};

fn block_on<T>(task: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(task)
}

/// The end that is tested against ours.
struct Client {
    socket: TcpStream,
    session: Session,
    text: Vec<u8>,
}

impl Client {
    async fn flush(&mut self) {
        let bytes = std::mem::take(self.session.outgoing());
        self.socket.write_all(&bytes).await.unwrap();
    }

    /// Takes the received bytes; nothing when the other end has closed.
    async fn hear(&mut self) -> Option<SessionState> {
        let mut bytes = vec![0; 64 << 10];
        let size = self.socket.read(&mut bytes).await.unwrap();
        (size > 0).then(|| self.session.take(&mut bytes[..size], &mut self.text).unwrap())
    }

    /// Performs the handshake up to the last flight, which is not sent.
    async fn shake(&mut self) {
        self.session.take(&mut [], &mut Vec::new()).unwrap();
        while self.session.is_handshaking() {
            self.flush().await;
            self.hear().await.unwrap();
        }
    }
}

/// Our settings, the socket of our end, and a client.
async fn ends(pki: &Pki, versions: TlsVersions) -> (ServerTls, TcpStream, Client) {
    let settings = ServerTls::load(&pki.options("server")).unwrap();
    let options = TlsOptions { versions, ..pki.options("client") };
    let session = ClientTls::load(&options).unwrap().session("logs.example").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let socket = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let (ours, _) = listener.accept().await.unwrap();
    (settings, ours, Client { socket, session, text: Vec::new() })
}

/// A connection whose handshake is over.
async fn opened(pki: &Pki, versions: TlsVersions) -> (SecureStream, Client) {
    let (settings, ours, mut client) = ends(pki, versions).await;
    let mut text = Vec::new();
    let shake = async {
        client.shake().await;
        client.flush().await;
    };
    let (stream, ()) = tokio::join!(SecureStream::accept(ours, &settings, Vec::new(), &mut text), shake);
    (stream.unwrap(), client)
}

/// Reads the available bytes.
async fn read(stream: &mut SecureStream) -> io::Result<String> {
    let mut text = Vec::new();
    loop {
        stream.readable().await?;
        match stream.read(&mut text) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Ok(size) => {
                assert_eq!(size, text.len());
                return Ok(String::from_utf8(text).unwrap());
            }
            Err(error) => return Err(error),
        }
    }
}

/// Bytes that the client sends with the last part of its handshake.
enum Last {
    /// A text, and more later.
    Text,
    TextAndGoodbye,
    Goodbye,
    TextAndGarbage,
    Garbage,
}

/// A record that cannot be decrypted.
const GARBAGE: &[u8] = b"\x17\x03\x03\x00\x14garbage of 20 bytes!";

/// Ends a handshake in this way; shows the text that came with it, and the results of two more reads.
fn check_last(last: Last, want: Result<(&str, &str), io::ErrorKind>) {
    let pki = Pki::new();
    block_on(async {
        let (settings, ours, mut client) = ends(&pki, TlsVersions::Only13).await;
        let mut text = Vec::new();
        let end = async {
            client.shake().await;
            if matches!(last, Last::Text | Last::TextAndGoodbye | Last::TextAndGarbage) {
                client.session.encrypt(b"early").unwrap();
            }
            match last {
                Last::Text => {}
                Last::TextAndGoodbye | Last::Goodbye => client.session.say_goodbye(),
                Last::TextAndGarbage | Last::Garbage => client.session.outgoing().extend_from_slice(GARBAGE),
            }
            // In one piece: our end reads it at once.
            client.flush().await;
        };
        let accepted = SecureStream::accept(ours, &settings, Vec::new(), &mut text);
        let (accepted, ()) = tokio::join!(accepted, end);
        let got = match accepted {
            Err(error) => Err(error.kind()),
            Ok(mut stream) if matches!(last, Last::Text) => {
                let mut later = Vec::new();
                let kind = stream.read(&mut later).map_err(|error| error.kind());
                assert_eq!(kind, Err(io::ErrorKind::WouldBlock));
                Ok("open".to_owned())
            }
            Ok(mut stream) => {
                poll_fn(|context| stream.poll_readable(context)).await.unwrap();
                let shown = [read(&mut stream).await, read(&mut stream).await].map(|read| match read {
                    Ok(text) if text.is_empty() => "end",
                    Ok(_) => "text",
                    Err(_) => "error",
                });
                Ok(shown.join(", "))
            }
        };
        let text = String::from_utf8(text).unwrap();
        let shown = got.as_ref().map(|then| (text.as_str(), then.as_str())).map_err(|kind| *kind);
        assert_eq!(shown, want);
    });
}

#[test]
fn data_with_the_end_of_the_handshake_is_kept() {
    check_last(Last::Text, Ok(("early", "open")));
    check_last(Last::TextAndGoodbye, Ok(("early", "end, end")));
    check_last(Last::Goodbye, Ok(("", "end, end")));
    check_last(Last::TextAndGarbage, Ok(("early", "error, end")));
    check_last(Last::Garbage, Err(io::ErrorKind::InvalidData));
}

/// Sends bytes instead of a handshake and leaves; shows the error.
fn check_no_handshake(first: &[u8], bytes: &[u8], want: io::ErrorKind) {
    let pki = Pki::new();
    block_on(async {
        let (settings, ours, mut client) = ends(&pki, TlsVersions::Only13).await;
        client.socket.write_all(bytes).await.unwrap();
        client.socket.shutdown().await.unwrap();
        let mut text = Vec::new();
        let accepted = SecureStream::accept(ours, &settings, first.to_vec(), &mut text).await;
        assert_eq!(accepted.err().map(|error| error.kind()), Some(want), "{bytes:?}");
    });
}

#[test]
fn a_peer_may_not_shake_hands_at_all() {
    check_no_handshake(b"", b"", io::ErrorKind::UnexpectedEof);
    check_no_handshake(b"\x16\x03\x01", b"\x02\x00\x01\x00", io::ErrorKind::UnexpectedEof);
    check_no_handshake(b"", b"<13>plain text", io::ErrorKind::InvalidData);
    check_no_handshake(b"<13>plain text", b"", io::ErrorKind::InvalidData);
    // A close_notify before anything was agreed on.
    check_no_handshake(b"", b"\x15\x03\x03\x00\x02\x01\x00", io::ErrorKind::UnexpectedEof);
}

#[test]
fn bytes_that_were_received_before_belong_to_the_handshake() {
    let pki = Pki::new();
    block_on(async {
        let (settings, ours, mut client) = ends(&pki, TlsVersions::Only13).await;
        client.session.take(&mut [], &mut Vec::new()).unwrap();
        let first = std::mem::take(client.session.outgoing());
        let mut text = Vec::new();
        let shake = async {
            client.shake().await;
            client.flush().await;
        };
        let (stream, ()) = tokio::join!(SecureStream::accept(ours, &settings, first, &mut text), shake);
        assert_eq!(stream.unwrap().session().peer().unwrap().0.part("CN"), Some("client"));
    });
}

#[test]
fn texts_go_both_ways() {
    let pki = Pki::new();
    for versions in [TlsVersions::Only12, TlsVersions::Only13] {
        block_on(async {
            let (mut stream, mut client) = opened(&pki, versions).await;
            client.session.encrypt(b"question").unwrap();
            let bytes = std::mem::take(client.session.outgoing());
            // Half a record has no text.
            let (half, rest) = bytes.split_at(bytes.len() - 1);
            client.socket.write_all(half).await.unwrap();
            stream.readable().await.unwrap();
            let kind = stream.read(&mut Vec::new()).map_err(|error| error.kind());
            assert_eq!(kind, Err(io::ErrorKind::WouldBlock));
            client.socket.write_all(rest).await.unwrap();
            assert_eq!(read(&mut stream).await.unwrap(), "question");
            stream.writable().await.unwrap();
            assert_eq!(stream.write(b"answer").unwrap(), 6);
            while client.text.is_empty() {
                client.hear().await.unwrap();
            }
            assert_eq!(client.text, b"answer");
            client.session.encrypt(b"last").unwrap();
            client.session.say_goodbye();
            client.flush().await;
            assert_eq!(read(&mut stream).await.unwrap(), "last");
            assert_eq!(read(&mut stream).await.unwrap(), "");
            assert!(stream.socket().peer_addr().is_ok());
            // Our end sends close_notify when it ends.
            drop(stream);
            assert_eq!(client.hear().await, Some(SessionState::Over));
        });
    }
}

#[test]
fn an_end_without_close_notify_is_distinguished() {
    let pki = Pki::new();
    block_on(async {
        let (mut stream, client) = opened(&pki, TlsVersions::Only13).await;
        drop(client);
        assert_eq!(read(&mut stream).await.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        let (mut stream, mut client) = opened(&pki, TlsVersions::Only13).await;
        client.session.encrypt(b"good").unwrap();
        client.session.outgoing().extend_from_slice(GARBAGE);
        client.flush().await;
        assert_eq!(read(&mut stream).await.unwrap(), "good");
        let error = read(&mut stream).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(error.to_string().starts_with("TLS: "), "{error}");
        // The peer receives the alert.
        let mut alert = vec![0; 1 << 10];
        let size = client.socket.read(&mut alert).await.unwrap();
        assert!(client.session.take(&mut alert[..size], &mut Vec::new()).is_err());
    });
}

#[test]
fn a_peer_that_reads_slowly_gets_all() {
    let pki = Pki::new();
    block_on(async {
        let (mut stream, mut client) = opened(&pki, TlsVersions::Only13).await;
        let text: Vec<u8> = (0..8_000_000_u32).map(|number| number as u8).collect();
        let size = text.len();
        let send = async {
            let mut rest = &text[..];
            let mut blocked = 0;
            while !rest.is_empty() {
                stream.writable().await.unwrap();
                match stream.write(rest) {
                    Ok(size) => {
                        assert!(size > 0 && size <= CIPHER_BYTES);
                        rest = &rest[size..];
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => blocked += 1,
                    Err(error) => panic!("{error}"),
                }
            }
            assert!(blocked > 0, "the line was never full");
        };
        let take = async {
            while client.text.len() < size {
                client.hear().await.unwrap();
            }
        };
        tokio::time::timeout(Duration::from_secs(20), async { tokio::join!(send, take) }).await.unwrap();
        assert!(client.text == text, "other bytes came");
    });
}
