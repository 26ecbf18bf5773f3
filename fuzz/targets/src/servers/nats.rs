//! Lines of NATS servers: whatever the bytes, a line lies inside them, and so do the headers of a message.

use transport::nats::{Complaint, Greeting, Line, decode_line, headers};

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let mut rest = bytes;
    while let Ok(Some((line, size))) = decode_line(rest) {
        assert!(size > 0 && size <= rest.len());
        rest = &rest[size..];
        match line {
            Line::Greeting(json) => {
                if let Ok(greeting) = Greeting::parse(json) {
                    let _ = (greeting.text_bytes_max(), greeting.is_leaving(), greeting.check_age());
                }
            }
            Line::Refused(words) => drop(Complaint::of(&words)),
            Line::Message(head) => {
                assert!(head.header_bytes <= head.bytes);
                let Some((text, after)) = rest.split_at_checked(head.bytes) else { return };
                let block = &text[..head.header_bytes];
                if let Some(found) = headers(block) {
                    let size: usize = found.iter().map(|(name, value)| name.len() + value.len()).sum();
                    assert!(size <= block.len());
                    let _ = found.number("Nats-Pending-Messages");
                }
                rest = after.strip_prefix(b"\r\n").unwrap_or(after);
            }
            Line::Ping | Line::Pong | Line::Done => {}
        }
    }
}
