//! The drivers of destinations, each with its target and its queue.
//!
//! In: the drivers of a `destination` statement. Out: [`DestinationSpec`]s, logspaces, and the outlets that paths end in.
//! Holds: nothing. Limits: a driver that cannot be made is left out, with an error in the report.

use super::{
    file::virtual_console,
    network::socket::remote_port,
    queueing::{gathered_bytes, queueing},
    reshaping::reshaped,
};
use crate::assemble::{
    lowering::Lowering,
    options::driver::Options,
    parts::{
        hook::Hook,
        late_bound_outlet::{LateBoundOutlet, Outlets},
    },
};
use config::Diagnostic;
use config::tree::{Item, Kind};
use delivery::{
    DestinationDriver, DestinationSpec, Partitioned, PipeTarget, ProgramTarget, PseudofileTarget, Queueing,
    Rendering, Server, SocketKind, TerminalTarget,
};
use message::Render;
use std::{path::PathBuf, sync::Arc};
use wire::Framing;

impl<'t> Lowering<'t> {
    /// Makes the drivers of a destination, at its first use.
    pub(crate) fn destination_drivers(&mut self, name: &str, items: &'t [Item]) -> Outlets {
        if let Some(outlets) = self.destinations_made.get(name) {
            return outlets.clone();
        }
        let calls = items.iter().filter_map(|item| match item {
            Item::Call(call) => Some(call),
            Item::Step(_) => None,
        });
        let mut outlets = Outlets::new();
        for (index, call) in calls.enumerate() {
            let id = format!("{name}#{index}");
            let options = Options::new(Kind::Destination, call, self.globals);
            if config::options::driver(Kind::Destination, &call.key()).is_none() {
                continue;
            }
            self.hooks.extend(Hook::of(&id, &options));
            let before = outlets.len();
            if call.key() == "network-load-balancer" {
                outlets.extend(self.load_balancer(&id, &options).map(|outlet| (id, outlet)));
            } else if let Some(lanes) = options.own("lanes") {
                outlets.extend(self.lanes(&id, &options, lanes).map(|outlet| (id, outlet)));
            } else if self.add_driver(&id, &options) {
                outlets.push(self.late_bound_outlet(&id));
            }
            if outlets.len() > before {
                self.unused_options(&options);
            }
        }
        self.destinations_made.insert(name.to_owned(), outlets.clone());
        outlets
    }

    /// Adds one driver. False after an error, which is in the report.
    fn add_driver(&mut self, id: &str, options: &Options<'t>) -> bool {
        if matches!(options.call.key().as_str(), "logspace" | "logstore") {
            return self.add_logspace(id, options);
        }
        self.target(options).is_some_and(|(driver, template)| self.add_target(id, options, driver, template))
    }

    /// Adds the outlet of a destination, to be connected to its queue later.
    pub(crate) fn late_bound_outlet(&mut self, id: &str) -> (String, Arc<LateBoundOutlet>) {
        // `d#0.1` is the second receiver of the first driver of `d`, `d#0.err` one of its lanes.
        let driver =
            id.rsplit_once('.').filter(|(driver, _)| driver.contains('#')).map_or(id, |(driver, _)| driver);
        let mut names = vec![id.to_owned(), driver.to_owned(), message::source_name(id).to_owned()];
        names.dedup();
        let tap = self.tap("destination", names);
        let outlet = (id.to_owned(), Arc::new(LateBoundOutlet::new(tap)));
        self.outlets.push(outlet.clone());
        outlet
    }

    /// Adds a target with its queue. Returns false after an error, which is in the report.
    pub(crate) fn add_target(
        &mut self,
        id: &str,
        options: &Options<'t>,
        driver: DestinationDriver,
        template: Box<dyn Render>,
    ) -> bool {
        let Some(disk) = self.disk_buffer(id, options) else { return false };
        let dead_letters = match driver {
            DestinationDriver::Receiver(_) => match self.dead_letters(id, options) {
                Some(letters) => Some(letters),
                None => return false,
            },
            _ => None,
        };
        let Some(driver) = self.partitioned(options, driver) else { return false };
        let template = reshaped(template, options);
        self.destinations.push(DestinationSpec {
            id: id.to_owned(),
            component: options.call.key(),
            queueing: Queueing {
                disk,
                dead_letters,
                batch_bytes: gathered_bytes(&driver),
                ..queueing(options)
            },
            driver,
            rendering: Rendering { template },
        });
        true
    }

