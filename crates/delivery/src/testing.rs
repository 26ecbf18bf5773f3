//! Code shared by the tests of this crate: renderings that are easy to read, a running destination, peers.
//!
//! In: a driver. Out: where its messages arrive. Holds: the set of destinations. Limits: none.

use crate::{
    DestinationDriver, DestinationSpec, Destinations, FileTarget, Queueing, Rendering, SocketKind,
    SocketTarget,
};
use message::{Ack, Batch, Outlet, Render, Stamp, WriteBudget};
use std::{
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};
use transport::{
    FilePermissions, InternalLog, Registry,
    testing::{PATIENCE, Text, delivery},
};

/// `$MSG` and a line feed.
pub(crate) fn lines() -> Rendering {
    Rendering { template: Text::boxed("$MSG\n") }
}

/// A file of this name, and the least of all options.
pub(crate) fn file_target(name: &str) -> FileTarget {
    FileTarget {
        name: Text::boxed(name),
        trusted_prefix: String::new(),
        create_folders: false,
        permissions: FilePermissions::default(),
        folder_permissions: FilePermissions::default(),
        reap_after: None,
        fsync: false,
        overwrite_if_older: None,
        rotation: None,
        compress: false,
        link: None,
        open_files_max: 1,
    }
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

/// Notes the time for which it renders, and writes the number of the message.
pub(crate) struct Noting(pub(crate) Arc<AtomicI64>);

impl Render for Noting {
    fn begin(&mut self, now: Stamp) {
        self.0.store(now.unix_us, Ordering::Relaxed);
    }

    fn render(&mut self, _: &Batch, _: usize, sequence: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("m{sequence}").as_bytes());
    }

    fn render_name(&mut self, _: &Batch, _: usize, _: u64, _: &mut Vec<u8>) {}

    fn constant(&self) -> Option<&str> {
        None
    }
}
