//! The form of an answer, by the address it comes from.
//!
//! In: an address. Out: the form. Holds: nothing. Limits: none.

/// The content of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum AnswerForm {
    /// Nothing more than its status.
    #[default]
    Status,
    /// A result for each message: `/_bulk`.
    Bulk,
    /// A code of Splunk's event collector: `/services/collector/...`.
    Collector,
    /// Words that the driver reads.
    Words,
    /// Counts of OpenObserve: `/api/ORGANIZATION/STREAM/_json`.
    Ingestion,
}

impl AnswerForm {
    /// Returns the form of the answers of an address.
    pub(crate) fn of_address(url: &str) -> AnswerForm {
        let path = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        if path.ends_with("/_bulk") {
            return AnswerForm::Bulk;
        }
        if path.ends_with("/services/collector") || path.contains("/services/collector/") {
            return AnswerForm::Collector;
        }
        let is_ingestion = path.contains("/api/") && (path.ends_with("/_json") || path.ends_with("/_multi"));
        if is_ingestion { AnswerForm::Ingestion } else { AnswerForm::Status }
    }

    /// Returns true when the answer to a success has to be read to its end.
    pub(crate) fn is_read(self) -> bool {
        self != AnswerForm::Status
    }
}

#[cfg(test)]
mod tests {
    //! Addresses.

    use super::*;

    #[test]
    fn an_address_says_how_it_answers() {
        let rows = [
            ("http://h:9200/_bulk?pretty", AnswerForm::Bulk),
            ("http://h:9200/logs/_bulk/", AnswerForm::Bulk),
            ("https://h:8088/services/collector", AnswerForm::Collector),
            ("https://h:8088/services/collector/event/1.0?index=a", AnswerForm::Collector),
            ("http://h:5080/api/default/logs/_json", AnswerForm::Ingestion),
            ("http://h/_json", AnswerForm::Status),
            ("http://h/in?to=/_bulk", AnswerForm::Status),
            ("", AnswerForm::Status),
        ];
        for (url, want) in rows {
            assert_eq!(AnswerForm::of_address(url), want, "{url}");
        }
    }
}
