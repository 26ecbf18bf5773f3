//! Functions of text: `echo`, `substr`, `strip`, `lowercase`, `sanitize`, `url-encode` and their kin.
//!
//! In: rendered arguments. Out: text. Holds: options. Limits: [`PADDING_BYTES_MAX`].

use super::{
    action::{Action, CompiledFunction, fixed, integer},
    error::FunctionError,
};
use message::ValueKind;

/// Widest result of `padding`.
pub(super) const PADDING_BYTES_MAX: i64 = 64 << 10;

pub(super) const NAMES: &[&str] = &[
    "echo",
    "length",
    "substr",
    "strip",
    "lowercase",
    "uppercase",
    "sanitize",
    "replace-delimiter",
    "padding",
    "indent-multi-line",
    "base64-encode",
    "url-encode",
    "url-decode",
    "binary",
    "or",
    "ipv4-to-int",
];

pub(super) fn compile(name: &str, words: &[&str]) -> Option<CompiledFunction> {
    let any = usize::MAX;
    Some(match name {
        "echo" => fixed(words, 0, any, Action::text(echo)),
        "length" => fixed(words, 0, any, Action::typed(length)),
        "substr" => fixed(words, 2, 3, Action::text(substr)),
        "strip" => fixed(words, 0, any, Action::text(strip)),
        "lowercase" => fixed(words, 0, any, Action::text(|args, out| fold(args, str::to_lowercase, out))),
        "uppercase" => fixed(words, 0, any, Action::text(|args, out| fold(args, str::to_uppercase, out))),
        "sanitize" => sanitize(words),
        "replace-delimiter" => fixed(words, 3, 3, Action::text(replace_delimiter)),
        "padding" => fixed(words, 2, 3, Action::text(padding)),
        "indent-multi-line" => fixed(words, 1, any, Action::text(indent)),
        "base64-encode" => fixed(words, 0, any, Action::text(base64)),
        "url-encode" => fixed(words, 0, any, Action::text(url_encode)),
        "url-decode" => fixed(words, 0, any, Action::text(url_decode)),
        "binary" => binary(words),
        "or" => fixed(words, 0, any, Action::text(first_filled)),
        "ipv4-to-int" => fixed(words, 1, any, Action::typed(ipv4_to_int)),
        _ => return None,
    })
}

fn echo(args: &[&[u8]], out: &mut Vec<u8>) {
    for (index, arg) in args.iter().enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(arg);
    }
}

fn length(args: &[&[u8]], out: &mut Vec<u8>) -> ValueKind {
    let lengths: Vec<String> = args.iter().map(|arg| arg.len().to_string()).collect();
    out.extend_from_slice(lengths.join(" ").as_bytes());
    ValueKind::Integer
}

/// Cuts a part out: negative offsets and lengths count from the end; there is nothing before the start, and the text
/// after the end is cut.
fn substr(args: &[&[u8]], out: &mut Vec<u8>) {
    let [text, offset, rest @ ..] = args else { return };
    let size = text.len() as i64;
    let Some(offset) = integer(offset) else { return };
    let start = if offset < 0 { size.saturating_add(offset) } else { offset.min(size) };
    if start < 0 {
        return;
    }
    let end = match rest.first().map(|length| integer(length)) {
        None => size,
        Some(Some(length)) if length < 0 => size + length,
        Some(Some(length)) => start.saturating_add(length).min(size),
        Some(None) => return,
    };
    out.extend_from_slice(text.get(start as usize..end.max(start) as usize).unwrap_or_default());
}

fn strip(args: &[&[u8]], out: &mut Vec<u8>) {
    let mut filled = args.iter().map(|arg| arg.trim_ascii()).filter(|arg| !arg.is_empty());
    if let Some(first) = filled.next() {
        out.extend_from_slice(first);
    }
    for arg in filled {
        out.push(b' ');
        out.extend_from_slice(arg);
    }
}

fn fold(args: &[&[u8]], change: fn(&str) -> String, out: &mut Vec<u8>) {
    for (index, arg) in args.iter().enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        for chunk in arg.utf8_chunks() {
            out.extend_from_slice(change(chunk.valid()).as_bytes());
            out.extend_from_slice(chunk.invalid());
        }
    }
}

fn sanitize(words: &[&str]) -> CompiledFunction {
    let (mut invalid, mut replacement, mut controls) = ("/".to_owned(), "_".to_owned(), true);
    let mut used = 0;
    while let Some(word) = words.get(used) {
        let value = words.get(used + 1);
        match (*word, value) {
            ("--ctrl-chars" | "-c", _) => controls = true,
            ("--no-ctrl-chars" | "-C", _) => controls = false,
            ("--invalid-chars" | "-i", Some(chars)) => {
                invalid = (*chars).to_owned();
                used += 1;
            }
            ("--replacement" | "-r", Some(chars)) => {
                replacement = (*chars).to_owned();
                used += 1;
            }
            _ => break,
        }
        used += 1;
    }
    let action = Action::text(move |args, out| {
        for (index, arg) in args.iter().enumerate() {
            if index > 0 {
                out.push(b'/');
            }
            for &byte in *arg {
                if invalid.as_bytes().contains(&byte) || (controls && byte < 32) {
                    out.extend(replacement.bytes().take(1));
                } else {
                    out.push(byte);
                }
            }
        }
    });
    Ok((action, used))
}

