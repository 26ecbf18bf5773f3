//! Code shared by the tests of this crate: renderings that are easy to read, a running destination, peers.
//!
//! In: a driver. Out: where its messages arrive. Holds: the set of destinations. Limits: none.

use crate::{
    DestinationDriver, DestinationSpec, Destinations, Queueing, Rendering, SocketKind, SocketTarget,
};
use message::{Ack, Outlet, WriteBudget};
use std::{
    io::Read,
    net::{TcpListener, TcpStream},
    sync::Arc,
    time::Duration,
};
use transport::{
    InternalLog, Registry,
    testing::{PATIENCE, Text, delivery},
};

/// `$MSG` and a line feed.
pub(crate) fn lines() -> Rendering {
    Rendering { template: Text::boxed("$MSG\n") }
}

/// A running destination.
pub(crate) struct Setup {
    pub(crate) destinations: Destinations,
    pub(crate) outlet: Arc<dyn Outlet>,
    pub(crate) registry: Registry,
}

pub(crate) fn spec(driver: DestinationDriver, template: &str) -> DestinationSpec {
    DestinationSpec {
        id: "d#0".to_owned(),
        component: "network".to_owned(),
        driver,
        queueing: Queueing { reopen_after: Duration::from_millis(10), ..Queueing::default() },
        rendering: Rendering { template: Text::boxed(template) },
    }
}

impl Setup {
    pub(crate) fn new(spec: DestinationSpec) -> Setup {
        let registry = Registry::default();
        let mut destinations = Destinations::new(registry.clone(), InternalLog::new("test", None));
        let staged = destinations.stage(vec![spec]).unwrap();
        let outlet = staged.outlets()["d#0"].clone();
        destinations.commit(staged);
        Setup { destinations, outlet, registry }
    }

    pub(crate) fn send(&self, messages: &[&str]) {
        self.outlet.deliver(delivery(messages, Ack::none(), true), &WriteBudget::none());
    }
}

pub(crate) fn tcp_to(listener: &TcpListener) -> SocketTarget {
    SocketTarget::new(SocketKind::Tcp("127.0.0.1".to_owned(), listener.local_addr().unwrap().port()))
}

#[track_caller]
pub(crate) fn accept(listener: &TcpListener) -> TcpStream {
    let (stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

#[track_caller]
pub(crate) fn check_read(stream: &mut impl Read, want: &str) {
    let mut bytes = vec![0; want.len()];
    stream.read_exact(&mut bytes).unwrap();
    assert_eq!(String::from_utf8_lossy(&bytes), want);
}
