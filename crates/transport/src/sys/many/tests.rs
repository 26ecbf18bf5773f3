//! Datagrams through real sockets.

use super::*;
use std::{net::UdpSocket, os::fd::AsFd};

#[test]
fn shows_bytes_sender_and_what_was_cut() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut datagrams = Datagrams::new(8);
    for text in ["", "short", "exactly8", "too long for it"] {
        sender.send_to(text.as_bytes(), receiver.local_addr().unwrap()).unwrap();
    }
    let mut seen = Vec::new();
    let count = datagrams.receive(receiver.as_fd(), Datagrams::SLOTS, |datagram| {
        assert_eq!(datagram.peer, Some(sender.local_addr().unwrap()));
        seen.push((String::from_utf8_lossy(datagram.bytes).into_owned(), datagram.cut));
    });
    assert_eq!(count.unwrap(), 4);
    let want = [("", false), ("short", false), ("exactly8", false), ("too long", true)];
    assert_eq!(seen, want.map(|(text, cut)| (text.to_owned(), cut)));
    let empty = datagrams.receive(receiver.as_fd(), Datagrams::SLOTS, |_| panic!("there is nothing"));
    assert_eq!(empty.unwrap_err().kind(), io::ErrorKind::WouldBlock);
}

#[test]
fn a_call_takes_at_most_all_slots() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    let total = Datagrams::SLOTS + 10;
    for number in 0..total {
        sender.send_to(&[number as u8], receiver.local_addr().unwrap()).unwrap();
    }
    let mut datagrams = Datagrams::new(100);
    let mut seen = Vec::new();
    let mut receive = || {
        datagrams
            .receive(receiver.as_fd(), Datagrams::SLOTS, |datagram| seen.push(datagram.bytes[0]))
            .unwrap()
    };
    assert_eq!((receive(), receive()), (Datagrams::SLOTS, 10));
    assert_eq!(seen, (0..total as u8).collect::<Vec<_>>());
}

#[test]
fn datagrams_that_came_as_one_tell_their_size() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    sender.connect(receiver.local_addr().unwrap()).unwrap();
    coalesce(receiver.as_fd()).unwrap();
    let mut datagrams = Datagrams::new(64 << 10);
    let segment: libc::c_int = 3;
    // SAFETY: the option's value is one number that outlives the call, given with its true size.
    let failed = unsafe {
        let size = size_of_val(&segment) as libc::socklen_t;
        libc::setsockopt(
            sender.as_raw_fd(),
            libc::SOL_UDP,
            libc::UDP_SEGMENT,
            (&raw const segment).cast(),
            size,
        )
    };
    assert_eq!(failed, 0);
    sender.send(b"onetwosixx").unwrap();
    let mut seen = Vec::new();
    let take = |datagram: Received<'_>| seen.push((datagram.bytes.to_vec(), datagram.segment));
    datagrams.receive(receiver.as_fd(), Datagrams::SLOTS, take).unwrap();
    assert_eq!(seen, [(b"onetwosixx".to_vec(), 3)]);
}
