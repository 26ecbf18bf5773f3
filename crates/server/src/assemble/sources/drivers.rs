//! Turns sources of the language into those of `intake`.
//!
//! In: drivers. Out: drafts of [`SourceSpec`]s, which get their router at the end.
//! Limits: an address that cannot be used is an error at its place.

use crate::assemble::destinations::network::gelf::gelf_options;
use crate::assemble::lowering::Lowering;
use crate::assemble::options::driver::Options;
use crate::assemble::options::version::LOCAL_WITHOUT_HOST;
use crate::assemble::parts::hook::Hook;
use crate::assemble::sources::journal::journal;
use crate::assemble::tls::ip_options;
use config::Diagnostic;
use config::tree::{Arg, Call, Item, Kind};
use intake::{
    CountLimits, DatagramListener, Dialogue, Encryption, FileSource, Form, Generator, ListenAddress,
    PipeSource, ProgramSource, ProxyHeader, SourceDriver, SourceOptions, SourceSpec, StreamListener,
    WildcardSource, Window,
};
use message::{Facility, FieldName, Intake, Priority, Render, Severity, ValueKind};
use pipeline::route::TapPoint;
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs},
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};
use template::TypeHint;
use transport::{FilePermissions, HostPolicy, TcpOptions, UseDns, dtls::ListenerDtls, tls::ListenerTls};
use wire::{ACCOUNTING_BYTES, Framing, Oversize, ParseFlags};

/// A source without its router.
pub(crate) struct SourceDraft {
    id: String,
    component: String,
    driver: SourceDriver,
    source_options: SourceOptions,
    pub(crate) tap: Arc<TapPoint>,
}

impl SourceDraft {
    pub(crate) fn feeding(self, intake: Arc<dyn Intake>) -> SourceSpec {
        let SourceDraft { id, component, driver, source_options, .. } = self;
        SourceSpec { id, component, driver, options: Arc::new(source_options), intake }
    }
}

/// Pause before a command that ended is started again.
const RESTART_AFTER: Duration = Duration::from_secs(1);

