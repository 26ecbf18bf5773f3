//! Turns destinations of the language into those of `delivery`, and into logspaces.
//!
//! In: drivers. Out: [`DestinationSpec`]s, [`LogspaceSpec`]s, and the ends that paths lead to.
//! Limits: a template or name that cannot be used is an error at its place.

use crate::assemble::destinations::lines::{Encoded, Templated, reshaped};
use crate::assemble::lowering::Lowering;
use crate::assemble::options::driver::Options;
use crate::assemble::parts::hook::Hook;
use crate::assemble::paths::steps::Outlets;
use crate::assemble::sources::drivers::{RELP_PORT, is_ipv6, tcp_options};
use crate::assemble::tls::ip_options;
use crate::assemble::{LateBoundOutlet, LogspaceSpec, SealingSpec};
use config::Diagnostic;
use config::tree::{Arg, Call, Item, Kind, Name};
use delivery::{
    DestinationDriver, DestinationSpec, FileTarget, MarkMode, Marks, PipeTarget, ProgramTarget,
    PseudofileTarget, Queueing, RelpTarget, Rendering, Rotation, Server, SocketKind, SocketTarget,
    SpoofTarget, StreamFraming, TerminalTarget,
};
use message::Render;
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    os::unix::fs::FileTypeExt,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};
use template::{RenderOptions, Template};
use transport::{dtls::SenderDtls, tls::SenderTls};
use wire::{Dialect, EncodeOptions, Encoder, Framing};

/// The template of files, pipes, programs and terminals without `template()`.
const FILE_LINE: &str = "$DATE $HOST $MSGHDR$MSG\n";

/// The header before the text of `template()` in `syslog()`.
const RFC5424_HEADER: &str = "<$PRI>1 $ISODATE ${HOST:--} ${PROGRAM:--} ${PID:--} ${MSGID:--} ${SDATA:--} ";

/// Size at which messages are cut with `spoof-source()`, as syslog-ng does.
const SPOOFED_BYTES: usize = 1024;

/// Longest wait for an answer of a RELP receiver, as in rsyslog.
const RESPONSE_WITHIN: Duration = Duration::from_secs(90);

/// Default size and number of files of `logrotate()`.
const ROTATED_BYTES: u64 = 1 << 20;
const ROTATED_FILES: u32 = 10;

