//! Streams of each kind, read and written.

use super::*;
use std::{
    future::poll_fn,
    os::{fd::OwnedFd, unix::net::UnixDatagram},
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use transport::sys;

fn block_on<T>(task: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(task)
}

async fn is_ready(wait: impl Future<Output = io::Result<()>>) -> bool {
    timeout(Duration::ZERO, wait).await.is_ok()
}

/// Returns true if there is something to read; the system may report that once before it is asked.
async fn has_more(stream: &mut Stream) -> bool {
    assert_eq!(read(stream).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    is_ready(stream.readable()).await
}

/// Reads the available bytes.
fn read(stream: &mut Stream) -> io::Result<String> {
    let mut buffer = Vec::with_capacity(64);
    let size = stream.read(&mut buffer)?;
    assert_eq!(size, buffer.len());
    Ok(String::from_utf8(buffer).unwrap())
}

#[test]
fn what_was_read_before_comes_first() {
    block_on(async {
        let (near, mut far) = UnixStream::pair().unwrap();
        let mut stream = Stream::After(b"early".to_vec(), Box::new(Stream::Unix(near)));
        assert!(!stream.is_encrypted());
        assert!(is_ready(stream.readable()).await);
        poll_fn(|context| stream.poll_readable(context)).await.unwrap();
        assert_eq!(read(&mut stream).unwrap(), "early");
        assert!(!has_more(&mut stream).await);
        far.write_all(b"late").await.unwrap();
        stream.readable().await.unwrap();
        poll_fn(|context| stream.poll_readable(context)).await.unwrap();
        assert_eq!(read(&mut stream).unwrap(), "late");
        assert_eq!(read(&mut stream).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        stream.writable().await.unwrap();
        poll_fn(|context| stream.poll_writable(context)).await.unwrap();
        assert_eq!(stream.write(b"answer").unwrap(), 6);
        drop(stream);
        let mut answer = String::new();
        far.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer, "answer");
    });
}

#[test]
fn a_connection_works_both_ways() {
    block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut far = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let mut stream = Stream::Tcp(listener.accept().await.unwrap().0);
        assert!(!has_more(&mut stream).await);
        far.write_all(b"text").await.unwrap();
        stream.readable().await.unwrap();
        poll_fn(|context| stream.poll_readable(context)).await.unwrap();
        assert_eq!(read(&mut stream).unwrap(), "text");
        stream.writable().await.unwrap();
        poll_fn(|context| stream.poll_writable(context)).await.unwrap();
        assert_eq!(stream.write(b"back").unwrap(), 4);
        let mut back = [0; 4];
        far.read_exact(&mut back).await.unwrap();
        assert_eq!(&back, b"back");
        drop(far);
        stream.readable().await.unwrap();
        assert_eq!(read(&mut stream).unwrap(), "");
    });
}

#[test]
fn a_pipe_works_one_way() {
    block_on(async {
        let (mut sender, receiver) = pipe::pipe().unwrap();
        let mut stream = Stream::Pipe(receiver);
        sender.write_all(b"text").await.unwrap();
        stream.readable().await.unwrap();
        assert_eq!(read(&mut stream).unwrap(), "text");
        assert!(!is_ready(stream.writable()).await);
        let kind = |result: io::Result<()>| result.unwrap_err().kind();
        assert_eq!(kind(stream.write(b"x").map(drop)), io::ErrorKind::Unsupported);
        assert_eq!(kind(poll_fn(|context| stream.poll_readable(context)).await), io::ErrorKind::Unsupported);
        assert_eq!(kind(poll_fn(|context| stream.poll_writable(context)).await), io::ErrorKind::Unsupported);
    });
}

#[test]
fn a_device_gives_one_record_a_read() {
    block_on(async {
        let (near, far) = UnixDatagram::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let mut stream = Stream::Device(sys::readiness(File::from(OwnedFd::from(near))).unwrap());
        far.send(b"one").unwrap();
        far.send(b"two").unwrap();
        stream.readable().await.unwrap();
        assert_eq!(read(&mut stream).unwrap(), "one");
        assert_eq!(read(&mut stream).unwrap(), "two");
        assert_eq!(read(&mut stream).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        assert!(!is_ready(stream.readable()).await && !is_ready(stream.writable()).await);
    });
}
