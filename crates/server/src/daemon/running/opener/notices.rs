//! A logspace's notices in the server's own log.
//!
//! In: notices, from the threads of a logspace. Out: messages of `internal()`. Holds the name of the logspace.

use logspace::{Notice, Notices};
use message::Severity;
use transport::InternalLog;

/// Writes a logspace's notices to the server's own log.
pub(super) struct Reports {
    pub(super) log: InternalLog,
    pub(super) name: String,
}

impl Notices for Reports {
    fn notice(&self, notice: Notice) {
        let severity = match &notice {
            Notice::Sealed { .. }
            | Notice::Stamped { .. }
            | Notice::Removed { .. }
            | Notice::Moved { .. }
            | Notice::ClockRight { .. }
            | Notice::JournalResumed => Severity::INFORMATIONAL,
            Notice::NamesCapped { .. } | Notice::ClockJumped { .. } => Severity::WARNING,
            Notice::Lost { .. } => Severity::CRITICAL,
            Notice::TailCut { .. } | Notice::CatalogRebuilt => Severity::NOTICE,
            _ => Severity::ERROR,
        };
        self.log.write(severity, &format!("Logspace notice; logspace='{}', notice='{notice}'", self.name));
    }
}