/// Most open files of one destination.
const OPEN_FILES_MAX: usize = 1024;

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
                outlets.extend(self.balancer(&id, &options).map(|outlet| (id, outlet)));
            } else if self.driver(&id, &options) {
                outlets.push(self.late_bound_outlet(&id));
            }
            if outlets.len() > before {
                self.unused_options(&options);
            }
        }
        self.destinations_made.insert(name.to_owned(), outlets.clone());
        outlets
    }

    /// Warns of options of a driver that have no effect. Options from a block are not mentioned, because the
    /// user may not know them.
    pub(crate) fn unused_options(&mut self, options: &Options<'t>) {
        for option in options.unasked() {
            let origin = self.tree.texts.origin(option.name.span.text);
            if !matches!(origin, config::Origin::Expansion { .. }) {
                let (name, driver) = (&option.name.text, &options.call.name.text);
                let message = format!("`{name}()` has no effect: this {driver}() has no use for it");
                self.report.push(Diagnostic::warning(option.name.span, message));
            }
        }
    }

    /// Makes one driver. False after an error, which is in the report.
    fn driver(&mut self, id: &str, options: &Options<'t>) -> bool {
        if options.call.key() == "logspace" {
            let logspace = self.logspace(id, options);
            self.logspaces.extend(logspace.clone());
            return logspace.is_some();
        }
        self.target(options).is_some_and(|(driver, template)| self.queued(id, options, driver, template))
    }

    /// Makes the end of a path, to be connected to a queue later.
    pub(crate) fn late_bound_outlet(&mut self, id: &str) -> (String, Arc<LateBoundOutlet>) {
        // `d#0.1` is the second receiver of the first driver of `d`.
        let driver =
            id.rsplit_once('.').filter(|(driver, _)| driver.contains('#')).map_or(id, |(driver, _)| driver);
        let mut names = vec![id.to_owned(), driver.to_owned(), message::source_name(id).to_owned()];
        names.dedup();
        let tap = self.tap("destination", names);
        let end = (id.to_owned(), Arc::new(LateBoundOutlet::new(tap)));
        self.outlets.push(end.clone());
        end
    }

    /// Makes a target behind a queue. False after an error, which is in the report.
    pub(crate) fn queued(
        &mut self,
        id: &str,
        options: &Options<'t>,
        driver: DestinationDriver,
        template: Box<dyn Render>,
    ) -> bool {
        let Some(disk) = self.disk_buffer(id, options) else { return false };
        let template = reshaped(template, options);
        self.destinations.push(DestinationSpec {
            id: id.to_owned(),
            component: options.call.key(),
            queueing: Queueing { disk, batch_bytes: gathered(&driver), ..queueing(options) },
            driver,
            rendering: Rendering { template },
        });
        true
    }

    fn target(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
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
            "example-destination" => {
                let name = options.own_text("filename")?;
                let file = self.file(options, Some(name))?;
                // One thread writes it; syslog-ng shows its number.
                let line =
                    self.fixed(&format!("thread_id={} message=$MESSAGE\n", std::process::id()), options)?;
                (DestinationDriver::File(file), self.templated(line, options))
            }
            "pipe" | "fifo" => {
                let permissions = self.permissions(options, Some(0o600), ["owner", "group", "perm"]);
                let pipe = PipeTarget { path: path()?, permissions, folders: self.folders(options) };
                (DestinationDriver::Pipe(pipe), self.file_line(options)?)
            }
            "pseudofile" => {
                let pseudofile = PseudofileTarget { path: path()? };
                (DestinationDriver::Pseudofile(pseudofile), self.file_line(options)?)
            }
            "program" => {
                let program = ProgramTarget {
                    command: options.plain()?,
                    keep_over_reload: options.yes("keep-alive", false),
                    inherits_environment: options.yes("inherit-environment", true),
                };
                (DestinationDriver::Program(program), self.file_line(options)?)
            }
            "usertty" => {
                let terminals = TerminalTarget { user: options.plain()? };
                (DestinationDriver::Terminals(terminals), self.file_line(options)?)
            }
            "stdout" => (DestinationDriver::Stdout, self.file_line(options)?),
            "relp" => self.relp(options)?,
            "http" => self.http_target(options)?,
            "loki" => self.loki(options)?,
            "smtp" => self.mail(options)?,
            "snmp" => self.snmp(options)?,
            "gelf" => self.gelf(options)?,
            "unix-stream" => self.socket(options, SocketKind::UnixStream(path()?), Framing::Newline)?,
            "unix-dgram" => self.socket(options, SocketKind::UnixDatagram(path()?), Framing::Datagram)?,
            _ => {
                let to = Server { host: options.plain()?, port: remote_port(options) };
                let (kind, framing) = self.remote(options, to)?;
                let (driver, render) = self.socket(options, kind, framing)?;
                (self.spoofing(options, driver), render)
            }
        })
    }

    /// Returns the template of `template()`, else a line as in `/var/log/messages`, or as in RFC 5424 with
    /// `flags(syslog-protocol)`.
    fn file_line(&mut self, options: &Options<'t>) -> Option<Box<dyn Render>> {
        if options.own("template").is_some() || self.globals.get("file-template").is_some() {
            let template = self.driver_template(options, "file-template")?;
            return Some(self.templated(template, options));
        }
        if options.flags().iter().any(|flag| flag == "syslog-protocol") {
            return Some(self.encoded(options, Dialect::Rfc5424, Framing::Newline));
        }
        let template = self.fixed(FILE_LINE, options)?;
        Some(self.templated(template, options))
    }

    fn encoded(&mut self, options: &Options<'t>, dialect: Dialect, framing: Framing) -> Box<dyn Render> {
        let render = self.render_options(options);
        let encode = EncodeOptions {
            stamp_format: render.stamp_format,
            fraction_digits: render.fraction_digits,
            zone: render.zone,
            ..EncodeOptions::new(dialect, framing)
        };
        Box::new(Encoded::new(Encoder::new(encode)))
    }

    pub(crate) fn templated(&mut self, template: Arc<Template>, options: &Options<'t>) -> Box<dyn Render> {
        let render = self.render_options(options);
        Box::new(Templated::new(template, render, self.environment.site.clone()))
    }

    /// Makes a renderer for a file's name: its times are in a zone of their own.
    fn named(&mut self, template: Arc<Template>, options: &Options<'t>) -> Box<dyn Render> {
        let zone = self.zone(options.any("local-time-zone"));
        let render = RenderOptions { zone, ..self.render_options(options) };
        Box::new(Templated::new(template, render, self.environment.site.clone()))
    }

    /// Compiles a template of ours.
    pub(crate) fn fixed(&mut self, text: &str, options: &Options<'t>) -> Option<Arc<Template>> {
        self.template(&Name { text: text.to_owned(), span: options.call.name.span }).map(Arc::new)
    }

    fn file(&mut self, options: &Options<'t>, filename: Option<String>) -> Option<FileTarget> {
        let span = options.call.plain().next().map_or(options.call.span, Arg::span);
        let text = filename.or_else(|| options.plain())?;
        let template = self.template(&Name { text: text.clone(), span }).map(Arc::new)?;
        let is_constant = template.constant().is_some();
        let reap = (!is_constant).then_some(Duration::from_secs(60));
        let reap_after = match options.own("time-reap") {
            None if is_constant => None,
            _ => options.seconds_or_never("time-reap", reap),
        };
        Some(FileTarget {
            trusted_prefix: text.split('$').next().unwrap_or_default().to_owned(),
            name: self.named(template, options),
            create_folders: options.yes("create-dirs", false),
            permissions: self.permissions(options, Some(0o600), ["owner", "group", "perm"]),
            folder_permissions: self.permissions(
                options,
                Some(0o700),
                ["dir-owner", "dir-group", "dir-perm"],
            ),
            reap_after,
            fsync: options.yes("fsync", false),
            rotation: rotation(options),
            compress: options.yes("compress", false),
            link: options.own_text("symlink-as").filter(|text| !text.is_empty()).map(PathBuf::from),
            overwrite_if_older: options.seconds_or_never("overwrite-if-older", None),
            open_files_max: OPEN_FILES_MAX,
        })
    }

    /// Returns the target of `network()`, `syslog()` and the old spellings, and the framing of messages
    /// there.
    pub(crate) fn remote(&mut self, options: &Options<'t>, to: Server) -> Option<(SocketKind, Framing)> {
        let Server { host, port } = to;
        let is_syslog = options.call.key() == "syslog";
        let kind = match remote_transport(options).as_str() {
            "udp" => SocketKind::Udp(host, port),
            "dtls" => SocketKind::Dtls(host, port, SenderDtls::new(self.dtls(options)?)),
            _ => SocketKind::Tcp(host, port),
        };
        let framing = match kind {
            SocketKind::Udp(..) => Framing::Datagram,
            _ if is_syslog => Framing::OctetCounted,
            SocketKind::Dtls(..) => Framing::Datagram,
            _ => Framing::Newline,
        };
        Some((kind, framing))
    }

    /// Makes a socket and the renderer of its messages.
    pub(crate) fn socket(
        &mut self,
        options: &Options<'t>,
        kind: SocketKind,
        framing: Framing,
    ) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let is_syslog = matches!(options.call.key().as_str(), "syslog" | "relp");
        let is_rfc5424 = is_syslog || options.flags().iter().any(|flag| flag == "syslog-protocol");
        let ipv6 = is_ipv6(options);
        let is_counted = framing == Framing::OctetCounted;
        let port = match &kind {
            SocketKind::Tcp(_, port) | SocketKind::Udp(_, port) | SocketKind::Dtls(_, port, _) => *port,
            SocketKind::UnixStream(_) | SocketKind::UnixDatagram(_) => 0,
        };
        let is_relp = options.call.key() == "relp" && options.own("tls").is_some();
        let is_encrypted = is_relp || options.word("transport").as_deref() == Some("tls");
        let (failover, failback) = self.failover(options, port);
        let target = SocketTarget {
            ipv6,
            local: self.local(options, ipv6)?,
            framing: if is_counted { StreamFraming::OctetCounted } else { StreamFraming::Plain },
            send_buffer: options.count("so-sndbuf", 0),
            broadcast: options.yes("so-broadcast", false),
            tcp: tcp_options(options),
            keep_over_reload: options.yes("keep-alive", true),
            ip: ip_options(options),
            tls: if is_encrypted { Some(SenderTls::new(self.tls(options)?)) } else { None },
            failover,
            failback,
            ..SocketTarget::new(kind)
        };
        // The relay writes the count; without a line feed there is none to take off.
        let line = if is_counted { Framing::Datagram } else { framing };
        Some((DestinationDriver::Socket(target), self.line(options, is_rfc5424, line)?))
    }

    /// `spoof-source()`
    pub(crate) fn spoofing(&mut self, options: &Options<'t>, driver: DestinationDriver) -> DestinationDriver {
        let Some(option) = options.own("spoof-source").filter(|option| option.truth() == Some(true)) else {
            return driver;
        };
        match driver {
            DestinationDriver::Socket(socket) if matches!(socket.kind, SocketKind::Udp(..)) => {
                let message_bytes_max = options.count("spoof-source-max-msglen", SPOOFED_BYTES);
                let interface = options.own_text("spoof-interface");
                DestinationDriver::Spoof(SpoofTarget { socket, message_bytes_max, interface })
            }
            driver => {
                let message = "`spoof-source()` has no effect: only UDP lets others be named as senders";
                self.report.push(Diagnostic::warning(option.name.span, message));
                driver
            }
        }
    }

    fn relp(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let port = options.port(["port", "destport"], RELP_PORT);
        let kind = SocketKind::Tcp(options.plain()?, port);
        let (driver, render) = self.socket(options, kind, Framing::Datagram)?;
        let DestinationDriver::Socket(socket) = driver else { return None };
        let response_within = options.seconds("response-timeout").unwrap_or(RESPONSE_WITHIN);
        Some((DestinationDriver::Relp(RelpTarget { socket, response_within }), render))
    }

    fn line(&mut self, options: &Options<'t>, is_rfc5424: bool, framing: Framing) -> Option<Box<dyn Render>> {
        let is_templated = options.own("template").is_some() || self.globals.get("proto-template").is_some();
        if !is_templated {
            let dialect = if is_rfc5424 { Dialect::Rfc5424 } else { Dialect::Rfc3164 };
            return Some(self.encoded(options, dialect, framing));
        }
        let template = self.driver_template(options, "proto-template")?;
        if !is_rfc5424 {
            return Some(self.templated(template, options));
        }
        // In an RFC 5424 line the template is the text of the message only.
        let end = if framing == Framing::Newline { "\n" } else { "" };
        let whole = self.fixed(&format!("{RFC5424_HEADER}{}{end}", template.text()), options)?;
        Some(self.templated(whole, options))
    }

    /// `localip()` and `localport()`.
    fn local(&mut self, options: &Options<'t>, ipv6: bool) -> Option<Option<SocketAddr>> {
        let port = options.port(["localport", "localport"], 0);
        let Some(option) = options.own("localip") else {
            let any =
                if ipv6 { IpAddr::V6(Ipv6Addr::UNSPECIFIED) } else { IpAddr::V4(Ipv4Addr::UNSPECIFIED) };
            return Some((port != 0).then(|| SocketAddr::new(any, port)));
        };
        let text = option.texts().into_iter().next().unwrap_or_default();
        match text.parse() {
            Ok(ip) => Some(Some(SocketAddr::new(ip, port))),
            Err(_) => {
                let span = option.args.first().map_or(option.span, Arg::span);
                self.report
                    .push(Diagnostic::error(span, format!("`{text}` is not an address of this machine")));
                None
            }
        }
    }

    fn logspace(&mut self, id: &str, options: &Options<'t>) -> Option<LogspaceSpec> {
        let name = options.plain()?;
        let span = options.call.plain().next().map_or(options.call.span, Arg::span);
        if !is_logspace_name(&name) {
            let message = format!("`{name}` cannot be the name of a logspace");
            let help = "up to 64 letters, digits and -_. that do not start with a dot";
            self.report.push(Diagnostic::error(span, message).help(help));
            return None;
        }
        if self.logspaces.iter().any(|other| other.name == name) {
            let message =
                format!("logspace `{name}` is written in two places; use one destination in both paths");
            self.report.push(Diagnostic::error(span, message));
            return None;
        }
        if let Some(after) = options.own("archive-after").filter(|_| options.own("archive-to").is_none()) {
            let message = "archive-after() needs archive-to(): the directory of the archive";
            self.report.push(Diagnostic::error(after.span, message));
            return None;
        }
        let positive =
            |name: &str| options.own(name).and_then(|option| option.number()).filter(|number| *number > 0);
        let age = options.own("retention-age").and_then(Call::age_s).filter(|age| *age > 0);
        let bytes = positive("retention-size").map(|bytes| bytes as u64);
        Some(LogspaceSpec {
            id: id.to_owned(),
            name,
            retention_age: age.map(Duration::from_secs),
            retention_bytes: bytes,
            legal_hold: options.yes("legal-hold", false),
            clock_wait: options.own("clock-jump-wait").and_then(Call::age_s).map(Duration::from_secs),
            segment_memory: positive("segment-memory").map(|bytes| bytes as u64),
            sealing: sealing(options),
        })
    }
}

