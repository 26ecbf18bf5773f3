//! The sender: as fast as the receiver accepts the messages, at almost no cost of its own.
//!
//! In: a corpus. Out: its bytes on TCP connections, by sendfile(2) from memory: nothing is copied on our side.
//! Limits: loopback only.

use crate::{
    rows::{corpus::Corpus, row::share},
    tls,
};
use rustix::fs::{MemfdFlags, memfd_create, sendfile};
use std::{
    fs::File,
    io::{self, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpStream},
    sync::Arc,
    thread,
    time::Instant,
};

/// The result of sending.
pub(crate) struct Sent {
    /// Time at which the first byte was sent.
    pub(crate) start: Instant,
}

/// Sends `messages` lines over `connections` and waits until the receiver has read them all and closed.
pub(crate) fn send(corpus: &Corpus, port: u16, messages: u64, connections: usize) -> io::Result<Sent> {
    let mut memory = File::from(memfd_create("corpus", MemfdFlags::CLOEXEC)?);
    memory.write_all(&corpus.bytes)?;
    let memory = Arc::new(memory);
    let ends = Arc::new(corpus.ends.clone());
    let peers = (0..connections)
        .map(|_| TcpStream::connect((Ipv4Addr::LOCALHOST, port)))
        .collect::<io::Result<Vec<_>>>()?;
    let start = Instant::now();
    let senders: Vec<_> = peers
        .into_iter()
        .enumerate()
        .map(|(number, peer)| {
            let (memory, ends) = (memory.clone(), ends.clone());
            let share = share(messages, number, connections);
            thread::spawn(move || send_share(&peer, &memory, &ends, share))
        })
        .collect();
    for sender in senders {
        sender.join().map_err(|_| io::Error::other("a sender ended by a bug"))??;
    }
    Ok(Sent { start })
}

/// Sends `messages` lines over one encrypted connection. Encryption is the sender's only cost.
pub(crate) fn send_encrypted(corpus: &Corpus, port: u16, messages: u64) -> io::Result<Sent> {
    /// Bytes of one call.
    const PIECE: usize = 256 << 10;
    let mut peer = tls::connect(port)?;
    let start = Instant::now();
    let mut left = messages;
    while left > 0 {
        let lines = left.min(corpus.ends.len() as u64);
        let end = corpus.ends[lines as usize - 1];
        for piece in corpus.bytes[..end].chunks(PIECE) {
            peer.write_all(piece)?;
        }
        left -= lines;
    }
    peer.conn.send_close_notify();
    peer.flush()?;
    peer.sock.shutdown(Shutdown::Write)?;
    peer.sock.set_read_timeout(Some(std::time::Duration::from_secs(60)))?;
    let mut rest = [0; 4096];
    while peer.sock.read(&mut rest)? > 0 {}
    Ok(Sent { start })
}

fn send_share(mut peer: &TcpStream, memory: &File, ends: &[usize], mut messages: u64) -> io::Result<()> {
    while messages > 0 {
        let lines = messages.min(ends.len() as u64);
        let end = ends[lines as usize - 1] as u64;
        let mut offset = 0;
        while offset < end {
            let rest = (end - offset) as usize;
            sendfile(peer, memory, Some(&mut offset), rest)?;
        }
        messages -= lines;
    }
    peer.shutdown(Shutdown::Write)?;
    // The receiver closes when it has read everything; some keep the connection open a little longer, so
    // there is a timeout.
    peer.set_read_timeout(Some(std::time::Duration::from_secs(60)))?;
    let mut rest = [0; 4096];
    while peer.read(&mut rest)? > 0 {}
    Ok(())
}
