//! The options that all sources have: how messages are decoded, cut, and named.
//!
//! In: options of a driver. Out: [`SourceOptions`]. Holds: nothing.
//! Limits: options that contradict the format of the source are errors at their position.

use crate::assemble::{
    lowering::Lowering,
    options::{driver::Options, version::LOCAL_WITHOUT_HOST},
};
use config::{Diagnostic, tree::Call};
use intake::{Dialogue, Form, ListenAddress, SourceDriver, SourceOptions, StreamListener, Window};
use std::{path::PathBuf, time::Duration};
use transport::{HostPolicy, UseDns};
use wire::{ACCOUNTING_BYTES, Framing, Oversize, ParseFlags};

/// Sources whose messages come from other hosts than their senders.
const FORWARDING: [&str; 12] = [
    "http",
    "beats",
    "kafka",
    "kafka-c",
    "mqtt",
    "nats",
    "amqp",
    "sql",
    "s3",
    "opentelemetry",
    "syslog-ng-otlp",
    "axosyslog-otlp",
];

impl<'t> Lowering<'t> {
    /// Returns the options of a source; the framing is that of the driver, and is set by the caller.
    pub(crate) fn source_options(
        &mut self,
        name: &str,
        options: &Options<'t>,
        driver: &SourceDriver,
    ) -> SourceOptions {
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
        if options.is_yes("check-program") {
            decode.flags = decode.flags.with(ParseFlags::CHECK_PROGRAM);
        }
        self.complete_decoding(options, decode);
        decode.keep_timestamp &= !options.is_yes("use-time-recvd");
        source_options.message_bytes_max = options.count("log-msg-size", 65_536);
        source_options.oversize =
            if options.is_yes("trim-large-messages") { Oversize::Cut } else { Oversize::Split };
        if let SourceDriver::Stream(StreamListener { dialogue: Dialogue::Http(http), .. }) = driver
            && http.webhook.is_some()
        {
            // A body is a message, whatever it is.
            source_options.keeps_empty_lines = true;
            source_options.message_bytes_max =
                options.own("log-msg-size").map_or(http.body_bytes_max, |_| source_options.message_bytes_max);
        }
        if options.call.key() == "beats" {
            source_options.message_bytes_max =
                options.own("log-msg-size").map_or(1 << 20, |_| source_options.message_bytes_max);
        }
        source_options.window.messages = options.count("log-iw-size", 0).max(Window::MESSAGES_MIN);
        source_options.hosts = hosts(options);
        // Shippers forward messages of other hosts, and topics have those of all.
        let is_forwarded = FORWARDING.contains(&options.call.key().as_str());
        source_options.hosts.keep |= is_forwarded && options.any("keep-hostname").is_none();
        source_options.program_override =
            options.own_text("program-override").map(|text| text.trim_end().trim_end_matches(':').to_owned());
        source_options.optional = options.is_yes("optional");
        source_options.own_pid = options.is_yes("use-syslogng-pid");
        source_options.tags = options.all("tags").flat_map(Call::texts).collect();
        source_options.rcptid = self.globals.is_yes("use-uniqid").then(|| self.environment.rcptid.clone());
        source_options
    }

    /// Reads `format("pacct")`: binary records instead of lines.
    pub(crate) fn accounting(&mut self, options: &Options<'t>, source_options: &mut SourceOptions) {
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
}

/// Returns the flags that a kind of source sets by default.
fn initial_flags(options: &Options<'_>, driver: &SourceDriver) -> ParseFlags {
    let flags = ParseFlags::default();
    let unix = |address: &ListenAddress| matches!(address, ListenAddress::Unix(_));
    match driver {
        SourceDriver::Stream(listener) if unix(&listener.address) => unix_flags(options, flags),
        SourceDriver::Datagram(listener) if unix(&listener.address) => unix_flags(options, flags),
        SourceDriver::Pipe(_) => unix_flags(options, flags),
        SourceDriver::Program(_) => local_flags(flags),
        SourceDriver::File(file)
            if file.path.starts_with("/proc/kmsg") || file.path.starts_with("/dev/kmsg") =>
        {
            local_flags(flags).with(ParseFlags::KERNEL)
        }
        _ if options.call.key() == "webhook" => flags.with(ParseFlags::NO_PARSE),
        _ if matches!(options.call.key().as_str(), "syslog" | "relp" | "sltp") => {
            flags.with(ParseFlags::SYSLOG_PROTOCOL)
        }
        _ => flags,
    }
}

/// Returns the flags of messages of this machine, which carry no host name.
fn local_flags(flags: ParseFlags) -> ParseFlags {
    flags.without(ParseFlags::EXPECT_HOSTNAME).with(ParseFlags::LOCAL)
}

/// Returns the flags of unix sockets and pipes: old versions of the language expect a host name there.
fn unix_flags(options: &Options<'_>, flags: ParseFlags) -> ParseFlags {
    match options.globals.is_older(LOCAL_WITHOUT_HOST) {
        true => flags.with(ParseFlags::LOCAL),
        false => local_flags(flags),
    }
}

fn hosts(options: &Options<'_>) -> HostPolicy {
    let use_dns = match options.word("use-dns").as_deref() {
        Some("no" | "off" | "false" | "0") => UseDns::No,
        Some("persist-only") => UseDns::PersistOnly,
        _ => UseDns::Yes,
    };
    let expire = Duration::from_secs(options.count("dns-cache-expire", 3600) as u64);
    HostPolicy {
        keep: options.is_yes("keep-hostname"),
        chain: options.is_yes("chain-hostnames"),
        use_dns,
        dns_cache: (!options.is_no("dns-cache")).then_some(expire),
        hosts_file: options.globals.text("dns-cache-hosts").map(|path| PathBuf::from(path).into()),
        fqdn: options.is_yes("use-fqdn"),
        normalize: options.is_yes("normalize-hostnames"),
        custom_domain: options.globals.text("custom-domain").unwrap_or_default(),
        host_override: options.own_text("host-override"),
    }
}