/// Default port of RELP.
pub(crate) const RELP_PORT: u16 = 2514;

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

    fn source_driver(&mut self, options: &Options<'t>) -> Option<(SourceDriver, Framing)> {
        let every = || options.seconds("follow-freq").unwrap_or(Duration::from_secs(1));
        let path = || options.plain().map(PathBuf::from);
        Some(match options.call.key().as_str() {
            "network" | "syslog" | "tcp" | "udp" | "tcp6" | "udp6" => return self.listener(options),
            "relp" => return self.relp_listener(options),
            "gelf" => return self.gelf_listener(options),
            "http" => return self.http_listener(options),
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
                let from_start = options.yes("read-old-records", true);
                let file = FileSource { path: path()?, poll_every: every(), from_start };
                (SourceDriver::File(file), Framing::Newline)
            }
            "wildcard-file" => {
                let wildcard = WildcardSource {
                    folder: PathBuf::from(options.own_text("base-dir")?),
                    pattern: options.own_text("filename-pattern")?,
                    excluded: options.own_text("exclude-pattern"),
                    recursive: options.yes("recursive", false),
                    from_start: options.yes("read-old-records", true),
                    files_max: options.count("max-files", 100),
                    poll_every: every(),
                };
                (SourceDriver::Wildcard(wildcard), Framing::Newline)
            }
            "pipe" | "fifo" => {
                let permissions = self.permissions(options, Some(0o600), ["owner", "group", "perm"]);
                let pipe = PipeSource { path: path()?, permissions, folders: self.folders(options) };
                (SourceDriver::Pipe(pipe), Framing::Newline)
            }
            "program" => {
                let program = ProgramSource {
                    command: options.plain()?,
                    restart_after: RESTART_AFTER,
                    inherits_environment: options.yes("inherit-environment", true),
                };
                (SourceDriver::Program(program), Framing::Newline)
            }
            "stdin" => (SourceDriver::Stdin, Framing::Newline),
            "internal" => (SourceDriver::Internal, Framing::Newline),
            "systemd-journal" => (SourceDriver::Journal(journal(options)), Framing::Newline),
            "system" => {
                let with_kernel = !options.yes("exclude-kmsg", false);
                (SourceDriver::System { with_kernel }, Framing::Datagram)
            }
            _ => (SourceDriver::Generator(self.generator(options)), Framing::Datagram),
        })
    }

    /// `network()`, `syslog()` and the old spellings of `network()`.
    fn listener(&mut self, options: &Options<'t>) -> Option<(SourceDriver, Framing)> {
        let key = options.call.key();
        let transport = match key.trim_end_matches('6') {
            "udp" => "udp".to_owned(),
            "tcp" => "tcp".to_owned(),
            _ => options.word("transport").unwrap_or_else(|| "tcp".to_owned()),
        };
        let is_syslog = key == "syslog";
        let port = options.globals.usual_port(is_syslog, &transport);
        let address = ListenAddress::Ip(self.address(options, options.port(["port", "localport"], port))?);
        if matches!(transport.as_str(), "udp" | "dtls") {
            let mut listener = DatagramListener::new(address);
            complete_datagram(options, &mut listener);
            if transport == "dtls" {
                listener.dtls = Some(ListenerDtls::new(self.dtls(options)?));
                listener.connections = CountLimits {
                    total: options.count("max-connections", listener.connections.total),
                    per_peer: connections_per_address(options),
                };
                listener.handshakes = handshakes(options, listener.handshakes);
                listener.keep_over_reload = options.yes("keep-alive", true);
                listener.idle_timeout = options.seconds_or_never("idle-timeout", listener.idle_timeout);
            }
            return Some((SourceDriver::Datagram(listener), Framing::Datagram));
        }
        let mut listener = StreamListener::new(address);
        self.complete_stream(options, &mut listener);
        let may_detect = transport == "auto" && options.own("tls").is_some();
        if transport.contains("tls") || may_detect {
            listener.tls = Some(ListenerTls::new(self.listener_tls(options)?));
            listener.handshakes = handshakes(options, listener.handshakes);
        }
        if may_detect {
            listener.encryption = Encryption::Detected;
        }
        listener.proxy = match transport.as_str() {
            "proxied-tcp" | "proxied-tls-passthrough" => ProxyHeader::First,
            "proxied-tls" => ProxyHeader::Encrypted,
            _ => ProxyHeader::None,
        };
        let framing = match transport.as_str() {
            "auto" => Framing::Auto,
            "nul-terminated" => Framing::Nul,
            "text-with-nuls" => Framing::NewlineOnly,
            "framed" => Framing::OctetCounted,
            _ if is_syslog => Framing::OctetCounted,
            _ => Framing::Newline,
        };
        Some((SourceDriver::Stream(listener), framing))
    }

    fn relp_listener(&mut self, options: &Options<'t>) -> Option<(SourceDriver, Framing)> {
        let address = self.address(options, options.port(["port", "localport"], RELP_PORT))?;
        let mut listener = StreamListener::new(ListenAddress::Ip(address));
        listener.dialogue = Dialogue::Relp;
        self.complete_stream(options, &mut listener);
        if options.own("tls").is_some() {
            listener.tls = Some(ListenerTls::new(self.listener_tls(options)?));
            listener.handshakes = handshakes(options, listener.handshakes);
        }
        Some((SourceDriver::Stream(listener), Framing::Datagram))
    }

    /// Returns the address to listen on. A check accepts any host name without looking it up.
    pub(crate) fn address(&mut self, options: &Options<'t>, port: u16) -> Option<SocketAddr> {
        let ipv6 = is_ipv6(options);
        let any = if ipv6 { IpAddr::V6(Ipv6Addr::UNSPECIFIED) } else { IpAddr::V4(Ipv4Addr::UNSPECIFIED) };
        let option = options.own("ip").or_else(|| options.own("localip"));
        let written = option.and_then(|option| option.texts().into_iter().next()).or_else(|| options.plain());
        let Some(host) = written.filter(|host| !host.is_empty()) else {
            return Some(SocketAddr::new(any, port));
        };
        if let Ok(ip) = host.parse() {
            return Some(SocketAddr::new(ip, port));
        }
        if !self.environment.looks_up {
            return Some(SocketAddr::new(any, port));
        }
        let found = (host.as_str(), port)
            .to_socket_addrs()
            .ok()
            .and_then(|mut found| found.find(|address| address.is_ipv6() == ipv6));
        if found.is_none() {
            let span =
                option.map_or(options.call.span, |option| option.args.first().map_or(option.span, Arg::span));
            self.report.push(Diagnostic::error(span, format!("`{host}` is no address to listen on")));
        }
        found
    }

    /// `format("pacct")`: binary records instead of lines.
    fn accounting(&mut self, options: &Options<'t>, source_options: &mut SourceOptions) {
        if options.word("format").as_deref() != Some("pacct") {
            return;
        }
        for option in ["pad-size", "encoding"].iter().filter_map(|name| options.own(name)) {
            let message = format!("`{}()` is about text, and records of pacct are none", option.name.text);
            self.report.push(Diagnostic::error(option.span, message));
        }
        source_options.form = Form::Accounting;
        source_options.framing = Framing::Records(ACCOUNTING_BYTES);
    }

    pub(crate) fn complete_stream(&mut self, options: &Options<'t>, listener: &mut StreamListener) {
        listener.connections.total = options.count("max-connections", listener.connections.total);
        if matches!(listener.address, ListenAddress::Ip(_)) {
            listener.connections.per_peer = connections_per_address(options);
        }
        listener.keep_over_reload = options.yes("keep-alive", true);
        listener.receive_buffer = options.count("so-rcvbuf", 0);
        listener.backlog = u32::try_from(options.count("listen-backlog", 255)).unwrap_or(255);
        listener.reuse_port = options.yes("so-reuseport", false);
        listener.ip = ip_options(options);
        listener.idle_timeout = options.seconds_or_never("idle-timeout", None);
        listener.tcp = tcp_options(options);
        listener.credentials = credentials(options);
    }

    fn generator(&mut self, options: &Options<'t>) -> Generator {
        let text = options.own("template").and_then(|_| self.driver_template(options, "template"));
        let site = self.environment.site.clone();
        let render = self.render_options(options);
        let template = text.map(|template| -> Arc<Mutex<dyn Render>> {
            Arc::new(Mutex::new(crate::assemble::destinations::lines::Templated::new(template, render, site)))
        });
        Generator {
            count: options.number("num").and_then(|number| u64::try_from(number).ok()).unwrap_or(0),
            every: options.seconds("freq").unwrap_or(Duration::from_secs(1)),
            template,
            values: options
                .own("values")
                .map(values)
                .unwrap_or_default()
                .into_iter()
                .map(|(name, kind, text)| (FieldName::parse(&name), kind, text))
                .collect(),
        }
    }

    fn source_options(&mut self, name: &str, options: &Options<'t>, driver: &SourceDriver) -> SourceOptions {
        let mut source_options = SourceOptions::new(name);
        let decode = &mut source_options.decode;
        decode.flags = initial_flags(options, driver);
        for word in options.flags() {
            match word.as_str() {
                "empty-lines" => source_options.keeps_empty_lines = true,
                "ignore-aux-data" => source_options.ignores_peer_values = true,
                // The remaining flags concern the connection.
                word => drop(decode.flags.apply(word)),
            }
        }
        for (option, flag) in
            [("check-hostname", ParseFlags::CHECK_HOSTNAME), ("check-program", ParseFlags::CHECK_PROGRAM)]
        {
            if options.yes(option, false) {
                decode.flags = decode.flags.with(flag);
            }
        }
        decode.default_pri = default_priority(options);
        let zone = options.own("time-zone").or_else(|| self.globals.get("recv-time-zone"));
        decode.zone = self.zone(zone).unwrap_or_else(|| self.environment.zone.clone());
        decode.keep_timestamp = options.yes("keep-timestamp", true) && !options.yes("use-time-recvd", false);
        decode.bad_hostname = self.bad_hostname();
        decode.sdata_prefix = options.own_text("sdata-prefix").filter(|prefix| prefix != ".SDATA.");
        source_options.message_bytes_max = options.count("log-msg-size", 65_536);
        source_options.oversize =
            if options.yes("trim-large-messages", false) { Oversize::Cut } else { Oversize::Split };
        source_options.window.messages = options.count("log-iw-size", 0).max(Window::MESSAGES_MIN);
        source_options.hosts = hosts(options);
        // Shippers send messages of other hosts.
        source_options.hosts.keep |= options.call.key() == "http" && options.any("keep-hostname").is_none();
        source_options.program_override =
            options.own_text("program-override").map(|text| text.trim_end().trim_end_matches(':').to_owned());
        source_options.optional = options.yes("optional", false);
        source_options.own_pid = options.yes("use-syslogng-pid", false);
        source_options.tags = options.all("tags").flat_map(Call::texts).collect();
        source_options.rcptid =
            self.globals.yes("use-uniqid", false).then(|| self.environment.rcptid.clone());
        source_options
    }

    /// Returns `bad-hostname()`: a pattern of texts that are not host names.
    pub(crate) fn bad_hostname(&mut self) -> Option<wire::HostnameTest> {
        use config::tree::{MatchType, Name};
        let option = self.globals.get("bad-hostname")?;
        let text = option.texts().into_iter().next()?;
        let name = Name { text, span: option.args.first()?.span() };
        let pattern = self.pattern(&name, MatchType::Pcre, &[])?;
        Some(Arc::new(move |host: &[u8]| pattern.is_match(host)))
    }

    /// Returns owner and mode of files that a driver creates.
    pub(crate) fn permissions(
        &mut self,
        options: &Options<'t>,
        mode: Option<u32>,
        names: [&str; 3],
    ) -> FilePermissions {
        let owner = self.identity(options.any(names[0]), crate::assemble::options::identity::user, "user");
        let group = self.identity(options.any(names[1]), crate::assemble::options::identity::group, "group");
        let written = options.any(names[2]).and_then(mode_of);
        FilePermissions { owner, group, mode: written.unwrap_or(mode) }
    }

    /// `create-dirs()`: owner and mode of missing folders.
    pub(crate) fn folders(&mut self, options: &Options<'t>) -> Option<FilePermissions> {
        let names = ["dir-owner", "dir-group", "dir-perm"];
        options.yes("create-dirs", false).then(|| self.permissions(options, Some(0o700), names))
    }

    fn identity(
        &mut self,
        option: Option<&Call>,
        number: fn(&str) -> Option<u32>,
        noun: &str,
    ) -> Option<u32> {
        let arg = option?.args.first()?;
        let name = match arg {
            Arg::Number(number, _) => number.to_string(),
            arg => arg.text()?.to_owned(),
        };
        if name.starts_with('-') || !self.environment.looks_up {
            return None;
        }
        let found = number(&name);
        if found.is_none() {
            let message =
                format!("there is no {noun} `{name}`; what is created keeps the {noun} of the server");
            self.report.push(Diagnostic::warning(arg.span(), message));
        }
        found
    }
}

