//! `nats()` as a source.
//!
//! In: its options. Out: a [`NatsSource`]. Holds: nothing.
//! Limits: names and subjects that no server takes are errors; so is reading without JetStream.

use super::mqtt::reopen_after;
use crate::assemble::{
    destinations::brokers::{endpoint::answer_within, nats::ANSWER_WITHIN},
    lowering::Lowering,
    options::driver::Options,
};
use config::{Diagnostic, tree::Call};
use inputs::{Metadata, NatsBegin, NatsConsumer, NatsSource};

/// Messages of a request, unless `log-fetch-limit()` says otherwise.
const FETCH: usize = 1000;
/// `durable()` unless it is set.
const DURABLE: &str = "duramen";

impl<'t> Lowering<'t> {
    /// Makes the source that the options describe. `None` after an error, which is in the report.
    pub(crate) fn nats_source(&mut self, options: &Options<'t>) -> Option<NatsSource> {
        if let Some(option) = options.own("jetstream").filter(|option| option.truth() == Some(false)) {
            let message = "`jetstream(no)` is not supported: without JetStream nobody keeps a message until it is written";
            self.report.push(Diagnostic::error(option.span, message));
            return None;
        }
        let subject = match options.own("subject") {
            Some(option) => Some(self.nats_filter(option)?),
            None => None,
        };
        let stream = self.nats_name(options, "stream")?;
        if subject.is_none() && stream.is_none() {
            let error = Diagnostic::error(options.call.name.span, "`nats()` needs `subject()` or `stream()`");
            self.report.push(error.help("subject(\"log.>\")"));
            return None;
        }
        let begin = match options.word("deliver-policy").as_deref() {
            Some("last") => NatsBegin::Last,
            Some("new") => NatsBegin::New,
            _ => NatsBegin::All,
        };
        let is_no = |name: &str| options.own(name).and_then(Call::truth) == Some(false);
        let fetch = options.own("log-fetch-limit").map_or(FETCH, |_| options.count("log-fetch-limit", FETCH));
        Some(NatsSource {
            servers: self.nats_servers(options)?,
            login: self.nats_login(options),
            stream,
            subject,
            durable: self.nats_name(options, "durable")?.unwrap_or_else(|| DURABLE.to_owned()),
            consumer: if is_no("consumer-create") {
                NatsConsumer::Expected
            } else {
                NatsConsumer::Made(begin)
            },
            fetch,
            metadata: if is_no("store-metadata") { Metadata::LeftOut } else { Metadata::Stored },
            timeout: answer_within(options, ANSWER_WITHIN),
            reopen_after: reopen_after(options),
        })
    }

    /// Parses a filter of subjects.
    fn nats_filter(&mut self, option: &Call) -> Option<String> {
        let filter = option.text().unwrap_or_default();
        let parts: Vec<&str> = filter.split('.').collect();
        let is_blank = |c: char| c.is_whitespace() || c.is_control();
        let is_part = |(index, part): (usize, &&str)| match *part {
            "" => false,
            ">" => index + 1 == parts.len(),
            "*" => true,
            part => !part.contains(['*', '>']),
        };
        if !filter.contains(is_blank) && parts.iter().enumerate().all(is_part) {
            return Some(filter.to_owned());
        }
        let message = "`subject()` has an empty part or a blank, or a * or > that is no part of its own";
        self.report.push(
            Diagnostic::error(option.span, message).help("subject(\"log.*.errors\") or subject(\"log.>\")"),
        );
        None
    }

    /// Parses a name that stands in subjects of the server.
    fn nats_name(&mut self, options: &Options<'t>, option: &str) -> Option<Option<String>> {
        let Some(written) = options.own(option) else { return Some(None) };
        let name = options.own_text(option).unwrap_or_default();
        let is_wrong = |c: char| c.is_whitespace() || c.is_control() || ".*>/\\".contains(c);
        if name.is_empty() || name.contains(is_wrong) {
            let message = format!("`{option}()`: a name is not empty, and has no blank, dot, slash, * or >");
            self.report.push(Diagnostic::error(written.span, message));
            return None;
        }
        Some(Some(name))
    }
}
