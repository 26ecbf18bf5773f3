//! A page of the list of objects, from its XML.
//!
//! In: the answer to ListObjectsV2. Out: objects, and the token of the next page. Holds: nothing. Limits: those of an answer.
//!
//! With `encoding-type=url` names come with percent signs, because XML cannot have every character that a name can have. A
//! server that does not know this says so by leaving `EncodingType` out.

use quick_xml::{Reader, escape::resolve_predefined_entity, events::Event};
use std::fmt;

/// Longest name of an object.
const KEY_BYTES_MAX: usize = 1024;

/// An object as a list shows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ListedObject {
    /// Its name.
    pub key: String,
    /// The mark of its content, with quotes; empty if the server has none.
    pub etag: String,
    /// Its bytes.
    pub size: u64,
    /// The object is in an archive, from which it must be restored before it can be read.
    pub is_archived: bool,
}

/// A page of a list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ObjectList {
    /// The objects, in the order of the server.
    pub objects: Vec<ListedObject>,
    /// The token that leads to the next page; `None` on the last one.
    pub next: Option<String>,
}

/// The reason why an answer is no list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ListError {
    /// It is no XML.
    Markup(String),
    /// It is XML of another kind.
    Other,
    /// It ends before the list does, without saying where it continues.
    NoToken,
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListError::Markup(why) => write!(f, "the list of objects cannot be read: {why}"),
            ListError::Other => f.write_str("the server answered with what is no list of objects"),
            ListError::NoToken => {
                f.write_str("the list of objects is cut, and there is no token for the rest")
            }
        }
    }
}

/// The elements that matter.
#[derive(Default)]
struct Parsed {
    is_list: bool,
    is_encoded: bool,
    is_cut: bool,
    next: String,
    objects: Vec<ListedObject>,
}

impl ObjectList {
    /// Reads an answer.
    pub(super) fn read(body: &[u8]) -> Result<ObjectList, ListError> {
        let parsed = parse(&String::from_utf8_lossy(body))?;
        if !parsed.is_list {
            return Err(ListError::Other);
        }
        if parsed.is_cut && parsed.next.is_empty() {
            return Err(ListError::NoToken);
        }
        let mut objects = parsed.objects;
        if parsed.is_encoded {
            objects.iter_mut().for_each(|object| object.key = decoded(&object.key));
        }
        objects.retain(|object| !object.key.is_empty() && object.key.len() <= KEY_BYTES_MAX);
        Ok(ObjectList { objects, next: parsed.is_cut.then_some(parsed.next) })
    }
}

fn parse(text: &str) -> Result<Parsed, ListError> {
    let failed = |error: &dyn fmt::Display| ListError::Markup(error.to_string());
    let mut reader = Reader::from_str(text);
    let mut parsed = Parsed::default();
    // The element that was begun last: those that matter have no others inside.
    let (mut depth, mut value) = (0_usize, String::new());
    let mut is_object = false;
    loop {
        match reader.read_event().map_err(|error| failed(&error))? {
            Event::Start(start) => {
                let name = start.local_name();
                parsed.is_list |= depth == 0 && name.as_ref() == b"ListBucketResult";
                if depth == 1 && name.as_ref() == b"Contents" {
                    is_object = true;
                    parsed.objects.push(ListedObject::default());
                }
                depth += 1;
                value.clear();
            }
            Event::Empty(only) => {
                parsed.is_list |= depth == 0 && only.local_name().as_ref() == b"ListBucketResult";
            }
            Event::Text(text) => value.push_str(&text.decode().map_err(|error| failed(&error))?),
            Event::CData(text) => value.push_str(&text.decode().map_err(|error| failed(&error))?),
            Event::GeneralRef(reference) => {
                if let Some(character) = reference.resolve_char_ref().map_err(|error| failed(&error))? {
                    value.push(character);
                } else {
                    let name = reference.decode().map_err(|error| failed(&error))?;
                    value.push_str(resolve_predefined_entity(&name).unwrap_or_default());
                }
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                is_object &= depth > 1;
                let object = parsed.objects.last_mut().filter(|_| is_object && depth == 2);
                match (end.local_name().as_ref(), object) {
                    (b"Key", Some(object)) => object.key = std::mem::take(&mut value),
                    (b"ETag", Some(object)) => object.etag = std::mem::take(&mut value),
                    (b"Size", Some(object)) => object.size = value.trim().parse().unwrap_or(0),
                    (b"StorageClass", Some(object)) => {
                        object.is_archived = matches!(value.trim(), "GLACIER" | "DEEP_ARCHIVE");
                    }
                    (b"IsTruncated", None) => parsed.is_cut = value.trim() == "true",
                    (b"NextContinuationToken", None) => parsed.next = std::mem::take(&mut value),
                    (b"EncodingType", None) => parsed.is_encoded = value.trim() == "url",
                    _ => {}
                }
                value.clear();
            }
            Event::Eof if depth == 0 => return Ok(parsed),
            Event::Eof => return Err(ListError::Markup("it is cut off".to_owned())),
            _ => {}
        }
    }
}

/// Returns a name without percent signs. A blank comes as a plus sign.
fn decoded(encoded: &str) -> String {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        rest = match (first, byte) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                &after[2..]
            }
            (first, _) => {
                bytes.push(if *first == b'+' { b' ' } else { *first });
                after
            }
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