    /// Applies `worker-partition-key()`. `None` after an error, which is in the report.
    fn partitioned(&mut self, options: &Options<'t>, driver: DestinationDriver) -> Option<DestinationDriver> {
        let (DestinationDriver::Receiver(receiver), Some(option)) =
            (&driver, options.own("worker-partition-key"))
        else {
            return Some(driver);
        };
        if receiver.workers() == 1 {
            return Some(driver);
        }
        let key = self.named_or_text(option)?;
        let key = self.template_renderer(key, options);
        if key.constant().is_some() {
            let message =
                "worker-partition-key() is the same for every message: one worker would have all of them";
            let help = "a template with a macro, such as worker-partition-key(\"$HOST\")";
            self.report.push(Diagnostic::error(option.name.span, message).help(help));
            return None;
        }
        Some(match driver {
            DestinationDriver::Receiver(receiver) => {
                DestinationDriver::Receiver(Box::new(Partitioned::new(receiver, key)))
            }
            other => other,
        })
    }

    /// Makes the target of a driver, and the renderer of its messages. `None` after an error, which is in the report.
    pub(crate) fn target(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let path = || options.plain().map(PathBuf::from);
        Some(match options.call.key().as_str() {
            "file" => {
                let file = self.file(options, None)?;
                let line = match self.sealed_lines(options) {
                    Some(sealed) => sealed?,
                    None => self.file_line(options)?,
                };
                (DestinationDriver::File(file), line)
            }
            "getvirtconsole" => {
                let file = self.file(options, Some(virtual_console()))?;
                (DestinationDriver::File(file), self.file_line(options)?)
            }
            "example-destination" => self.example(options)?,
            "pipe" | "fifo" => {
                let permissions = self.permissions(options, Some(0o600), ["owner", "group", "perm"]);
                let pipe = PipeTarget { path: path()?, permissions, folders: self.folders(options) };
                (DestinationDriver::Pipe(pipe), self.file_line(options)?)
            }
            "pseudofile" => {
                (DestinationDriver::Pseudofile(PseudofileTarget { path: path()? }), self.file_line(options)?)
            }
            "program" => {
                let program = ProgramTarget {
                    command: options.plain()?,
                    keep_over_reload: options.is_yes("keep-alive"),
                    environment: options.environment(),
                };
                (DestinationDriver::Program(program), self.file_line(options)?)
            }
            "usertty" => (
                DestinationDriver::Terminals(TerminalTarget { user: options.plain()? }),
                self.file_line(options)?,
            ),
            "stdout" => (DestinationDriver::Stdout, self.file_line(options)?),
            "relp" => self.relp(options)?,
            "sltp" => self.sltp(options)?,
            "sql" => self.sql(options)?,
            "mongodb" => self.mongodb(options)?,
            "redis" => self.redis(options)?,
            "amqp" => self.amqp(options)?,
            "riemann" => self.riemann(options)?,
            "collectd" => self.collectd(options)?,
            "stomp" => self.stomp(options)?,
            "zabbix" => self.zabbix(options)?,
            "mqtt" => self.mqtt(options)?,
            "nats" => self.nats(options)?,
            "kafka" | "kafka-c" | "kafka-java" => self.kafka(options)?,
            "python" => self.python(options)?,
            "s3" => self.s3(options)?,
            "hdfs" => self.hdfs(options)?,
            "clickhouse" => self.clickhouse(options)?,
            "nrdp" => self.nrdp(options)?,
            "http" => self.http_target(options)?,
            "elasticsearch2" | "elasticsearch" => self.elasticsearch(options)?,
            "splunk-hec" => self.splunk_hec(options)?,
            "loki" => self.loki(options)?,
            "opentelemetry" | "syslog-ng-otlp" | "axosyslog-otlp" => self.otlp(options)?,
            "smtp" => self.mail(options)?,
            "snmp" => self.snmp(options)?,
            "gelf" => self.gelf(options)?,
            "unix-stream" => self.socket(options, SocketKind::UnixStream(path()?), Framing::Newline)?,
            "unix-dgram" => self.socket(options, SocketKind::UnixDatagram(path()?), Framing::Datagram)?,
            _ => self.remote(options)?,
        })
    }

    /// Makes the file of `example-destination()`.
    fn example(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let name = options.own_text("filename")?;
        let file = self.file(options, Some(name))?;
        // One thread writes it; syslog-ng shows its number.
        let text = format!("thread_id={} message=$MESSAGE\n", std::process::id());
        let line = self.built_in_template(&text, options)?;
        Some((DestinationDriver::File(file), self.template_renderer(line, options)))
    }

    /// Makes the target of a driver that sends to a port.
    fn remote(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let to = Server { host: options.plain()?, port: remote_port(options) };
        let (kind, framing) = self.remote_socket(options, to)?;
        let (driver, render) = self.socket(options, kind, framing)?;
        Some((self.spoofing(options, driver), render))
    }
}
