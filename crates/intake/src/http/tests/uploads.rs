//! Rows for uploads of the journal: read as they arrive, held back, bounded.

use super::*;

/// Begins an upload without a length, and sends some chunks.
fn begin_upload(setup: &Setup, chunks: &[String]) -> TcpStream {
    let mut stream = setup.connect();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = "POST /upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    for chunk in chunks {
        stream.write_all(format!("{:x}\r\n{chunk}\r\n", chunk.len()).as_bytes()).unwrap();
    }
    stream
}

/// Ends an upload; returns the status of its answer.
pub(super) fn end_upload(mut stream: TcpStream) -> u16 {
    // The server may have refused it already.
    let _ = stream.write_all(b"0\r\n\r\n");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

fn entries(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("MESSAGE={number}\n\n")).collect()
}

#[test]
fn an_upload_is_read_as_it_arrives() {
    let setup = setup(options());
    let upload = begin_upload(&setup, &["MESSAGE=a\n\nMESS".to_owned(), "AGE=b\n\nMESSAGE=c".to_owned()]);
    assert_eq!(setup.collected.wait(2), ["127.0.0.1||a", "127.0.0.1||b"]);
    assert_eq!(end_upload(upload), 202);
    assert_eq!(setup.collected.wait(3)[2], "127.0.0.1||c");
    // An upload with a length may be compressed.
    let packed = gzip(b"MESSAGE=d\n\nMESSAGE=e\n\n\n");
    let head = "POST /upload HTTP/1.1\r\nContent-Encoding: gzip";
    assert_eq!(ask(&setup, head, &packed).0, 202);
    assert_eq!(setup.collected.wait(5)[3..], ["127.0.0.1||d", "127.0.0.1||e"]);
    assert_eq!(ask(&setup, head, &gzip(b"MESSAGE=f\n\nMESSAGE")).0, 400);
    assert_eq!(setup.collected.count(), 5);
}

#[test]
fn an_upload_waits_when_many_batches_are_not_safe() {
    for (count, want) in [(32, 202), (33, 503)] {
        let setup = setup(options());
        setup.collected.hold();
        let upload = begin_upload(&setup, &entries(count));
        setup.collected.wait(count);
        if want == 202 {
            setup.collected.release();
        }
        assert_eq!(end_upload(upload), want, "{count}");
    }
}

#[test]
fn an_entry_of_an_upload_has_a_limit() {
    for (size, want) in [(64, 202), (65, 413)] {
        let setup = setup(HttpOptions { body_bytes_max: 64, ..options() });
        let begun = format!("MESSAGE={:x>1$}", "", size - 8);
        assert_eq!(begun.len(), size);
        let mut upload = begin_upload(&setup, &[begun]);
        let _ = upload.write_all(b"2\r\n\n\n\r\n");
        assert_eq!(end_upload(upload), want, "{size}");
    }
}
