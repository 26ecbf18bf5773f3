//! A server of HTTP with prepared answers.
//!
//! In: its answers; rows. Out: the requests that it heard, and what becomes of the rows. Holds: nothing. Limits: none.

use super::{runtime, shown};
use delivery::{Connection, Row};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader},
    net::TcpListener,
};

/// Reads a request: its head in small letters except for its first line, and its body.
pub(crate) async fn read_request(peer: &mut (impl AsyncRead + Unpin)) -> Option<(String, Vec<u8>)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(peer.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let (first, rest) = head.split_once("\r\n").unwrap();
    let rest = rest.to_ascii_lowercase();
    let size = rest.lines().find_map(|line| line.strip_prefix("content-length: "));
    let size = size.map_or(0, |size| size.parse().unwrap());
    let mut body = vec![0; size];
    peer.read_exact(&mut body).await.ok()?;
    Some((format!("{first}\r\n{rest}"), body))
}

/// Answers with each text once; an empty one closes the connection instead.
pub(crate) async fn answer(
    mut peer: impl AsyncRead + AsyncWrite + Unpin,
    says: &mut Vec<&str>,
    heard: &mut Vec<(String, Vec<u8>)>,
) {
    while !says.is_empty() {
        let Some(request) = read_request(&mut peer).await else { return };
        heard.push(request);
        let say = says.remove(0);
        if say.is_empty() {
            return;
        }
        let (status, body) = say.split_once(' ').unwrap();
        let text = format!("HTTP/1.1 {status} x\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        peer.write_all(text.as_bytes()).await.unwrap();
        peer.flush().await.unwrap();
    }
}

/// Sends rows of a group, so many times, over a connection to a server with these answers. Returns the verdicts and the
/// requests.
pub(crate) fn exchanged(
    connection: impl FnOnce(&str) -> Box<dyn Connection>,
    (group, rows): (&str, &[Row]),
    (says, sends): (&[&str], usize),
) -> (Vec<String>, Vec<(String, Vec<u8>)>) {
    runtime().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut connection = connection(&format!("http://{}", listener.local_addr().unwrap()));
        let (mut says, mut heard) = (says.to_vec(), Vec::new());
        let serve = async {
            while !says.is_empty() {
                let (peer, _) = listener.accept().await.unwrap();
                answer(BufReader::new(peer), &mut says, &mut heard).await;
            }
        };
        let send = async {
            let mut verdicts = Vec::new();
            for _ in 0..sends {
                verdicts.push(shown(&connection.send(group, rows).await));
            }
            connection.close();
            verdicts
        };
        let (verdicts, ()) = tokio::join!(send, serve);
        (verdicts, heard)
    })
}
