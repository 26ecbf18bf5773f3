//! A request with its rows.
//!
//! In: rows of one group. Out: their verdicts. Holds: a connection. Limits: those of [`crate::grpc`].
//!
//! Loki stores a line once that it gets twice with the same labels and the same time, which a row keeps at every attempt. So a request
//! of which it refused a part may be halved until the refused line is alone. Two messages with equal lines get different nanoseconds.

use crate::grpc::{Call, Channel, GrpcSettings, headers_of};
use delivery::{Cell, Connection, Exchange, Judgement, Row, failure::Failure};
use message::RecordId;
use std::{collections::HashMap, sync::Arc};
use wire::protobuf::{push_bytes, push_message, push_varint};

/// The call for lines.
const PATH: &str = "/logproto.Pusher/Push";
/// Loki takes equal lines of one stream and one nanosecond for one. The time of a line moves by less than so many nanoseconds, a
/// millisecond, so that equal lines are stored each.
pub const MOVED_NS: u64 = 1_000_000;

/// The part of a target that its connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) settings: Arc<GrpcSettings>,
    /// The names of the headers whose values are in the group.
    pub(super) header_names: Vec<String>,
}

/// A connection.
pub(super) struct LokiConnection {
    shared: Arc<Shared>,
    channel: Channel,
}

impl LokiConnection {
    pub(super) fn new(shared: Arc<Shared>) -> LokiConnection {
        let channel = Channel::new(shared.settings.clone());
        LokiConnection { shared, channel }
    }
}

/// Appends `EntryAdapter { Timestamp timestamp = 1; string line = 2 }`.
fn push_entry((id, at): (RecordId, i64), line: &[u8], out: &mut Vec<u8>) {
    push_message(2, out, |out| {
        push_message(1, out, |out| {
            push_varint(1, at.div_euclid(1_000_000) as u64, out);
            let fraction = at.rem_euclid(1_000_000).unsigned_abs() * 1_000;
            push_varint(2, id.nanoseconds(fraction, MOVED_NS), out);
        });
        push_bytes(2, line, out);
    });
}

/// Returns `PushRequest { repeated StreamAdapter streams = 1 }`, `StreamAdapter { string labels = 1; repeated EntryAdapter
/// entries = 2 }`: a stream for the rows of equal labels, in their order.
pub(super) fn push_request(rows: &[Row]) -> Vec<u8> {
    let mut streams: Vec<(&[u8], Vec<_>)> = Vec::new();
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    for row in rows {
        let [Cell::Bytes(labels), Cell::Integer(at), Cell::Bytes(line)] = row.cells.as_slice() else {
            continue;
        };
        let place = *places.entry(labels).or_insert_with(|| {
            streams.push((labels, Vec::new()));
            streams.len() - 1
        });
        streams[place].1.push(((row.id, *at), line));
    }
    let mut out = Vec::new();
    for (labels, entries) in streams {
        push_message(1, &mut out, |out| {
            push_bytes(1, labels, out);
            entries.iter().for_each(|(time, line)| push_entry(*time, line, out));
        });
    }
    out
}

impl Connection for LokiConnection {
    fn send<'a>(&'a mut self, group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(async move {
            let headers = headers_of(&self.shared.header_names, group);
            match self.channel.call(Call { path: PATH, headers, message: push_request(rows) }).await {
                Ok(_) => Judgement::delivered(rows.len()),
                Err(Failure { verdict, answer }) => Judgement::of_all(rows.len(), verdict, answer),
            }
        })
    }

    fn close(&mut self) {
        self.channel.close();
    }
}
