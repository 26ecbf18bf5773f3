//! The text of a line with its changing parts: `Failed password for {user} from {outside} port {port}`.
//!
//! In: a pattern of `events.txt`. Out: fixed texts, numbers and values, one after the other.

use super::{
    names::Names,
    random::{Random, even, mix, skewed},
    value::{Kind, Moment, Scope, Values},
    write,
};
use std::io;

/// A pattern, ready to write.
pub(super) struct Pattern(Vec<Piece>);

/// A fixed text or a changing value.
enum Piece {
    Text(String),
    /// From the first up to the last.
    Even(u64, u64),
    /// The same, but small numbers are more likely.
    Skewed(u64, u64),
    Value {
        kind: Kind,
        scope: Scope,
        /// Distinguishes values of one kind.
        salt: u64,
        fresh: bool,
    },
}

impl Pattern {
    pub(super) fn parse(mut text: &str, names: &Names) -> io::Result<Pattern> {
        let (mut parts, mut fixed) = (Vec::new(), String::new());
        while let Some(at) = text.find(['{', '}']) {
            fixed.push_str(&text[..at]);
            let brace = &text[at..=at];
            text = &text[at + 1..];
            // Two braces are a literal brace, unless a name follows: `{{{site}`.
            if text.starts_with(brace) {
                fixed.push_str(brace);
                text = &text[1..];
                continue;
            }
            let (name, rest) = text
                .split_once('}')
                .filter(|_| brace == "{")
                .ok_or_else(|| io::Error::other(format!("a brace stands alone before `{text}`")))?;
            text = rest;
            if !fixed.is_empty() {
                parts.push(Piece::Text(std::mem::take(&mut fixed)));
            }
            parts.push(Piece::parse(name, names)?);
        }
        fixed.push_str(text);
        parts.push(Piece::Text(fixed));
        Ok(Pattern(parts))
    }

    /// Writes the pattern at a moment of an event.
    #[inline]
    pub(super) fn write(&self, out: &mut Vec<u8>, values: &Values, moment: &Moment, random: &mut Random) {
        for part in &self.0 {
            match part {
                Piece::Text(text) => write::text(out, text),
                Piece::Even(first, last) => write::number(out, first + even(random.next(), last - first + 1)),
                Piece::Skewed(first, last) => write::number(out, first + skewed(random.next(), last - first)),
                Piece::Value { kind, scope, salt, fresh } => {
                    let key = if *fresh { random.next() } else { values.key(*scope, moment) };
                    values.write(out, *kind, mix(key ^ salt), moment);
                }
            }
        }
    }
}

impl Piece {
    fn parse(name: &str, names: &Names) -> io::Result<Piece> {
        for (dots, part) in [("..", Piece::Even as fn(u64, u64) -> Piece), ("~", Piece::Skewed)] {
            if let Some((first, last)) = name.split_once(dots) {
                let number = |text: &str| text.parse().map_err(io::Error::other);
                return Ok(part(number(first)?, number(last)?));
            }
        }
        let (name, fresh) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
        let (name, scope) = name.split_once('@').unwrap_or((name, ""));
        let kind = name.split('#').next().unwrap_or(name);
        // `unit` and `unit.text` are chosen together.
        let together = name.split('.').next().unwrap_or(name);
        let salt = together.bytes().fold(0, |salt, byte| mix(salt ^ u64::from(byte)));
        Ok(Piece::Value { kind: Kind::parse(kind, names)?, scope: Scope::parse(scope)?, salt, fresh })
    }
}
