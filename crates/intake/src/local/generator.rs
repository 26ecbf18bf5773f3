//! `example-msg-generator()`: messages for trying out a configuration.
//!
//! In: a count, a pace, a template, values. Out: batches without a transport. Holds: the number of messages made.
//! Limits: [`BATCH`] messages per batch.

use super::{Local, origin_of};
use crate::options::Generator;
use message::{Ack, Batch, Message, Origin, Span};
use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// Most messages of a batch.
const BATCH: u64 = 1_000;
/// The text without a template, as syslog-ng's.
const TEXT: &str = "-- Generated message. --";
/// Finer paces send several messages at a time.
const TICK: Duration = Duration::from_millis(1);

/// Generates until the count is reached or it is stopped.
pub(crate) async fn generate(mut here: Local, options: Generator) {
    let mut batch_reader = here.batch_reader();
    let origin = origin_of(String::new());
    let started = Instant::now();
    let mut made = 0;
    while options.count == 0 || made < options.count {
        // The first one is made at once.
        if made > 0 && !here.pause(options.every.max(TICK)).await {
            return;
        }
        batch_reader.window.wait_for_room().await;
        batch_reader.refresh();
        let due = match options.every.as_nanos() {
            0 => u64::MAX,
            every => {
                u64::try_from(started.elapsed().as_nanos() / every).unwrap_or(u64::MAX).saturating_add(1)
            }
        };
        let limit = if options.count == 0 { u64::MAX } else { options.count };
        let count = due.min(limit).saturating_sub(made).min(BATCH);
        if count == 0 {
            continue;
        }
        let from = Arc::new(Origin { transport_name: String::new(), ..origin(batch_reader.settings()) });
        let mut batch =
            Batch::new(Arc::default(), vec![from.clone()], batch_reader.clock().now(), Ack::none());
        let host = batch.add_extra(from.host_from.as_bytes());
        let mut bytes = Vec::new();
        for _ in 0..count {
            made += 1;
            push(&mut batch, &options, host, made, &mut bytes);
        }
        batch.received_bytes = Arc::new(bytes);
        batch_reader.replace_names(&mut batch);
        batch_reader.deliver(batch, None);
    }
}

fn push(batch: &mut Batch, options: &Generator, host: Span, sequence: u64, bytes: &mut Vec<u8>) {
    let index = batch.len();
    let mut message = Message::default();
    message.host = host;
    message.event = batch.received;
    batch.messages.push(message);
    for (name, kind, value) in &options.values {
        batch.set_field(index, name, value, *kind);
    }
    let start = bytes.len();
    match &options.template {
        Some(template) => {
            let mut template = template.lock().unwrap_or_else(PoisonError::into_inner);
            template.begin(batch.received);
            template.render(batch, index, sequence, bytes);
        }
        None => bytes.extend_from_slice(TEXT.as_bytes()),
    }
    let text = Span::received(start, bytes.len() - start);
    batch.messages[index].raw = text;
    batch.messages[index].text = text;
}
