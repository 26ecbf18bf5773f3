//! Table: the names that shippers use for the fields of every message.
//!
//! In: the name of a field, nested ones joined by dots. Out: the corresponding field of a message.
//! Sources: the Elastic Common Schema, GELF, OpenTelemetry's conventions, Fluent Bit, Vector, rsyslog's and
//! syslog-ng's JSON templates, the journal.

use message::{Facility, Severity};

/// A field that every message has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::shipped) enum KnownField {
    Time,
    Host,
    Program,
    Pid,
    Msgid,
    Text,
    Severity,
    Facility,
    Priority,
    /// `prog[pid]:`
    Tag,
}

/// Returns the field that a name means.
pub(in crate::shipped) fn field(name: &[u8]) -> Option<KnownField> {
    Some(match name {
        b"@timestamp" | b"timestamp" | b"time" | b"date" | b"ts" | b"TIMESTAMP" | b"ISODATE" | b"DATE"
        | b"R_ISODATE" | b"timereported" | b"event_time" => KnownField::Time,
        b"host"
        | b"hostname"
        | b"host.name"
        | b"host.hostname"
        | b"HOST"
        | b"_HOSTNAME"
        | b"syslog_hostname"
        | b"log.syslog.hostname" => KnownField::Host,
        b"program"
        | b"programname"
        | b"PROGRAM"
        | b"app-name"
        | b"appname"
        | b"app_name"
        | b"ident"
        | b"process.name"
        | b"service.name"
        | b"SYSLOG_IDENTIFIER"
        | b"log.syslog.appname" => KnownField::Program,
        b"pid" | b"PID" | b"procid" | b"process.pid" | b"log.syslog.procid" | b"_PID" | b"SYSLOG_PID" => {
            KnownField::Pid
        }
        b"msgid" | b"MSGID" | b"log.syslog.msgid" => KnownField::Msgid,
        b"message" | b"msg" | b"MESSAGE" | b"MSG" | b"log" | b"short_message" | b"body" | b"log.original" => {
            KnownField::Text
        }
        b"severity"
        | b"level"
        | b"log.level"
        | b"SEVERITY"
        | b"LEVEL"
        | b"PRIORITY"
        | b"syslog_severity"
        | b"syslog-severity"
        | b"syslogseverity"
        | b"syslogseverity-text"
        | b"severity_text"
        | b"log.syslog.severity.name"
        | b"log.syslog.severity.code"
        | b"levelname" => KnownField::Severity,
        b"facility"
        | b"FACILITY"
        | b"syslog_facility"
        | b"syslog-facility"
        | b"syslogfacility"
        | b"syslogfacility-text"
        | b"log.syslog.facility.name"
        | b"log.syslog.facility.code"
        | b"SYSLOG_FACILITY" => KnownField::Facility,
        b"pri" | b"PRI" | b"log.syslog.priority" => KnownField::Priority,
        b"syslogtag" | b"syslog_tag" => KnownField::Tag,
        _ => return None,
    })
}

/// Returns the severity that a text or number means, and true when the severity holds all that the text says. Numbers
/// from 10 on are those of Node's loggers.
pub(in crate::shipped) fn severity(text: &[u8]) -> Option<(Severity, bool)> {
    let text = std::str::from_utf8(text).ok()?;
    if let Ok(number) = text.parse::<u8>() {
        let severity = match number {
            0..=7 => return Some((Severity(number), true)),
            10 | 20 => 7,
            30 => 6,
            40 => 4,
            50 => 3,
            60 => 2,
            _ => return None,
        };
        return Some((Severity(severity), false));
    }
    if let Some(severity) = Severity::from_name(text) {
        return Some((severity, text == severity.name()));
    }
    let code = match text.to_ascii_lowercase().as_str() {
        "verbose" | "fine" | "finer" | "finest" => 7,
        "information" => 6,
        "e" | "severe" => 3,
        "critical error" => 2,
        _ => return None,
    };
    Some((Severity(code), false))
}

/// Returns the facility that a text or number means, and true when the facility holds all that the text says.
pub(in crate::shipped) fn facility(text: &[u8]) -> Option<(Facility, bool)> {
    let text = std::str::from_utf8(text).ok()?;
    if let Ok(number) = text.parse::<u16>() {
        return (number < 24).then_some((Facility(number), true));
    }
    let facility = Facility::from_name(text)?;
    Some((facility, facility.name() == Some(text)))
}

#[cfg(test)]
mod tests;