/// Returns true if the name is allowed for a logspace: it becomes the name of a folder.
pub(crate) fn is_logspace_name(name: &str) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty() && !name.starts_with('.') && name.len() <= 64 && name.bytes().all(is_safe)
}

/// Returns the console that `getvirtconsole()` writes to. Containers have none, and no file is made in its
/// place.
fn virtual_console() -> String {
    let is_device = |path: &&str| std::fs::metadata(path).is_ok_and(|data| data.file_type().is_char_device());
    ["/dev/tty10", "/dev/console"].into_iter().find(is_device).unwrap_or("/dev/null").to_owned()
}

/// `logrotate()`
fn rotation(options: &Options<'_>) -> Option<Rotation> {
    let call = options.own("logrotate")?;
    let is_enabled = call.option("enable").and_then(Call::truth).unwrap_or(true);
    let number = |name: &str| call.option(name).and_then(Call::number);
    is_enabled.then(|| Rotation {
        bytes: number("size").and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(ROTATED_BYTES),
        kept: number("rotations").and_then(|count| u32::try_from(count).ok()).unwrap_or(ROTATED_FILES),
    })
}

/// Returns the options of sealing.
fn sealing(options: &Options<'_>) -> SealingSpec {
    let path = |name: &str| options.own_text(name).filter(|text| !text.is_empty()).map(PathBuf::from);
    let seconds = options.own("timestamp-freq").and_then(Call::number).unwrap_or(0);
    SealingSpec {
        recipients: options.all("encrypt-certificate").flat_map(Call::texts).collect(),
        decrypt_key: path("decrypt-key"),
        sign_key: path("sign-key"),
        timestamp_url: options.own_text("timestamp-url").filter(|text| !text.is_empty()),
        timestamp_gap: Duration::from_secs(u64::try_from(seconds).unwrap_or(0)),
        recode: options.yes("recode", true),
        recode_after: options.own("recode-after").and_then(Call::age_s).map(Duration::from_secs),
        archive_to: path("archive-to"),
        archive_after: options
            .own("archive-after")
            .and_then(Call::age_s)
            .filter(|age| *age > 0)
            .map(Duration::from_secs),
        age_after: options
            .own("age-after")
            .and_then(Call::age_s)
            .filter(|age| *age > 0)
            .map(Duration::from_secs),
        scrub_bytes_a_second: options
            .own("scrub-rate")
            .and_then(Call::number)
            .and_then(|number| u64::try_from(number).ok()),
    }
}

