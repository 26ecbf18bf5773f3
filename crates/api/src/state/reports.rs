//! Reports on exports: a file cannot list at its end what was left out.
//!
//! In: the outcome of an export. Out: the same, for its user. Holds: the last [`REPORTS_MAX`], in memory.

use crate::json::types::ExportReport;
use std::collections::VecDeque;

/// Most reports kept; the oldest is removed.
const REPORTS_MAX: usize = 256;

/// The reports of the exports of late.
#[derive(Default)]
pub(crate) struct Reports {
    kept: VecDeque<Report>,
}

struct Report {
    id: String,
    user: String,
    /// None while the export runs.
    report: Option<ExportReport>,
}

impl Reports {
    /// An export begins.
    pub(crate) fn begin(&mut self, id: &str, user: &str) {
        if self.kept.len() >= REPORTS_MAX {
            self.kept.pop_front();
        }
        self.kept.push_back(Report { id: id.to_owned(), user: user.to_owned(), report: None });
    }

    /// Stores the report of a finished export.
    pub(crate) fn end(&mut self, id: &str, report: ExportReport) {
        if let Some(known) = self.kept.iter_mut().find(|known| known.id == id) {
            known.report = Some(report);
        }
    }

    /// The report of a user's export; nothing inside while it runs.
    pub(crate) fn find(&self, id: &str, user: &str) -> Option<Option<ExportReport>> {
        let known = self.kept.iter().find(|known| known.id == id && known.user == user);
        known.map(|known| known.report.clone())
    }
}

#[cfg(test)]
mod tests {
    //! Rows for reports.

    use super::*;

    #[test]
    fn reports_are_for_whom_they_are() {
        let mut reports = Reports::default();
        reports.begin("1", "eva");
        assert!(matches!(reports.find("1", "eva"), Some(None)));
        reports.end("1", ExportReport { messages: 7, ..ExportReport::default() });
        assert_eq!(reports.find("1", "eva").flatten().map(|report| report.messages), Some(7));
        assert!(reports.find("1", "bob").is_none());
        (0..REPORTS_MAX).for_each(|id| reports.begin(&format!("n{id}"), "eva"));
        assert!(reports.find("1", "eva").is_none());
    }
}
