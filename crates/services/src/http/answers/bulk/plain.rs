//! The usual answer to a bulk request: every item was taken.
//!
//! In: the body of an answer. Out: the status of each item; `None` for an answer that has to be looked at more closely. Holds:
//! nothing. Limits: none. Such an answer comes to nearly every request and has a result of two hundred bytes for each message, so
//! nothing of it is copied.

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Returns the statuses of an answer that says of all items that they were taken.
pub(super) fn statuses(body: &[u8]) -> Option<Vec<u16>> {
    let Answer(statuses) = serde_json::from_slice(body).ok()?;
    Some(statuses)
}

/// `{"took": 3, "errors": false, "items": [...]}`
struct Answer(Vec<u16>);

/// `[{"index": {...}}, {"create": {...}}]`
struct Items(Vec<u16>);

/// `{"index": {"_id": "a", "status": 201}}`
struct Item(u16);

/// `{"_id": "a", "status": 201}`
struct ItemStatus(u16);

struct AnswerVisitor;
struct ItemsVisitor;
struct ItemVisitor;
struct StatusVisitor;

/// Says that an answer is another one; what it says instead is read elsewhere.
fn other<E: Error>() -> E {
    E::custom("not the usual answer")
}

impl<'de> Deserialize<'de> for Answer {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Answer, D::Error> {
        from.deserialize_map(AnswerVisitor)
    }
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Items, D::Error> {
        from.deserialize_seq(ItemsVisitor)
    }
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Item, D::Error> {
        from.deserialize_map(ItemVisitor)
    }
}

impl<'de> Deserialize<'de> for ItemStatus {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<ItemStatus, D::Error> {
        from.deserialize_map(StatusVisitor)
    }
}

impl<'de> Visitor<'de> for AnswerVisitor {
    type Value = Answer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an answer")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Answer, M::Error> {
        let (mut errors, mut items) = (None, None);
        while let Some(name) = map.next_key::<&str>()? {
            match name {
                "errors" => errors = Some(map.next_value::<bool>()?),
                "items" => items = Some(map.next_value::<Items>()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        match (errors, items) {
            (Some(false), Some(Items(statuses))) => Ok(Answer(statuses)),
            _ => Err(other()),
        }
    }
}

impl<'de> Visitor<'de> for ItemsVisitor {
    type Value = Items;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("results")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Items, S::Error> {
        let mut statuses = Vec::new();
        while let Some(Item(status)) = items.next_element()? {
            statuses.push(status);
        }
        Ok(Items(statuses))
    }
}

impl<'de> Visitor<'de> for ItemVisitor {
    type Value = Item;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a result")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Item, M::Error> {
        let Some((_, ItemStatus(status))) = map.next_entry::<IgnoredAny, ItemStatus>()? else {
            return Err(other());
        };
        match map.next_key::<IgnoredAny>()? {
            None => Ok(Item(status)),
            Some(_) => Err(other()),
        }
    }
}

impl<'de> Visitor<'de> for StatusVisitor {
    type Value = ItemStatus;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what became of an item")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<ItemStatus, M::Error> {
        let mut status = None;
        while let Some(name) = map.next_key::<&str>()? {
            match name {
                "status" => status = Some(map.next_value::<u16>()?),
                "error" => return Err(other()),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        status.filter(|status| (200..300).contains(status)).map(ItemStatus).ok_or_else(other)
    }
}
