//! The action of a message in a bulk request: the line before its document.
//!
//! In: the action line that the template makes from a message. Out: the index that it names, and space for the id
//! of its document. Holds: the last line, which most messages share. Limits: [`INDEX_CHARACTERS_MAX`]; a text that
//! does not begin with an action is left unchanged.
//!
//! An id that is the same at every attempt makes repeats harmless: `index` writes the same document again, `create`
//! is refused with 409. Documents without one get a new id from the server at every attempt.

use super::{body::IdForm, options::ItemIds};
use serde_json::Value;
use std::ops::Range;

/// Longest name of an index in Elasticsearch, in bytes.
const INDEX_CHARACTERS_MAX: usize = 255;
const ID_BEGINS: &[u8] = b"\"_id\":\"";

/// The content of a line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Action {
    index: String,
    /// The offset at which an id may be inserted, and the text after it.
    id: Option<(usize, &'static str)>,
}

/// Reads the lines.
#[derive(Debug, Default)]
pub(super) struct Actions {
    line: Vec<u8>,
    action: Option<Action>,
}

impl Actions {
    /// Returns the name of the index, if the line has one, and the position reserved for the id.
    pub(super) fn read(&mut self, text: &mut Vec<u8>, ids: ItemIds) -> (&str, Option<Range<usize>>) {
        let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(0);
        if self.line != text[..end] {
            self.line.clear();
            self.line.extend_from_slice(&text[..end]);
            self.action = parsed(&self.line);
        }
        let Some(action) = &self.action else { return ("", None) };
        let room = action.id.filter(|_| ids == ItemIds::OfMessages).map(|(at, behind)| {
            let id = at + ID_BEGINS.len()..at + ID_BEGINS.len() + IdForm::Base64.size();
            let (end, size) = (text.len(), ID_BEGINS.len() + id.len() + behind.len());
            text.resize(end + size, 0);
            text.copy_within(at..end, at + size);
            text[at..id.start].copy_from_slice(ID_BEGINS);
            text[id.end..at + size].copy_from_slice(behind.as_bytes());
            id
        });
        (&action.index, room)
    }
}

fn parsed(line: &[u8]) -> Option<Action> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let (name, inner) = value.as_object().filter(|object| object.len() == 1)?.iter().next()?;
    let inner = inner.as_object()?;
    let is_action = matches!(name.as_str(), "index" | "create" | "update" | "delete");
    let index = inner.get("_index").and_then(Value::as_str).unwrap_or_default();
    let index =
        index.chars().filter(|character| !character.is_control()).take(INDEX_CHARACTERS_MAX).collect();
    let may_get_id = matches!(name.as_str(), "index" | "create") && !inner.contains_key("_id");
    // The name of the action has no brace, so the second one begins what belongs to it.
    let braces = line.iter().enumerate().filter(|(_, byte)| **byte == b'{').map(|(at, _)| at);
    let at = braces.skip(1).map(|at| at + 1).next();
    let behind = if inner.is_empty() { "\"" } else { "\"," };
    is_action.then(|| Action { index, id: at.filter(|_| may_get_id).map(|at| (at, behind)) })
}

#[cfg(test)]
mod tests {
    //! Lines with and without actions.

    use super::*;

    /// Shows the text with `#` for the id, and the index.
    #[track_caller]
    fn check(text: &str, want: &str, index: &str) {
        let mut actions = Actions::default();
        // The second time the line is known.
        for _ in 0..2 {
            let mut bytes = text.as_bytes().to_vec();
            let (found, room) = actions.read(&mut bytes, ItemIds::OfMessages);
            assert_eq!(found, index, "{text}");
            let size = IdForm::Base64.size();
            let is_made = room.map(|room| bytes.splice(room, *b"#").count());
            assert_eq!(is_made.unwrap_or(size), size);
            assert_eq!(String::from_utf8(bytes).unwrap(), want);
        }
        let mut bytes = text.as_bytes().to_vec();
        assert_eq!(actions.read(&mut bytes, ItemIds::OfServer), (index, None));
        assert_eq!(bytes, text.as_bytes());
    }

    #[test]
    fn documents_without_an_id_get_one() {
        check(
            "{\"index\":{\"_index\":\"logs\"}}\n{\"a\":1}",
            "{\"index\":{\"_id\":\"#\",\"_index\":\"logs\"}}\n{\"a\":1}",
            "logs",
        );
        check("{\"create\":{}}\n{}", "{\"create\":{\"_id\":\"#\"}}\n{}", "");
        check(" { \"create\" : { } }\n{}", " { \"create\" : {\"_id\":\"#\" } }\n{}", "");
        check(
            "{\"index\":{\"_index\":\"{x}\\n\"}}\n{}",
            "{\"index\":{\"_id\":\"#\",\"_index\":\"{x}\\n\"}}\n{}",
            "{x}",
        );
    }

    #[test]
    fn what_has_an_id_or_is_no_action_stays() {
        for (text, index) in [
            ("{\"index\":{\"_id\":\"a\",\"_index\":\"i\"}}\n{}", "i"),
            ("{\"update\":{\"_id\":\"a\"}}\n{}", ""),
            ("{\"delete\":{\"_index\":\"i\"}}\n", "i"),
            ("{\"index\":{}}", ""),
            ("{\"index\":{},\"create\":{}}\n{}", ""),
            ("{\"message\":{}}\n{}", ""),
            ("{\"index\":5}\n{}", ""),
            ("no JSON\n{}", ""),
            ("", ""),
        ] {
            check(text, text, index);
        }
    }
}
