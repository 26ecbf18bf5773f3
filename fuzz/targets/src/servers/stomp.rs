//! Frames of STOMP servers: whatever the bytes, they lie inside them, and what is read can be written and read again.

use transport::stomp::{HEADERS_MAX, body, decode, header};

/// Most bytes of a frame.
const LIMIT: usize = 4096;

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let mut rest = bytes;
    while let Ok(Some((frame, size))) = decode(rest, LIMIT) {
        assert!(size > 0 && size <= rest.len() && frame.headers.len() <= HEADERS_MAX);
        let mut out = frame.command.to_vec();
        out.push(b'\n');
        header(b"content-length", frame.body.len().to_string().as_bytes(), &mut out);
        for (name, value) in &frame.headers {
            header(name, value, &mut out);
        }
        body(frame.body, &mut out);
        if frame.headers.len() < HEADERS_MAX {
            let (again, length) = decode(&out, usize::MAX).expect("a frame").expect("a whole frame");
            assert_eq!((again.command, again.body, length), (frame.command, frame.body, out.len()));
            assert_eq!(again.headers[1..], frame.headers[..]);
        }
        rest = &rest[size..];
    }
}
