//! Character sets other than UTF-8: `encoding()`.
//!
//! In: bytes of a stream, split anywhere. Out: UTF-8. Holds: the part of a character that has no end yet.
//! Limits: the character sets of the web (WHATWG); bytes that are not a character become U+FFFD.

use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// A character set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CharacterSet(&'static Encoding);

impl CharacterSet {
    /// Returns the set of a name such as `ISO-8859-2`, `windows-1250`, `UTF-16LE` or `Shift_JIS`.
    pub fn from_name(name: &str) -> Option<CharacterSet> {
        let known = Encoding::for_label_no_replacement(name.trim().as_bytes());
        known.or_else(|| other_spelling(name)).map(CharacterSet)
    }

    /// Returns true when text in this character set needs no conversion.
    pub fn is_utf8(self) -> bool {
        self.0 == UTF_8
    }

    /// Appends a whole text as UTF-8.
    pub fn append(self, raw: &[u8], out: &mut Vec<u8>) {
        Transcoder::new(self).append(raw, out);
    }
}

/// Returns the set of a name that only other programs use.
fn other_spelling(name: &str) -> Option<&'static Encoding> {
    let name = name.trim().to_ascii_lowercase().replace('_', "-");
    let label = match name.as_str() {
        "ucs-2" | "ucs2" | "ucs-2le" | "ucs2le" => "utf-16le",
        "ucs-2be" | "ucs2be" => "utf-16be",
        "eucjp" | "euc-jp-ms" => "euc-jp",
        "euckr" => "euc-kr",
        "koi8r" => "koi8-r",
        _ => match name.strip_prefix("cp").or_else(|| name.strip_prefix("win-")) {
            Some("932") => "shift_jis",
            Some("936") => "gbk",
            Some("949") => "euc-kr",
            Some("950") => "big5",
            Some(number) => return Encoding::for_label(format!("windows-{number}").as_bytes()),
            None => return None,
        },
    };
    Encoding::for_label(label.as_bytes())
}

/// Converts one stream.
pub struct Transcoder {
    set: CharacterSet,
    decoder: Decoder,
}

impl Transcoder {
    /// Makes a transcoder for the start of a stream, where it removes a byte order mark.
    pub fn new(set: CharacterSet) -> Transcoder {
        Transcoder { set, decoder: set.0.new_decoder_with_bom_removal() }
    }

    /// Makes a transcoder for a position within a stream.
    pub fn within(set: CharacterSet) -> Transcoder {
        Transcoder { set, decoder: set.0.new_decoder_without_bom_handling() }
    }

    /// Returns the set it converts from.
    pub fn set(&self) -> CharacterSet {
        self.set
    }

    /// Appends a piece of the stream as UTF-8.
    pub fn append(&mut self, raw: &[u8], out: &mut Vec<u8>) {
        let Some(needed) = self.decoder.max_utf8_buffer_length(raw.len()) else { return };
        let start = out.len();
        out.resize(start + needed, 0);
        let (_, _, written, _) = self.decoder.decode_to_utf8(raw, &mut out[start..], false);
        out.truncate(start + written);
    }

    /// Returns the number of bytes at the end of `raw` that encode `text`. `None` when that is not known.
    pub fn raw_size(&self, raw: &[u8], text: &[u8]) -> Option<usize> {
        let text = std::str::from_utf8(text).ok()?;
        let encoded = match self.set.0 {
            set if set == UTF_16LE => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            set if set == UTF_16BE => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            set => {
                let (bytes, _, failed) = set.encode(text);
                if failed {
                    return None;
                }
                bytes.into_owned()
            }
        };
        raw.ends_with(&encoded).then_some(encoded.len())
    }
}

#[cfg(test)]
mod tests;
