//! rsyslog, set up as its own example for high performance: imptcp, a large array queue, asynchronous writes.

use super::subject::{RunFolder, Subject};
use crate::rows::row::{FILTERS, FilterRule, RECEIVE_BUFFER_BYTES, Row};
use std::{
    env, io,
    process::{Child, Command},
};

/// Debian's package, or `$RSYSLOGD`.
pub(crate) struct Rsyslog {
    /// Without a queue: less CPU, one core.
    pub(crate) direct: bool,
}

impl Subject for Rsyslog {
    fn name(&self) -> String {
        if self.direct { "rsyslog, direct".into() } else { "rsyslog".into() }
    }

    fn family(&self) -> &'static str {
        "rsyslog"
    }

    /// Debian's package parses JSON; for pairs and pattern databases it needs extra modules, and it cannot
    /// replace text by a regular expression. With a disk queue there is only one variant.
    fn can(&self, row: Row) -> bool {
        match row {
            Row::Kv | Row::Rewrite | Row::Patterndb => false,
            Row::RelayNormal | Row::RelayReliable => !self.direct,
            _ => true,
        }
    }

    fn start(&self, row: Row, run_folder: &RunFolder) -> io::Result<Child> {
        let config = run_folder.configuration(&self.configuration(row, run_folder))?;
        let program = env::var_os("RSYSLOGD").unwrap_or_else(|| "/usr/sbin/rsyslogd".into());
        let mut command = Command::new(program);
        command.arg("-n").arg("-f").arg(config).arg("-i").arg(run_folder.path.join("state/pid"));
        run_folder.spawn(&mut command)
    }
}

impl Rsyslog {
    fn configuration(&self, row: Row, run_folder: &RunFolder) -> String {
        let queue = match self.direct {
            true => "queue.type=\"Direct\"",
            false => {
                "queue.type=\"FixedArray\" queue.size=\"250000\" queue.dequeueBatchSize=\"4096\" queue.workerThreads=\"2\" \
                 queue.workerThreadMinimumMessages=\"20000\" queue.timeoutEnqueue=\"60000\""
            }
        };
        let template = if row == Row::Json { "json" } else { "RSYSLOG_TraditionalFileFormat" };
        let file = |name: &str| {
            format!(
                "action(type=\"omfile\" file=\"{}\" template=\"{template}\" ioBufferSize=\"128k\" \
                 flushOnTXEnd=\"off\" asyncWriting=\"on\" flushInterval=\"1\")",
                run_folder.output(name)
            )
        };
        let body = match row {
            Row::Hosts => format!(
                "action(type=\"omfile\" dynaFile=\"hosts\" dynaFileCacheSize=\"300\" template=\"{template}\" ioBufferSize=\"128k\" \
                 flushOnTXEnd=\"off\" asyncWriting=\"on\" flushInterval=\"1\")"
            ),
            Row::Relay | Row::RelayNormal | Row::RelayReliable => format!(
                "action(type=\"omfwd\" target=\"127.0.0.1\" port=\"{}\" protocol=\"tcp\" {})",
                run_folder.next_port,
                disk_queue(row)
            ),
            Row::Json => format!("action(type=\"mmjsonparse\" cookie=\"\")\n{}", file("all")),
            Row::Filter => FILTERS
                .iter()
                .map(|rule| format!("  if {} then {}\n", condition(rule), file(rule.name)))
                .collect(),
            _ => file("all"),
        };
        let templates = match row {
            Row::Hosts => format!(
                "template(name=\"hosts\" type=\"string\" string=\"{}\")\n",
                run_folder.output("%hostname%")
            ),
            Row::Json => "module(load=\"mmjsonparse\")\ntemplate(name=\"json\" type=\"string\" \
                 string=\"%timereported% %hostname% %syslogtag%%msg% %$!user!name%\\n\")\n"
                .to_owned(),
            _ => String::new(),
        };
        let input = input(row, run_folder.port);
        let folder = run_folder.path.display();
        let certificates = match row {
            Row::Tls | Row::HeldTls1000 => format!(
                "global(defaultNetstreamDriver=\"gtls\" defaultNetstreamDriverCAFile=\"{folder}/server.pem\" \
                 defaultNetstreamDriverCertFile=\"{folder}/server.pem\" defaultNetstreamDriverKeyFile=\"{folder}/server.key\")\n"
            ),
            _ => String::new(),
        };
        format!(
            "{certificates}global(workDirectory=\"{}\" net.enableDNS=\"off\" preserveFQDN=\"on\" parser.permitSlashInProgramName=\"on\" \
             maxMessageSize=\"8k\")\n{input}\n{templates}ruleset(name=\"r\" {queue}) {{\n{body}\n}}\n",
            run_folder.path.join("state").display(),
        )
    }
}

/// The queue of the action that sends to the next server; in a row with a disk buffer, the closest that
/// rsyslog has.
fn disk_queue(row: Row) -> &'static str {
    match row {
        Row::RelayNormal => {
            "queue.type=\"LinkedList\" queue.size=\"250000\" queue.dequeueBatchSize=\"4096\" queue.filename=\"next\" \
             queue.maxDiskSpace=\"4g\" queue.saveOnShutdown=\"on\" queue.timeoutEnqueue=\"60000\""
        }
        Row::RelayReliable => {
            "queue.type=\"Disk\" queue.filename=\"next\" queue.maxDiskSpace=\"4g\" queue.dequeueBatchSize=\"4096\" \
             queue.syncQueueFiles=\"on\" queue.checkpointInterval=\"4096\" queue.timeoutEnqueue=\"60000\""
        }
        _ => "",
    }
}

fn condition(rule: &FilterRule) -> String {
    let matches = |property: &str, expression: &str| {
        format!("re_match({property}, '{}')", expression.replace('\\', "\\\\"))
    };
    let conditions = [
        rule.facility.map(|(code, _)| format!("$syslogfacility == {code}")),
        rule.severity.map(|(code, _)| format!("$syslogseverity <= {code}")),
        rule.program.map(|program| matches("$programname", program)),
        Some(matches("$msg", rule.text)),
    ];
    conditions.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// Returns the configuration of the input.
fn input(row: Row, port: u16) -> String {
    match row {
        Row::Udp | Row::UdpRuns => format!(
            "module(load=\"imudp\" threads=\"2\" batchSize=\"128\")\n\
             input(type=\"imudp\" port=\"{port}\" address=\"127.0.0.1\" rcvbufSize=\"{RECEIVE_BUFFER_BYTES}\" ruleset=\"r\")"
        ),
        Row::Tls | Row::HeldTls1000 => format!(
            "module(load=\"imtcp\" maxSessions=\"{}\" StreamDriver.Name=\"gtls\" StreamDriver.Mode=\"1\" StreamDriver.AuthMode=\"anon\")\n\
             input(type=\"imtcp\" port=\"{port}\" address=\"127.0.0.1\" ruleset=\"r\")",
            200.max(2 * row.connections())
        ),
        _ => format!(
            "module(load=\"imptcp\" threads=\"2\")\n\
             input(type=\"imptcp\" port=\"{port}\" address=\"127.0.0.1\" ruleset=\"r\")"
        ),
    }
}