/// `ip-protocol()`, or what the old spellings `tcp6()` and `udp6()` mean.
pub(crate) fn is_ipv6(options: &Options<'_>) -> bool {
    options.number("ip-protocol").map_or(options.call.key().ends_with('6'), |version| version == 6)
}

/// Parses `perm(0640)`: -1, -2 and nothing leave the system's choice. None: not a mode.
fn mode_of(option: &Call) -> Option<Option<u32>> {
    let Some(arg) = option.args.first() else { return Some(None) };
    match arg {
        Arg::Number(number, _) => Some(u32::try_from(*number).ok()),
        arg => u32::from_str_radix(arg.text()?, 8).ok().map(Some),
    }
}

/// Returns the flags that a kind of source sets by default.
fn initial_flags(options: &Options<'_>, driver: &SourceDriver) -> ParseFlags {
    let flags = ParseFlags::default();
    let unix = |address: &ListenAddress| matches!(address, ListenAddress::Unix(_));
    match driver {
        SourceDriver::Stream(listener) if unix(&listener.address) => beside(options, flags),
        SourceDriver::Datagram(listener) if unix(&listener.address) => beside(options, flags),
        SourceDriver::Pipe(_) => beside(options, flags),
        SourceDriver::Program(_) => local(flags),
        SourceDriver::File(file)
            if file.path.starts_with("/proc/kmsg") || file.path.starts_with("/dev/kmsg") =>
        {
            local(flags).with(ParseFlags::KERNEL)
        }
        _ if matches!(options.call.key().as_str(), "syslog" | "relp") => {
            flags.with(ParseFlags::SYSLOG_PROTOCOL)
        }
        _ => flags,
    }
}

