//! Batches of messages, shown to the class.
//!
//! In: rows. Out: their verdicts. Holds: the process of the class, and what is known of messages at which it failed.
//! Limits: one batch at a time.

use super::verdict::{Faults, judge};
use ::python::{Interpreter, Item, Program, Values};
use delivery::{Cell, Connection, Exchange, Judgement, Row, Verdict};
use message::{Batch, Stamp, codec};
use std::sync::Arc;
use transport::{Clock, DeadReason, InternalLog};

pub(super) struct PythonConnection {
    interpreter: Interpreter,
    faults: Faults,
    clock: Clock,
}

impl PythonConnection {
    pub(super) fn new(
        program: Arc<Program>,
        values: Box<dyn Values>,
        log: InternalLog,
        retries: u32,
    ) -> PythonConnection {
        PythonConnection {
            interpreter: Interpreter::new(program, values, log),
            faults: Faults::new(retries),
            clock: Clock::new(),
        }
    }

    async fn show(&mut self, rows: &[Row], now: Stamp) -> Vec<Judgement> {
        let batches: Option<Vec<(Batch, u64)>> = rows.iter().map(unpacked).collect();
        let Some(batches) = batches else {
            // Only damaged memory does this.
            let verdict = Verdict::Split(DeadReason::Rejected);
            return Judgement::of_all(rows.len(), verdict, "the message cannot be unpacked");
        };
        let items = batches.iter().map(|(batch, sequence)| Item { batch, index: 0, sequence: *sequence });
        let items: Vec<Item<'_>> = items.collect();
        let outcome = self.interpreter.ask(&items, self.faults.pace(), now).await;
        judge(rows, &outcome, &mut self.faults)
    }
}

/// Unpacks the message of a row.
fn unpacked(row: &Row) -> Option<(Batch, u64)> {
    let [Cell::Bytes(bytes), Cell::Integer(sequence)] = row.cells.as_slice() else { return None };
    let batch = codec::decode(bytes).ok().filter(|batch| batch.len() == 1)?;
    Some((batch, sequence.cast_unsigned()))
}

impl Connection for PythonConnection {
    fn send<'a>(&'a mut self, _group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        let now = self.clock.now();
        Box::pin(self.show(rows, now))
    }

    fn close(&mut self) {
        self.interpreter.close();
    }
}
