//! Rows for character sets: names, conversion in pieces, sizes.

use super::*;

#[track_caller]
fn check(name: &str, raw: &[u8], want: &str) {
    let set = CharacterSet::from_name(name).unwrap();
    for piece in 1..=raw.len() {
        let (mut transcoder, mut out) = (Transcoder::new(set), Vec::new());
        raw.chunks(piece).for_each(|part| transcoder.append(part, &mut out));
        assert_eq!(String::from_utf8_lossy(&out), want, "in pieces of {piece}");
        assert_eq!(transcoder.raw_size(raw, &out[out.len() - 2..]), raw_size(name), "{name}");
    }
}

fn raw_size(name: &str) -> Option<usize> {
    Some(if name.starts_with("UTF-16") || name.starts_with("ucs") { 4 } else { 2 })
}

#[test]
fn converts_in_pieces() {
    check("ISO-8859-2", b"\xe1rv\xedzt\xfbr\xf5 x", "árvíztűrő x");
}

#[test]
fn converts_sets_of_several_bytes() {
    check("UTF-16LE", b"\xff\xfea\0b\0\n\0", "ab\n");
    check("UTF-16BE", b"\0a\0b\0\n", "ab\n");
    check("ucs2", b"a\0b\0\n\0", "ab\n");
    check("cp1250", b"\x8aab", "Šab");
    check("SHIFT_JIS", b"\x83\x8dab", "ロab");
}

#[test]
fn names() {
    for (name, known) in
        [("utf8", true), ("GB18030", true), ("klingon", false), ("", false), ("iso-2022-cn", false)]
    {
        assert_eq!(CharacterSet::from_name(name).is_some(), known, "{name}");
    }
    assert!(CharacterSet::from_name("UTF-8").unwrap().is_utf8());
}

#[test]
fn names_that_other_programs_use() {
    for (names, raw, want) in [
        (&["ucs-2", "UCS2", "ucs-2le", "ucs2le", "utf-16le"][..], &b"\x51\x01"[..], "ő"),
        (&["ucs-2be", "ucs2be", "UCS_2BE"], b"\x01\x51", "ő"),
        (&["eucjp", "EUC-JP-MS", "euc_jp_ms"], b"\xa4\xa2", "あ"),
        (&["euckr", "cp949"], b"\xb0\xa1", "가"),
        (&["koi8r"], b"\xc1", "а"),
        (&["cp932"], b"\x82\xa0", "あ"),
        (&["cp936"], b"\xc4\xe3", "你"),
        (&["cp950"], b"\xa7\x41", "你"),
        (&["cp1250", "win-1250", "WIN_1250"], b"\xf5", "ő"),
        (&["cp874"], b"\xa1", "ก"),
    ] {
        for name in names {
            let mut out = Vec::new();
            CharacterSet::from_name(name).unwrap().append(raw, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), want, "{name}");
        }
    }
    for name in ["cp1", "win-", "cp", "ucs-3"] {
        assert!(CharacterSet::from_name(name).is_none(), "{name}");
    }
}

#[test]
fn what_is_no_character_is_replaced() {
    let mut out = Vec::new();
    CharacterSet::from_name("euc-jp").unwrap().append(b"a\xffb", &mut out);
    assert_eq!(String::from_utf8_lossy(&out), "a\u{fffd}b");
    let transcoder = Transcoder::within(CharacterSet::from_name("latin2").unwrap());
    assert_eq!(transcoder.raw_size(b"a", "\u{fffd}".as_bytes()), None);
}
