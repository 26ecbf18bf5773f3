//! Messages of a source as bytes.

use super::*;
use proptest::prelude::*;

/// Shows the texts of some messages.
#[track_caller]
fn check(frame: &[u8], want: &str) {
    let shown = match posts(frame) {
        Ok(posts) => {
            let texts = posts.iter().map(|post| post.text.map(String::from_utf8_lossy));
            texts.map(|text| text.unwrap_or("made".into()).into_owned()).collect::<Vec<_>>().join(" ")
        }
        Err(PostsError) => "malformed".to_owned(),
    };
    assert_eq!(shown, want);
}

#[test]
fn messages_are_texts_or_made() {
    check(b"", "");
    check(b"\0\x01\0\0\0", "made");
    check(b"\x01\x02\0\0\0ab\x01\0\0\0\0\x01\0\0\0", "ab made");
    for frame in
        [&b"\0"[..], b"\x02", b"\0\0", b"\x01\x02\0\0\0a", b"\x01\xff\xff\xff\xffa", b"\0\x01\0\x01\0"]
    {
        check(frame, "malformed");
    }
}

proptest! {
    #[test]
    fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let _ = posts(&bytes);
    }
}
