//! Events of messages.
//!
//! In: messages. Out: the event of each, as bytes. Holds: nothing between two.
//! Limits: an event of more than [`EVENT_BYTES_MAX`], or over UDP [`DATAGRAM_BYTES_MAX`], is a dead letter.

use super::{
    datagrams::DatagramConnection,
    options::{EventTags, EventTime, MetricKind, RiemannTarget, RiemannWire, UnfitMetric},
    stream::StreamConnection,
};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Render, Stamp};
use transport::{
    DeadReason,
    riemann::{EventWriter, Metric},
};

/// Longest event: servers take messages of 128 MiB, and a message has many.
const EVENT_BYTES_MAX: usize = 16 << 20;
/// Longest event over UDP: servers read so much of a datagram.
const DATAGRAM_BYTES_MAX: usize = 16_384 - 8;
/// Names that are fields of events, and so no attributes.
const FIELDS: [&str; 7] = ["host", "service", "description", "state", "ttl", "metric", "tags"];

/// Sets a field of an event to a text.
type Setter = fn(&mut EventWriter, &[u8]);

/// The receiver of `riemann()`.
pub struct RiemannReceiver {
    target: RiemannTarget,
}

impl RiemannReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: RiemannTarget) -> RiemannReceiver {
        RiemannReceiver { target }
    }

    /// Returns a number that a template gives; `None` when it gives no text, or none that is a number and is left out.
    fn number<T>(
        unfit: UnfitMetric,
        (name, text): (&str, &[u8]),
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, RowError> {
        if text.is_empty() {
            return Ok(None);
        }
        let number = std::str::from_utf8(text).ok().and_then(|text| read(text.trim()));
        match (number, unfit) {
            (None, UnfitMetric::Dead) => {
                Err(RowError { reason: DeadReason::Cast, text: format!("the {name} is no number") })
            }
            (number, _) => Ok(number),
        }
    }
}

/// Reads a number with a fraction.
fn double(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

impl Receiver for RiemannReceiver {
    fn begin(&mut self, now: Stamp) {
        let RiemannTarget { host, service, time, state, description, ttl, metric, attributes, .. } =
            &mut self.target;
        let always = [host, service, &mut time.0];
        let metric = metric.as_mut().map(|(metric, _)| metric);
        let rest = [state.as_mut(), description.as_mut(), ttl.as_mut(), metric];
        always.into_iter().chain(rest.into_iter().flatten()).for_each(|template| template.begin(now));
        if let Some(attributes) = attributes {
            attributes.begin(now);
        }
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        group.push_str(&self.target.server.host);
        let target = &mut self.target;
        let rendered = |template: &mut Box<dyn Render>| {
            let mut text = Vec::new();
            template.render(batch, index, sequence, &mut text);
            text
        };
        let mut event = EventWriter::default();
        let time = rendered(&mut target.time.0);
        let time = Self::number(target.unfit, ("event-time", &time), double)?.map(|time| time as i64);
        match (time, target.time.1) {
            (None, _) => {}
            (Some(time), EventTime::Seconds) => event.seconds(time),
            (Some(time), EventTime::Microseconds) => event.microseconds(time),
        }
        let fields: [(Option<&mut Box<dyn Render>>, Setter); 4] = [
            (Some(&mut target.host), EventWriter::host),
            (Some(&mut target.service), EventWriter::service),
            (target.state.as_mut(), EventWriter::state),
            (target.description.as_mut(), EventWriter::description),
        ];
        for (template, set) in fields {
            let text = template.map(rendered).unwrap_or_default();
            if !text.is_empty() {
                set(&mut event, String::from_utf8_lossy(&text).as_bytes());
            }
        }
        let ttl = target.ttl.as_mut().map(rendered).unwrap_or_default();
        if let Some(ttl) = Self::number(target.unfit, ("ttl", &ttl), double)? {
            event.ttl(ttl as f32);
        }
        if let Some((template, kind)) = &mut target.metric {
            let read = |text: &str| match kind {
                MetricKind::Integer => text.parse().ok().map(Metric::Integer),
                MetricKind::Double => double(text).map(Metric::Double),
            };
            if let Some(metric) = Self::number(target.unfit, ("metric", &rendered(template)), read)? {
                event.metric(metric);
            }
        }
        match &target.tags {
            EventTags::OfMessage => batch.tags(index).iter().for_each(|tag| event.tag(tag.as_bytes())),
            EventTags::Fixed(tags) => tags.iter().for_each(|tag| event.tag(tag.as_bytes())),
        }
        if let Some(attributes) = &mut target.attributes {
            attributes.pairs(batch, index, sequence, &mut |name, value| {
                if !FIELDS.contains(&name) {
                    event.attribute(name.as_bytes(), String::from_utf8_lossy(value).as_bytes());
                }
            });
        }
        let event = event.finish();
        let limit = match target.wire {
            RiemannWire::Stream => EVENT_BYTES_MAX,
            RiemannWire::Datagrams => DATAGRAM_BYTES_MAX,
        };
        match event.len() > limit {
            true => Err(RowError::too_large("event", limit)),
            false => Ok(vec![Cell::Bytes(event)]),
        }
    }

    fn connection(&self) -> Box<dyn Connection> {
        let RiemannTarget { server, timeout, .. } = &self.target;
        match self.target.wire {
            RiemannWire::Stream => Box::new(StreamConnection::new(server.clone(), *timeout)),
            RiemannWire::Datagrams => Box::new(DatagramConnection::new(server.clone())),
        }
    }

    fn batches(&self) -> Batches {
        self.target.batches
    }

    fn instance(&self) -> String {
        format!("riemann,{},{}", self.target.server.host, self.target.server.port)
    }

    fn settings(&self) -> Vec<String> {
        let target = &self.target;
        vec![
            format!("{:?} {:?}", target.wire, target.server.tls.is_some()),
            format!("{:?} {:?}", target.time.1, target.metric.as_ref().map(|(_, kind)| kind)),
            format!("{:?} {:?} {}", target.tags, target.unfit, target.attributes.is_some()),
            format!("{:?} {:?}", target.timeout, target.batches.retries),
        ]
    }
}
