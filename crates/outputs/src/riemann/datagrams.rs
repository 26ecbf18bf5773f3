//! Events over UDP: each is a datagram of its own.
//!
//! In: rows, each an event. Out: delivered, when the machine has sent it. Holds: a socket.
//! Limits: the server does not answer, so what gets lost on the way is lost. A port where nobody listens is noticed, mostly, by the
//! datagram after the first.

use crate::link::{Endpoint, failure::Failure, verdicts::Verdicts};
use delivery::{Cell, Connection, Exchange, Judgement, Row, Verdict};
use std::{
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
};
use tokio::net::{UdpSocket, lookup_host};
use transport::riemann::append_event;

/// A socket, or room for one.
pub(super) struct DatagramConnection {
    server: Endpoint,
    open: Option<UdpSocket>,
}

impl DatagramConnection {
    pub(super) fn new(server: Endpoint) -> DatagramConnection {
        DatagramConnection { server, open: None }
    }

    async fn connect(&self) -> io::Result<UdpSocket> {
        let mut found = lookup_host((self.server.host.as_str(), self.server.port)).await?;
        let server = found.next().ok_or(io::ErrorKind::NotFound)?;
        let any: SocketAddr = match server {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = UdpSocket::bind(any).await?;
        socket.connect(server).await?;
        Ok(socket)
    }

    async fn send_all(&mut self, rows: &[Row]) -> Vec<Judgement> {
        let mut verdicts = Verdicts::default();
        let failure = match self.send_each(rows, &mut verdicts).await {
            Ok(()) => None,
            Err(error) => {
                self.open = None;
                Some(Failure::unreachable(error.to_string()))
            }
        };
        verdicts.finish(rows.len(), failure.as_ref())
    }

    async fn send_each(&mut self, rows: &[Row], verdicts: &mut Verdicts) -> io::Result<()> {
        let socket = match self.open.take() {
            Some(socket) => socket,
            None => self.connect().await?,
        };
        for row in rows {
            let mut message = Vec::new();
            if let [Cell::Bytes(event)] = row.cells.as_slice() {
                append_event(event, &mut message);
            }
            socket.send(&message).await?;
            verdicts.push(Verdict::Delivered, "");
        }
        self.open = Some(socket);
        Ok(())
    }
}

impl Connection for DatagramConnection {
    fn send<'a>(&'a mut self, _group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(self.send_all(rows))
    }

    fn close(&mut self) {
        self.open = None;
    }
}
