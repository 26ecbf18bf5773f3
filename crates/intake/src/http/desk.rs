//! The state shared by the requests of one connection: the decoder, the window, the origins of their messages.
//!
//! In: complete bodies. Out: batches into the pipeline, and their outcomes. Holds: the batch reader of the connection.
//! Limits: the window of the connection is waited for before a body is read.

use super::{
    body::{BudgetShare, Whole},
    refusal::Refusal,
};
use crate::{
    batch_reader::{BatchReader, Completion, FlowWindow, Run},
    options::{Acknowledge, HttpOffer, HttpOptions},
    source::Settings,
};
use message::{Batch, FieldName, Origin, Outcome, ValueKind};
use std::{
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::{
    sync::oneshot,
    time::{error::Elapsed, timeout},
};
use transport::stats;
use wire::{BodyError, OtlpNames, ShippedReader};

/// Makes the origin of messages from the present settings.
pub(super) type MakeOrigin = Box<dyn Fn(&Settings) -> Origin + Send>;

/// The desk of one connection. Clones share it.
#[derive(Clone)]
pub(super) struct Desk {
    state: Arc<Mutex<State>>,
    window: Arc<FlowWindow>,
    pub(super) options: Arc<HttpOptions>,
}

struct State {
    batch_reader: BatchReader,
    reader: ShippedReader,
    make_origin: MakeOrigin,
    /// By the name of the format.
    origins: Vec<(&'static str, Arc<Origin>)>,
}

/// A value of a message.
pub(super) struct RequestValue {
    pub(super) name: FieldName,
    pub(super) bytes: Vec<u8>,
    pub(super) kind: ValueKind,
}

impl RequestValue {
    /// Makes a value of bytes that are text, mostly.
    pub(super) fn text(name: &str, bytes: Vec<u8>) -> RequestValue {
        let kind = if std::str::from_utf8(&bytes).is_ok() { ValueKind::String } else { ValueKind::Bytes };
        RequestValue { name: FieldName::parse(name), bytes, kind }
    }
}

/// Messages in flight.
pub(super) struct Sent(Option<oneshot::Receiver<Outcome>>);

/// Reports the outcome of a batch, and holds its share of the budget until then.
struct OutcomeReporter {
    sender: Mutex<Option<oneshot::Sender<Outcome>>>,
    also: Option<Box<dyn Completion>>,
    _share: BudgetShare,
}

impl Completion for OutcomeReporter {
    fn complete(&self, outcome: Outcome) {
        if let Some(also) = &self.also {
            also.complete(outcome);
        }
        if let Some(sender) = self.sender.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // The receiver may have left.
            let _ = sender.send(outcome);
        }
    }
}

impl Desk {
    pub(super) fn new(batch_reader: BatchReader, options: Arc<HttpOptions>, make_origin: MakeOrigin) -> Desk {
        let reader = reader(&batch_reader, &options);
        let window = batch_reader.window.clone();
        let state = State { batch_reader, reader, make_origin, origins: Vec::new() };
        Desk { state: Arc::new(Mutex::new(state)), window, options }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the window has space.
    pub(super) async fn wait_for_room(&self) -> Result<(), Elapsed> {
        timeout(self.options.timeout, self.window.wait_for_room()).await
    }

    /// Counts something that is no request of ours.
    pub(super) fn count_error(&self) {
        stats::add(&self.lock().batch_reader.settings().counters.frame_errors, 1);
    }

    /// Decodes a body and forwards its messages. `format` is the name after `http+` in `${TRANSPORT}`.
    pub(super) fn take<T>(
        &self,
        format: &'static str,
        (bytes, share): (Arc<Vec<u8>>, BudgetShare),
        also: Option<Box<dyn Completion>>,
        decode: impl FnOnce(&mut ShippedReader, &mut Batch) -> Result<T, BodyError>,
    ) -> Result<(T, Sent), BodyError> {
        let mut state = self.lock();
        let state = &mut *state;
        state.refresh(&self.options);
        let origin = state.origin(format);
        let mut batch = state.batch_reader.batch(bytes, &origin);
        let read = decode(&mut state.reader, &mut batch).inspect_err(|_| {
            stats::add(&state.batch_reader.settings().counters.frame_errors, 1);
        })?;
        if batch.is_empty() {
            return Ok((read, Sent(None)));
        }
        let (sender, outcome) = oneshot::channel();
        let completion = OutcomeReporter { sender: Mutex::new(Some(sender)), also, _share: share };
        state.batch_reader.forward_decoded(batch, &origin, Some(Box::new(completion)));
        let waits = self.options.acknowledge == Acknowledge::Delivered;
        Ok((read, Sent(waits.then_some(outcome))))
    }

    /// Forwards a body as one message with some values. `client` is the sender, when it is not the peer.
    pub(super) fn take_message(&self, body: Whole, values: &[RequestValue], client: Option<IpAddr>) -> Sent {
        let mut state = self.lock();
        let state = &mut *state;
        state.refresh(&self.options);
        let mut origin = state.origin("http");
        if let Some(client) = client {
            let there =
                Origin { peer: Some((client, 0).into()), host_from: client.to_string(), ..(*origin).clone() };
            origin = Arc::new(there);
        }
        let mut text = Vec::with_capacity(body.bytes.len());
        state.batch_reader.add_value(&body.bytes, &mut text);
        let runs = [Run { frames: state.batch_reader.frames(), origin }];
        let Some(mut batch) = state.batch_reader.decode(Arc::new(text), &runs) else { return Sent(None) };
        for value in values {
            batch.set_field(0, &value.name, &value.bytes, value.kind);
        }
        let (sender, outcome) = oneshot::channel();
        let completion = OutcomeReporter { sender: Mutex::new(Some(sender)), also: None, _share: body.share };
        state.batch_reader.begin();
        state.batch_reader.deliver(batch, Some(Box::new(completion)));
        let waits = self.options.acknowledge == Acknowledge::Delivered;
        Sent(waits.then_some(outcome))
    }

    /// Waits until messages are as safe as configured. Fails when a destination gave up, or when it takes longer than
    /// `timeout()`.
    pub(super) async fn settled(&self, sent: Sent) -> Result<(), Refusal> {
        let Some(outcome) = sent.0 else { return Ok(()) };
        match timeout(self.options.timeout, outcome).await {
            Ok(Ok(Outcome::Done)) => Ok(()),
            _ => Err(Refusal::Unsafe),
        }
    }
}

fn reader(batch_reader: &BatchReader, options: &HttpOptions) -> ShippedReader {
    let names = match options.offer {
        HttpOffer::All => OtlpNames::Plain,
        HttpOffer::OpenTelemetry => OtlpNames::Dotted,
    };
    ShippedReader::new(batch_reader.settings().options.decode.clone(), &options.prefix).with_otlp_names(names)
}

impl State {
    /// Takes new settings over after a reload.
    fn refresh(&mut self, options: &HttpOptions) {
        if self.batch_reader.refresh() {
            self.reader = reader(&self.batch_reader, options);
            self.origins.clear();
        }
    }

    fn origin(&mut self, format: &'static str) -> Arc<Origin> {
        if let Some((_, origin)) = self.origins.iter().find(|(known, _)| *known == format) {
            return origin.clone();
        }
        let mut origin = (self.make_origin)(self.batch_reader.settings());
        origin.transport_name = format.to_owned();
        let origin = Arc::new(origin);
        self.origins.push((format, origin.clone()));
        origin
    }
}
