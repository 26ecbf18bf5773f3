//! `amqp()` as a source.
//!
//! In: its options. Out: an [`AmqpSource`]. Holds: nothing.
//! Limits: names that the protocol cannot hold are errors; so is a binding of a queue that is not made.

use super::mqtt::reopen_after;
use crate::assemble::{
    destinations::brokers::{
        amqp::{ANSWER_WITHIN, FRAME_BYTES, HEARTBEAT},
        endpoint::answer_within,
    },
    lowering::Lowering,
    options::driver::Options,
};
use config::{Diagnostic, tree::Call};
use inputs::{AmqpBinding, AmqpQueue, AmqpSource, Metadata};

/// `prefetch()` unless it is set.
const PREFETCH: i64 = 1000;

impl<'t> Lowering<'t> {
    /// Makes the source that the options describe. `None` after an error, which is in the report.
    pub(crate) fn amqp_source(&mut self, options: &Options<'t>) -> Option<AmqpSource> {
        let server = self.amqp_server(options)?;
        let number = |name: &str, default: i64| options.own(name).and_then(Call::number).unwrap_or(default);
        let short = |name: &str, default: i64| u16::try_from(number(name, default)).unwrap_or(u16::MAX);
        let deliveries_max = options.own("max-deliveries").and_then(Call::number);
        Some(AmqpSource {
            login: self.amqp_login(options, &server)?,
            server,
            vhost: self.amqp_name(options, "vhost", "/")?,
            queue: self.amqp_queue(options)?,
            prefetch: short("prefetch", PREFETCH),
            deliveries_max: deliveries_max.and_then(|most| u64::try_from(most).ok()),
            metadata: match options.own("store-metadata").and_then(Call::truth) {
                Some(false) => Metadata::LeftOut,
                _ => Metadata::Stored,
            },
            frame_bytes: usize::try_from(number("frame-size", FRAME_BYTES)).unwrap_or(usize::MAX),
            heartbeat: short("heartbeat", HEARTBEAT),
            timeout: answer_within(options, ANSWER_WITHIN),
            reopen_after: reopen_after(options),
        })
    }

    fn amqp_queue(&mut self, options: &Options<'t>) -> Option<AmqpQueue> {
        // Without it the check of the driver has an error already.
        let written = options.own("queue")?;
        let name = self.amqp_name(options, "queue", "")?;
        let exchange = self.amqp_name(options, "exchange", "")?;
        let routing_key = self.amqp_name(options, "routing-key", "")?;
        if name.is_empty() {
            self.report.push(Diagnostic::error(written.span, "`queue()` is empty"));
            return None;
        }
        let is_made = options.own("queue-declare").and_then(Call::truth) == Some(true);
        let binding = options.own("exchange").or(options.own("routing-key"));
        match binding.filter(|_| !is_made || exchange.is_empty()) {
            Some(option) => {
                let message = format!(
                    "`{}()` needs `queue-declare(yes)` and the name of an `exchange()`",
                    option.name.text
                );
                self.report.push(Diagnostic::error(option.span, message));
                None
            }
            None if is_made => {
                let binding = binding.map(|_| AmqpBinding { exchange, routing_key });
                Some(AmqpQueue::Made(name, binding))
            }
            None => Some(AmqpQueue::Expected(name)),
        }
    }
}
