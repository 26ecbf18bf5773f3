//! `metrics-probe()`: a counter defined in a configuration.
//!
//! In: a call. Out: a parser that lets every message pass. Limits: a label that is not a pair is an error at its place.

use super::calls::ParserCall;
use crate::assemble::lowering::Lowering;
use config::tree::{Arg, Call};
use pipeline::{
    Parser,
    parser::{Probe, Probes},
};
use std::sync::Arc;
use template::Template;

/// Prefix of the names of all metrics.
const PREFIX: &str = "syslogng_";

/// The default name and labels of a probe.
const KEY: &str = "classified_events_total";
const LABELS: [(&str, &str); 4] =
    [("app", "${APP}"), ("host", "${HOST}"), ("program", "${PROGRAM}"), ("source", "${SOURCE}")];

impl<'t> Lowering<'t> {
    pub(crate) fn metrics_probe(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let key = options.own_text("key");
        let labels = match options.own("labels") {
            Some(labels) => self.labels(labels)?,
            None if key.is_none() => LABELS
                .iter()
                .map(|(name, text)| {
                    Some(((*name).to_owned(), Template::parse(text, &self.definitions).ok()?.into()))
                })
                .collect::<Option<Vec<_>>>()?,
            None => Vec::new(),
        };
        let increment = self.option_template(parser, "increment")?;
        let is_counted = options.number("level").unwrap_or(0) <= self.globals.stats_level();
        // A probe above the level counts into counters that are never read.
        let probes = if is_counted { self.environment.probes.clone() } else { Arc::<Probes>::default() };
        let key = Probe::name(&format!("{PREFIX}{}", key.as_deref().unwrap_or(KEY)));
        Some(Arc::new(Probe { key, labels, increment, probes }))
    }

    fn labels(&mut self, option: &Call) -> Option<Vec<(String, Arc<Template>)>> {
        let mut labels = Vec::new();
        for arg in &option.args {
            let Arg::Pair(name, value) = arg else {
                self.report_option(option, "labels are pairs such as \"host\" => \"${HOST}\"");
                return None;
            };
            let value = self.template_argument(value)?;
            labels.push((Probe::name(&name.text), Arc::new(value)));
        }
        // Prometheus requires the labels of one metric in one order.
        labels.sort_by(|(one, _), (other, _)| one.cmp(other));
        Some(labels)
    }
}
