//! syslog-ng, tuned as its guide advises: large windows, large fetches, flow control.

use super::{Place, Subject, quoted};
use crate::rows::{FILTERS, RECEIVE_BUFFER_BYTES, Row};
use std::{
    env, io,
    process::{Child, Command},
};

/// Debian's package as tools/install.sh unpacks it, or `$SYSLOG_NG`, a wrapper or binary.
pub(crate) struct SyslogNg {
    pub(crate) threaded: bool,
}

impl Subject for SyslogNg {
    fn name(&self) -> String {
        if self.threaded { "syslog-ng".into() } else { "syslog-ng, unthreaded".into() }
    }

    fn family(&self) -> &'static str {
        "syslog-ng"
    }

    fn can(&self, _row: Row) -> bool {
        true
    }

    fn start(&self, row: Row, place: &Place) -> io::Result<Child> {
        let mut command = program()?;
        let version = config_version(&program()?.arg("--version").output()?.stdout);
        place.database(row)?;
        let config = place.configuration(&configuration(row, place, &version, self.threaded))?;
        let state = place.folder.join("state");
        command.args(["--foreground", "--no-caps", "--cfgfile"]).arg(config);
        command.arg("--persist-file").arg(state.join("persist"));
        command.arg("--control").arg(state.join("ctl")).arg("--pidfile").arg(state.join("pid"));
        place.spawn(&mut command)
    }
}

fn program() -> io::Result<Command> {
    if let Some(path) = env::var_os("SYSLOG_NG") {
        return Ok(Command::new(path));
    }
    let wrapper = env::current_dir()?.join("tools/syslog-ng.sh");
    let mut command = Command::new(wrapper);
    command.arg("syslog-ng");
    Ok(command)
}

fn config_version(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let version = text.lines().find_map(|line| line.strip_prefix("Config version: "));
    version.unwrap_or("3.35").trim().to_owned()
}

/// The configuration of a row: the same text for syslog-ng and for us.
pub(super) fn configuration(row: Row, place: &Place, version: &str, threaded: bool) -> String {
    let connections = row.connections();
    // The messages in flight of thousands of connections are bounded together.
    let window = (100_000 * connections).min(20_000_000);
    let transport = transport(row, place);
    let driver = if row.is_encrypted() { "syslog" } else { "network" };
    let mut text = format!(
        "@version: {version}\noptions {{ threaded({}); log-fifo-size({}); flush-lines(5000); keep-hostname(yes); use-dns(no); \
         dns-cache(no); chain-hostnames(no); create-dirs(yes); log-msg-size(8192); time-reopen(1); }};\n\
         source s {{ {driver}(ip(\"127.0.0.1\") port({}) {transport} log-iw-size({window}) log-fetch-limit(2000) \
         max-connections({most})); }};\n",
        if threaded { "yes" } else { "no" },
        window * 2,
        place.port,
        most = 256.max(2 * connections)
    );
    match row {
        Row::Bsd
        | Row::Tls
        | Row::Udp
        | Row::UdpRuns
        | Row::Held5000
        | Row::HeldTls1000
        | Row::Connections10
        | Row::Connections50
        | Row::Connections100
        | Row::Connections200 => text.push_str(&one_path(&format!("file(\"{}\")", place.output("all")))),
        Row::Hosts => text.push_str(&one_path(&format!("file(\"{}\")", place.output("${HOST}")))),
        Row::Relay | Row::RelayNormal | Row::RelayReliable => text.push_str(&one_path(&format!(
            "network(\"127.0.0.1\" port({}) transport(\"tcp\") {})",
            place.next_port,
            disk_buffer(row, place)
        ))),
        Row::Kv | Row::Json => {
            let (parser, value) = match row {
                Row::Kv => ("kv-parser(prefix(\".kv.\"))", "${.kv.srcip}"),
                _ => ("json-parser(prefix(\".js.\"))", "${.js.user.name}"),
            };
            text.push_str(&format!(
                "parser p {{ {parser}; }};\ndestination d {{ file(\"{}\" template(\"$DATE $HOST $MSGHDR$MSG {value}\\n\")); }};\n\
                 log {{ source(s); parser(p); destination(d); flags(flow-control); }};\n",
                place.output("all")
            ));
        }
        Row::Patterndb => text.push_str(&patterns(place)),
        Row::Rewrite => text.push_str(&rewrite(place)),
        Row::Filter => {
            let mut paths = String::new();
            for rule in FILTERS {
                let name = rule.name;
                let conditions: Vec<String> = [
                    rule.facility.map(|(_, name)| format!("facility({name})")),
                    rule.severity.map(|(_, name)| format!("level({name}..emerg)")),
                    rule.program.map(|program| format!("program(\"{}\" type(\"pcre\"))", quoted(program))),
                    Some(format!("message(\"{}\" type(\"pcre\"))", quoted(rule.text))),
                ]
                .into_iter()
                .flatten()
                .collect();
                text.push_str(&format!("filter f_{name} {{ {}; }};\n", conditions.join(" and ")));
                text.push_str(&format!("destination d_{name} {{ file(\"{}\"); }};\n", place.output(name)));
                paths.push_str(&format!(" log {{ filter(f_{name}); destination(d_{name}); }};"));
            }
            text.push_str(&format!("log {{ source(s);{paths} flags(flow-control); }};\n"));
        }
    }
    text
}

/// The disk buffer of a destination, in a row that has one.
fn disk_buffer(row: Row, place: &Place) -> String {
    let kind = match row {
        Row::RelayNormal => "reliable(no) mem-buf-length(100000)",
        Row::RelayReliable => "reliable(yes) mem-buf-size(163840000)",
        _ => return String::new(),
    };
    let dir = place.folder.join("state");
    format!("disk-buffer({kind} disk-buf-size(4294967296) dir(\"{}\"))", dir.display())
}

/// Returns the transport of a source.
fn transport(row: Row, place: &Place) -> String {
    match row {
        Row::Udp | Row::UdpRuns => format!("transport(\"udp\") so-rcvbuf({RECEIVE_BUFFER_BYTES})"),
        Row::Tls | Row::HeldTls1000 => format!(
            "transport(\"tls\") tls(peer-verify(optional-untrusted) key-file(\"{folder}/server.key\") \
             cert-file(\"{folder}/server.pem\"))",
            folder = place.folder.display()
        ),
        _ => "transport(\"tcp\")".to_owned(),
    }
}

/// A path from the source to one destination.
fn one_path(driver: &str) -> String {
    format!("destination d {{ {driver}; }};\nlog {{ source(s); destination(d); flags(flow-control); }};\n")
}

/// One value set, and one replaced by a regular expression.
fn rewrite(place: &Place) -> String {
    format!(
        "rewrite r {{ set(\"north\" value(\".site\")); subst(\"srcip=[0-9.]+\", \"srcip=hidden\", value(\"MESSAGE\")); }};\n\
             destination d {{ file(\"{}\" template(\"$DATE $HOST $MSGHDR$MSG ${{.site}}\\n\")); }};\n\
             log {{ source(s); rewrite(r); destination(d); flags(flow-control); }};\n",
        place.output("all")
    )
}

/// A pattern database, and two of its values.
fn patterns(place: &Place) -> String {
    format!(
        "parser p {{ db-parser(file(\"{}\")); }};\n\
         destination d {{ file(\"{}\" template(\"$ISODATE $HOST $MSGHDR$MSG [${{.classifier.class}} ${{usracct.username}}]\\n\")); }};\n\
         log {{ source(s); parser(p); destination(d); flags(flow-control); }};\n",
        place.folder.join("patterns.xml").display(),
        place.output("all")
    )
}
