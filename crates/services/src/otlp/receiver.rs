//! Rows of messages.
//!
//! In: messages. Out: the bytes of resource, scope and record of each; its group are the values of the headers that depend on it.
//! Holds: nothing between two. Limits: none of its own.

use super::{
    connection::{OtlpConnection, Shared},
    options::{OtlpForm, OtlpTarget},
};
use crate::grpc::{GrpcSettings, RenderedHeaders};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Stamp};
use std::sync::Arc;
use wire::OtlpParts;

/// The receiver of `opentelemetry()` and `syslog-ng-otlp()`.
pub struct OtlpReceiver {
    form: OtlpForm,
    headers: RenderedHeaders,
    batches: Batches,
    shared: Arc<Shared>,
}

impl OtlpReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: OtlpTarget) -> OtlpReceiver {
        let OtlpTarget { form, settings, headers, batches } = target;
        let headers = RenderedHeaders(headers);
        let shared = Shared { settings: Arc::new(settings), header_names: headers.names() };
        OtlpReceiver { form, headers, batches, shared: Arc::new(shared) }
    }

    fn grpc(&self) -> &GrpcSettings {
        &self.shared.settings
    }
}

impl Receiver for OtlpReceiver {
    fn begin(&mut self, now: Stamp) {
        self.headers.begin(now);
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        self.headers.render((batch, index), sequence, group);
        let OtlpParts { resource, scope, record } = match self.form {
            OtlpForm::Records => OtlpParts::of(batch, index),
            OtlpForm::Whole => OtlpParts::whole(batch, index),
        };
        Ok(vec![Cell::Bytes(resource), Cell::Bytes(scope), Cell::Bytes(record)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(OtlpConnection::new(self.shared.clone()))
    }

    fn batches(&self) -> Batches {
        self.batches
    }

    fn instance(&self) -> String {
        format!("otlp,{}", self.grpc().authority())
    }

    fn settings(&self) -> Vec<String> {
        vec![format!("{:?} {:?}", self.form, self.grpc()), self.shared.header_names.join(" ")]
    }

    fn describe(&self, _group: &str, _cells: &[Cell]) -> String {
        format!("a record for {}", self.grpc().authority())
    }
}
