//! The drivers of sources, each with its options.
//!
//! In: the drivers of a `source` statement. Out: [`SourceDraft`]s, which get their router at the end. Holds: nothing.
//! Limits: a driver that cannot be made is left out, with an error in the report.

use super::{gelf::gelf_options, journal::journal, listeners::complete_datagram};
use crate::assemble::{
    lowering::Lowering,
    options::driver::Options,
    parts::{hook::Hook, source_draft::SourceDraft},
};
use config::tree::{Call, Item, Kind};
use intake::{
    DatagramListener, FileSource, Input, ListenAddress, PipeSource, ProgramSource, SourceDriver,
    StreamListener, WildcardSource,
};
use notify::AlertsSource;
use python::Role;
use std::{path::PathBuf, sync::Arc, time::Duration};
use wire::Framing;

/// Pause before a command that ended is started again.
const RESTART_AFTER: Duration = Duration::from_secs(1);

impl<'t> Lowering<'t> {
    /// Makes the drivers of a source, at its first use.
    pub(crate) fn source_drivers(&mut self, name: &str, items: &'t [Item]) {
        if !self.sources_made.insert(name.to_owned()) {
            return;
        }
        let calls = items.iter().filter_map(|item| match item {
            Item::Call(call) => Some(call),
            Item::Step(_) => None,
        });
        for (index, call) in calls.enumerate() {
            if config::options::driver(Kind::Source, &call.key()).is_none() {
                continue;
            }
            let options = Options::new(Kind::Source, call, self.globals);
            let Some((driver, framing)) = self.source_driver(&options) else { continue };
            self.hooks.extend(Hook::of(&format!("{name}#{index}"), &options));
            let mut source_options = self.source_options(name, &options, &driver);
            source_options.framing = match options.own("pad-size").and_then(Call::number) {
                Some(size) if size > 0 => Framing::Blocks(usize::try_from(size).unwrap_or(1)),
                _ => framing,
            };
            self.accounting(&options, &mut source_options);
            self.text_options(&options, &mut source_options);
            if call.key() == "gelf" {
                gelf_options(&options, &mut source_options);
            }
            self.unused_options(&options);
            let tap = self.tap("source", vec![message::source_name(name).to_owned()]);
            self.sources.push(SourceDraft {
                id: format!("{name}#{index}"),
                component: call.key(),
                driver,
                source_options,
                tap,
            });
        }
    }

    /// Makes one driver, and the framing of its messages. `None` after an error, which is in the report.
    fn source_driver(&mut self, options: &Options<'t>) -> Option<(SourceDriver, Framing)> {
        let every = || options.seconds("follow-freq").unwrap_or(Duration::from_secs(1));
        let path = || options.plain().map(PathBuf::from);
        Some(match options.call.key().as_str() {
            "network" | "syslog" | "tcp" | "udp" | "tcp6" | "udp6" => return self.listener(options),
            "relp" => return self.relp_listener(options),
            "sltp" => return self.sltp_listener(options),
            "gelf" => return self.gelf_listener(options),
            "http" | "opentelemetry" | "syslog-ng-otlp" | "axosyslog-otlp" => {
                return self.http_listener(options);
            }
            "beats" => return self.beats_listener(options),
            "webhook" => return self.webhook_listener(options),
            "unix-stream" => {
                let mut listener = StreamListener::new(ListenAddress::Unix(path()?));
                listener.permissions = self.permissions(options, Some(0o666), ["owner", "group", "perm"]);
                listener.folders = self.folders(options);
                self.complete_stream(options, &mut listener);
                (SourceDriver::Stream(listener), Framing::Newline)
            }
            "unix-dgram" => {
                let mut listener = DatagramListener::new(ListenAddress::Unix(path()?));
                listener.permissions = self.permissions(options, Some(0o666), ["owner", "group", "perm"]);
                listener.folders = self.folders(options);
                complete_datagram(options, &mut listener);
                (SourceDriver::Datagram(listener), Framing::Datagram)
            }
            "file" => {
                let from_start = !options.is_no("read-old-records");
                let persist_name = persist_name(options);
                let file = FileSource { path: path()?, poll_every: every(), from_start, persist_name };
                (SourceDriver::File(file), Framing::Newline)
            }
            "wildcard-file" => (SourceDriver::Wildcard(wildcard(options, every())?), Framing::Newline),
            "pipe" | "fifo" => {
                let permissions = self.permissions(options, Some(0o600), ["owner", "group", "perm"]);
                let pipe = PipeSource { path: path()?, permissions, folders: self.folders(options) };
                (SourceDriver::Pipe(pipe), Framing::Newline)
            }
            "program" => {
                let program = ProgramSource {
                    command: options.plain()?,
                    restart_after: RESTART_AFTER,
                    environment: options.environment(),
                };
                (SourceDriver::Program(program), Framing::Newline)
            }
            "kafka" | "kafka-c" => input(self.kafka_source(options)?),
            "mqtt" => input(self.mqtt_source(options)?),
            "amqp" => input(self.amqp_source(options)?),
            "nats" => input(self.nats_source(options)?),
            "sql" => input(self.sql_source(options)?),
            // Objects have lines; what others have are messages.
            "s3" => (SourceDriver::Input(Arc::new(self.s3_source(options)?)), Framing::Newline),
            "python" => input(self.python_source(Role::Source, options)?),
            "python-fetcher" => input(self.python_source(Role::Fetcher, options)?),
            "alerts" => input(AlertsSource { database: self.environment.data.join(alerts::DATABASE) }),
            "stdin" => (SourceDriver::Stdin, Framing::Newline),
            "internal" => (SourceDriver::Internal, Framing::Newline),
            "systemd-journal" => (SourceDriver::Journal(journal(options)), Framing::Newline),
            "system" => {
                let with_kernel = !options.is_yes("exclude-kmsg");
                (SourceDriver::System { with_kernel }, Framing::Datagram)
            }
            _ => (SourceDriver::Generator(self.generator(options)), Framing::Datagram),
        })
    }
}

/// Returns the files of a folder that are followed; `None` when their folder or their names are missing.
fn wildcard(options: &Options<'_>, poll_every: Duration) -> Option<WildcardSource> {
    Some(WildcardSource {
        folder: PathBuf::from(options.own_text("base-dir")?),
        pattern: options.own_text("filename-pattern")?,
        excluded: options.own_text("exclude-pattern"),
        recursive: options.is_yes("recursive"),
        from_start: !options.is_no("read-old-records"),
        files_max: options.count("max-files", 100),
        poll_every,
        persist_name: persist_name(options),
    })
}

/// Returns the name under which positions are kept, if one is given.
fn persist_name(options: &Options<'_>) -> Option<String> {
    options.own_text("persist-name").filter(|name| !name.is_empty())
}

/// Returns the driver of another system, each of whose items is a message.
fn input(options: impl Input) -> (SourceDriver, Framing) {
    (SourceDriver::Input(Arc::new(options)), Framing::Datagram)
}
