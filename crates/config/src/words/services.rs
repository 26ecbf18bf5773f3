//! Ports by the names of their services.
//!
//! In: names. Out: numbers. Limits: services related to logs; the machine's table is not used, so that a
//! configuration means the same everywhere.

/// Names and ports, as IANA has them.
const SERVICES: &[(&str, u16)] = &[
    ("syslog", 514),
    ("shell", 514),
    ("syslog-conn", 601),
    ("syslog-tls", 6514),
    ("http", 80),
    ("http-alt", 8080),
    ("https", 443),
    ("smtp", 25),
    ("submission", 587),
    ("submissions", 465),
    ("smtps", 465),
];

/// Returns the port of a service.
pub fn service_port(name: &str) -> Option<u16> {
    SERVICES.iter().find(|(known, _)| *known == name).map(|(_, port)| *port)
}
