//! Lookups in Redis: a command for each key, sent together.
//!
//! In: keys. Out: what the replies say. Holds: a connection. Limits: those of [`RedisReader`]; [`VALUES_BYTES_MAX`] of a reply.

use super::lane::{Answers, Asking, Lane};
use crate::{
    fault::Fault,
    key::{Key, KeyText},
    known::Answer,
    values::{Gathering, Naming, VALUES_BYTES_MAX},
};
use message::ValueKind;
use outputs::{ReadValueError, RedisReader, RedisValue};
use std::sync::Arc;

/// Keys of one exchange: their replies wait in memory together.
const KEYS_MAX: usize = 128;

/// The names of the values of a reply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ReplyNames {
    /// `GET`, `HGET`: it is one value.
    Single,
    /// `HGETALL`: names and values take turns.
    Pairs,
    /// `HMGET`: those of the fields that are asked for.
    Fields(Vec<String>),
}

impl ReplyNames {
    /// Returns those of a command: its name, then its arguments behind the one that has the key.
    pub(crate) fn of(command: &[String]) -> ReplyNames {
        match command {
            [name, fields @ ..] if name.eq_ignore_ascii_case("HMGET") => ReplyNames::Fields(fields.to_vec()),
            [name, ..] if name.eq_ignore_ascii_case("HGETALL") => ReplyNames::Pairs,
            _ => ReplyNames::Single,
        }
    }
}

/// A connection, and what is asked over it.
pub(crate) struct RedisLane {
    pub(crate) reader: RedisReader,
    pub(crate) command: Vec<KeyText>,
    pub(crate) names: ReplyNames,
    pub(crate) naming: Naming,
}

impl RedisLane {
    async fn all(&mut self, keys: &[Key]) -> Answers {
        let plain = |key: &[u8], out: &mut Vec<u8>| out.extend_from_slice(key);
        let command = |key: &Key| self.command.iter().map(|part| part.fill(key, plain)).collect();
        let commands: Vec<Vec<Vec<u8>>> = keys.iter().map(command).collect();
        let values = self.reader.read(&commands).await;
        let answer = |value: Result<RedisValue, ReadValueError>| match value {
            Ok(value) => Ok(found(&value, &self.names, &self.naming)),
            Err(ReadValueError::Refused) => Ok(Answer::Refused),
            Err(ReadValueError::Server(words)) => Err(Fault::server(words)),
        };
        values.into_iter().map(answer).collect()
    }
}

impl Lane for RedisLane {
    fn keys_max(&self) -> usize {
        KEYS_MAX
    }

    fn ask<'a>(&'a mut self, keys: &'a [Key]) -> Asking<'a> {
        Box::pin(self.all(keys))
    }

    fn close(&mut self) {
        self.reader.close();
    }
}

/// Reads a reply.
pub(crate) fn found(value: &RedisValue, names: &ReplyNames, naming: &Naming) -> Answer {
    if bytes(value) > VALUES_BYTES_MAX {
        return Answer::Refused;
    }
    let mut gathering = Gathering::new(naming);
    match (value, names) {
        (RedisValue::Nothing, _) => {}
        (RedisValue::Text(text), ReplyNames::Single) => gathering.set_single(text),
        (RedisValue::List(list), ReplyNames::Pairs) => {
            for pair in list.chunks_exact(2) {
                if let [RedisValue::Text(name), RedisValue::Text(value)] = pair {
                    gathering.set(name, value, ValueKind::String);
                }
            }
        }
        (RedisValue::List(list), ReplyNames::Fields(fields)) => {
            for (name, value) in fields.iter().zip(list) {
                if let RedisValue::Text(value) = value {
                    gathering.set(name.as_bytes(), value, ValueKind::String);
                }
            }
        }
        _ => return Answer::Refused,
    }
    let values = gathering.finish();
    if values.list.is_empty() { Answer::Missing } else { Answer::Values(Arc::new(values)) }
}

fn bytes(value: &RedisValue) -> usize {
    match value {
        RedisValue::Nothing => 0,
        RedisValue::Text(text) => text.len(),
        RedisValue::List(list) => list.iter().map(bytes).sum(),
    }
}

#[cfg(test)]
mod tests {
    //! Replies and the names of their values.

    use super::*;

    fn text(text: &str) -> RedisValue {
        RedisValue::Text(text.as_bytes().to_vec())
    }

    #[track_caller]
    fn check(value: RedisValue, names: &ReplyNames, want: &str) {
        let naming = Naming { prefix: "p.".to_owned(), single: "value".to_owned() };
        let shown = match found(&value, names, &naming) {
            Answer::Values(values) => {
                let one = |value: &crate::values::NamedValue| {
                    format!("{}={}", value.name.as_str(), String::from_utf8_lossy(&value.value))
                };
                values.list.iter().map(one).collect::<Vec<_>>().join(" ")
            }
            other => format!("{other:?}"),
        };
        assert_eq!(shown, want);
    }

    #[test]
    fn a_reply_becomes_values() {
        let list = |texts: &[&str]| RedisValue::List(texts.iter().map(|one| text(one)).collect());
        let fields = ReplyNames::Fields(vec!["a".to_owned(), "b".to_owned()]);
        check(text("plain"), &ReplyNames::Single, "p.value=plain");
        check(text("{\"a\": 1}"), &ReplyNames::Single, "p.a=1");
        check(RedisValue::Nothing, &ReplyNames::Single, "Missing");
        check(list(&["role", "web", "id", "7"]), &ReplyNames::Pairs, "p.role=web p.id=7");
        check(list(&["role", "web", "odd"]), &ReplyNames::Pairs, "p.role=web");
        check(list(&[]), &ReplyNames::Pairs, "Missing");
        check(RedisValue::List(vec![RedisValue::Nothing, text("2")]), &fields, "p.b=2");
        check(RedisValue::List(vec![RedisValue::Nothing, RedisValue::Nothing]), &fields, "Missing");
        check(RedisValue::List(vec![list(&["x"]), text("2")]), &fields, "p.b=2");
        // A reply of another form than the command's.
        check(text("x"), &ReplyNames::Pairs, "Refused");
        check(list(&["x"]), &ReplyNames::Single, "Refused");
        check(text(&"x".repeat(VALUES_BYTES_MAX + 1)), &ReplyNames::Single, "Refused");
    }
}
