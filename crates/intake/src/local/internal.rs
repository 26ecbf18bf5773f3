//! `internal()`: the program's own messages.
//!
//! In: the internal log. Out: batches. Holds: nothing. Limits: [`BATCH`] messages per batch.

use super::{Local, origin_of};
use message::{Ack, Batch, Facility, Format, Message, Origin, Priority, Severity, Span};
use std::{sync::Arc, time::SystemTime};
use transport::Entry;

/// Most messages of a batch.
const BATCH: usize = 500;

/// Reads until it is stopped.
pub(crate) async fn read_internal(mut here: Local) {
    let mut batch_reader = here.batch_reader();
    let origin = origin_of(String::new());
    loop {
        if let Some(mut injected) = here.log.take_injected() {
            batch_reader.refresh();
            let from = origin(batch_reader.settings());
            let ours =
                |old: &Arc<Origin>| Arc::new(Origin { source: from.source.clone(), ..Origin::clone(old) });
            injected.origins = injected.origins.iter().map(ours).collect();
            batch_reader.replace_names(&mut injected);
            batch_reader.deliver(injected, None);
            batch_reader.window.wait_for_room().await;
            continue;
        }
        let (mut entries, lost) = here.log.take(BATCH);
        if lost > 0 {
            let text =
                format!("Messages of our own were dropped before internal() could read them; count='{lost}'");
            entries.push(Entry { at: SystemTime::now(), severity: Severity::WARNING, text });
        }
        if entries.is_empty() {
            tokio::select! {
                biased;
                _ = here.stop.wait_for(|stop| *stop) => return,
                () = here.log.written() => continue,
            }
        }
        batch_reader.refresh();
        let from = Arc::new(origin(batch_reader.settings()));
        let mut batch =
            Batch::new(Arc::default(), vec![from.clone()], batch_reader.clock().now(), Ack::none());
        let host = batch.add_extra(from.host_from.as_bytes());
        let program = batch.add_extra(here.log.program().as_bytes());
        let pid = batch.add_extra(std::process::id().to_string().as_bytes());
        let mut bytes = Vec::new();
        for entry in entries {
            let text = Span::received(bytes.len(), entry.text.len());
            bytes.extend_from_slice(entry.text.as_bytes());
            let mut message = Message::default();
            message.raw = text;
            message.host = host;
            message.program = program;
            message.pid = pid;
            message.text = text;
            message.event = batch_reader.clock().stamp(entry.at);
            message.pri = Priority::new(Facility::SYSLOG, entry.severity);
            message.format = Format::Internal;
            batch.messages.push(message);
        }
        batch.received_bytes = Arc::new(bytes);
        batch_reader.replace_names(&mut batch);
        batch_reader.deliver(batch, None);
        batch_reader.window.wait_for_room().await;
    }
}
