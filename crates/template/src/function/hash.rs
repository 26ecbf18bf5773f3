//! Functions of digests: `md5`, `sha1`, `sha256` and their kin.
//!
//! In: rendered arguments, read as one text. Out: the digest in hexadecimal, cut at `--length`. Holds the length.
//! Limits: a digest is as long as it is. MD4, MD5 and SHA-1 are there for old formats only: they protect nothing.

use super::{
    action::{Action, CompiledFunction},
    error::FunctionError,
};
use sha2::Digest;

pub(super) const NAMES: &[&str] = &["hash", "md4", "md5", "sha1", "sha256", "sha512"];

type Hash = fn(&[&[u8]]) -> Vec<u8>;

pub(super) fn compile(name: &str, words: &[&str]) -> Option<CompiledFunction> {
    let hash: Hash = match name {
        "md4" => digest::<md4::Md4>,
        "md5" => digest::<md5::Md5>,
        "sha1" => digest::<sha1::Sha1>,
        "hash" | "sha256" => digest::<sha2::Sha256>,
        "sha512" => digest::<sha2::Sha512>,
        _ => return None,
    };
    Some(with_length(hash, words))
}

fn digest<D: Digest>(arguments: &[&[u8]]) -> Vec<u8> {
    let mut state = D::new();
    arguments.iter().for_each(|argument| state.update(argument));
    state.finalize().to_vec()
}

/// Compiles `--length N`: `N` digits; 0, or more than exist, returns all.
fn with_length(hash: Hash, words: &[&str]) -> CompiledFunction {
    let (length, used) = match words {
        ["--length" | "-l", length, ..] => (Some(*length), 2),
        ["--length" | "-l"] => {
            let expected = "a number of digits";
            return Err(FunctionError::Option { name: "--length".to_owned(), expected });
        }
        [option, ..] => match option.strip_prefix("--length=") {
            Some(length) => (Some(length), 1),
            None => (None, 0),
        },
        [] => (None, 0),
    };
    let length: usize = match length {
        Some(text) => text
            .parse()
            .map_err(|_| FunctionError::Value { text: text.to_owned(), expected: "a number of digits" })?,
        None => 0,
    };
    if words.len() == used {
        return Err(FunctionError::Arguments { least: 1, most: usize::MAX, given: 0 });
    }
    let action = Action::text(move |arguments, out| {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let bytes = hash(arguments);
        let count = if length == 0 { usize::MAX } else { length };
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        out.extend(digits.take(count).map(|digit| DIGITS[usize::from(digit)]));
    });
    Ok((action, used))
}
