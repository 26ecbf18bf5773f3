//! Datagrams through real sockets.

use super::*;
use std::{net::UdpSocket, os::fd::AsFd, os::unix::net::UnixDatagram};

#[test]
fn sends_in_order_what_one_call_takes() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    sender.connect(receiver.local_addr().unwrap()).unwrap();
    receiver.set_nonblocking(true).unwrap();
    let texts: Vec<String> = (0..SENT_MAX + 6).map(|number| "x".repeat(number)).collect();
    let datagrams: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
    assert_eq!(send_many(sender.as_fd(), &datagrams).unwrap(), SENT_MAX);
    assert_eq!(send_many(sender.as_fd(), &datagrams[SENT_MAX..]).unwrap(), 6);
    let mut buffer = [0; 200];
    let sizes: Vec<usize> = std::iter::from_fn(|| receiver.recv(&mut buffer).ok()).collect();
    assert_eq!(sizes, (0..SENT_MAX + 6).collect::<Vec<_>>());
    assert_eq!(send_many(sender.as_fd(), &[]).unwrap(), 0);
}

#[test]
fn an_error_is_that_of_the_first_datagram() {
    let (near, far) = UnixDatagram::pair().unwrap();
    drop(far);
    let error = send_many(near.as_fd(), &[b"a", b"b"]).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ECONNREFUSED));
}
