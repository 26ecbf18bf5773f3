//! A connection in memory, read and written as hyper does.

use super::*;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
};

fn block_on<T>(task: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(task)
}

fn pair() -> (HttpStream, UnixStream) {
    let (near, far) = UnixStream::pair().unwrap();
    (HttpStream::new(Stream::Unix(near)), far)
}

#[test]
fn the_first_bytes_are_looked_at_and_stay() {
    block_on(async {
        let (mut stream, mut far) = pair();
        far.write_all(b"PRI").await.unwrap();
        assert_eq!(stream.begin(3).await.unwrap(), 3);
        assert!(stream.starts_with(b"PR") && !stream.starts_with(b"GE"));
        // More than was sent: the peer leaves before.
        far.write_all(b" *").await.unwrap();
        drop(far);
        assert_eq!(stream.begin(24).await.unwrap(), 5);
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "PRI *");
    });
}

#[test]
fn a_peer_may_say_nothing() {
    block_on(async {
        let (mut stream, far) = pair();
        drop(far);
        assert_eq!(stream.begin(1).await.unwrap(), 0);
    });
}

#[test]
fn bytes_come_in_their_order_whatever_is_asked_for() {
    block_on(async {
        let (mut stream, mut far) = pair();
        let sent: Vec<u8> = (0..300_000_u32).map(|number| number as u8).collect();
        let send = async {
            far.write_all(&sent).await.unwrap();
            drop(far);
        };
        let take = async {
            let (mut taken, mut room) = (Vec::new(), [0; 1000]);
            loop {
                let wanted = taken.len() % 999 + 1;
                match stream.read(&mut room[..wanted]).await.unwrap() {
                    0 => return taken,
                    size => taken.extend_from_slice(&room[..size]),
                }
            }
        };
        let ((), taken) = tokio::join!(send, take);
        assert!(taken == sent, "{} of {} bytes", taken.len(), sent.len());
    });
}

#[test]
fn a_slow_peer_gets_all() {
    block_on(async {
        let (mut stream, mut far) = pair();
        let sent = vec![7; 2_000_000];
        let mut got = Vec::new();
        let send = async {
            stream.write_all(&sent).await.unwrap();
            stream.flush().await.unwrap();
            drop(stream);
        };
        let (_, read) = tokio::join!(send, far.read_to_end(&mut got));
        assert_eq!((read.unwrap(), got == sent), (sent.len(), true));
    });
}
