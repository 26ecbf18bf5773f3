//! Code shared by the tests of crates with receivers: rows of receivers in short, templates that know the time, encrypted servers.
//!
//! In: receivers, messages. Out: their rows as text. Holds: nothing. Limits: none.
#![allow(clippy::unwrap_used)]

use crate::{
    contract::{Cell, Connection, Judgement, Receiver, Row},
    sequences::SequenceSet,
    staging::Staging,
};
use message::{Batch, Render, Stamp};
use std::{net::TcpListener, path::Path, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    runtime::{Builder, Runtime},
    time::timeout,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};
use transport::{
    testing::{Pki, batch},
    tls::{PeerVerify, SenderTls, ServerTls, TlsOptions},
};

/// Renders the time for which it renders, and the number of the message.
#[derive(Default)]
pub struct Timed(i64);

impl Render for Timed {
    fn begin(&mut self, now: Stamp) {
        self.0 = now.unix_us;
    }

    fn render(&mut self, _: &Batch, _: usize, sequence: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("t{}n{sequence}", self.0).as_bytes());
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.render(batch, index, sequence, out);
    }

    fn constant(&self) -> Option<&str> {
        None
    }
}

/// Renders a text of a length.
pub struct Long(pub usize);

impl Render for Long {
    fn begin(&mut self, _: Stamp) {}

    fn render(&mut self, _: &Batch, _: usize, _: u64, out: &mut Vec<u8>) {
        out.resize(out.len() + self.0, b'x');
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.render(batch, index, sequence, out);
    }

    fn constant(&self) -> Option<&str> {
        None
    }
}

/// Shows the row that a receiver makes of one message, `HOST|TEXT`, which is the ninth and came at the time 77; a row that
/// is longer than most is shown by its first word only.
pub fn row(receiver: &mut dyn Receiver, message: &str) -> String {
    receiver.begin(Stamp::known(77, 0));
    let mut group = String::new();
    let batch = batch(&[message]);
    match receiver.row(&batch, 0, 9, &mut group) {
        Ok(cells) => {
            let shown = |cell: &Cell| match cell {
                Cell::Bytes(bytes) if bytes.len() > 1_000 => "long".to_owned(),
                Cell::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                cell => format!("{cell:?}"),
            };
            format!("{group}: {}", cells.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        Err(error) => format!("{:?}: {}", error.reason, error.text),
    }
}

/// Shows verdicts.
pub fn shown(judgements: &[Judgement]) -> String {
    let shown = judgements.iter().map(|one| format!("{} {:?} {}", one.rows, one.verdict, one.answer));
    shown.collect::<Vec<_>>().join("; ")
}

/// Returns a port on which nobody listens.
pub fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Makes a runtime on this thread.
pub fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Makes an authority that has issued a certificate for this machine's address.
pub fn pki() -> Pki {
    let pki = Pki::new();
    pki.issue("local", &["127.0.0.1"], |_| {});
    pki
}

/// Returns the settings of a client that trusts an authority.
pub fn client(pki: &Pki) -> SenderTls {
    SenderTls::new(pki.anonymous())
}

/// Shakes hands as the server on this machine's address.
pub async fn accept<S>(pki: &Pki, stream: S) -> std::io::Result<TlsStream<S>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let options = TlsOptions { peer_verify: PeerVerify::NotAsked, ..pki.options("local") };
    let settings = ServerTls::load(&options).unwrap();
    TlsAcceptor::from(Arc::clone(settings.config())).accept(stream).await
}

/// Sends rows to a server that answers each thing it hears with the next of these, then closes the connection. Returns the
/// verdicts, and whether the server saw the end.
pub fn sent_and_closed(
    listener: TcpListener,
    says: &[&[u8]],
    connection: &mut dyn Connection,
    (group, rows): (&str, &[Row]),
) -> (String, bool) {
    runtime().block_on(async {
        listener.set_nonblocking(true).unwrap();
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        let serve = async {
            let (mut peer, _) = listener.accept().await.unwrap();
            for answer in says {
                let _ = peer.read(&mut [0; 4096]).await;
                peer.write_all(answer).await.unwrap();
            }
            peer.read(&mut [0; 4096]).await.is_ok_and(|size| size == 0)
        };
        let send = async {
            let found = shown(&connection.send(group, rows).await);
            connection.close();
            found
        };
        let (is_closed, found) = tokio::join!(timeout(Duration::from_secs(2), serve), send);
        (found, is_closed.is_ok_and(|is_closed| is_closed))
    })
}

/// Makes the staging of a queue without a queue.
pub fn staging(folder: &Path, incarnation: u64, cursor: u64) -> Arc<Staging> {
    Arc::new(Staging::new(folder.to_owned(), incarnation, cursor, Box::new(|| {})))
}

/// Returns the messages that a receiver asks for again; they are no longer kept for that.
pub fn asked_again(staging: &Arc<Staging>) -> Vec<SequenceSet> {
    staging.take_rereads().into_iter().map(|(messages, _)| messages).collect()
}

/// Returns the place up to which everything is settled, when everything below another has left memory; and notes it.
pub fn settled_below(staging: &Staging, left: u64) -> u64 {
    let cursor = staging.limit(left);
    staging.set_cursor(cursor);
    cursor
}

/// Returns how many messages were delivered since the last call.
pub fn delivered(staging: &Staging) -> usize {
    staging.take_delivered().0
}