fn replace_delimiter(args: &[&[u8]], out: &mut Vec<u8>) {
    let [delimiters, replacement, text] = args else { return };
    for byte in *text {
        match delimiters.contains(byte) {
            true => out.extend(replacement.iter().take(1)),
            false => out.push(*byte),
        }
    }
}

fn padding(args: &[&[u8]], out: &mut Vec<u8>) {
    let [text, width, rest @ ..] = args else { return };
    let pad = rest.first().copied().filter(|pad| !pad.is_empty()).unwrap_or(b" ");
    let width = integer(width).unwrap_or(0).clamp(0, PADDING_BYTES_MAX) as usize;
    out.extend(pad.iter().cycle().take(width.saturating_sub(text.len())));
    out.extend_from_slice(text);
}

fn indent(args: &[&[u8]], out: &mut Vec<u8>) {
    let mut text = Vec::new();
    echo(args, &mut text);
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        if index > 0 {
            out.push(b'\n');
            if !line.is_empty() && line[0] != b'\t' && line[0] != b' ' {
                out.push(b'\t');
            }
        }
        out.extend_from_slice(line);
    }
}

fn base64(args: &[&[u8]], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes = args.concat();
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().chain(&[0, 0]).take(3).fold(0u32, |group, byte| group << 8 | u32::from(*byte));
        let digits = [18, 12, 6, 0].map(|shift| DIGITS[(group >> shift & 63) as usize]);
        out.extend_from_slice(&digits[..=chunk.len()]);
        out.extend(std::iter::repeat_n(b'=', 3 - chunk.len()));
    }
}

fn url_encode(args: &[&[u8]], out: &mut Vec<u8>) {
    for &byte in args.iter().copied().flatten() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(byte);
        } else {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
}

/// Decodes `%XX`: an argument that is not encoded text, because of a lone `%` or an encoded NUL, yields nothing.
fn url_decode(args: &[&[u8]], out: &mut Vec<u8>) {
    for arg in args {
        let start = out.len();
        if !append_url_decoded(arg, out) {
            out.truncate(start);
        }
    }
}

fn append_url_decoded(mut rest: &[u8], out: &mut Vec<u8>) -> bool {
    loop {
        rest = match rest {
            [] => return true,
            [b'%', high, low, tail @ ..] => match hex(*high).zip(hex(*low)) {
                None | Some((0, 0)) => return false,
                Some((high, low)) => {
                    out.push(high << 4 | low);
                    tail
                }
            },
            [b'%', ..] => return false,
            [byte, tail @ ..] => {
                out.push(*byte);
                tail
            }
        };
    }
}

fn hex(digit: u8) -> Option<u8> {
    (digit as char).to_digit(16).map(|value| value as u8)
}

/// Compiles `$(binary)`: the bytes are constants of the configuration and checked when it is read.
fn binary(words: &[&str]) -> CompiledFunction {
    let byte = |word: &&str| {
        let parsed = match word.strip_prefix("0x") {
            Some(hex) => u8::from_str_radix(hex, 16),
            None if word.len() > 1 && word.starts_with('0') => u8::from_str_radix(word, 8),
            None => word.parse(),
        };
        parsed.map_err(|_| FunctionError::Value {
            text: (*word).to_owned(),
            expected: "a byte: 0 to 255, 0xff or 0377",
        })
    };
    let bytes: Vec<u8> = words.iter().map(byte).collect::<Result<_, _>>()?;
    let action = Action::typed(move |_, out| {
        out.extend_from_slice(&bytes);
        ValueKind::Bytes
    });
    Ok((action, words.len()))
}

fn first_filled(args: &[&[u8]], out: &mut Vec<u8>) {
    if let Some(arg) = args.iter().find(|arg| !arg.is_empty()) {
        out.extend_from_slice(arg);
    }
}

fn ipv4_to_int(args: &[&[u8]], out: &mut Vec<u8>) -> ValueKind {
    let number = |arg: &&[u8]| {
        let text = std::str::from_utf8(arg).ok()?;
        text.parse().ok().map(|address: std::net::Ipv4Addr| u32::from(address).to_string())
    };
    let numbers: Vec<String> = args.iter().filter_map(number).collect();
    out.extend_from_slice(numbers.join(",").as_bytes());
    ValueKind::Integer
}
