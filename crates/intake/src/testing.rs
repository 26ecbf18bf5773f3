//! A running source for the tests of this folder, on a port of its own.
//!
//! In: a driver. Out: the received messages. Holds: the set of sources. Limits: none.

use crate::{ListenAddress, SourceDriver, SourceOptions, SourceSpec, Sources, StreamListener};
use message::Intake;
use std::{
    net::{Ipv4Addr, SocketAddr, TcpStream},
    sync::Arc,
};
use transport::{HostPolicy, InternalLog, Registry, UseDns, testing::Collected};

/// One source and the messages it received.
pub(crate) struct Setup {
    pub(crate) sources: Sources,
    pub(crate) registry: Registry,
    pub(crate) collected: Arc<Collected>,
    pub(crate) port: u16,
}

/// Returns an unused port.
pub(crate) fn free_port() -> u16 {
    let tcp = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    tcp.local_addr().unwrap().port()
}

pub(crate) fn source_options() -> SourceOptions {
    let mut options = SourceOptions::new("s");
    options.hosts = HostPolicy { keep: true, use_dns: UseDns::No, ..HostPolicy::default() };
    options
}

pub(crate) fn here(port: u16) -> ListenAddress {
    ListenAddress::Ip(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
}

pub(crate) fn spec(driver: SourceDriver, options: SourceOptions, intake: Arc<dyn Intake>) -> SourceSpec {
    SourceSpec {
        id: "s#0".to_owned(),
        component: "network".to_owned(),
        driver,
        options: Arc::new(options),
        intake,
    }
}

impl Setup {
    pub(crate) fn new(driver: impl FnOnce(u16) -> SourceDriver, options: SourceOptions) -> Setup {
        let (registry, collected, port) = (Registry::default(), Collected::new(), free_port());
        let log = InternalLog::new("test", None);
        let mut sources = Sources::start(registry.clone(), log, 2, None).unwrap();
        let staged = sources.stage(vec![spec(driver(port), options, collected.clone())]).unwrap();
        sources.commit(staged);
        Setup { sources, registry, collected, port }
    }

    pub(crate) fn tcp(options: SourceOptions) -> Setup {
        Setup::new(|port| SourceDriver::Stream(StreamListener::new(here(port))), options)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap()
    }
}
