//! Frames, whole, cut short and too long.

use super::*;
use tokio::runtime::Builder;

/// Shows the frames in some bytes, and what is wrong after them.
#[track_caller]
fn check(bytes: &[u8], want: &str) {
    let runtime = Builder::new_current_thread().build().unwrap();
    let shown = runtime.block_on(async {
        let (mut input, mut body, mut shown) = (bytes, Vec::new(), Vec::new());
        loop {
            match read(&mut input, &mut body).await {
                Ok(kind) => shown.push(format!("{} {}", char::from(kind), String::from_utf8_lossy(&body))),
                Err(error) => {
                    shown.push(error.to_string());
                    return shown.join("; ");
                }
            }
        }
    });
    assert_eq!(shown, want);
}

#[test]
fn frames_are_read_one_after_the_other() {
    check(b"\x03\0\0\0rabc\0\0\0\0d", "r abc; d ; early eof");
    check(b"\x03\0\0\0rab", "early eof");
    check(b"\x03\0\0", "early eof");
    check(b"\xff\xff\xff\xffr", "an answer of 4294967295 bytes");
    check(b"\x01\0\x80\0r", "an answer of 8388609 bytes");
}

#[test]
fn what_is_written_is_read() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let mut bytes = Vec::new();
    runtime.block_on(write(&mut bytes, b'H', b"hello")).unwrap();
    runtime.block_on(write(&mut bytes, b'V', b"")).unwrap();
    check(&bytes, "H hello; V ; early eof");
}
