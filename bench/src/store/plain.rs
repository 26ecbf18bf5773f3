//! The plain file of the fictitious site: generated once, sent with sendfile(2), read by the rivals.
//!
//! In: a number of messages. Out: a file, and its bytes on one TCP connection; sending costs hardly any CPU.

use crate::site::Site;
use rustix::fs::sendfile;
use std::{
    fs::{self, File},
    io::{self, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpStream},
    path::{Path, PathBuf},
};

/// Seed of every corpus.
pub(super) const SEED: u64 = 42;
/// Bytes generated before they are written.
const WRITE_BYTES: usize = 1 << 20;
/// Bytes of one sendfile call.
const SEND_BYTES: usize = 16 << 20;

/// A plain file of messages.
pub(crate) struct Corpus {
    pub(crate) path: PathBuf,
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
}

impl Corpus {
    /// Opens the file of `messages` messages, and generates it if it is missing.
    pub(super) fn of(out: &Path, messages: u64) -> io::Result<Corpus> {
        let path = out.join(format!("site-{messages}.log"));
        if !path.exists() {
            let unfinished = path.with_extension("part");
            make(&mut File::create(&unfinished)?, messages)?;
            fs::rename(&unfinished, &path)?;
        }
        let bytes = path.metadata()?.len();
        Ok(Corpus { path, messages, bytes })
    }
}

fn make(file: &mut File, messages: u64) -> io::Result<()> {
    let mut site = Site::new(SEED)?;
    let mut bytes = Vec::with_capacity(2 * WRITE_BYTES);
    for _ in 0..messages {
        site.write_line(&mut bytes);
        if bytes.len() > WRITE_BYTES {
            file.write_all(&bytes)?;
            bytes.clear();
        }
    }
    file.write_all(&bytes)
}

/// Sends the file over one connection and waits until the receiver has read it and closed.
pub(super) fn send(path: &Path, port: u16) -> io::Result<()> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut peer = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    let mut offset = 0;
    while offset < length {
        let rest = (length - offset).min(SEND_BYTES as u64) as usize;
        sendfile(&peer, &file, Some(&mut offset), rest)?;
    }
    finish(&mut peer)
}

/// Signals the end and waits until the receiver has closed as well.
pub(super) fn finish(peer: &mut TcpStream) -> io::Result<()> {
    peer.shutdown(Shutdown::Write)?;
    let mut rest = [0; 4096];
    while peer.read(&mut rest)? > 0 {}
    Ok(())
}