fn remote_transport(options: &Options<'_>) -> String {
    let key = options.call.key();
    match key.trim_end_matches('6') {
        "udp" => "udp".to_owned(),
        "tcp" => "tcp".to_owned(),
        _ => options.word("transport").unwrap_or_else(|| "tcp".to_owned()),
    }
}

pub(crate) fn remote_port(options: &Options<'_>) -> u16 {
    let port = options.globals.usual_port(options.call.key() == "syslog", &remote_transport(options));
    options.port(["port", "destport"], port)
}

/// The same for files whose names are made from messages: it is shared by all of them.
const MANY_FILES_BYTES: usize = 4 << 20;

/// Returns the number of bytes that are gathered before a write.
fn gathered(driver: &DestinationDriver) -> usize {
    match driver {
        DestinationDriver::Http(target) => target.gathered_bytes(),
        DestinationDriver::File(target) if target.name.constant().is_none() => MANY_FILES_BYTES,
        _ => Queueing::default().batch_bytes,
    }
}

fn queueing(options: &Options<'_>) -> Queueing {
    let defaults = Queueing::default();
    Queueing {
        messages_max: options.count("log-fifo-size", defaults.messages_max),
        reopen_after: options.seconds("time-reopen").unwrap_or(defaults.reopen_after),
        throttle: u32::try_from(options.count("throttle", 0)).unwrap_or(0),
        suppress: options.seconds("suppress"),
        marks: marks(options),
        ..defaults
    }
}