fn local(flags: ParseFlags) -> ParseFlags {
    flags.without(ParseFlags::EXPECT_HOSTNAME).with(ParseFlags::LOCAL)
}

/// The same for unix sockets and pipes, where old versions expected a name of a host.
fn beside(options: &Options<'_>, flags: ParseFlags) -> ParseFlags {
    match options.globals.is_older(LOCAL_WITHOUT_HOST) {
        true => flags.with(ParseFlags::LOCAL),
        false => local(flags),
    }
}

pub(crate) fn default_priority(options: &Options<'_>) -> Option<Priority> {
    let facility = options
        .own_text("default-facility")
        .and_then(|name| Facility::from_name(&name).or_else(|| name.parse().ok().map(Facility)));
    let severity = options
        .own_text("default-severity")
        .and_then(|name| Severity::from_name(&name).or_else(|| name.parse().ok().map(Severity)));
    if facility.is_none() && severity.is_none() {
        return None;
    }
    let facility = facility.unwrap_or(Priority::DEFAULT.facility());
    Some(Priority::new(facility, severity.unwrap_or(Priority::DEFAULT.severity())))
}

fn hosts(options: &Options<'_>) -> HostPolicy {
    let use_dns = match options.word("use-dns").as_deref() {
        Some("no" | "off" | "false" | "0") => UseDns::No,
        Some("persist-only") => UseDns::PersistOnly,
        _ => UseDns::Yes,
    };
    let expire = Duration::from_secs(options.count("dns-cache-expire", 3600) as u64);
    HostPolicy {
        keep: options.yes("keep-hostname", false),
        chain: options.yes("chain-hostnames", false),
        use_dns,
        dns_cache: options.yes("dns-cache", true).then_some(expire),
        hosts_file: options.globals.text("dns-cache-hosts").map(|path| PathBuf::from(path).into()),
        fqdn: options.yes("use-fqdn", false),
        normalize: options.yes("normalize-hostnames", false),
        custom_domain: options.globals.text("custom-domain").unwrap_or_default(),
        host_override: options.own_text("host-override"),
    }
}

