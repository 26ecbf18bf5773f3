//! One listener, one file, syslog-ng's default file format: the path whose cost per message we watch.
//!
//! In: `tcp_to_file PORT FILE [lines|counted|auto|udp]`. Out: the file; at the end of standard input, the counters on standard error.
//! Holds: the sets of sources and of destinations and a router with one destination. Limits: those of the two crates.

use delivery::{DestinationDriver, DestinationSpec, Destinations, FileTarget, Queueing, Rendering};
use intake::{
    DatagramListener, ListenAddress, SourceDriver, SourceOptions, SourceSpec, Sources, StreamListener,
};
use message::{Batch, Delivery, Field, Intake, Outlet, Render, Selection, Stamp, WriteBudget};
use std::{
    error::Error,
    io::Read,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use transport::{FilePermissions, InternalLog, Registry};
use wire::{Framing, StampFormat, StampText};

/// `$DATE $HOST $MSGHDR$MSG\n`
struct DefaultLine {
    stamps: StampText,
}

impl Render for DefaultLine {
    fn begin(&mut self, _now: Stamp) {}

    fn render(&mut self, batch: &Batch, index: usize, _sequence: u64, out: &mut Vec<u8>) {
        self.stamps.append(batch.messages[index].event, out);
        out.push(b' ');
        out.extend_from_slice(batch.fixed(index, Field::Host));
        out.push(b' ');
        wire::append_legacy_header(batch, index, out);
        out.extend_from_slice(batch.fixed(index, Field::Message));
        out.push(b'\n');
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.render(batch, index, sequence, out);
    }
}

/// A name without macros.
struct Name(String);

impl Render for Name {
    fn begin(&mut self, _now: Stamp) {}

    fn render(&mut self, _batch: &Batch, _index: usize, _sequence: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0.as_bytes());
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.render(batch, index, sequence, out);
    }

    fn constant(&self) -> Option<&str> {
        Some(&self.0)
    }
}

/// A log path without filters.
struct Path(Arc<dyn Outlet>);

impl Intake for Path {
    fn take(&self, mut batch: Batch, budget: &WriteBudget) {
        let ack = std::mem::take(&mut batch.ack);
        let selection = Selection::all(batch.len());
        self.0.deliver(
            Delivery { batch: Arc::new(batch), selection, controlled: true, ack, first: None },
            budget,
        );
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let port: u16 = arguments.next().ok_or("no port")?.parse()?;
    let file = arguments.next().ok_or("no file")?;
    let registry = Registry::default();
    let log = InternalLog::new("tcp_to_file", None);

    let mut destinations = Destinations::new(registry.clone(), log.clone());
    let staged = destinations.stage(vec![DestinationSpec {
        id: "d#0".to_owned(),
        component: "file".to_owned(),
        driver: DestinationDriver::File(FileTarget {
            trusted_prefix: file.clone(),
            name: Box::new(Name(file)),
            create_folders: false,
            permissions: FilePermissions::default(),
            folder_permissions: FilePermissions::default(),
            reap_after: None,
            fsync: false,
            link: None,
            compress: false,
            rotation: None,
            overwrite_if_older: None,
            open_files_max: 100,
        }),
        queueing: Queueing { reopen_after: Duration::from_millis(500), ..Queueing::default() },
        rendering: Rendering {
            template: Box::new(DefaultLine { stamps: StampText::new(StampFormat::Bsd, 0, None) }),
        },
    }])?;
    let outlet = staged.outlets()["d#0"].clone();
    destinations.commit(staged);

    let mut sources = Sources::start(registry.clone(), log, 0, None)?;
    let mut options = SourceOptions::new("s");
    options.hosts.keep = true;
    let address = ListenAddress::Ip(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let kind = arguments.next().unwrap_or_default();
    options.framing = match kind.as_str() {
        "counted" => Framing::OctetCounted,
        "auto" => Framing::Auto,
        _ => Framing::Newline,
    };
    let driver = match kind.as_str() {
        "udp" => SourceDriver::Datagram(DatagramListener {
            receive_buffer: 32 << 20,
            ..DatagramListener::new(address)
        }),
        _ => SourceDriver::Stream(StreamListener {
            connections: intake::CountLimits { total: 1_000, per_peer: None },
            ..StreamListener::new(address)
        }),
    };
    let staged = sources.stage(vec![SourceSpec {
        id: "s#0".to_owned(),
        component: "network".to_owned(),
        driver,
        options: Arc::new(options),
        intake: Arc::new(Path(outlet)),
    }])?;
    sources.commit(staged);
    eprintln!("listening");

    std::io::stdin().read_to_end(&mut Vec::new())?;
    sources.stop(Duration::from_secs(1));
    destinations.stop(Duration::from_secs(10));
    for entry in registry.list() {
        eprintln!(
            "{};{};{};processed={};written={};dropped={};kernel_dropped={}",
            entry.component,
            entry.id,
            entry.instance,
            entry.processed.load(Ordering::Relaxed),
            entry.written.load(Ordering::Relaxed),
            entry.dropped(),
            entry.kernel_dropped.load(Ordering::Relaxed)
        );
    }
    Ok(())
}
