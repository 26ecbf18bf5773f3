//! A running source for tests, on a port of its own.
//!
//! In: a driver. Out: the received messages. Holds: the set of sources. Limits: none.
#![allow(clippy::unwrap_used)]

use crate::{ListenAddress, SourceDriver, SourceOptions, SourceSpec, Sources, StreamListener};
use message::Intake;
use std::{
    net::{Ipv4Addr, SocketAddr, TcpStream},
    sync::Arc,
};
use transport::{HostPolicy, InternalLog, Registry, UseDns, testing::Collected};

/// One source and the messages it received.
pub struct Setup {
    /// The set that has it.
    pub sources: Sources,
    /// Its counters.
    pub registry: Registry,
    /// The receiver of its messages.
    pub collected: Arc<Collected>,
    /// A port that was free.
    pub port: u16,
}

/// Returns an unused port.
pub fn free_port() -> u16 {
    let tcp = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    tcp.local_addr().unwrap().port()
}

/// Returns the options of a source that looks no names up.
pub fn source_options() -> SourceOptions {
    let mut options = SourceOptions::new("s");
    options.hosts = HostPolicy { keep: true, use_dns: UseDns::No, ..HostPolicy::default() };
    options
}

/// Returns the address of a port of this machine.
pub fn here(port: u16) -> ListenAddress {
    ListenAddress::Ip(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
}

/// Returns a source of the set.
pub fn spec(driver: SourceDriver, options: SourceOptions, intake: Arc<dyn Intake>) -> SourceSpec {
    SourceSpec {
        id: "s#0".to_owned(),
        component: "network".to_owned(),
        driver,
        options: Arc::new(options),
        intake,
    }
}

impl Setup {
    /// Starts a source; the driver is made for the free port.
    pub fn new(driver: impl FnOnce(u16) -> SourceDriver, options: SourceOptions) -> Setup {
        let (registry, collected, port) = (Registry::default(), Collected::new(), free_port());
        let log = InternalLog::new("test", None);
        let mut sources = Sources::start(registry.clone(), log, 2, None).unwrap();
        let staged = sources.stage(vec![spec(driver(port), options, collected.clone())]).unwrap();
        sources.commit(staged);
        Setup { sources, registry, collected, port }
    }

    /// Starts a listener for TCP.
    pub fn tcp(options: SourceOptions) -> Setup {
        Setup::new(|port| SourceDriver::Stream(StreamListener::new(here(port))), options)
    }

    /// Connects to it.
    pub fn connect(&self) -> TcpStream {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap()
    }
}
