//! The subjects in the order of the tables.

use super::{
    copy::Copy,
    duramen::Duramen,
    rsyslog::Rsyslog,
    subject::Subject,
    syslog_ng::{SyslogNg, Threading},
};
use std::path::Path;

/// Returns all subjects: Duramen first, the floor last.
pub(crate) fn all(duramen: &Path) -> Vec<Box<dyn Subject>> {
    vec![
        Box::new(Duramen { binary: duramen.to_owned() }),
        Box::new(Rsyslog { direct: false }),
        Box::new(Rsyslog { direct: true }),
        Box::new(SyslogNg { threading: Threading::On }),
        Box::new(SyslogNg { threading: Threading::Off }),
        Box::new(Copy),
    ]
}
