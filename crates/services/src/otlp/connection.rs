//! A request with its rows, and the part of it that the server refused.
//!
//! In: rows of one group. Out: their verdicts. Holds: a connection, and how many records a request may have. Limits: those of
//! [`crate::grpc`].
//!
//! A server that takes only some records of a request says how many it refused, and not which. They must not be sent again, for it
//! would store the others twice, and none may be lost: all records of that request become dead letters. So that there are few of
//! them, requests become half as long after each such answer, down to a single record, and twice as long after each other one.

use crate::grpc::{Call, Channel, GrpcSettings, headers_of};
use delivery::{
    Cell, Connection, Exchange, Judgement, Row, Verdict, Wait, failure::Failure, verdicts::Verdicts,
};
use std::sync::Arc;
use transport::DeadReason;
use wire::{OtlpRejection, otlp_request};

/// The call for log records.
const PATH: &str = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";

/// The part of a target that its connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) settings: Arc<GrpcSettings>,
    /// The names of the headers whose values are in the group.
    pub(super) header_names: Vec<String>,
}

/// A connection.
pub(super) struct OtlpConnection {
    shared: Arc<Shared>,
    channel: Channel,
    /// Most records of a request; more than any batch has until a part of one was refused.
    records_max: usize,
}

impl OtlpConnection {
    pub(super) fn new(shared: Arc<Shared>) -> OtlpConnection {
        let channel = Channel::new(shared.settings.clone());
        OtlpConnection { shared, channel, records_max: usize::MAX }
    }

    async fn exchange(&mut self, group: &str, rows: &[Row]) -> Vec<Judgement> {
        let mut verdicts = Verdicts::default();
        let mut rest = rows;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(self.records_max));
            let headers = headers_of(&self.shared.header_names, group);
            let call = Call { path: PATH, headers, message: otlp_request(now.iter().map(parts)) };
            let answer = self.channel.call(call).await;
            let failure = match answer.map(|message| OtlpRejection::read(&message)) {
                Ok(Ok(rejection)) => {
                    self.judge(&rejection, now.len(), &mut verdicts);
                    rest = later;
                    continue;
                }
                Ok(Err(_)) => {
                    let answer = "the server's answer cannot be read".to_owned();
                    Failure { verdict: Verdict::Later(Wait::Busy), answer }
                }
                Err(failure) => failure,
            };
            return verdicts.finish(rows.len(), Some(&failure));
        }
        verdicts.finish(rows.len(), None)
    }

    /// Judges the rows of a request that the server took, or a part of it.
    fn judge(&mut self, rejection: &OtlpRejection, rows: usize, verdicts: &mut Verdicts) {
        if rejection.records == 0 {
            self.records_max = self.records_max.saturating_mul(2);
            return verdicts.push_many(rows, Verdict::Delivered, "");
        }
        self.records_max = (rows / 2).max(1);
        let count = rejection.records;
        let (reason, which) = match count >= rows as u64 {
            true => (DeadReason::Rejected, ""),
            false => (DeadReason::Unnamed, " and does not say which; it has the others"),
        };
        let which = format!("the server refused {} of {rows} records{which}", count.min(rows as u64));
        let answer = format!("{which}\n{}", rejection.text);
        verdicts.push_many(rows, Verdict::Dead(reason), answer.trim_end());
    }
}

/// Returns resource, scope and record of a row.
fn parts(row: &Row) -> [&[u8]; 3] {
    let bytes = |place: usize| match row.cells.get(place) {
        Some(Cell::Bytes(bytes)) => bytes.as_slice(),
        _ => &[],
    };
    [bytes(0), bytes(1), bytes(2)]
}

impl Connection for OtlpConnection {
    fn send<'a>(&'a mut self, group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(self.exchange(group, rows))
    }

    fn close(&mut self) {
        self.channel.close();
    }
}