fn connections_per_address(options: &Options<'_>) -> Option<usize> {
    Some(options.count("max-connections-per-address", 0)).filter(|most| *most > 0)
}

/// `max-handshakes()` and `max-handshakes-per-address()` of a listener with `tls()`.
pub(crate) fn handshakes(options: &Options<'_>, default: CountLimits) -> CountLimits {
    let total = options.count("max-handshakes", default.total);
    let per_peer = default.per_peer.map(|most| options.count("max-handshakes-per-address", most));
    CountLimits { total, per_peer }
}

pub(crate) fn complete_datagram(options: &Options<'_>, listener: &mut DatagramListener) {
    listener.receive_buffer = options.count("so-rcvbuf", 0);
    listener.reuse_port = options.yes("so-reuseport", false);
    listener.ip = ip_options(options);
    listener.credentials = credentials(options);
}

fn credentials(options: &Options<'_>) -> bool {
    let global = options.globals.yes("pass-unix-credentials", true);
    options.own("so-passcred").and_then(Call::truth).unwrap_or(global)
}

/// Keep-alive probes of a connection.
pub(crate) fn tcp_options(options: &Options<'_>) -> TcpOptions {
    TcpOptions {
        keepalive: options.yes("so-keepalive", true),
        keepalive_time: options.seconds_or_never("tcp-keepalive-time", None),
        keepalive_interval: options.seconds_or_never("tcp-keepalive-intvl", None),
        keepalive_probes: options
            .number("tcp-keepalive-probes")
            .and_then(|number| u32::try_from(number).ok()),
    }
}

/// `values("name" => int("5"))`.
pub(crate) fn values(option: &Call) -> Vec<(String, ValueKind, Vec<u8>)> {
    let value = |arg: &Arg| match arg {
        Arg::Pair(name, value) => {
            let (kind, text) = match &**value {
                Arg::Call(typed) => (
                    TypeHint::from_name(&typed.key()).map_or(ValueKind::String, TypeHint::kind),
                    typed.texts().into_iter().next()?,
                ),
                Arg::Number(number, _) => (ValueKind::Integer, number.to_string()),
                Arg::Float(number, _) => (ValueKind::Double, number.to_string()),
                other => (ValueKind::String, other.text()?.to_owned()),
            };
            Some((name.text.clone(), kind, text.into_bytes()))
        }
        _ => None,
    };
    option.args.iter().filter_map(value).collect()
}
