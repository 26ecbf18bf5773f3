//! syslog-ng, tuned as its guide advises: large windows, large fetches, flow control.

use super::subject::{RunFolder, Subject};
use crate::rows::row::{FILTERS, RECEIVE_BUFFER_BYTES, Row};
use std::{
    env, io,
    process::{Child, Command},
};

/// Debian's package as tools/install.sh unpacks it, or `$SYSLOG_NG`, a wrapper or binary.
pub(crate) struct SyslogNg {
    pub(crate) threading: Threading,
}

/// The option `threaded()`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Threading {
    On,
    Off,
}

impl Threading {
    fn word(self) -> &'static str {
        match self {
            Threading::On => "yes",
            Threading::Off => "no",
        }
    }
}

impl Subject for SyslogNg {
    fn name(&self) -> String {
        match self.threading {
            Threading::On => "syslog-ng".into(),
            Threading::Off => "syslog-ng, unthreaded".into(),
        }
    }

    fn family(&self) -> &'static str {
        "syslog-ng"
    }

    fn can(&self, _row: Row) -> bool {
        true
    }

    fn start(&self, row: Row, run_folder: &RunFolder) -> io::Result<Child> {
        let mut command = program()?;
        let version = config_version(&program()?.arg("--version").output()?.stdout);
        run_folder.database(row)?;
        let config = run_folder.configuration(&configuration(row, run_folder, &version, self.threading))?;
        let state = run_folder.path.join("state");
        command.args(["--foreground", "--no-caps", "--cfgfile"]).arg(config);
        command.arg("--persist-file").arg(state.join("persist"));
        command.arg("--control").arg(state.join("ctl")).arg("--pidfile").arg(state.join("pid"));
        run_folder.spawn(&mut command)
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
pub(super) fn configuration(row: Row, run_folder: &RunFolder, version: &str, threading: Threading) -> String {
    let connections = row.connections();
    // There is one limit for the messages in flight of thousands of connections.
    let window = (100_000 * connections).min(20_000_000);
    let transport = transport(row, run_folder);
    let driver = if row.is_encrypted() { "syslog" } else { "network" };
    let mut text = format!(
        "@version: {version}\noptions {{ threaded({}); log-fifo-size({}); flush-lines(5000); keep-hostname(yes); use-dns(no); \
         dns-cache(no); chain-hostnames(no); create-dirs(yes); log-msg-size(8192); time-reopen(1); }};\n\
         source s {{ {driver}(ip(\"127.0.0.1\") port({}) {transport} log-iw-size({window}) log-fetch-limit(2000) \
         max-connections({most})); }};\n",
        threading.word(),
        window * 2,
        run_folder.port,
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
        | Row::Connections200 => text.push_str(&one_path(&format!("file(\"{}\")", run_folder.output("all")))),
        Row::Hosts => text.push_str(&one_path(&format!("file(\"{}\")", run_folder.output("${HOST}")))),
        Row::Relay | Row::RelayNormal | Row::RelayReliable => text.push_str(&one_path(&format!(
            "network(\"127.0.0.1\" port({}) transport(\"tcp\") {})",
            run_folder.next_port,
            disk_buffer(row, run_folder)
        ))),
        Row::Kv | Row::Json => {
            let (parser, value) = match row {
                Row::Kv => ("kv-parser(prefix(\".kv.\"))", "${.kv.srcip}"),
                _ => ("json-parser(prefix(\".js.\"))", "${.js.user.name}"),
            };
            text.push_str(&format!(
                "parser p {{ {parser}; }};\ndestination d {{ file(\"{}\" template(\"$DATE $HOST $MSGHDR$MSG {value}\\n\")); }};\n\
                 log {{ source(s); parser(p); destination(d); flags(flow-control); }};\n",
                run_folder.output("all")
            ));
        }
        Row::Patterndb => text.push_str(&patterns(run_folder)),
        Row::Rewrite => text.push_str(&rewrite(run_folder)),
        Row::Filter => text.push_str(&filters(run_folder)),
    }
    text
}

/// A path with all filters of the row, each with a file of its own.
fn filters(run_folder: &RunFolder) -> String {
    let (mut text, mut paths) = (String::new(), String::new());
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
        text.push_str(&format!("destination d_{name} {{ file(\"{}\"); }};\n", run_folder.output(name)));
        paths.push_str(&format!(" log {{ filter(f_{name}); destination(d_{name}); }};"));
    }
    text.push_str(&format!("log {{ source(s);{paths} flags(flow-control); }};\n"));
    text
}

/// The disk buffer of a destination, in a row that has one.
fn disk_buffer(row: Row, run_folder: &RunFolder) -> String {
    let kind = match row {
        Row::RelayNormal => "reliable(no) mem-buf-length(100000)",
        Row::RelayReliable => "reliable(yes) mem-buf-size(163840000)",
        _ => return String::new(),
    };
    let dir = run_folder.path.join("state");
    format!("disk-buffer({kind} disk-buf-size(4294967296) dir(\"{}\"))", dir.display())
}

/// Returns the transport of a source.
fn transport(row: Row, run_folder: &RunFolder) -> String {
    match row {
        Row::Udp | Row::UdpRuns => format!("transport(\"udp\") so-rcvbuf({RECEIVE_BUFFER_BYTES})"),
        Row::Tls | Row::HeldTls1000 => format!(
            "transport(\"tls\") tls(peer-verify(optional-untrusted) key-file(\"{folder}/server.key\") \
             cert-file(\"{folder}/server.pem\"))",
            folder = run_folder.path.display()
        ),
        _ => "transport(\"tcp\")".to_owned(),
    }
}

/// A path from the source to one destination.
fn one_path(driver: &str) -> String {
    format!("destination d {{ {driver}; }};\nlog {{ source(s); destination(d); flags(flow-control); }};\n")
}

/// One value set, and one replaced by a regular expression.
fn rewrite(run_folder: &RunFolder) -> String {
    format!(
        "rewrite r {{ set(\"north\" value(\".site\")); subst(\"srcip=[0-9.]+\", \"srcip=hidden\", value(\"MESSAGE\")); }};\n\
             destination d {{ file(\"{}\" template(\"$DATE $HOST $MSGHDR$MSG ${{.site}}\\n\")); }};\n\
             log {{ source(s); rewrite(r); destination(d); flags(flow-control); }};\n",
        run_folder.output("all")
    )
}

/// A pattern database, and two of its values.
fn patterns(run_folder: &RunFolder) -> String {
    format!(
        "parser p {{ db-parser(file(\"{}\")); }};\n\
         destination d {{ file(\"{}\" template(\"$ISODATE $HOST $MSGHDR$MSG [${{.classifier.class}} ${{usracct.username}}]\\n\")); }};\n\
         log {{ source(s); parser(p); destination(d); flags(flow-control); }};\n",
        run_folder.path.join("patterns.xml").display(),
        run_folder.output("all")
    )
}

/// A regular expression in double quotes, as syslog-ng's language needs it.
fn quoted(expression: &str) -> String {
    expression.replace('\\', "\\\\").replace('"', "\\\"")
}
