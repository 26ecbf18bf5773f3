//! Facility and severity (RFC 5424, section 6.2.1), with the names of syslog-ng's configuration language.
//!
//! In: a number or a name. Out: the other. Limits: 0 to 191; facilities 0 to 23, severities 0 to 7.

/// `PRIVAL`: facility times eight plus severity. Any byte can be held; only 0 to 191 is standard.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Priority(pub u16);

impl Priority {
    /// `user.notice`, given to messages that name none (RFC 3164, section 4.3.3).
    pub const DEFAULT: Priority = Priority(13);
    /// Largest standard value, `local7.debug`.
    pub const MAX: u16 = 191;

    /// Joins the two halves.
    pub const fn new(facility: Facility, severity: Severity) -> Priority {
        Priority((facility.0 << 3) | severity.0 as u16)
    }

    /// Returns the facility half.
    #[inline]
    pub const fn facility(self) -> Facility {
        Facility(self.0 >> 3)
    }

    /// Returns the severity half.
    #[inline]
    pub const fn severity(self) -> Severity {
        Severity((self.0 & 7) as u8)
    }
}

impl Default for Priority {
    fn default() -> Self {
        Priority::DEFAULT
    }
}

/// Facility code, 0 (`kern`) to 23 (`local7`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Facility(pub u16);

const FACILITY_NAMES: [&str; 24] = [
    "kern",
    "user",
    "mail",
    "daemon",
    "auth",
    "syslog",
    "lpr",
    "news",
    "uucp",
    "cron",
    "authpriv",
    "ftp",
    "ntp",
    "security",
    "console",
    "solaris-cron",
    "local0",
    "local1",
    "local2",
    "local3",
    "local4",
    "local5",
    "local6",
    "local7",
];

impl Facility {
    /// `kern`: the kernel.
    pub const KERNEL: Self = Self(0);
    /// `user`: programs of users.
    pub const USER: Self = Self(1);
    /// `syslog`: the log server itself.
    pub const SYSLOG: Self = Self(5);

    /// Returns the name as `${FACILITY}` prints it; `None` above 23.
    pub fn name(self) -> Option<&'static str> {
        FACILITY_NAMES.get(self.0 as usize).copied()
    }

    /// Returns the facility of a name, `megasafe` and other old spellings included. Case is ignored.
    pub fn from_name(name: &str) -> Option<Facility> {
        let lower = name.to_ascii_lowercase();
        let alias = match lower.as_str() {
            "authpriv" => 10,
            "megasafe" => 10,
            "security" => 4,
            "cron" => 9,
            "solaris-cron" | "solaris_cron" => 15,
            other => FACILITY_NAMES.iter().position(|known| *known == other)? as u16,
        };
        Some(Facility(alias))
    }
}

/// Severity code, 0 (`emerg`) to 7 (`debug`): smaller is worse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Severity(pub u8);

const SEVERITY_NAMES: [&str; 8] = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];

impl Severity {
    /// `emerg`: the system cannot be used.
    pub const EMERGENCY: Self = Self(0);
    /// `alert`: someone must act immediately.
    pub const ALERT: Self = Self(1);
    /// `crit`: a part has failed.
    pub const CRITICAL: Self = Self(2);
    /// `err`: something went wrong.
    pub const ERROR: Self = Self(3);
    /// `warning`: something may go wrong.
    pub const WARNING: Self = Self(4);
    /// `notice`: normal, but worth knowing.
    pub const NOTICE: Self = Self(5);
    /// `info`: normal activity.
    pub const INFORMATIONAL: Self = Self(6);
    /// `debug`: what only developers want to know.
    pub const DEBUG: Self = Self(7);

    /// Returns the name as `${SEVERITY}` prints it.
    pub fn name(self) -> &'static str {
        SEVERITY_NAMES[(self.0 & 7) as usize]
    }

    /// Returns the severity of a name: also `panic`, `emergency`, `critical`, `error`, `warn`, `informational`, and
    /// names that programs use, `fatal`, `log` and `trace` for instance. Case is ignored.
    pub fn from_name(name: &str) -> Option<Severity> {
        let lower = name.to_ascii_lowercase();
        let code = match lower.as_str() {
            "panic" | "emergency" => 0,
            "critical" | "fatal" | "ftl" => 2,
            "error" => 3,
            "warn" | "wrn" => 4,
            "informational" | "inf" | "log" => 6,
            "dbg" | "vrb" | "trace" => 7,
            other => SEVERITY_NAMES.iter().position(|known| *known == other)? as u8,
        };
        Some(Severity(code))
    }
}