/// Default of `mark-freq()`, as in syslog-ng.
pub(crate) const MARK_EVERY: Duration = Duration::from_secs(1200);

/// Parses `mark-mode()` and `mark-freq()`. Receivers of syslog get marks by the global options, others only
/// on request.
fn marks(options: &Options<'_>) -> Option<Marks> {
    let is_syslog = matches!(
        options.call.key().as_str(),
        "network" | "syslog" | "tcp" | "udp" | "tcp6" | "udp6" | "unix-stream" | "unix-dgram"
    );
    let word = |call: Option<&Call>| {
        call.and_then(Call::text).map(|word| word.replace('_', "-").to_ascii_lowercase())
    };
    let own = word(options.own("mark-mode"));
    let mode = match own.unwrap_or_else(|| if is_syslog { "global" } else { "none" }.to_owned()).as_str() {
        "global" => word(options.globals.get("mark-mode")).unwrap_or_else(|| "host-idle".to_owned()),
        mode => mode.to_owned(),
    };
    let mode = match mode.as_str() {
        "periodical" => MarkMode::Periodical,
        "dst-idle" => MarkMode::DestinationIdle,
        "host-idle" => MarkMode::HostIdle,
        _ => return None,
    };
    let every = options.seconds_or_never("mark-freq", Some(MARK_EVERY))?;
    Some(Marks { mode, every })
}
