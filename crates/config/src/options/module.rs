//! The modules of syslog-ng that this program replaces.
//!
//! In: a name. Out: whether its contents are built in.

/// Returns true when `@requires NAME` is met: the contents of the module are built in.
pub fn has_module(name: &str) -> bool {
    const MODULES: &[&str] = &[
        "add-contextual-data",
        "affile",
        "afprog",
        "afsmtp",
        "afsnmp",
        "afsocket",
        "afstreams",
        "afuser",
        "appmodel",
        "basicfuncs",
        "cef",
        "correlation",
        "cryptofuncs",
        "csvparser",
        "dbparser",
        "disk-buffer",
        "geoip2-plugin",
        "graphite",
        "grok",
        "hook-commands",
        "http",
        "json-plugin",
        "kvformat",
        "linux-kmsg-format",
        "map-value-pairs",
        "metrics-probe",
        "pacctformat",
        "pseudofile",
        "rate-limit-filter",
        "redis",
        "regexp-parser",
        "sdjournal",
        "secure-logging",
        "stardate",
        "syslogformat",
        "system-source",
        "tags-parser",
        "tfgetent",
        "timestamp",
        "xml",
    ];
    MODULES.contains(&crate::words::keyword(name).as_str())
}
