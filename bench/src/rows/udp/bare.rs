//! The floor of the UDP row: one thread that receives datagrams and writes lines, without parsing.
//!
//! In: datagrams. Out: their bytes in a file.

use super::batch::{self, BATCH, Slots};
use crate::rows::row::RECEIVE_BUFFER_BYTES;
use std::{
    fs::File,
    io::{self, Write},
    net::{Ipv4Addr, UdpSocket},
    path::Path,
};

/// Bytes that are gathered before they are written, unless the socket is empty.
const GATHERED_BYTES: usize = 256 << 10;

/// The floor's own process, until it is ended.
pub(crate) fn serve(port: &str, file: &Path) -> io::Result<()> {
    let port: u16 = port.parse().map_err(io::Error::other)?;
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, port))?;
    batch::receive_buffer(&socket, RECEIVE_BUFFER_BYTES)?;
    let mut out = File::create(file)?;
    let (mut slots, mut lines) = (Slots::new(), Vec::with_capacity(2 * GATHERED_BYTES));
    loop {
        let count = slots.receive(&socket, &mut lines)?;
        if lines.len() >= GATHERED_BYTES || count < BATCH {
            out.write_all(&lines)?;
            lines.clear();
        }
    }
}
