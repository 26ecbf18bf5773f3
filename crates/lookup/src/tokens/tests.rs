//! Rows for cutting, and the vector classifier against the plain one.

use super::*;

fn tokens(text: &[u8]) -> Vec<String> {
    let mut tokenizer = Tokenizer::default();
    tokenizer.read(text);
    tokenizer.tokens().map(|token| String::from_utf8_lossy(tokenizer.bytes(token)).into_owned()).collect()
}

#[track_caller]
fn check(text: &str, want: &[&str]) {
    assert_eq!(tokens(text.as_bytes()), want);
}

#[test]
fn cuts_into_words() {
    check("", &[]);
    check("...---", &[]);
    check("Failed password for ROOT", &["failed", "password", "for", "root"]);
    check("from 10.1.2.3:22, a-b.c.", &["from", "10.1.2.3", "22", "a-b.c"]);
    check("-x- .y. _z_", &["x", "y", "_z_"]);
    check("naïve ÉTÉ", &["naïve", "ÉtÉ"]);
    check("tab\tnul\0end", &["tab", "nul", "end"]);
    let long = "a".repeat(1000);
    check(&format!("{long} {long}"), &[&long, &long]);
}

#[test]
fn boundaries_of_the_masks_do_not_matter() {
    for shift in 0..130 {
        let text = format!("{}{} Bcd", " ".repeat(shift), "A".repeat(64));
        check(&text, &["a".repeat(64).as_str(), "bcd"]);
    }
}

#[test]
fn vectors_agree_with_bytes() {
    let mut state = 1u64;
    for length in 0..300 {
        let text: Vec<u8> = (0..length)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        let run = |plain: fn(&[u8], &mut [u8], &mut [u64])| {
            let (mut lowered, mut masks) = (vec![0; length], vec![0; length / 64 + 1]);
            plain(&text, &mut lowered, &mut masks);
            (lowered, masks)
        };
        let plain = run(|text, lowered, masks| classify::scalar(text, 0, lowered, masks));
        assert_eq!(run(classify::lower_and_mark), plain);
    }
}

#[test]
fn one_tokenizer_reads_many_texts() {
    let mut tokenizer = Tokenizer::default();
    for text in ["a long text with many words", "b", ""] {
        tokenizer.read(text.as_bytes());
        assert_eq!(tokenizer.tokens().count(), text.split(' ').filter(|word| !word.is_empty()).count());
    }
}

#[test]
fn both_hashes_agree() {
    let seed = Seed::of_process();
    for length in 0..64 {
        let mut bytes: Vec<u8> = (0..length as u8).map(|byte| byte ^ 0x5a).collect();
        let plain = seed.hash(&bytes);
        bytes.extend_from_slice(&[0xff; 16]);
        let padded = seed.hash_padded(&bytes, 0, length);
        assert_eq!(plain, padded);
    }
}
