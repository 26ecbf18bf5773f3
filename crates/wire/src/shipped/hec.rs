//! Splunk's HTTP event collector: JSON objects one after the other, or raw lines with metadata in the query string.
//!
//! In: a body. Out: a message per event. `source`, `sourcetype` and `index` are pairs; the fields of an event that is
//! an object and of `fields` are pairs, or fields of the message if they mean one.
//! Holds: nothing. Limits: an event that cannot be read refuses the whole body, as Splunk does.

use super::{
    BodyError, ShippedReader, document,
    encoding::json::{Json, Token},
    entry::known::KnownField,
    entry::moment,
    entry::{Datum, Entries},
    lines,
};
use message::{Batch, Span};

/// The metadata in the query string of a raw body, which applies to all its lines.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct HecMeta {
    /// `host`
    pub host: Option<String>,
    /// `time`
    pub time: Option<String>,
    /// `source`, `sourcetype`, `index`, in this order.
    pub values: Vec<(&'static str, String)>,
}

/// Error in the body of an event: these have codes of their own.
pub(super) const NO_EVENT: &str = "an object without an event";

impl ShippedReader {
    /// Reads events. A blank body has none.
    pub fn hec_events(&mut self, batch: &mut Batch, origin: u16) -> Result<(), BodyError> {
        let body = batch.received_bytes.clone();
        let before = batch.len();
        let mut entries = self.entries(batch, origin);
        let mut json = Json::new(&body, 0);
        let mut read = Ok(());
        while read.is_ok() && !json.is_at_end() {
            read = event(&mut json, &body, &mut entries);
        }
        if read.is_err() {
            batch.messages.truncate(before);
        }
        read
    }

    /// Reads raw lines.
    pub fn hec_raw(&mut self, batch: &mut Batch, origin: u16, meta: &HecMeta) {
        let body = batch.received_bytes.clone();
        let time = meta.time.as_ref().and_then(|time| moment::read(time.as_bytes(), &mut self.stamps));
        let mut entries = self.entries(batch, origin);
        let host = meta.host.as_ref().map(|host| entries.batch.add_extra(host.as_bytes()));
        let values: Vec<(&str, Span)> = meta
            .values
            .iter()
            .map(|(name, value)| (*name, entries.batch.add_extra(value.as_bytes())))
            .collect();
        for line in lines::each(&body, 0..body.len()) {
            lines::text(&body, line, &mut entries);
            if let Some(host) = host {
                entries.put(KnownField::Host, Datum::text(host));
            }
            if let Some(time) = time {
                entries.set_time(time);
            }
            values.iter().for_each(|(name, span)| entries.value(name.as_bytes(), Datum::text(*span)));
        }
    }
}

fn event(json: &mut Json<'_>, body: &[u8], entries: &mut Entries<'_>) -> Result<(), BodyError> {
    if json.token()? != Token::Object {
        return Err(json.wrong("no JSON object"));
    }
    let start = json.at - 1;
    entries.begin(Span::EMPTY);
    // Fields of the envelope take precedence, so the event is read after them.
    let mut event = None;
    let mut fields = None;
    let mut first = true;
    while let Some(key) = json.key(&mut first)? {
        let at = json.at;
        let token = json.token()?;
        match (&body[key.start..key.end], token) {
            (b"event", token) => {
                event = Some(at);
                json.skip(token)?;
            }
            (b"fields", token) => {
                fields = Some(at);
                json.skip(token)?;
            }
            (_, token @ (Token::Object | Token::Array)) => json.skip(token)?,
            (name, token) => {
                let datum = entries.scalar(body, token);
                let is_placed = match name {
                    b"host" => entries.put(KnownField::Host, datum),
                    b"time" => entries.put(KnownField::Time, datum),
                    _ => false,
                };
                if !is_placed {
                    entries.value(name, datum);
                }
            }
        }
    }
    entries.message().raw = Span::received(start, json.at - start);
    let Some(event) = event else { return Err(json.wrong(NO_EVENT)) };
    content(Json::new(body, event), body, entries)?;
    if let Some(fields) = fields {
        let mut json = Json::new(body, fields);
        if json.token()? == Token::Object {
            document::object(&mut json, body, entries, b"", &|entries, name, datum| {
                entries.value(name, datum)
            })?;
        }
    }
    entries.end();
    Ok(())
}

/// Reads the event itself: a text, or an object whose JSON is the text unless it has a text member.
fn content(mut json: Json<'_>, body: &[u8], entries: &mut Entries<'_>) -> Result<(), BodyError> {
    match json.token()? {
        Token::Object => {
            let start = json.at - 1;
            document::object(&mut json, body, entries, b"", &|entries, name, datum| {
                entries.field(name, datum);
            })?;
            let text = Datum::text(Span::received(start, json.at - start));
            entries.put(KnownField::Text, text);
        }
        token @ Token::Array => {
            let text = document::rest(&mut json, token)?;
            entries.put(KnownField::Text, Datum::text(text.span));
        }
        Token::Null => return Err(json.wrong(NO_EVENT)),
        token => {
            let datum = entries.scalar(body, token);
            if datum.span.is_empty() {
                return Err(json.wrong(NO_EVENT));
            }
            entries.put(KnownField::Text, Datum::text(datum.span));
        }
    }
    Ok(())
}
