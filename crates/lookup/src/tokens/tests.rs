//! Rows for tokenizing, and the vector classifier compared with the plain one.

use super::*;
use std::collections::HashSet;

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
fn signs_of_all_scripts_separate_words() {
    check("« Échec : l\u{2019}utilisateur »", &["Échec", "l", "utilisateur"]);
    check("Nom du compte\u{a0}: “Administrateur”", &["nom", "du", "compte", "administrateur"]);
    check("a\u{2013}b\u{2014}c…d 5\u{a0}°C 10€", &["a", "b", "c", "d", "5", "c", "10"]);
    check("e\u{301}te\u{301} na\u{ad}ive", &["e\u{301}te\u{301}", "na\u{ad}ive"]);
    check("ошибка: диск-1.", &["ошибка", "диск-1"]);
    check("사용자 로그인 실패", &["사용자", "로그인", "실패"]);
    check("خطأ، فشل", &["خطأ", "فشل"]);
    check("𝒜x \u{1f600}y", &["𝒜x", "y"]);
}

#[test]
fn scripts_without_blanks_end_words_of_others() {
    check("用户admin登录失败，来自10.1.2.3。", &["用户", "admin", "登录失败", "来自", "10.1.2.3"]);
    check("3月-错误.log", &["3", "月", "错误", "log"]);
    check("カタカナーひらがな漢字々", &["カタカナーひらがな漢字々"]);
    check("เกิดข้อผิดพลาด error2", &["เกิดข้อผิดพลาด", "error2"]);
    check("\u{20000}x\u{20001}", &["\u{20000}", "x", "\u{20001}"]);
    let mut text = String::new();
    let mut want = Vec::new();
    for length in 1..70 {
        text.push_str(&"a".repeat(length));
        text.push_str(&"漏".repeat(length % 5 + 1));
        want.extend(["a".repeat(length), "漏".repeat(length % 5 + 1)]);
    }
    assert_eq!(tokens(text.as_bytes()), want);
}

#[test]
fn bytes_that_are_no_utf_8_are_letters() {
    let mut tokenizer = Tokenizer::default();
    tokenizer.read(b"M\xfcller \xe4\xb8 \xff-x \xe2\x80\x9cq");
    let found: Vec<&[u8]> = tokenizer.tokens().map(|token| tokenizer.bytes(token)).collect();
    assert_eq!(found, [&b"m\xfcller"[..], b"\xe4\xb8", b"\xff-x", b"q"]);
}

#[test]
fn kinds_of_characters() {
    for c in "漏洞々カタカナーひらがなไทย่ລາວខ្មែរမြန်မာ\u{20000}".chars()
    {
        assert!(scripts::is_unspaced(c), "{c}");
    }
    for c in "aZ0äжΩ한국어עברית،。、「　，-_.".chars() {
        assert!(!scripts::is_unspaced(c), "{c}");
    }
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
        let run = |plain: fn(&[u8], &mut [u8], &mut [u64]) -> Letters| {
            let (mut lowered, mut masks) = (vec![0; length], vec![0; length / 64 + 1]);
            let letters = plain(&text, &mut lowered, &mut masks);
            (lowered, masks, letters)
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

#[test]
fn a_token_is_hashed_wherever_it_is() {
    let seed = Seed::of_process();
    for length in 0..200 {
        // Up to the last byte that a fresh tokenizer has space for.
        let text = format!("{} a-longer-word-than-16-bytes Word-{length}", "x".repeat(length));
        let mut tokenizer = Tokenizer::default();
        tokenizer.read(text.as_bytes());
        for token in tokenizer.tokens() {
            assert_eq!(tokenizer.hash(token, seed), seed.hash(tokenizer.bytes(token)), "{text}");
        }
    }
}

/// Checks that no two of many strings have one hash.
#[track_caller]
fn check_distinct(strings: &[Vec<u8>]) {
    let seed = Seed::of_process();
    let hashes: HashSet<u64> = strings.iter().map(|string| seed.hash(string).bits).collect();
    assert_eq!(hashes.len(), strings.len());
}

/// The same string with each of its bits changed.
fn flipped(length: usize) -> Vec<Vec<u8>> {
    let flip = |bit: usize| {
        let mut string: Vec<u8> = (0..length as u8).map(|byte| byte.wrapping_mul(29)).collect();
        string[bit / 8] ^= 1 << (bit % 8);
        string
    };
    (0..length * 8).map(flip).collect()
}

#[test]
fn every_bit_and_the_length_make_another_hash() {
    [1, 7, 8, 9, 15, 16, 17, 24, 25, 31, 32, 33, 40, 63, 64]
        .map(flipped)
        .iter()
        .for_each(|all| check_distinct(all));
    check_distinct(&(0..80).map(|length| vec![0; length]).collect::<Vec<_>>());
    check_distinct(&(0..80).map(|length| vec![b'a'; length]).collect::<Vec<_>>());
}

#[test]
fn a_hash_keeps_the_first_sixteen_bytes() {
    let hash = Seed::of_process().hash(b"abcdefghijklmnopqrstuvwxyz");
    assert_eq!((hash.first.to_le_bytes(), hash.next.to_le_bytes()), (*b"abcdefgh", *b"ijklmnop"));
    let hash = Seed::of_process().hash(b"abc");
    assert_eq!((hash.first.to_le_bytes(), hash.next), (*b"abc\0\0\0\0\0", 0));
}

#[test]
fn sequences_of_numbers_differ_by_every_bit_and_the_length() {
    let seed = Seed::of_process();
    for length in 0..13usize {
        let numbers: Vec<u16> = (0..length as u16).map(|number| number * 2571).collect();
        let mut hashes = HashSet::from([seed.hash_numbers(&numbers)]);
        for bit in 0..length * 16 {
            let mut other = numbers.clone();
            other[bit / 16] ^= 1 << (bit % 16);
            hashes.insert(seed.hash_numbers(&other));
        }
        assert_eq!(hashes.len(), length * 16 + 1, "{length} numbers");
    }
    let zeros: HashSet<u64> = (0..20).map(|length| seed.hash_numbers(&vec![0; length])).collect();
    assert_eq!(zeros.len(), 20);
}
