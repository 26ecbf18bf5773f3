//! The floor: one thread that reads a socket and writes a file, without parsing.
//!
//! In: a connection. Out: its bytes in a file, or on another connection.

use super::subject::{RunFolder, Subject};
use crate::rows::row::Row;
use std::{
    env,
    fs::File,
    io::{self, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command},
};

/// Bytes of one read; larger reads gain nothing.
const READ_BYTES: usize = 256 * 1024;

/// The copying floor.
pub(crate) struct Copy;

impl Subject for Copy {
    fn name(&self) -> String {
        "copying alone".into()
    }

    fn family(&self) -> &'static str {
        "copy"
    }

    /// It parses nothing, and accepts one connection at a time.
    fn can(&self, row: Row) -> bool {
        matches!(row, Row::Bsd | Row::Udp | Row::UdpRuns | Row::Relay)
    }

    fn start(&self, row: Row, run_folder: &RunFolder) -> io::Result<Child> {
        let (verb, end) = match row {
            Row::Udp | Row::UdpRuns => ("datagram-floor", run_folder.output("all")),
            Row::Relay => ("relay-floor", run_folder.next_port.to_string()),
            _ => ("copy-floor", run_folder.output("all")),
        };
        let words = [verb, &run_folder.port.to_string(), &end];
        run_folder.spawn(Command::new(env::current_exe()?).args(words))
    }
}

/// The floor's own process: copies connections one after the other to a file, until it is killed.
pub(crate) fn serve(port: &str, file: &Path) -> io::Result<()> {
    copy(port, File::create(file)?)
}

/// The same, to a connection.
pub(crate) fn pass_on(port: &str, next: &str) -> io::Result<()> {
    let next: u16 = next.parse().map_err(io::Error::other)?;
    copy(port, TcpStream::connect((Ipv4Addr::LOCALHOST, next))?)
}

fn copy(port: &str, mut out: impl Write) -> io::Result<()> {
    let port: u16 = port.parse().map_err(io::Error::other)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let mut buffer = vec![0; READ_BYTES];
    for peer in listener.incoming() {
        let mut peer = peer?;
        loop {
            let read = peer.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            out.write_all(&buffer[..read])?;
        }
    }
    Ok(())
}
