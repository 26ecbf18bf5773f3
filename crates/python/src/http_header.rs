//! The class of `python-http-header()`, which makes headers of requests.
//!
//! In: the body of a request with its headers, the status of an answer. Out: more headers. Holds: the process.
//! Limits: a call may take `timeout()`, then the process is killed; [`HEADERS_MAX`] headers of [`HEADERS_BYTES_MAX`] bytes together.
//!
//! A call that fails has no answer: an exception, what are no headers, a process that ends. What becomes of the request then is
//! decided by who made it.

use crate::{
    interpreter::Interpreter,
    program::Program,
    protocol::{changes::Input, outcome::End},
    values::{Named, TemplateFault, Values},
};
use message::{Batch, Stamp, ValueKind};
use std::{fmt, sync::Arc};
use transport::InternalLog;

/// Most headers of a request.
pub const HEADERS_MAX: usize = 100;
/// Most bytes of them. Servers take 8 to 64 KiB in all.
pub const HEADERS_BYTES_MAX: usize = 64 << 10;

/// Headers that say where a request ends: those of a class would make another request of the rest.
const FRAMING: [&str; 3] = ["Content-Length", "Transfer-Encoding", "Connection"];

/// Why there are no headers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HeaderError {
    /// The class failed: it may do better the next time.
    Failed(String),
    /// The class cannot be loaded.
    Unusable(String),
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (HeaderError::Failed(text) | HeaderError::Unusable(text)) = self;
        f.write_str(text.lines().next().unwrap_or_default())
    }
}

impl From<End> for HeaderError {
    fn from(end: End) -> HeaderError {
        match end {
            End::Refused(text) | End::Missing(text) => HeaderError::Unusable(text),
            End::Lost(text) | End::Late(text) => HeaderError::Failed(text),
            End::Done => HeaderError::Failed("the process gave no answer".to_owned()),
        }
    }
}

/// A class in a process of its own.
pub struct HeaderClass {
    interpreter: Interpreter,
}

impl HeaderClass {
    /// Makes one whose process starts with the first request.
    pub fn new(program: Arc<Program>, log: InternalLog) -> HeaderClass {
        HeaderClass { interpreter: Interpreter::new(program, Box::new(NoValues), log) }
    }

    /// Calls `get_headers()`. To be called in a runtime, always the same. `headers` are those that the request has, `Name: value`.
    /// Returns names and values as the class gave them, without blanks around.
    pub async fn headers(
        &mut self,
        body: &[u8],
        headers: &[String],
    ) -> Result<Vec<(String, String)>, HeaderError> {
        let mut request = (headers.len() as u32).to_le_bytes().to_vec();
        for header in headers {
            request.extend_from_slice(&(header.len() as u32).to_le_bytes());
            request.extend_from_slice(header.as_bytes());
        }
        request.extend_from_slice(body);
        let answer = match self.interpreter.call(b'G', &request).await {
            // It may have ended long before.
            Err(End::Lost(_)) => self.interpreter.call(b'G', &request).await,
            answer => answer,
        };
        match answer? {
            (b'l', list) => read(&list),
            (_, fault) => Err(failed(&fault)),
        }
    }

    /// Calls `on_http_response_received()`, if the class has it.
    pub async fn received(&mut self, status: u16) -> Result<(), HeaderError> {
        match self.interpreter.call(b'R', &status.to_le_bytes()).await? {
            (b'd', _) => Ok(()),
            (_, fault) => Err(failed(&fault)),
        }
    }

    /// Ends the process.
    pub fn close(&mut self) {
        self.interpreter.close();
    }
}

fn failed(fault: &[u8]) -> HeaderError {
    HeaderError::Failed(String::from_utf8_lossy(fault).into_owned())
}

/// Reads a list of headers.
fn read(list: &[u8]) -> Result<Vec<(String, String)>, HeaderError> {
    let wrong = |what: &str| Err(HeaderError::Failed(format!("get_headers() returned {what}")));
    let (mut input, mut headers) = (Input(list), Vec::new());
    if list.len() > HEADERS_BYTES_MAX {
        return wrong(&format!("more than {HEADERS_BYTES_MAX} bytes"));
    }
    while !input.0.is_empty() {
        let Ok(text) = input.counted() else { return wrong("what is no list") };
        let text = String::from_utf8_lossy(text);
        let header = text.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
        let Some((name, value)) = header.filter(|(name, _)| is_name(name)) else {
            return wrong("what is no header; write \"Name: value\"");
        };
        if FRAMING.iter().any(|other| other.eq_ignore_ascii_case(name)) {
            return wrong(&format!("the header {name}, which is made here"));
        }
        if value.chars().any(|character| character.is_control() && character != '\t') {
            return wrong(&format!("a control character in the header {name}"));
        }
        if headers.len() >= HEADERS_MAX {
            return wrong(&format!("more than {HEADERS_MAX} headers"));
        }
        headers.push((name.to_owned(), value.to_owned()));
    }
    Ok(headers)
}

/// Returns whether a text is the name of a header (RFC 9110, section 5.1).
fn is_name(text: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token)
}

/// A class that sees no messages asks for none of their values.
struct NoValues;

impl Values for NoValues {
    fn begin(&mut self, _now: Stamp) {}

    fn pairs(&mut self, _: &Batch, _: usize, _: u64, _: &mut dyn FnMut(&str, &[u8], ValueKind)) {}

    fn is_macro(&self, _name: &str) -> bool {
        false
    }

    fn named(&mut self, _: &Batch, _: usize, _: u64, _name: &str) -> Named {
        Named::Nothing
    }

    fn template(&mut self, _: &Batch, _: usize, _: u64, _: &str) -> Result<Vec<u8>, TemplateFault> {
        Err(TemplateFault("there is no message".to_owned()))
    }
}

#[cfg(test)]
mod tests;
